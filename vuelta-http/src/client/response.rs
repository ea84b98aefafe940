//! From an HTTP response to the answer of a request.
//!
//! Source: [sending
//! messages](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages).

use http::StatusCode;
use http::header::CONTENT_TYPE;
use reqwest::Response;
use vuelta::client::Inbound;
use vuelta::wire::jsonrpc::{self, Message};
use vuelta::{Error, Raw, RequestId, Result};

use super::events::Events;
use super::message::{Verdict, forbidden, sort, uncorrelated};

/// What a response brings to the request that it answers.
pub(super) enum Content {
    /// One message, or a batch.
    Text(Vec<u8>),
    /// A stream of messages.
    Events(Box<Events>),
}

/// Opens the response to a request.
///
/// `limit` bounds the bytes of a body, or of one event of a stream.
///
/// # Errors
///
/// Returns an error if the response brings no answer.
pub(super) async fn open(mut response: Response, limit: usize) -> Result<Content> {
    let status = response.status();
    if !status.is_success() {
        return Err(refusal(response, limit).await);
    }
    match media_type(&response).as_deref() {
        _ if status == StatusCode::ACCEPTED => {
            let error = Error::peer("the server accepted the request but does not answer it");
            Err(error.detail(shown(status)))
        }
        Some(JSON) => Ok(Content::Text(body(&mut response, limit).await?)),
        Some(EVENT_STREAM) => Ok(Content::Events(Box::new(Events::new(response, limit)))),
        other => Err(Error::peer(format!(
            "the server answered with content of type {:?}, not {JSON} or {EVENT_STREAM}: is \
             this the URL of its MCP endpoint?",
            other.unwrap_or_default()
        ))
        .detail(shown(status))),
    }
}

/// Reads the answer to the request `id` of a revision without a handshake, and delivers the
/// notifications before it.
pub(super) async fn answer(
    response: Response,
    id: &RequestId,
    limit: usize,
    inbound: &Inbound,
) -> Result<Raw> {
    let mut events = match open(response, limit).await? {
        Content::Text(text) => return single(&text, id),
        Content::Events(events) => events,
    };
    let answer = stream(&mut events, id, inbound).await;
    let failed = matches!(&answer, Err(error) if error.as_rpc().is_none());
    if !failed {
        events.finish().await;
    }
    answer
}

/// Checks that a notification was accepted.
pub(super) async fn acceptance(response: Response, limit: usize) -> Result<()> {
    if response.status().is_success() {
        return Ok(());
    }
    Err(refusal(response, limit).await)
}

/// Reads an answer that is one message.
fn single(text: &[u8], id: &RequestId) -> Result<Raw> {
    match sort(text, id)? {
        Verdict::Answer(result) => Ok(result),
        Verdict::Stray(found) => Err(uncorrelated(&found, id)),
        Verdict::Request(frame) => Err(forbidden(&frame)),
        Verdict::Notification(_) | Verdict::Malformed => Err(no_answer()),
    }
}

/// Reads a stream up to the answer; what comes after means nothing.
async fn stream(events: &mut Events, id: &RequestId, inbound: &Inbound) -> Result<Raw> {
    let mut stray = None;
    while let Some(event) = events.next().await? {
        // An event without data primes streams of earlier revisions.
        if event.name != b"message" || event.data.is_empty() {
            tracing::debug!(name = %event.name.escape_ascii(), "event ignored");
            continue;
        }
        match sort(&event.data, id)? {
            Verdict::Answer(result) => return Ok(result),
            Verdict::Notification(frame) => inbound.deliver(frame),
            Verdict::Request(frame) => return Err(forbidden(&frame)),
            Verdict::Stray(found) => {
                passed_over(&found, id);
                stray = Some(found);
            }
            Verdict::Malformed => tracing::debug!("malformed notification ignored"),
        }
    }
    Err(ended(stray.as_ref(), id))
}

