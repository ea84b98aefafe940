//! JSON-RPC over HTTP: what a body may be, and what its errors are.

use serde_json::{Value, json};
use vuelta::{CallToolParams, Outcome};
use vuelta::{CallToolResult, Context, Error, ErrorCode, ErrorObject, Raw, Server};
use vuelta_http::Endpoint;
use vuelta_test::fixture;

use super::post::Post;

fn endpoint() -> Endpoint {
    Endpoint::new(fixture::server(None))
}

#[tokio::test]
async fn what_is_not_json_is_a_parse_error_without_id() {
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"a\":{}{}}}",
        "[".repeat(200),
        "]".repeat(200)
    );
    for body in [
        "",
        "{not json",
        r#"{"jsonrpc":"#,
        r#"{"jsonrpc":"2.0"} x"#,
        &deep,
    ] {
        let response = Post::bare(body)
            .set("Mcp-Method", "tools/call")
            .send(&endpoint())
            .await;
        let message = response.refused(400, &Value::Null, -32700);
        assert_eq!(message, "Parse error", "{body}");
    }
}

#[tokio::test]
async fn what_is_no_single_message_is_an_invalid_request_without_id() {
    let list = Post::new("tools/list", json!({})).body;
    let batch = format!("[{list}]");
    let integer = list.replace("\"id\":1", "\"id\":123456789012345678901234567890");
    let bodies = [
        batch.as_str(),
        "[]",
        "5",
        "\"text\"",
        "null",
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
        &list.replace("\"id\":1", "\"id\":null"),
        &list.replace("\"id\":1", "\"id\":1.5"),
        &list.replace("\"id\":1", "\"id\":true"),
        &list.replace("\"id\":1", "\"id\":{}"),
        &integer,
        &list.replace("\"jsonrpc\":\"2.0\",", ""),
        &list.replace("\"2.0\"", "\"1.0\""),
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":[]}"#,
    ];
    for body in bodies {
        let response = Post::bare(body)
            .set("Mcp-Method", "tools/list")
            .send(&endpoint())
            .await;
        assert_eq!(
            response.refused(400, &Value::Null, -32600),
            "Body must be a single JSON-RPC request or notification object",
            "{body}"
        );
    }
}

#[tokio::test]
async fn an_id_comes_back_as_the_same_json() {
    let ids = [
        r#""1""#,
        "1",
        "0",
        "-1",
        r#""""#,
        r#""a\u0000b""#,
        "9007199254740993",
        "-9223372036854775808",
        r#""abc-1""#,
    ];
    for id in ids {
        let call = Post::call("add", json!({ "a": 1, "b": 2 }));
        let unknown = Post::call("nope", json!({}));
        for post in [call, unknown] {
            let post = post.replace("\"id\":1", &format!("\"id\":{id}"));
            let response = post.send(&endpoint()).await;
            let begin = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},");
            assert!(response.body.starts_with(&begin), "{id}: {}", response.body);
        }
    }
}

#[tokio::test]
async fn notifications_are_202_without_body_and_never_dispatched() {
    let seen = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let server = {
        let seen = std::sync::Arc::clone(&seen);
        Server::builder("s", "1")
            .on_notification("notifications/whatever", move |_| {
                seen.store(true, std::sync::atomic::Ordering::SeqCst);
                async {}
            })
            .modern_only()
            .build()
            .unwrap()
    };
    let endpoint = Endpoint::new(server);
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/whatever","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"window/logMessage"}"#,
    ] {
        for post in [
            Post::bare(body),
            Post::bare(body).without("MCP-Protocol-Version"),
        ] {
            let response = post.send(&endpoint).await;
            assert_eq!(response.status, 202, "{body}");
            assert_eq!(response.body, "", "{body}");
            assert_eq!(response.header("content-type"), None, "{body}");
        }
    }
    assert!(!seen.load(std::sync::atomic::Ordering::SeqCst));
}

#[tokio::test]
async fn a_notification_of_another_revision_is_refused() {
    let body = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let modern_only = Server::builder("s", "1").modern_only().build().unwrap();
    for (endpoint, version) in [
        (endpoint(), "2099-01-01"),
        (endpoint(), ""),
        (Endpoint::new(modern_only), "2025-11-25"),
    ] {
        let post = Post::bare(body).set("MCP-Protocol-Version", version);
        let response = post.send(&endpoint).await;
        response.refused(400, &Value::Null, -32022);
        assert_eq!(
            response.message()["error"]["data"],
            json!({ "supported": ["2026-07-28"], "requested": version })
        );
    }
}

#[tokio::test]
async fn an_unknown_method_is_404_with_its_name() {
    for method in [
        "foo/bar",
        "ping",
        "initialize",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "completion/complete",
        "notifications/cancelled",
        "Tools/List",
    ] {
        let response = Post::new(method, json!({})).send(&endpoint()).await;
        assert_eq!(
            response.refused(404, &json!(1), -32601),
            "Method not found",
            "{method}"
        );
        assert_eq!(response.message()["error"]["data"], method);
    }
}

