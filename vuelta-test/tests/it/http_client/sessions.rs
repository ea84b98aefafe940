//! Sessions of the revisions with a handshake: how they begin, what goes out in them, how they
//! are begun anew, and how they end.
//!
//! Source: [session
//! management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management),
//! [the protocol version
//! header](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use vuelta::{Client, Error, ErrorCode, Mode};

use super::handshake::{SESSION, by, connect, of, peer, says, welcome};
use super::peer::{Peer, Received, Reply};
use crate::logs::Logs;

const ROOTS_CHANGED: &str = "notifications/roots/list_changed";

/// Returns the session that a request is sent in.
fn session(request: &Received) -> Option<&str> {
    request.header("mcp-session-id")
}

#[tokio::test]
async fn all_but_the_greeting_goes_out_in_the_session() {
    let peer = peer(|_| None).await;
    let client = connect(Client::builder(), &peer).await;
    assert_eq!(client.protocol_version().as_str(), "2025-11-25");
    assert_eq!(client.call_tool("t", ()).await.unwrap().as_text(), "done");
    client.notify(ROOTS_CHANGED, ()).await.unwrap();
    client.close().await;

    let received = peer.received();
    let sent: Vec<_> = received
        .iter()
        .map(|request| (request.verb(), request.method()))
        .collect();
    assert_eq!(
        sent,
        [
            ("POST", "initialize"),
            ("POST", "notifications/initialized"),
            ("GET", ""),
            ("POST", "tools/call"),
            ("POST", ROOTS_CHANGED),
            ("DELETE", ""),
        ]
    );
    let [greeting, rest @ ..] = received.as_slice() else {
        panic!("nothing was sent");
    };
    assert_eq!(session(greeting), None);
    assert_eq!(greeting.header("mcp-protocol-version"), None);
    for request in rest {
        assert_eq!(session(request), Some(SESSION), "{}", request.line);
        let version = request.header("mcp-protocol-version");
        assert_eq!(version, Some("2025-11-25"), "{}", request.line);
    }
    for request in &received {
        assert_eq!(request.header("mcp-method"), None);
        assert_eq!(request.header("mcp-name"), None);
        let accept = match request.verb() {
            "POST" => "application/json, text/event-stream",
            "GET" => "text/event-stream",
            _ => continue,
        };
        assert_eq!(request.header("accept"), Some(accept), "{}", request.line);
    }
}

#[tokio::test]
async fn a_server_may_choose_any_revision_and_have_no_sessions() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let peer =
            peer(move |request| (request.method() == "initialize").then(|| welcome(version))).await;
        let client = connect(Client::builder(), &peer).await;
        client.call_tool("t", ()).await.unwrap();
        client.close().await;
        let received = peer.received();
        assert!(received.iter().all(|request| session(request).is_none()));
        let call = &of(&received, "tools/call")[0];
        assert_eq!(call.header("mcp-protocol-version"), Some(version));
        assert!(
            by(&received, "DELETE").is_empty(),
            "there is nothing to end"
        );
    }
}

#[tokio::test]
async fn the_id_of_a_session_must_be_visible() {
    for (id, is_valid) in [("!~", true), ("a b", false), ("na\u{ef}ve", false)] {
        let peer = peer(move |request| {
            let greeting = request.method() == "initialize";
            greeting.then(|| welcome("2025-11-25").header("mcp-session-id", id))
        })
        .await;
        let transport = vuelta_http::url(peer.url()).unwrap();
        let client = Client::builder()
            .mode(Mode::legacy())
            .connect(transport)
            .await;
        assert_eq!(client.is_ok(), is_valid, "{id:?}");
        if let Err(error) = client {
            assert!(error.is_peer());
        }
    }
}

/// A peer that forgets its sessions when `forgets` says so of a call, by its number; each
/// session has its own id.
async fn forgetful(
    mut forgets: impl FnMut(usize) -> bool + Send + 'static,
    forgotten: Reply,
) -> Peer {
    let mut sessions = 0;
    let mut calls = 0;
    let mut current = None;
    peer(move |request| match (request.verb(), request.method()) {
        ("POST", "initialize") => {
            sessions += 1;
            let id = format!("session-{sessions}");
            current = Some(id.clone());
            Some(welcome("2025-11-25").header("mcp-session-id", &id))
        }
        ("POST", "tools/call" | ROOTS_CHANGED) => {
            calls += 1;
            if forgets(calls) {
                current = None;
            }
            (session(request) != current.as_deref()).then(|| forgotten.clone())
        }
        _ => None,
    })
    .await
}

