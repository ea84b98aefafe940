//! What goes to standard output and what to standard error.
//!
//! Results go to standard output, so that another program can read them; everything else
//! goes to standard error.

use std::io::{self, IsTerminal as _, Write as _};

use vuelta::{CallToolResult, ContentBlock, Raw};

use crate::exit::Failure;
use crate::printable;

/// Where the rounds are told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Out,
    Err,
}

impl Stream {
    /// Writes text; one that cannot be written is lost, as nothing depends on it.
    pub(crate) fn tell(self, text: &str) {
        let _ = match self {
            Self::Out => io::stdout().lock().write_all(text.as_bytes()),
            Self::Err => io::stderr().lock().write_all(text.as_bytes()),
        };
    }
}

/// Writes a line to standard error.
pub(crate) fn note(text: &str) {
    Stream::Err.tell(&format!("{text}\n"));
}

/// Writes a line to standard output.
///
/// # Errors
///
/// Returns an error if it cannot be written, other than to a reader who has seen enough.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Failed(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Writes what a tool says; what is no text is named on standard error.
///
/// # Errors
///
/// Returns an error if standard output cannot be written.
pub(crate) fn print_result(result: &CallToolResult) -> Result<(), Failure> {
    let Shown { text, left_out } = show(result);
    if let Some(text) = text {
        print_text(&text)?;
    }
    for what in left_out {
        note_left_out(&what);
    }
    Ok(())
}

/// Returns what a result of a tool is called.
pub(crate) fn outcome(result: &CallToolResult) -> &'static str {
    if result.failed() {
        "the tool failed"
    } else {
        "result"
    }
}

/// Writes text of a server.
///
/// # Errors
///
/// Returns an error if standard output cannot be written.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    // A file gets the text as it is; a terminal would obey what is in it.
    if io::stdout().is_terminal() {
        print(&printable::block(text))
    } else {
        print(text)
    }
}

/// Names on standard error what was not printed.
pub(crate) fn note_left_out(what: &str) {
    note(&format!("note: {what} not shown; --json shows all"));
}

#[derive(Debug, PartialEq)]
struct Shown {
    text: Option<String>,
    left_out: Vec<String>,
}

fn show(result: &CallToolResult) -> Shown {
    let is_text = |block: &ContentBlock| block.as_text().is_some();
    let text = if result.content.iter().any(is_text) {
        Some(result.as_text())
    } else {
        result
            .structured_content
            .as_ref()
            .map(|content| content.get().to_owned())
    };
    let others = result.content.iter().filter(|block| !is_text(block));
    Shown {
        text,
        left_out: others.map(block_name).collect(),
    }
}

/// Returns what a block is called that is no text.
pub(crate) fn block_name(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(_) => "text".to_owned(),
        ContentBlock::Image(image) => format!("image ({})", printable::line(&image.mime_type)),
        ContentBlock::Audio(audio) => format!("audio ({})", printable::line(&audio.mime_type)),
        ContentBlock::ResourceLink(link) => {
            format!("link to resource {}", printable::line(&link.uri))
        }
        ContentBlock::Resource(_) => "embedded resource".to_owned(),
        _ => "content of an unknown type".to_owned(),
    }
}

/// Writes JSON to standard output, on one line as the encoder gave it.
///
/// # Errors
///
/// Returns an error if it cannot be encoded or written.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let json = Raw::encode(value).map_err(vuelta::Error::from)?;
    print(json.get())
}

#[cfg(test)]
mod tests;
