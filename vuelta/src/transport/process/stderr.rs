//! What a server writes to its stderr: the last of it is kept, and on request its lines are
//! logged.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::AsyncReadExt as _;
use tokio::process::ChildStderr;

/// How much is read at a time.
const READ: usize = 8 * 1024;

/// How long a line in the log may be; the rest goes to the next one.
const LOGGED_LINE: usize = 4 * 1024;

/// How many lines, and how many characters of each, an error quotes.
const QUOTED_LINES: usize = 10;
const QUOTED_CHARS: usize = 300;

/// Where a server's stderr goes.
pub(super) struct Stderr {
    /// None if it is inherited.
    pub(super) pipe: Option<ChildStderr>,
    pub(super) tail: Option<Tail>,
    /// What the lines in the log are called; none are logged without.
    pub(super) program: Option<String>,
}

impl Stderr {
    /// Reads to the end.
    pub(super) async fn pump(self) {
        let Some(mut pipe) = self.pipe else { return };
        let mut lines = Lines::default();
        let mut log = |line: &str| {
            tracing::debug!(program = self.program, line, "a server wrote to stderr");
        };
        let mut bytes = vec![0; READ];
        loop {
            let bytes = match pipe.read(&mut bytes).await {
                Ok(0) => break,
                Ok(read) => &bytes[..read],
                Err(error) => {
                    tracing::debug!(%error, "a server's stderr cannot be read");
                    break;
                }
            };
            if let Some(tail) = &self.tail {
                tail.push(bytes);
            }
            if self.program.is_some() {
                lines.push(bytes, &mut log);
            }
        }
        lines.end(&mut log);
    }
}

/// The last bytes of a stream, and no more.
#[derive(Clone)]
pub(super) struct Tail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    limit: usize,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            bytes: Arc::default(),
            limit,
        }
    }

    pub(super) fn push(&self, new: &[u8]) {
        let new = &new[new.len().saturating_sub(self.limit)..];
        let mut bytes = self.lock();
        let surplus = (bytes.len() + new.len()).saturating_sub(self.limit);
        bytes.drain(..surplus);
        bytes.extend(new);
    }

    /// Returns them as text; a character that was cut in two at the start is left out.
    pub(super) fn text(&self) -> String {
        let mut bytes = self.lock();
        let bytes = &*bytes.make_contiguous();
        let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let cut = bytes.iter().take(3).take_while(is_inside).count();
        String::from_utf8_lossy(&bytes[cut..]).into_owned()
    }

    /// Returns the last lines for an error: indented, and without what a terminal would obey.
    pub(super) fn last_lines(&self) -> String {
        let text = self.text();
        let mut lines: Vec<String> = text
            .lines()
            .rev()
            .filter(|line| !line.trim().is_empty())
            .take(QUOTED_LINES)
            .map(|line| {
                let visible = line.chars().map(|c| match c {
                    '\t' => ' ',
                    c if c.is_control() => char::REPLACEMENT_CHARACTER,
                    c => c,
                });
                format!("  {}", visible.take(QUOTED_CHARS).collect::<String>())
            })
            .collect();
        lines.reverse();
        lines.join("\n")
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a stream apart into lines for the log.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Lines {
    fn push(&mut self, new: &[u8], log: &mut impl FnMut(&str)) {
        for piece in new.split_inclusive(|&byte| byte == b'\n') {
            for piece in piece.chunks(LOGGED_LINE) {
                if self.0.len() + piece.len() > LOGGED_LINE {
                    self.end(log);
                }
                self.0.extend(piece);
            }
            if piece.ends_with(b"\n") {
                self.end(log);
            }
        }
    }

    fn end(&mut self, log: &mut impl FnMut(&str)) {
        let line = mem::take(&mut self.0);
        let line = line.trim_ascii_end();
        if !line.is_empty() {
            log(&String::from_utf8_lossy(line));
        }
    }
}

#[cfg(test)]
mod tests;
