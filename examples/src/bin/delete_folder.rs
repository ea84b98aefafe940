//! Questions in a straight line: `ask` in the middle of a body.
//!
//! ```console
//! $ cargo run -p examples --bin delete_folder
//! ```
//!
//! The body ends at the question and runs again with the answer. What must not happen twice is
//! wrapped in `once`: its result rides the sealed state.

use std::env;
use std::path::Path;

use vuelta::{Ask, Form, McpServer, Result, ToolError, tool};
use vuelta_http::Listener;

#[derive(Form)]
struct Confirm {
    /// Really delete them?
    sure: bool,
}

/// Delete a folder and what is in it, after confirmation.
#[tool(destructive)]
async fn delete(path: String, ask: Ask) -> Result<String, ToolError> {
    let files = ask.once("count", || count_files(&path)).await?;
    let message = format!("Delete {path} with {files} files?");
    let Confirm { sure } = ask.form("sure", message).await?.accepted()?;
    if !sure {
        return Ok("Nothing was deleted.".to_owned());
    }
    tokio::fs::remove_dir_all(&path).await?;
    Ok(format!("Deleted {path} with {files} files."))
}

async fn count_files(path: &str) -> Result<usize, ToolError> {
    let mut entries = tokio::fs::read_dir(Path::new(path)).await?;
    let mut files = 0;
    while entries.next_entry().await?.is_some() {
        files += 1;
    }
    Ok(files)
}

#[tokio::main]
async fn main() -> Result<()> {
    let address = env::args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:8000".to_owned());
    let listener = Listener::bind(address).await?;
    println!("listening on {}", listener.url());
    let server = McpServer::new("Janitor", "1.0.0").tool::<delete>();
    let interrupt = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    listener.serve(server, interrupt).await
}
