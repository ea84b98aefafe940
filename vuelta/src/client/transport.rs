//! What a client needs of a connection.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use vuelta_wire::{ErrorObject, ProtocolVersion, Raw, RequestId};

use crate::error::{self, Result};
use crate::service::{NotificationFrame, RequestFrame};

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

/// A notification as a client hands it to its transport.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OutgoingNotification {
    /// The method.
    pub method: String,
    /// The params: an object, if any.
    pub params: Option<Raw>,
    /// The revision that the connection speaks.
    pub protocol_version: ProtocolVersion,
}

impl OutgoingNotification {
    /// Creates a notification.
    #[must_use]
    pub fn new(
        method: impl Into<String>,
        params: Option<Raw>,
        protocol_version: ProtocolVersion,
    ) -> Self {
        Self {
            method: method.into(),
            params,
            protocol_version,
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
    /// Sends a request and waits for its answer; what the server sends with it is handed to
    /// `inbound` on the way, in order.
    ///
    /// Returns the raw result.
    ///
    /// # Errors
    ///
    /// Returns the peer's JSON-RPC error as it is, or what went wrong with the connection.
    fn request(
        &self,
        request: Outgoing,
        inbound: Inbound,
    ) -> impl Future<Output = Result<Raw>> + Send;

    /// Sends a notification.
    ///
    /// # Errors
    ///
    /// Returns an error if it could not be sent.
    fn notify(&self, notification: OutgoingNotification)
    -> impl Future<Output = Result<()>> + Send;

    /// Takes where messages go that belong to no request: called once, before the first request.
    ///
    /// A transport on which there are none has nothing to do here.
    fn attach(&self, inbound: Inbound) {
        let _ = inbound;
    }

    /// Returns which server it reaches, such as a URL: clients that share a
    /// [cache](crate::Cache) are told the same by the same. `None` if that cannot be said.
    fn endpoint(&self) -> Option<String> {
        None
    }

    /// Returns whether an earlier connection to the same server found that it begins with a
    /// handshake: the client then does not probe it again.
    fn is_known_legacy(&self) -> bool {
        false
    }

    /// Ends the connection in the way that the transport has; what is in flight may fail.
    fn close(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
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

/// Where a transport hands over what the server sends of its own accord; cheap to clone.
#[derive(Clone)]
pub struct Inbound {
    notification: Arc<dyn Fn(NotificationFrame) + Send + Sync>,
    request: Arc<dyn Fn(RequestFrame) -> BoxFuture<'static, Answer> + Send + Sync>,
}

/// What a client answers to a request of the server.
type Answer = Result<Raw, ErrorObject>;

impl Inbound {
    /// Hands notifications to `notification`; the server's requests are refused.
    pub(crate) fn new(notification: impl Fn(NotificationFrame) + Send + Sync + 'static) -> Self {
        Self {
            notification: Arc::new(notification),
            request: Arc::new(|frame| {
                let refused = error::method_not_found(&frame.method);
                Box::pin(std::future::ready(Err(refused)))
            }),
        }
    }

    /// Hands the server's requests to `answer`.
    pub(crate) fn answering<F, Fut>(mut self, answer: F) -> Self
    where
        F: Fn(RequestFrame) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        self.request = Arc::new(move |frame| Box::pin(answer(frame)));
        self
    }

    /// Delivers one notification.
    pub fn deliver(&self, frame: NotificationFrame) {
        (self.notification)(frame);
    }

    /// Answers a request of the server: only on a connection with a handshake. The answer goes
    /// back under the request's id.
    ///
    /// # Errors
    ///
    /// Returns the error that the server is to read.
    pub fn answer(&self, frame: RequestFrame) -> impl Future<Output = Answer> + Send + 'static {
        (self.request)(frame)
    }
}

impl fmt::Debug for Inbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbound").finish_non_exhaustive()
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A [`Transport`] behind a pointer.
pub(super) trait ErasedTransport: Send + Sync {
    fn request(&self, request: Outgoing, inbound: Inbound) -> BoxFuture<'_, Result<Raw>>;

    fn notify(&self, notification: OutgoingNotification) -> BoxFuture<'_, Result<()>>;

    fn attach(&self, inbound: Inbound);

    fn endpoint(&self) -> Option<String>;

    fn is_known_legacy(&self) -> bool;

    fn close(&self) -> BoxFuture<'_, ()>;
}

impl<T: Transport> ErasedTransport for T {
    fn request(&self, request: Outgoing, inbound: Inbound) -> BoxFuture<'_, Result<Raw>> {
        Box::pin(Transport::request(self, request, inbound))
    }

    fn notify(&self, notification: OutgoingNotification) -> BoxFuture<'_, Result<()>> {
        Box::pin(Transport::notify(self, notification))
    }

    fn attach(&self, inbound: Inbound) {
        Transport::attach(self, inbound);
    }

    fn endpoint(&self) -> Option<String> {
        Transport::endpoint(self)
    }

    fn is_known_legacy(&self) -> bool {
        Transport::is_known_legacy(self)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(Transport::close(self))
    }
}
