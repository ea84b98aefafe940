use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::testing::TestServer;
use crate::{Client, ErrorCode, McpServer, ServerNotification, prompt, resource, tool};

/// The first.
#[tool]
fn first() -> &'static str {
    "first"
}

/// The second.
#[tool]
fn second() -> &'static str {
    "second"
}

/// The third.
#[tool]
fn third() -> &'static str {
    "third"
}

/// Another one of that name.
#[tool(name = "first")]
fn also_first() -> &'static str {
    "also first"
}

/// Needs what nobody has.
#[tool]
fn needy(state: &std::collections::BTreeSet<u8>) -> String {
    format!("{state:?}")
}

/// Says hello.
#[prompt]
fn hello() -> &'static str {
    "hello"
}

/// What is.
#[resource("mem://a")]
fn what_is() -> &'static str {
    "a"
}

async fn client(server: &McpServerParts) -> Client {
    Client::builder()
        .connect(server.server.server())
        .await
        .unwrap()
}

struct McpServerParts {
    tools: crate::mcp::Tools,
    prompts: crate::mcp::Prompts,
    resources: crate::mcp::Resources,
    server: TestServer,
}

fn server() -> McpServerParts {
    let server = McpServer::new("R", "1").tool::<first>().tool::<second>();
    let server = server.prompt::<hello>().resource::<what_is>();
    let (tools, prompts, resources) = (server.tools(), server.prompts(), server.resources());
    McpServerParts {
        tools,
        prompts,
        resources,
        server: TestServer::new(server).unwrap(),
    }
}

async fn names(client: &Client) -> Vec<String> {
    client
        .list_tools()
        .await
        .unwrap()
        .tools
        .into_iter()
        .map(|tool| tool.name)
        .collect()
}

#[tokio::test]
async fn tools_are_listed_in_the_order_of_registration() {
    let parts = server();
    let client = client(&parts).await;
    assert_eq!(names(&client).await, ["first", "second"]);
    parts.tools.add::<third>().unwrap();
    assert_eq!(names(&client).await, ["first", "second", "third"]);
    assert!(parts.tools.remove("first"));
    assert_eq!(names(&client).await, ["second", "third"]);
    parts.tools.add::<first>().unwrap();
    assert_eq!(names(&client).await, ["second", "third", "first"]);
}

#[tokio::test]
async fn a_tool_that_is_disabled_is_neither_listed_nor_served() {
    let parts = server();
    let client = client(&parts).await;
    assert!(parts.tools.disable("first"));
    assert_eq!(names(&client).await, ["second"]);
    let error = client.call_tool("first", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::INVALID_PARAMS));
    assert_eq!(error.as_rpc().unwrap().message, "Unknown tool: first");
    assert!(parts.tools.enable("first"));
    assert_eq!(names(&client).await, ["first", "second"], "in its place");
    assert_eq!(
        client
            .call_tool("first", json!({}))
            .await
            .unwrap()
            .as_text(),
        "first"
    );
    assert!(
        !parts.tools.enable("nope") && !parts.tools.disable("nope") && !parts.tools.remove("nope")
    );
}

#[tokio::test]
async fn what_cannot_be_registered_is_refused_while_the_server_runs() {
    let parts = server();
    let error = parts.tools.add::<also_first>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool \"first\" is registered twice: rename one"
    );
    let error = parts.tools.add::<needy>().unwrap_err();
    assert!(
        error.to_string().contains("needs shared state of type"),
        "{error}"
    );
    // Also one that is disabled has its name.
    parts.tools.disable("first");
    assert!(parts.tools.add::<also_first>().is_err());
    assert_eq!(names(&client(&parts).await).await, ["second"]);
}

