//! What a client posts: one message each, with the headers that mirror it.
//!
//! Values are those of [request
//! metadata](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata).

use serde_json::{Value, json};
use vuelta::Client;
use vuelta_http::HttpTransport;

use super::peer::{Peer, Received, Reply};
use super::{connect, pinned};

/// A peer that answers any request with an empty result, and accepts any notification.
async fn agreeable() -> Peer {
    Peer::start(|request| match request.body.get("id") {
        Some(_) => Reply::result(
            &json!({ "resultType": "complete", "content": [], "messages": [], "contents": [] }),
        ),
        None => Reply::empty(202),
    })
    .await
}

#[track_caller]
fn last(peer: &Peer) -> Received {
    peer.received().pop().expect("nothing was received")
}

#[tokio::test]
async fn a_request_is_a_post_that_mirrors_its_body() {
    let peer = agreeable().await;
    let client = connect(&peer).await;
    client
        .call_tool("get_weather", json!({ "location": "Seattle, WA" }))
        .await
        .unwrap();
    let request = last(&peer);
    assert_eq!(request.line, "POST /mcp HTTP/1.1");
    assert_eq!(request.header("host"), Some(&*peer.address().to_string()));
    assert_eq!(
        request.header("accept"),
        Some("application/json, text/event-stream")
    );
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(request.header("mcp-method"), Some("tools/call"));
    assert_eq!(request.header("mcp-name"), Some("get_weather"));
    assert_eq!(request.header("mcp-session-id"), None);
    assert_eq!(request.header("origin"), None);
    assert_eq!(request.body["jsonrpc"], "2.0");
    assert_eq!(request.body["id"], 1);
    assert_eq!(request.body["method"], "tools/call");
    let meta = &request.body["params"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({})
    );
    assert!(meta["io.modelcontextprotocol/clientInfo"]["name"].is_string());
}

#[tokio::test]
async fn a_notification_is_a_post_of_its_own() {
    let peer = agreeable().await;
    let client = connect(&peer).await;
    client
        .notify("notifications/com.example/seen", json!({ "a": 1 }))
        .await
        .unwrap();
    let notification = last(&peer);
    assert_eq!(notification.line, "POST /mcp HTTP/1.1");
    assert_eq!(
        notification.header("accept"),
        Some("application/json, text/event-stream")
    );
    assert_eq!(
        notification.header("content-type"),
        Some("application/json")
    );
    assert_eq!(
        notification.header("mcp-protocol-version"),
        Some("2026-07-28")
    );
    assert_eq!(
        notification.header("mcp-method"),
        Some("notifications/com.example/seen")
    );
    assert_eq!(notification.header("mcp-name"), None);
    let expected = json!({
        "jsonrpc": "2.0", "method": "notifications/com.example/seen", "params": { "a": 1 },
    });
    assert_eq!(notification.body, expected);
}

#[tokio::test]
async fn a_cancellation_is_never_posted() {
    let peer = Peer::script([]).await;
    let client = connect(&peer).await;
    let cancelled = client
        .notify("notifications/cancelled", json!({ "requestId": 1 }))
        .await;
    assert!(cancelled.unwrap_err().is_misuse());
    assert_eq!(peer.connections(), 0);
}

#[tokio::test]
async fn nothing_to_say_is_left_out() {
    let peer = agreeable().await;
    let client = connect(&peer).await;
    client.notify("notifications/x", ()).await.unwrap();
    assert_eq!(
        last(&peer).body,
        json!({ "jsonrpc": "2.0", "method": "notifications/x" })
    );
    client.request("com.example/x", ()).await.unwrap();
    assert_eq!(last(&peer).params(), json!({}));
    client.call_tool("noargs", ()).await.unwrap();
    assert_eq!(last(&peer).params(), json!({ "name": "noargs" }));
    client.call_tool("noargs", json!({})).await.unwrap();
    assert_eq!(
        last(&peer).params(),
        json!({ "name": "noargs", "arguments": {} })
    );
}

