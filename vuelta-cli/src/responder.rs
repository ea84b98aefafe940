//! Who answers the questions of a server, whether they come as results or while a call runs.
//!
//! Nothing is asked in the terminal before it is known that all questions that came together
//! can be answered.

use std::future;
use std::io::{self, IsTerminal as _};
use std::iter;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Notify;
use vuelta::wire::{ElicitParams, OrderedMap};
use vuelta::{
    Client, ClientBuilder, ElicitResult, InputRequest, InputResponses, ListRootsResult, Raw, Root,
};

use crate::answers::{Answers, FormAnswer};
use crate::ask;
use crate::exit::Failure;
use crate::needed::Needed;
use crate::observers::{Observers, Turn};
use crate::output::note;

/// Who answers the questions of a server.
#[derive(Debug)]
pub(crate) struct Responder {
    /// Answers given on the command line.
    answers: Answers,
    /// The roots, if they were given.
    roots: Vec<Root>,
    /// The address of who asks, for the terminal; `None` if nobody sits at one.
    terminal: Option<String>,
    /// What the server calls itself, once it is known.
    name: OnceLock<String>,
    observers: Observers,
    asked: Mutex<Asked>,
    /// Why a question that came while a call ran has no answer: the first of them.
    failure: Mutex<Option<Failure>>,
    has_failed: Notify,
}

/// What was asked so far.
#[derive(Debug, Default)]
struct Asked {
    /// The questions that came together last.
    last: Vec<(String, InputRequest)>,
    /// All keys.
    keys: Vec<String>,
}

/// What the command line has for a question.
enum Given {
    Answer(Raw),
    /// Nothing, or a form that is not complete: its values.
    Open(OrderedMap<Raw>),
}

impl Responder {
    /// Creates a responder to the server at `address`.
    pub(crate) fn new(
        answers: Answers,
        roots: Vec<Root>,
        address: String,
        observers: Observers,
    ) -> Self {
        let has_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        Self {
            answers,
            roots,
            terminal: has_terminal.then_some(address),
            name: OnceLock::new(),
            observers,
            asked: Mutex::default(),
            failure: Mutex::default(),
            has_failed: Notify::new(),
        }
    }

    /// Has the client put to this responder what a server asks while a call runs.
    pub(crate) fn answer_for(self: &Arc<Self>, client: ClientBuilder) -> ClientBuilder {
        let (forms, urls, roots) = (Arc::clone(self), Arc::clone(self), Arc::clone(self));
        let client = client
            .on_elicit(move |form| Arc::clone(&forms).pushed::<ElicitResult>(form.into()))
            .on_elicit_url(move |url| Arc::clone(&urls).pushed::<ElicitResult>(url.into()));
        // Declared only where they are given.
        if self.roots.is_empty() {
            return client;
        }
        client.on_list_roots(move |params| {
            Arc::clone(&roots).pushed::<ListRootsResult>(params.into())
        })
    }

    /// Learns what the server calls itself.
    pub(crate) fn meet(&self, client: &Client) {
        if let Some(info) = client.server_info() {
            // Each client is met once.
            let _ = self.name.set(info.name);
        }
    }

    /// Answers the questions of a round.
    ///
    /// # Errors
    ///
    /// Returns a failure if one of them has no answer, or one that does not fit.
    pub(crate) async fn respond(
        &self,
        questions: &[(&str, &InputRequest)],
    ) -> Result<InputResponses, Failure> {
        self.respond_in(questions, &self.observers.turn().await)
            .await
    }

    async fn respond_in(
        &self,
        questions: &[(&str, &InputRequest)],
        turn: &Turn,
    ) -> Result<InputResponses, Failure> {
        let keys: Vec<&str> = questions.iter().map(|(key, _)| *key).collect();
        let before = self.remember(questions);
        let mut answers = InputResponses::new();
        let mut open = Vec::new();
        let mut needed = Needed::default();
        for &(key, request) in questions {
            // Word for word again: the answer of the round before was not taken, and would not
            // be now.
            let elicits = matches!(request, InputRequest::Elicit(_));
            let again = elicits && before.iter().any(|(k, r)| k == key && r == request);
            let values = match self.given(key, request, &keys)? {
                Given::Answer(answer) if !again => {
                    answers.insert(key, answer);
                    continue;
                }
                Given::Answer(_) => OrderedMap::new(),
                Given::Open(values) => values,
            };
            needed.add(key, request, &values, again);
            open.push((key, request, values));
        }
        let Some(address) = &self.terminal else {
            return if needed.is_nothing() {
                Ok(answers)
            } else {
                Err(Failure::InputNeeded(Box::new(needed)))
            };
        };
        // A name is what the server says of itself: the address stands beside it.
        let server = match self.name.get() {
            Some(name) => format!("{name} at {address}"),
            None => format!("the server at {address}"),
        };
        self.observers.clear();
        for (key, request, values) in open {
            let answer = ask::question(&server, key, request, values, turn).await?;
            answers.insert(key, encode(&answer)?);
        }
        Ok(answers)
    }

