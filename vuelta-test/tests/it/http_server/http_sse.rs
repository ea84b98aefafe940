//! The transport of revision 2024-11-05: one stream, and messages beside it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use http_body_util::Full;
use serde_json::{Value, json};
use tower_service::Service as _;
use vuelta::Principal;
use vuelta_http::{Body, Endpoint, Listener, SseEndpoint};

use super::dialogue::{Probe, REVISIONS, Stream, accepted, check_taken, initialize};
use super::post::{Post, Response, next};
use super::socket::Socket;

/// A connection, as its client knows it.
struct Line {
    endpoint: SseEndpoint,
    messages: String,
    stream: Stream,
}

async fn open(endpoint: &SseEndpoint, post: &Post) -> http::Response<Body> {
    let mut request = http::Request::new(Full::from(post.body.clone()));
    *request.method_mut() = post.verb.parse().unwrap();
    *request.uri_mut() = post.path.parse().unwrap();
    for (name, value) in &post.headers {
        let name = http::HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().append(name, value.parse().unwrap());
    }
    if let Some(principal) = post.principal.clone() {
        request.extensions_mut().insert::<Principal>(principal);
    }
    let Ok(response) = endpoint.clone().call(request).await;
    response
}

async fn send(endpoint: &SseEndpoint, post: &Post) -> Response {
    let (parts, mut body) = open(endpoint, post).await.into_parts();
    let mut text = String::new();
    while let Some(chunk) = next(&mut body).await {
        text.push_str(&chunk);
    }
    Response {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body: text,
    }
}

fn get() -> Post {
    Post::bare("")
        .verb("GET")
        .path("/sse")
        .without("Content-Type")
        .without("MCP-Protocol-Version")
        .set("Accept", "text/event-stream")
}

impl Line {
    async fn open(endpoint: &SseEndpoint) -> Self {
        let mut stream = Stream::of(open(endpoint, &get()).await);
        let event = stream.next().await.unwrap();
        assert_eq!(event.kind.as_deref(), Some("endpoint"));
        Self {
            endpoint: endpoint.clone(),
            messages: event.data.unwrap(),
            stream,
        }
    }

    fn post(&self, body: impl Into<String>) -> Post {
        let mut post = Post::bare(body)
            .without("MCP-Protocol-Version")
            .without("Accept");
        post.path = Box::leak(self.messages.clone().into_boxed_str());
        post
    }

    /// Posts a message that is taken.
    async fn tell(&self, message: &Value) {
        check_taken(send(&self.endpoint, &self.post(message.to_string())).await);
    }

    async fn initialize(&mut self, revision: &str) {
        check_taken(send(&self.endpoint, &self.post(initialize(revision).body)).await);
        let result = self.stream.message().await;
        assert_eq!(result["result"]["protocolVersion"], revision);
    }

    async fn call(&self, id: i64, tool: &str) {
        let params = json!({ "name": tool, "arguments": {}, "_meta": { "progressToken": id } });
        let method = "tools/call";
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.tell(&call).await;
    }
}

#[tokio::test]
async fn the_stream_says_where_to_post_and_carries_every_answer() {
    for revision in REVISIONS {
        let probe = Probe::default();
        let mut line = Line::open(&probe.endpoint().http_sse()).await;
        assert!(line.messages.starts_with("/messages?sessionId="));
        line.initialize(revision).await;
        line.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        line.call(1, "wait").await;
        assert_eq!(line.stream.progress().await, 1);
        line.call(2, "echo").await;
        assert_eq!(line.stream.text(2).await, "done");
        probe.go.notify_one();
        assert_eq!(line.stream.progress().await, 2);
        assert_eq!(line.stream.text(1).await, "done");
        assert_eq!(line.stream.last, None);
    }
}

#[tokio::test]
async fn a_question_goes_over_the_stream_too() {
    let mut line = Line::open(&Probe::default().endpoint().http_sse()).await;
    line.initialize("2025-06-18").await;
    line.call(1, "ask").await;
    let id = line.stream.question().await;
    line.tell(&json!({ "jsonrpc": "2.0", "id": id, "result": accepted("here") }))
        .await;
    assert_eq!(line.stream.text(1).await, "here");
}

#[tokio::test]
async fn a_request_can_be_cancelled_and_the_others_go_on() {
    let probe = Probe::default();
    let mut line = Line::open(&probe.endpoint().http_sse()).await;
    line.initialize("2024-11-05").await;
    line.call(1, "hang").await;
    probe.started.notified().await;
    let cancelled = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 },
    });
    line.tell(&cancelled).await;
    probe.dropped.notified().await;
    line.call(2, "echo").await;
    assert_eq!(line.stream.text(2).await, "done");
}

