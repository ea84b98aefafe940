//! The stories of the eras, told with the client of rmcp.
//!
//! Every story prints one line, `ok NAME` or `FAIL NAME: reason`, and all of them share one
//! connection.

use std::fmt::Debug;
use std::pin::Pin;
use std::time::Duration;

use rmcp::model::{
    CallToolResult, ElicitRequestParams, ErrorCode, GetPromptRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ResourceContents,
    ServerNotification, ServerResult, SubscriptionFilter,
};
use rmcp::service::ServiceError;
use serde_json::{Value, json};

use crate::Failure;
use crate::client::{Session, Target};

/// The question that is answered; others are declined.
pub(crate) const GUEST: &str = "What is the name of the guest?";

const PATIENCE: Duration = Duration::from_secs(15);

type Told = Result<(), Failure>;
type Running<'a> = Pin<Box<dyn Future<Output = Told> + 'a>>;
type Story = (&'static str, for<'a> fn(&'a Session, bool) -> Running<'a>);

macro_rules! story {
    ($name:ident) => {
        (stringify!($name), |session, modern| {
            Box::pin($name(session, modern))
        })
    };
}

const STORIES: &[Story] = &[
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

/// Tells every story, and returns whether all passed.
pub(crate) async fn tell(target: Target<'_>, modern: bool) -> Result<bool, Failure> {
    let session = match Session::connect(target, modern).await {
        Ok(session) => session,
        Err(failure) => {
            for (name, _) in STORIES {
                report(name, &failure);
            }
            return Ok(false);
        }
    };
    let mut passed = true;
    for (name, story) in STORIES {
        let told = tokio::time::timeout(PATIENCE, story(&session, modern))
            .await
            .unwrap_or_else(|_| Err(format!("not done after {PATIENCE:?}").into()));
        match told {
            Ok(()) => println!("ok {name}"),
            Err(failure) => {
                passed = false;
                report(name, &failure);
            }
        }
    }
    session.service.cancel().await?;
    Ok(passed)
}

fn report(name: &str, failure: &Failure) {
    println!("FAIL {name}: {}", failure.to_string().replace('\n', " "));
}

fn equal<F: Debug + PartialEq<W>, W: Debug>(what: &str, found: F, wanted: W) -> Told {
    if found == wanted {
        return Ok(());
    }
    Err(format!("{what}: found {found:?}, expected {wanted:?}").into())
}

/// Checks a result of a tool that is one text, and no error.
fn text(result: &CallToolResult, wanted: &str) -> Told {
    equal("isError", result.is_error.unwrap_or_default(), false)?;
    let texts: Vec<_> = result
        .content
        .iter()
        .map(|block| block.as_text().map(|text| text.text.as_str()))
        .collect();
    equal("content", texts, [Some(wanted)])
}

async fn connect(session: &Session, modern: bool) -> Told {
    let revision = if modern {
        ProtocolVersion::V_2026_07_28
    } else {
        ProtocolVersion::V_2025_11_25
    };
    let server = session.service.peer_info().ok_or("no server info")?;
    equal("revision", &server.protocol_version, &revision)?;
    let info = server.server_info.as_ref().ok_or("no server info")?;
    equal("name", info.name.as_str(), "eras")?;
    let capabilities = &server.capabilities;
    equal("tools", capabilities.tools.is_some(), true)?;
    equal("prompts", capabilities.prompts.is_some(), true)?;
    equal("resources", capabilities.resources.is_some(), true)
}

async fn lists(session: &Session, _: bool) -> Told {
    let tools = session.service.list_all_tools().await?;
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
        equal(wanted, tools.iter().any(|tool| tool.name == wanted), true)?;
    }
    let prompts = session.service.list_all_prompts().await?;
    let prompts: Vec<_> = prompts.into_iter().map(|prompt| prompt.name).collect();
    equal("prompts", prompts, ["brief"])?;
    let resources = session.service.list_all_resources().await?;
    let resources: Vec<_> = resources.into_iter().map(|item| item.uri).collect();
    equal("resources", resources, ["mem://note"])?;
    let templates = session.service.list_all_resource_templates().await?;
    let templates: Vec<_> = templates
        .into_iter()
        .map(|item| item.uri_template)
        .collect();
    equal("templates", templates, ["mem://greeting/{name}"])
}

async fn call(session: &Session, _: bool) -> Told {
    let result = session.call("add", json!({ "a": 40, "b": 2 })).await?;
    equal("isError", result.is_error.unwrap_or_default(), false)?;
    let wanted = Some(json!({ "sum": 42 }));
    equal("structuredContent", result.structured_content, wanted)
}

async fn ask(session: &Session, _: bool) -> Told {
    session.heard.asked().clear();
    let result = session.call("greet", json!({ "whom": "guest" })).await?;
    text(&result, "Hello, Ada!")?;
    let asked = session.heard.asked().clone();
    let [
        ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        },
    ] = &asked[..]
    else {
        return Err(format!("expected one form, found {asked:?}").into());
    };
    equal("question", message.as_str(), GUEST)?;
    let schema = serde_json::to_value(requested_schema)?;
    let kind = &schema["properties"]["name"]["type"];
    equal("type of name", kind, "string")?;
    equal("required", &schema["required"], &json!(["name"]))
}

