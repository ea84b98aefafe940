//! How a server serves subscriptions: over which bus, how many, and to whom.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use vuelta_wire::SubscriptionFilter;

use crate::error::Result;
use crate::service::Context;

use super::{LocalBus, SubscriptionBus};

/// How a server serves subscriptions.
///
/// An [`McpServer`](crate::McpServer) serves them without being told; a
/// [`ServerBuilder`](crate::ServerBuilder) has to be given this. A stream that falls behind
/// loses nothing: what waits for it twice is told once, and if changes had to be dropped it
/// is told that everything it watches has changed.
///
/// # Example: each caller watches its own pages
///
/// ```
/// use vuelta::{Error, ErrorCode, McpServer, Subscriptions};
///
/// let subscriptions = Subscriptions::new().max_streams(100).allow(|cx, mut filter| async move {
///     let Some(caller) = cx.principal() else {
///         return Err(Error::rpc(ErrorCode::INVALID_REQUEST, "Sign in to watch"));
///     };
///     let own = format!("pages://{}/", caller.client_id);
///     if let Some(uris) = &mut filter.resource_subscriptions {
///         uris.retain(|uri| uri.starts_with(&own));
///     }
///     Ok(filter)
/// });
/// let server = McpServer::new("Pages", "1.0.0").subscriptions(subscriptions);
/// ```
#[must_use = "settings do nothing until a server is given them"]
pub struct Subscriptions {
    pub(super) bus: Arc<dyn SubscriptionBus>,
    pub(super) gate: Option<Box<Gate>>,
    pub(super) max_streams: usize,
    pub(super) max_uris: usize,
}

/// Decides what of a filter a caller may watch.
pub(super) type Gate = dyn Fn(Context, SubscriptionFilter) -> Decision + Send + Sync;
type Decision = Pin<Box<dyn Future<Output = Result<SubscriptionFilter>> + Send>>;

/// How many streams may listen at the same time, if not set.
const MAX_STREAMS: usize = 1024;
/// How many resources one stream may watch, if not set.
const MAX_URIS: usize = 1024;

impl Subscriptions {
    /// Starts from the defaults: a bus within the process, and everybody may watch everything.
    pub fn new() -> Self {
        Self {
            bus: Arc::new(LocalBus::new()),
            gate: None,
            max_streams: MAX_STREAMS,
            max_uris: MAX_URIS,
        }
    }

    /// Sets the bus that carries the changes; a [`LocalBus`] of the server's own if not set.
    pub fn bus(mut self, bus: impl SubscriptionBus) -> Self {
        self.bus = Arc::new(bus);
        self
    }

    /// Sets how many streams may listen at the same time; 1024 if not set.
    pub fn max_streams(mut self, streams: usize) -> Self {
        self.max_streams = streams;
        self
    }

    /// Sets how many resources one stream may watch; 1024 if not set.
    pub fn max_resources(mut self, uris: usize) -> Self {
        self.max_uris = uris;
        self
    }

    /// Decides who may watch what: `gate` sees the request and the part of its filter that the
    /// server offers, and returns what of it is honoured, or the error that refuses all of it.
    ///
    /// The client is told what is honoured. What `gate` adds to the filter is not.
    pub fn allow<F, Fut>(mut self, gate: F) -> Self
    where
        F: Fn(Context, SubscriptionFilter) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<SubscriptionFilter>> + Send + 'static,
    {
        self.gate = Some(Box::new(move |cx, filter| Box::pin(gate(cx, filter))));
        self
    }

    pub(crate) fn shared_bus(&self) -> Arc<dyn SubscriptionBus> {
        Arc::clone(&self.bus)
    }
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Subscriptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscriptions")
            .field("max_streams", &self.max_streams)
            .field("max_resources", &self.max_uris)
            .finish_non_exhaustive()
    }
}
