//! The little server of the eras, written with functions: the same for clients of every revision.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vuelta::{
    Answer, Ask, Context, Form, Json, McpServer, ProgressUpdate, Result, ToolError, prompt,
    resource, tool,
};
use vuelta_http::Listener;

use crate::interop::check::Failure;
use crate::interop::server;

use super::tickets::Tickets;

/// The name of the server.
pub(super) const NAME: &str = "eras";

/// The flag that makes the program this server, over HTTP.
pub const SERVE_HTTP: &str = "--serve-http";
/// The flag that makes the program this server, on its standard streams.
pub const SERVE_STDIO: &str = "--serve-stdio";

/// Serves on a free port of this machine until standard input ends.
///
/// # Errors
///
/// Returns an error if the server cannot listen.
pub async fn serve_http() -> Result<(), Failure> {
    let listener = Listener::bind("127.0.0.1:0").await?;
    server::announce(listener.url());
    Ok(listener.serve(build(), server::end_of_input()).await?)
}

/// Serves on standard streams.
///
/// # Errors
///
/// Returns an error if the streams break.
pub async fn serve_stdio() -> Result<(), Failure> {
    Ok(vuelta::stdio::serve(build()).await?)
}

fn build() -> McpServer {
    McpServer::new(NAME, "1.0.0")
        .state(Tickets::default())
        .tool::<add>()
        .tool::<greet>()
        .tool::<count>()
        .tool::<proceed>()
        .tool::<slow>()
        .tool::<was_cancelled>()
        .tool::<fail>()
        .tool::<change>()
        .prompt::<brief>()
        .resource::<note>()
        .resource::<greeting>()
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Adds two numbers.
#[tool]
fn add(a: i32, b: i32) -> Json<Sum> {
    Json(Sum {
        sum: i64::from(a) + i64::from(b),
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Whom {
    Guest,
    Ghost,
}

#[derive(Form)]
struct Name {
    /// How to greet them
    name: String,
}

/// Asks for a name, and greets who has it.
#[tool]
async fn greet(whom: Whom, ask: Ask) -> Result<String, ToolError> {
    let message = match whom {
        Whom::Guest => "What is the name of the guest?",
        Whom::Ghost => "What is the name of the ghost?",
    };
    Ok(match ask.form::<Name>("name", message).await? {
        Answer::Accept(Name { name }) => format!("Hello, {name}!"),
        Answer::Decline => "Nobody to greet: decline.".to_owned(),
        Answer::Cancel => "Nobody to greet: cancel.".to_owned(),
    })
}

/// Counts to three, aloud, and waits until it may end.
#[tool]
async fn count(ticket: String, cx: &Context, tickets: &Tickets) -> Result<&'static str> {
    for done in 1..=3 {
        let update = ProgressUpdate::new(done).total(3);
        cx.report(update.message(format!("{done} of 3"))).await?;
    }
    tickets.may_proceed(&ticket).await;
    Ok("counted")
}

/// Lets a call of `count` end.
#[tool]
fn proceed(ticket: String, tickets: &Tickets) -> &'static str {
    tickets.proceed(&ticket);
    "proceeding"
}

/// Works until it is cancelled.
#[tool]
async fn slow(ticket: String, cx: &Context, tickets: &Tickets) -> Result<&'static str> {
    // A body that is cancelled is dropped.
    let _working = tickets.work(&ticket);
    cx.progress(1).await?;
    std::future::pending().await
}

/// Tells what became of a call of `slow`.
#[tool]
async fn was_cancelled(ticket: String, tickets: &Tickets) -> &'static str {
    tickets.was_cancelled(&ticket).await
}

/// Fails.
#[tool]
fn fail() -> Result<&'static str, ToolError> {
    Err(ToolError::new("out of paper"))
}

/// Says that there are other tools now.
#[tool]
fn change(cx: &Context) -> &'static str {
    cx.notify_tools_list_changed();
    "changed"
}

/// Asks for a brief.
#[prompt]
fn brief(topic: String) -> String {
    format!("Write a brief about {topic}.")
}

/// A note.
#[resource("mem://note")]
fn note() -> &'static str {
    "A note."
}

/// A greeting.
#[resource("mem://greeting/{name}")]
fn greeting(name: String) -> String {
    format!("Hello, {name}!")
}
