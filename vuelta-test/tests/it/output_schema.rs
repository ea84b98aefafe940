//! Structured content: checked against the tool's output schema, and read as a type.
//!
//! Source: [output
//! schema](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema).

use std::future::pending;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;
use vuelta::{
    CallToolParams, CallToolResult, Client, Context, ElicitResult, Error, ListToolsResult,
    McpServer, Outcome, PaginatedParams, Raw, Server, Step, Tool, tool,
};
use vuelta_http::Listener;

use crate::scripted::Scripted;

/// The schema of the specification's example.
fn weather() -> Value {
    json!({
        "type": "object",
        "properties": {
            "temperature": { "type": "number" },
            "conditions": { "type": "string" },
            "humidity": { "type": "number" },
        },
        "required": ["temperature", "conditions", "humidity"],
    })
}

fn listed(tools: &[(&str, Option<Value>)]) -> Value {
    let tools: Vec<Value> = tools
        .iter()
        .map(|(name, output)| {
            let mut tool = json!({ "name": name, "inputSchema": { "type": "object" } });
            if let Some(schema) = output {
                tool["outputSchema"] = schema.clone();
            }
            tool
        })
        .collect();
    json!({ "resultType": "complete", "tools": tools })
}

fn gives(content: Value) -> Value {
    json!({
        "resultType": "complete",
        "content": [{ "type": "text", "text": content.to_string() }],
        "structuredContent": content,
    })
}

fn says(text: &str) -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] })
}

fn fails(text: &str) -> Value {
    let mut result = says(text);
    result["isError"] = true.into();
    result
}

/// A client that has listed a tool `t` with an output schema, and the server of its calls.
async fn knowing(schema: Value, answers: impl IntoIterator<Item = Value>) -> (Client, Scripted) {
    let script = [listed(&[("t", Some(schema))])].into_iter().chain(answers);
    let server = Scripted::new(script);
    let client = server.connect(Client::builder()).await;
    client.list_tools().await.unwrap();
    (client, server)
}

#[tokio::test]
async fn content_that_fits_is_delivered() {
    let content = json!({ "temperature": 22.5, "conditions": "Partly cloudy", "humidity": 65 });
    let (client, _) = knowing(weather(), [gives(content.clone())]).await;
    let result = client.call_tool("t", ()).await.unwrap();
    assert_eq!(result.structured_content, Some(Raw::from(content)));
}

#[tokio::test]
async fn content_that_does_not_fit_is_an_error_with_the_result_in_it() {
    let (client, _) = knowing(weather(), [gives(json!({ "temperature": "warm" }))]).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.is_peer() && !error.is_tool_failure());
    assert_eq!(
        error.to_string(),
        "tool \"t\": its structured content does not fit its output schema: conditions: \
         required, but missing; humidity: required, but missing; temperature: expected number, \
         got string"
    );
    let result = error.into_tool_result().expect("the result is not lost");
    assert_eq!(result.as_text(), r#"{"temperature":"warm"}"#);
}

#[tokio::test]
async fn content_that_is_missing_is_an_error_with_the_result_in_it() {
    let schema = json!({ "type": "object", "required": ["v"] });
    let (client, _) = knowing(schema, [says("no data today")]).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool \"t\": it has an output schema and returned no structured content"
    );
    let result = error.into_tool_result().expect("the result is not lost");
    assert_eq!(result.as_text(), "no data today");
}

#[tokio::test]
async fn a_failure_is_not_checked() {
    let schema = json!({ "type": "object", "required": ["v"] });
    let (client, _) = knowing(schema, [fails("boom")]).await;
    let result = client.call_tool("t", ()).await.unwrap();
    assert!(result.failed());
    assert_eq!(result.as_text(), "boom");
}

#[tokio::test]
async fn content_of_every_kind_is_delivered_as_it_is_and_null_is_not_nothing() {
    let contents = [json!([1]), json!("s"), json!(3), Value::Null];
    let answers = contents.iter().map(|content| gives(content.clone()));
    let (client, _) = knowing(json!({}), answers.chain([says("nothing")])).await;
    for content in contents {
        let result = client.call_tool("t", ()).await.unwrap();
        assert_eq!(result.structured_content, Some(Raw::from(content)));
    }
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert_eq!(error.into_tool_result().unwrap().structured_content, None);
}