#[tokio::test]
async fn the_session_ends_with_its_stream() {
    let probe = Probe::default();
    let endpoint = probe.endpoint().http_sse();
    let mut line = Line::open(&endpoint).await;
    line.initialize("2024-11-05").await;
    line.call(1, "hang").await;
    probe.started.notified().await;
    assert_eq!(endpoint.sessions(), 1);
    let ping = line.post(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    drop(line);
    probe.dropped.notified().await;
    while endpoint.sessions() > 0 {
        tokio::task::yield_now().await;
    }
    send(&endpoint, &ping)
        .await
        .refused(404, &Value::Null, -32600);
}

#[tokio::test]
async fn messages_are_of_a_session_and_its_caller() {
    let endpoint = Probe::default().endpoint().http_sse();
    let mut stream = Stream::of(open(&endpoint, &get().by("alice")).await);
    let messages = stream.next().await.unwrap().data.unwrap();
    let ping = |path: &str| {
        let mut post = Post::bare(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
        post.path = Box::leak(path.to_owned().into_boxed_str());
        post
    };
    for (path, caller) in [
        (&*messages, "bob"),
        ("/messages", "alice"),
        ("/messages?sessionId=", "alice"),
        ("/messages?sessionId=unknown", "alice"),
        ("/messages?other=1", "alice"),
    ] {
        let response = send(&endpoint, &ping(path).by(caller)).await;
        assert_eq!(
            response.refused(404, &Value::Null, -32600),
            "Session not found"
        );
    }
    let query = format!("{messages}&x=1");
    check_taken(send(&endpoint, &ping(&query).by("alice")).await);
    assert_eq!(stream.message().await["result"], json!({}));
}

#[tokio::test]
async fn what_is_no_message_is_refused() {
    let endpoint = Probe::default().endpoint().body_limit(100).http_sse();
    let line = Line::open(&endpoint).await;
    for (body, code) in [("{", -32700), ("[]", -32600), ("1", -32600)] {
        send(&endpoint, &line.post(body))
            .await
            .refused(400, &Value::Null, code);
    }
    let text = line.post("{}").set("Content-Type", "text/plain");
    send(&endpoint, &text)
        .await
        .refused(400, &Value::Null, -32600);
    let large = line.post(" ".repeat(101));
    assert_eq!(send(&endpoint, &large).await.status, 413);
    for post in [get(), line.post("{}")] {
        let evil = send(&endpoint, &post.clone().set("Host", "evil.example")).await;
        assert_eq!(evil.status, 421);
        let evil = send(&endpoint, &post.set("Origin", "https://evil.example")).await;
        assert_eq!(evil.status, 403);
    }
    let json = send(&endpoint, &get().set("Accept", "application/json")).await;
    json.refused(406, &Value::Null, -32600);
    let put = send(&endpoint, &get().verb("PUT")).await;
    assert_eq!((put.status, put.header("allow")), (405, Some("GET, POST")));
}

#[tokio::test]
async fn limits_are_those_of_the_endpoint() {
    let endpoint = Probe::default().endpoint().max_sessions(1).http_sse();
    let line = Line::open(&endpoint).await;
    send(&endpoint, &get())
        .await
        .refused(503, &Value::Null, -32603);
    drop(line);
    while endpoint.sessions() > 0 {
        tokio::task::yield_now().await;
    }
    Line::open(&endpoint.messages_at("/other")).await;
}

#[tokio::test]
async fn a_session_that_is_closed_ends_with_its_last_request() {
    let probe = Probe::default();
    let endpoint = probe.endpoint().http_sse();
    let (mut idle, mut busy) = (Line::open(&endpoint).await, Line::open(&endpoint).await);
    busy.initialize("2024-11-05").await;
    busy.call(1, "wait").await;
    assert_eq!(busy.stream.progress().await, 1);
    endpoint.close_sessions();
    idle.stream.check_end().await;
    probe.go.notify_one();
    assert_eq!(busy.stream.progress().await, 2);
    assert_eq!(busy.stream.text(1).await, "done");
    busy.stream.check_end().await;
    assert_eq!(probe.finished.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_listener_serves_it_on_demand() {
    let listener = Listener::bind("127.0.0.1:0").await.unwrap().http_sse();
    let addr = listener.local_addr();
    let endpoint: Endpoint = Probe::default().endpoint();
    tokio::spawn(listener.serve(endpoint, std::future::pending()));
    let mut stream = Socket::open(addr).await;
    stream.post(&get()).await;
    assert_eq!(stream.head().await.0, 200);
    let opening = stream.read_until("\n\n").await;
    let messages = opening.split("data: ").nth(1).unwrap().trim();
    let mut post = initialize("2024-11-05");
    post.path = Box::leak(messages.to_owned().into_boxed_str());
    let mut socket = Socket::open(addr).await;
    socket.post(&post).await;
    assert_eq!(socket.head().await.0, 202);
    let answer = tokio::time::timeout(Duration::from_secs(10), stream.read_until("2024-11-05"));
    answer.await.unwrap();

    let plain = super::socket::listen(Probe::default().endpoint()).await;
    let response = super::socket::exchange(plain, &get()).await;
    assert_eq!(response.status, 404);
}
