//! How the program ends: its exit codes, and the line that says why.

use std::error::Error as StdError;
use std::fmt;
use std::process::ExitCode;

use vuelta::CallToolResult;

use crate::needed::Needed;
use crate::printable;

/// A command that came to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Done,
    /// The tool says that it failed.
    ToolFailed,
}

/// A command that did not.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was typed cannot be used; the message names it and the fix.
    Usage(String),
    /// The call failed: by the protocol, or the connection.
    Call(vuelta::Error),
    /// Something else failed; the message says what.
    Failed(String),
    /// The server asks, and nobody is there to answer.
    InputNeeded(Box<Needed>),
    /// The user ended the program while it asked.
    Interrupted,
}

impl Ending {
    pub(crate) fn of(result: &CallToolResult) -> Self {
        if result.failed() {
            Self::ToolFailed
        } else {
            Self::Done
        }
    }

    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::ToolFailed => 1,
        })
    }
}

impl Failure {
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Usage(_) => 2,
            Self::Call(_) | Self::Failed(_) => 3,
            Self::InputNeeded(_) => 4,
            // What a shell reports for a program that SIGINT ended.
            Self::Interrupted => 130,
        })
    }
}

impl From<vuelta::Error> for Failure {
    fn from(error: vuelta::Error) -> Self {
        Self::Call(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(message) | Self::Failed(message) => f.write_str(&printable::line(message)),
            // The end of a server's stderr is in it, line by line.
            Self::Call(error) if error.is_transport() => {
                f.write_str(&printable::block(&with_causes(error)))
            }
            Self::Call(error) => f.write_str(&printable::line(&with_causes(error))),
            Self::InputNeeded(needed) => needed.fmt(f),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// Shows an error and what caused it, leaving out what is said already; each cause is on one line.
pub(crate) fn with_causes(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = printable::line(&error.to_string());
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests;
