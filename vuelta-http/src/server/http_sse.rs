//! The transport of revision 2024-11-05, which later ones keep for its clients: one stream for
//! everything that the server says, and messages of the client as requests of their own.
//!
//! Source: [HTTP with SSE](https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse).

use std::borrow::Cow;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request, Response};
use vuelta::wire::jsonrpc::{Message, MessageError};
use vuelta::{Principal, Server};

use super::body::Body;
use super::endpoint::Inner;
use super::guard::{Accepted, Guard};
use super::legacy::{Refusal, take};
use super::respond;
use super::serve::{self, Head};
use super::session::{Options, Sessions, Sink, Unresumable};
use super::{sse, stream};

/// A server for clients of revision 2024-11-05 over HTTP; made by
/// [`Endpoint::http_sse`](crate::Endpoint::http_sse).
///
/// It answers GET with a stream whose first event says where messages are posted to, and takes
/// these by POST. Mount it at two paths. The stream is the session: when it ends, so does
/// everything that runs for it. All revisions with a handshake may be spoken over it.
///
/// # Example: beside the endpoint of the other revisions
///
/// ```
/// use vuelta::Server;
/// use vuelta_http::Endpoint;
///
/// let server = Server::builder("Calculator", "1.0.0").build()?;
/// let endpoint = Endpoint::new(server);
/// let http_sse = endpoint.http_sse().messages_at("/messages");
/// let app: axum::Router = axum::Router::new()
///     .route_service("/sse", http_sse.clone())
///     .route_service("/messages", http_sse)
///     .route_service("/mcp", endpoint);
/// # Ok::<(), vuelta::Error>(())
/// ```
#[derive(Clone)]
pub struct SseEndpoint {
    server: Server,
    guard: Guard,
    body_limit: usize,
    keep_alive: Duration,
    messages: Cow<'static, str>,
    sessions: Arc<Sessions>,
}

impl SseEndpoint {
    pub(super) fn of(inner: &Inner) -> Self {
        let options = Options {
            store: None,
            ends_with_reader: true,
            ..inner.sessions.options().clone()
        };
        Self {
            server: inner.server.clone(),
            guard: inner.guard.clone(),
            body_limit: inner.body_limit,
            keep_alive: inner.keep_alive,
            messages: Cow::Borrowed(MESSAGES),
            sessions: Arc::new(Sessions::new(options)),
        }
    }

    /// Sets the path to which clients post their messages, as they see it; `/messages` if not
    /// set.
    #[must_use]
    pub fn messages_at(mut self, path: impl Into<String>) -> Self {
        self.messages = Cow::Owned(path.into());
        self
    }

    /// Returns how many streams are open.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Begins no more sessions, and ends those in which nothing runs; the others end with their
    /// last request.
    pub fn close_sessions(&self) {
        self.sessions.close();
    }

    pub(super) fn end_sessions(&self) {
        self.sessions.end_all();
    }

    async fn serve<B>(self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes>,
    {
        let (parts, body) = request.into_parts();
        if let Err(response) = serve::admit(&self.guard, self.body_limit, &parts, &body) {
            return response;
        }
        let response = match parts.method {
            Method::GET => self.connect(&parts).await,
            Method::POST => self.post(parts, body).await,
            _ => Ok(respond::method_not_allowed("GET, POST")),
        };
        response.unwrap_or_else(|refusal| refusal.response(None))
    }

    /// Begins a session, and opens its stream.
    async fn connect(&self, parts: &Parts) -> Result<Response<Body>, Refusal> {
        if !Accepted::of(&parts.headers).events {
            return Ok(serve::not_acceptable(None, "text/event-stream"));
        }
        let owner = parts.extensions.get::<Principal>().cloned();
        let (core, inlet) = self.server.open_session();
        let live = self.sessions.open(core, inlet, owner)?;
        let reading = live.read_standing().await.map_err(Unresumable::Failed)?;
        // Nobody else knows the session yet.
        let reading = reading.ok_or_else(Refusal::not_found)?;
        let mut opening = String::new();
        let uri = format_args!("{}?{SESSION}={}", self.messages, live.id());
        sse::push_endpoint(&mut opening, uri);
        Ok(respond::events(stream::body(
            reading,
            opening,
            self.keep_alive,
        )))
    }

    /// Takes a message; what answers it goes to the stream.
    async fn post<B>(&self, parts: Parts, body: B) -> Result<Response<Body>, Refusal>
    where
        B: http_body::Body<Data = Bytes>,
    {
        let caller = parts.extensions.get::<Principal>();
        let named = parts.uri.query().and_then(session);
        let live = named.and_then(|id| self.sessions.find(id, caller));
        let live = live.ok_or_else(Refusal::not_found)?;
        let body = match serve::read(body, self.body_limit).await {
            Ok(body) => body,
            Err(response) => return Ok(response),
        };
        match Message::parse(&body) {
            Ok(Message::Request(request)) => {
                let id = request.id.clone();
                let head = Head {
                    accepted: Accepted::of(&parts.headers),
                    headers: parts.headers,
                    extensions: parts.extensions,
                };
                if let Err(reason) = live.start(head.incoming(request), Sink::Standing) {
                    return Ok(Refusal::from(reason).response(Some(&id)));
                }
            }
            Ok(other) => take(&live, other).await,
            Err(MessageError::Parse) => return Ok(respond::error(None, &serve::parse_error())),
            Err(_) => return Ok(serve::no_single_message()),
        }
        Ok(respond::accepted())
    }
}

/// Finds the session that a query names.
fn session(query: &str) -> Option<&str> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| *name == SESSION).map(|(_, id)| id)
}

impl<B> tower_service::Service<Request<B>> for SseEndpoint
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let endpoint = self.clone();
        Box::pin(async move { Ok(endpoint.serve(request).await) })
    }
}

impl fmt::Debug for SseEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SseEndpoint")
            .field("server", &self.server)
            .field("messages", &self.messages)
            .finish_non_exhaustive()
    }
}

pub(super) const MESSAGES: &str = "/messages";

const SESSION: &str = "sessionId";
