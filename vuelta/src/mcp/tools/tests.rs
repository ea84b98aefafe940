#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_async,
    reason = "the form of tools and resolvers"
)]

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use vuelta_wire::CallToolResult;

use super::{optional_members, whole};
use crate::mcp::{ToolHandler, ToolSpec};
use crate::resolve::{Halted, RoundCx};
use crate::testing::TestServer;
use crate::{Client, ErrorCode, Json, McpServer, Outcome, tool};

/// Adds two numbers.
#[tool]
fn add(a: i64, b: i64) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
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
    Json(Parsed {
        q,
        limit,
        tag,
        deep,
    })
}

/// Takes nothing.
#[tool]
fn noargs() -> &'static str {
    "ok"
}

/// Gives back what it was given.
#[tool]
fn echo(value: Value) -> Json<Value> {
    Json(value)
}

/// Gives back a list.
#[tool]
fn echo_list(items: Vec<i64>) -> Json<Vec<i64>> {
    Json(items)
}

fn server() -> TestServer {
    let server = McpServer::new("Arguments", "1")
        .tool::<add>()
        .tool::<opt>()
        .tool::<opt_open>()
        .tool::<noargs>()
        .tool::<echo>()
        .tool::<echo_list>();
    TestServer::new(server).unwrap()
}

async fn text(tool: &str, arguments: Value) -> String {
    server().tool(tool, arguments).run().await.text()
}

async fn structured(tool: &str, arguments: Value) -> Value {
    server().tool(tool, arguments).run().await.structured()
}

async fn failure(tool: &str, arguments: Value) -> String {
    server().tool(tool, arguments).run().await.failure()
}