#[tokio::test]
async fn a_reference_to_elsewhere_is_not_followed_and_nothing_fits_it() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let url = format!("http://{}/x.json", elsewhere.local_addr().unwrap());
    for schema in [
        json!({ "$ref": url }),
        json!({ "type": "object", "properties": { "v": { "$ref": url } } }),
        json!({ "$schema": url, "type": "object" }),
    ] {
        let (client, _) = knowing(schema.clone(), [gives(json!({ "v": 1 }))]).await;
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("tool \"t\": its output schema cannot be used: "),
            "{schema}: {error}"
        );
        assert!(error.into_tool_result().is_some());
    }
    let nobody = elsewhere.accept().unwrap_err();
    assert_eq!(nobody.kind(), ErrorKind::WouldBlock, "nothing was fetched");
}

#[tokio::test]
async fn the_check_can_be_turned_off() {
    let server = Scripted::new([listed(&[("t", Some(weather()))]), says("x"), says("y")]);
    let builder = Client::builder().without_output_validation();
    let client = server
        .connect_knowing(json!({ "tools": {} }), builder)
        .await;
    client.list_tools().await.unwrap();
    assert_eq!(client.call_tool("t", ()).await.unwrap().as_text(), "x");
    assert_eq!(client.call_tool("other", ()).await.unwrap().as_text(), "y");
    assert_eq!(server.methods(), ["tools/list", "tools/call", "tools/call"]);
}

#[tokio::test]
async fn a_tool_that_was_not_listed_is_listed_once() {
    let mut first = listed(&[("a", None)]);
    first["nextCursor"] = "2".into();
    let server = Scripted::new([
        says("x"),
        first,
        listed(&[("t", Some(weather()))]),
        gives(json!({})),
        says("y"),
        says("z"),
    ]);
    let client = server
        .connect_knowing(json!({ "tools": {} }), Client::builder())
        .await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(
        error.into_tool_result().is_some(),
        "it is listed with a schema"
    );
    assert!(client.call_tool("t", ()).await.is_err());
    assert_eq!(client.call_tool("a", ()).await.unwrap().as_text(), "y");
    assert_eq!(
        client.call_tool("in no list", ()).await.unwrap().as_text(),
        "z"
    );
    assert_eq!(
        server.methods(),
        [
            "tools/call",
            "tools/list",
            "tools/list",
            "tools/call",
            "tools/call",
            "tools/call"
        ]
    );
}

#[tokio::test]
async fn nothing_is_listed_for_a_failure_or_where_no_tools_are_known() {
    let server = Scripted::new([fails("boom")]);
    let client = server
        .connect_knowing(json!({ "tools": {} }), Client::builder())
        .await;
    assert!(client.call_tool("t", ()).await.unwrap().failed());
    assert_eq!(server.methods(), ["tools/call"]);

    let server = Scripted::new([says("x")]);
    let client = server.connect(Client::builder()).await;
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(
        server.methods(),
        ["tools/call"],
        "a pinned client asks nothing"
    );
}

#[tokio::test]
async fn a_list_that_fails_is_no_failure_of_the_call_and_not_tried_again() {
    for broken in [
        json!({ "code": -32603, "message": "Internal server error" }),
        json!({ "resultType": "complete", "tools": "none" }),
    ] {
        let server = Scripted::new([says("x"), broken, says("y")]);
        let client = server
            .connect_knowing(json!({ "tools": {} }), Client::builder())
            .await;
        assert_eq!(client.call_tool("t", ()).await.unwrap().as_text(), "x");
        assert_eq!(client.call_tool("t", ()).await.unwrap().as_text(), "y");
        assert_eq!(server.methods(), ["tools/call", "tools/list", "tools/call"]);
    }
}

