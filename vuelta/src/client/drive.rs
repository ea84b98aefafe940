//! The loop that drives the rounds of a call, and what interrupts it.

use std::future::Future;

use tokio::time::Instant;
use vuelta_wire::legacy::UrlElicitations;
use vuelta_wire::methods::{AskingMethod, AskingParams, Method, ReadResource};
use vuelta_wire::modern::Decoded;
use vuelta_wire::{
    ElicitAction, ElicitResult, ErrorCode, InputRequest, InputRequired, OrderedMap, Raw,
};

use crate::error::{Error, Result};

use super::cache::Found;
use super::flow::Leg;
use super::rounds::{Next, Progress, Round};
use super::{CacheMode, CallBuilder, Flow, Step};

impl<M: AskingMethod> CallBuilder<M> {
    /// Sends the call and drives its rounds: the callbacks answer, the request goes out again
    /// with the same arguments, the answers and the server's state.
    ///
    /// # Errors
    ///
    /// Returns the server's error, what went wrong with the connection, a callback's error,
    /// that time ran out, that the server still asks after the last round, or that structured
    /// content does not fit the tool's output schema; that result can then be taken from the
    /// error with [`Error::into_tool_result`]. A flow that was interrupted, or has no rounds
    /// left, can be taken from the error with [`Error::into_flow`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future abandons the request, or the callbacks, of the current round.
    pub async fn send(mut self) -> Result<M::Result> {
        let mut leg = self.take_leg()?;
        let deadline = self.ends_at();
        let result = self.until(deadline, self.drive(&mut leg)).await;
        let result = result.map_err(|error| interrupted(error, &leg))?;
        self.finish(&leg, result, deadline).await
    }

    /// Sends one request and returns what it came to: the result, or the flow that waits for
    /// answers.
    ///
    /// # Errors
    ///
    /// Returns the server's error, what went wrong with the connection, that time ran out, or
    /// that structured content does not fit the tool's output schema.
    pub async fn step(mut self) -> Result<Step<M>> {
        let mut leg = self.take_leg()?;
        let deadline = self.ends_at();
        let answer = self.until(deadline, self.round(&leg)).await;
        match answer.map_err(|error| interrupted(error, &leg))? {
            Decoded::Complete(result) => self.finish(&leg, result, deadline).await.map(Step::Done),
            Decoded::InputRequired(question) => {
                leg.asked(question);
                leg.flow()?
                    .and_then(Flow::from_data)
                    .map(Step::Asked)
                    .ok_or_else(|| Error::misuse("a flow of another method"))
            }
        }
    }

    /// Returns the name or URI of what is called.
    pub(super) fn target(&self) -> &str {
        self.leg.as_ref().map_or("", |leg| leg.params.target())
    }

    fn take_leg(&mut self) -> Result<Leg<M>> {
        std::mem::replace(&mut self.leg, Err(Error::misuse("already sent")))
    }

    fn ends_at(&self) -> Option<Instant> {
        // A deadline beyond what a clock can tell is none.
        self.deadline
            .and_then(|limit| Instant::now().checked_add(limit))
    }

    async fn until<T>(
        &self,
        deadline: Option<Instant>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let (Some(deadline), Some(limit)) = (deadline, self.deadline) else {
            return work.await;
        };
        tokio::time::timeout_at(deadline, work)
            .await
            .unwrap_or_else(|_| Err(Error::timeout(format!("all of {}", M::NAME), limit)))
    }

    /// Checks a result. It is not subject to the deadline: what is here is not thrown away.
    async fn finish(
        &self,
        leg: &Leg<M>,
        result: M::Result,
        deadline: Option<Instant>,
    ) -> Result<M::Result> {
        let target = leg.params.target();
        self.client
            .check_output::<M>(target, result, deadline)
            .await
    }