#[tokio::test]
async fn the_target_is_mirrored_where_the_method_names_one() {
    let peer = agreeable().await;
    let client = connect(&peer).await;
    let name = || last(&peer).header("mcp-name").map(str::to_owned);

    client.get_prompt("briefing", ()).await.unwrap();
    assert_eq!(name().as_deref(), Some("briefing"));
    client
        .read_resource("file:///projects/myapp/config.json")
        .await
        .unwrap();
    assert_eq!(
        name().as_deref(),
        Some("file:///projects/myapp/config.json")
    );
    client
        .request("tools/call", json!({ "name": "raw" }))
        .await
        .unwrap();
    assert_eq!(name().as_deref(), Some("raw"));
    client
        .request("com.example/x", json!({ "name": "raw" }))
        .await
        .unwrap();
    assert_eq!(name(), None);

    for (tool, value) in [
        ("na\u{ef}ve", "=?base64?bmHDr3Zl?="),
        ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
    ] {
        client.call_tool(tool, ()).await.unwrap();
        assert_eq!(name().as_deref(), Some(value));
        assert_eq!(last(&peer).params()["name"], tool);
    }
}

#[tokio::test]
async fn arguments_of_listed_tools_are_mirrored() {
    let tool = |name: &str, property: Value| json!({ "name": name, "inputSchema": { "type": "object", "properties": { "p": property } } });
    let tools = json!([
        tool("text", json!({ "type": "string", "x-mcp-header": "Owner" })),
        tool(
            "integer",
            json!({ "type": "integer", "x-mcp-header": "Owner" })
        ),
        tool(
            "boolean",
            json!({ "type": "boolean", "x-mcp-header": "Owner" })
        ),
        tool(
            "invalid",
            json!({ "type": "string", "x-mcp-header": "not a token" })
        ),
        tool("plain", json!({ "type": "string" })),
    ]);
    let peer = Peer::start(move |request| {
        Reply::result(&match request.body["method"].as_str() {
            Some("tools/list") => json!({ "resultType": "complete", "tools": tools }),
            _ => json!({ "resultType": "complete", "content": [] }),
        })
    })
    .await;
    let client = connect(&peer).await;
    let owner = async |tool: &str, arguments: Value| {
        client.call_tool(tool, arguments).await.unwrap();
        last(&peer).header("mcp-param-owner").map(str::to_owned)
    };

    assert_eq!(
        owner("text", json!({ "p": "octo" })).await,
        None,
        "not listed yet"
    );
    let listed = client.list_tools().await.unwrap();
    let names: Vec<_> = listed.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["text", "integer", "boolean", "plain"]);

    assert_eq!(
        owner("text", json!({ "p": "octo" })).await.as_deref(),
        Some("octo")
    );
    let encoded = "=?base64?SGVsbG8sIOS4lueVjA==?=";
    assert_eq!(
        owner("text", json!({ "p": "Hello, 世界" }))
            .await
            .as_deref(),
        Some(encoded)
    );
    assert_eq!(owner("text", json!({ "p": null })).await, None);
    assert_eq!(owner("text", json!({})).await, None);
    assert_eq!(
        owner("integer", json!({ "p": 42 })).await.as_deref(),
        Some("42")
    );
    assert_eq!(
        owner("boolean", json!({ "p": true })).await.as_deref(),
        Some("true")
    );
    assert_eq!(owner("plain", json!({ "p": "octo" })).await, None);
}

#[tokio::test]
async fn headers_and_the_query_of_the_caller_are_sent() {
    let peer = agreeable().await;
    let transport = HttpTransport::builder(format!("{}?tenant=a%20b", peer.url()))
        .header("Authorization", "Bearer one")
        .header("Authorization", "Bearer two")
        .build()
        .unwrap();
    let client = pinned(Client::builder(), transport).await;
    client.request("com.example/x", ()).await.unwrap();
    client.notify("notifications/x", ()).await.unwrap();
    for request in peer.received() {
        assert_eq!(request.line, "POST /mcp?tenant=a%20b HTTP/1.1");
        assert_eq!(request.header("authorization"), Some("Bearer two"));
    }
}
