//! Whether a call that came back with a question goes another round.
//!
//! Source: [client
//! requirements](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow).

use std::time::Duration;

use vuelta_wire::{InputRequired, InputResponses, RequestId};

/// What an observer sees of a flow, in order.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Round<'a> {
    /// The request goes out, for the first time or again.
    Sent {
        /// The number of the round, from 1.
        number: u32,
        /// The id of the request.
        id: &'a RequestId,
    },
    /// The server asks.
    Asked {
        /// The number of the round, from 1.
        number: u32,
        /// The questions and the state.
        question: &'a InputRequired,
    },
    /// The callbacks have answered.
    Answered {
        /// The number of the round, from 1.
        number: u32,
        /// The answers that go out with the next request.
        answers: &'a InputResponses,
    },
}

/// How far a flow is; decides, and knows no clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    retries: u32,
    max: u32,
    wait: Duration,
}

/// What to do with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Answer it and send the request again.
    Answer,
    /// Nothing is asked: wait, then send the request again.
    Wait(Duration),
    /// No retry is left for an answer: do not ask anybody.
    GiveUp,
}

const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_millis(250);

impl Progress {
    pub(super) const fn new(retries: u32, max: u32) -> Self {
        Self {
            retries,
            max,
            wait: FIRST_WAIT,
        }
    }

    /// Returns how many times the request was sent again.
    pub(super) const fn retries(&self) -> u32 {
        self.retries
    }

    pub(super) fn next(&mut self, question: &InputRequired) -> Next {
        if self.retries >= self.max {
            return Next::GiveUp;
        }
        self.retries += 1;
        if question.requests().next().is_some() {
            self.wait = FIRST_WAIT;
            return Next::Answer;
        }
        let wait = self.wait;
        self.wait = (wait * 2).min(LONGEST_WAIT);
        Next::Wait(wait)
    }
}

#[cfg(test)]
mod tests;
