//! What a call asked and how it ended.

use std::fmt;

use serde::de::DeserializeOwned;
use vuelta_wire::methods::{AskingMethod, CallTool, GetPrompt, ReadResource};
use vuelta_wire::{ElicitParams, InputRequest, InputRequired, Raw, ResourceContents};

use crate::error::{Error, Result};

/// The transcript of a call: its rounds, its questions, its end.
///
/// `Display` shows all of it, and so does every getter that panics.
pub struct Run<M: AskingMethod> {
    rounds: usize,
    questions: Vec<Question>,
    outcome: Option<Result<M::Result>>,
}

/// A question of a [`Run`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Question {
    /// The round that asked it, from 1.
    pub round: usize,
    /// Its key.
    pub key: String,
    /// What the client was asked.
    pub request: InputRequest,
}

impl Question {
    /// Returns the text that the user, or the model, is shown; empty for roots.
    #[must_use]
    pub fn message(&self) -> String {
        match &self.request {
            InputRequest::Elicit(params) => params.message(),
            InputRequest::Sample(params) => {
                let texts = params
                    .messages
                    .iter()
                    .filter_map(|message| message.content.as_text());
                texts.collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        }
    }

    /// Returns the URL that the user is asked to visit, if that is the question.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match &self.request {
            InputRequest::Elicit(ElicitParams::Url(params)) => Some(&params.url),
            _ => None,
        }
    }
}

impl<M: AskingMethod> Run<M> {
    pub(super) fn new() -> Self {
        Self {
            rounds: 0,
            questions: Vec::new(),
            outcome: None,
        }
    }

    /// Starts where a run has come to that has not ended.
    pub(super) fn resumed(before: &Self) -> Self {
        Self {
            rounds: before.rounds,
            questions: before.questions.clone(),
            outcome: None,
        }
    }

    /// Returns the questions of the last round.
    pub(super) fn last_questions(&self) -> Vec<Question> {
        let of_last = self
            .questions
            .iter()
            .filter(|question| question.round == self.rounds);
        of_last.cloned().collect()
    }

    pub(super) fn send(&mut self) {
        self.rounds += 1;
    }

    pub(super) fn ask(&mut self, question: &InputRequired) {
        let round = self.rounds;
        self.questions
            .extend(question.requests().map(|(key, request)| Question {
                round,
                key: key.to_owned(),
                request: request.clone(),
            }));
    }

    pub(super) fn end(&mut self, outcome: Result<M::Result>) {
        self.outcome = Some(outcome);
    }

    /// Returns how many requests were sent.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Returns every question, in the order in which they were asked.
    #[must_use]
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Returns the keys of the questions, in the order in which they were asked; one that was
    /// asked again is there again.
    #[must_use]
    pub fn keys(&self) -> Vec<&str> {
        self.questions
            .iter()
            .map(|question| question.key.as_str())
            .collect()
    }

    /// Returns the keys of the questions of one round, from 1.
    #[must_use]
    pub fn keys_of(&self, round: usize) -> Vec<&str> {
        let of_round = self
            .questions
            .iter()
            .filter(|question| question.round == round);
        of_round.map(|question| question.key.as_str()).collect()
    }

    /// Returns the question under `key`, as it was first asked.
    ///
    /// # Panics
    ///
    /// Panics if it was not asked.
    #[must_use]
    #[track_caller]
    pub fn question(&self, key: &str) -> &Question {
        let found = self.questions.iter().find(|question| question.key == key);
        found.unwrap_or_else(|| panic!("{key:?} was not asked:\n{self}"))
    }

    /// Returns the result.
    ///
    /// # Panics
    ///
    /// Panics if the call ended with an error.
    #[must_use]
    #[track_caller]
    pub fn result(&self) -> &M::Result {
        match &self.outcome {
            Some(Ok(result)) => result,
            _ => panic!("expected a result:\n{self}"),
        }
    }

    /// Returns the error that the call ended with.
    ///
    /// # Panics
    ///
    /// Panics if it ended with a result; one of a tool that failed is a result.
    #[must_use]
    #[track_caller]
    pub fn error(&self) -> &Error {
        match &self.outcome {
            Some(Err(error)) => error,
            _ => panic!("expected an error:\n{self}"),
        }
    }
}

impl Run<CallTool> {
    /// Returns the text of the result.
    ///
    /// # Panics
    ///
    /// Panics if the tool failed, or if the call ended with an error.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> String {
        assert!(!self.result().failed(), "the tool failed:\n{self}");
        self.result().as_text()
    }

    /// Returns the structured content of the result.
    ///
    /// # Panics
    ///
    /// Panics if the tool failed, if the call ended with an error, or if there is no
    /// structured content of this type.
    #[must_use]
    #[track_caller]
    pub fn structured<T: DeserializeOwned>(&self) -> T {
        assert!(!self.result().failed(), "the tool failed:\n{self}");
        match self.result().structured_content.as_ref().map(Raw::parse) {
            Some(Ok(content)) => content,
            Some(Err(error)) => {
                panic!("the structured content is of another type ({error}):\n{self}")
            }
            None => panic!("expected structured content:\n{self}"),
        }
    }

    /// Returns what the model reads about why the tool failed.
    ///
    /// # Panics
    ///
    /// Panics if the tool did not fail, or if the call ended with an error.
    #[must_use]
    #[track_caller]
    pub fn failure(&self) -> String {
        assert!(self.result().failed(), "expected the tool to fail:\n{self}");
        self.result().as_text()
    }
}

impl Run<GetPrompt> {
    /// Returns the texts of the messages, one a line.
    ///
    /// # Panics
    ///
    /// Panics if the request ended with an error.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> String {
        let texts = self
            .result()
            .messages
            .iter()
            .filter_map(|message| message.content.as_text());
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl Run<ReadResource> {
    /// Returns the texts of the contents, one a line.
    ///
    /// # Panics
    ///
    /// Panics if the request ended with an error.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> String {
        let texts = self
            .result()
            .contents
            .iter()
            .filter_map(|contents| match contents {
                ResourceContents::Text(contents) => Some(contents.text.as_str()),
                _ => None,
            });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// Returns a question as the client is shown it, for messages.
pub(super) fn shown(request: &InputRequest) -> String {
    Raw::encode(request).map_or_else(|error| error.to_string(), |raw| raw.get().to_owned())
}

impl<M: AskingMethod> fmt::Display for Run<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for round in 1..=self.rounds {
            writeln!(f, "round {round} of {}", M::NAME)?;
            for question in self
                .questions
                .iter()
                .filter(|question| question.round == round)
            {
                writeln!(f, "  asks {:?}: {}", question.key, shown(&question.request))?;
            }
        }
        match &self.outcome {
            Some(Ok(result)) => {
                let result = Raw::encode(result);
                writeln!(
                    f,
                    "  gives {}",
                    result.as_ref().map_or("what cannot be encoded", Raw::get)
                )
            }
            Some(Err(error)) => writeln!(f, "  fails: {error}"),
            None => Ok(()),
        }
    }
}

impl<M: AskingMethod> fmt::Debug for Run<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
