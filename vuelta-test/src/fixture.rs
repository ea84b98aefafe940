//! The provisioning server that stories and programs in other languages call.
//!
//! Each tool, prompt and resource is one function. It reads what the round brought from the
//! [`Context`] and returns a result, or a question with the state to go on from. Nothing is
//! kept between two rounds, so any instance can serve any of them.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use vuelta::seal::{Audience, RequestStateBoundary, RequestStateSecurity};
use vuelta::wire::{NumberKind, TextResourceContents};
use vuelta::{
    Arguments, CallToolParams, CallToolResult, Context, CreateMessageParams, CreateMessageResult,
    ElicitAction, ElicitForm, ElicitResult, ElicitUrl, Error, FormSchema, GetPromptParams,
    GetPromptResult, InputRequired, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListRootsParams, ListRootsResult, ListToolsResult, NumberSchema, Outcome,
    PaginatedParams, ProgressUpdate, Prompt, PromptMessage, ReadResourceParams, ReadResourceResult,
    Resource, ResourceTemplate, Result, SamplingMessage, Server, StringSchema, Tool,
};

/// The name of the server, which is the audience of its state.
pub const NAME: &str = "wire-server";

const VERSION: &str = "1.2.3";
const NOTE: &str = "note:///";
const STATIC: &str = "mem://a";

/// Creates the server; without `security` its state travels as it is.
///
/// # Panics
///
/// Panics if `security` cannot be used: if its ttl is zero.
#[must_use]
pub fn server(security: Option<RequestStateSecurity>) -> Server {
    built(security, false)
}

/// Creates the server, with its questions put to clients of older revisions too.
///
/// # Panics
///
/// As [`server`].
#[must_use]
pub fn bridged(security: Option<RequestStateSecurity>) -> Server {
    built(security, true)
}

fn built(security: Option<RequestStateSecurity>, bridges: bool) -> Server {
    let mut builder = Server::builder(NAME, VERSION)
        .on_list_tools(list_tools)
        .on_call_tool(call_tool)
        .on_list_prompts(list_prompts)
        .on_get_prompt(get_prompt)
        .on_list_resources(list_resources)
        .on_list_resource_templates(list_templates)
        .on_read_resource(read_resource)
        .legacy_bridge(bridges);
    if let Some(security) = security {
        builder = builder.layer(RequestStateBoundary::new(security, Audience::Server));
    }
    builder.build().expect("the security can be used")
}

async fn list_tools(_: Context, _: PaginatedParams) -> Result<ListToolsResult> {
    Ok(ListToolsResult::new([
        tool("provision", &[("name", "string")]),
        tool("three_kinds", &[]),
        tool("steps", &[]),
        tool("wait", &[]),
        tool("ask_url", &[]),
        tool("add", &[("a", "integer"), ("b", "integer")]),
        tool("progress", &[]),
    ]))
}

/// Describes a tool by its arguments and their JSON types; all are required.
fn tool(name: &str, arguments: &[(&str, &str)]) -> Tool {
    let properties: Map<String, Value> = arguments
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), json!({ "type": kind })))
        .collect();
    let required: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
    Tool::new(
        name,
        json!({ "type": "object", "properties": properties, "required": required }),
    )
}

async fn call_tool(cx: Context, params: CallToolParams) -> Result<Outcome<CallToolResult>> {
    match params.name.as_str() {
        "provision" => Ok(provision(&cx, &params)),
        "three_kinds" => Ok(three_kinds(&cx)),
        "steps" => Ok(steps(&cx)),
        "wait" => Ok(wait(&cx)),
        "ask_url" => Ok(ask_url(&cx)),
        "add" => Ok(add(&params)),
        "progress" => progress(&cx).await,
        unknown => Err(Error::unknown_tool(unknown)),
    }
}

#[derive(Deserialize)]
struct Database {
    name: String,
}

#[derive(Deserialize)]
struct Region {
    region: String,
}

fn provision(cx: &Context, params: &CallToolParams) -> Outcome<CallToolResult> {
    let Database { name } = match arguments(params) {
        Ok(database) => database,
        Err(unusable) => return unusable.into(),
    };
    if cx.state() == Some("provision-v1")
        && let Some(answer) = answer::<ElicitResult>(cx, "region")
    {
        match answer.action {
            ElicitAction::Accept => {
                if let Ok(Some(Region { region })) = answer.accepted() {
                    return CallToolResult::text(format!("Provisioned {name} in {region}.")).into();
                }
            }
            ElicitAction::Decline => {
                return CallToolResult::text("Not provisioned: decline.").into();
            }
            ElicitAction::Cancel => return CallToolResult::text("Not provisioned: cancel.").into(),
        }
    }
    InputRequired::new()
        .ask(
            "region",
            form("Which region should the database live in?", "region"),
        )
        .state("provision-v1")
        .into()
}

#[derive(Deserialize)]
struct Age {
    age: i64,
}

fn three_kinds(cx: &Context) -> Outcome<CallToolResult> {
    if cx.state() == Some("three")
        && let Some(Age { age }) = accepted(cx, "age")
        && let Some(sampled) = answer::<CreateMessageResult>(cx, "capital")
        && let Some(capital) = sampled.content.as_text()
        && let Some(ListRootsResult { roots, .. }) = answer(cx, "roots")
    {
        return CallToolResult::text(format!("{age}/{capital}/{}", roots.len())).into();
    }
    let age = FormSchema::new().required("age", NumberSchema::new(NumberKind::Integer));
    let capital = CreateMessageParams::new([SamplingMessage::user("Capital of France?")], 16_u64);
    InputRequired::new()
        .ask("age", ElicitForm::new("How old?", age))
        .ask("capital", capital)
        .ask("roots", ListRootsParams::new())
        .state("three")
        .into()
}

