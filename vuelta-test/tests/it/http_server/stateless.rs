//! The revisions with a handshake on an endpoint that keeps no sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use vuelta_http::Endpoint;

use super::dialogue::{Probe, REVISIONS, Stream, check_taken, initialize};
use super::post::Post;

fn endpoint() -> Endpoint {
    Probe::default().endpoint().stateless()
}

fn post(body: Value, revision: Option<&str>) -> Post {
    let post = Post::bare(body.to_string());
    match revision {
        Some(revision) => post.set("MCP-Protocol-Version", revision),
        None => post.without("MCP-Protocol-Version"),
    }
}

fn call(tool: &str) -> Value {
    let params = json!({ "name": tool, "arguments": {}, "_meta": { "progressToken": 1 } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn a_handshake_is_answered_and_begins_nothing() {
    let endpoint = endpoint();
    for revision in REVISIONS {
        let response = initialize(revision).send(&endpoint).await;
        assert_eq!(response.result()["protocolVersion"], revision);
        assert_eq!(response.header("mcp-session-id"), None);
    }
    let newer = initialize("2026-07-28").send(&endpoint).await.result();
    assert_eq!(newer["protocolVersion"], "2025-11-25");
    let broken = initialize("2025-11-25").replace("protocolVersion", "version");
    broken.send(&endpoint).await.refused(200, &json!(0), -32602);
    assert_eq!(endpoint.sessions(), 0);
}

#[tokio::test]
async fn every_request_stands_alone() {
    let endpoint = endpoint();
    for revision in REVISIONS.map(Some).into_iter().chain([None]) {
        let result = post(call("echo"), revision).send(&endpoint).await.result();
        assert_eq!(result["content"][0]["text"], "done");
        assert_eq!(result.get("resultType"), None);
        // What it says before its answer makes a stream of it.
        let mut stream = Stream::open(post(call("talk"), revision), &endpoint).await;
        for step in 1..=100 {
            assert_eq!(stream.progress().await, step);
        }
        assert_eq!(stream.text(1).await, "done");
        assert_eq!(stream.last, None);
        stream.check_end().await;
        let with = post(call("echo"), revision).set("Mcp-Session-Id", "of another process");
        with.send(&endpoint).await.result();
    }
}

#[tokio::test]
async fn nobody_can_be_asked_and_errors_are_answers() {
    let endpoint = endpoint();
    let response = post(call("ask"), Some("2025-11-25")).send(&endpoint).await;
    let message = response.refused(200, &json!(1), -32600);
    assert!(message.contains("elicitation/create"), "{message}");
    let unknown = json!({ "jsonrpc": "2.0", "id": 1, "method": "foo/bar" });
    post(unknown, None)
        .send(&endpoint)
        .await
        .refused(200, &json!(1), -32601);
}

#[tokio::test]
async fn notifications_reach_their_handlers_and_responses_nobody() {
    let told = Arc::new(AtomicUsize::new(0));
    let server = {
        let told = Arc::clone(&told);
        let builder = Probe::default().builder();
        let builder = builder.on_notification("notifications/initialized", move |_| {
            told.fetch_add(1, Ordering::SeqCst);
            async {}
        });
        builder.build().unwrap()
    };
    let endpoint = Endpoint::new(server).stateless();
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    check_taken(post(notification, None).send(&endpoint).await);
    assert_eq!(told.load(Ordering::SeqCst), 1);
    let response = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
    check_taken(post(response, None).send(&endpoint).await);
}

#[tokio::test]
async fn there_are_no_streams_to_read_and_no_sessions_to_end() {
    let endpoint = endpoint();
    for verb in ["GET", "DELETE"] {
        let response = post(json!({}), Some("2025-11-25"))
            .verb(verb)
            .send(&endpoint)
            .await;
        assert_eq!(response.status, 405, "{verb}");
        assert_eq!(response.header("allow"), Some("POST"));
    }
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_request() {
    let probe = Probe::default();
    let endpoint = probe.endpoint().stateless();
    let mut stream = Stream::open(post(call("wait"), None), &endpoint).await;
    stream.progress().await;
    drop(stream);
    probe.dropped.notified().await;
}

#[tokio::test]
async fn a_batch_is_of_the_revision_that_has_them() {
    let endpoint = endpoint();
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let batch = json!([call("echo"), notification, 1]);
    for revision in [None, Some("2025-03-26")] {
        let response = post(batch.clone(), revision).send(&endpoint).await;
        let Value::Array(answers) = response.message() else {
            panic!("no array: {response:?}");
        };
        assert_eq!(answers.len(), 2);
        assert!(
            answers
                .iter()
                .any(|answer| answer["id"] == 1 && answer["error"].is_null())
        );
        let events = post(batch.clone(), revision).set("Accept", "text/event-stream");
        assert_eq!(events.send(&endpoint).await.events().len(), 2);
        check_taken(post(json!([notification]), revision).send(&endpoint).await);
    }
    let later = post(batch, Some("2025-06-18")).send(&endpoint).await;
    later.refused(400, &Value::Null, -32600);
}

#[tokio::test]
async fn the_new_revision_is_served_as_ever() {
    let response = Post::call("echo", json!({})).send(&endpoint()).await;
    assert_eq!(response.result()["resultType"], "complete");
    let unknown = Post::new("foo/bar", json!({})).send(&endpoint()).await;
    unknown.refused(404, &json!(1), -32601);
}
