//! What one message on the way of a request's answer means to that request.
//!
//! Pure. Source: [receiving
//! messages](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#receiving-messages).

use std::collections::HashMap;

use serde_json::value::RawValue;
use vuelta::wire::jsonrpc::{Message, MessageError, Response};
use vuelta::{Error, NotificationFrame, Raw, RequestId, Result};

/// What to do with a message.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It is the answer.
    Answer(Raw),
    /// Deliver it and go on.
    Notification(NotificationFrame),
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
        Ok(Message::Notification(notification)) => {
            let params = notification.params.map(Raw::from);
            let method = notification.method.into_owned();
            Ok(Verdict::Notification(NotificationFrame::new(
                method, params,
            )))
        }
        Ok(Message::Request(request)) => Err(Error::peer(format!(
            "the server sent the request {:?} on the way of an answer, which this revision \
             forbids",
            request.method
        ))),
        Err(MessageError::Invalid) if is_notification(text) => Ok(Verdict::Malformed),
        Err(error) => Err(Error::peer("the server sent no JSON-RPC message").caused_by(error)),
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
