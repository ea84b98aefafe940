//! Messages of the revisions with a handshake: each belongs to a session.
//!
//! Source: [streamable
//! HTTP](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http).

use std::sync::Arc;
use std::time::Duration;

use http::header::HeaderName;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use tokio::sync::oneshot;
use vuelta::server::Incoming;
use vuelta::wire::header;
use vuelta::wire::jsonrpc::{Message, Notification, Request};
use vuelta::wire::methods::{Initialize, Method as _};
use vuelta::wire::{CancelledParams, jsonrpc};
use vuelta::{ErrorCode, ErrorObject, Outlet, Principal, Raw, RequestId};

use super::body::Body;
use super::endpoint::Inner;
use super::respond::{self, Form};
use super::serve::{Head, not_acceptable};
use super::session::{CANCELLED, Live, NotOpened, Reading, Refused, Sink, Unresumable};
use super::{sse, stream};

/// Why a request is not served, and under which status.
pub(super) struct Refusal {
    status: StatusCode,
    error: ErrorObject,
}

impl Refusal {
    fn new(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        let error = ErrorObject::new(code, message.into());
        Self { status, error }
    }

    fn invalid(status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(status, ErrorCode::INVALID_REQUEST, message)
    }

    pub(super) fn not_found() -> Self {
        Self::invalid(StatusCode::NOT_FOUND, "Session not found")
    }

    pub(super) fn error(self) -> ErrorObject {
        self.error
    }

    pub(super) fn response(&self, id: Option<&RequestId>) -> Response<Body> {
        respond::error_as(self.status, id, &self.error)
    }
}

impl From<NotOpened> for Refusal {
    fn from(reason: NotOpened) -> Self {
        let (status, message) = match reason {
            NotOpened::Full => (
                StatusCode::SERVICE_UNAVAILABLE,
                "no more sessions can begin: try again later",
            ),
            NotOpened::Failed(error) => {
                tracing::error!(%error, "a session cannot begin");
                (StatusCode::INTERNAL_SERVER_ERROR, "Internal error")
            }
        };
        Self::new(status, ErrorCode::INTERNAL_ERROR, message)
    }
}

impl From<Refused> for Refusal {
    fn from(reason: Refused) -> Self {
        match reason {
            Refused::Duplicate => Self::invalid(
                StatusCode::BAD_REQUEST,
                "a request with this id is still served",
            ),
            Refused::Busy => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                ErrorCode::INTERNAL_ERROR,
                "the session serves as many requests as it can: try again later",
            ),
            Refused::Ended => Self::not_found(),
        }
    }
}

impl From<Unresumable> for Refusal {
    fn from(reason: Unresumable) -> Self {
        match reason {
            Unresumable::Unknown => Self::invalid(
                StatusCode::BAD_REQUEST,
                "Last-Event-ID names no event of this session",
            ),
            Unresumable::Gone => Self::invalid(
                StatusCode::GONE,
                "what came after this event is kept no longer: send the request again",
            ),
            Unresumable::Failed(error) => {
                tracing::error!(%error, "a stream cannot be resumed");
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Self::new(status, ErrorCode::INTERNAL_ERROR, "Internal error")
            }
        }
    }
}

impl Inner {
    /// Serves a message.
    pub(super) async fn in_session(&self, message: Message<'_>, head: Head) -> Response<Body> {
        let live = self.session(&head.headers, &head.extensions);
        let request = match message {
            Message::Request(request) if request.method == Initialize::NAME => {
                return self.handshake(live.ok(), request, head).await;
            }
            Message::Request(request) => request,
            other => {
                let checked = live.and_then(|live| check_revision(&head.headers, live));
                return match checked {
                    Ok(live) => {
                        take(&live, other).await;
                        respond::accepted()
                    }
                    Err(refusal) => refusal.response(None),
                };
            }
        };
        let id = request.id.clone();
        let form = match self.form(head.accepted) {
            Ok(form) => form,
            Err(needed) => return not_acceptable(Some(&id), needed),
        };
        let run = match live.and_then(|live| check_revision(&head.headers, live)) {
            Ok(live) => self.run(&live, form, head.incoming(request)).await,
            Err(refusal) => Err(refusal),
        };
        run.unwrap_or_else(|refusal| refusal.response(Some(&id)))
    }

    /// Finds the session that a request names.
    pub(super) fn session(
        &self,
        headers: &HeaderMap,
        extensions: &http::Extensions,
    ) -> Result<Arc<Live>, Refusal> {
        let Some(id) = headers.get(header::SESSION_ID) else {
            return Err(Refusal::invalid(
                StatusCode::BAD_REQUEST,
                "Bad Request: Missing session ID: send `initialize` first, then its \
                 Mcp-Session-Id with every request",
            ));
        };
        let caller = extensions.get::<Principal>();
        let live = id
            .to_str()
            .ok()
            .and_then(|id| self.sessions.find(id, caller));
        live.ok_or_else(Refusal::not_found)
    }