#[tokio::test]
async fn a_change_of_the_list_puts_schemas_in_doubt() {
    let changed = json!({ "method": "notifications/tools/list_changed" });
    let server = Scripted::new([
        listed(&[("t", Some(json!({ "type": "string" })))]),
        changed,
        gives(json!(1)),
        listed(&[("t", Some(json!({ "type": "integer" })))]),
        gives(json!("s")),
    ]);
    let client = server
        .connect_knowing(json!({ "tools": {} }), Client::builder())
        .await;
    client.list_tools().await.unwrap();
    client.call_tool("t", ()).await.unwrap();
    assert!(client.call_tool("t", ()).await.is_err());
    assert_eq!(
        server.methods(),
        ["tools/list", "tools/call", "tools/list", "tools/call"]
    );
}

/// A server of one tool that never lists it.
fn without_a_list(listings: &Arc<AtomicUsize>) -> Server {
    let listings = Arc::clone(listings);
    Server::builder("s", "1")
        .on_call_tool(async |_: Context, _: CallToolParams| {
            Ok::<Outcome<_>, Error>(CallToolResult::text("done").into())
        })
        .on_list_tools(move |_: Context, _: PaginatedParams| {
            listings.fetch_add(1, Ordering::SeqCst);
            pending::<Result<ListToolsResult, Error>>()
        })
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_list_that_does_not_come_delays_a_call_for_a_while_and_once() {
    let listings = Arc::new(AtomicUsize::new(0));
    let server = without_a_list(&listings);
    let client = Client::builder().connect(&server).await.unwrap();
    let start = Instant::now();
    // Those that end at the same time wait together.
    let calls = [client.clone(), client.clone(), client.clone()];
    let calls =
        futures_util::future::join_all(calls.iter().map(|client| client.call_tool("t", ())));
    for result in calls.await {
        assert_eq!(result.unwrap().as_text(), "done");
    }
    assert_eq!(start.elapsed(), Duration::from_secs(10));
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(10));
    assert_eq!(listings.load(Ordering::SeqCst), 1);

    // Sooner, if the client or the call says so; a result that is there is not thrown away.
    let client = Client::builder().timeout(Duration::from_secs(2));
    let client = client.connect(&server).await.unwrap();
    let start = Instant::now();
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(2));

    let client = Client::builder().connect(&server).await.unwrap();
    let start = Instant::now();
    let call = client.tool("t").deadline(Duration::from_secs(1));
    assert_eq!(call.send().await.unwrap().as_text(), "done");
    assert_eq!(start.elapsed(), Duration::from_secs(1));
}

#[tokio::test]
async fn the_last_round_is_checked_and_the_questions_before_are_not() {
    let question = json!({
        "resultType": "input_required",
        "inputRequests": { "k": { "method": "elicitation/create", "params": {
            "message": "?", "requestedSchema": { "type": "object", "properties": {} },
        } } },
    });
    let script = [
        question.clone(),
        gives(json!({})),
        question,
        gives(json!({})),
    ];
    let server = Scripted::new(
        [listed(&[("t", Some(weather()))])]
            .into_iter()
            .chain(script),
    );
    let builder = Client::builder().on_elicit(|_| async { ElicitResult::decline() });
    let client = server.connect(builder).await;
    client.list_tools().await.unwrap();
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.into_tool_result().is_some());

    // Driven by hand, too.
    let Step::Asked(mut flow) = client.tool("t").step().await.unwrap() else {
        panic!("it asks")
    };
    flow.answer("k", ElicitResult::decline());
    let error = client.resume(flow).await.unwrap_err();
    assert!(error.into_tool_result().is_some());
}

#[derive(Debug, PartialEq, Deserialize)]
struct Sum {
    sum: i64,
}

