//! The envelope of a request, its revision, and the headers that mirror it.

use serde_json::{Value, json};
use vuelta::{Context, Error, Server};
use vuelta_http::Endpoint;
use vuelta_test::fixture;

use super::post::{Post, meta};

fn endpoint() -> Endpoint {
    Endpoint::new(fixture::server(None))
}

/// An endpoint of a server that does not know of handshakes.
fn modern_only() -> Endpoint {
    let server = Server::builder("s", "1").modern_only();
    Endpoint::new(server.build().unwrap())
}

fn list(meta: Value) -> Post {
    Post::with_meta("tools/list", json!({}), meta)
}

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const INFO: &str = "io.modelcontextprotocol/clientInfo";

#[tokio::test]
async fn an_envelope_that_lacks_a_key_is_told_which() {
    let both = format!(
        "params._meta must be an object carrying the required '{VERSION}' and '{CAPABILITIES}' \
         envelope keys"
    );
    let missing =
        |keys: &str| format!("params._meta is missing the required envelope key(s): {keys}");
    let table = [
        (
            Post::bare(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
            both.clone(),
        ),
        (
            Post::bare(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#),
            both.clone(),
        ),
        (list(json!(null)), both.clone()),
        (list(json!([])), both.clone()),
        (list(json!("x")), both),
        (
            list(json!({})),
            missing(&format!("{VERSION}, {CAPABILITIES}")),
        ),
        (
            list(json!({ VERSION: "2026-07-28" })),
            missing(CAPABILITIES),
        ),
        (list(json!({ CAPABILITIES: {} })), missing(VERSION)),
    ];
    for (post, expected) in table {
        let post = post.set("Mcp-Method", "tools/list");
        let body = post.body.clone();
        let response = post.send(&endpoint()).await;
        assert_eq!(response.refused(400, &json!(1), -32602), expected, "{body}");
    }
}

#[tokio::test]
async fn a_missing_key_is_told_before_a_header_that_differs() {
    let post = list(json!({})).set("Mcp-Method", "prompts/list");
    let other = post.clone().set("MCP-Protocol-Version", "2099-01-01");
    other
        .send(&endpoint())
        .await
        .refused(400, &json!(1), -32602);
    // Elsewhere a request that names no revision belongs to a session.
    let none = post.without("MCP-Protocol-Version");
    none.send(&modern_only())
        .await
        .refused(400, &json!(1), -32602);
}

#[tokio::test]
async fn a_client_need_not_say_who_it_is() {
    list(json!({ VERSION: "2026-07-28", CAPABILITIES: {} }))
        .send(&endpoint())
        .await
        .result();
}

#[tokio::test]
async fn an_envelope_of_the_wrong_shape_is_refused_for_methods_of_the_specification() {
    let misshapen = [
        (INFO, json!("x")),
        (INFO, json!({ "name": "probe" })),
        (CAPABILITIES, json!([])),
        (CAPABILITIES, json!(null)),
        (CAPABILITIES, json!("x")),
        ("io.modelcontextprotocol/logLevel", json!("loud")),
        ("progressToken", json!(1.5)),
    ];
    for (key, value) in misshapen {
        let mut meta = meta(json!({}));
        meta[key] = value.clone();
        let response = list(meta.clone()).send(&endpoint()).await;
        let message = response.refused(400, &json!(1), -32602);
        assert_eq!(message, "Invalid request parameters", "{key} {value}");
        assert_eq!(response.message()["error"]["data"], "", "{key} {value}");

        // A vendor's method is still found.
        let server = Server::builder("s", "1")
            .on_request("com.example/echo", |_: Context, params: Value| async move {
                Ok::<_, Error>(json!({ "said": params["word"] }))
            })
            .build()
            .unwrap();
        let post = Post::with_meta("com.example/echo", json!({ "word": "hi" }), meta);
        let result = post.send(&Endpoint::new(server)).await.result();
        assert_eq!(result["said"], "hi", "{key} {value}");
    }
}

#[tokio::test]
async fn an_unserved_revision_is_answered_with_those_that_are() {
    for (method, version) in [
        ("tools/list", "1900-01-01"),
        ("tools/list", "2099-01-01"),
        ("tools/list", "2025-11-25"),
        ("server/discover", "2099-01-01"),
        ("server/discover", "v999.0.0"),
    ] {
        let mut meta = meta(json!({}));
        meta[VERSION] = json!(version);
        let post = Post::with_meta(method, json!({}), meta).set("MCP-Protocol-Version", version);
        let response = post.send(&endpoint()).await;
        let message = response.refused(400, &json!(1), -32022);
        assert_eq!(message, "Unsupported protocol version");
        let data = &response.message()["error"]["data"];
        assert_eq!(
            data,
            &json!({ "supported": ["2026-07-28"], "requested": version })
        );
    }
}

#[tokio::test]
async fn a_client_that_begins_with_a_handshake_learns_which_revision_is_served() {
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{
        "protocolVersion":"2025-11-25","capabilities":{},
        "clientInfo":{"name":"probe","version":"0"}}}"#;
    let response = Post::bare(body)
        .without("MCP-Protocol-Version")
        .send(&modern_only())
        .await;
    response.refused(400, &json!(0), -32022);
    let data = &response.message()["error"]["data"];
    assert_eq!(
        data,
        &json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" })
    );
}

#[tokio::test]
async fn a_header_that_differs_from_the_body_is_refused_before_the_revision_is_judged() {
    let version =
        "mcp-protocol-version header does not match the request envelope's protocol version";
    let method = "mcp-method header does not match the request body's method";
    let name = "mcp-name header does not match the request body's 'name' parameter";
    let uri = "mcp-name header does not match the request body's 'uri' parameter";
    let add = || Post::call("add", json!({ "a": 1, "b": 2 }));
    let read = || Post::new("resources/read", json!({ "uri": "mem://a" }));
    let of = |version: Value| {
        let mut meta = meta(json!({}));
        meta[VERSION] = version;
        list(meta)
    };
    let table = [
        (of(json!("2026-01-01")), version),
        (of(json!("v999.0.0")), version),
        (of(json!(5)), version),
        (of(json!(null)), version),
        (add().set("MCP-Protocol-Version", "2025-11-25"), version),
        (add().set("MCP-Protocol-Version", ""), version),
        (add().without("Mcp-Method"), method),
        (add().set("Mcp-Method", "tools/list"), method),
        (add().set("Mcp-Method", "Tools/Call"), method),
        (add().without("Mcp-Name"), name),
        (add().set("Mcp-Name", "progress"), name),
        (add().set("Mcp-Name", "=?base64?!!!?="), name),
        (add().set("Mcp-Name", "=?BASE64?YWRk?="), name),
        (read().set("Mcp-Name", "mem://b"), uri),
        (read().without("Mcp-Name"), uri),
    ];
    for (post, expected) in table {
        let headers = post.headers.clone();
        let response = post.send(&endpoint()).await;
        assert_eq!(
            response.refused(400, &json!(1), -32020),
            expected,
            "{headers:?}"
        );
    }
}

#[tokio::test]
async fn a_request_without_the_revision_header_is_told_to_send_it() {
    for post in [
        Post::new("tools/list", json!({})),
        Post::new("server/discover", json!({})),
        Post::call("add", json!({ "a": 1, "b": 2 })),
    ] {
        let response = post.without("MCP-Protocol-Version").send(&endpoint()).await;
        let message = response.refused(400, &json!(1), -32020);
        assert!(
            message.starts_with("mcp-protocol-version header is missing"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn a_routing_header_given_twice_is_refused_first() {
    for name in ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
        // The same value twice, and in a request that lacks its envelope.
        let add = Post::call("add", json!({ "a": 1, "b": 2 }));
        let (_, value) = add
            .headers
            .iter()
            .find(|(other, _)| *other == name)
            .unwrap();
        let value = value.clone();
        for post in [add, list(json!({})).set("Mcp-Name", "add")] {
            let response = post.and(name, &value).send(&endpoint()).await;
            let message = response.refused(400, &json!(1), -32020);
            let lower = name.to_ascii_lowercase();
            assert_eq!(message, format!("{lower} header appears more than once"));
        }
    }
}

#[tokio::test]
async fn a_name_may_be_padded_or_encoded_and_header_names_have_no_case() {
    let add = || Post::call("add", json!({ "a": 1, "b": 2 }));
    for post in [
        add().set("Mcp-Name", "  add  "),
        add().set("Mcp-Name", "=?base64?YWRk?="),
        add().without("Mcp-Method").and("mcp-method", "tools/call"),
        add().without("Mcp-Method").and("MCP-METHOD", "tools/call"),
    ] {
        assert_eq!(
            post.send(&endpoint()).await.result()["structuredContent"]["sum"],
            3
        );
    }
}

#[tokio::test]
async fn the_name_header_is_ignored_where_the_body_names_nothing() {
    let on_a_list = Post::new("tools/list", json!({})).set("Mcp-Name", "zzz");
    on_a_list.send(&endpoint()).await.result();

    // Then the params are what is wrong.
    let nameless = Post::new("tools/call", json!({ "arguments": {} }));
    let message = nameless
        .send(&endpoint())
        .await
        .refused(400, &json!(1), -32602);
    assert_eq!(message, "Invalid request parameters");
}
