//! The stories of the eras as our client tells them; the peers' clients tell the same.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tokio::sync::Notify;
use vuelta::{
    CallToolResult, ChangeEvent, ContentBlock, ElicitParams, ErrorCode, Number, PrimitiveSchema,
    ProgressParams, ProtocolVersion, Raw, ResourceContents, Role,
};

use crate::interop::check::{Checked, Failure, equal};

use super::columns::Era;
use super::fixture;
use super::target::Session;

/// The question that is answered.
pub(super) const GUEST: &str = "What is the name of the guest?";
/// The question that is declined.
pub(super) const GHOST: &str = "What is the name of the ghost?";

pub(super) type Running<'a> = Pin<Box<dyn Future<Output = Checked> + Send + 'a>>;
type Story = (&'static str, for<'a> fn(&'a Session, Era) -> Running<'a>);

macro_rules! story {
    ($name:ident) => {
        (stringify!($name), |session, era| {
            Box::pin($name(session, era))
        })
    };
}

/// The rows of every matrix.
pub(super) const STORIES: &[Story] = &[
    story!(connect),
    story!(lists),
    story!(call),
    story!(ask),
    story!(decline),
    story!(prompt),
    story!(resource),
    story!(progress),
    story!(cancel),
    story!(listen),
    story!(unknown_tool),
    story!(failing_tool),
];

async fn connect(session: &Session, era: Era) -> Checked {
    let client = &session.client;
    let revision = match era {
        Era::Modern => ProtocolVersion::V2026_07_28,
        Era::Legacy | Era::Fallback => ProtocolVersion::V2025_11_25,
    };
    equal("revision", client.protocol_version(), &revision)?;
    let info = client.server_info().ok_or("no server info")?;
    equal("name", info.name, fixture::NAME)?;
    let capabilities = client.server_capabilities();
    equal("tools", capabilities.tools.is_some(), true)?;
    equal("prompts", capabilities.prompts.is_some(), true)?;
    equal("resources", capabilities.resources.is_some(), true)
}

async fn lists(session: &Session, _: Era) -> Checked {
    let client = &session.client;
    let tools = client.list_tools().await?.tools;
    for wanted in [
        "add",
        "greet",
        "count",
        "proceed",
        "slow",
        "was_cancelled",
        "fail",
        "change",
    ] {
        let found = tools.iter().any(|tool| tool.name == wanted);
        equal(wanted, found, true)?;
    }
    let prompts = client.list_prompts().await?.prompts;
    let prompts: Vec<_> = prompts.into_iter().map(|prompt| prompt.name).collect();
    equal("prompts", prompts, ["brief"])?;
    let resources = client.list_resources().await?.resources;
    let resources: Vec<_> = resources.into_iter().map(|item| item.uri).collect();
    equal("resources", resources, ["mem://note"])?;
    let templates = client.list_resource_templates().await?.resource_templates;
    let templates: Vec<_> = templates
        .into_iter()
        .map(|item| item.uri_template)
        .collect();
    equal("templates", templates, ["mem://greeting/{name}"])
}

async fn call(session: &Session, _: Era) -> Checked {
    let arguments = json!({ "a": 40, "b": 2 });
    let result = session.client.call_tool("add", arguments).await?;
    equal("is_error", result.is_error.unwrap_or_default(), false)?;
    let structured = result.structured_content.as_ref().map(Raw::parse);
    let structured: Option<serde_json::Value> = structured.transpose()?;
    equal("structured content", structured, Some(json!({ "sum": 42 })))
}

async fn ask(session: &Session, _: Era) -> Checked {
    let greeted = session
        .client
        .call_tool("greet", json!({ "whom": "guest" }))
        .await?;
    text(&greeted, "Hello, Ada!")?;
    let asked = session.user.asked();
    let [ElicitParams::Form(question)] = &asked[..] else {
        return Err(format!("expected one form, found {asked:?}").into());
    };
    equal("question", question.message.as_str(), GUEST)?;
    let schema = &question.requested_schema;
    let name = schema.properties.get("name");
    let is_text = matches!(name, Some(PrimitiveSchema::String(_)));
    equal("that the name is a text", is_text, true)?;
    equal("that it is required", schema.is_required("name"), true)
}

async fn decline(session: &Session, _: Era) -> Checked {
    let declined = session
        .client
        .call_tool("greet", json!({ "whom": "ghost" }))
        .await?;
    text(&declined, "Nobody to greet: decline.")
}

async fn prompt(session: &Session, _: Era) -> Checked {
    let topic = json!({ "topic": "birds" });
    let result = session.client.get_prompt("brief", topic).await?;
    let [message] = &result.messages[..] else {
        return Err(format!("expected one message, found {:?}", result.messages).into());
    };
    equal("role", &message.role, &Role::User)?;
    let ContentBlock::Text(content) = &message.content else {
        return Err(format!("expected a text, found {:?}", message.content).into());
    };
    equal("text", content.text.as_str(), "Write a brief about birds.")
}

async fn resource(session: &Session, _: Era) -> Checked {
    for (uri, wanted) in [
        ("mem://note", "A note."),
        ("mem://greeting/Bo", "Hello, Bo!"),
    ] {
        let result = session.client.read_resource(uri).await?;
        let [ResourceContents::Text(found)] = &result.contents[..] else {
            return Err(format!("expected one text, found {:?}", result.contents).into());
        };
        equal("uri", found.uri.as_str(), uri)?;
        equal("text", found.text.as_str(), wanted)?;
    }
    Ok(())
}

/// The call ends once it is told that its last update has come.
async fn progress(session: &Session, era: Era) -> Checked {
    let client = &session.client;
    let ticket = json!({ "ticket": format!("progress {}", era.name()) });
    let (seen, complete) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Notify::new()));
    let (record, last) = (Arc::clone(&seen), Arc::clone(&complete));
    let counting = client.tool("count").arguments(&ticket);
    let counting = counting.on_progress(move |update: ProgressParams| {
        let is_last = update.total == Some(update.progress);
        locked(&record).push(update);
        if is_last {
            last.notify_one();
        }
    });
    let mut counting = pin!(counting.send());
    tokio::select! {
        () = complete.notified() => {}
        ended = &mut counting => return Err(format!("it ended by itself: {ended:?}").into()),
    }
    let updates: Vec<_> = locked(&seen)
        .iter()
        .map(|update| {
            let total = update.total.map(Number::as_f64);
            (update.progress.as_f64(), total, update.message.clone())
        })
        .collect();
    let wanted = [1.0, 2.0, 3.0].map(|done| (done, Some(3.0), Some(format!("{done} of 3"))));
    equal("progress", updates, wanted)?;
    text(&client.call_tool("proceed", &ticket).await?, "proceeding")?;
    text(&counting.await?, "counted")
}

