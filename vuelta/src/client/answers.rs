//! The callbacks that answer a server's questions, and which of them run for a round.

use std::future::Future;
use std::pin::Pin;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Serialize;
use vuelta_wire::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitForm, ElicitParams,
    ElicitResult, ElicitUrl, InputRequest, InputRequired, InputResponses, ListRootsParams,
    ListRootsResult, Raw, SamplingCapability,
};

use crate::error::{Error, Result};

type Callback<P> =
    Box<dyn Fn(P) -> Pin<Box<dyn Future<Output = Result<Raw>> + Send>> + Send + Sync>;

/// What a callback may return: the answer, or a result of it.
pub trait IntoAnswer<T> {
    /// Becomes the answer.
    ///
    /// # Errors
    ///
    /// Returns the callback's error: the call ends with it and nothing is sent.
    fn into_answer(self) -> Result<T>;
}

impl<T, E: Into<Error>> IntoAnswer<T> for Result<T, E> {
    fn into_answer(self) -> Result<T> {
        self.map_err(Into::into)
    }
}

macro_rules! answers {
    ($($answer:ty),+) => {
        $(
            impl IntoAnswer<$answer> for $answer {
                fn into_answer(self) -> Result<$answer> {
                    Ok(self)
                }
            }
        )+
    };
}

answers!(ElicitResult, CreateMessageResult, ListRootsResult);

/// One callback for each kind of question; a missing one is a capability not declared.
#[derive(Default)]
pub(super) struct Callbacks {
    pub(super) form: Option<Callback<ElicitForm>>,
    pub(super) url: Option<Callback<ElicitUrl>>,
    pub(super) sample: Option<Callback<CreateMessageParams>>,
    pub(super) roots: Option<Callback<ListRootsParams>>,
    pub(super) sampling: SamplingCapability,
    /// What is declared besides, for rounds that are driven by hand.
    pub(super) declared: ClientCapabilities,
}

pub(super) fn callback<P, A, F, Fut>(callback: F) -> Callback<P>
where
    A: Serialize,
    F: Fn(P) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: IntoAnswer<A>,
{
    Box::new(move |params| {
        let answer = callback(params);
        Box::pin(async move { Ok(Raw::encode(&answer.await.into_answer()?)?) })
    })
}

impl Callbacks {
    pub(super) fn capabilities(&self) -> ClientCapabilities {
        let mut capabilities = self.declared.clone();
        // An empty object declares forms: it must not lose them by gaining URLs.
        if let Some(elicitation) = &mut capabilities.elicitation
            && elicitation.url.is_none()
        {
            elicitation.form.get_or_insert_default();
        }
        if self.form.is_some() {
            let elicitation = capabilities.elicitation.get_or_insert_default();
            elicitation.form.get_or_insert_default();
        }
        if self.url.is_some() {
            let elicitation = capabilities.elicitation.get_or_insert_default();
            elicitation.url.get_or_insert_default();
        }
        if self.sample.is_some() {
            capabilities.sampling = Some(self.sampling.clone());
        }
        if self.roots.is_some() {
            capabilities.roots.get_or_insert_default();
        }
        capabilities
    }

    /// Answers every question of a round, at most `concurrent` at a time.
    ///
    /// The first error ends the round: the other callbacks are dropped.
    pub(super) async fn answer(
        &self,
        question: &InputRequired,
        concurrent: usize,
    ) -> Result<InputResponses> {
        // Before any callback runs: a person who has answered one question of a round that
        // cannot be completed has answered for nothing.
        for (key, request) in question.requests() {
            if !self.can_answer(request) {
                return Err(unanswerable(key, request));
            }
        }
        // A vector, not a lazy stream: a closure over borrowed questions would make the future
        // of every call one that cannot be spawned.
        let mut answers = Vec::new();
        for (key, request) in question.requests() {
            answers.push(async move {
                let answer = self.answer_one(key, request).await?;
                Ok::<_, Error>((key.to_owned(), answer))
            });
        }
        let mut answers = stream::iter(answers).buffer_unordered(concurrent.max(1));
        let mut responses = InputResponses::new();
        while let Some((key, answer)) = answers.try_next().await? {
            responses.insert(key, answer);
        }
        Ok(responses)
    }

    pub(super) fn can_answer_all(&self, question: &InputRequired) -> bool {
        question
            .requests()
            .all(|(_, request)| self.can_answer(request))
    }

    pub(super) fn can_answer(&self, request: &InputRequest) -> bool {
        match request {
            InputRequest::Elicit(ElicitParams::Form(_)) => self.form.is_some(),
            InputRequest::Elicit(ElicitParams::Url(_)) => self.url.is_some(),
            InputRequest::Sample(params) => {
                self.sample.is_some() && (!params.uses_tools() || self.sampling.tools.is_some())
            }
            InputRequest::ListRoots(_) => self.roots.is_some(),
            _ => false,
        }
    }

    pub(super) async fn answer_one(&self, key: &str, request: &InputRequest) -> Result<Raw> {
        let answer = match (request, self) {
            (
                InputRequest::Elicit(ElicitParams::Form(form)),
                Self {
                    form: Some(ask), ..
                },
            ) => ask(form.clone()),
            (InputRequest::Elicit(ElicitParams::Url(url)), Self { url: Some(ask), .. }) => {
                ask(url.clone())
            }
            (
                InputRequest::Sample(params),
                Self {
                    sample: Some(ask), ..
                },
            ) => ask(params.as_ref().clone()),
            (
                InputRequest::ListRoots(params),
                Self {
                    roots: Some(ask), ..
                },
            ) => ask(params.clone()),
            _ => return Err(unanswerable(key, request)),
        };
        answer.await
    }
}

fn unanswerable(key: &str, request: &InputRequest) -> Error {
    let method = request.method();
    let fix = match request {
        InputRequest::Elicit(ElicitParams::Form(_)) => "give the client `on_elicit`",
        InputRequest::Elicit(ElicitParams::Url(_)) => "give the client `on_elicit_url`",
        InputRequest::Sample(params) if params.uses_tools() => {
            "give the client `on_sample`, and declare tools with `sampling`"
        }
        InputRequest::Sample(_) => "give the client `on_sample`",
        InputRequest::ListRoots(_) => "give the client `on_list_roots`",
        _ => "this client knows no such question",
    };
    Error::peer(format!(
        "the server asks {key:?} by {method}, which this client did not declare: {fix}, or drive \
         the rounds by hand"
    ))
}

#[cfg(test)]
mod tests;
