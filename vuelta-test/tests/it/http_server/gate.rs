//! What is refused before a body is looked at: size, content type, host, origin, method,
//! accepted types; and the order in which.

use serde_json::{Value, json};
use vuelta_http::Endpoint;
use vuelta_test::fixture;

use super::post::Post;
use super::socket::{Socket, exchange, listen, wire};
use crate::logs::Logs;

fn endpoint() -> Endpoint {
    Endpoint::new(fixture::server(None))
}

fn add() -> Post {
    Post::call("add", json!({ "a": 1, "b": 2 }))
}

#[tokio::test]
async fn a_well_formed_call_is_served() {
    let response = add().send(&endpoint()).await;
    let result = response.result();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["structuredContent"], json!({ "sum": 3 }));
    let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "wire-server");
}

#[tokio::test]
async fn methods_other_than_post_are_405_with_allow_and_no_body() {
    for verb in ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"] {
        let response = add().verb(verb).send(&endpoint()).await;
        assert_eq!(response.status, 405, "{verb}");
        assert_eq!(response.header("allow"), Some("POST"), "{verb}");
        assert_eq!(response.body, "", "{verb}");
        let untyped = add()
            .verb(verb)
            .without("Content-Type")
            .send(&endpoint())
            .await;
        assert_eq!(untyped.status, 405, "{verb}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_declared_json_is_400_with_a_json_error() {
    let forms = [
        add().set("Content-Type", "text/plain"),
        add().set("Content-Type", "application/x-www-form-urlencoded"),
        add().set("Content-Type", "application/jsonp"),
        add().without("Content-Type"),
    ];
    for post in forms {
        let message = post
            .send(&endpoint())
            .await
            .refused(400, &Value::Null, -32600);
        assert!(
            message.starts_with("Invalid Content-Type header"),
            "{message}"
        );
        assert!(message.contains("application/json"), "{message}");
    }
    let utf8 = add().set("Content-Type", "application/json; charset=utf-8");
    utf8.send(&endpoint()).await.result();
}

#[tokio::test]
async fn another_host_is_421_and_named_once_in_the_log() {
    let logs = Logs::capture();
    let response = add().set("Host", "evil.example").send(&endpoint()).await;
    assert_eq!(response.status, 421);
    let expected = r#"Invalid Host header "evil.example""#;
    assert!(response.body.starts_with(expected), "{response:?}");
    assert!(response.body.contains("allowed_hosts"), "{response:?}");
    assert_eq!(
        response.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let lines = logs.with("evil.example");
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].starts_with("WARN"), "{lines:#?}");
}

#[tokio::test]
async fn another_origin_is_403_and_named_once_in_the_log() {
    for origin in [
        "http://evil.example",
        "null",
        "https://localhost.evil.example",
    ] {
        let logs = Logs::capture();
        let response = add().set("Origin", origin).send(&endpoint()).await;
        assert_eq!(response.status, 403, "{origin}");
        let expected = format!("Invalid Origin header {origin:?}");
        assert!(response.body.starts_with(&expected), "{response:?}");
        assert!(response.body.contains("allowed_origins"), "{response:?}");
        let lines = logs.with(origin);
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(lines[0].starts_with("WARN"), "{lines:#?}");
    }
}

#[tokio::test]
async fn a_long_host_is_neither_echoed_nor_logged_whole() {
    let logs = Logs::capture();
    let long = "a".repeat(5_000);
    let response = add().set("Host", &long).send(&endpoint()).await;
    assert_eq!(response.status, 421);
    assert!(response.body.len() < 300, "{}", response.body.len());
    logs.never_say(&"a".repeat(200));
}

#[tokio::test]
async fn names_of_the_machine_itself_are_served_by_default() {
    for host in [
        "localhost:8000",
        "127.0.0.1:8000",
        "[::1]:8000",
        "LOCALHOST",
    ] {
        add().set("Host", host).send(&endpoint()).await.result();
    }
    for origin in [
        "http://localhost:1234",
        "http://127.0.0.1",
        "https://[::1]:9",
    ] {
        add().set("Origin", origin).send(&endpoint()).await.result();
    }
}

