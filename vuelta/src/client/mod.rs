//! The client: calls whose rounds are invisible, or driven by hand.

mod answers;
mod builder;
mod cache;
mod call_builder;
mod calls;
mod connect;
mod drive;
mod flow;
mod group;
mod known_tools;
mod legacy;
mod listen;
mod lists;
mod output;
mod pages;
mod param_headers;
mod probe;
mod rounds;
mod serve;
mod transport;

pub use self::answers::IntoAnswer;
pub use self::builder::{ClientBuilder, Mode};
pub use self::cache::{Cache, CacheMode};
pub use self::call_builder::CallBuilder;
pub(crate) use self::flow::FlowData;
pub use self::flow::{Flow, Step};
pub use self::group::{ClientGroup, Grouped};
pub use self::listen::{ListenBuilder, Subscription, Watch, WatchEvent};
pub use self::lists::ListMethod;
pub use self::pages::{Items, Pages};
pub use self::rounds::Round;
pub use self::transport::{Inbound, IntoTransport, Outgoing, OutgoingNotification, Transport};
pub use crate::peer::{Inflight, Waiting};

use std::fmt;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use vuelta_wire::{
    ClientCapabilities, DiscoverResult, Implementation, LoggingLevel, ProtocolVersion,
    ServerCapabilities, ServerNotification, meta,
};

use self::cache::View;
use self::known_tools::KnownTools;
use self::serve::Desk;
use self::transport::ErasedTransport;

/// A client of one server; cheap to clone.
///
/// A question that the server returns is put to the callbacks given to the builder, and the
/// call is sent again with the answers; the caller sees only the result.
///
/// # Example: a form is answered by a callback
///
/// ```
/// use vuelta::{Client, ElicitForm, ElicitResult, Error};
///
/// async fn provision(server: &vuelta::Server) -> Result<String, Error> {
///     let client = Client::builder()
///         .on_elicit(|form: ElicitForm| async move {
///             ElicitResult::accept(serde_json::json!({ "region": "eu-west-1" }))
///         })
///         .connect(server)
///         .await?;
///     let result = client.call_tool("provision", serde_json::json!({ "name": "orders" })).await?;
///     Ok(result.as_text())
/// }
/// ```
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    transport: Box<dyn ErasedTransport>,
    desk: Desk,
    limits: Limits,
    info: Implementation,
    capabilities: ClientCapabilities,
    log_level: Option<LoggingLevel>,
    on_notification: Option<Box<dyn Fn(ServerNotification) + Send + Sync>>,
    /// What the connection came to; set before anybody gets the client.
    agreed: OnceLock<Agreed>,
    next_id: AtomicI64,
    cache: View,
    known_tools: Mutex<KnownTools>,
    /// Whether structured content must fit the tool's output schema.
    checks_output: bool,
    /// Held while the client lists tools on its own.
    listing: tokio::sync::Mutex<()>,
}

/// What both sides agreed on when they connected.
#[derive(Debug)]
struct Agreed {
    protocol_version: ProtocolVersion,
    server: DiscoverResult,
}

/// What bounds a flow; each has a default that a person would not meet.
#[derive(Clone, Copy, Debug)]
struct Limits {
    timeout: Option<Duration>,
    max_rounds: u32,
    questions_per_round: usize,
    concurrent_callbacks: usize,
    state_size: usize,
}

impl Client {
    /// Starts a client.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Returns the revision that the connection speaks.
    #[must_use]
    pub fn protocol_version(&self) -> &ProtocolVersion {
        &self.agreed().protocol_version
    }

    fn agreed(&self) -> &Agreed {
        let agreed = self.0.agreed.get();
        agreed.expect("`connect` sets it before it returns the client")
    }

    /// Returns who the server says it is.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        meta::server_info(self.agreed().server.meta.as_ref())
    }

    /// Returns what the server offers.
    #[must_use]
    pub fn server_capabilities(&self) -> &ServerCapabilities {
        &self.agreed().server.capabilities
    }

    /// Returns how to use the server, for the model.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.agreed().server.instructions.as_deref()
    }

    /// Returns what the server answered when it was discovered; to be saved for
    /// [`Mode::discovered`]. After a handshake, what the server said in it, in the same form.
    #[must_use]
    pub fn discovered(&self) -> &DiscoverResult {
        &self.agreed().server
    }

    /// Returns whether the connection began with a handshake: it speaks a revision before
    /// 2026-07-28.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        !self.protocol_version().is_modern()
    }

    /// Ends the connection in the way that the transport has; what is in flight may fail.
    ///
    /// Dropping the last clone of the client ends it as well, without waiting.
    pub async fn close(&self) {
        self.0.transport.close().await;
    }

    /// Returns what this client declares that it can do.
    #[must_use]
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.0.capabilities
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("agreed", &self.0.agreed)
            .finish_non_exhaustive()
    }
}
