//! A listener of its own, for a server that needs no router: HTTP/1.1 on one address.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tower_service::Service as _;
use vuelta::{Error, Result};

use super::http_sse::MESSAGES;
use super::linger::Linger;
use super::respond;
use super::{Body, Endpoint, IntoEndpoint, SseEndpoint};

/// Serves an endpoint at `/mcp` of an address until Ctrl-C.
///
/// # Errors
///
/// Returns an error if the address cannot be listened on.
///
/// # Example: a server on port 8000
///
/// ```no_run
/// # async fn run() -> vuelta::Result<()> {
/// let server = vuelta::Server::builder("Calculator", "1.0.0").build()?;
/// vuelta_http::serve(server, "127.0.0.1:8000").await
/// # }
/// ```
pub async fn serve(endpoint: impl IntoEndpoint, addr: impl ToSocketAddrs) -> Result<()> {
    let listener = Listener::bind(addr).await?;
    tracing::info!(url = listener.url(), "listening");
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "Ctrl-C cannot be heard: end the process instead");
            std::future::pending::<()>().await;
        }
    };
    listener.serve(endpoint, interrupt).await
}

/// An address that is listened on.
///
/// It speaks HTTP/1.1, without TLS. A connection on which no request's headers come for 30 s
/// is closed. There are as many connections as the process has file descriptors; when they run
/// out, new ones wait.
#[derive(Debug)]
pub struct Listener {
    tcp: TcpListener,
    addr: SocketAddr,
    /// Whether the transport of revision 2024-11-05 is served too.
    has_http_sse: bool,
}

impl Listener {
    /// Listens on an address; port 0 is any free one.
    ///
    /// A name is resolved by the operating system, which may block for a while.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is not one of this machine, or is in use.
    pub async fn bind(addr: impl ToSocketAddrs) -> Result<Self> {
        let failed = |error: io::Error| {
            let message = format!("cannot listen: {error}");
            Error::transport(message).caused_by(error)
        };
        let addrs: Vec<SocketAddr> = addr.to_socket_addrs().map_err(failed)?.collect();
        let tcp = TcpListener::bind(&*addrs).await.map_err(failed)?;
        let addr = tcp.local_addr().map_err(failed)?;
        Ok(Self {
            tcp,
            addr,
            has_http_sse: false,
        })
    }

    /// Serves clients of revision 2024-11-05 too, whose transport was another one: at `/sse`,
    /// and their messages at `/messages`.
    #[must_use]
    pub fn http_sse(mut self) -> Self {
        self.has_http_sse = true;
        self
    }

    /// Returns the address, with its port.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.addr
    }

    /// Returns the URL of the endpoint: `/mcp` at the address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.addr)
    }

    /// Serves an endpoint until `shutdown` is ready. Subscriptions and sessions are then told that
    /// they are over, and requests in flight have 10 s to be answered.
    ///
    /// # Errors
    ///
    /// What goes wrong with one connection is logged, and no reason to end: so far nothing
    /// makes this fail.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes all connections at once.
    pub async fn serve(
        self,
        endpoint: impl IntoEndpoint,
        shutdown: impl Future<Output = ()>,
    ) -> Result<()> {
        let endpoint = endpoint.into_endpoint()?;
        endpoint.server().start().await?;
        let routes = Routes {
            http_sse: self.has_http_sse.then(|| endpoint.http_sse()),
            endpoint,
        };
        let mut shutdown = std::pin::pin!(shutdown);
        let graceful = GracefulShutdown::new();
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                accepted = self.tcp.accept() => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(connection(stream, routes.clone(), &graceful));
                    }
                    Err(error) => refused(&error).await,
                },
                Some(_) = connections.join_next() => {}
            }
        }
        drop(self.tcp);
        // Nothing else would end them while their clients stay.
        routes.endpoint.server().close_streams();
        routes.close_sessions();
        if tokio::time::timeout(GRACE, graceful.shutdown())
            .await
            .is_err()
        {
            tracing::warn!("requests are still in flight: their connections are closed");
        }
        connections.shutdown().await;
        routes.end_sessions();
        routes.endpoint.server().stop().await;
        Ok(())
    }
}

/// Serves one connection.
fn connection(
    stream: TcpStream,
    routes: Routes,
    graceful: &GracefulShutdown,
) -> impl Future<Output = ()> + Send + 'static {
    // An event must not wait for the next one to fill a packet.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY cannot be set");
    }
    let service = service_fn(move |request| routes.clone().serve(request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(Linger::new(stream)), service);
    let connection = graceful.watch(connection);
    async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection ended");
        }
    }
}

/// What is served at which path.
#[derive(Clone)]
struct Routes {
    endpoint: Endpoint,
    http_sse: Option<SseEndpoint>,
}

impl Routes {
    async fn serve(mut self, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        match (request.uri().path(), &mut self.http_sse) {
            (PATH | PATH_SLASH, _) => self.endpoint.call(request).await,
            (SSE | MESSAGES, Some(http_sse)) => http_sse.call(request).await,
            _ => Ok(respond::text(StatusCode::NOT_FOUND, "Not Found")),
        }
    }

    fn close_sessions(&self) {
        self.endpoint.close_sessions();
        if let Some(http_sse) = &self.http_sse {
            http_sse.close_sessions();
        }
    }

    fn end_sessions(&self) {
        self.endpoint.end_sessions();
        if let Some(http_sse) = &self.http_sse {
            http_sse.end_sessions();
        }
    }
}

/// Waits out what kept a connection from being accepted.
async fn refused(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};

    if matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    ) {
        // That one connection has failed.
        tracing::debug!(%error, "connection not accepted");
        return;
    }
    // The process lacks something, such as file descriptors; trying at once would spin.
    tracing::error!(%error, "connections cannot be accepted");
    tokio::time::sleep(ACCEPT_PAUSE).await;
}

const PATH: &str = "/mcp";
const PATH_SLASH: &str = "/mcp/";
const SSE: &str = "/sse";

const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

const GRACE: Duration = Duration::from_secs(10);

const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
