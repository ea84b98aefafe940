//! The endpoint: one HTTP request in, one HTTP response out, and the order of the checks
//! between.
//!
//! Source: [streamable
//! HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).

use std::borrow::Cow;
use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;
use vuelta::server::Incoming;
use vuelta::server::classify::{self, Envelope};
use vuelta::wire::header;
use vuelta::wire::jsonrpc::{self, Message, MessageError};
use vuelta::wire::methods::{Listen, Method as _};
use vuelta::{ErrorCode, ErrorObject, IntoServer, Outlet, Raw, RequestId, Result, Server};

use super::annotations::Annotations;
use super::body::{self, Body, ReadError};
use super::guard::{self, Accepted, Guard};
use super::mirror;
use super::respond::{self, Answer, Form};

/// A server as an HTTP service: mount it in a router, or give it to a
/// [`Listener`](crate::Listener). Cheap to clone.
///
/// It serves revision 2026-07-28: every message is a POST, and there are no sessions. What a
/// layer in front puts into the request's extensions reaches the handlers; a
/// [`Principal`](vuelta::Principal) among it is the caller. Requests of browsers need a CORS
/// layer in front.
///
/// A subscription lasts as long as its client likes: when the HTTP server around the endpoint
/// shuts down gracefully, end them with [`Server::close_streams`], as a
/// [`Listener`](crate::Listener) does.
///
/// Tools may want arguments mirrored into headers. To compare them, the server's tools are
/// listed, as the caller would see them, on each call that has arguments; give the list a
/// `ttlMs` and the scope `public`, if it is the same for everyone, and it is kept for a while.
///
/// # Security
///
/// Only requests whose `Host` is a name of the machine itself (`localhost`, `127.0.0.1`,
/// `[::1]`) are served, so that no web page can reach a local server by DNS rebinding; and
/// requests that pages of other origins send are refused. A server that has a name is told it
/// by [`allowed_hosts`](Self::allowed_hosts), its pages by
/// [`allowed_origins`](Self::allowed_origins). The endpoint authenticates nobody: that is for
/// a layer in front.
///
/// # Example: mounted in an axum router
///
/// ```
/// use vuelta::Server;
/// use vuelta_http::Endpoint;
///
/// let server = Server::builder("Calculator", "1.0.0").build()?;
/// let endpoint = Endpoint::new(server).allowed_hosts(["mcp.example.org"]);
/// let app: axum::Router = axum::Router::new().route_service("/mcp", endpoint);
/// # Ok::<(), vuelta::Error>(())
/// ```
#[derive(Clone)]
pub struct Endpoint(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    server: Server,
    guard: Guard,
    body_limit: usize,
    keep_alive: Duration,
    /// Whether answers are never streamed, but for subscriptions.
    is_json_only: bool,
    annotations: Arc<Annotations>,
}

impl Endpoint {
    /// Creates the endpoint of a server.
    #[must_use]
    pub fn new(server: Server) -> Self {
        Self(Arc::new(Inner {
            server,
            guard: Guard::default(),
            body_limit: BODY_LIMIT,
            keep_alive: KEEP_ALIVE,
            is_json_only: false,
            annotations: Arc::default(),
        }))
    }

    /// Answers for these hosts, instead of the names of the machine itself.
    ///
    /// An entry is `name`, for the default ports 80 and 443, or `name:port`, or `name:*` for
    /// any port.
    #[must_use]
    pub fn allowed_hosts(self, hosts: impl IntoIterator<Item: Into<String>>) -> Self {
        self.with(|inner| inner.guard.set_hosts(hosts.into_iter().map(Into::into)))
    }

    /// Serves pages of these origins, instead of those of the machine itself.
    ///
    /// An entry is an origin such as `https://app.example.org`, or the same without a scheme
    /// for `http` and `https`; `:*` behind it stands for any port. The opaque origin `null`
    /// is always refused.
    #[must_use]
    pub fn allowed_origins(self, origins: impl IntoIterator<Item: Into<String>>) -> Self {
        self.with(|inner| inner.guard.set_origins(origins.into_iter().map(Into::into)))
    }

