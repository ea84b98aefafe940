//! Server-sent events: how an answer is written as a stream.
//!
//! Source: [server-sent
//! events](https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).

use std::fmt::{Display, Write as _};
use std::time::Duration;

use vuelta::wire::jsonrpc::{write_error, write_result};
use vuelta::{ErrorObject, Frame, Raw, RequestId};

/// What is sent while there is nothing to say, so that nobody in between hangs up.
pub(super) const COMMENT: &str = ": ping\n\n";

/// Appends what a handler says as one event; nothing for what no peer reads.
pub(super) fn push_frame(stream: &mut String, frame: &Frame) {
    if let Some(message) = frame.write() {
        push_event(stream, &message);
    }
}

/// Appends the response as one event.
pub(super) fn push_response(
    stream: &mut String,
    id: &RequestId,
    outcome: &Result<Raw, ErrorObject>,
) {
    push_event(stream, &write_response(id, outcome));
}

/// Writes a response.
pub(super) fn write_response(id: &RequestId, outcome: &Result<Raw, ErrorObject>) -> String {
    match outcome {
        Ok(result) => write_result(id, result),
        Err(error) => write_error(Some(id), error),
    }
}

/// Appends a message that the client can name to go on from there.
pub(super) fn push_event_with_id(stream: &mut String, id: impl Display, message: &str) {
    push_field(stream, "id", id);
    push_event(stream, message);
}

/// Appends what is no message: from where the client can go on if the connection ends, and how
/// long it waits before it does. The data are there, and empty.
///
/// Source: [streamable HTTP](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server).
pub(super) fn push_position(stream: &mut String, id: impl Display, retry: Duration) {
    push_field(stream, "id", id);
    push_field(stream, "retry", retry.as_millis());
    stream.push_str("data: \n\n");
}

/// Appends where messages are to be posted.
///
/// Source: [HTTP with SSE](https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse).
pub(super) fn push_endpoint(stream: &mut String, uri: impl Display) {
    push_field(stream, "event", "endpoint");
    push_field(stream, "data", uri);
    stream.push('\n');
}

fn push_field(stream: &mut String, name: &str, value: impl Display) {
    // Writing to a string does not fail.
    let _ = writeln!(stream, "{name}: {value}");
}

/// Appends a message as one event.
pub(super) fn push_event(stream: &mut String, message: &str) {
    stream.reserve(message.len() + 24);
    stream.push_str("event: message\ndata: ");
    // A line break would end the data. In JSON one can only stand between tokens, where a
    // space means the same: those inside a text are escaped.
    for (index, line) in message.split(['\n', '\r']).enumerate() {
        if index > 0 {
            stream.push(' ');
        }
        stream.push_str(line);
    }
    stream.push_str("\n\n");
}

#[cfg(test)]
mod tests;
