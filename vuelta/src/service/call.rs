//! One request on its way through the middleware.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use vuelta_wire::methods::AskingParams;
use vuelta_wire::{Raw, decode};

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::service::Context;

/// What comes back from a handler through the middleware: a complete result in its wire form,
/// a question that is still typed, or an error.
pub type Reply = Result<Outcome<Raw>>;

/// A request on its way to its handler.
pub struct Call {
    method: Cow<'static, str>,
    params: Option<Raw>,
    context: Context,
    state: State,
}

/// The `requestState` that the handler will see.
enum State {
    /// What stands in the params.
    AsSent,
    /// What a boundary found inside it.
    Opened(String),
    /// None: the revision has no rounds, whatever stands in the params.
    Absent,
}

impl Call {
    pub(crate) fn new(method: Cow<'static, str>, params: Option<Raw>, context: Context) -> Self {
        Self {
            method,
            params,
            context,
            state: State::AsSent,
        }
    }

    /// Takes what stands in the params for no round: the revision has none.
    pub(crate) fn without_rounds(mut self) -> Self {
        self.state = State::Absent;
        self
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Returns the params as they were sent: an object, if any.
    #[must_use]
    pub fn params(&self) -> Option<&Raw> {
        self.params.as_ref()
    }

    /// Returns the context that the handler will get.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the `requestState` that the handler will see: opened, inside a boundary that
    /// seals it, and as it was sent elsewhere.
    #[must_use]
    pub fn state(&self) -> Option<Cow<'_, str>> {
        #[derive(Deserialize)]
        struct Sent<'a> {
            #[serde(borrow, default, rename = "requestState")]
            state: Option<Cow<'a, str>>,
        }
        match &self.state {
            State::Opened(opened) => Some(Cow::Borrowed(opened)),
            State::Absent => None,
            State::AsSent => {
                let sent: Sent<'_> = serde_json::from_str(self.params.as_ref()?.get()).ok()?;
                sent.state
            }
        }
    }

    /// Sets the `requestState` that the handler will see instead of the one that was sent.
    #[must_use]
    pub fn with_state(mut self, state: String) -> Self {
        self.state = State::Opened(state);
        self
    }

    /// Decodes the params.
    pub(crate) fn decode<P: DeserializeOwned>(&self) -> Result<P> {
        decode(self.params.as_ref().map_or("{}", Raw::get)).map_err(Error::from)
    }

    /// Puts an opened state into the params, and what this round brought into the context.
    pub(crate) fn into_round(self, params: &mut impl AskingParams) -> Context {
        let (answers, state) = match self.state {
            State::Opened(opened) => (params.answers().cloned(), Some(opened)),
            State::AsSent => (params.answers().cloned(), params.state().map(str::to_owned)),
            State::Absent => (None, None),
        };
        params.set_round(answers.clone(), state.clone());
        self.context.with_round(answers.unwrap_or_default(), state)
    }

    pub(crate) fn into_context(self) -> Context {
        self.context
    }
}

impl fmt::Debug for Call {
    /// Shows which request it is; not the params or the state.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("method", &self.method)
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}
