//! How far a call is: one line of a terminal, written over.

use std::sync::atomic::{AtomicBool, Ordering};

use vuelta::{Number, ProgressParams};

use crate::output::Stream;
use crate::printable;

/// The line that shows how far a call is.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    shown: AtomicBool,
}

/// Back to the beginning of the line, and clear it (ECMA-48: CR, EL).
const CLEAR: &str = "\r\u{1b}[K";

impl Progress {
    /// Shows an update in place of the one before.
    pub(crate) fn show(&self, update: &ProgressParams) {
        self.shown.store(true, Ordering::Relaxed);
        Stream::Err.tell(&format!("{CLEAR}{}", line(update)));
    }

    /// Clears the line, for other text.
    pub(crate) fn clear(&self) {
        if self.shown.swap(false, Ordering::Relaxed) {
            Stream::Err.tell(CLEAR);
        }
    }
}

fn line(update: &ProgressParams) -> String {
    let number = |number: &Number| match number {
        Number::Integer(number) => number.to_string(),
        Number::Unsigned(number) => number.to_string(),
        Number::Float(number) => number.to_string(),
    };
    let mut line = number(&update.progress);
    if let Some(total) = &update.total {
        line = format!("{line}/{}", number(total));
    }
    if let Some(message) = &update.message {
        line = format!("{line} {}", printable::line(message));
    }
    // What wraps cannot be cleared.
    line.chars().take(WIDTH).collect()
}

/// Fits on one line of any usual terminal.
const WIDTH: usize = 76;

#[cfg(test)]
mod tests;
