//! Messages over a byte stream, one a line: where a message ends, and how long it may be.
//!
//! It knows nothing of what a message says. Source:
//! [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio), whose
//! framing other byte streams share.

use std::io;
use std::mem;
use std::ops::Range;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// How long a line may be if nothing else is said: 16 MiB, a large picture in base64.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// How much is read at least at a time.
const READ: usize = 8 * 1024;

/// How much memory is kept for the next message once a longer one is done with.
const KEEP: usize = 128 * 1024;

/// The byte order mark, which some programs write before the first message.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// How many bytes a line may have beside its message: a byte order mark and a carriage return.
const SLACK: usize = BOM.len() + 1;

/// A line that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A message, without the end of its line; perhaps not UTF-8.
    Message(&'a [u8]),
    /// A line longer than the limit; what is left of it is skipped by the next read.
    TooLong,
}

/// Reads messages, one a line.
///
/// A line ends with LF or CRLF, the last one also with the stream. Lines of nothing but blanks
/// are skipped, and so is a byte order mark at the start of the stream. Nothing else ends a
/// line: U+2028 and U+2029 are part of the message that contains them.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    source: R,
    limit: usize,
    buffer: Vec<u8>,
    /// Where the first line that was not handed out begins.
    start: usize,
    /// Up to where there is no end of that line.
    seen: usize,
    /// The next line is the first of the stream.
    first: bool,
    /// The line that arrives is too long and was reported.
    skipping: bool,
    /// The stream has ended.
    ended: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Creates a reader of lines up to [`MAX_LINE`].
    pub(crate) fn new(source: R) -> Self {
        Self {
            source,
            limit: MAX_LINE,
            buffer: Vec::new(),
            start: 0,
            seen: 0,
            first: true,
            skipping: false,
            ended: false,
        }
    }

    /// Sets how many bytes a line may have, without its end; 16 MiB if not set.
    ///
    /// The reader holds as much in memory, and little more.
    pub(crate) fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Returns the next line that says something, or `None` at the end of the stream.
    ///
    /// # Errors
    ///
    /// Returns what went wrong with the stream.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was read stays for the next call.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let found = loop {
            if let Some(found) = self.find() {
                break found;
            }
            if self.ended {
                return Ok(None);
            }
            self.make_room();
            self.ended = self.source.read_buf(&mut self.buffer).await? == 0;
        };
        Ok(Some(match found {
            Found::Message(range) => Line::Message(&self.buffer[range]),
            Found::TooLong => Line::TooLong,
        }))
    }

    /// Finds the next line in what was read.
    fn find(&mut self) -> Option<Found> {
        loop {
            let unseen = &self.buffer[self.seen..];
            let end = match unseen.iter().position(|&byte| byte == b'\n') {
                Some(at) => self.seen + at,
                None if self.ended && self.start < self.buffer.len() => self.buffer.len(),
                None => {
                    self.seen = self.buffer.len();
                    let length = self.seen - self.start;
                    let too_long = length > self.limit.saturating_add(SLACK);
                    if self.skipping || too_long {
                        self.start = self.seen;
                    }
                    if self.skipping || !too_long {
                        return None;
                    }
                    self.skipping = true;
                    self.first = false;
                    return Some(Found::TooLong);
                }
            };
            let line = self.start..end;
            self.start = self.buffer.len().min(end + 1);
            self.seen = self.start;
            let first = mem::take(&mut self.first);
            if mem::take(&mut self.skipping) {
                continue;
            }
            let line = without_marks(&self.buffer, line, first);
            if line.len() > self.limit {
                return Some(Found::TooLong);
            }
            if !self.buffer[line.clone()].iter().all(is_blank) {
                return Some(Found::Message(line));
            }
        }
    }

    /// Forgets what was handed out, and makes room for more.
    ///
    /// The buffer doubles up to what the longest line needs, and no further.
    fn make_room(&mut self) {
        self.buffer.drain(..self.start);
        self.seen -= self.start;
        self.start = 0;
        if self.buffer.len() < READ {
            self.buffer.shrink_to(KEEP);
        }
        let length = self.buffer.len();
        let needed = length + READ;
        if needed > self.buffer.capacity() {
            let longest = self.limit.saturating_add(SLACK).saturating_add(READ);
            let doubled = self.buffer.capacity().saturating_mul(2);
            let capacity = doubled.min(longest).max(needed);
            self.buffer.reserve_exact(capacity - length);
        }
    }
}

/// A line, as a place in the buffer.
enum Found {
    Message(Range<usize>),
    TooLong,
}

/// Leaves out the carriage return at the end, and the byte order mark before the first line.
fn without_marks(buffer: &[u8], mut line: Range<usize>, first: bool) -> Range<usize> {
    if first && buffer[line.clone()].starts_with(BOM) {
        line.start += BOM.len();
    }
    if buffer[line.clone()].ends_with(b"\r") {
        line.end -= 1;
    }
    line
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Writes messages, one a line.
#[derive(Debug)]
pub(crate) struct LineWriter<W> {
    target: W,
    /// The line on its way.
    line: Vec<u8>,
    /// How much of it is written.
    written: usize,
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    /// Creates a writer.
    pub(crate) fn new(target: W) -> Self {
        Self {
            target,
            line: Vec::new(),
            written: 0,
        }
    }

    /// Writes a message as one line, and flushes it.
    ///
    /// # Errors
    ///
    /// Returns what went wrong with the stream; nothing more can be written then.
    ///
    /// # Cancel safety
    ///
    /// A message whose call is cancelled is sent later and whole, before the next one, or not at
    /// all: no line is ever cut short or mixed with another.
    pub(crate) async fn write(&mut self, message: &str) -> io::Result<()> {
        self.finish().await?;
        push_line(&mut self.line, message);
        self.finish().await
    }

    /// Writes what is left of a cancelled message, and closes the stream.
    ///
    /// # Errors
    ///
    /// Returns what went wrong with the stream.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: call it again.
    pub(crate) async fn shutdown(&mut self) -> io::Result<()> {
        let finished = self.finish().await;
        let closed = self.target.shutdown().await;
        finished.and(closed)
    }

    /// Writes what is left of the line on its way, if there is one.
    async fn finish(&mut self) -> io::Result<()> {
        if self.line.is_empty() {
            return Ok(());
        }
        while self.written < self.line.len() {
            let written = self.target.write(&self.line[self.written..]).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.written += written;
        }
        self.target.flush().await?;
        self.line.clear();
        self.line.shrink_to(KEEP);
        self.written = 0;
        Ok(())
    }
}

/// Appends a message as one line.
fn push_line(line: &mut Vec<u8>, message: &str) {
    line.reserve(message.len() + 1);
    // In JSON a line break can only stand between tokens, where a space means the same: those
    // inside a text are escaped.
    line.extend(message.bytes().map(|byte| match byte {
        b'\n' | b'\r' => b' ',
        other => other,
    }));
    line.push(b'\n');
}

#[cfg(test)]
mod tests;