    /// Drives the rounds; wherever it is dropped, `leg` tells how far it was.
    async fn drive(&self, leg: &mut Leg<M>) -> Result<M::Result> {
        let mut progress = Progress::new(leg.retries, self.max_rounds);
        loop {
            let question = match self.round(leg).await {
                Ok(Decoded::Complete(result)) => return Ok(result),
                Ok(Decoded::InputRequired(question)) => question,
                Err(error) => {
                    self.visit(error, &mut progress).await?;
                    leg.retries = progress.retries();
                    continue;
                }
            };
            leg.asked(question.clone());
            match progress.next(&question) {
                Next::GiveUp => {
                    return Err(Error::rounds(self.max_rounds).interrupting(leg.flow()?));
                }
                Next::Wait(time) => tokio::time::sleep(time).await,
                Next::Answer => {
                    let concurrent = self.client.0.limits.concurrent_callbacks;
                    let answers = self
                        .client
                        .0
                        .desk
                        .callbacks
                        .answer(&question, concurrent)
                        .await?;
                    let number = progress.retries();
                    self.observe(|| Round::Answered {
                        number,
                        answers: &answers,
                    });
                    leg.answers = Some(answers);
                }
            }
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
        let callbacks = &self.client.0.desk.callbacks;
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

    /// Comes to the end of one round: from the cache, or by a request.
    async fn round(&self, leg: &Leg<M>) -> Result<Decoded<M::Result>> {
        // Only reads are kept, and only those that depend on nothing but their URI.
        if M::NAME != ReadResource::NAME || !leg.is_bare() {
            return self.request(leg).await;
        }
        let mode = match self.cache_mode.unwrap_or(self.client.0.cache.mode()) {
            // What the caller adds may be meant for the server to see.
            CacheMode::Use if !self.options.meta.is_empty() => CacheMode::Refresh,
            mode => mode,
        };
        let cache = &self.client.0.cache;
        let version = self.client.protocol_version();
        let name = cache.name(version, M::NAME, leg.params.target());
        let pass = match cache.find(name, mode) {
            Found::Kept(result) => return Ok(Decoded::Complete(result)),
            Found::Ask(pass) => pass,
        };
        let answer = self.request(leg).await;
        match (&answer, pass) {
            (Ok(Decoded::Complete(result)), Some(pass)) => pass.keep(result),
            (Ok(Decoded::InputRequired(_)), Some(pass)) => pass.forget(),
            (Err(error), Some(pass)) if error.as_rpc().is_some() => pass.forget(),
            _ => {}
        }
        answer
    }

    /// Sends one request; a question is checked against the client's limits.
    async fn request(&self, leg: &Leg<M>) -> Result<Decoded<M::Result>> {
        let mut params = leg.params.clone();
        params.set_round(leg.answers.clone(), leg.state.clone());
        let number = leg.retries + 1;
        let answer = match self.request_once(number, &params).await {
            Err(refused)
                if self
                    .client
                    .relists::<M>(&refused, params.target(), &self.options)
                    .await =>
            {
                // Once: what the list says now is refused, too.
                match self.request_once(number, &params).await {
                    Err(error) if error.code() == refused.code() => return Err(refused),
                    answer => answer?,
                }
            }
            answer => answer?,
        };
        if let Decoded::InputRequired(question) = &answer {
            self.check(question)?;
            self.observe(|| Round::Asked { number, question });
        }
        Ok(answer)
    }

    async fn request_once(&self, number: u32, params: &M::Params) -> Result<Decoded<M::Result>> {
        let id = self.client.next_id();
        self.observe(|| Round::Sent { number, id: &id });
        self.client.leg::<M>(id, params, &self.options).await
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

/// Adds the flow to an error that is not the server's word on it.
fn interrupted<M: AskingMethod>(error: Error, leg: &Leg<M>) -> Error {
    if error.is_timeout() || error.is_transport() {
        // What cannot be encoded was never sent.
        error.interrupting(leg.flow().ok().flatten())
    } else {
        error
    }
}
