//! How a client is put together and connected.

use std::fmt;
use std::future::Future;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use vuelta_wire::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, DiscoverResult, ElicitForm,
    ElicitResult, ElicitUrl, Implementation, ListRootsParams, ListRootsResult, LoggingLevel,
    ProtocolVersion, SamplingCapability, ServerNotification,
};

use crate::error::Result;

use super::answers::{Callbacks, IntoAnswer, callback};
use super::cache::View;
use super::serve::Desk;
use super::transport::{ErasedTransport, IntoTransport};
use super::{Cache, CacheMode, Client, Inner, Limits};

/// How a client learns which revision the server speaks.
#[derive(Clone, Debug)]
pub struct Mode(pub(super) Kind);

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Auto,
    Legacy,
    Pinned {
        version: ProtocolVersion,
        discovered: Option<Box<DiscoverResult>>,
    },
}

impl Mode {
    /// Asks the server first: one `server/discover`; if the server knows no such thing, begins
    /// with a handshake instead. The default.
    #[must_use]
    pub const fn auto() -> Self {
        Self(Kind::Auto)
    }

    /// Begins with a handshake, `initialize`, as revisions before 2026-07-28 do.
    #[must_use]
    pub const fn legacy() -> Self {
        Self(Kind::Legacy)
    }

    /// Speaks this revision from the first call on and asks nothing.
    ///
    /// Server info, capabilities and instructions stay empty, unless an earlier answer is
    /// given with [`discovered`](Self::discovered).
    #[must_use]
    pub fn pinned(version: ProtocolVersion) -> Self {
        Self(Kind::Pinned {
            version,
            discovered: None,
        })
    }

    /// Sets what the server answered when it was discovered before; only for a pinned mode,
    /// which an answer makes out of any.
    #[must_use]
    pub fn discovered(self, result: DiscoverResult) -> Self {
        let version = match self.0 {
            Kind::Pinned { version, .. } => version,
            Kind::Auto | Kind::Legacy => ProtocolVersion::V2026_07_28,
        };
        Self(Kind::Pinned {
            version,
            discovered: Some(Box::new(result)),
        })
    }
}

/// Puts a [`Client`] together.
#[must_use = "a builder does nothing until `connect`"]
pub struct ClientBuilder {
    info: Implementation,
    mode: Mode,
    callbacks: Callbacks,
    limits: Limits,
    probe_timeout: Duration,
    log_level: Option<LoggingLevel>,
    on_notification: Option<Box<dyn Fn(ServerNotification) + Send + Sync>>,
    cache: Cache,
    cache_partition: Option<String>,
    cache_mode: CacheMode,
    checks_output: bool,
}

impl ClientBuilder {
    pub(super) fn new() -> Self {
        Self {
            info: Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            mode: Mode::auto(),
            callbacks: Callbacks::default(),
            limits: Limits {
                timeout: None,
                max_rounds: 10,
                questions_per_round: 64,
                concurrent_callbacks: 8,
                state_size: 4 * 1024 * 1024,
            },
            probe_timeout: Duration::from_secs(10),
            log_level: None,
            on_notification: None,
            cache: Cache::new(),
            cache_partition: None,
            cache_mode: CacheMode::Use,
            checks_output: true,
        }
    }

    /// Sets who the client says it is; `vuelta` and its version if not set.
    pub fn info(mut self, info: Implementation) -> Self {
        self.info = info;
        self
    }

    /// Sets how the client learns the server's revision.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Answers forms; declares `elicitation.form`.
    pub fn on_elicit<F, Fut>(mut self, answer: F) -> Self
    where
        F: Fn(ElicitForm) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<ElicitResult>,
    {
        self.callbacks.form = Some(callback(answer));
        self
    }

    /// Sends the user to URLs; declares `elicitation.url`.
    pub fn on_elicit_url<F, Fut>(mut self, answer: F) -> Self
    where
        F: Fn(ElicitUrl) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<ElicitResult>,
    {
        self.callbacks.url = Some(callback(answer));
        self
    }

    /// Samples the client's model; declares `sampling`.
    pub fn on_sample<F, Fut>(mut self, answer: F) -> Self
    where
        F: Fn(CreateMessageParams) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<CreateMessageResult>,
    {
        self.callbacks.sample = Some(callback(answer));
        self
    }

