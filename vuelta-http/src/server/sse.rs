//! Server-sent events: how an answer is written as a stream.
//!
//! Source: [server-sent
//! events](https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).

use vuelta::wire::jsonrpc::{write_error, write_result};
use vuelta::{ErrorObject, Frame, Raw, RequestId};

/// What is sent while there is nothing to say, so that nobody in between hangs up.
pub(super) const COMMENT: &str = ": ping\n\n";

/// Appends a message as one event; nothing for what no peer reads.
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

fn push_event(stream: &mut String, message: &str) {
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
