//! What a server of functions makes of arguments, and what it publishes about them: seen on
//! the wire.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use vuelta::{
    CallToolResult, ContentBlock, ErrorCode, InputRequest, InputRequired, Json, ListRootsParams,
    McpServer, Outcome, Server, prompt, resource, tool,
};

use crate::raw::{Peer, text};

/// How many handlers have run.
#[derive(Clone, Default)]
struct Runs(Arc<AtomicUsize>);

impl Runs {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Adds two numbers.
#[tool]
fn add(
    /// The first one.
    a: i64,
    b: i64,
    runs: &Runs,
) -> Json<Sum> {
    runs.0.fetch_add(1, Ordering::SeqCst);
    Json(Sum { sum: a + b })
}

#[derive(Serialize, JsonSchema)]
struct Parsed {
    q: String,
    limit: Option<u32>,
    tag: Option<String>,
    deep: bool,
}

/// Tells how it read its arguments.
#[tool(closed)]
fn opt(
    q: String,
    limit: Option<u32>,
    tag: Option<String>,
    #[default = false] deep: bool,
) -> Json<Parsed> {
    Json(Parsed {
        q,
        limit,
        tag,
        deep,
    })
}

/// As `opt`, with an open schema.
#[tool]
fn opt_open(
    q: String,
    limit: Option<u32>,
    tag: Option<String>,
    #[default = false] deep: bool,
) -> Json<Parsed> {
    opt(q, limit, tag, deep)
}

#[tool]
fn noargs() -> &'static str {
    "ok"
}

#[derive(Serialize, JsonSchema)]
struct Echoed {
    value: Value,
}

#[tool]
fn echo(value: Value) -> Json<Echoed> {
    Json(Echoed { value })
}

#[derive(Serialize, JsonSchema)]
struct Id {
    id: u64,
}

#[tool]
fn big(id: u64) -> Json<Id> {
    Json(Id { id })
}

#[derive(Serialize, JsonSchema)]
struct Items {
    items: Vec<i64>,
}

