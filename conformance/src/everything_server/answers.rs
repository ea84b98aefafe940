//! Tools that answer at once: with every kind of content, with progress, with logs, with an error.

use std::time::Duration;

use serde_json::json;
use vuelta::wire::TextResourceContents;
use vuelta::{
    AudioContent, ContentBlock, Context, EmbeddedResource, ImageContent, LoggingLevel, McpServer,
    ProgressUpdate, Result, ToolError, tool,
};

use crate::samples;

pub(crate) fn register(server: McpServer) -> McpServer {
    server
        .tool::<test_simple_text>()
        .tool::<test_image_content>()
        .tool::<test_audio_content>()
        .tool::<test_embedded_resource>()
        .tool::<test_multiple_content_types>()
        .tool::<test_error_handling>()
        .tool::<test_tool_with_progress>()
        .tool::<test_tool_with_logging>()
        .tool::<test_logging_tool>()
        .tool::<test_reconnection>()
}

/// Answers with text.
#[tool]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Answers with a picture.
#[tool]
fn test_image_content() -> ContentBlock {
    picture()
}

/// Answers with a sound.
#[tool]
fn test_audio_content() -> ContentBlock {
    AudioContent::new(samples::WAV, "audio/wav").into()
}

/// Answers with the contents of a resource.
#[tool]
fn test_embedded_resource() -> ContentBlock {
    let text = "This is an embedded resource content.";
    let contents = TextResourceContents::new("test://embedded-resource", text);
    EmbeddedResource::new(contents.mime_type("text/plain")).into()
}

/// Answers with text, a picture and the contents of a resource.
#[tool]
fn test_multiple_content_types() -> Vec<ContentBlock> {
    let data = json!({ "test": "data", "value": 123 }).to_string();
    let contents = TextResourceContents::new("test://mixed-content-resource", data);
    vec![
        ContentBlock::text("Multiple content types test:"),
        picture(),
        EmbeddedResource::new(contents.mime_type("application/json")).into(),
    ]
}

/// Always fails, as a tool does.
#[tool]
fn test_error_handling() -> Result<String, ToolError> {
    Err(ToolError::new(
        "This tool intentionally returns an error for testing",
    ))
}

/// Tells three times how far it is.
#[tool]
async fn test_tool_with_progress(cx: &Context) -> Result<&'static str> {
    for progress in [0, 50, 100] {
        cx.report(ProgressUpdate::new(progress).total(100)).await?;
    }
    Ok("Tool execution completed")
}

/// Logs three times.
#[tool]
async fn test_tool_with_logging(cx: &Context) -> Result<&'static str> {
    log_steps(cx).await
}

/// Has its stream closed while it works: the result is there when the client asks for it.
#[tool]
async fn test_reconnection(cx: &Context) -> &'static str {
    cx.pause_stream(Duration::from_millis(100)).await;
    "The stream was closed and asked for again."
}

/// Logs to whom asked for it.
#[tool]
async fn test_logging_tool(cx: &Context) -> Result<&'static str> {
    log_steps(cx).await
}

async fn log_steps(cx: &Context) -> Result<&'static str> {
    for step in ["started", "processing data", "completed"] {
        let line = format!("Tool execution {step}");
        cx.log(LoggingLevel::Info, line.as_str()).await?;
    }
    Ok("Tool execution completed")
}

fn picture() -> ContentBlock {
    ImageContent::new(samples::PNG, "image/png").into()
}
