//! The transport: what it does with a message of each era.

use std::fmt;
use std::sync::Arc;

use http::{HeaderMap, Method};
use vuelta::client::{Inbound, Outgoing, OutgoingNotification};
use vuelta::wire::jsonrpc::{write_notification, write_request};
use vuelta::{Error, Raw, Result, Transport};

use super::builder::HttpTransportBuilder;
use super::connection::Connection;
use super::link::CANCELLED;
use super::remote::Remote;
use super::response;
use super::send::{message_headers, request_headers, send, shown};

/// Creates the transport to the MCP endpoint at an `http` or `https` URL.
///
/// [`HttpTransport::builder`] sets more: headers, limits.
///
/// # Errors
///
/// Returns an error that names the fault and its fix if `url` is none that a client can post
/// to: without a scheme or with another one, with credentials, with a fragment.
///
/// # Example: a client over HTTP
///
/// ```no_run
/// # async fn connect() -> vuelta::Result<()> {
/// let transport = vuelta_http::url("http://127.0.0.1:8000/mcp")?;
/// let client = vuelta::Client::builder().connect(transport).await?;
/// # Ok(()) }
/// ```
pub fn url(url: impl AsRef<str>) -> Result<HttpTransport> {
    HttpTransport::builder(url).build()
}

/// A connection to an MCP endpoint over HTTP.
///
/// Each message is a POST of its own; the connections of HTTP are kept and used again.
/// Redirects are followed within the origin only, and only those that keep the method.
/// Proxies that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, less
/// `NO_PROXY`) are used, except to reach this machine itself.
///
/// Dropping the future of a request cancels it on the server: in revision 2026-07-28 by
/// closing the stream of its answer, in earlier ones by `notifications/cancelled`.
///
/// # Earlier revisions
///
/// A connection that begins with a handshake may have a session. It listens to what the server
/// sends of its own accord, asks for streams again that were interrupted, and begins a session
/// anew that the server has forgotten. A server that has only the transport of 2024-11-05, HTTP
/// with SSE, is spoken to in it.
///
/// `Client::close` ends the session and waits for that. Dropping the transport ends its tasks,
/// and tries to end the session in a task that takes no longer than a few seconds.
///
/// # Clones
///
/// A clone is another connection to the same endpoint: it has the same settings and HTTP
/// connections, and knows what was found out about the server, so that it is not probed again;
/// the session is its own.
pub struct HttpTransport {
    pub(super) remote: Arc<Remote>,
    connection: Connection,
}

impl HttpTransport {
    /// Starts a transport to the MCP endpoint at `url`.
    pub fn builder(url: impl AsRef<str>) -> HttpTransportBuilder {
        HttpTransportBuilder::new(url.as_ref())
    }

    pub(super) fn new(remote: Arc<Remote>) -> Self {
        let connection = Connection::new(Arc::clone(&remote));
        Self { remote, connection }
    }

    /// Posts a message of a revision without a handshake.
    async fn post(&self, headers: HeaderMap, body: String) -> Result<reqwest::Response> {
        let remote = &*self.remote;
        send(remote, Method::POST, &remote.url, headers, body.into()).await
    }
}

impl Clone for HttpTransport {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.remote))
    }
}

impl Transport for HttpTransport {
    async fn request(&self, request: Outgoing, inbound: Inbound) -> Result<Raw> {
        if !request.protocol_version.is_modern() {
            return self.connection.request(&request, &inbound).await;
        }
        self.connection.probed();
        let headers = request_headers(&self.remote.headers, &request)?;
        let body = write_request(&request.id, &request.method, &request.params)
            .map_err(|error| Error::misuse(format!("cannot encode the request: {error}")))?;
        let response = self.post(headers, body).await?;
        let limit = self.remote.max_response_size;
        let answer = response::answer(response, &request.id, limit, &inbound).await?;
        self.remote.era.learn(false);
        Ok(answer)
    }

    async fn notify(&self, notification: OutgoingNotification) -> Result<()> {
        if !notification.protocol_version.is_modern() {
            return self.connection.notify(&notification).await;
        }
        let OutgoingNotification {
            method,
            params,
            protocol_version,
            ..
        } = notification;
        // The specification keeps it off HTTP, where closing a stream cancels.
        if method == CANCELLED {
            return Err(Error::misuse(format!(
                "{CANCELLED:?} is not sent over HTTP: drop the future of the request to cancel it"
            )));
        }
        let headers = message_headers(&self.remote.headers, &method, &protocol_version)?;
        let body = write_notification(&method, params.as_ref())
            .map_err(|error| Error::misuse(format!("cannot encode the notification: {error}")))?;
        let response = self.post(headers, body).await?;
        response::acceptance(response, self.remote.max_response_size).await
    }

    fn attach(&self, inbound: Inbound) {
        self.connection.attach(inbound);
    }

    fn endpoint(&self) -> Option<String> {
        Some(self.remote.url.to_string())
    }

    fn is_known_legacy(&self) -> bool {
        self.remote.era.is_legacy()
    }

    async fn close(&self) {
        self.connection.close().await;
    }
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport")
            .field("url", &shown(&self.remote.url))
            .finish_non_exhaustive()
    }
}