/// The call is given up once the server says that it works on it.
async fn cancel(session: &Session, era: Era) -> Checked {
    let client = &session.client;
    let ticket = json!({ "ticket": format!("cancel {}", era.name()) });
    let working = Arc::new(Notify::new());
    let told = Arc::clone(&working);
    let slow = client.tool("slow").arguments(&ticket);
    let slow = slow.on_progress(move |_| told.notify_one()).send();
    tokio::select! {
        () = working.notified() => {}
        ended = slow => return Err(format!("it ended by itself: {ended:?}").into()),
    }
    text(
        &client.call_tool("was_cancelled", &ticket).await?,
        "cancelled",
    )?;
    let nobody = json!({ "ticket": "nobody's" });
    text(&client.call_tool("was_cancelled", nobody).await?, "unknown")
}

async fn listen(session: &Session, era: Era) -> Checked {
    let client = &session.client;
    match era {
        Era::Modern => {
            let mut changes = client.listen().tools().open().await?;
            let honoured = changes.honoured().tools_list_changed;
            equal("honoured", honoured, Some(true))?;
            text(&client.call_tool("change", ()).await?, "changed")?;
            let heard = changes.next().await.ok_or("the stream has ended")??;
            equal("change", heard, ChangeEvent::ToolsListChanged)
        }
        Era::Legacy | Era::Fallback => {
            text(&client.call_tool("change", ()).await?, "changed")?;
            session.tools_changed.notified().await;
            Ok(())
        }
    }
}

async fn unknown_tool(session: &Session, _: Era) -> Checked {
    match session.client.call_tool("nope", ()).await {
        Ok(result) => Err(format!("expected an error, found {result:?}").into()),
        Err(error) => {
            let code = error.as_rpc().map(|object| object.code);
            equal("error code", code, Some(ErrorCode::INVALID_PARAMS))
        }
    }
}

async fn failing_tool(session: &Session, _: Era) -> Checked {
    let result = session.client.call_tool("fail", ()).await?;
    equal("is_error", result.is_error, Some(true))?;
    let says = result.as_text().contains("out of paper");
    equal("that the text has the reason", says, true)
}

/// Checks a result of a tool that is one text, and no error.
fn text(result: &CallToolResult, wanted: &str) -> Checked {
    equal("is_error", result.is_error.unwrap_or_default(), false)?;
    equal("text", result.as_text(), wanted)
}

fn locked<T>(values: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    values.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns why nothing could be told, for each row.
pub(super) fn all_failed(failure: &Failure) -> impl Iterator<Item = (String, Checked)> {
    let reason = failure.to_string();
    STORIES
        .iter()
        .map(move |(name, _)| ((*name).to_owned(), Err(reason.clone().into())))
}
