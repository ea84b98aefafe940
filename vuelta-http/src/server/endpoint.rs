//! The endpoint: a server and its options as a service of HTTP requests.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use vuelta::{IntoServer, Result, Server};

use super::annotations::Annotations;
use super::body::Body;
use super::guard::Guard;
use super::http_sse::SseEndpoint;
use super::session::{EventStore, Options, Sessions};

/// A server as an HTTP service: mount it in a router, or give it to a
/// [`Listener`](crate::Listener). Cheap to clone.
///
/// It serves revision 2026-07-28, where every message is a POST and there are no sessions, and
/// beside it the revisions before, which begin with a handshake; each request tells which it is
/// of. What a layer in front puts into the request's extensions reaches the handlers; a
/// [`Principal`](vuelta::Principal) among it is the caller. Requests of browsers need a CORS
/// layer in front, which exposes `Mcp-Session-Id` to pages that speak an older revision.
///
/// # Sessions of the revisions with a handshake
///
/// A session lives in the memory of this process until its client ends it, or has been away for
/// [30 minutes](Self::session_idle_timeout) while nothing runs that does not wait for it. There
/// are [10,000](Self::max_sessions) at most, each with 1,024 requests that run. A connection
/// that breaks cancels nothing: a request runs on, and the client gets what it missed when it
/// comes back, as far as the [store](Self::event_store) has kept it. Where requests of one
/// client may reach different processes, be [`stateless`](Self::stateless).
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
pub(super) struct Inner {
    pub(super) server: Server,
    pub(super) guard: Guard,
    pub(super) body_limit: usize,
    pub(super) keep_alive: Duration,
    /// Whether answers are never streamed, but for subscriptions.
    pub(super) is_json_only: bool,
    /// Whether requests of the revisions with a handshake are served without sessions.
    pub(super) is_stateless: bool,
    pub(super) annotations: Arc<Annotations>,
    pub(super) sessions: Arc<Sessions>,
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
            is_stateless: false,
            annotations: Arc::default(),
            sessions: Arc::new(Sessions::new(Options::default())),
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

    /// Answers every request with one JSON object; its notifications are dropped, and clients
    /// of the revisions with a handshake cannot be asked anything.
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

    /// Serves the revisions with a handshake without sessions: every request stands alone, and
    /// its client cannot be asked anything.
    ///
    /// Their revision is that of the `MCP-Protocol-Version` header, 2025-03-26 without one. For
    /// a server whose processes share a load; 2026-07-28 has no sessions anyway.
    #[must_use]
    pub fn stateless(self) -> Self {
        self.with(|inner| inner.is_stateless = true)
    }

    /// Sets how long a session may be idle before it ends; 30 minutes by default.
    ///
    /// A session is not idle while a connection reads one of its streams, or while a request
    /// runs that does not wait for an answer of the client.
    #[must_use]
    pub fn session_idle_timeout(self, timeout: Duration) -> Self {
        self.with_sessions(|options| options.idle_timeout = timeout)
    }

    /// Sets how many sessions there may be; 10,000 by default. One more is refused.
    #[must_use]
    pub fn max_sessions(self, sessions: usize) -> Self {
        self.with_sessions(|options| options.max_sessions = sessions)
    }

    /// Sets what broken streams of sessions are resumed from; a
    /// [`MemoryEventStore`](crate::MemoryEventStore) by default.
    #[must_use]
    pub fn event_store(self, store: impl EventStore) -> Self {
        self.with_sessions(|options| options.store = Some(Arc::new(store)))
    }

    /// Resumes no streams, and keeps nothing for it: what a client misses while its connection
    /// is broken is lost.
    #[must_use]
    pub fn without_resumption(self) -> Self {
        self.with_sessions(|options| options.store = None)
    }

    /// Creates the endpoint of the transport of revision 2024-11-05 for the same server, with
    /// the same limits on hosts, origins, bodies and sessions.
    #[must_use]
    pub fn http_sse(&self) -> SseEndpoint {
        SseEndpoint::of(&self.0)
    }

    /// Returns how many sessions there are.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.0.sessions.len()
    }

    /// Begins no more sessions, and ends what only their clients would end: their standing
    /// streams, and questions that wait. Requests that run may finish.
    ///
    /// A [`Listener`](crate::Listener) does it when it shuts down, and so does whoever mounts
    /// the endpoint in an HTTP server of another crate: that would wait for those streams.
    pub fn close_sessions(&self) {
        self.0.sessions.close();
    }

    pub(super) fn end_sessions(&self) {
        self.0.sessions.end_all();
    }

    pub(super) fn server(&self) -> &Server {
        &self.0.server
    }

    /// Changes what sessions may have; those that there are stay with the endpoint as it was.
    fn with_sessions(self, change: impl FnOnce(&mut Options)) -> Self {
        self.with(|inner| {
            let mut options = inner.sessions.options().clone();
            change(&mut options);
            inner.sessions = Arc::new(Sessions::new(options));
        })
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

/// How many bytes a request's body may have by default.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// The default silence before a stream is opened, and between its comments.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
