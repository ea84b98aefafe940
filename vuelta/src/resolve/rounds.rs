//! Whether an answer is for the question that is asked now, and what a round asks.
//!
//! Knows no transport and no clock. Resolvers and [`Ask`](crate::Ask) share it, so both mix
//! in one tool.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use vuelta_wire::{
    ClientCapabilities, CreateMessageResult, ElicitAction, ElicitParams, ElicitResult,
    InputRequest, InputRequired, InputResponses, ListRootsResult, OrderedMap, Raw,
};

use crate::error::{self, Error};
use crate::resolve::conversation;
use crate::resolve::state::{FlowState, Recorded};
use crate::seal::ascii::push_char;
use crate::seal::digest::question_digest;

/// Why a call ends before its body does.
#[derive(Clone, Debug)]
pub(crate) enum Halt {
    /// With an error of the protocol.
    Protocol(vuelta_wire::ErrorObject),
    /// With a result that says that the tool failed, and why.
    Failed(String),
    /// With an error that tells the peer nothing; the reason is for the log.
    Broken(String),
}

impl Halt {
    /// Returns the error of the protocol that `error` is, if it is one: it goes to the peer
    /// as it is. Something of the peer's that could not be read is one too.
    pub(crate) fn protocol(error: &dyn Any) -> Option<Self> {
        let error = error.downcast_ref::<Error>()?;
        if error.is_invalid_params() {
            tracing::debug!(%error, "malformed answer");
        } else {
            error.as_rpc()?;
        }
        Some(Self::Protocol(error.to_object()))
    }
}

/// What asking came to in this round.
#[derive(Clone, Debug)]
pub(crate) enum Settled {
    /// An answer that counts.
    Answered(ElicitAction, Option<Raw>),
    /// The question goes out with this round.
    Pending,
}

/// One round of a call: what it knew, and what it asks.
#[derive(Debug)]
pub(crate) struct Round {
    known: FlowState,
    answers: InputResponses,
    capabilities: ClientCapabilities,
    max_changes: u32,
    next: Mutex<Next>,
}

#[derive(Debug, Default)]
struct Next {
    state: FlowState,
    pending: BTreeMap<usize, (String, InputRequest)>,
    /// The digests of the questions thought of in this round, by key.
    questions: BTreeMap<String, String>,
    halted: Option<Halt>,
    /// Whether a question of the body waits: what it returns is of no account.
    body_waits: bool,
    visits: usize,
}

impl Round {
    pub(crate) fn new(
        state: Option<&str>,
        answers: InputResponses,
        capabilities: ClientCapabilities,
        max_changes: u32,
    ) -> Self {
        let known = FlowState::read(state);
        let state = FlowState {
            rounds: known.rounds.saturating_add(1),
            flow: known.flow.clone(),
            once: known.once.clone(),
            changed: known.changed.clone(),
            ..FlowState::default()
        };
        let next = Next {
            state,
            ..Next::default()
        };
        Self {
            known,
            answers,
            capabilities,
            max_changes,
            next: Mutex::new(next),
        }
    }

    fn next(&self) -> MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the round, from 1, and what links it to the others; `mint` gives
    /// that to the first.
    pub(crate) fn place(&self, mint: impl FnOnce() -> Option<String>) -> (u32, String) {
        let mut next = self.next();
        if next.state.flow.is_empty() {
            next.state.flow = mint().unwrap_or_default();
        }
        (next.state.rounds, next.state.flow.clone())
    }

    /// Takes a place in the order of questions; taken when a question is first thought of, so
    /// that the order does not depend on which resolver is done first.
    pub(crate) fn visit(&self) -> usize {
        let mut next = self.next();
        next.visits += 1;
        next.visits
    }

