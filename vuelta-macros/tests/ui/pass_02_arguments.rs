//! Arguments: docs, defaults, options, names, and what is published of them.
#![deny(warnings, missing_docs, missing_debug_implementations)]
#![allow(unreachable_pub, reason = "public things have more lints")]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vuelta::{Client, Context, Json, McpServer, tool};

/// How loud.
#[derive(Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A whisper.
    Quiet,
    /// A shout.
    Loud,
}

/// Says things.
///
/// More than once, if need be.
#[tool]
pub async fn say(
    /// What to say.
    text: String,
    /// How often.
    #[default = 1]
    #[schemars(range(min = 1, max = 9))]
    mut times: u32,
    /// How loud.
    #[default = Level::Quiet]
    level: Level,
    #[default = "en"] language: String,
    to: Option<Vec<String>>,
    #[serde(rename = "type")] r#type: Option<String>,
    r#where: Option<String>,
    #[default] extra: BTreeMap<String, Value>,
) -> String {
    times += 1;
    format!(
        "{text} {times} {level:?} {language} {to:?} {type:?} {where:?} {extra:?}",
        r#where = r#where
    )
}

/// Adds.
#[tool(closed)]
fn add(a: i64, b: i64) -> Json<BTreeMap<String, i64>> {
    Json(BTreeMap::from([("sum".to_owned(), a + b)]))
}

/// Takes nothing.
#[tool]
async fn nothing(_: &Context) {}

#[tokio::test]
async fn runs() -> vuelta::Result<()> {
    let server = McpServer::new("Test", "1")
        .tool::<say>()
        .tool::<add>()
        .tool::<nothing>();
    let client = Client::builder().connect(&server.build()?).await?;
    let tools = client.list_tools().await?.tools;
    let tool = |name: &str| tools.iter().find(|tool| tool.name == name).unwrap();

    assert_eq!(
        tool("say").description.as_deref(),
        Some("Says things.\n\nMore than once, if need be.")
    );
    let schema: Value = tool("say").input_schema.parse()?;
    assert_eq!(schema["required"], json!(["text"]));
    let properties = &schema["properties"];
    assert_eq!(
        properties["text"],
        json!({ "type": "string", "description": "What to say." })
    );
    assert_eq!(
        properties["times"],
        json!({
            "type": "integer", "minimum": 1, "maximum": 9, "default": 1,
            "description": "How often."
        })
    );
    assert_eq!(
        properties["language"],
        json!({ "type": "string", "default": "en" })
    );
    assert!(properties["type"].is_object() && properties["where"].is_object());

    let schema: Value = tool("add").input_schema.parse()?;
    assert_eq!(
        schema,
        json!({
            "type": "object", "additionalProperties": false, "required": ["a", "b"],
            "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } }
        })
    );
    let schema: Value = tool("nothing").input_schema.parse()?;
    assert_eq!(schema, json!({ "type": "object" }));

    let result = client.call_tool("say", json!({ "text": "hi" })).await?;
    assert_eq!(result.as_text(), "hi 2 Quiet en None None None {}");
    let all = json!({
        "text": "hi", "times": 3, "level": "loud", "language": "es", "to": ["a"], "type": "t",
        "where": "w", "extra": { "k": 1 }
    });
    let result = client.call_tool("say", all).await?;
    assert_eq!(
        result.as_text(),
        "hi 4 Loud es Some([\"a\"]) Some(\"t\") Some(\"w\") {\"k\": Number(1)}"
    );
    let result = client.call_tool("add", json!({ "a": 1, "b": 2 })).await?;
    assert_eq!(result.structured_content.unwrap().get(), r#"{"sum":3}"#);
    assert!(
        client
            .call_tool("add", json!({ "a": 1, "b": 2, "c": 3 }))
            .await?
            .failed()
    );
    assert!(!client.call_tool("nothing", json!({})).await?.failed());
    Ok(())
}
