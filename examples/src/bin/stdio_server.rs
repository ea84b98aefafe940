//! A server on stdin and stdout, as hosts start them: its tool asks before it forgets.
//!
//! Try it with any MCP host, or with `vuelta call -- target/debug/stdio_server`. It serves
//! clients of every revision; what the body prints does not disturb the protocol.

use std::sync::Mutex;

use vuelta::{Ask, Form, McpServer, Result, ToolError, tool};

/// What the user decides.
#[derive(Form)]
struct Decision {
    /// Whether all notes may go
    forget: bool,
}

/// The notes of this process.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    fn all(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Keeps a note.
#[tool]
async fn remember(note: String, notes: &Notes) -> String {
    let mut all = notes.all();
    all.push(note);
    println!("{} notes", all.len());
    format!("{} notes", all.len())
}

/// Forgets all notes, if the user agrees.
#[tool]
async fn forget(notes: &Notes, ask: Ask) -> Result<String, ToolError> {
    let count = notes.all().len();
    let message = format!("Forget {count} notes?");
    let Decision { forget } = ask.form::<Decision>("forget", message).await?.accepted()?;
    if !forget {
        return Ok(format!("Kept {count} notes."));
    }
    notes.all().clear();
    Ok(format!("Forgot {count} notes."))
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = McpServer::new("Notes", "1.0.0")
        .state(Notes::default())
        .tool::<remember>()
        .tool::<forget>();
    vuelta::stdio::serve(server).await
}