    /// Finds the answer to `request`, or puts the question into this round.
    ///
    /// `fits` says whether the content of an accepted form is one that the question allows.
    pub(crate) fn ask(
        &self,
        visit: usize,
        key: &str,
        request: InputRequest,
        fits: &dyn Fn(&Raw) -> bool,
    ) -> Result<Settled, Halt> {
        let digest = self.think_of(key, &request)?;
        if let Some(recorded) = self.known.outcomes.get(key)
            && recorded.question == digest
            && is_valid(&request, recorded, fits)
        {
            let settled = Settled::Answered(recorded.action, recorded.data.clone());
            self.next()
                .state
                .outcomes
                .insert(key.to_owned(), recorded.clone());
            return Ok(settled);
        }
        let asked = self.known.asked.get(key);
        let answer = self.answers.get(key).filter(|_| {
            let is_answer_to_this = asked == Some(&digest);
            if !is_answer_to_this {
                tracing::info!(key, "answer discarded: it was given to another question");
            }
            is_answer_to_this
        });
        if let Some(answer) = answer
            && let Some((action, data)) = read(key, &request, answer, fits)?
        {
            self.give(key, action, data.clone(), digest);
            return Ok(Settled::Answered(action, data));
        }
        self.pend(visit, key, request, digest)
    }

    /// Checks a question and takes its key; returns its digest.
    pub(crate) fn think_of(&self, key: &str, request: &InputRequest) -> Result<String, Halt> {
        if let InputRequest::Sample(params) = request {
            conversation::check(params).map_err(|problem| {
                Halt::Failed(format!(
                    "The question {key:?} is no conversation: {problem}"
                ))
            })?;
        }
        let digest = digest_of(request);
        self.claim(key, &digest)?;
        Ok(digest)
    }

    /// Returns the answer that this round was given to the question with this digest.
    pub(crate) fn given(&self, key: &str, digest: &str) -> Option<Settled> {
        let next = self.next();
        let recorded = next.state.outcomes.get(key);
        let recorded = recorded.filter(|recorded| recorded.question == digest)?;
        Some(Settled::Answered(recorded.action, recorded.data.clone()))
    }

    /// Keeps an answer that came in this round.
    pub(crate) fn give(&self, key: &str, action: ElicitAction, data: Option<Raw>, digest: String) {
        let recorded = Recorded::new(action, data, digest);
        self.next().state.outcomes.insert(key.to_owned(), recorded);
    }

    /// Takes `key` for a question: another one under it would take its answer.
    fn claim(&self, key: &str, digest: &str) -> Result<(), Halt> {
        let mut next = self.next();
        match next.questions.get(key) {
            Some(taken) if taken != digest => Err(Halt::Failed(format!(
                "Two different questions of one round have the key {key:?}: give one another key"
            ))),
            Some(_) => Ok(()),
            None => {
                next.questions.insert(key.to_owned(), digest.to_owned());
                Ok(())
            }
        }
    }

    fn pend(
        &self,
        visit: usize,
        key: &str,
        request: InputRequest,
        digest: String,
    ) -> Result<Settled, Halt> {
        if let Some(missing) = self.capabilities.missing_for(&request) {
            return Err(Halt::Protocol(error::missing_capability(key, &missing)));
        }
        self.check_convergence(key, &digest)?;
        let mut next = self.next();
        next.state.asked.insert(key.to_owned(), digest);
        next.pending.insert(visit, (key.to_owned(), request));
        Ok(Settled::Pending)
    }

    /// Counts how often the question under `key` changed, and ends a call that never settles.
    fn check_convergence(&self, key: &str, digest: &str) -> Result<(), Halt> {
        let previous = self.known.asked.get(key).or_else(|| {
            self.known
                .outcomes
                .get(key)
                .map(|recorded| &recorded.question)
        });
        let Some(previous) = previous.filter(|previous| *previous != digest) else {
            return Ok(());
        };
        let changes = self
            .known
            .changed
            .get(key)
            .copied()
            .unwrap_or(0)
            .saturating_add(1);
        let mut next = self.next();
        tracing::warn!(
            key,
            previous,
            digest,
            round = next.state.rounds,
            "the question under this key changed: derive its text from the arguments"
        );
        next.state.changed.insert(key.to_owned(), changes);
        if changes >= self.max_changes {
            return Err(Halt::Failed(format!(
                "The question {key:?} never settles: its text changed in {changes} rounds. It \
                 must depend on the arguments only, not on the time or on live data."
            )));
        }
        Ok(())
    }

    /// Returns a result that an earlier round computed.
    pub(crate) fn once(&self, key: &str) -> Option<Raw> {
        self.next().state.once.get(key).cloned()
    }

    /// Keeps a result for the rounds that follow.
    pub(crate) fn keep_once(&self, key: &str, value: Raw) {
        self.next().state.once.insert(key.to_owned(), value);
    }

