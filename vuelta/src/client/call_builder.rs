//! One call with options of its own, and the loop that drives its rounds.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use vuelta_wire::legacy::UrlElicitations;
use vuelta_wire::methods::{AskingMethod, AskingParams, CallTool, GetPrompt};
use vuelta_wire::modern::Decoded;
use vuelta_wire::{
    Arguments, ElicitAction, ElicitResult, ErrorCode, InputRequest, InputRequired, InputResponses,
    LoggingLevel, OrderedMap, ProgressParams, Raw,
};

use crate::error::{Error, Result};

use super::calls::{Options, unencodable};
use super::flow::{FlowData, Leg};
use super::rounds::{Next, Progress, Round};
use super::{Client, Flow, Step};

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
    client: Client,
    leg: Result<Leg<M>>,
    options: Options,
    deadline: Option<Duration>,
    max_rounds: u32,
    on_round: Option<Arc<OnRound>>,
}

/// What sees the rounds of a call.
type OnRound = dyn Fn(Round<'_>) + Send + Sync;

impl<M: AskingMethod> CallBuilder<M> {
    pub(super) fn new(client: Client, params: Result<M::Params>) -> Self {
        let leg = params.map(|params| Leg {
            params,
            answers: None,
            state: None,
            retries: 0,
        });
        Self::with(client, leg)
    }

    pub(super) fn resumed(client: Client, flow: Flow<M>) -> Self {
        let leg = flow.into_leg().map(|leg| Leg {
            retries: leg.retries + 1,
            ..leg
        });
        Self::with(client, leg)
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

    /// Sends the call and drives its rounds: the callbacks answer, the request goes out again
    /// with the same arguments, the answers and the server's state.
    ///
    /// # Errors
    ///
    /// Returns the server's error, what went wrong with the connection, a callback's error,
    /// that time ran out, or that the server still asks after the last round; the flow can
    /// then be taken from the error with [`Error::into_flow`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future abandons the request, or the callbacks, of the current round.
    pub async fn send(self) -> Result<M::Result> {
        Self::within(self.deadline, self.drive()).await
    }

    /// Sends one request and returns what it came to: the result, or the flow that waits for
    /// answers.
    ///
    /// # Errors
    ///
    /// Returns the server's error, what went wrong with the connection, or that time ran out.
    pub async fn step(self) -> Result<Step<M>> {
        Self::within(self.deadline, self.one_round()).await
    }

    async fn within<T>(
        deadline: Option<Duration>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match deadline {
            Some(limit) => tokio::time::timeout(limit, work)
                .await
                .unwrap_or_else(|_| Err(Error::timeout(format!("all of {}", M::NAME), limit))),
            None => work.await,
        }
    }

    async fn one_round(mut self) -> Result<Step<M>> {
        let leg = std::mem::replace(&mut self.leg, Err(Error::misuse("already sent")))?;
        match self.round(&leg).await? {
            Decoded::Complete(result) => Ok(Step::Done(result)),
            Decoded::InputRequired(question) => {
                let data = flow_data::<M>(&leg, &question)?;
                Flow::from_data(data)
                    .map(Step::Asked)
                    .ok_or_else(|| Error::misuse("a flow of another method"))
            }
        }
    }

    async fn drive(mut self) -> Result<M::Result> {
        let mut leg = std::mem::replace(&mut self.leg, Err(Error::misuse("already sent")))?;
        let mut progress = Progress::new(leg.retries, self.max_rounds);
        loop {
            let question = match self.round(&leg).await {
                Ok(Decoded::Complete(result)) => return Ok(result),
                Ok(Decoded::InputRequired(question)) => question,
                Err(error) => {
                    self.visit(error, &mut progress).await?;
                    continue;
                }
            };
            leg.answers = match progress.next(&question) {
                Next::GiveUp => {
                    let data = flow_data::<M>(&leg, &question)?;
                    return Err(Error::rounds(self.max_rounds, data));
                }
                Next::Wait(time) => {
                    tokio::time::sleep(time).await;
                    None
                }
                Next::Answer => {
                    let concurrent = self.client.0.limits.concurrent_callbacks;
                    let answers = self
                        .client
                        .0
                        .callbacks
                        .answer(&question, concurrent)
                        .await?;
                    let number = progress.retries();
                    self.observe(|| Round::Answered {
                        number,
                        answers: &answers,
                    });
                    Some(answers)
                }
            };
            leg.state = question.request_state;
            leg.retries = progress.retries();
        }
    }

    /// Sends the user to the URLs that an older server's error names; afterwards the request
    /// can be sent again.
    ///
    /// # Errors
    ///
    /// Returns the error itself if it names none, if the user does not go everywhere, or if no
    /// retry is left.
    async fn visit(&self, error: Error, progress: &mut Progress) -> Result<()> {
        let Some(urls) = elicitations(&error).filter(|_| self.client.is_legacy()) else {
            return Err(error);
        };
        let keys = (1_usize..).map(|number| number.to_string());
        let requests = keys.zip(urls.elicitations.into_iter().map(InputRequest::from));
        let question = InputRequired::new().input_requests(requests.collect::<OrderedMap<_>>());
        let callbacks = &self.client.0.callbacks;
        if !callbacks.can_answer_all(&question) || progress.next(&question) != Next::Answer {
            return Err(error);
        }
        let concurrent = self.client.0.limits.concurrent_callbacks;
        let answers = callbacks.answer(&question, concurrent).await?;
        let went = |answer: &Raw| {
            let answer = answer.parse::<ElicitResult>();
            answer.is_ok_and(|answer| answer.action == ElicitAction::Accept)
        };
        if answers.iter().all(|(_, answer)| went(answer)) {
            return Ok(());
        }
        Err(error)
    }

    /// Sends one request; a question is checked against the client's limits.
    async fn round(&self, leg: &Leg<M>) -> Result<Decoded<M::Result>> {
        let mut params = leg.params.clone();
        params.set_round(leg.answers.clone(), leg.state.clone());
        let number = leg.retries + 1;
        let id = self.client.next_id();
        self.observe(|| Round::Sent { number, id: &id });
        let answer = self.client.leg::<M>(id, &params, &self.options).await?;
        if let Decoded::InputRequired(question) = &answer {
            self.check(question)?;
            self.observe(|| Round::Asked { number, question });
        }
        Ok(answer)
    }

    fn check(&self, question: &InputRequired) -> Result<()> {
        let limits = &self.client.0.limits;
        let asked = question.requests().count();
        if asked > limits.questions_per_round {
            return Err(Error::peer(format!(
                "{}: {asked} questions in one round, more than `max_questions` ({})",
                M::NAME,
                limits.questions_per_round
            )));
        }
        let size = question.request_state.as_ref().map_or(0, String::len);
        if size > limits.state_size {
            return Err(Error::peer(format!(
                "{}: {size} bytes of state, more than `max_state_size` ({})",
                M::NAME,
                limits.state_size
            )));
        }
        Ok(())
    }

    fn observe<'a>(&self, round: impl FnOnce() -> Round<'a>) {
        if let Some(see) = &self.on_round {
            see(round());
        }
    }
}

/// Returns the URLs that a server wants visited before it serves a request.
fn elicitations(error: &Error) -> Option<UrlElicitations> {
    let object = error.as_rpc()?;
    if object.code != ErrorCode::URL_ELICITATION_REQUIRED {
        return None;
    }
    object.data.as_ref()?.parse().ok()
}

fn flow_data<M: AskingMethod>(leg: &Leg<M>, question: &InputRequired) -> Result<FlowData> {
    let params = Raw::encode(&leg.params).map_err(unencodable)?;
    Ok(FlowData::new(M::NAME, params, question, leg.retries))
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

impl<M: AskingMethod> fmt::Debug for CallBuilder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallBuilder")
            .field("method", &M::NAME)
            .finish_non_exhaustive()
    }
}