    /// Remembers what is asked, and returns what was asked before.
    fn remember(&self, questions: &[(&str, &InputRequest)]) -> Vec<(String, InputRequest)> {
        let mut asked = lock(&self.asked);
        for (key, _) in questions {
            if !asked.keys.iter().any(|known| known == key) {
                asked.keys.push((*key).to_owned());
            }
        }
        let owned = questions.iter().map(|&(k, r)| (k.to_owned(), r.clone()));
        std::mem::replace(&mut asked.last, owned.collect())
    }

    fn given(&self, key: &str, request: &InputRequest, keys: &[&str]) -> Result<Given, Failure> {
        match request {
            InputRequest::Elicit(ElicitParams::Form(form)) => {
                match self.answers.form(key, form, keys).map_err(Failure::Usage)? {
                    FormAnswer::Given(answer) => encode(&answer).map(Given::Answer),
                    FormAnswer::Open(values) => Ok(Given::Open(values)),
                }
            }
            InputRequest::Elicit(ElicitParams::Url(_)) => {
                match self.answers.url(key, keys).map_err(Failure::Usage)? {
                    Some(answer) => encode(&answer).map(Given::Answer),
                    None => Ok(Given::Open(OrderedMap::new())),
                }
            }
            InputRequest::ListRoots(_) if !self.roots.is_empty() => {
                encode(&ListRootsResult::new(self.roots.clone())).map(Given::Answer)
            }
            other => Err(Failure::Failed(format!(
                "the server asks {key:?} by {}, which this client did not declare",
                other.method()
            ))),
        }
    }

    /// Answers a question that came while a call runs. One without an answer gets none: the
    /// command ends with what [`failed`](Self::failed) returns.
    async fn pushed<A: DeserializeOwned>(self: Arc<Self>, request: InputRequest) -> A {
        match self.answer_pushed(&request).await {
            Ok(answer) => answer,
            Err(failure) => {
                lock(&self.failure).get_or_insert(failure);
                self.has_failed.notify_one();
                future::pending().await
            }
        }
    }

    async fn answer_pushed<A: DeserializeOwned>(
        &self,
        request: &InputRequest,
    ) -> Result<A, Failure> {
        let turn = self.observers.turn().await;
        let key = self.next_key(request);
        self.observers.pushed(&key, request);
        let answers = self.respond_in(&[(&key, request)], &turn).await?;
        self.observers.answered_at_once(&answers);
        let answer = answers.get(&key).and_then(|answer| answer.parse().ok());
        answer.ok_or_else(|| Failure::Failed(format!("the answer to {key:?} cannot be read")))
    }

    /// Returns a key for a question that came without one: its kind, numbered from the second
    /// on.
    fn next_key(&self, request: &InputRequest) -> String {
        let kind = match request {
            InputRequest::Elicit(ElicitParams::Form(_)) => "form",
            InputRequest::Elicit(ElicitParams::Url(_)) => "url",
            InputRequest::ListRoots(_) => "roots",
            _ => "question",
        };
        let asked = lock(&self.asked);
        let numbered = (2_usize..).map(|number| format!("{kind}{number}"));
        iter::once(kind.to_owned())
            .chain(numbered)
            .find(|key| !asked.keys.contains(key))
            .unwrap_or_default()
    }

    /// Waits until a question that came while a call runs has no answer, and returns why.
    pub(crate) async fn failed(&self) -> Failure {
        loop {
            if let Some(failure) = lock(&self.failure).take() {
                return failure;
            }
            self.has_failed.notified().await;
        }
    }

    /// Tells which answers of the command line nothing was asked for.
    pub(crate) fn note_unasked(&self) {
        let asked = lock(&self.asked);
        let keys: Vec<&str> = asked.keys.iter().map(String::as_str).collect();
        for place in self.answers.unasked(&keys) {
            note(&format!(
                "note: --answer {place}: the server did not ask that"
            ));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn encode(answer: &impl Serialize) -> Result<Raw, Failure> {
    Ok(Raw::encode(answer).map_err(vuelta::Error::from)?)
}
