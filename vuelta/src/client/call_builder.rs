//! One call with options of its own.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use vuelta_wire::methods::{AskingMethod, CallTool, GetPrompt, ReadResource};
use vuelta_wire::{Arguments, InputResponses, LoggingLevel, ProgressParams, Raw};

use crate::error::{Error, Result};

use super::calls::{Options, unencodable};
use super::flow::Leg;
use super::rounds::Round;
use super::{CacheMode, Client, Flow};

/// A call with options of its own: made by [`Client::tool`], [`Client::prompt`],
/// [`Client::resource`] and [`Client::flow`].
///
/// # Example: rounds by hand
///
/// ```
/// use vuelta::{Client, ElicitResult, Error, Step};
///
/// async fn provision(client: &Client) -> Result<String, Error> {
///     let call = client.tool("provision").arguments(serde_json::json!({ "name": "orders" }));
///     let mut step = call.step().await?;
///     loop {
///         match step {
///             Step::Done(result) => return Ok(result.as_text()),
///             Step::Asked(mut flow) => {
///                 flow.answer("region", ElicitResult::accept(serde_json::json!({ "region": "eu" })));
///                 step = client.resume(flow).await?;
///             }
///         }
///     }
/// }
/// ```
#[must_use = "a call does nothing until `send` or `step`"]
pub struct CallBuilder<M: AskingMethod> {
    pub(super) client: Client,
    pub(super) leg: Result<Leg<M>>,
    pub(super) options: Options,
    pub(super) deadline: Option<Duration>,
    pub(super) max_rounds: u32,
    pub(super) on_round: Option<Arc<OnRound>>,
    pub(super) cache_mode: Option<CacheMode>,
}

/// What sees the rounds of a call.
type OnRound = dyn Fn(Round<'_>) + Send + Sync;

impl<M: AskingMethod> CallBuilder<M> {
    pub(super) fn new(client: Client, params: Result<M::Params>) -> Self {
        Self::with(client, params.map(Leg::new))
    }

    pub(super) fn resumed(client: Client, flow: Flow<M>) -> Self {
        Self::with(client, flow.into_leg())
    }

    fn with(client: Client, leg: Result<Leg<M>>) -> Self {
        let max_rounds = client.0.limits.max_rounds;
        Self {
            client,
            leg,
            options: Options::default(),
            deadline: None,
            max_rounds,
            on_round: None,
            cache_mode: None,
        }
    }

    /// Sets how long the server may take to answer each request; the client's if not set.
    ///
    /// With [`on_progress`](Self::on_progress) each sign of progress starts the time anew; what
    /// bounds the whole is [`deadline`](Self::deadline).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Sets how long all rounds together may take, callbacks included; unlimited if not set.
    ///
    /// A flow that it interrupts is not lost: see [`Error::into_flow`].
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets how often the call may be sent again with answers; the client's if not set.
    pub fn max_rounds(mut self, rounds: u32) -> Self {
        self.max_rounds = rounds;
        self
    }

    /// Asks for progress in every round; must not block.
    pub fn on_progress(mut self, see: impl Fn(ProgressParams) + Send + Sync + 'static) -> Self {
        self.options.on_progress = Some(Arc::new(see));
        self
    }

    /// Opts in to log notifications at this level and above; the client's choice if not set.
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.options.log_level = Some(level);
        self
    }

    /// Sees every round, for a log or an audit; must not block.
    pub fn on_round(mut self, see: impl Fn(Round<'_>) + Send + Sync + 'static) -> Self {
        self.on_round = Some(Arc::new(see));
        self
    }

    /// Sets a member of `_meta` in every round; the keys of the protocol stay the client's.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Raw>) -> Self {
        self.options.meta.insert(key, value);
        self
    }

    /// Sets answers for the first request, for flows that are kept in a form of your own.
    pub fn answers(mut self, answers: InputResponses) -> Self {
        if let Ok(leg) = &mut self.leg {
            leg.answers = Some(answers);
        }
        self
    }

    /// Sets the state for the first request, for flows that are kept in a form of your own.
    pub fn state(mut self, state: impl Into<String>) -> Self {
        if let Ok(leg) = &mut self.leg {
            leg.state = Some(state.into());
        }
        self
    }
}

impl CallBuilder<CallTool> {
    /// Sets the arguments: what encodes to an object, or to null for none.
    pub fn arguments(mut self, arguments: impl Serialize) -> Self {
        self.leg = self.leg.and_then(|mut leg| {
            leg.params.arguments = Arguments::encode(&arguments).map_err(unencodable)?;
            Ok(leg)
        });
        self
    }
}

impl CallBuilder<GetPrompt> {
    /// Sets the arguments: what encodes to an object of strings, or to null for none.
    pub fn arguments(mut self, arguments: impl Serialize) -> Self {
        self.leg = self.leg.and_then(|mut leg| {
            let raw = Raw::encode(&arguments).map_err(unencodable)?;
            leg.params.arguments = if raw.is_null() {
                None
            } else {
                Some(raw.parse().map_err(|error| {
                    Error::misuse(format!(
                        "the arguments of a prompt must be strings: {error}"
                    ))
                })?)
            };
            Ok(leg)
        });
        self
    }
}

impl CallBuilder<ReadResource> {
    /// Sets whether the resource may come from the [cache](super::Cache); the client's choice if
    /// not set.
    ///
    /// A read that carries [`meta`](Self::meta), answers or state always goes to the server.
    pub fn cache_mode(mut self, mode: CacheMode) -> Self {
        self.cache_mode = Some(mode);
        self
    }
}

impl<M: AskingMethod> fmt::Debug for CallBuilder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallBuilder")
            .field("method", &M::NAME)
            .finish_non_exhaustive()
    }
}
