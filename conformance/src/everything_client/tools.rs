//! Scenarios of plain tools: listed, called, their schemas handed on, a stream that breaks off.

use serde_json::json;
use vuelta::{CallToolResult, Error, Result};

use crate::scenario::Scenario;

/// Connects, and lists the tools.
pub(crate) async fn list(scenario: &Scenario) -> Result<()> {
    scenario.connect().await?.list_tools().await?;
    Ok(())
}

/// Lists the tools and adds two numbers.
pub(crate) async fn call(scenario: &Scenario) -> Result<()> {
    let client = scenario.connect().await?;
    client.list_tools().await?;
    let sum = client
        .call_tool("add_numbers", json!({ "a": 5, "b": 3 }))
        .await?;
    succeeded(&sum)
}

/// Hands a tool's schema back as it came.
pub(crate) async fn echo_schema(scenario: &Scenario) -> Result<()> {
    const LISTED: &str = "json_schema_2020_12_tool";
    let client = scenario.connect().await?;
    let tools = client.list_tools().await?.tools;
    let tool = tools.into_iter().find(|tool| tool.name == LISTED);
    let tool = tool.ok_or_else(|| Error::peer(format!("the server lists no {LISTED}")))?;
    let echo = client
        .call_tool("json_schema_echo", json!({ "schema": tool.input_schema }))
        .await?;
    succeeded(&echo)
}

/// Calls a tool whose stream the server closes before the answer: the client comes back for
/// it by itself.
pub(crate) async fn reconnect(scenario: &Scenario) -> Result<()> {
    let client = scenario.connect().await?;
    client.list_tools().await?;
    succeeded(&client.call_tool("test_reconnection", json!({})).await?)
}

/// Returns an error if the tool failed.
pub(crate) fn succeeded(result: &CallToolResult) -> Result<()> {
    if result.failed() {
        return Err(Error::peer(format!(
            "the tool failed: {}",
            result.as_text()
        )));
    }
    Ok(())
}
