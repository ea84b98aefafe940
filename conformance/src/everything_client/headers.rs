//! Scenarios of the headers that mirror what is in the body.

use serde_json::{Value, json};
use vuelta::Result;

use crate::scenario::Scenario;
use crate::tools::succeeded;

/// Sends each method once: `Mcp-Method` and `Mcp-Name` go with it.
pub(crate) async fn every_method(scenario: &Scenario) -> Result<()> {
    let client = scenario.connect().await?;
    for tool in client.list_tools().await?.tools {
        succeeded(&client.call_tool(tool.name, json!({})).await?)?;
    }
    for resource in client.list_resources().await?.resources {
        client.read_resource(resource.uri).await?;
    }
    for prompt in client.list_prompts().await?.prompts {
        client.get_prompt(prompt.name, Value::Null).await?;
    }
    Ok(())
}

/// Makes the calls that the suite prescribes: annotated arguments go into headers too.
pub(crate) async fn mirrored_arguments(scenario: &Scenario) -> Result<()> {
    let client = scenario.connect().await?;
    client.list_tools().await?;
    for call in &scenario.calls {
        succeeded(&client.call_tool(&call.name, &call.arguments).await?)?;
    }
    Ok(())
}

/// Calls every tool that the client lists: those with invalid annotations are not among them.
pub(crate) async fn every_valid_tool(scenario: &Scenario) -> Result<()> {
    let client = scenario.connect().await?;
    for tool in client.list_tools().await?.tools {
        client.call_tool(tool.name, json!({})).await?;
    }
    Ok(())
}
