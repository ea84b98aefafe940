//! What a visitor does, and how it leaves.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;
use vuelta::client::IntoTransport;
use vuelta::{
    Ask, Client, Context, ElicitResult, Error, Form, McpServer, Mode, Result, Server, ToolError,
    tool,
};

/// Whether to go on.
#[derive(Form, Clone)]
struct Sure {
    sure: bool,
}

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> String {
    format!("{}", a + b)
}

/// Says that it has begun, and never ends.
#[tool]
async fn hang(cx: &Context) -> Result<String, ToolError> {
    cx.progress(1).await?;
    pending::<()>().await;
    Ok(String::new())
}

/// Asks.
#[tool]
async fn ask_first(ask: Ask) -> Result<String, ToolError> {
    let sure: Sure = ask.form("sure", "Are you sure?").await?.accepted()?;
    Ok(format!("{}", sure.sure))
}

pub(crate) fn server() -> Server {
    McpServer::new("Leaks", "1.0.0")
        .tool::<add>()
        .tool::<hang>()
        .tool::<ask_first>()
        .build()
        .unwrap_or_else(|error| unreachable!("the server is well formed: {error}"))
}

/// Connects, calls a tool, and leaves: with a farewell, without one, in the middle of a call,
/// in the middle of a question, or with a subscription open.
pub(crate) async fn visit(transport: impl IntoTransport, mode: Mode, manner: usize) -> Result<()> {
    let asked = Arc::new(Notify::new());
    let heard = Arc::clone(&asked);
    let client = Client::builder()
        .mode(mode)
        .on_elicit(move |_| {
            heard.notify_one();
            pending::<ElicitResult>()
        })
        .connect(transport)
        .await?;
    let sum = client
        .call_tool("add", serde_json::json!({ "a": 1, "b": 2 }))
        .await?;
    if sum.as_text() != "3" {
        return Err(Error::peer(format!("1 + 2 is {}", sum.as_text())));
    }
    match manner % 5 {
        0 => client.close().await,
        1 => drop(client),
        2 => {
            let seen = Arc::new(Notify::new());
            let begun = Arc::clone(&seen);
            let call = client.tool("hang").on_progress(move |_| seen.notify_one());
            tokio::select! {
                result = call.send() => { result?; }
                () = begun.notified() => {}
            }
        }
        3 => {
            tokio::select! {
                result = client.call_tool("ask_first", ()) => { result?; }
                () = asked.notified() => {}
            }
        }
        _ => {
            // Older clients have no such subscriptions: they hear changes as they come.
            let opened = timeout(Duration::from_secs(10), client.listen().tools().open()).await;
            drop(client);
            drop(opened);
        }
    }
    Ok(())
}