    /// Sets what of sampling the callback supports, such as tools; nothing more if not set.
    pub fn sampling(mut self, capability: SamplingCapability) -> Self {
        self.callbacks.sampling = capability;
        self
    }

    /// Lists the client's roots; declares `roots`.
    pub fn on_list_roots<F, Fut>(mut self, answer: F) -> Self
    where
        F: Fn(ListRootsParams) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoAnswer<ListRootsResult>,
    {
        self.callbacks.roots = Some(callback(answer));
        self
    }

    /// Declares what the caller answers by hand, besides what the callbacks declare: see
    /// [`CallBuilder::step`](super::CallBuilder::step).
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.callbacks.declared = capabilities;
        self
    }

    /// Sees every notification of the server, in order; must not block.
    pub fn on_notification(
        mut self,
        see: impl Fn(ServerNotification) + Send + Sync + 'static,
    ) -> Self {
        self.on_notification = Some(Box::new(see));
        self
    }

    /// Opts in to log notifications at this level and above; none if not set.
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Sets how long the server may take to answer one request; unlimited if not set.
    ///
    /// The time of the callbacks does not count: people are slower than servers. A call that
    /// asks for progress starts its time anew with each sign of it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = Some(timeout);
        self
    }

    /// Sets how long the server may take to answer `server/discover`; 10 seconds if not set.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.probe_timeout = timeout;
        self
    }

    /// Sets how often a call may be sent again with answers; 10 times if not set.
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.limits.max_rounds = rounds;
        self
    }

    /// Sets how many questions one round may bring; 64 if not set.
    pub fn max_questions(mut self, questions: usize) -> Self {
        self.limits.questions_per_round = questions;
        self
    }

    /// Sets how many callbacks of one round run at the same time; 8 if not set.
    pub fn concurrent_callbacks(mut self, callbacks: usize) -> Self {
        self.limits.concurrent_callbacks = callbacks;
        self
    }

    /// Sets how many bytes of state a server may hand over; 4 MiB if not set.
    pub fn max_state_size(mut self, bytes: usize) -> Self {
        self.limits.state_size = bytes;
        self
    }

    /// Sets where answers are kept; in a cache of the client's own if not set.
    pub fn cache(mut self, cache: Cache) -> Self {
        self.cache = cache;
        self
    }

    /// Sets for whom the client acts, in a cache that several clients share: it is given what
    /// was kept for the same name. Nobody but this client if not set.
    ///
    /// # Security
    ///
    /// Take it from a credential that was verified, and connect a new client when that changes:
    /// whoever has the same partition reads what is private to it.
    pub fn cache_partition(mut self, partition: impl Into<String>) -> Self {
        self.cache_partition = Some(partition.into());
        self
    }

    /// Sets how the cache is used by calls that do not say it themselves;
    /// [`CacheMode::Bypass`] does without one.
    pub fn cache_mode(mut self, mode: CacheMode) -> Self {
        self.cache_mode = mode;
        self
    }

    /// Takes the structured content of tools as it comes.
    ///
    /// Otherwise a result is checked against the output schema that the tool was listed with; the
    /// first result of a tool that was not listed has the client list all tools once.
    pub fn without_output_validation(mut self) -> Self {
        self.checks_output = false;
        self
    }

    /// Connects to a transport, or to a server in memory.
    ///
    /// # Errors
    ///
    /// Returns an error if the target is none, if the server cannot be reached or does not
    /// answer in time, or if there is no revision that both speak.
    pub async fn connect(self, target: impl IntoTransport) -> Result<Client> {
        let transport: Box<dyn ErasedTransport> = Box::new(target.into_transport()?);
        let capabilities = self.callbacks.capabilities();
        let cache = View::new(
            self.cache,
            transport.endpoint().as_deref(),
            self.cache_partition.as_deref(),
            self.cache_mode,
        );
        let client = Client(Arc::new(Inner {
            transport,
            desk: Desk::new(self.callbacks),
            limits: self.limits,
            info: self.info,
            capabilities,
            log_level: self.log_level,
            on_notification: self.on_notification,
            agreed: OnceLock::new(),
            next_id: AtomicI64::new(1),
            cache,
            known_tools: Mutex::default(),
            checks_output: self.checks_output,
            listing: tokio::sync::Mutex::default(),
        }));
        client.agree(self.mode, self.probe_timeout).await?;
        Ok(client)
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}