async fn decline(session: &Session, _: bool) -> Told {
    let result = session.call("greet", json!({ "whom": "ghost" })).await?;
    text(&result, "Nobody to greet: decline.")
}

async fn prompt(session: &Session, _: bool) -> Told {
    let Value::Object(arguments) = json!({ "topic": "birds" }) else {
        return Ok(());
    };
    let params = GetPromptRequestParams::new("brief").with_arguments(arguments);
    let result = session.service.get_prompt(params).await?;
    let messages = serde_json::to_value(&result.messages)?;
    let content = json!({ "type": "text", "text": "Write a brief about birds." });
    let wanted = json!([{ "role": "user", "content": content }]);
    equal("messages", messages, wanted)
}

async fn resource(session: &Session, _: bool) -> Told {
    for (uri, wanted) in [
        ("mem://note", "A note."),
        ("mem://greeting/Bo", "Hello, Bo!"),
    ] {
        let params = ReadResourceRequestParams::new(uri);
        let result = session.service.read_resource(params).await?;
        let [ResourceContents::TextResourceContents { uri: of, text, .. }] = &result.contents[..]
        else {
            return Err(format!("expected one text, found {:?}", result.contents).into());
        };
        equal("uri", of.as_str(), uri)?;
        equal("text", text.as_str(), wanted)?;
    }
    Ok(())
}

/// The call ends once it is told that its last update has come.
async fn progress(session: &Session, _: bool) -> Told {
    let ticket = json!({ "ticket": format!("rmcp progress {}", std::process::id()) });
    let counting = session.begin("count", ticket.clone()).await?;
    let token = counting.progress_token.clone();
    let mut counting = Box::pin(counting.await_response());
    let mut seen: Vec<ProgressNotificationParam>;
    loop {
        tokio::select! {
            () = session.heard.progressed.notified() => {}
            ended = &mut counting => return Err(format!("it ended by itself: {ended:?}").into()),
        }
        seen = session.heard.progress().clone();
        seen.retain(|update| update.progress_token == token);
        if seen.len() >= 3 {
            break;
        }
    }
    // Each update is handled by a task of its own, in whatever order these run.
    seen.sort_by(|one, other| one.progress.total_cmp(&other.progress));
    let seen: Vec<_> = seen
        .into_iter()
        .map(|update| (update.progress, update.total, update.message))
        .collect();
    let wanted = [1.0, 2.0, 3.0].map(|done| (done, Some(3.0), Some(format!("{done} of 3"))));
    equal("progress", seen, wanted)?;
    text(&session.call("proceed", ticket).await?, "proceeding")?;
    match counting.await? {
        ServerResult::CallToolResult(result) => text(&result, "counted"),
        other => Err(format!("expected a result of a tool, found {other:?}").into()),
    }
}

/// The call is given up once the server says that it works on it.
async fn cancel(session: &Session, _: bool) -> Told {
    let ticket = json!({ "ticket": format!("rmcp cancel {}", std::process::id()) });
    let mut slow = session.begin("slow", ticket.clone()).await?;
    loop {
        let works = session
            .heard
            .progress()
            .iter()
            .any(|update| update.progress_token == slow.progress_token);
        if works {
            break;
        }
        tokio::select! {
            () = session.heard.progressed.notified() => {}
            ended = &mut slow.rx => return Err(format!("it ended by itself: {ended:?}").into()),
        }
    }
    slow.cancel(Some("no longer wanted".to_owned())).await?;
    text(&session.call("was_cancelled", ticket).await?, "cancelled")?;
    let nobody = json!({ "ticket": "nobody's" });
    text(&session.call("was_cancelled", nobody).await?, "unknown")
}

async fn listen(session: &Session, modern: bool) -> Told {
    if !modern {
        text(&session.call("change", json!({})).await?, "changed")?;
        session.heard.tools_changed.notified().await;
        return Ok(());
    }
    let mut filter = SubscriptionFilter::default();
    filter.tools_list_changed = Some(true);
    let mut changes = session.service.listen(filter).await?;
    let honoured = changes.acknowledged().tools_list_changed;
    equal("honoured", honoured, Some(true))?;
    text(&session.call("change", json!({})).await?, "changed")?;
    match changes.next().await? {
        Some(ServerNotification::ToolListChangedNotification(_)) => Ok(changes.cancel().await?),
        other => Err(format!("expected a change of tools, found {other:?}").into()),
    }
}

async fn unknown_tool(session: &Session, _: bool) -> Told {
    match session.call("nope", json!({})).await {
        Err(ServiceError::McpError(error)) => {
            equal("error code", error.code, ErrorCode::INVALID_PARAMS)
        }
        other => Err(format!("expected an error, found {other:?}").into()),
    }
}

async fn failing_tool(session: &Session, _: bool) -> Told {
    let result = session.call("fail", json!({})).await?;
    equal("isError", result.is_error, Some(true))?;
    let says = format!("{:?}", result.content).contains("out of paper");
    equal("that the text has the reason", says, true)
}