    /// Says that a question of the body goes out with this round.
    pub(crate) fn wait_for_body(&self) {
        self.next().body_waits = true;
    }

    /// Returns whether a question of the body goes out with this round.
    pub(crate) fn body_waits(&self) -> bool {
        self.next().body_waits
    }

    /// Ends the call whatever its body returns.
    pub(crate) fn halt(&self, halt: Halt) {
        self.next().halted.get_or_insert(halt);
    }

    /// Returns why the call ends, if something ended it.
    pub(crate) fn halted(&self) -> Option<Halt> {
        self.next().halted.clone()
    }

    /// Returns what this round asks; `None` if it asks nothing.
    pub(crate) fn question(&self) -> Option<InputRequired> {
        let next = self.next();
        if next.pending.is_empty() {
            return None;
        }
        let requests: OrderedMap<InputRequest> = next.pending.values().cloned().collect();
        Some(
            InputRequired::new()
                .input_requests(requests)
                .state(next.state.write()),
        )
    }
}

/// Returns the digest of what the client is shown.
fn digest_of(request: &InputRequest) -> String {
    let shown = match request {
        InputRequest::Elicit(params) => Raw::encode(params),
        InputRequest::Sample(params) => Raw::encode(params),
        // The question is the same whatever metadata rides with it.
        InputRequest::ListRoots(_) => Raw::encode(&()),
        _ => Raw::encode(request),
    };
    question_digest(&ascii(shown.as_ref().map_or("", Raw::get)))
}

/// Escapes what is not printable ASCII: in compact JSON that is inside a string only.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            ' '..='~' => text.push(character),
            other => push_char(&mut text, other),
        }
    }
    text
}

fn is_valid(request: &InputRequest, recorded: &Recorded, fits: &dyn Fn(&Raw) -> bool) -> bool {
    match (request, recorded.action, &recorded.data) {
        (InputRequest::Elicit(ElicitParams::Form(_)), ElicitAction::Accept, data) => {
            data.as_ref().is_some_and(fits)
        }
        (InputRequest::Elicit(_), _, _) => true,
        (InputRequest::Sample(_), ElicitAction::Accept, Some(data)) => {
            data.parse::<CreateMessageResult>().is_ok()
        }
        (InputRequest::ListRoots(_), ElicitAction::Accept, Some(data)) => {
            data.parse::<ListRootsResult>().is_ok()
        }
        _ => false,
    }
}

pub(super) type Given = (ElicitAction, Option<Raw>);

/// Reads an answer to this very question; `None` if the question must be asked again.
pub(super) fn read(
    key: &str,
    request: &InputRequest,
    answer: &Raw,
    fits: &dyn Fn(&Raw) -> bool,
) -> Result<Option<Given>, Halt> {
    let wrong_kind = || {
        Halt::Failed(format!(
            "Resolver '{key}' received a response of the wrong kind"
        ))
    };
    match request {
        InputRequest::Elicit(params) => {
            let answer: ElicitResult = answer.parse().map_err(|_| {
                Halt::Failed(format!(
                    "Resolver '{key}' received a non-elicitation response"
                ))
            })?;
            let is_form = matches!(params, ElicitParams::Form(_));
            match (answer.action, answer.content) {
                (ElicitAction::Accept, None) if is_form => Err(Halt::Failed(format!(
                    "Resolver '{key}' received an accepted elicitation with no content"
                ))),
                (ElicitAction::Accept, Some(content)) if is_form => {
                    if fits(&content) {
                        return Ok(Some((ElicitAction::Accept, Some(content))));
                    }
                    tracing::info!(key, "answer does not fit the form: asked again");
                    Ok(None)
                }
                // What comes with a refusal is nobody's answer.
                (action, _) => Ok(Some((action, None))),
            }
        }
        InputRequest::Sample(_) => {
            answer
                .parse::<CreateMessageResult>()
                .map_err(|_| wrong_kind())?;
            Ok(Some((ElicitAction::Accept, Some(answer.clone()))))
        }
        InputRequest::ListRoots(_) => {
            answer
                .parse::<ListRootsResult>()
                .map_err(|_| wrong_kind())?;
            Ok(Some((ElicitAction::Accept, Some(answer.clone()))))
        }
        _ => Err(wrong_kind()),
    }
}

#[cfg(test)]
mod tests;
