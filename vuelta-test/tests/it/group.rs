//! Several servers as one.

use serde_json::json;
use vuelta::{
    CallToolResult, Client, ClientGroup, Error, ErrorCode, IntoServer, McpServer, Mode, Server,
    prompt, resource, tool,
};

/// Says hello.
#[tool]
async fn hello(name: String) -> String {
    format!("hello {name}")
}

/// Greets.
#[prompt]
async fn greeting(name: String) -> String {
    format!("Greet {name}.")
}

/// A note.
#[resource("mem://note")]
async fn note() -> String {
    "note".to_owned()
}

fn full() -> Server {
    let server = McpServer::new("full", "1").tool::<hello>();
    server
        .prompt::<greeting>()
        .resource::<note>()
        .into_server()
        .unwrap()
}

/// A server of tools whose list fails.
fn broken() -> Server {
    Server::builder("broken", "1")
        .on_list_tools(|_, _| async {
            Err::<vuelta::ListToolsResult, _>(Error::rpc(ErrorCode::INTERNAL_ERROR, "boom"))
        })
        .on_call_tool(|_, _| async { Ok::<_, Error>(CallToolResult::text("still here")) })
        .build()
        .unwrap()
}

async fn group() -> ClientGroup {
    let mut group = ClientGroup::new();
    let modern = Client::builder().connect(&full()).await.unwrap();
    let legacy = Client::builder()
        .mode(Mode::legacy())
        .connect(&full())
        .await
        .unwrap();
    let broken = Client::builder().connect(&broken()).await.unwrap();
    group
        .add("new", modern)
        .unwrap()
        .add("old", legacy)
        .unwrap();
    group.add("broken", broken).unwrap();
    group
}

#[tokio::test]
async fn lists_are_put_together_and_a_server_that_fails_takes_nothing_away() {
    let group = group().await;
    let tools = group.list_tools().await;
    let names: Vec<_> = tools
        .items
        .iter()
        .map(|(_, tool)| tool.name.as_str())
        .collect();
    assert_eq!(names, ["new__hello", "old__hello"]);
    let failed: Vec<_> = tools
        .failed
        .iter()
        .map(|(prefix, _)| prefix.as_str())
        .collect();
    assert_eq!(failed, ["broken"]);
    assert_eq!(tools.failed[0].1.code(), Some(ErrorCode::INTERNAL_ERROR));

    let prompts = group.list_prompts().await;
    let names: Vec<_> = prompts
        .items
        .iter()
        .map(|(_, prompt)| prompt.name.as_str())
        .collect();
    assert_eq!(names, ["new__greeting", "old__greeting"]);
    assert!(
        prompts.failed.is_empty(),
        "a server without prompts has not failed"
    );

    let resources = group.list_resources().await;
    let places: Vec<_> = resources
        .items
        .iter()
        .map(|(prefix, item)| (prefix.as_str(), item.uri.as_str()))
        .collect();
    assert_eq!(places, [("new", "mem://note"), ("old", "mem://note")]);
}

#[tokio::test]
async fn a_name_leads_to_its_server_in_either_era() {
    let group = group().await;
    for prefix in ["new", "old"] {
        let name = format!("{prefix}__hello");
        let result = group
            .call_tool(&name, json!({ "name": "Ada" }))
            .await
            .unwrap();
        assert_eq!(result.as_text(), "hello Ada");
        let name = format!("{prefix}__greeting");
        let prompt = group
            .get_prompt(&name, json!({ "name": "Ada" }))
            .await
            .unwrap();
        assert_eq!(prompt.messages.len(), 1);
    }
    // What follows the first separator is the server's own name.
    let result = group.call_tool("broken__any__name", ()).await.unwrap();
    assert_eq!(result.as_text(), "still here");
    assert!(group.client("old").unwrap().is_legacy());
}

#[tokio::test]
async fn names_without_a_server_and_prefixes_that_cannot_be_are_refused() {
    let mut group = group().await;
    for name in ["hello", "other__hello", "", "__hello"] {
        let error = group.call_tool(name, ()).await.unwrap_err();
        assert!(error.is_misuse());
        assert!(error.to_string().contains("[new, old, broken]"), "{error}");
    }
    for prefix in ["", "a__b", "a_", "a b", "new"] {
        let client = Client::builder().connect(&full()).await.unwrap();
        assert!(
            group.add(prefix, client).unwrap_err().is_misuse(),
            "{prefix:?}"
        );
    }
    assert!(group.remove("new").is_some());
    assert!(group.remove("new").is_none());
    assert!(
        group
            .call_tool("new__hello", json!({ "name": "x" }))
            .await
            .is_err()
    );
    assert_eq!(
        group
            .clients()
            .map(|(prefix, _)| prefix)
            .collect::<Vec<_>>(),
        ["old", "broken"]
    );
}
