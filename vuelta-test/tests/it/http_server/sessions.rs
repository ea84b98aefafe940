//! Sessions of the revisions with a handshake: how they begin, whose they are, how they end.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use vuelta::{Error, Server};
use vuelta_http::Endpoint;

use super::dialogue::{Dialogue, Probe, REVISIONS, accepted, check_taken, initialize};
use super::post::{Post, Response};

const MINUTE: Duration = Duration::from_secs(60);

fn endpoint() -> Endpoint {
    Probe::default().endpoint()
}

/// Asserts that a response says that there is no such session.
#[track_caller]
fn check_not_found(response: &Response, id: &Value) {
    assert_eq!(response.refused(404, id, -32600), "Session not found");
}

#[tokio::test]
async fn a_handshake_begins_a_session() {
    let endpoint = endpoint();
    for (index, revision) in REVISIONS.into_iter().enumerate() {
        let response = initialize(revision).send(&endpoint).await;
        let result = response.result();
        assert_eq!(result["protocolVersion"], revision);
        assert_eq!(result["serverInfo"]["name"], "s");
        assert_eq!(result.get("resultType"), None);
        let id = response.header("mcp-session-id").unwrap();
        assert!(id.len() >= 32 && id.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
        assert_eq!(endpoint.sessions(), index + 1);
    }
    for other in ["2026-07-28", "2099-01-01", "1"] {
        let result = initialize(other).send(&endpoint).await.result();
        assert_eq!(result["protocolVersion"], "2025-11-25", "{other}");
    }
}

#[tokio::test]
async fn a_handshake_is_one_whatever_headers_come_with_it() {
    let endpoint = endpoint();
    for version in ["2025-11-25", "2025-03-26", "2026-07-28"] {
        let post = initialize("2025-11-25")
            .set("MCP-Protocol-Version", version)
            .set("Mcp-Method", "initialize");
        let response = post.send(&endpoint).await;
        assert_eq!(response.result()["protocolVersion"], "2025-11-25");
        assert!(response.header("mcp-session-id").is_some());
    }
    // At 2026-07-28 there is no such method.
    let modern = Post::new("initialize", json!({ "protocolVersion": "2025-11-25" }));
    let response = modern.send(&endpoint).await;
    response.refused(404, &json!(1), -32601);
    assert_eq!(response.header("mcp-session-id"), None);
}

#[tokio::test]
async fn a_handshake_that_only_takes_events_is_answered_with_one() {
    let endpoint = endpoint();
    let post = initialize("2025-11-25").set("Accept", "text/event-stream");
    let response = post.send(&endpoint).await;
    assert!(response.header("mcp-session-id").is_some());
    let events = response.events();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn a_handshake_that_fails_begins_nothing() {
    let endpoint = endpoint();
    let post = initialize("2025-11-25").replace("protocolVersion", "version");
    let response = post.send(&endpoint).await;
    response.refused(200, &json!(0), -32602);
    assert_eq!(response.header("mcp-session-id"), None);

    let server = Server::builder("s", "1")
        .on_start(|| async { Err(Error::transport("no database")) })
        .build()
        .unwrap();
    let broken = Endpoint::new(server);
    let response = initialize("2025-11-25").send(&broken).await;
    response.refused(200, &json!(0), -32603);
    assert_eq!(endpoint.sessions() + broken.sessions(), 0);
}

#[tokio::test]
async fn requests_are_served_before_the_client_says_that_it_is_ready() {
    for revision in REVISIONS {
        let peer = Dialogue::open(&endpoint(), revision).await;
        let list = peer.request(1, "tools/list", json!({}));
        let response = list.set("Accept", "application/json").send(&peer.endpoint);
        let result = response.await.result();
        assert_eq!(result["tools"][0]["name"], "echo");
        // What came with 2026-07-28 is not there.
        for member in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            assert_eq!(result.get(member), None, "{member}");
        }
        peer.notify("notifications/initialized", json!({})).await;
    }
}

#[tokio::test]
async fn what_is_not_answered_is_taken() {
    let peer = Dialogue::open(&endpoint(), "2025-06-18").await;
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"window/logMessage"}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"7","error":{"code":-1,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
    ] {
        check_taken(peer.post(body).send(&peer.endpoint).await);
    }
}

