//! Calls that ask nothing.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use vuelta::{Client, ErrorCode, Number, ProgressParams, ProtocolVersion, Raw, ResourceContents};

use crate::fixture;
use crate::interop::check::{Checked, equal, refused};
use crate::interop::server::Server;

pub(super) async fn discover(server: &Server) -> Checked {
    let client = server.connect(Client::builder()).await?;
    equal(
        "revision",
        client.protocol_version(),
        &ProtocolVersion::V2026_07_28,
    )?;
    let info = client.server_info().ok_or("no server info")?;
    equal("name", info.name, fixture::NAME)?;
    equal("version", info.version, "1.2.3")?;
    let capabilities = client.server_capabilities();
    equal("tools", capabilities.tools.is_some(), true)?;
    equal("prompts", capabilities.prompts.is_some(), true)?;
    equal("resources", capabilities.resources.is_some(), true)
}

pub(super) async fn lists(server: &Server) -> Checked {
    let client = server.connect(Client::builder()).await?;
    let tools = client.list_tools().await?.tools;
    let tools: Vec<_> = tools.into_iter().map(|tool| tool.name).collect();
    let wanted = [
        "provision",
        "three_kinds",
        "steps",
        "wait",
        "ask_url",
        "add",
        "progress",
    ];
    equal("tools", tools, wanted)?;
    let prompts = client.list_prompts().await?.prompts;
    equal(
        "prompts",
        prompts
            .into_iter()
            .map(|prompt| prompt.name)
            .collect::<Vec<_>>(),
        ["briefing"],
    )?;
    let resources = client.list_resources().await?.resources;
    equal(
        "resources",
        resources
            .into_iter()
            .map(|item| item.uri)
            .collect::<Vec<_>>(),
        ["mem://a"],
    )?;
    let templates = client.list_resource_templates().await?.resource_templates;
    let templates: Vec<_> = templates
        .into_iter()
        .map(|item| item.uri_template)
        .collect();
    equal("templates", templates, ["note:///{name}"])
}

pub(super) async fn static_resource(server: &Server) -> Checked {
    let client = server.connect(Client::builder()).await?;
    let result = client.read_resource("mem://a").await?;
    let [ResourceContents::Text(found)] = &result.contents[..] else {
        return Err(format!("expected one text, found {:?}", result.contents).into());
    };
    equal("text", &found.text, "a")
}

pub(super) async fn add(server: &Server) -> Checked {
    let client = server.connect(Client::builder()).await?;
    let result = client.call_tool("add", json!({ "a": 40, "b": 2 })).await?;
    equal("text", result.as_text(), "42")?;
    let structured = result.structured_content.as_ref().map(Raw::get);
    equal("structured content", structured, Some(r#"{"sum":42}"#))
}

pub(super) async fn progress(server: &Server) -> Checked {
    let client = server.connect(Client::builder()).await?;
    let seen: Arc<Mutex<Vec<ProgressParams>>> = Arc::default();
    let record = Arc::clone(&seen);
    let result = client
        .tool("progress")
        .on_progress(move |progress| {
            record
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(progress);
        })
        .send()
        .await?;
    equal("text", result.as_text(), "done")?;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let number =
        |update: ProgressParams| (update.progress.as_f64(), update.total.map(Number::as_f64));
    let seen: Vec<_> = seen.into_iter().map(number).collect();
    equal(
        "progress",
        seen,
        [(1.0, Some(3.0)), (2.0, Some(3.0)), (3.0, Some(3.0))],
    )?;
    equal(
        "without a token",
        client.call_tool("progress", ()).await?.as_text(),
        "done",
    )
}

pub(super) async fn unknown_names(server: &Server) -> Checked {
    let client = server.connect(Client::builder()).await?;
    let code = ErrorCode::INVALID_PARAMS;
    refused(
        client.call_tool("nope", ()).await,
        code,
        "Unknown tool: nope",
    )?;
    refused(
        client.get_prompt("nope", ()).await,
        code,
        "Unknown prompt: nope",
    )?;
    let read = client.read_resource("mem://nope").await;
    let data = refused(read, code, "Unknown resource: mem://nope")?;
    equal("error data", data, json!({ "uri": "mem://nope" }))?;
    equal(
        "afterwards",
        client
            .call_tool("add", json!({ "a": 1, "b": 1 }))
            .await?
            .as_text(),
        "2",
    )
}
