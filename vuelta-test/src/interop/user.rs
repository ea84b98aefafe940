//! A user who answers from a table of messages, and remembers what was asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use vuelta::{Client, ClientBuilder, ElicitParams, ElicitResult, Error};

#[derive(Clone, Debug)]
pub(super) struct User {
    answers: Arc<HashMap<&'static str, ElicitResult>>,
    asked: Arc<Mutex<Vec<ElicitParams>>>,
}

impl User {
    pub(super) fn new(answers: impl IntoIterator<Item = (&'static str, ElicitResult)>) -> Self {
        Self {
            answers: Arc::new(answers.into_iter().collect()),
            asked: Arc::default(),
        }
    }

    /// Starts a client that puts forms and URLs to this user.
    pub(super) fn client(&self) -> ClientBuilder {
        let (form_user, url_user) = (self.clone(), self.clone());
        Client::builder()
            .on_elicit(move |form| std::future::ready(form_user.answer(ElicitParams::Form(form))))
            .on_elicit_url(move |url| std::future::ready(url_user.answer(ElicitParams::Url(url))))
    }

    /// Returns what was asked, in order.
    pub(super) fn asked(&self) -> Vec<ElicitParams> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns the messages of what was asked, in order.
    pub(super) fn messages(&self) -> Vec<String> {
        self.asked().iter().map(ElicitParams::message).collect()
    }

    fn answer(&self, question: ElicitParams) -> Result<ElicitResult, Error> {
        let message = question.message();
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(question);
        let answer = self.answers.get(message.as_str()).cloned();
        answer.ok_or_else(|| Error::peer(format!("an unexpected question: {message:?}")))
    }
}
