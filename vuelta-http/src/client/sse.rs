//! Server-sent events, read from bytes as they come; knows nothing of what they carry.
//!
//! Source: [interpreting an event
//! stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).

use std::time::Duration;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// The type; `message` if the stream names none.
    pub(super) name: Vec<u8>,
    /// The data, its lines joined by line feeds; not yet known to be UTF-8.
    pub(super) data: Vec<u8>,
}

/// An event is larger than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Reads the events of one stream.
#[derive(Debug)]
pub(super) struct Parser {
    /// How many bytes one event may have.
    limit: usize,
    /// The bytes of the current line so far.
    line: Vec<u8>,
    /// The data of the current event so far, each line with a line feed.
    data: Vec<u8>,
    /// The type of the current event; empty if not named.
    name: Vec<u8>,
    /// The id that the stream has named last; it is seen when the event of it ends.
    id: Option<Vec<u8>>,
    seen_id: Option<Vec<u8>>,
    /// How long to wait before the stream is asked for again.
    retry: Option<Duration>,
    /// Whether the byte before was a carriage return: a line feed belongs to it.
    after_return: bool,
    /// Whether no line has ended yet: a byte order mark may precede the first one.
    at_start: bool,
}

impl Parser {
    /// Creates a parser of events of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: Vec::new(),
            name: Vec::new(),
            id: None,
            seen_id: None,
            retry: None,
            after_return: false,
            at_start: true,
        }
    }

    /// Reads from `input`, which is moved on, to the end of the next event; `None` if the
    /// input ends before.
    ///
    /// An event that the stream's end cuts off is never returned.
    pub(super) fn next(&mut self, input: &mut &[u8]) -> Result<Option<Event>, TooLarge> {
        while let Some((&first, rest)) = input.split_first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                *input = rest;
                continue;
            }
            let end = input.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (line, rest) = input.split_at(end.unwrap_or(input.len()));
            if self.data.len() + self.line.len() + line.len() > self.limit {
                return Err(TooLarge);
            }
            self.line.extend_from_slice(line);
            *input = rest;
            if let Some((&ending, rest)) = input.split_first() {
                *input = rest;
                self.after_return = ending == b'\r';
                if let Some(event) = self.end_line() {
                    return Ok(Some(event));
                }
            }
        }
        Ok(None)
    }

    /// Returns the id of the last event, with or without data; empty if the stream took it
    /// back.
    pub(super) fn last_id(&self) -> Option<&[u8]> {
        self.seen_id.as_deref()
    }

    /// Returns how long to wait before the stream is asked for again, if it says so.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let mut text = line.as_slice();
        if std::mem::take(&mut self.at_start) {
            text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        }
        let event = if text.is_empty() {
            self.dispatch()
        } else {
            self.field(text);
            None
        };
        // The room is used again for the next line.
        self.line = line;
        self.line.clear();
        event
    }

    fn field(&mut self, line: &[u8]) {
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => value.clone_into(&mut self.name),
            b"id" if !value.contains(&0) => self.id = Some(value.to_vec()),
            b"retry" => self.retry = milliseconds(value).or(self.retry),
            // Comments, and fields of the future.
            _ => {}
        }
    }

    fn dispatch(&mut self) -> Option<Event> {
        if let Some(id) = self.id.take() {
            self.seen_id = Some(id);
        }
        let mut name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        data.pop()?;
        if name.is_empty() {
            name.extend_from_slice(b"message");
        }
        Some(Event { name, data })
    }
}

/// Reads a number of ASCII digits alone.
fn milliseconds(digits: &[u8]) -> Option<Duration> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = str::from_utf8(digits).ok()?;
    digits.parse().ok().map(Duration::from_millis)
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[cfg(test)]
mod tests;