#[tokio::test]
async fn allow_lists_rule_instead_of_the_defaults() {
    let endpoint = endpoint()
        .allowed_hosts(["mcp.example.org", "other.example.org:*"])
        .allowed_origins(["https://app.example.org"]);
    for host in [
        "mcp.example.org",
        "MCP.example.org:443",
        "other.example.org:9000",
    ] {
        add().set("Host", host).send(&endpoint).await.result();
    }
    for host in ["localhost", "127.0.0.1:8000", "mcp.example.org:9000"] {
        let response = add().set("Host", host).send(&endpoint).await;
        assert_eq!(response.status, 421, "{host}");
    }
    let call = add().set("Host", "mcp.example.org");
    let origin = call.clone().set("Origin", "https://APP.example.org:443");
    origin.send(&endpoint).await.result();
    for origin in [
        "http://localhost",
        "https://mcp.example.org",
        "http://app.example.org",
    ] {
        let response = call.clone().set("Origin", origin).send(&endpoint).await;
        assert_eq!(response.status, 403, "{origin}");
    }
}

#[tokio::test]
async fn a_request_has_one_host_on_a_real_connection() {
    let addr = listen(endpoint()).await;
    assert_eq!(exchange(addr, &add().without("Host")).await.status, 421);
    assert_eq!(
        exchange(addr, &add().and("host", "localhost")).await.status,
        421
    );
    let port = format!("127.0.0.1:{}", addr.port());
    exchange(addr, &add().set("Host", &port)).await.result();
}

#[tokio::test]
async fn an_accepted_form_is_served() {
    let both = "application/json, text/event-stream";
    let reversed = "text/event-stream, application/json";
    let json_forms = [
        Some(both),
        Some(reversed),
        Some("application/json;q=0.5, text/event-stream;q=0.5"),
        Some("application/json;q=0, text/event-stream;q=0"),
        Some("*/*"),
        Some("application/*"),
        Some("application/json"),
        None,
    ];
    for accept in json_forms {
        let post = add().without("Accept");
        let post = accept
            .into_iter()
            .fold(post, |post, accept| post.set("Accept", accept));
        let result = post.send(&endpoint()).await.result();
        assert_eq!(result["structuredContent"]["sum"], 3, "{accept:?}");
    }
    for accept in ["text/event-stream", "text/*"] {
        let response = add().set("Accept", accept).send(&endpoint()).await;
        let events = response.events();
        assert_eq!(events.len(), 1, "{accept}");
        assert_eq!(
            events[0]["result"]["structuredContent"]["sum"], 3,
            "{accept}"
        );
    }
}

#[tokio::test]
async fn nothing_acceptable_is_406_with_a_json_error() {
    for accept in ["text/html", "image/png, text/plain", "application/xml"] {
        let response = add().set("Accept", accept).send(&endpoint()).await;
        let message = response.refused(406, &Value::Null, -32600);
        assert!(message.contains("application/json"), "{message}");
        assert!(message.contains("text/event-stream"), "{message}");
    }
}

