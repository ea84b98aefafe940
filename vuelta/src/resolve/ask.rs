//! Questions in a straight line, from inside a body.
//!
//! At 2026-07-28 the body ends at the first question without an answer and runs again with what
//! is known; before, the question is put to the client while the body waits. A question is recorded in the round, not in the error that ends the
//! body: code that swallows or re-wraps the error can neither lose the question nor turn it
//! into an answer.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use vuelta_wire::{CreateMessageParams, CreateMessageResult, ElicitAction, ListRootsResult, Raw};

use crate::form::Form;
use crate::resolve::Answer;
use crate::resolve::engine::{Question, Scope};
use crate::resolve::question::{Visited, form, roots, sample, visit};
use crate::resolve::rounds::{Halt, Settled};

/// Asks from inside the body of a tool, prompt or template resource; cheap to clone.
///
/// The body runs again from its start in every round of revision 2026-07-28: what it does before a question, it
/// does again, unless it is wrapped in [`once`](Self::once). Keys must be the same in every
/// round, and texts must follow from the arguments.
#[derive(Clone)]
pub struct Ask(Arc<Scope>);

impl Ask {
    pub(crate) fn new(scope: Arc<Scope>) -> Self {
        Self(scope)
    }

    /// Asks the user to fill in a form.
    ///
    /// # Errors
    ///
    /// Returns an error that ends the body while the question waits; use `?`.
    pub async fn form<T: Form>(
        &self,
        key: &str,
        message: impl Into<String>,
    ) -> Result<Answer<T>, Asked> {
        self.put(key, form(message)).await
    }

    /// Asks the user to visit a URL.
    ///
    /// # Errors
    ///
    /// Returns an error that ends the body while the question waits; use `?`.
    pub async fn url(
        &self,
        key: &str,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Answer<Visited>, Asked> {
        self.put(key, visit(message, url)).await
    }

    /// Asks the client's model.
    ///
    /// # Errors
    ///
    /// Returns an error that ends the body while the question waits; use `?`.
    pub async fn sample(
        &self,
        key: &str,
        params: CreateMessageParams,
    ) -> Result<CreateMessageResult, Asked> {
        self.put(key, sample(params))
            .await?
            .accept()
            .ok_or(Asked(()))
    }

    /// Asks for the client's roots, under the key `roots`.
    ///
    /// # Errors
    ///
    /// Returns an error that ends the body while the question waits; use `?`.
    pub async fn roots(&self) -> Result<ListRootsResult, Asked> {
        self.put("roots", roots()).await?.accept().ok_or(Asked(()))
    }

    /// Computes a value once in a flow: the result is kept in the sealed state, and later
    /// rounds read it from there.
    ///
    /// It is kept when a question goes out. Work that must not be repeated even if this very
    /// round fails needs an idempotency key of its own.
    ///
    /// # Errors
    ///
    /// Returns the computation's error, which is not kept.
    pub async fn once<T, E, F, Fut>(&self, key: &str, compute: F) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let kept = self.0.round.once(key).and_then(|raw| raw.parse().ok());
        if let Some(value) = kept {
            return Ok(value);
        }
        let value = compute().await?;
        match Raw::encode(&value) {
            Ok(raw) => self.0.round.keep_once(key, raw),
            Err(error) => tracing::warn!(key, %error, "result not kept: it cannot be encoded"),
        }
        Ok(value)
    }

    /// Puts several questions into one round: all of them are registered before the body ends.
    ///
    /// # Errors
    ///
    /// Returns an error that ends the body while one of them waits; use `?`.
    pub async fn all<Q: Questions>(&self, questions: Q) -> Result<Q::Answers, Asked> {
        questions.all().await
    }

    async fn put<T>(&self, key: &str, question: Question<T>) -> Result<Answer<T>, Asked> {
        let Question {
            request,
            fits,
            read,
        } = question;
        let visit = self.0.round.visit();
        match self.0.ask(visit, key, request, fits).await {
            Ok(Settled::Pending) => {
                self.0.round.wait_for_body();
                Err(Asked(()))
            }
            Ok(Settled::Answered(ElicitAction::Accept, data)) => {
                read(data.as_ref()).map(Answer::Accept).ok_or_else(|| {
                    self.0.round.halt(Halt::Failed(format!(
                        "The answer to {key:?} cannot be read"
                    )));
                    Asked(())
                })
            }
            Ok(Settled::Answered(ElicitAction::Decline, _)) => Ok(Answer::Decline),
            Ok(Settled::Answered(ElicitAction::Cancel, _)) => Ok(Answer::Cancel),
            Err(halt) => {
                self.0.round.halt(halt);
                Err(Asked(()))
            }
        }
    }
}

/// Ends a body whose question waits for its answer; its text never reaches anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked(());

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a question waits for its answer: end the body with `?`")
    }
}

impl std::error::Error for Asked {}

/// Several questions of [`Ask`], as a tuple of its futures.
pub trait Questions {
    /// The answers, in the same order.
    type Answers;

    /// Registers all of them, then gives the answers.
    ///
    /// # Errors
    ///
    /// Returns that one of them waits.
    fn all(self) -> impl Future<Output = Result<Self::Answers, Asked>> + Send;
}

macro_rules! questions {
    ($($name:ident: $answer:ident),+) => {
        impl<$($name, $answer),+> Questions for ($($name,)+)
        where
            $($name: Future<Output = Result<$answer, Asked>> + Send, $answer: Send,)+
        {
            type Answers = ($($answer,)+);

            #[allow(non_snake_case, reason = "names of type parameters")]
            async fn all(self) -> Result<Self::Answers, Asked> {
                let ($($name,)+) = self;
                // One after the other, none skipped: the order of the tuple is the order shown.
                $( let $name = $name.await; )+
                Ok(($($name?,)+))
            }
        }
    };
}

questions!(A: AA);
questions!(A: AA, B: BB);
questions!(A: AA, B: BB, C: CC);
questions!(A: AA, B: BB, C: CC, D: DD);
questions!(A: AA, B: BB, C: CC, D: DD, E: EE);
questions!(A: AA, B: BB, C: CC, D: DD, E: EE, F: FF);

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask").finish_non_exhaustive()
    }
}