#[tokio::test]
async fn arguments_may_be_left_out_altogether() {
    // `Value::Null` stands for no `arguments` member.
    assert_eq!(text("noargs", Value::Null).await, "ok");
    assert_eq!(text("noargs", json!({})).await, "ok");
    let server = server();
    let client = Client::builder().connect(server.server()).await.unwrap();
    let null = json!({ "name": "noargs", "arguments": null });
    let result = client.request("tools/call", null).await.unwrap();
    assert!(result.get().contains(r#""text":"ok""#));
    assert!(
        failure("add", Value::Null)
            .await
            .contains("- a: required, but missing")
    );
}

#[tokio::test]
async fn null_is_as_good_as_nothing_where_an_argument_is_optional() {
    let defaults = json!({ "q": "x", "limit": null, "tag": null, "deep": false });
    for tool in ["opt", "opt_open"] {
        assert_eq!(structured(tool, json!({ "q": "x" })).await, defaults);
        assert_eq!(
            structured(tool, json!({ "q": "x", "limit": null, "tag": null })).await,
            defaults
        );
        assert_eq!(
            structured(tool, json!({ "q": "x", "deep": null })).await,
            defaults
        );
        let text = failure(tool, json!({ "q": null })).await;
        assert!(text.contains("- q: expected string, got null"), "{text}");
    }
}

#[tokio::test]
async fn all_mistakes_of_a_call_are_told_at_once() {
    assert_eq!(
        failure("add", json!({ "a": "x" })).await,
        "Invalid arguments for tool add:\n- b: required, but missing\n- a: expected integer, got string"
    );
    let text = failure("opt", json!({ "q": 1, "limit": -1, "other": true })).await;
    for line in [
        "- q: expected string, got integer",
        "- limit: must be at least 0",
        "- unknown member: other",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[tokio::test]
async fn members_that_nobody_knows_are_refused_by_a_closed_schema_only() {
    assert!(
        failure("opt", json!({ "q": "x", "other": 1 }))
            .await
            .contains("unknown member: other")
    );
    assert_eq!(
        structured("opt_open", json!({ "q": "x", "other": 1 })).await["q"],
        "x"
    );
}

#[tokio::test]
async fn text_is_not_parsed_into_what_was_wanted() {
    for (arguments, line) in [
        (
            json!({ "items": "[1,2]" }),
            "- items: expected array, got string",
        ),
        (
            json!({ "items": ["1"] }),
            "- items[0]: expected integer, got string",
        ),
    ] {
        assert!(failure("echo_list", arguments).await.contains(line));
    }
    let text = failure("opt", json!({ "q": "x", "deep": "true" })).await;
    assert!(
        text.contains("- deep: expected boolean, got string"),
        "{text}"
    );
}

#[tokio::test]
async fn whole_floats_are_integers() {
    assert_eq!(
        structured("add", json!({ "a": 1.0, "b": 2 })).await,
        json!({ "sum": 3 })
    );
    assert_eq!(
        structured("echo_list", json!({ "items": [1.0, -2.0] })).await,
        json!([1, -2])
    );
    assert!(
        failure("add", json!({ "a": 1.5, "b": 2 }))
            .await
            .contains("- a: expected integer, got number")
    );
    // In range for JSON Schema, and not for the type.
    assert!(
        failure("add", json!({ "a": 1e300, "b": 2 }))
            .await
            .starts_with("Invalid arguments for tool add")
    );
    assert!(
        failure("opt", json!({ "q": "x", "limit": 4_294_967_296_u64 }))
            .await
            .contains("Invalid arguments")
    );
}

#[tokio::test]
async fn any_value_comes_back_as_it_went() {
    for value in [
        json!(null),
        json!(1.0),
        json!([1, "x", {}]),
        json!({ "a": null }),
        json!(u64::MAX),
    ] {
        assert_eq!(structured("echo", json!({ "value": value })).await, value);
    }
}

#[tokio::test]
async fn a_result_that_is_no_object_has_a_schema_that_it_fits() {
    assert_eq!(
        structured("echo_list", json!({ "items": [3] })).await,
        json!([3])
    );
    let server = server();
    let client = Client::builder().connect(server.server()).await.unwrap();
    let listed = client.list_tools().await.unwrap();
    let tool = listed
        .tools
        .iter()
        .find(|tool| tool.name == "echo_list")
        .unwrap();
    let schema: Value = tool.output_schema.as_ref().unwrap().parse().unwrap();
    assert_eq!(
        schema,
        json!({ "type": "array", "items": { "type": "integer" } })
    );
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_an_error_of_the_protocol() {
    let run = server().tool("nope", json!({})).run().await;
    let error = run.error().as_rpc().unwrap();
    assert_eq!(
        (error.code, error.message.as_ref()),
        (ErrorCode::INVALID_PARAMS, "Unknown tool: nope")
    );
}

// By hand.

struct NoArgs;

impl ToolHandler for NoArgs {
    const NAME: &'static str = "no_args";
    type Args = ();

    fn define(tool: ToolSpec) -> ToolSpec {
        tool
    }

    async fn call(cx: RoundCx<()>) -> Result<Outcome<CallToolResult>, Halted> {
        assert_eq!(cx.target(), "no_args");
        Ok(CallToolResult::text("ok").into())
    }
}

#[tokio::test]
async fn the_arguments_of_a_tool_may_be_the_unit_type() {
    let server = TestServer::new(McpServer::new("U", "1").tool::<NoArgs>()).unwrap();
    for arguments in [json!(null), json!({})] {
        assert_eq!(server.tool("no_args", arguments).run().await.text(), "ok");
    }
}

struct Liar;

impl ToolHandler for Liar {
    const NAME: &'static str = "liar";
    type Args = ();

    fn define(tool: ToolSpec) -> ToolSpec {
        tool.output::<Json<Sum>>()
    }

    async fn call(cx: RoundCx<()>) -> Result<Outcome<CallToolResult>, Halted> {
        let meta = cx.context().meta();
        Ok(match meta.get("example.com/lie").map(crate::Raw::get) {
            Some(r#""none""#) => CallToolResult::text("no data"),
            Some(r#""wrong""#) => {
                CallToolResult::text("x").structured_content(json!({ "sum": "x" }))
            }
            _ => CallToolResult::error("boom"),
        }
        .into())
    }
}

#[tokio::test]
async fn a_result_that_does_not_fit_its_own_schema_goes_to_nobody() {
    let server = McpServer::new("L", "1").tool::<Liar>().build().unwrap();
    let client = Client::builder().connect(&server).await.unwrap();
    for lie in ["none", "wrong"] {
        let error = client
            .tool("liar")
            .meta("example.com/lie", lie)
            .send()
            .await
            .unwrap_err();
        assert_eq!(
            error.as_rpc().unwrap().message,
            "Handler returned an invalid result"
        );
    }
    // A tool that failed owes no data.
    let result = client.call_tool("liar", json!({})).await.unwrap();
    assert!(result.failed());
    assert_eq!(result.as_text(), "boom");
}

#[test]
fn optional_members_are_those_that_are_not_required() {
    let schema = json!({ "properties": { "a": {}, "b": {}, "c": {} }, "required": ["b"] });
    assert_eq!(optional_members(&schema), ["a", "c"]);
    assert_eq!(
        optional_members(&json!({ "properties": { "a": {} } })),
        ["a"]
    );
    assert!(optional_members(&json!({})).is_empty());
}

#[test]
fn whole_floats_become_integers_at_any_depth() {
    assert_eq!(
        whole(json!({ "a": [1.0, { "b": -2.0 }], "c": 1.5, "d": "3.0", "e": 1e300 })),
        json!({ "a": [1, { "b": -2 }], "c": 1.5, "d": "3.0", "e": 1e300 })
    );
}

#[tokio::test]
async fn an_answer_of_another_form_is_an_error_of_the_protocol() {
    use crate::form::{AskForm as _, ReadForm as _};
    use crate::{Answer, Context, Form, InputRequired};

    #[derive(Form)]
    struct Name {
        name: String,
    }

    /// Greets by hand.
    #[tool]
    fn greet(cx: &Context) -> crate::Result<Outcome<String>> {
        Ok(match cx.answers().form::<Name>("user_name")? {
            Some(Answer::Accept(Name { name })) => Outcome::Complete(name),
            _ => InputRequired::new()
                .form::<Name>("user_name", "Who?")
                .into(),
        })
    }

    let server = TestServer::new(McpServer::new("S", "1").tool::<greet>()).unwrap();
    let client = Client::builder().connect(server.server()).await.unwrap();
    for answer in [json!(12345), json!("Alice"), json!({ "action": "perhaps" })] {
        let params = json!({ "name": "greet", "inputResponses": { "user_name": answer } });
        let error = client.request("tools/call", params).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::INVALID_PARAMS), "{error}");
    }
}

#[test]
fn a_schema_by_hand_must_be_of_an_object_and_valid() {
    /// Takes a list.
    #[tool(input_schema = json!({ "type": "array" }))]
    fn list() {}

    /// Takes what nothing says.
    #[tool(input_schema = json!({ "type": "object", "properties": 1 }))]
    fn broken() {}

    let fault = |server: McpServer| server.build().unwrap_err().to_string();
    let error = fault(McpServer::new("S", "1").tool::<list>());
    assert!(
        error.contains(r#"tool "list": its argument schema is not of an object"#),
        "{error}"
    );
    let error = fault(McpServer::new("S", "1").tool::<broken>());
    assert!(
        error.contains(r#"tool "broken": its argument schema is invalid"#),
        "{error}"
    );
}
