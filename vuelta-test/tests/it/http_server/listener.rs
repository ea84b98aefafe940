//! Connections: paths, reuse, an end that loses nothing.

use std::future::pending;
use std::sync::Arc;

use serde_json::json;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;
use vuelta::{CallToolResult, Error, Server};
use vuelta_http::{Endpoint, Listener};
use vuelta_test::fixture;

use super::dialogue::{Probe, initialize};
use super::post::Post;
use super::socket::{Socket, exchange, listen};

fn add() -> Post {
    Post::call("add", json!({ "a": 1, "b": 2 }))
}

#[tokio::test]
async fn the_endpoint_is_at_mcp_with_and_without_a_slash() {
    let addr = listen(&fixture::server(None)).await;
    for path in ["/mcp", "/mcp/", "/mcp?x=1", "/mcp/?x=1"] {
        exchange(addr, &add().path(path)).await.result();
        let response = exchange(addr, &Post::bare("").verb("GET").path(path)).await;
        assert_eq!(response.status, 405, "{path}");
    }
    for path in ["/", "/other", "/mcp/x", "/MCP", "/mcp//"] {
        let response = exchange(addr, &add().path(path)).await;
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(response.body, "Not Found", "{path}");
    }
}

#[tokio::test]
async fn a_listener_tells_its_address() {
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr();
    assert_ne!(addr.port(), 0);
    assert_eq!(listener.url(), format!("http://{addr}/mcp"));

    let taken = Listener::bind(addr).await.unwrap_err();
    assert!(taken.is_transport());
    assert!(taken.to_string().starts_with("cannot listen"), "{taken}");
    let nowhere = Listener::bind("no port").await.unwrap_err();
    assert!(nowhere.is_transport());
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let addr = listen(&fixture::server(None)).await;
    let mut socket = Socket::open(addr).await;
    for post in [
        add(),
        Post::bare("{"),
        add().set("Mcp-Name", "other"),
        Post::bare(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#),
        add().set("Host", "evil.example"),
        Post::bare("").verb("GET"),
        add(),
    ] {
        socket.post(&post).await;
        socket.response().await;
    }
    socket.post(&add()).await;
    socket.response().await.result();
}

#[tokio::test]
async fn a_request_may_come_in_pieces() {
    let addr = listen(&fixture::server(None)).await;
    let mut socket = Socket::open(addr).await;
    for byte in super::socket::wire(&add()) {
        socket.write(&[byte]).await;
        tokio::task::yield_now().await;
    }
    socket.response().await.result();

    let body = add().body;
    let mut chunked = add().set("Transfer-Encoding", "chunked");
    chunked.body = body
        .as_bytes()
        .chunks(7)
        .map(|chunk| {
            format!(
                "{:x}\r\n{}\r\n",
                chunk.len(),
                str::from_utf8(chunk).unwrap()
            )
        })
        .chain(["0\r\n\r\n".to_owned()])
        .collect();
    exchange(addr, &chunked).await.result();
}

#[tokio::test]
async fn answers_stay_apart_on_many_connections() {
    let addr = listen(&fixture::server(None)).await;
    let mut calls = JoinSet::new();
    for id in 0..50_i64 {
        calls.spawn(async move {
            let post = Post::call("add", json!({ "a": id, "b": 1000 }));
            let post = post.replace("\"id\":1", &format!("\"id\":{id}"));
            let message = exchange(addr, &post).await.message();
            assert_eq!(message["id"], id);
            assert_eq!(message["result"]["structuredContent"]["sum"], 1000 + id);
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
}

/// A server whose tool waits until it is let go.
fn waiting(started: &Arc<Notify>, go: &Arc<Notify>) -> Server {
    let (started, go) = (Arc::clone(started), Arc::clone(go));
    Server::builder("s", "1")
        .on_call_tool(move |_, _| {
            let (started, go) = (Arc::clone(&started), Arc::clone(&go));
            async move {
                started.notify_one();
                go.notified().await;
                Ok::<_, Error>(CallToolResult::text("done"))
            }
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_shutdown_lets_requests_in_flight_finish() {
    let (started, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(listener.serve(waiting(&started, &go), async {
        let _ = stopped.await;
    }));

    let mut idle = Socket::open(addr).await;
    idle.post(&Post::bare("").verb("GET")).await;
    assert_eq!(idle.response().await.status, 405);
    let mut busy = Socket::open(addr).await;
    busy.post(&Post::call("any", json!({}))).await;
    started.notified().await;

    stop.send(()).unwrap();
    // The idle connection is closed, and nobody new is let in.
    assert_eq!(idle.rest().await, "");
    assert!(tokio::net::TcpStream::connect(addr).await.is_err());
    assert!(!serving.is_finished());

    go.notify_one();
    assert_eq!(busy.response().await.result()["content"][0]["text"], "done");
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_shutdown_ends_streams_that_only_their_clients_would_end() {
    let probe = Probe::default();
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(listener.serve(probe.endpoint(), async {
        let _ = stopped.await;
    }));
    let begun = exchange(addr, &initialize("2025-06-18")).await;
    let within = |post: Post| {
        post.set("MCP-Protocol-Version", "2025-06-18")
            .set("Mcp-Session-Id", begun.header("mcp-session-id").unwrap())
    };
    let mut standing = Socket::open(addr).await;
    standing.post(&within(Post::bare("").verb("GET"))).await;
    assert_eq!(standing.head().await.0, 200);
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}"#;
    let mut waiting = Socket::open(addr).await;
    waiting.post(&within(Post::bare(call))).await;
    assert_eq!(waiting.head().await.0, 200);
    probe.started.notified().await;

    stop.send(()).unwrap();
    // The last chunk of a body, and no event before it.
    assert_eq!(standing.rest().await, "0\r\n\r\n");
    assert!(!serving.is_finished());
    probe.go.notify_one();
    assert!(waiting.rest().await.contains("done"));
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_shutdown_waits_ten_seconds_at_most() {
    let (started, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(listener.serve(waiting(&started, &go), async {
        let _ = stopped.await;
    }));
    let mut busy = Socket::open(addr).await;
    busy.post(&Post::call("any", json!({}))).await;
    started.notified().await;

    // From here on nothing comes over the connection, so the clock may be stopped.
    tokio::time::pause();
    let begin = Instant::now();
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
    assert_eq!(begin.elapsed().as_secs(), 10);
    assert_eq!(busy.rest().await, "");
}

#[tokio::test]
async fn dropping_the_listener_closes_its_connections() {
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr();
    let serving = tokio::spawn(listener.serve(fixture::server(None), pending()));
    let mut socket = Socket::open(addr).await;
    socket.post(&add()).await;
    socket.response().await.result();
    serving.abort();
    assert_eq!(socket.rest().await, "");
}

#[tokio::test]
async fn headers_that_do_not_come_close_the_connection() {
    let addr = listen(Endpoint::new(fixture::server(None))).await;
    let mut slow = Socket::open(addr).await;
    slow.write(b"POST /mcp HTTP/1.1\r\nHost: local").await;
    // Connections are accepted in order: once this one is served, so is the slow one.
    exchange(addr, &add()).await.result();

    tokio::time::pause();
    let begin = Instant::now();
    let rest = slow.rest().await;
    assert!(
        rest.is_empty() || rest.starts_with("HTTP/1.1 408"),
        "{rest}"
    );
    // The clock jumps from timer to timer, and other connections have theirs.
    let seconds = begin.elapsed().as_secs();
    assert!((29..=31).contains(&seconds), "{seconds} s");
}