/// Logs a response that answers none of our requests.
pub(super) fn passed_over(found: &RequestId, id: &RequestId) {
    tracing::warn!(%found, waiting = %id, "response ignored: nobody waits for it");
}

/// Creates the error of a stream that ended before its answer.
pub(super) fn ended(stray: Option<&RequestId>, id: &RequestId) -> Error {
    match stray {
        Some(found) => uncorrelated(found, id),
        None => Error::transport("the stream ended before the answer"),
    }
}

/// Creates the error of a body without an answer.
pub(super) fn no_answer() -> Error {
    Error::peer("the server answered with a notification")
}

/// Reads a response that is no success: the JSON-RPC error in its body, whatever its id, or
/// what the status alone says.
pub(super) async fn refusal(mut response: Response, limit: usize) -> Error {
    let status = response.status();
    let media_type = media_type(&response);
    // A stream may never end.
    let text = if media_type.as_deref() == Some(EVENT_STREAM) {
        Vec::new()
    } else {
        body(&mut response, limit).await.unwrap_or_default()
    };
    // Of other types only programs know what they say.
    let is_plain = matches!(media_type.as_deref(), None | Some("text/plain"));
    let error = match Message::parse(&text) {
        Ok(Message::Response(jsonrpc::Response {
            outcome: Err(error),
            ..
        })) => Error::from(error),
        _ if is_plain => by_status(status, &excerpt(&text)),
        _ => by_status(status, ""),
    };
    error.detail(shown(status))
}

/// Sorts a status without a JSON-RPC error by who must act: the transport's are those that
/// pass, or that the caller mends by presenting itself; the rest is no answer of an MCP server.
fn by_status(status: StatusCode, text: &str) -> Error {
    let said = if text.is_empty() {
        String::new()
    } else {
        format!(": {text:?}")
    };
    match status {
        StatusCode::UNAUTHORIZED => Error::transport(format!(
            "the server wants authorization{said}; set the header with \
             `HttpTransport::builder(url).header(..)`"
        )),
        StatusCode::FORBIDDEN => Error::transport(format!("the server denies access{said}")),
        StatusCode::TOO_MANY_REQUESTS => Error::transport(format!(
            "the server is asked too often{said}; try again later"
        )),
        _ if status.is_server_error() => Error::transport(format!("the server failed{said}")),
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => Error::peer(format!(
            "there is no MCP endpoint at this URL{said}; check its path"
        )),
        _ => Error::peer(format!("the server refused the message{said}")),
    }
}

/// Returns the beginning of a text, for an error.
fn excerpt(text: &[u8]) -> String {
    String::from_utf8_lossy(text)
        .trim()
        .chars()
        .take(EXCERPT)
        .collect()
}

async fn body(response: &mut Response, limit: usize) -> Result<Vec<u8>> {
    let declared = response.content_length().unwrap_or(0);
    if declared > u64::try_from(limit).unwrap_or(u64::MAX) {
        return Err(too_large(limit));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if body.len() + chunk.len() > limit {
            return Err(too_large(limit));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Returns whether a response is a stream of events.
pub(super) fn is_event_stream(response: &Response) -> bool {
    response.status().is_success() && media_type(response).as_deref() == Some(EVENT_STREAM)
}

/// Returns the media type in lower case, without parameters.
fn media_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split(';').next().unwrap_or_default();
    Some(essence.trim().to_ascii_lowercase())
}

pub(super) fn broken(error: reqwest::Error) -> Error {
    Error::transport("the connection broke before the answer").caused_by(error.without_url())
}

pub(super) fn too_large(limit: usize) -> Error {
    Error::peer(format!(
        "the answer is larger than `max_response_size` ({limit} bytes)"
    ))
}

pub(super) fn shown(status: StatusCode) -> String {
    format!("HTTP {}", status.as_u16())
}

/// How many characters of a plain text an error shows.
const EXCERPT: usize = 200;

const JSON: &str = "application/json";
const EVENT_STREAM: &str = "text/event-stream";