    /// Sets how many bytes a request's body may have; 4 MiB by default.
    #[must_use]
    pub fn body_limit(self, bytes: usize) -> Self {
        self.with(|inner| inner.body_limit = bytes)
    }

    /// Answers every request with one JSON object; its notifications are dropped.
    ///
    /// Subscriptions are still streamed. For a server behind something that cannot stream.
    #[must_use]
    pub fn json_responses(self) -> Self {
        self.with(|inner| inner.is_json_only = true)
    }

    /// Sets the silence after which a stream is opened, and then between its comments; 15 s
    /// by default.
    #[must_use]
    pub fn keep_alive(self, silence: Duration) -> Self {
        self.with(|inner| inner.keep_alive = silence)
    }

    pub(super) fn server(&self) -> &Server {
        &self.0.server
    }

    fn with(self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.0);
        change(&mut inner);
        Self(Arc::new(inner))
    }
}

impl From<Server> for Endpoint {
    fn from(server: Server) -> Self {
        Self::new(server)
    }
}

impl From<&Server> for Endpoint {
    fn from(server: &Server) -> Self {
        Self::new(server.clone())
    }
}

/// What can be served over HTTP: an [`Endpoint`], a [`Server`], or what is built into one.
pub trait IntoEndpoint {
    /// Becomes the endpoint.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be built.
    fn into_endpoint(self) -> Result<Endpoint>;
}

impl IntoEndpoint for Endpoint {
    fn into_endpoint(self) -> Result<Endpoint> {
        Ok(self)
    }
}

impl<S: IntoServer> IntoEndpoint for S {
    fn into_endpoint(self) -> Result<Endpoint> {
        self.into_server().map(Endpoint::new)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("server", &self.0.server)
            .finish_non_exhaustive()
    }
}

impl<B> tower_service::Service<Request<B>> for Endpoint
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future =
        Pin<Box<dyn Future<Output = std::result::Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = Arc::clone(&self.0);
        Box::pin(async move { Ok(inner.serve(request).await) })
    }
}