fn not_found() -> [Reply; 2] {
    let error = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}"#;
    [
        Reply::empty(404),
        Reply::new(404, "application/json", error),
    ]
}

#[tokio::test]
async fn a_forgotten_session_is_begun_anew_and_the_call_sent_again() {
    for reply in not_found() {
        let peer = forgetful(|call| call == 2, reply).await;
        let client = connect(Client::builder(), &peer).await;
        client.call_tool("first", ()).await.unwrap();
        let before = peer.received().len();
        let result = client.call_tool("second", json!({ "a": 1 })).await.unwrap();
        assert_eq!(result.as_text(), "done");

        let received = peer.received();
        let [refused, greeting, initialized, listening, again] = &received[before..] else {
            panic!("{:#?}", &received[before..]);
        };
        assert_eq!(session(refused), Some("session-1"));
        assert_eq!(greeting.body, received[0].body);
        assert_eq!(session(greeting), None);
        assert_eq!(greeting.header("mcp-protocol-version"), None);
        assert_eq!(initialized.method(), "notifications/initialized");
        assert_eq!(session(initialized), Some("session-2"));
        assert_eq!(
            (listening.verb(), session(listening)),
            ("GET", Some("session-2"))
        );
        assert_eq!(session(again), Some("session-2"));
        assert_eq!(again.body, refused.body);

        client.call_tool("third", ()).await.unwrap();
        assert_eq!(peer.received().len(), before + 6);
    }
}

#[tokio::test]
async fn a_notification_begins_a_forgotten_session_anew_as_well() {
    let peer = forgetful(|message| message == 1, Reply::empty(404)).await;
    let client = connect(Client::builder(), &peer).await;
    client.notify(ROOTS_CHANGED, ()).await.unwrap();
    let sent = of(&peer.received(), ROOTS_CHANGED);
    let sessions: Vec<_> = sent.iter().map(session).collect();
    assert_eq!(sessions, [Some("session-1"), Some("session-2")]);
}

#[tokio::test]
async fn a_server_that_forgets_at_once_is_not_greeted_without_end() {
    let [bare, with_error] = not_found();
    let bare_text = "the server forgets every session at once: try again later [HTTP 404]";
    for (reply, expected) in [
        (bare, bare_text),
        (with_error, "Session not found (-32600) [HTTP 404]"),
    ] {
        let peer = forgetful(|_| true, reply).await;
        let client = connect(Client::builder(), &peer).await;
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        let received = peer.received();
        assert_eq!(of(&received, "initialize").len(), 2);
        assert_eq!(of(&received, "tools/call").len(), 2);
    }
}

#[tokio::test]
async fn calls_at_the_same_time_begin_one_session() {
    let peer = forgetful(|call| call == 1, Reply::empty(404)).await;
    let client = connect(Client::builder(), &peer).await;
    let mut calls = JoinSet::new();
    for _ in 0..8 {
        calls.spawn(client.tool("t").send());
    }
    for result in calls.join_all().await {
        assert_eq!(result.unwrap().as_text(), "done");
    }
    let received = peer.received();
    assert_eq!(of(&received, "initialize").len(), 2);
    assert_eq!(of(&received, "notifications/initialized").len(), 2);
}

#[tokio::test]
async fn a_session_is_begun_anew_in_the_same_revision_or_not_at_all() {
    for second in ["2025-06-18", "2025-11-25"] {
        let mut greetings = 0;
        let peer = peer(move |request| match request.method() {
            "initialize" => {
                greetings += 1;
                let (version, id) = if greetings == 1 {
                    ("2025-06-18", "one")
                } else {
                    (second, "two")
                };
                Some(welcome(version).header("mcp-session-id", id))
            }
            "tools/call" if session(request) == Some("one") => Some(Reply::empty(404)),
            _ => None,
        })
        .await;
        let client = connect(Client::builder(), &peer).await;
        let outcome = client.call_tool("t", ()).await;
        let greetings = of(&peer.received(), "initialize");
        let asked: Vec<_> = greetings
            .iter()
            .map(|greeting| greeting.body["params"]["protocolVersion"].clone())
            .collect();
        assert_eq!(asked, ["2025-11-25", "2025-06-18"]);
        if second == "2025-06-18" {
            assert!(outcome.is_ok());
        } else {
            let expected = "the server began the session anew in revision 2025-11-25, not \
                            2025-06-18: connect again";
            assert_eq!(outcome.unwrap_err().to_string(), expected);
        }
    }
}