#[tokio::test]
async fn an_unknown_thing_is_an_invalid_params_error_that_names_it() {
    let table = [
        (
            "tools/call",
            json!({ "name": "nope" }),
            "Unknown tool: nope",
        ),
        (
            "prompts/get",
            json!({ "name": "nope" }),
            "Unknown prompt: nope",
        ),
        (
            "resources/read",
            json!({ "uri": "mem://a/" }),
            "Unknown resource: mem://a/",
        ),
        (
            "resources/read",
            json!({ "uri": "MEM://a" }),
            "Unknown resource: MEM://a",
        ),
    ];
    for (method, params, expected) in table {
        let response = Post::new(method, params).send(&endpoint()).await;
        assert_eq!(response.refused(400, &json!(1), -32602), expected);
    }
    let read = Post::new("resources/read", json!({ "uri": "mem://a" }));
    let result = read.send(&endpoint()).await.result();
    assert_eq!(result["contents"][0]["uri"], "mem://a");
}

#[tokio::test]
async fn every_list_and_read_says_how_long_it_may_be_cached() {
    let requests = [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "mem://a" })),
    ];
    for (method, params) in requests {
        let result = Post::new(method, params).send(&endpoint()).await.result();
        assert!(result["ttlMs"].is_u64(), "{method}: {result}");
        let scope = result["cacheScope"].as_str().unwrap();
        assert!(["public", "private"].contains(&scope), "{method}: {result}");
    }
}

#[tokio::test]
async fn discovery_tells_the_revisions_and_what_is_served() {
    let result = Post::new("server/discover", json!({}))
        .send(&endpoint())
        .await
        .result();
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(
        result["capabilities"],
        json!({ "tools": {}, "prompts": {}, "resources": {} })
    );
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"],
        json!({ "name": "wire-server", "version": "1.2.3" })
    );
    assert_eq!(result["resultType"], "complete");

    // A version may be empty; the member is there all the same.
    let nameless = Endpoint::new(Server::builder("s", "").build().unwrap());
    let result = Post::new("server/discover", json!({}))
        .send(&nameless)
        .await
        .result();
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["version"],
        ""
    );
}

/// A server whose one tool fails in the way that it is called.
fn failing() -> Endpoint {
    async fn call(_: Context, params: CallToolParams) -> Result<Outcome<CallToolResult>, Error> {
        let code = |code| Err(Error::rpc(ErrorCode(code), "told"));
        match params.name.as_str() {
            "panic" => panic!("secret-in-a-panic"),
            "other" => Err(Error::handler("secret-in-an-error")),
            "io" => Err(std::io::Error::other("secret-in-an-error").into()),
            "data" => {
                let object = ErrorObject::new(ErrorCode(-32021), "told");
                Err(object
                    .data(json!({ "requiredCapabilities": { "sampling": {} } }))
                    .into())
            }
            number => code(number.parse().unwrap()),
        }
    }
    let server = Server::builder("s", "1")
        .on_call_tool(call)
        .build()
        .unwrap();
    Endpoint::new(server)
}

#[tokio::test]
async fn the_code_of_an_error_decides_its_status_whoever_raised_it() {
    let table = [
        (-32700, 400),
        (-32600, 400),
        (-32602, 400),
        (-32020, 400),
        (-32021, 400),
        (-32022, 400),
        (-32601, 404),
        (-32603, 200),
        (-31999, 200),
        (7, 200),
    ];
    for (code, status) in table {
        let response = Post::call(&code.to_string(), json!({}))
            .send(&failing())
            .await;
        assert_eq!(response.refused(status, &json!(1), code), "told");
    }
    let response = Post::call("data", json!({})).send(&failing()).await;
    response.refused(400, &json!(1), -32021);
    let data = &response.message()["error"]["data"];
    assert_eq!(data, &json!({ "requiredCapabilities": { "sampling": {} } }));
}

#[tokio::test]
async fn how_a_handler_failed_is_told_to_nobody_outside() {
    for tool in ["panic", "other", "io"] {
        let response = Post::call(tool, json!({})).send(&failing()).await;
        let message = response.refused(200, &json!(1), -32603);
        assert_eq!(message, "Internal server error", "{tool}");
        assert!(!response.body.contains("secret"), "{tool}: {response:?}");
    }
    // And the next request is served.
    Post::call("-32603", json!({}))
        .send(&failing())
        .await
        .refused(200, &json!(1), -32603);
}

#[tokio::test]
async fn a_result_that_a_handler_wrote_with_line_breaks_stays_one_line_of_data() {
    let server = Server::builder("s", "1")
        .on_call_tool(|_, _| async {
            let pretty = Raw::from_json("{\n  \"text\": \"a\\nb\"\r\n}".to_owned()).unwrap();
            Ok::<_, Error>(CallToolResult::new().structured_content(pretty))
        })
        .build()
        .unwrap();
    let post = Post::call("any", json!({})).set("Accept", "text/event-stream");
    let events = post.send(&Endpoint::new(server)).await.events();
    assert_eq!(
        events[0]["result"]["structuredContent"],
        json!({ "text": "a\nb" })
    );
}