impl Inner {
    async fn serve<B>(self: Arc<Self>, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes>,
    {
        let (parts, body) = request.into_parts();
        if body::is_declared_larger(&body, self.body_limit) {
            return too_large();
        }
        if parts.method == Method::POST && !guard::is_json(&parts.headers) {
            let message = "Invalid Content-Type header: send `application/json`";
            let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
            return respond::error(None, &error);
        }
        let guarded = self.guard.check(parts.version, &parts.uri, &parts.headers);
        if let Err(rejected) = guarded {
            tracing::warn!("request refused: {rejected}");
            return respond::text(rejected.status(), rejected.to_string());
        }
        if parts.method != Method::POST {
            return respond::method_not_allowed();
        }
        let accepted = Accepted::of(&parts.headers);
        if !accepted.json && !accepted.events {
            return not_acceptable(None, "application/json and text/event-stream");
        }
        let body = match body::read(body, self.body_limit).await {
            Ok(body) => body,
            Err(ReadError::TooLarge) => return too_large(),
            // Nobody is left to read this.
            Err(ReadError::Broken) => return respond::error(None, &parse_error()),
        };
        match Message::parse(&body) {
            Ok(Message::Request(request)) => {
                self.request(request, accepted, parts.headers, parts.extensions)
                    .await
            }
            Ok(Message::Notification(_)) => self.notification(&parts.headers),
            Err(MessageError::Parse) => respond::error(None, &parse_error()),
            Ok(Message::Response(_)) | Err(_) => {
                let message = "Body must be a single JSON-RPC request or notification object";
                let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
                respond::error(None, &error)
            }
        }
    }

    /// Accepts a notification. The revision defines none for this transport, so that what
    /// comes is dropped.
    fn notification(&self, headers: &HeaderMap) -> Response<Body> {
        for version in headers.get_all(header::PROTOCOL_VERSION) {
            let version = String::from_utf8_lossy(version.as_bytes());
            let supported = self.server.supported_versions();
            if let Err(error) = classify::check_supported(&version, supported) {
                return respond::error(None, &error);
            }
        }
        respond::accepted()
    }

    async fn request(
        self: Arc<Self>,
        request: jsonrpc::Request<'_>,
        accepted: Accepted,
        headers: HeaderMap,
        extensions: http::Extensions,
    ) -> Response<Body> {
        let form = match self.form(&request.method, accepted) {
            Ok(form) => form,
            Err(needed) => return not_acceptable(Some(&request.id), needed),
        };
        if let Err(error) = self.check(&request, &headers) {
            return respond::error(Some(&request.id), &error);
        }
        let id = request.id.clone();
        let params = request.params.map(Raw::from);
        let incoming = Incoming::new(request.id, request.method, params)
            .headers(headers)
            .extensions(extensions);
        if form == Form::Json {
            return respond::single(&id, self.answer(incoming, Outlet::closed())).await;
        }
        let keep_alive = self.keep_alive;
        let (outlet, inlet) = Outlet::open();
        let answer = self.answer(incoming, outlet);
        respond::streamed(form, id, answer, inlet, keep_alive).await
    }

    /// Decides the form of an answer; the error is what the client should accept.
    fn form(&self, method: &str, accepted: Accepted) -> Result<Form, &'static str> {
        match accepted {
            Accepted { events: false, .. } if method == Listen::NAME => Err("text/event-stream"),
            _ if method == Listen::NAME => Ok(Form::Stream),
            Accepted { json: false, .. } if self.is_json_only => Err("application/json"),
            _ if self.is_json_only => Ok(Form::Json),
            Accepted { json: false, .. } => Ok(Form::Stream),
            Accepted { events: false, .. } => Ok(Form::Json),
            _ => Ok(Form::Either),
        }
    }

    /// Checks a request's envelope, then its routing headers, then its revision.
    fn check(
        &self,
        request: &jsonrpc::Request<'_>,
        headers: &HeaderMap,
    ) -> Result<(), ErrorObject> {
        mirror::check_single(headers)?;
        let params = request.params.map(RawValue::get);
        let envelope = Envelope::find(params)
            .map_err(|error| self.check_handshake(request).err().unwrap_or(error))?;
        mirror::check_routing(headers, request, &envelope)?;
        envelope.check_version(self.server.supported_versions())
    }

    /// Tells a client of an older revision which ones are served here: it may have no other
    /// way to learn that.
    fn check_handshake(&self, request: &jsonrpc::Request<'_>) -> Result<(), ErrorObject> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Handshake<'a> {
            #[serde(borrow)]
            protocol_version: Cow<'a, str>,
        }

        if request.method != "initialize" {
            return Ok(());
        }
        let params = request.params.map_or("{}", RawValue::get);
        serde_json::from_str(params).map_or(Ok(()), |Handshake { protocol_version }| {
            classify::check_supported(&protocol_version, self.server.supported_versions())
        })
    }

    fn answer(self: Arc<Self>, incoming: Incoming, outlet: Outlet) -> Answer {
        Box::pin(async move {
            self.annotations.check(&self.server, &incoming).await?;
            self.server.dispatch(incoming, outlet).await
        })
    }
}

fn too_large() -> Response<Body> {
    respond::text(StatusCode::PAYLOAD_TOO_LARGE, "Request body too large")
}

fn not_acceptable(id: Option<&RequestId>, needed: &str) -> Response<Body> {
    let message = format!("Not Acceptable: the Accept header must list {needed}");
    let error = ErrorObject::new(ErrorCode::INVALID_REQUEST, message);
    respond::error_as(StatusCode::NOT_ACCEPTABLE, id, &error)
}

fn parse_error() -> ErrorObject {
    ErrorObject::new(ErrorCode::PARSE_ERROR, "Parse error")
}

/// How many bytes a request's body may have by default.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// The default silence before a stream is opened, and between its comments.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
