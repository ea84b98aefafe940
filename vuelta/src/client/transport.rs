//! What a client needs of a connection.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use vuelta_wire::{ProtocolVersion, Raw, RequestId};

use crate::error::Result;
use crate::service::NotificationFrame;

/// A request as a client hands it to its transport.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outgoing {
    /// The id; a new one for each request.
    pub id: RequestId,
    /// The method.
    pub method: String,
    /// The params with their `_meta`: an object.
    pub params: Raw,
    /// The revision that the request speaks.
    pub protocol_version: ProtocolVersion,
    /// The name or URI of what is asked for, where the method names one.
    pub target: Option<String>,
    /// Arguments to mirror beside the body: header names and encoded values.
    pub mirrored: Vec<(String, String)>,
}

impl Outgoing {
    /// Creates a request that names no target and mirrors nothing.
    #[must_use]
    pub fn new(
        id: RequestId,
        method: impl Into<String>,
        params: Raw,
        protocol_version: ProtocolVersion,
    ) -> Self {
        Self {
            id,
            method: method.into(),
            params,
            protocol_version,
            target: None,
            mirrored: Vec::new(),
        }
    }
}

/// A connection to a server.
///
/// # Cancel safety
///
/// Dropping the future of [`request`](Self::request) abandons the request, and tells the
/// server so where the transport has a way.
pub trait Transport: Send + Sync + 'static {
    /// Sends a request and waits for its answer; notifications that belong to it are
    /// delivered on the way, in order.
    ///
    /// Returns the raw result.
    ///
    /// # Errors
    ///
    /// Returns the peer's JSON-RPC error as it is, or what went wrong with the connection.
    fn request(
        &self,
        request: Outgoing,
        notifications: Notifications,
    ) -> impl Future<Output = Result<Raw>> + Send;

    /// Sends a notification.
    ///
    /// # Errors
    ///
    /// Returns an error if it could not be sent.
    fn notify(
        &self,
        method: String,
        params: Option<Raw>,
    ) -> impl Future<Output = Result<()>> + Send;
}

/// What a client can connect to: a transport, a server in memory, or what becomes one.
#[diagnostic::on_unimplemented(
    message = "a client cannot connect to `{Self}`",
    note = "pass a transport, or `&server` for a server in memory"
)]
pub trait IntoTransport {
    /// The transport.
    type Transport: Transport;

    /// Becomes the transport.
    ///
    /// # Errors
    ///
    /// Returns an error if what is given names no place to connect to.
    fn into_transport(self) -> Result<Self::Transport>;
}

impl<T: Transport> IntoTransport for T {
    type Transport = T;

    fn into_transport(self) -> Result<T> {
        Ok(self)
    }
}

/// Where a transport delivers the notifications of a request.
#[derive(Clone)]
pub struct Notifications(Arc<dyn Fn(NotificationFrame) + Send + Sync>);

impl Notifications {
    pub(crate) fn new(deliver: impl Fn(NotificationFrame) + Send + Sync + 'static) -> Self {
        Self(Arc::new(deliver))
    }

    /// Delivers one notification.
    pub fn deliver(&self, frame: NotificationFrame) {
        (self.0)(frame);
    }
}

impl fmt::Debug for Notifications {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifications").finish_non_exhaustive()
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A [`Transport`] behind a pointer.
pub(super) trait ErasedTransport: Send + Sync {
    fn request(
        &self,
        request: Outgoing,
        notifications: Notifications,
    ) -> BoxFuture<'_, Result<Raw>>;
    fn notify(&self, method: String, params: Option<Raw>) -> BoxFuture<'_, Result<()>>;
}

impl<T: Transport> ErasedTransport for T {
    fn request(
        &self,
        request: Outgoing,
        notifications: Notifications,
    ) -> BoxFuture<'_, Result<Raw>> {
        Box::pin(Transport::request(self, request, notifications))
    }

    fn notify(&self, method: String, params: Option<Raw>) -> BoxFuture<'_, Result<()>> {
        Box::pin(Transport::notify(self, method, params))
    }
}
