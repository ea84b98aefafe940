//! One HTTP request in, one HTTP response out: the order of the checks that every request
//! passes, and which era serves it then.
//!
//! Source: [streamable
//! HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::value::RawValue;
use vuelta::server::Incoming;
use vuelta::server::classify::{self, Envelope, Era};
use vuelta::wire::header;
use vuelta::wire::jsonrpc::{self, Message, MessageError};
use vuelta::{ErrorCode, ErrorObject, Raw, RequestId};

use super::body::{self, Body, ReadError};
use super::endpoint::Inner;
use super::guard::{self, Accepted, Guard};
use super::respond::{self, Form};

/// What a request has besides its body.
pub(super) struct Head {
    pub(super) headers: HeaderMap,
    pub(super) extensions: http::Extensions,
    pub(super) accepted: Accepted,
}

impl Head {
    /// Puts a request together for the server.
    pub(super) fn incoming(self, request: jsonrpc::Request<'_>) -> Incoming {
        let params = request.params.map(Raw::from);
        Incoming::new(request.id, request.method, params)
            .headers(self.headers)
            .extensions(self.extensions)
    }

    /// Puts one of several requests together for the server.
    pub(super) fn incoming_of(&self, request: jsonrpc::Request<'_>) -> Incoming {
        let params = request.params.map(Raw::from);
        Incoming::new(request.id, request.method, params)
            .headers(self.headers.clone())
            .extensions(self.extensions.clone())
    }
}

impl Inner {
    pub(super) async fn serve<B>(self: Arc<Self>, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes>,
    {
        let (parts, body) = request.into_parts();
        if let Err(response) = admit(&self.guard, self.body_limit, &parts, &body) {
            return response;
        }
        if parts.method != Method::POST {
            return self.without_body(parts).await;
        }
        let accepted = Accepted::of(&parts.headers);
        if !accepted.json && !accepted.events {
            return not_acceptable(None, "application/json and text/event-stream");
        }
        let body = match read(body, self.body_limit).await {
            Ok(body) => body,
            Err(response) => return response,
        };
        let head = Head {
            headers: parts.headers,
            extensions: parts.extensions,
            accepted,
        };
        let message = match Message::parse(&body) {
            Ok(message) => Some(message),
            Err(MessageError::Parse) => return respond::error(None, &parse_error()),
            // A batch, or nothing that anyone understands.
            Err(_) => None,
        };
        let era = match self.era(&head.headers, message.as_ref()) {
            Ok(era) => era,
            Err(error) => return respond::error(message.as_ref().and_then(request_id), &error),
        };
        match (era, message) {
            (Era::Modern, Some(message)) => self.modern(message, head).await,
            (Era::Modern, None) => no_single_message(),
            (Era::Legacy, Some(message)) if self.is_stateless => self.alone(message, head).await,
            (Era::Legacy, None) if self.is_stateless => self.batch_alone(&body, head).await,
            (Era::Legacy, Some(message)) => self.in_session(message, head).await,
            (Era::Legacy, None) => self.batch_in_session(&body, head).await,
        }
    }

    /// Decides which era serves a request.
    ///
    /// # Errors
    ///
    /// Returns the error for the peer if it names a revision that only a server of the other
    /// era serves, and this one is none.
    fn era(&self, headers: &HeaderMap, message: Option<&Message<'_>>) -> Result<Era, ErrorObject> {
        let server = &self.server;
        if !server.serves_legacy() {
            // It tells a client of the other era what it serves.
            return Ok(Era::Modern);
        }
        let era = classify::era(headers, message);
        if server.serves_modern() || era == Era::Legacy {
            return Ok(era);
        }
        match named_revision(headers, message) {
            Some(version) => classify::check_supported(&version, server.supported_versions())
                .map(|()| Era::Legacy),
            None => Ok(Era::Legacy),
        }
    }

    /// Serves what is no POST: streams and ends of sessions.
    async fn without_body(self: Arc<Self>, parts: Parts) -> Response<Body> {
        match self.era(&parts.headers, None) {
            Ok(Era::Legacy) if !self.is_stateless => {}
            Ok(_) => return respond::method_not_allowed("POST"),
            Err(error) => return respond::error(None, &error),
        }
        let accepted = Accepted::of(&parts.headers);
        match parts.method {
            Method::GET if self.is_json_only => respond::method_not_allowed("POST, DELETE"),
            Method::GET if !accepted.events => not_acceptable(None, "text/event-stream"),
            Method::GET => self.read_stream(&parts.headers, &parts.extensions).await,
            Method::DELETE => self.end_session(&parts.headers, &parts.extensions),
            _ if self.is_json_only => respond::method_not_allowed("POST, DELETE"),
            _ => respond::method_not_allowed("GET, POST, DELETE"),
        }
    }

    /// Decides the form of an answer; the error is what the client should accept.
    pub(super) fn form(&self, accepted: Accepted) -> Result<Form, &'static str> {
        match accepted {
            Accepted { json: false, .. } if self.is_json_only => Err("application/json"),
            _ if self.is_json_only => Ok(Form::Json),
            Accepted { json: false, .. } => Ok(Form::Stream),
            Accepted { events: false, .. } => Ok(Form::Json),
            _ => Ok(Form::Either),
        }
    }
}