    /// Answers the handshake, and begins a session with it, unless it comes within one.
    async fn handshake(
        &self,
        within: Option<Arc<Live>>,
        request: Request<'_>,
        head: Head,
    ) -> Response<Body> {
        let id = request.id.clone();
        let form = match self.form(head.accepted) {
            Ok(form) => form,
            Err(needed) => return not_acceptable(Some(&id), needed),
        };
        let owner = head.extensions.get::<Principal>().cloned();
        let incoming = head.incoming(request);
        let (answer, live) = if let Some(live) = within {
            let answer = live.core().dispatch(incoming, Outlet::closed()).await;
            (answer, Some(live))
        } else {
            let (core, inlet) = self.server.open_session();
            let answer = core.dispatch(incoming, Outlet::closed()).await;
            let opened = match answer {
                Ok(_) => self.sessions.open(core, inlet, owner).map(Some),
                Err(_) => Ok(None),
            };
            match opened {
                Ok(live) => (answer, live),
                Err(reason) => return Refusal::from(reason).response(Some(&id)),
            }
        };
        let message = sse::write_response(&id, &answer);
        let mut response = if form == Form::Stream {
            let mut event = String::new();
            sse::push_event(&mut event, &message);
            respond::events(Body::whole(event))
        } else {
            respond::json(StatusCode::OK, message)
        };
        let session = live.and_then(|live| HeaderValue::from_str(live.id()).ok());
        if let Some(session) = session {
            let name = HeaderName::from_static(header::SESSION_ID);
            response.headers_mut().insert(name, session);
        }
        response
    }

    /// Runs a request in its session; what it says goes to a stream, if the client takes one.
    async fn run(
        &self,
        live: &Arc<Live>,
        form: Form,
        incoming: Incoming,
    ) -> Result<Response<Body>, Refusal> {
        if form == Form::Json {
            let (answer, answered) = oneshot::channel();
            live.start(incoming, Sink::Single(answer))?;
            return Ok(match answered.await {
                Ok(message) => respond::json(StatusCode::OK, message),
                // It was cancelled.
                Err(_) => respond::no_content(),
            });
        }
        let (stream, reading) = live.open_stream();
        live.start(incoming, Sink::Stream(stream))?;
        let opening = opening(live, &reading);
        let body = stream::body(reading, opening, self.keep_alive);
        Ok(respond::events(body))
    }

    /// Opens the stream of what belongs to no request, or goes on with one that broke.
    pub(super) async fn read_stream(
        &self,
        headers: &HeaderMap,
        extensions: &http::Extensions,
    ) -> Response<Body> {
        let found = self.session(headers, extensions);
        let read = match found.and_then(|live| check_revision(headers, live)) {
            Ok(live) => self.read(&live, headers).await,
            Err(refusal) => Err(refusal),
        };
        read.unwrap_or_else(|refusal| refusal.response(None))
    }

    async fn read(&self, live: &Arc<Live>, headers: &HeaderMap) -> Result<Response<Body>, Refusal> {
        let last = headers.get(header::LAST_EVENT_ID);
        let (reading, opening) = match last.filter(|last| !last.is_empty()) {
            Some(last) => {
                let after = last.to_str().ok().and_then(|last| last.parse().ok());
                let reading = live.resume(after.ok_or(Unresumable::Unknown)?).await?;
                (reading, String::new())
            }
            None => {
                let reading = live.read_standing().await.map_err(Unresumable::Failed)?;
                let reading = reading.ok_or_else(|| {
                    Refusal::invalid(
                        StatusCode::CONFLICT,
                        "Conflict: the session's stream is read already",
                    )
                })?;
                let opening = opening(live, &reading);
                (reading, opening)
            }
        };
        let body = stream::body(reading, opening, self.keep_alive);
        Ok(respond::events(body))
    }

    /// Ends a session, as its client says.
    pub(super) fn end_session(
        &self,
        headers: &HeaderMap,
        extensions: &http::Extensions,
    ) -> Response<Body> {
        let found = self.session(headers, extensions);
        match found.and_then(|live| check_revision(headers, live)) {
            Ok(live) => {
                self.sessions.end(&live);
                respond::no_content()
            }
            Err(refusal) => refusal.response(None),
        }
    }
}

/// Checks that a request of a session speaks what the session does; one that does not say is
/// taken to.
pub(super) fn check_revision(headers: &HeaderMap, live: Arc<Live>) -> Result<Arc<Live>, Refusal> {
    let revision = live.revision();
    let mut said = headers.get_all(header::PROTOCOL_VERSION).iter();
    if said.all(|said| said.as_bytes() == revision.as_str().as_bytes()) {
        return Ok(live);
    }
    let message = format!("Bad Request: MCP-Protocol-Version must be {revision} in this session");
    Err(Refusal::invalid(StatusCode::BAD_REQUEST, message))
}

/// Takes a message that is not answered.
pub(super) async fn take(live: &Live, message: Message<'_>) {
    match message {
        Message::Response(jsonrpc::Response { id, outcome }) => match id {
            Some(id) => live.settle(&id, outcome.map(Raw::from)),
            None => tracing::debug!("response ignored: it has no id"),
        },
        Message::Notification(Notification { method, params }) => {
            let params = params.map(Raw::from);
            if method != CANCELLED {
                return live.core().notify(&method, params).await;
            }
            match params.as_ref().map(Raw::parse::<CancelledParams>) {
                Some(Ok(cancelled)) => live.cancel(&cancelled.request_id),
                _ => tracing::debug!("cancellation ignored: it names no request"),
            }
        }
        Message::Request(_) => {}
    }
}

/// Returns what a stream begins with: from where it can be gone on with.
pub(super) fn opening(live: &Live, reading: &Reading) -> String {
    let mut opening = String::new();
    if live.polls() {
        sse::push_position(&mut opening, reading.reader.position(), RETRY);
    }
    opening
}

/// How long a client waits before it comes back when its connection broke.
const RETRY: Duration = Duration::from_secs(1);
