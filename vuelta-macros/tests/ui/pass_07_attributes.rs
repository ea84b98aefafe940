//! What the attributes say, on the wire.
#![deny(warnings)]

use serde_json::json;
use vuelta::{Client, McpServer, Raw, tool};

const VERSION: &str = "3";

/// Not this text.
#[tool(
    name = "shop.buy",
    title = "Buy",
    description = concat!("Buys", " things."),
    read_only = false,
    destructive,
    idempotent,
    open_world = false,
    icon = "https://example.com/a.png",
    icon = "data:image/png;base64,AA==",
    meta(version = VERSION, "example.com/levels" = json!([1, 2])),
    meta(beta = Raw::from("yes")),
    timeout = "30s",
    outlives_caller,
    closed,
    header(region = "Region", count = "X-Count"),
    header(dry = "Dry")
)]
async fn buy(region: String, count: Option<u32>, #[default] dry: bool) -> String {
    format!("{region} {count:?} {dry}")
}

/// Reaches somebody.
#[tool(input_schema = contact())]
async fn reach(phone: Option<String>, email: Option<String>) -> String {
    format!("{phone:?} {email:?}")
}

fn contact() -> serde_json::Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "phone": { "type": "string" }, "email": { "type": "string" } },
        "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }],
    })
}

#[tokio::test]
async fn a_schema_by_hand_is_published_as_it_is() -> vuelta::Result<()> {
    let server = McpServer::new("Test", "1").tool::<reach>().build()?;
    let client = Client::builder().connect(&server).await?;
    let tools = client.list_tools().await?.tools;
    assert_eq!(tools[0].input_schema, Raw::from(contact()));
    let result = client
        .call_tool("reach", json!({ "email": "a@example.com" }))
        .await?;
    assert_eq!(result.as_text(), r#"None Some("a@example.com")"#);
    assert!(client.call_tool("reach", json!({})).await?.failed());
    Ok(())
}

#[tokio::test]
async fn runs() -> vuelta::Result<()> {
    let server = McpServer::new("Test", "1").tool::<buy>().build()?;
    let client = Client::builder().connect(&server).await?;
    let tools = client.list_tools().await?.tools;
    assert_eq!(
        serde_json::to_value(&tools[0])?,
        json!({
            "name": "shop.buy",
            "title": "Buy",
            "description": "Buys things.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "region": { "type": "string", "x-mcp-header": "Region" },
                    "count": { "type": "integer", "minimum": 0, "x-mcp-header": "X-Count" },
                    "dry": { "type": "boolean", "default": false, "x-mcp-header": "Dry" }
                },
                "required": ["region"],
                "additionalProperties": false
            },
            "annotations": {
                "readOnlyHint": false, "destructiveHint": true, "idempotentHint": true,
                "openWorldHint": false
            },
            "icons": [
                { "src": "https://example.com/a.png" }, { "src": "data:image/png;base64,AA==" }
            ],
            "_meta": { "version": "3", "example.com/levels": [1, 2], "beta": "yes" }
        })
    );
    let result = client
        .call_tool("shop.buy", json!({ "region": "eu", "count": null }))
        .await?;
    assert_eq!(result.as_text(), "eu None false");
    Ok(())
}
