//! What one message on the way of a request's answer means to that request.
//!
//! Pure. Source: [receiving
//! messages](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#receiving-messages).

use std::collections::HashMap;

use serde_json::value::RawValue;
use vuelta::wire::jsonrpc::{Message, MessageError, Notification, Request, Response};
use vuelta::{Error, NotificationFrame, ProtocolVersion, Raw, RequestFrame, RequestId, Result};

/// What to do with a message.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It is the answer.
    Answer(Raw),
    /// Deliver it and go on.
    Notification(NotificationFrame),
    /// Answer it and go on: only in revisions with a handshake.
    Request(RequestFrame),
    /// Go on: it answers a request with this id, which is none of ours.
    Stray(RequestId),
    /// Go on: it says nothing that could be read.
    Malformed,
}

/// Sorts a message that came while `id` waits for its answer.
///
/// # Errors
///
/// Returns the error that answers the request, or what the peer did wrong.
pub(super) fn sort(text: &[u8], id: &RequestId) -> Result<Verdict> {
    match Message::parse(text) {
        Ok(Message::Response(response)) => answer(response, id),
        Ok(Message::Notification(frame)) => Ok(Verdict::Notification(notification(frame))),
        Ok(Message::Request(frame)) => Ok(Verdict::Request(request(frame))),
        Err(MessageError::Invalid) if is_notification(text) => Ok(Verdict::Malformed),
        Err(error) => Err(Error::peer("the server sent no JSON-RPC message").caused_by(error)),
    }
}

/// Takes a notification out of the text that it came in.
pub(super) fn notification(notification: Notification<'_>) -> NotificationFrame {
    let params = notification.params.map(Raw::from);
    NotificationFrame::new(notification.method.into_owned(), params)
}

/// Takes a request out of the text that it came in.
pub(super) fn request(request: Request<'_>) -> RequestFrame {
    let nothing = || Raw::from(serde_json::json!({}));
    let params = request.params.map_or_else(nothing, Raw::from);
    RequestFrame::new(request.id, request.method.into_owned(), params)
}

/// Returns the messages of a text: several only in the revision that knows batches.
pub(super) fn messages<'a>(text: &'a [u8], version: Option<&ProtocolVersion>) -> Vec<&'a [u8]> {
    let is_batch =
        version == Some(&ProtocolVersion::V2025_03_26) && text.trim_ascii_start().starts_with(b"[");
    let batch: Option<Vec<&RawValue>> = is_batch
        .then(|| serde_json::from_slice(text).ok())
        .flatten();
    match batch {
        Some(batch) if !batch.is_empty() => {
            let texts = batch.into_iter().map(|message| message.get().as_bytes());
            texts.collect()
        }
        // What is no batch either is told where it is read.
        _ => vec![text],
    }
}

fn answer(response: Response<'_>, id: &RequestId) -> Result<Verdict> {
    match response.id {
        Some(found) if found != *id => {
            // A server that turned the number into text, or back, will not answer again.
            if bare(&found) == bare(id) {
                return Err(uncorrelated(&found, id));
            }
            Ok(Verdict::Stray(found))
        }
        // Without an id, an error is about the one request that this exchange carries.
        _ => response
            .outcome
            .map(|result: &RawValue| Verdict::Answer(result.into()))
            .map_err(Error::from),
    }
}

/// Creates the error of an answer that names another request.
pub(super) fn uncorrelated(found: &RequestId, id: &RequestId) -> Error {
    Error::peer(format!(
        "uncorrelated response: it has the id {found}, the request has the id {id}"
    ))
}

/// Creates the error of a request of the server where its revision has none.
pub(super) fn forbidden(frame: &RequestFrame) -> Error {
    Error::peer(format!(
        "the server sent the request {:?} on the way of an answer, which this revision forbids",
        frame.method
    ))
}

/// Returns an id as text, whatever its type.
fn bare(id: &RequestId) -> String {
    match id {
        RequestId::Integer(id) => id.to_string(),
        RequestId::String(id) => id.clone(),
    }
}

/// Returns whether JSON that is no valid message was meant as a notification, which nobody
/// waits for.
fn is_notification(text: &[u8]) -> bool {
    serde_json::from_slice::<HashMap<String, &RawValue>>(text)
        .is_ok_and(|members| members.contains_key("method") && !members.contains_key("id"))
}

#[cfg(test)]
mod tests;