#[tokio::test]
async fn without_a_session_a_404_means_that_there_is_no_endpoint() {
    let no_endpoint = "there is no MCP endpoint at this URL; check its path [HTTP 404]";
    let elsewhere = Peer::start(|_| Reply::empty(404)).await;
    let error = Client::builder()
        .mode(Mode::legacy())
        .connect(vuelta_http::url(elsewhere.url()).unwrap())
        .await
        .unwrap_err();
    assert!(error.is_peer());
    assert_eq!(error.to_string(), no_endpoint);

    let stateless = peer(|request| match request.method() {
        "initialize" => Some(welcome("2025-11-25")),
        "tools/call" => Some(Reply::empty(404)),
        _ => None,
    })
    .await;
    let client = connect(Client::builder(), &stateless).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert_eq!(error.to_string(), no_endpoint);
    assert_eq!(of(&stateless.received(), "initialize").len(), 1);
}

#[tokio::test]
async fn refusals_are_read_as_in_any_revision() {
    let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Not Acceptable"}}"#;
    for (reply, expected) in [
        (
            Reply::new(406, "application/json", error),
            "Not Acceptable (-32600) [HTTP 406]",
        ),
        (
            Reply::empty(202),
            "the server accepted the request but does not answer it [HTTP 202]",
        ),
        (
            Reply::new(401, "text/html", ""),
            "the server wants authorization; set the header with \
             `HttpTransport::builder(url).header(..)` [HTTP 401]",
        ),
        (Reply::empty(503), "the server failed [HTTP 503]"),
        (
            Reply::json(r#"{"jsonrpc":"2.0","id":"2","result":{}}"#),
            "uncorrelated response: it has the id \"2\", the request has the id 2",
        ),
        (
            Reply::json(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#),
            "the server answered with a notification",
        ),
    ] {
        let peer =
            peer(move |request| (request.method() == "tools/call").then(|| reply.clone())).await;
        let client = connect(Client::builder(), &peer).await;
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn closing_ends_the_session_whatever_the_server_says() {
    for status in [200, 204, 404, 405, 500] {
        let peer =
            peer(move |request| (request.verb() == "DELETE").then(|| Reply::empty(status))).await;
        let client = connect(Client::builder(), &peer).await;
        client.close().await;
        let received = peer.received();
        let [end] = by(&received, "DELETE").try_into().unwrap();
        assert_eq!(end.line, "DELETE /mcp HTTP/1.1");
        assert_eq!(session(&end), Some(SESSION));

        client.close().await;
        assert_eq!(peer.received().len(), received.len(), "it is ended once");
    }
}

#[tokio::test]
async fn a_closed_connection_carries_no_more() {
    let peer = peer(|_| None).await;
    let client = connect(Client::builder(), &peer).await;
    client.close().await;
    let sent = peer.received().len();
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.is_transport());
    assert_eq!(error.to_string(), "the connection was closed");
    let logs = Logs::capture();
    client.notify(ROOTS_CHANGED, ()).await.unwrap();
    assert_eq!(logs.with("notification dropped").len(), 1);
    assert_eq!(peer.received().len(), sent);
}

#[tokio::test]
async fn a_server_that_does_not_answer_holds_up_no_end() {
    let peer = peer(|request| (request.verb() == "DELETE").then(Reply::silence)).await;
    let client = connect(Client::builder(), &peer).await;
    // Silence would last forever.
    tokio::time::pause();
    client.close().await;
    assert_eq!(by(&peer.received(), "DELETE").len(), 1);
}

#[tokio::test]
async fn dropping_the_client_ends_the_session() {
    let peer = peer(|_| None).await;
    drop(connect(Client::builder(), &peer).await);
    peer.until(|received| !by(received, "DELETE").is_empty())
        .await;
}

#[tokio::test]
async fn nothing_is_left_of_connections_that_were_dropped() {
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let peer =
        peer(|request| (request.verb() == "GET").then(|| Reply::stream([": waiting\n\n"]).hold()))
            .await;
    let before = tasks();
    for _ in 0..100 {
        let client = connect(Client::builder(), &peer).await;
        client.call_tool("t", ()).await.unwrap();
    }
    let received = peer
        .until(|received| by(received, "DELETE").len() == 100)
        .await;
    assert_eq!(by(&received, "GET").len(), 100);
    // Each connection of HTTP has a task on either side.
    while tasks() > before {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_once() {
    for reply in [
        Reply::silence(),
        Reply::stream([": waiting\n\n"]).hold(),
        Reply::stream(["id: 1\ndata:\n\n"]),
    ] {
        let peer =
            peer(move |request| (request.body["params"]["name"] == "slow").then(|| reply.clone()))
                .await;
        let client = connect(Client::builder(), &peer).await;
        let slow = tokio::spawn(client.tool("slow").send());
        peer.until(|received| !of(received, "tools/call").is_empty())
            .await;
        slow.abort();
        let cancelled = "notifications/cancelled";
        let received = peer
            .until(|received| !of(received, cancelled).is_empty())
            .await;
        let call = &of(&received, "tools/call")[0];
        let cancellation = &of(&received, cancelled)[0];
        assert_eq!(session(cancellation), Some(SESSION));
        assert_eq!(
            cancellation.body["params"],
            json!({ "requestId": call.body["id"] })
        );
        // What was answered is not cancelled, nor anything twice.
        client.call_tool("quick", ()).await.unwrap();
        client.close().await;
        assert_eq!(of(&peer.received(), cancelled).len(), 1);
    }
}

#[tokio::test]
async fn a_timeout_cancels_and_an_error_does_not() {
    let peer = peer(|request| match request.body["params"]["name"].as_str() {
        Some("slow") => Some(Reply::silence()),
        Some("broken") => Some(Reply::silence().close()),
        Some("refused") => Some(Reply::empty(500)),
        _ => None,
    })
    .await;
    let client = connect(Client::builder(), &peer).await;
    for tool in ["broken", "refused"] {
        assert!(client.call_tool(tool, ()).await.unwrap_err().is_transport());
    }
    let slow = client.tool("slow").timeout(Duration::from_millis(1));
    assert!(slow.send().await.unwrap_err().is_timeout());
    client.close().await;
    assert_eq!(of(&peer.received(), "notifications/cancelled").len(), 1);
}

#[tokio::test]
async fn a_cancellation_goes_out_though_the_client_goes_with_the_call() {
    let peer = peer(|request| (request.method() == "tools/call").then(Reply::silence)).await;
    let client = connect(Client::builder(), &peer).await;
    let call = tokio::spawn(async move { client.call_tool("t", ()).await });
    peer.until(|received| !of(received, "tools/call").is_empty())
        .await;
    call.abort();
    let received = peer
        .until(|received| !by(received, "DELETE").is_empty())
        .await;
    assert_eq!(of(&received, "notifications/cancelled").len(), 1);
}

#[tokio::test]
async fn a_handshake_is_never_cancelled() {
    let peer = peer(|request| (request.method() == "initialize").then(Reply::silence)).await;
    let transport = vuelta_http::url(peer.url()).unwrap();
    let connecting = Client::builder().mode(Mode::legacy()).connect(transport);
    let connecting = tokio::spawn(connecting);
    peer.arrived().await;
    connecting.abort();
    peer.closed().await;
    assert_eq!(peer.received().len(), 1);
}

/// A peer of the revisions with a handshake that refuses everything else.
async fn legacy_only() -> Peer {
    peer(|request| (request.method() == "server/discover").then(|| Reply::empty(400))).await
}

#[tokio::test]
async fn what_a_server_is_is_found_out_once_for_all_clones() {
    let peer = legacy_only().await;
    let transport = vuelta_http::url(peer.url()).unwrap();
    for _ in 0..2 {
        let client = Client::builder().connect(transport.clone()).await.unwrap();
        assert!(client.is_legacy());
        client.call_tool("t", ()).await.unwrap();
    }
    let received = peer.received();
    assert_eq!(of(&received, "server/discover").len(), 1);
    assert_eq!(of(&received, "initialize").len(), 2);
    // Another transport knows nothing.
    let transport = vuelta_http::url(peer.url()).unwrap();
    Client::builder().connect(transport).await.unwrap();
    assert_eq!(of(&peer.received(), "server/discover").len(), 2);
}

#[tokio::test]
async fn a_handshake_by_choice_says_nothing_of_the_server() {
    let peer = legacy_only().await;
    let transport = vuelta_http::url(peer.url()).unwrap();
    let by_choice = Client::builder().mode(Mode::legacy());
    by_choice.connect(transport.clone()).await.unwrap();
    Client::builder().connect(transport).await.unwrap();
    assert_eq!(of(&peer.received(), "server/discover").len(), 1);
}

#[tokio::test]
async fn a_server_that_has_changed_is_probed_again() {
    let has_changed = Arc::new(AtomicUsize::new(0));
    let changed = Arc::clone(&has_changed);
    let peer = peer(move |request| {
        let is_modern = changed.load(Ordering::Relaxed) > 0;
        match request.method() {
            "server/discover" if is_modern => Some(Reply::result(&json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {},
            }))),
            "server/discover" => Some(Reply::empty(400)),
            "initialize" if is_modern => Some(Reply::new(
                404,
                "application/json",
                r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"Method not found"}}"#,
            )),
            _ => None,
        }
    })
    .await;
    let transport = vuelta_http::url(peer.url()).unwrap();
    let connect = || Client::builder().connect(transport.clone());
    assert!(connect().await.unwrap().is_legacy());
    has_changed.store(1, Ordering::Relaxed);
    assert!(!connect().await.unwrap().is_legacy());
    assert!(!connect().await.unwrap().is_legacy());
    let received = peer.received();
    assert_eq!(of(&received, "server/discover").len(), 3);
    assert_eq!(of(&received, "initialize").len(), 2);
}

#[tokio::test]
async fn a_clone_is_a_connection_of_its_own() {
    let mut sessions = 0;
    let peer = peer(move |request| {
        (request.method() == "initialize").then(|| {
            sessions += 1;
            welcome("2025-11-25").header("mcp-session-id", &format!("session-{sessions}"))
        })
    })
    .await;
    let transport = vuelta_http::url(peer.url()).unwrap();
    let connect = || {
        Client::builder()
            .mode(Mode::legacy())
            .connect(transport.clone())
    };
    let (first, second) = (connect().await.unwrap(), connect().await.unwrap());
    first.call_tool("t", ()).await.unwrap();
    second.call_tool("t", ()).await.unwrap();
    first.close().await;
    second.call_tool("t", ()).await.unwrap();
    let calls = of(&peer.received(), "tools/call");
    let sessions: Vec<_> = calls.iter().map(|call| session(call).unwrap()).collect();
    assert_eq!(sessions, ["session-1", "session-2", "session-2"]);
}

#[tokio::test]
async fn nothing_of_2026_07_28_is_sent_nor_read() {
    let peer = peer(|request| {
        (request.method() == "tools/call").then(|| {
            let mut result = says("done");
            result["resultType"] = json!("input_required");
            Reply::result(&result)
        })
    })
    .await;
    let client = connect(Client::builder(), &peer).await;
    assert_eq!(client.call_tool("t", ()).await.unwrap().as_text(), "done");
    for request in peer.received() {
        let text = request.body.to_string();
        assert!(!text.contains("io.modelcontextprotocol"), "{text}");
    }
}

#[tokio::test]
async fn a_server_of_later_revisions_is_not_asked_for_a_stream() {
    let error = |code: i32| {
        let body = json!({
            "jsonrpc": "2.0", "id": 1,
            "error": {
                "code": code, "message": "m",
                "data": { "supported": ["2099-01-01"], "requested": "2025-11-25" },
            },
        });
        Reply::new(400, "application/json", &body.to_string())
    };
    for code in [-32020, -32022, -32601] {
        let peer = Peer::script([error(code)]).await;
        let outcome: Result<_, Error> = Client::builder()
            .mode(Mode::legacy())
            .connect(vuelta_http::url(peer.url()).unwrap())
            .await;
        assert_eq!(outcome.unwrap_err().code(), Some(ErrorCode(code.into())));
        assert_eq!(peer.received().len(), 1);
    }
}