#[tokio::test]
async fn structured_content_is_read_as_a_type() {
    let server = Scripted::new([
        gives(json!({ "sum": 9_007_199_254_740_993_i64 })),
        gives(json!({ "sum": 3 })),
        gives(Value::Null),
    ]);
    let client = server.connect(Client::builder()).await;
    let arguments = json!({ "a": 1, "b": 2 });
    let sum: Sum = client.call_tool_as("add", &arguments).await.unwrap();
    assert_eq!(sum.sum, 9_007_199_254_740_993);
    let call = client.tool("add").arguments(&arguments);
    assert_eq!(call.send_as::<Sum>().await.unwrap(), Sum { sum: 3 });
    assert_eq!(server.params()[1]["arguments"], arguments);
    let nothing: Option<Sum> = client.call_tool_as("add", ()).await.unwrap();
    assert_eq!(nothing, None, "null is a value");
}

#[tokio::test]
async fn structured_content_that_is_no_such_type_says_why() {
    let server = Scripted::new([
        gives(json!({ "sum": "three" })),
        says("3"),
        fails("division by zero"),
        json!({ "code": -32602, "message": "Unknown tool: add" }),
    ]);
    let client = server.connect(Client::builder()).await;
    let error = client.call_tool_as::<Sum>("add", ()).await.unwrap_err();
    assert!(error.is_peer() && !error.is_tool_failure());
    let text = error.to_string();
    let start = "tool \"add\": its structured content does not fit the type asked for: sum: ";
    assert!(text.starts_with(start), "{text}");
    assert_eq!(
        error.into_tool_result().unwrap().as_text(),
        r#"{"sum":"three"}"#
    );

    let error = client.call_tool_as::<Sum>("add", ()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool \"add\": it returned no structured content"
    );
    assert_eq!(error.into_tool_result().unwrap().as_text(), "3");

    let error = client.call_tool_as::<Sum>("add", ()).await.unwrap_err();
    assert!(error.is_tool_failure() && !error.is_peer());
    assert_eq!(error.to_string(), "tool \"add\" failed: division by zero");
    assert!(error.into_tool_result().unwrap().failed());

    let error = client.call_tool_as::<Sum>("add", ()).await.unwrap_err();
    assert!(error.as_rpc().is_some());
    assert!(error.into_tool_result().is_none());
}

/// Add two numbers.
#[tool]
async fn add(a: i64, b: i64) -> vuelta::Json<Total> {
    vuelta::Json(Total { sum: a + b })
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Total {
    sum: i64,
}

#[tokio::test]
async fn a_server_of_functions_is_read_by_types_in_memory_and_over_http() {
    let server = McpServer::new("Calculator", "1.0.0")
        .tool::<add>()
        .build()
        .unwrap();
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let transport = vuelta_http::url(listener.url()).unwrap();
    let mut tasks = JoinSet::new();
    let served = server.clone();
    tasks.spawn(async move { listener.serve(served, pending()).await });
    for client in [
        Client::builder().connect(&server).await.unwrap(),
        Client::builder().connect(transport).await.unwrap(),
    ] {
        let sum: Sum = client
            .call_tool_as("add", json!({ "a": 1, "b": 2 }))
            .await
            .unwrap();
        assert_eq!(sum, Sum { sum: 3 });
    }
}

#[tokio::test]
async fn a_server_that_breaks_its_own_schema_is_found_out_in_memory_and_over_http() {
    let server = Server::builder("s", "1")
        .on_list_tools(async |_: Context, _: PaginatedParams| {
            let tool = Tool::new("t", json!({ "type": "object" }));
            Ok::<_, Error>(ListToolsResult::new([tool.output_schema(weather())]))
        })
        .on_call_tool(async |_: Context, _: CallToolParams| {
            let result = CallToolResult::new().structured_content(json!({ "temperature": 1 }));
            Ok::<Outcome<_>, Error>(result.into())
        })
        .build()
        .unwrap();
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let transport = vuelta_http::url(listener.url()).unwrap();
    let mut tasks = JoinSet::new();
    let served = server.clone();
    tasks.spawn(async move { listener.serve(served, pending()).await });
    for client in [
        Client::builder().connect(&server).await.unwrap(),
        Client::builder().connect(transport).await.unwrap(),
    ] {
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert!(
            error
                .to_string()
                .contains("conditions: required, but missing"),
            "{error}"
        );
    }
}
