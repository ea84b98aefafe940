use serde_json::{Value, json};

use crate::mcp::{Complete, CompletionRequest};
use crate::{Client, Error, McpServer};

async fn client(server: McpServer) -> Client {
    Client::builder()
        .connect(&server.build().unwrap())
        .await
        .unwrap()
}

async fn complete(client: &Client, params: Value) -> Value {
    let raw = client.request("completion/complete", params).await.unwrap();
    let result: Value = raw.parse().unwrap();
    result["completion"].clone()
}

fn languages() -> McpServer {
    McpServer::new("L", "1")
        .complete(
            Complete::prompt("review", "language"),
            |request: CompletionRequest| async move {
                let all = ["python", "pytorch", "rust"];
                let begun = all
                    .into_iter()
                    .filter(|name| name.starts_with(&request.value));
                Ok(begun.map(str::to_owned).collect())
            },
        )
        .complete(
            Complete::template("note:///{topic}", "topic"),
            |request: CompletionRequest| async move {
                let owner = request.arguments.get("owner").cloned().unwrap_or_default();
                Ok(vec![format!("{owner}/{}", request.value)])
            },
        )
}

fn prompt(name: &str, argument: &str, value: &str) -> Value {
    json!({ "ref": { "type": "ref/prompt", "name": name }, "argument": { "name": argument, "value": value } })
}

#[tokio::test]
async fn the_argument_of_a_prompt_is_completed() {
    let client = client(languages()).await;
    assert!(client.server_capabilities().completions.is_some());
    let found = complete(&client, prompt("review", "language", "py")).await;
    assert_eq!(
        found,
        json!({ "values": ["python", "pytorch"], "total": 2, "hasMore": false })
    );
}

#[tokio::test]
async fn the_variable_of_a_template_is_completed_with_what_is_filled_in() {
    let client = client(languages()).await;
    let found = complete(
        &client,
        json!({
            "ref": { "type": "ref/resource", "uri": "note:///{topic}" },
            "argument": { "name": "topic", "value": "ti" },
            "context": { "arguments": { "owner": "ada" } },
        }),
    );
    assert_eq!(found.await["values"], json!(["ada/ti"]));
}

#[tokio::test]
async fn what_nobody_completes_has_no_suggestions() {
    let client = client(languages()).await;
    for params in [
        prompt("review", "style", "p"),
        prompt("other", "language", "p"),
    ] {
        assert_eq!(complete(&client, params).await["values"], json!([]));
    }
}

#[tokio::test]
async fn an_answer_holds_a_hundred_suggestions() {
    let server = McpServer::new("M", "1").complete(Complete::prompt("p", "a"), |_| async {
        Ok((0..250).map(|number| number.to_string()).collect())
    });
    let found = complete(&client(server).await, prompt("p", "a", "")).await;
    assert_eq!(found["values"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&found["total"], &found["hasMore"]),
        (&json!(250), &json!(true))
    );
}

#[tokio::test]
async fn a_completer_may_fail() {
    let server = McpServer::new("M", "1").complete(Complete::prompt("p", "a"), |_| async {
        Err(Error::handler("the index is down"))
    });
    let error = client(server)
        .await
        .request("completion/complete", prompt("p", "a", ""))
        .await
        .unwrap_err();
    assert_eq!(error.as_rpc().unwrap().message, "Internal server error");
}

#[tokio::test]
async fn a_server_without_completers_does_not_complete() {
    let client = client(McpServer::new("M", "1")).await;
    assert!(client.server_capabilities().completions.is_none());
    let error = client
        .request("completion/complete", prompt("p", "a", ""))
        .await
        .unwrap_err();
    assert_eq!(error.as_rpc().unwrap().message, "Method not found");
}