#[test]
fn all_that_cannot_be_registered_is_named_when_the_server_is_built() {
    let error = McpServer::new("R", "1")
        .tool::<first>()
        .tool::<also_first>()
        .tool::<needy>()
        .prompt::<hello>()
        .prompt::<hello>()
        .build()
        .unwrap_err();
    let text = error.to_string();
    for part in [
        "tool \"first\" is registered twice",
        "tool \"needy\" needs shared state of type `alloc::collections::btree::set::BTreeSet<u8>`",
        "prompt \"hello\" is registered twice",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// Opens a stream of changes; the future of it must be polled for anything to arrive.
async fn listen(
    parts: &McpServerParts,
    filter: serde_json::Value,
) -> (
    UnboundedReceiver<ServerNotification>,
    tokio::task::JoinHandle<crate::Result<crate::Raw>>,
) {
    let (sender, receiver) = unbounded_channel();
    let client = Client::builder()
        .on_notification(move |notification| {
            let _ = sender.send(notification);
        })
        .connect(parts.server.server())
        .await
        .unwrap();
    let stream = tokio::spawn(async move {
        client
            .request("subscriptions/listen", json!({ "notifications": filter }))
            .await
    });
    (receiver, stream)
}

#[tokio::test]
async fn changes_are_told_to_those_who_listen_for_them() {
    let parts = server();
    let filter = json!({ "toolsListChanged": true, "promptsListChanged": false, "resourceSubscriptions": ["mem://a"] });
    let (mut told, stream) = listen(&parts, filter).await;
    let Some(ServerNotification::Acknowledged(acknowledged)) = told.recv().await else {
        panic!("the acknowledgement comes first")
    };
    assert_eq!(acknowledged.notifications.tools_list_changed, Some(true));
    assert_eq!(
        acknowledged.notifications.prompts_list_changed, None,
        "a flag that is not set"
    );

    parts.tools.add::<third>().unwrap();
    parts.prompts.disable("hello");
    parts.tools.disable("third");
    parts.tools.disable("third");
    parts.resources.updated("mem://b");
    parts.resources.updated("mem://a");
    parts.tools.remove("third");
    let mut seen = Vec::new();
    for _ in 0..4 {
        let notification = told.recv().await.unwrap();
        if let ServerNotification::ResourceUpdated(params) = &notification {
            assert_eq!(params.uri, "mem://a");
        }
        let meta = notification.encode_params().unwrap().unwrap();
        assert!(
            meta.get()
                .contains("io.modelcontextprotocol/subscriptionId"),
            "{meta:?}"
        );
        seen.push(notification.method().to_owned());
    }
    let (tools, resource) = (
        "notifications/tools/list_changed",
        "notifications/resources/updated",
    );
    assert_eq!(
        seen,
        [tools, tools, resource, tools],
        "in order, and nothing else"
    );
    assert!(told.try_recv().is_err());
    stream.abort();
}

#[tokio::test]
async fn a_server_of_functions_says_that_its_lists_change() {
    let parts = server();
    let client = client(&parts).await;
    let capabilities = client.server_capabilities();
    assert_eq!(
        capabilities.tools.as_ref().unwrap().list_changed,
        Some(true)
    );
    assert_eq!(
        capabilities.prompts.as_ref().unwrap().list_changed,
        Some(true)
    );
    assert_eq!(
        capabilities.resources.as_ref().unwrap().list_changed,
        Some(true)
    );
    assert_eq!(
        capabilities.resources.as_ref().unwrap().subscribe,
        Some(true)
    );
}

/// Turns a tool off and on again.
#[tool]
fn toggle(tools: &crate::mcp::Tools) -> String {
    format!("{} {}", tools.disable("first"), tools.enable("first"))
}

#[tokio::test]
async fn a_function_may_hold_the_handle_of_its_own_registry() {
    let alive = std::sync::Arc::new(());
    let server = McpServer::new("R", "1").tool::<first>().tool::<toggle>();
    let tools = server.tools();
    let server = server.state(tools).state(std::sync::Arc::clone(&alive));
    let server = TestServer::new(server).unwrap();
    let result = server.tool("toggle", json!({})).run().await;
    assert_eq!(result.text(), "true true");
    // The handle does not keep the server's state: it ends with the server.
    drop(server);
    assert_eq!(std::sync::Arc::strong_count(&alive), 1);
}
