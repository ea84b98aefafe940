//! A flow as a value: a call that waits for answers, in this process or another.

use std::fmt;
use std::marker::PhantomData;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use vuelta_wire::methods::AskingMethod;
use vuelta_wire::{InputRequest, InputRequired, InputResponses, OrderedMap, Raw};

use crate::error::{Error, Result};

use super::calls::unencodable;

/// What one round of a call came to.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a call ends or asks")]
pub enum Step<M: AskingMethod> {
    /// The call is done.
    Done(M::Result),
    /// The server asks.
    Asked(Flow<M>),
}

/// A call that waits for answers.
///
/// It can be stored (it serialises to versioned JSON) and finished by another process:
/// answer its questions, then [`Client::resume`](crate::Client::resume). What is stored holds
/// the call's arguments and the server's state: keep it as safe as those.
///
/// # Example: stored and read back
///
/// ```
/// use vuelta::{ElicitResult, Flow, wire::methods::CallTool};
///
/// fn answer(stored: &str) -> serde_json::Result<String> {
///     let mut flow: Flow<CallTool> = serde_json::from_str(stored)?;
///     let keys: Vec<String> = flow.questions().map(|(key, _)| key.to_owned()).collect();
///     for key in keys {
///         flow.answer(key, ElicitResult::decline());
///     }
///     serde_json::to_string(&flow)
/// }
/// ```
pub struct Flow<M> {
    data: FlowData,
    method: PhantomData<fn() -> M>,
}

/// The form in which a flow is stored.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FlowData {
    version: u32,
    method: String,
    /// The params of the call as first sent, without `_meta`.
    params: Raw,
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    questions: OrderedMap<InputRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(default, skip_serializing_if = "InputResponses::is_empty")]
    answers: InputResponses,
    /// How many times the request was sent again.
    retries: u32,
}

const VERSION: u32 = 1;

impl fmt::Debug for FlowData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flow")
            .field("method", &self.method)
            .field("questions", &self.questions.keys().collect::<Vec<_>>())
            .field("retries", &self.retries)
            .finish_non_exhaustive()
    }
}

impl<M: AskingMethod> Flow<M> {
    pub(crate) fn from_data(data: FlowData) -> Option<Self> {
        (data.method == M::NAME).then_some(Self {
            data,
            method: PhantomData,
        })
    }

    /// Returns the questions, in the server's order.
    #[must_use]
    pub fn questions(&self) -> impl ExactSizeIterator<Item = (&str, &InputRequest)> {
        self.data.questions.iter()
    }

    /// Returns the question under `key`.
    #[must_use]
    pub fn question(&self, key: &str) -> Option<&InputRequest> {
        self.data.questions.get(key)
    }

    /// Returns the keys of the questions that have no answer yet.
    pub fn unanswered(&self) -> impl Iterator<Item = &str> {
        self.data
            .questions
            .keys()
            .filter(|key| self.data.answers.get(key).is_none())
    }

    /// Answers the question under `key`; a later answer replaces an earlier one.
    ///
    /// # Panics
    ///
    /// Panics if `answer` does not encode to JSON, which the types of this crate always do.
    pub fn answer(&mut self, key: impl Into<String>, answer: impl Serialize) -> &mut Self {
        let answer = Raw::encode(&answer).expect("an answer encodes to JSON");
        self.data.answers.insert(key, answer);
        self
    }

    /// Returns the server's state, to be handed back as it is; opaque.
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.data.state.as_deref()
    }

    /// Returns how many times the request was sent again so far.
    #[must_use]
    pub fn retries(&self) -> u32 {
        self.data.retries
    }

    /// Returns the params of the next request.
    pub(super) fn into_leg(self) -> Result<Leg<M>> {
        let missing: Vec<&str> = self.unanswered().collect();
        if !missing.is_empty() {
            return Err(Error::misuse(format!(
                "questions without an answer: {}; answer them with `Flow::answer`, with \
                 `ElicitResult::decline()` if there is none",
                missing.join(", ")
            )));
        }
        let mut answers = InputResponses::new();
        for (key, answer) in self.data.answers.iter() {
            // The server asked for these only.
            if self.data.questions.contains_key(key) {
                answers.insert(key, answer.clone());
            }
        }
        Ok(Leg {
            params: self.data.params.parse().map_err(|error| {
                Error::misuse(format!("the flow holds no params of {}: {error}", M::NAME))
            })?,
            answers: (!self.data.questions.is_empty()).then_some(answers),
            state: self.data.state,
            asked: Some(self.data.questions),
            retries: self.data.retries + 1,
        })
    }
}

/// Where a call is: what its next request sends.
pub(super) struct Leg<M: AskingMethod> {
    pub(super) params: M::Params,
    /// The answers to the questions of the round before; `None` if there are none, or not yet.
    pub(super) answers: Option<InputResponses>,
    pub(super) state: Option<String>,
    /// The questions of the round before; `None` if it is the first.
    asked: Option<OrderedMap<InputRequest>>,
    /// How many requests came before.
    pub(super) retries: u32,
}

impl<M: AskingMethod> Leg<M> {
    pub(super) fn new(params: M::Params) -> Self {
        Self {
            params,
            answers: None,
            state: None,
            asked: None,
            retries: 0,
        }
    }

    /// Takes the server's question; the answers are still to come.
    pub(super) fn asked(&mut self, question: InputRequired) {
        self.asked = Some(question.input_requests.unwrap_or_default());
        self.state = question.request_state;
        self.answers = None;
        self.retries += 1;
    }

    /// Returns whether nothing but the params decides the answer.
    pub(super) fn is_bare(&self) -> bool {
        self.asked.is_none() && self.answers.is_none() && self.state.is_none()
    }

    /// Returns the flow that waits for the answers, those given included; `None` if the server
    /// has not asked.
    pub(super) fn flow(&self) -> Result<Option<FlowData>> {
        let Some(questions) = self.asked.clone() else {
            return Ok(None);
        };
        Ok(Some(FlowData {
            version: VERSION,
            method: M::NAME.to_owned(),
            params: Raw::encode(&self.params).map_err(unencodable)?,
            questions,
            state: self.state.clone(),
            answers: self.answers.clone().unwrap_or_default(),
            retries: self.retries.saturating_sub(1),
        }))
    }
}

// By hand: a derived one would demand the same of the marker `M`.
impl<M> Clone for Flow<M> {
    fn clone(&self) -> Self {
        Self {
            data: self.data.clone(),
            method: PhantomData,
        }
    }
}

impl<M> PartialEq for Flow<M> {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

impl<M> fmt::Debug for Flow<M> {
    /// Shows what is asked; not the arguments, the answers or the state.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.data.fmt(f)
    }
}

impl<M> Serialize for Flow<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.data.serialize(serializer)
    }
}

impl<'de, M: AskingMethod> Deserialize<'de> for Flow<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }

        // The version first: another one may have any other form.
        let raw = Raw::deserialize(deserializer)?;
        let Versioned { version } = raw.parse().map_err(D::Error::custom)?;
        if version != VERSION {
            return Err(D::Error::custom(format_args!(
                "a flow of version {version}; this release reads version {VERSION}"
            )));
        }
        let data: FlowData = raw.parse().map_err(D::Error::custom)?;
        let method = data.method.clone();
        Self::from_data(data).ok_or_else(|| {
            D::Error::custom(format_args!(
                "a flow of {method}, expected one of {}",
                M::NAME
            ))
        })
    }
}