#[tokio::test]
async fn a_request_without_a_session_is_told_to_begin_one() {
    let endpoint = endpoint();
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    let without = |post: Post| post.without("Mcp-Session-Id");
    let list = || without(peer.request(5, "tools/list", json!({})));
    for (post, id) in [
        (list(), json!(5)),
        (list().without("MCP-Protocol-Version"), json!(5)),
        (without(peer.request(6, "foo/bar", json!({}))), json!(6)),
        (
            without(peer.post(r#"{"jsonrpc":"2.0","method":"x"}"#)),
            Value::Null,
        ),
        (
            without(peer.post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)),
            Value::Null,
        ),
        (without(peer.post("[1]")), Value::Null),
        (without(peer.get()), Value::Null),
        (without(peer.delete()), Value::Null),
    ] {
        let message = post.send(&endpoint).await.refused(400, &id, -32600);
        assert!(message.contains("session ID") && message.contains("initialize"));
    }
}

#[tokio::test]
async fn an_unknown_session_is_not_found_and_a_handshake_begins_a_new_one() {
    let endpoint = endpoint();
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    for unknown in ["unknown", "", "caf\u{e9}"] {
        let with = |post: Post| post.set("Mcp-Session-Id", unknown);
        let list = with(peer.request(5, "tools/list", json!({})));
        check_not_found(&list.send(&endpoint).await, &json!(5));
        for post in [
            peer.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            peer.post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            peer.get(),
            peer.delete(),
        ] {
            check_not_found(&with(post).send(&endpoint).await, &Value::Null);
        }
        let response = with(initialize("2025-11-25")).send(&endpoint).await;
        response.result();
        let fresh = response.header("mcp-session-id").unwrap();
        assert!(fresh != unknown && fresh != peer.session);
    }
}

#[tokio::test]
async fn a_second_handshake_in_a_session_is_answered_as_the_first() {
    let peer = Dialogue::open(&endpoint(), "2025-06-18").await;
    let again = initialize("2025-11-25").set("Mcp-Session-Id", &peer.session);
    let response = again.send(&peer.endpoint).await;
    assert_eq!(response.result()["protocolVersion"], "2025-06-18");
    assert_eq!(response.header("mcp-session-id"), Some(&*peer.session));
    assert_eq!(peer.endpoint.sessions(), 1);
}

#[tokio::test]
async fn the_revision_of_a_session_may_be_left_out_but_not_be_another() {
    let peer = Dialogue::open(&endpoint(), "2025-06-18").await;
    let ping = || {
        peer.request(1, "ping", json!({}))
            .set("Accept", "application/json")
    };
    let unsaid = ping().without("MCP-Protocol-Version");
    assert_eq!(unsaid.send(&peer.endpoint).await.result(), json!({}));
    let notification = || peer.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    for (post, id) in [
        (ping(), json!(1)),
        (notification(), Value::Null),
        (peer.get(), Value::Null),
        (peer.delete(), Value::Null),
    ] {
        for other in ["2025-11-25", "2025-03-26"] {
            let post = post.clone().set("MCP-Protocol-Version", other);
            let message = post.send(&peer.endpoint).await.refused(400, &id, -32600);
            assert!(message.contains("2025-06-18"), "{message}");
        }
        let twice = post.and("MCP-Protocol-Version", "2025-11-25");
        twice.send(&peer.endpoint).await.refused(400, &id, -32600);
    }
    // One that is served no other way is of the other era.
    let unknown = ping().set("MCP-Protocol-Version", "2099-01-01");
    unknown
        .send(&peer.endpoint)
        .await
        .refused(400, &json!(1), -32602);
    assert_eq!(peer.endpoint.sessions(), 1);
}

#[tokio::test]
async fn both_eras_are_served_at_once() {
    let endpoint = endpoint();
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    for id in 1..=2 {
        let modern = Post::call("echo", json!({})).send(&endpoint).await;
        assert_eq!(modern.result()["resultType"], "complete");
        assert_eq!(modern.header("mcp-session-id"), None);
        let mut legacy = peer.stream(id, "echo").await;
        assert_eq!(legacy.text(id).await, "done");
    }
    // A session is nothing to a request that stands alone.
    let modern = Post::call("echo", json!({})).set("Mcp-Session-Id", &peer.session);
    modern.send(&endpoint).await.result();
    // Whoever forgets the header is told that, and not of sessions.
    let forgetful = Post::call("echo", json!({})).without("MCP-Protocol-Version");
    let message = forgetful
        .send(&endpoint)
        .await
        .refused(400, &json!(1), -32020);
    assert!(message.starts_with("mcp-protocol-version header is missing"));
    let discover = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
    let bare = Post::bare(discover).without("MCP-Protocol-Version");
    bare.send(&endpoint).await.refused(400, &json!(1), -32602);
    // In a session, no such method is known.
    let within = peer.post(discover).set("Accept", "application/json");
    within.send(&endpoint).await.refused(200, &json!(1), -32601);
}

#[tokio::test]
async fn a_server_without_handshakes_has_no_sessions() {
    let server = Probe::default().builder().modern_only().build().unwrap();
    let endpoint = Endpoint::new(server);
    let response = initialize("2025-11-25").send(&endpoint).await;
    response.refused(400, &json!(0), -32022);
    let data = &response.message()["error"]["data"];
    assert_eq!(data["supported"], json!(["2026-07-28"]));
    for verb in ["GET", "DELETE"] {
        let post = Post::bare("")
            .verb(verb)
            .without("MCP-Protocol-Version")
            .set("Mcp-Session-Id", "abc");
        let response = post.send(&endpoint).await;
        assert_eq!(response.status, 405, "{verb}");
        assert_eq!(response.header("allow"), Some("POST"));
    }
    let call = Post::call("echo", json!({}))
        .set("Mcp-Session-Id", "abc")
        .set("Last-Event-ID", "7");
    let response = call.send(&endpoint).await;
    response.result();
    assert_eq!(response.header("mcp-session-id"), None);
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let posted = Post::bare(response).without("MCP-Protocol-Version");
    posted
        .send(&endpoint)
        .await
        .refused(400, &Value::Null, -32600);
}

#[tokio::test]
async fn a_server_of_handshakes_alone_names_what_it_serves() {
    let server = Probe::default().builder().legacy_only().build().unwrap();
    let endpoint = Endpoint::new(server);
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
    for (post, id) in [
        (Post::call("echo", json!({})), json!(1)),
        (Post::new("server/discover", json!({})), json!(1)),
        (
            Post::call("echo", json!({})).without("MCP-Protocol-Version"),
            json!(1),
        ),
        (
            Post::call("echo", json!({})).without("Mcp-Method"),
            json!(1),
        ),
        (Post::bare(notification), Value::Null),
        (Post::bare("").verb("GET"), Value::Null),
    ] {
        let response = post.send(&endpoint).await;
        response.refused(400, &id, -32022);
        let data = &response.message()["error"]["data"];
        let supported = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
        let expected = json!({ "supported": supported, "requested": "2026-07-28" });
        assert_eq!(data, &expected);
    }
    let discover = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
    let bare = Post::bare(discover).without("MCP-Protocol-Version");
    bare.send(&endpoint).await.refused(400, &json!(1), -32600);
    let peer = Dialogue::open(&endpoint, "2025-06-18").await;
    assert_eq!(peer.stream(1, "echo").await.text(1).await, "done");
}

#[tokio::test]
async fn a_session_is_of_whoever_began_it() {
    let endpoint = endpoint();
    let response = initialize("2025-11-25").by("alice").send(&endpoint).await;
    let session = response.header("mcp-session-id").unwrap().to_owned();
    let ping = || {
        Post::bare(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
            .set("MCP-Protocol-Version", "2025-11-25")
            .set("Mcp-Session-Id", &session)
            .set("Accept", "application/json")
    };
    let delete = || ping().verb("DELETE");
    check_not_found(&ping().by("bob").send(&endpoint).await, &json!(1));
    check_not_found(&ping().send(&endpoint).await, &json!(1));
    check_not_found(&delete().by("bob").send(&endpoint).await, &Value::Null);
    ping().by("alice").send(&endpoint).await.result();
    // What a caller cannot use is not found for its handshake either.
    let bobs = initialize("2025-11-25").set("Mcp-Session-Id", &session);
    let response = bobs.by("bob").send(&endpoint).await;
    assert_ne!(response.header("mcp-session-id"), Some(&*session));
    assert_eq!(delete().by("alice").send(&endpoint).await.status, 204);
    check_not_found(&ping().by("alice").send(&endpoint).await, &json!(1));
}

#[tokio::test]
async fn a_client_ends_its_session_and_everything_in_it() {
    let probe = Probe::default();
    let endpoint = probe.endpoint();
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    let mut standing = super::dialogue::Stream::open(peer.get(), &endpoint).await;
    assert!(standing.next().await.unwrap().is_position());
    let mut hanging = peer.stream(1, "hang").await;
    probe.started.notified().await;

    let response = peer.delete().send(&endpoint).await;
    assert_eq!((response.status, &*response.body), (204, ""));
    probe.dropped.notified().await;
    standing.check_end().await;
    assert!(hanging.next().await.unwrap().is_position());
    hanging.check_end().await;
    assert_eq!(endpoint.sessions(), 0);
    check_not_found(&peer.delete().send(&endpoint).await, &Value::Null);
    let list = peer.request(2, "tools/list", json!({}));
    check_not_found(&list.send(&endpoint).await, &json!(2));
    check_not_found(&peer.get().send(&endpoint).await, &Value::Null);
}

#[tokio::test]
async fn there_are_so_many_sessions_and_no_more() {
    let endpoint = endpoint().max_sessions(2);
    let first = Dialogue::open(&endpoint, "2025-11-25").await;
    Dialogue::open(&endpoint, "2025-11-25").await;
    let response = initialize("2025-11-25").send(&endpoint).await;
    let message = response.refused(503, &json!(0), -32603);
    assert!(message.contains("sessions"), "{message}");
    assert_eq!(response.header("mcp-session-id"), None);
    assert_eq!(endpoint.sessions(), 2);
    first.delete().send(&endpoint).await;
    Dialogue::open(&endpoint, "2025-11-25").await;
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_when_its_client_is_away_for_long() {
    let endpoint = endpoint();
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    for _ in 0..3 {
        sleep(29 * MINUTE).await;
        peer.notify("notifications/initialized", json!({})).await;
    }
    sleep(31 * MINUTE).await;
    assert_eq!(endpoint.sessions(), 0);
    let list = peer.request(1, "tools/list", json!({}));
    check_not_found(&list.send(&endpoint).await, &json!(1));

    let endpoint = endpoint.session_idle_timeout(MINUTE);
    Dialogue::open(&endpoint, "2025-11-25").await;
    sleep(MINUTE / 2).await;
    assert_eq!(endpoint.sessions(), 1);
    sleep(MINUTE).await;
    assert_eq!(endpoint.sessions(), 0);
    // For ever is a time, too.
    let endpoint = endpoint.session_idle_timeout(Duration::MAX);
    Dialogue::open(&endpoint, "2025-11-25").await;
    sleep(1_000_000 * MINUTE).await;
    assert_eq!(endpoint.sessions(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_session_in_which_something_happens_is_not_idle() {
    let probe = Probe::default();
    let endpoint = probe.endpoint();
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    // A connection reads.
    let standing = super::dialogue::Stream::open(peer.get(), &endpoint).await;
    sleep(100 * MINUTE).await;
    drop(standing);
    sleep(29 * MINUTE).await;
    assert_eq!(endpoint.sessions(), 1);
    // A request runs, though nobody reads.
    drop(peer.stream(1, "wait").await);
    sleep(100 * MINUTE).await;
    assert_eq!(endpoint.sessions(), 1);
    probe.go.notify_one();
    sleep(29 * MINUTE).await;
    assert_eq!(probe.finished.load(Ordering::SeqCst), 1);
    assert_eq!(endpoint.sessions(), 1);
    sleep(2 * MINUTE).await;
    assert_eq!(endpoint.sessions(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waits_for_a_client_that_is_gone_keeps_no_session() {
    let probe = Probe::default();
    let endpoint = probe.endpoint();
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    let mut asking = peer.stream(1, "ask").await;
    let question = asking.question().await;
    // While the client is connected it may take its time.
    sleep(100 * MINUTE).await;
    peer.answer(&question, accepted("here")).await;
    assert_eq!(asking.text(1).await, "here");
    drop(asking);

    let mut asking = peer.stream(2, "ask").await;
    asking.question().await;
    drop(asking);
    sleep(29 * MINUTE).await;
    assert_eq!(endpoint.sessions(), 1);
    sleep(2 * MINUTE).await;
    assert_eq!(endpoint.sessions(), 0);
    probe.dropped.notified().await;

    // One that asks no more works on.
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    drop(peer.stream(3, "ask_briefly").await);
    sleep(100 * MINUTE).await;
    assert_eq!(endpoint.sessions(), 1);
}

#[tokio::test]
async fn an_endpoint_that_is_gone_leaves_nothing_running() {
    let probe = Probe::default();
    let mut hanging = {
        let peer = Dialogue::open(&probe.endpoint(), "2025-06-18").await;
        let hanging = peer.stream(1, "hang").await;
        probe.started.notified().await;
        hanging
    };
    hanging.check_end().await;
    probe.dropped.notified().await;
}

#[tokio::test]
async fn sessions_that_are_closed_finish_what_runs_and_ask_no_more() {
    let probe = Probe::default();
    let endpoint = probe.endpoint();
    let peer = Dialogue::open(&endpoint, "2025-06-18").await;
    let mut standing = super::dialogue::Stream::open(peer.get(), &endpoint).await;
    let mut waiting = peer.stream(1, "wait").await;
    assert_eq!(waiting.progress().await, 1);
    let mut asking = peer.stream(2, "ask").await;
    asking.question().await;

    endpoint.close_sessions();
    standing.check_end().await;
    let failed = asking.message().await;
    assert_eq!(
        (&failed["id"], &failed["error"]["code"]),
        (&json!(2), &json!(-32603))
    );
    initialize("2025-06-18")
        .send(&endpoint)
        .await
        .refused(503, &json!(0), -32603);
    probe.go.notify_one();
    assert_eq!(waiting.progress().await, 2);
    assert_eq!(waiting.text(1).await, "done");
    waiting.check_end().await;
}

#[tokio::test]
async fn every_method_is_guarded() {
    let peer = Dialogue::open(&endpoint(), "2025-11-25").await;
    let list = || peer.request(1, "tools/list", json!({}));
    for post in [list(), peer.get(), peer.delete(), initialize("2025-11-25")] {
        let evil = post.clone().set("Host", "evil.example");
        assert_eq!(evil.send(&peer.endpoint).await.status, 421);
        let evil = post.clone().set("Origin", "http://evil.example");
        assert_eq!(evil.send(&peer.endpoint).await.status, 403);
        let html = post.clone().set("Accept", "text/html");
        let status = html.send(&peer.endpoint).await.status;
        // To end a session nothing has to be accepted.
        assert_eq!(status, if post.verb == "DELETE" { 204 } else { 406 });
    }
    let peer = Dialogue::open(&endpoint(), "2025-11-25").await;
    let json = peer.get().set("Accept", "application/json");
    json.send(&peer.endpoint)
        .await
        .refused(406, &Value::Null, -32600);
    for verb in ["PUT", "PATCH", "OPTIONS", "HEAD"] {
        let response = peer.get().verb(verb).send(&peer.endpoint).await;
        assert_eq!(response.status, 405);
        assert_eq!(response.header("allow"), Some("GET, POST, DELETE"));
    }
}