#[tool]
fn echo_list(items: Vec<i64>) -> Json<Items> {
    Json(Items { items })
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Node {
    value: u32,
    name: Option<String>,
    ratio: f64,
    color: Color,
    children: Vec<Node>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Green,
}

/// Gives back a tree, and whatever came along.
#[tool]
fn tree(node: Node, along: Vec<Value>) -> Json<Node> {
    assert!(along.len() < 9);
    Json(node)
}

/// Gives back a result as it was built.
#[tool]
fn whole() -> CallToolResult {
    CallToolResult::error("boom")
        .structured_content(json!({ "why": ["a", null] }))
        .content([ContentBlock::text("boom"), ContentBlock::text("twice")])
}

/// Asks with a question that was built by hand.
#[tool]
fn asks() -> Outcome<CallToolResult> {
    InputRequired::new()
        .ask("roots", InputRequest::from(ListRootsParams::new()))
        .into()
}

#[tool]
fn nothing() {}

#[tool]
fn bare() -> CallToolResult {
    CallToolResult::new()
}

#[tool]
fn only_data() -> CallToolResult {
    CallToolResult::new().structured_content(json!({ "x": 1 }))
}

fn builder() -> McpServer {
    McpServer::new("Arguments", "1")
        .state(Runs::default())
        .tool::<add>()
        .tool::<opt>()
        .tool::<opt_open>()
        .tool::<noargs>()
        .tool::<echo>()
        .tool::<big>()
        .tool::<echo_list>()
        .tool::<tree>()
}

fn server() -> Server {
    builder().build().unwrap()
}

/// Calls a tool of `server`, its arguments given as text; returns the result without what the
/// server says of itself.
async fn call(server: &Server, tool: &str, arguments: &str) -> Value {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    let answer = Peer::new(server).send("tools/call", &params).await;
    let mut result = answer.expect("a mistake in the arguments is no error of the protocol");
    let meta = result.as_object_mut().unwrap().remove("_meta").unwrap();
    assert_eq!(
        meta,
        json!({ "io.modelcontextprotocol/serverInfo": { "name": "Arguments", "version": "1" } })
    );
    result
}

/// Asserts what a call gives back as data.
async fn check(server: &Server, tool: &str, arguments: &str, expected: Value) {
    let result = call(server, tool, arguments).await;
    assert_ne!(result["isError"], json!(true), "{result}");
    assert_eq!(result["structuredContent"], expected, "{tool} {arguments}");
}

/// Asserts that a call fails for the model, with all of these lines.
async fn check_fails(server: &Server, tool: &str, arguments: &str, lines: &[&str]) {
    let result = call(server, tool, arguments).await;
    assert_eq!(
        result["isError"],
        json!(true),
        "{tool} {arguments}: {result}"
    );
    assert_eq!(result["resultType"], "complete");
    let mut found: Vec<&str> = text(&result).lines().collect();
    assert_eq!(
        found.remove(0),
        format!("Invalid arguments for tool {tool}:")
    );
    found.sort_unstable();
    let mut lines = lines.to_vec();
    lines.sort_unstable();
    assert_eq!(found, lines, "{tool} {arguments}");
}

// Arguments.

#[tokio::test]
async fn no_arguments_may_be_absent_empty_or_null() {
    let server = server();
    let peer = Peer::new(&server);
    for rest in ["", r#","arguments":{}"#, r#","arguments":null"#] {
        let ok = peer
            .send("tools/call", &format!(r#"{{"name":"noargs"{rest}}}"#))
            .await
            .unwrap();
        assert_eq!(text(&ok), "ok", "{rest}");
        let bad = peer
            .send("tools/call", &format!(r#"{{"name":"add"{rest}}}"#))
            .await
            .unwrap();
        assert_eq!(bad["isError"], true, "{rest}");
        assert!(text(&bad).contains("- a: required, but missing"), "{bad}");
    }
}

#[tokio::test]
async fn null_for_an_optional_argument_is_its_absence() {
    let server = server();
    let defaults = json!({ "q": "x", "limit": null, "tag": null, "deep": false });
    for tool in ["opt", "opt_open"] {
        for arguments in [
            r#"{"q":"x"}"#,
            r#"{"q":"x","limit":null,"tag":null}"#,
            r#"{"q":"x","limit":null,"tag":null,"deep":null}"#,
        ] {
            check(&server, tool, arguments, defaults.clone()).await;
        }
        let line = "- q: expected string, got null";
        check_fails(&server, tool, r#"{"q":null}"#, &[line]).await;
        let given = r#"{"q":"x","limit":5,"tag":"t","deep":true}"#;
        check(&server, tool, given, serde_json::from_str(given).unwrap()).await;
    }
}

#[tokio::test]
async fn a_value_of_another_type_is_told_to_the_model_and_nothing_runs() {
    let runs = Runs::default();
    let server = builder().state(runs.clone()).build().unwrap();
    let a = "- a: required, but missing";
    let b = "- b: required, but missing";
    check_fails(&server, "add", r#"{"a":1}"#, &[b]).await;
    check_fails(&server, "add", "{}", &[a, b]).await;
    let line = "- a: expected integer, got string";
    check_fails(&server, "add", r#"{"a":"x","b":2}"#, &[line]).await;
    assert_eq!(runs.count(), 0);
    check(&server, "add", r#"{"a":1,"b":2}"#, json!({ "sum": 3 })).await;
    assert_eq!(runs.count(), 1);
}

#[tokio::test]
async fn every_mistake_is_told_at_once() {
    check_fails(
        &server(),
        "opt",
        r#"{"q":1,"limit":-1,"deep":"true","other":true}"#,
        &[
            "- q: expected string, got integer",
            "- limit: must be at least 0",
            "- deep: expected boolean, got string",
            "- unknown member: other",
        ],
    )
    .await;
    check_fails(
        &server(),
        "tree",
        r#"{"node":{"value":1,"ratio":"x","color":"red","children":[{"value":-1,"ratio":1,"color":"red","children":[]}]},"along":[]}"#,
        &[
            "- node.ratio: expected number, got string",
            "- node.children[0].value: must be at least 0",
        ],
    )
    .await;
}

#[tokio::test]
async fn members_nobody_knows_are_refused_by_a_closed_schema_alone() {
    let server = server();
    let arguments = r#"{"q":"x","other":1}"#;
    check_fails(&server, "opt", arguments, &["- unknown member: other"]).await;
    let read = json!({ "q": "x", "limit": null, "tag": null, "deep": false });
    check(&server, "opt_open", arguments, read).await;
    let ok = call(&server, "noargs", r#"{"other":1}"#).await;
    assert_eq!(text(&ok), "ok");
}

#[tokio::test]
async fn integers_may_be_written_with_a_fraction_of_zero() {
    let server = server();
    check(&server, "add", r#"{"a":3.0,"b":4e0}"#, json!({ "sum": 7 })).await;
    check(
        &server,
        "echo_list",
        r#"{"items":[1.0,-2.0,3]}"#,
        json!({ "items": [1, -2, 3] }),
    )
    .await;
    check(&server, "big", r#"{"id":7.0}"#, json!({ "id": 7 })).await;
    let line = "- a: expected integer, got number";
    check_fails(&server, "add", r#"{"a":1.5,"b":2}"#, &[line]).await;
    // JSON Schema knows no greatest integer; the type does.
    for (tool, arguments) in [
        ("add", r#"{"a":1e300,"b":2}"#),
        ("add", r#"{"a":9223372036854775808,"b":2}"#),
        ("opt", r#"{"q":"x","limit":4294967296}"#),
        ("big", r#"{"id":18446744073709551616}"#),
    ] {
        let result = call(&server, tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
    }
}

#[tokio::test]
async fn numbers_and_values_keep_what_they_are() {
    let server = server();
    for id in [0, 9_007_199_254_740_993, u64::MAX] {
        check(
            &server,
            "big",
            &format!(r#"{{"id":{id}}}"#),
            json!({ "id": id }),
        )
        .await;
    }
    for value in [
        "null",
        "1.0",
        "\"[1]\"",
        "[1,\"x\",{}]",
        "{\"a\":null}",
        "18446744073709551615",
    ] {
        let arguments = format!(r#"{{"value":{value}}}"#);
        check(
            &server,
            "echo",
            &arguments,
            serde_json::from_str(&arguments).unwrap(),
        )
        .await;
    }
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let server = server();
    let params = json!({ "name": "nope", "arguments": {} });
    let error = Peer::new(&server)
        .request("tools/call", params)
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(error.message, "Unknown tool: nope");
}

// Text in place of a value.

#[tokio::test]
async fn text_in_place_of_a_value_is_refused_unless_repaired() {
    let server = server();
    let list = "- items: expected array, got string";
    check_fails(&server, "echo_list", r#"{"items":"[1,2]"}"#, &[list]).await;
    let deep = "- deep: expected boolean, got string";
    check_fails(&server, "opt", r#"{"q":"x","deep":"true"}"#, &[deep]).await;
    let a = "- a: expected integer, got string";
    check_fails(&server, "add", r#"{"a":"3","b":4}"#, &[a]).await;
}

#[tokio::test]
async fn text_is_repaired_where_the_value_in_it_fits() {
    let server = builder().repair_arguments().build().unwrap();
    check(
        &server,
        "echo_list",
        r#"{"items":"[1,2]"}"#,
        json!({ "items": [1, 2] }),
    )
    .await;
    check(
        &server,
        "echo_list",
        r#"{"items":["1",2,"3.0"]}"#,
        json!({ "items": [1, 2, 3] }),
    )
    .await;
    check(&server, "add", r#"{"a":"3","b":4}"#, json!({ "sum": 7 })).await;
    check(
        &server,
        "opt",
        r#"{"q":"x","limit":"5","deep":"true"}"#,
        json!({ "q": "x", "limit": 5, "tag": null, "deep": true }),
    )
    .await;
    // A whole struct, and a member deep inside of one.
    let leaf = json!({ "value": 1, "name": null, "ratio": 0.5, "color": "red", "children": [] });
    let arguments = json!({ "node": leaf.to_string(), "along": [] });
    check(&server, "tree", &arguments.to_string(), leaf.clone()).await;
    let mut node = leaf.clone();
    node["children"] = json!([leaf]);
    let mut sent = node.clone();
    sent["children"][0]["ratio"] = json!("0.5");
    let arguments = json!({ "node": sent, "along": "[]" });
    check(&server, "tree", &arguments.to_string(), node).await;
}

#[tokio::test]
async fn text_that_holds_no_fitting_value_is_told_as_it_came() {
    let server = builder().repair_arguments().build().unwrap();
    let list = "- items: expected array, got string";
    for items in ["[1,", "1", "", "null", "{}", r#"[\"x\"]"#, r#"[\"1\"]"#] {
        let arguments = format!(r#"{{"items":"{items}"}}"#);
        check_fails(&server, "echo_list", &arguments, &[list]).await;
    }
    let deep = "- deep: expected boolean, got string";
    for value in ["yes", "True", "1", "null"] {
        let arguments = format!(r#"{{"q":"x","deep":"{value}"}}"#);
        check_fails(&server, "opt", &arguments, &[deep]).await;
    }
    let limit = "- limit: expected null or integer, got string";
    check_fails(&server, "opt", r#"{"q":"x","limit":"-1"}"#, &[limit]).await;
}

#[tokio::test]
async fn a_place_that_takes_a_string_is_never_parsed() {
    let server = builder().repair_arguments().build().unwrap();
    for text in ["[1,2]", "true", "3", "null", "{}"] {
        let read = json!({ "q": text, "limit": null, "tag": text, "deep": true });
        // The text beside it is repaired.
        let arguments = json!({ "q": text, "tag": text, "deep": "true" });
        check(&server, "opt", &arguments.to_string(), read).await;
        let any = json!({ "value": text });
        check(&server, "echo", &any.to_string(), any).await;
    }
}

// What is published.

async fn list(server: &Server, method: &str) -> Value {
    Peer::new(server).request(method, json!({})).await.unwrap()
}

/// Asserts the rules for `schema`, a schema of arguments or a part of it.
fn check_schema(root: &Value, schema: &Value) {
    let object = schema.as_object().expect("no boolean schemas");
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.and_then(Value::as_str).into_iter().collect(),
    };
    assert!(!object.contains_key("nullable"), "{schema}");
    if kinds.contains(&"integer") || kinds.contains(&"number") {
        assert!(!object.contains_key("format"), "{schema}");
    }
    if kinds.contains(&"array") {
        check_schema(root, schema.get("items").expect("an array has items"));
    }
    if let Some(reference) = object.get("$ref") {
        let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
        assert!(pointer.starts_with("/$defs/"), "{pointer}");
        assert!(root.pointer(pointer).is_some(), "{pointer}");
    }
    if let Some(required) = object.get("required") {
        assert!(required.is_array(), "{schema}");
    }
    for map in ["properties", "$defs"] {
        let inner = object.get(map).and_then(Value::as_object);
        inner
            .into_iter()
            .flat_map(Map::values)
            .for_each(|inner| check_schema(root, inner));
    }
    for choices in ["anyOf", "oneOf", "allOf"] {
        let inner = object.get(choices).and_then(Value::as_array);
        inner
            .into_iter()
            .flatten()
            .for_each(|inner| check_schema(root, inner));
    }
}

#[tokio::test]
async fn published_schemas_suit_every_host() {
    let listed = list(&server(), "tools/list").await;
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 8);
    for tool in tools {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{schema}");
        check_schema(schema, schema);
    }
    let schema = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name);
        tool.expect("the tool is listed")["inputSchema"].clone()
    };
    assert_eq!(
        schema("add"),
        json!({
            "type": "object",
            "properties": {
                "a": { "type": "integer", "description": "The first one." },
                "b": { "type": "integer" },
            },
            "required": ["a", "b"],
        })
    );
    assert_eq!(schema("opt")["required"], json!(["q"]));
    // Null is taken for an absent option, and the schema says so.
    assert_eq!(
        schema("opt")["properties"]["limit"],
        json!({ "type": ["integer", "null"], "minimum": 0 })
    );
    assert_eq!(schema("opt")["additionalProperties"], json!(false));
    assert_eq!(schema("opt_open").get("additionalProperties"), None);
    assert_eq!(schema("noargs"), json!({ "type": "object" }));
    assert_eq!(schema("echo")["properties"]["value"], json!({}));
    assert_eq!(
        schema("echo_list")["properties"]["items"],
        json!({ "type": "array", "items": { "type": "integer" } })
    );
    let node = schema("tree")["$defs"]["Node"].clone();
    assert_eq!(
        node["required"],
        json!(["value", "ratio", "color", "children"])
    );
}

#[tokio::test]
async fn the_same_build_publishes_the_same_bytes() {
    async fn bytes() -> String {
        let server = server();
        list(&server, "tools/list").await["tools"].to_string()
    }
    assert_eq!(bytes().await, bytes().await);
}

// Results.

#[tokio::test]
async fn a_result_that_a_tool_built_itself_is_passed_on_as_it_is() {
    let server = builder().tool::<whole>().tool::<asks>().build().unwrap();
    assert_eq!(
        call(&server, "whole", "{}").await,
        json!({
            "resultType": "complete",
            "isError": true,
            "content": [
                { "type": "text", "text": "boom" },
                { "type": "text", "text": "twice" },
            ],
            "structuredContent": { "why": ["a", null] },
        })
    );
    let question = call(&server, "asks", "{}").await;
    assert_eq!(question["resultType"], "input_required");
    assert_eq!(question["inputRequests"]["roots"]["method"], "roots/list");
    assert_eq!(question.get("content"), None);
}

#[tokio::test]
async fn a_result_always_has_content() {
    let server = builder()
        .tool::<nothing>()
        .tool::<bare>()
        .tool::<only_data>()
        .build()
        .unwrap();
    for tool in ["nothing", "bare"] {
        let empty = json!({ "resultType": "complete", "content": [] });
        assert_eq!(call(&server, tool, "{}").await, empty, "{tool}");
    }
    assert_eq!(
        call(&server, "only_data", "{}").await,
        json!({ "resultType": "complete", "content": [], "structuredContent": { "x": 1 } })
    );
    // Data is text too, for clients that read nothing else.
    let sum = call(&server, "add", r#"{"a":1,"b":2}"#).await;
    assert_eq!(text(&sum), r#"{"sum":3}"#);
    assert_eq!(sum["structuredContent"], json!({ "sum": 3 }));
}

#[prompt]
fn greet(name: Option<String>) -> String {
    format!("Greet {}.", name.as_deref().unwrap_or("everybody"))
}

#[resource("mem://a")]
fn memo() -> &'static str {
    "a"
}

#[resource("note:///{name}")]
fn note(name: String) -> String {
    name
}

#[tokio::test]
async fn what_may_be_cached_says_for_how_long_and_by_whom() {
    let server = builder()
        .prompt::<greet>()
        .resource::<memo>()
        .resource::<note>()
        .build()
        .unwrap();
    let peer = Peer::new(&server);
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "mem://a" })),
        ("resources/read", json!({ "uri": "note:///x" })),
    ] {
        let result = peer.request(method, params).await.unwrap();
        assert!(result["ttlMs"].is_u64(), "{method}: {result}");
        let scope = result["cacheScope"].as_str().unwrap();
        assert!(matches!(scope, "public" | "private"), "{method}: {scope}");
    }
}