fn request_id<'a>(message: &'a Message<'_>) -> Option<&'a RequestId> {
    match message {
        Message::Request(request) => Some(&request.id),
        _ => None,
    }
}

/// Returns the revision that a request names: in its body, or else in its header.
fn named_revision(headers: &HeaderMap, message: Option<&Message<'_>>) -> Option<String> {
    let params = match message {
        Some(Message::Request(request)) => request.params,
        Some(Message::Notification(notification)) => notification.params,
        _ => None,
    };
    let envelope = Envelope::find(params.map(RawValue::get)).ok();
    envelope
        .and_then(|envelope| envelope.version())
        .or_else(|| {
            let header = headers.get(header::PROTOCOL_VERSION)?;
            Some(String::from_utf8_lossy(header.as_bytes()).into_owned())
        })
}

/// Checks what is refused before a body is read.
#[expect(
    clippy::result_large_err,
    reason = "a refusal is the response itself, made once a request"
)]
pub(super) fn admit<B: http_body::Body>(
    guard: &Guard,
    body_limit: usize,
    parts: &Parts,
    body: &B,
) -> Result<(), Response<Body>> {
    if body::is_declared_larger(body, body_limit) {
        return Err(too_large());
    }
    if parts.method == Method::POST && !guard::is_json(&parts.headers) {
        let message = "Invalid Content-Type header: send `application/json`";
        let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
        return Err(respond::error(None, &error));
    }
    let guarded = guard.check(parts.version, &parts.uri, &parts.headers);
    guarded.map_err(|rejected| {
        tracing::warn!("request refused: {rejected}");
        respond::text(rejected.status(), rejected.to_string())
    })
}

/// Reads a body of at most `limit` bytes.
pub(super) async fn read<B>(body: B, limit: usize) -> Result<Bytes, Response<Body>>
where
    B: http_body::Body<Data = Bytes>,
{
    body::read(body, limit).await.map_err(|error| match error {
        ReadError::TooLarge => too_large(),
        // Nobody is left to read this.
        ReadError::Broken => respond::error(None, &parse_error()),
    })
}

pub(super) fn no_single_message() -> Response<Body> {
    let message = "Body must be a single JSON-RPC request or notification object";
    let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
    respond::error(None, &error)
}

fn too_large() -> Response<Body> {
    respond::text(StatusCode::PAYLOAD_TOO_LARGE, "Request body too large")
}

pub(super) fn not_acceptable(id: Option<&RequestId>, needed: &str) -> Response<Body> {
    let message = format!("Not Acceptable: the Accept header must list {needed}");
    let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
    respond::error_as(StatusCode::NOT_ACCEPTABLE, id, &error)
}

pub(super) fn parse_error() -> ErrorObject {
    ErrorObject::new(ErrorCode::PARSE_ERROR, "Parse error")
}
