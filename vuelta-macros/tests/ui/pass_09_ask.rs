//! `Ask` in a body, beside a resolver.
#![deny(warnings)]

use serde_json::json;
use vuelta::{
    Ask, Client, Elicit, ElicitForm, ElicitResult, Form, McpServer, ToolError, resolver, tool,
};

#[derive(Form)]
struct Count {
    count: u32,
}

#[resolver]
async fn first() -> Elicit<Count> {
    Elicit::ask("First?")
}

#[tool]
async fn add(#[resolve(first)] first: Count, ask: Ask, again: &Ask) -> Result<String, ToolError> {
    let second = ask.form::<Count>("second", "Second?").await?.accepted()?;
    let third = again.form::<Count>("third", "Third?").await?.accepted()?;
    Ok((first.count + second.count + third.count).to_string())
}

#[tokio::test]
async fn runs() -> vuelta::Result<()> {
    let server = McpServer::new("Test", "1").tool::<add>().build()?;
    let client = Client::builder()
        .on_elicit(|form: ElicitForm| async move {
            ElicitResult::accept(json!({ "count": form.message.len() }))
        })
        .connect(&server)
        .await?;
    assert_eq!(client.call_tool("add", json!({})).await?.as_text(), "19");
    Ok(())
}