#[derive(Deserialize)]
struct Step {
    value: String,
}

/// Two rounds; the second state carries the answer of the first, which is not sent again.
fn steps(cx: &Context) -> Outcome<CallToolResult> {
    let state = cx.state().unwrap_or_default();
    let first = match state.strip_prefix("2:") {
        Some(first) => first.to_owned(),
        None => match accepted(cx, "first").filter(|_| state == "1") {
            Some(Step { value }) => value,
            None => {
                return InputRequired::new()
                    .ask("first", form("First?", "value"))
                    .state("1")
                    .into();
            }
        },
    };
    match accepted(cx, "second") {
        Some(Step { value: second }) => CallToolResult::text(format!("{first},{second}")).into(),
        None => InputRequired::new()
            .ask("second", form("Second?", "value"))
            .state(format!("2:{first}"))
            .into(),
    }
}

/// Asks nothing: the client is to come back.
fn wait(cx: &Context) -> Outcome<CallToolResult> {
    match cx.state() {
        Some("w2") => CallToolResult::text("waited 2").into(),
        Some("w1") => InputRequired::new().state("w2").into(),
        _ => InputRequired::new().state("w1").into(),
    }
}

fn ask_url(cx: &Context) -> Outcome<CallToolResult> {
    match answer::<ElicitResult>(cx, "auth") {
        Some(answer) if answer.action == ElicitAction::Accept => {
            CallToolResult::text("signed in").into()
        }
        _ => InputRequired::new()
            .ask(
                "auth",
                ElicitUrl::new("Sign in", "https://example.com/sign-in"),
            )
            .into(),
    }
}

#[derive(Deserialize)]
struct Summands {
    a: i64,
    b: i64,
}

fn add(params: &CallToolParams) -> Outcome<CallToolResult> {
    let Summands { a, b } = match arguments(params) {
        Ok(summands) => summands,
        Err(unusable) => return unusable.into(),
    };
    match a.checked_add(b) {
        Some(sum) => CallToolResult::text(sum.to_string())
            .structured_content(json!({ "sum": sum }))
            .into(),
        None => CallToolResult::error("the sum is out of range").into(),
    }
}

async fn progress(cx: &Context) -> Result<Outcome<CallToolResult>> {
    for done in 1..=3 {
        cx.report(ProgressUpdate::new(done).total(3)).await?;
    }
    Ok(CallToolResult::text("done").into())
}

async fn list_prompts(_: Context, _: PaginatedParams) -> Result<ListPromptsResult> {
    Ok(ListPromptsResult::new([Prompt::new("briefing")]))
}

#[derive(Deserialize)]
struct Readers {
    audience: String,
}

async fn get_prompt(cx: Context, params: GetPromptParams) -> Result<Outcome<GetPromptResult>> {
    if params.name != "briefing" {
        return Err(Error::unknown_prompt(&params.name));
    }
    if cx.state() == Some("briefing-v1")
        && let Some(Readers { audience }) = accepted(&cx, "audience")
    {
        let message = PromptMessage::user(format!("Write a briefing for {audience}."));
        return Ok(GetPromptResult::new([message]).into());
    }
    Ok(InputRequired::new()
        .ask("audience", form("Who is the briefing for?", "audience"))
        .state("briefing-v1")
        .into())
}

async fn list_resources(_: Context, _: PaginatedParams) -> Result<ListResourcesResult> {
    Ok(ListResourcesResult::new([Resource::new(STATIC, "a")]))
}

async fn list_templates(_: Context, _: PaginatedParams) -> Result<ListResourceTemplatesResult> {
    Ok(ListResourceTemplatesResult::new([ResourceTemplate::new(
        format!("{NOTE}{{name}}"),
        "note",
    )]))
}

#[derive(Deserialize)]
struct Language {
    lang: String,
}

async fn read_resource(
    cx: Context,
    params: ReadResourceParams,
) -> Result<Outcome<ReadResourceResult>> {
    let uri = params.uri;
    if uri == STATIC {
        return Ok(contents(&uri, "a").into());
    }
    let Some(name) = uri.strip_prefix(NOTE) else {
        return Err(Error::unknown_resource(&uri));
    };
    if cx.state() == Some("note-v1")
        && let Some(Language { lang }) = accepted(&cx, "lang")
    {
        return Ok(contents(&uri, format!("{name} in {lang}")).into());
    }
    Ok(InputRequired::new()
        .ask("lang", form("Which language?", "lang"))
        .state("note-v1")
        .into())
}

fn contents(uri: &str, text: impl Into<String>) -> ReadResourceResult {
    ReadResourceResult::new([TextResourceContents::new(uri, text)
        .mime_type("text/plain")
        .into()])
}

/// A form of one required text field.
fn form(message: &str, field: &str) -> ElicitForm {
    ElicitForm::new(
        message,
        FormSchema::new().required(field, StringSchema::new()),
    )
}

/// Returns the answer to `key`, if there is one of the right form.
fn answer<T: DeserializeOwned>(cx: &Context, key: &str) -> Option<T> {
    cx.answers().parse(key).ok().flatten()
}

/// Returns what the user filled in under `key`, if it was accepted and has the right form.
fn accepted<T: DeserializeOwned>(cx: &Context, key: &str) -> Option<T> {
    answer::<ElicitResult>(cx, key)?.accepted().ok().flatten()
}

/// Decodes a tool's arguments; what does not fit is a result for the model, which can try
/// again.
fn arguments<T: DeserializeOwned>(params: &CallToolParams) -> Result<T, CallToolResult> {
    let json = params.arguments.as_ref().map_or("{}", Arguments::get);
    vuelta::wire::decode(json).map_err(|error| CallToolResult::error(error.to_string()))
}