#[tokio::test]
async fn json_mode_needs_json_and_subscriptions_need_a_stream() {
    let json_mode = endpoint().json_responses();
    let only = add()
        .set("Accept", "text/event-stream")
        .send(&json_mode)
        .await;
    let message = only.refused(406, &json!(1), -32600);
    assert!(message.contains("application/json"), "{message}");
    add()
        .set("Accept", "application/json")
        .send(&json_mode)
        .await
        .result();

    let listen = Post::new("subscriptions/listen", json!({ "notifications": {} }));
    for endpoint in [endpoint(), json_mode] {
        let post = listen.clone().set("Accept", "application/json");
        let message = post.send(&endpoint).await.refused(406, &json!(1), -32600);
        assert!(message.contains("text/event-stream"), "{message}");
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_and_the_next_request_is_served() {
    const LIMIT: usize = 1024 * 1024;
    let addr = listen(endpoint().body_limit(LIMIT)).await;
    let too_large = "x".repeat(LIMIT + 1);

    let mut declared = Socket::open(addr).await;
    declared.post(&Post::bare(too_large.as_str())).await;
    let response = declared.response().await;
    assert_eq!(response.status, 413);
    assert_eq!(response.body, "Request body too large");

    let mut streamed = Socket::open(addr).await;
    let head = Post::bare("").set("Transfer-Encoding", "chunked");
    streamed.post(&head).await;
    let chunk = format!("{:x}\r\n{too_large}\r\n0\r\n\r\n", too_large.len());
    streamed.write(chunk.as_bytes()).await;
    let response = streamed.response().await;
    assert_eq!(response.status, 413);
    assert_eq!(response.body, "Request body too large");

    exchange(addr, &add()).await.result();
}

#[tokio::test]
async fn a_declared_size_over_the_limit_is_refused_before_the_body_comes() {
    let addr = listen(endpoint()).await;
    // 4 MiB is the default limit.
    for length in ["4194305", "99999999999"] {
        for verb in ["POST", "PUT", "DELETE"] {
            let post = Post::bare("").verb(verb).set("Content-Length", length);
            let response = exchange(addr, &post).await;
            assert_eq!(response.status, 413, "{verb} {length}");
        }
    }
    let mut whole = add();
    whole
        .body
        .push_str(&" ".repeat(4 * 1024 * 1024 - whole.body.len()));
    exchange(addr, &whole).await.result();
}

#[tokio::test]
async fn a_stream_without_an_end_is_cut_off_at_the_limit() {
    let addr = listen(endpoint().body_limit(1024)).await;
    let mut socket = Socket::open(addr).await;
    let head = Post::bare("").set("Transfer-Encoding", "chunked");
    socket.post(&head).await;
    let chunk = format!("{:x}\r\n{}\r\n", 1025, "x".repeat(1025));
    socket.write(chunk.as_bytes()).await;
    assert_eq!(socket.response().await.status, 413);
}

#[tokio::test]
async fn who_sends_a_large_body_to_its_end_still_reads_the_refusal() {
    let addr = listen(endpoint().body_limit(1024)).await;
    let large = "x".repeat(16 * 1024 * 1024);
    for post in [
        Post::bare(large.as_str()),
        Post::bare(large.as_str()).set("Host", "evil.example"),
    ] {
        let mut socket = Socket::open(addr).await;
        socket.try_write(&wire(&post)).await.unwrap();
        assert_eq!(socket.response().await.status, 413);
    }
}

#[tokio::test]
async fn the_first_reason_for_a_refusal_is_told() {
    // Each request has the faults of all that follow it.
    let endpoint = endpoint().body_limit(1024);
    let worst = Post::bare("x".repeat(1025))
        .verb("PUT")
        .set("Content-Type", "text/plain")
        .set("Host", "evil.example")
        .set("Origin", "http://evil.example")
        .set("Accept", "text/html");
    assert_eq!(worst.clone().send(&endpoint).await.status, 413);
    let small = Post {
        body: "{".to_owned(),
        ..worst
    };
    let posted = small.clone().verb("POST");
    assert_eq!(posted.clone().send(&endpoint).await.status, 400);
    let typed = posted.set("Content-Type", "application/json");
    assert_eq!(typed.clone().send(&endpoint).await.status, 421);
    let hosted = typed.set("Host", "localhost");
    assert_eq!(hosted.clone().send(&endpoint).await.status, 403);
    let local = hosted.without("Origin");
    assert_eq!(local.clone().verb("PUT").send(&endpoint).await.status, 405);
    assert_eq!(local.clone().send(&endpoint).await.status, 406);
    let accepting = local.set("Accept", "*/*");
    accepting
        .send(&endpoint)
        .await
        .refused(400, &Value::Null, -32700);
}

#[tokio::test]
async fn sessions_and_resumption_are_ignored() {
    let post = add().set("Mcp-Session-Id", "abc").set("Last-Event-ID", "7");
    let response = post.send(&endpoint()).await;
    response.result();
    assert_eq!(response.header("mcp-session-id"), None);
}
