//! One tool call through its rounds: who answers, and when to give up.
//!
//! The rounds are driven by hand, as nothing may be asked before it is known whether the whole
//! round can be answered.

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use vuelta::wire::methods::CallTool;
use vuelta::wire::{ElicitParams, OrderedMap};
use vuelta::{
    CallBuilder, CallToolResult, Client, Flow, InputRequest, InputResponses, ListRootsResult, Raw,
    Root, Round, Step,
};

use crate::answers::{Answers, FormAnswer};
use crate::ask;
use crate::exit::Failure;
use crate::needed::Needed;
use crate::output::{Stream, note};
use crate::progress::Progress;
use crate::timeline::Timeline;

/// Who answers the questions of a call.
#[derive(Debug)]
pub(crate) struct Responder {
    /// Answers given on the command line.
    answers: Answers,
    /// The roots, if they were given.
    roots: Vec<Root>,
    /// Who asks, for the terminal; `None` if nobody sits at one.
    terminal: Option<String>,
    /// The questions of the round before.
    asked: Vec<(String, InputRequest)>,
    /// All keys that were asked.
    keys: Vec<String>,
}

/// Who sees a call on its way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observers {
    timeline: Option<(Arc<Mutex<Timeline>>, Stream)>,
    progress: Option<Arc<Progress>>,
}

impl Observers {
    /// Has the rounds told on a stream.
    pub(crate) fn timeline(mut self, tool: &str, arguments: &str, stream: Stream) -> Self {
        let timeline = Timeline::new(tool, arguments);
        self.timeline = Some((Arc::new(Mutex::new(timeline)), stream));
        self
    }

    /// Has progress shown, if standard error is a terminal.
    pub(crate) fn progress(mut self) -> Self {
        if io::stderr().is_terminal() {
            self.progress = Some(Arc::default());
        }
        self
    }

    fn see(&self, round: &Round<'_>) {
        if let Some((timeline, stream)) = &self.timeline {
            let text = timeline
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .tell(round);
            self.clear();
            stream.tell(&text);
        }
    }

    fn end(&self, result: &CallToolResult) {
        self.clear();
        if let Some((_, stream)) = &self.timeline {
            stream.tell(&Timeline::end(result));
        }
    }

    fn clear(&self) {
        if let Some(progress) = &self.progress {
            progress.clear();
        }
    }

    fn watch(&self, mut call: CallBuilder<CallTool>) -> CallBuilder<CallTool> {
        if let Some(progress) = self.progress.clone() {
            call = call.on_progress(move |update| progress.show(&update));
        }
        let observers = self.clone();
        call.on_round(move |round| observers.see(&round))
    }
}

/// How often a call is sent again, as many times as the client library does by itself.
const MAX_RETRIES: u32 = 10;
/// How long to wait where nothing is asked; doubles up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_millis(250);

/// Drives a call to its result.
///
/// # Errors
///
/// Returns a failure if a question has no answer, if an answer does not fit, or if the
/// protocol or the connection failed.
pub(crate) async fn drive(
    client: &Client,
    call: CallBuilder<CallTool>,
    responder: &mut Responder,
    observers: &Observers,
) -> Result<CallToolResult, Failure> {
    let result = drive_inner(client, call, responder, observers).await;
    observers.clear();
    let result = result?;
    observers.end(&result);
    Ok(result)
}

async fn drive_inner(
    client: &Client,
    call: CallBuilder<CallTool>,
    responder: &mut Responder,
    observers: &Observers,
) -> Result<CallToolResult, Failure> {
    let mut wait = FIRST_WAIT;
    let mut step = observers.watch(call).step().await?;
    loop {
        let mut flow = match step {
            Step::Done(result) => return Ok(result),
            Step::Asked(flow) => flow,
        };
        if flow.retries() >= MAX_RETRIES {
            let message = format!("the server still asks after {MAX_RETRIES} rounds");
            return Err(Failure::Failed(message));
        }
        if flow.questions().len() == 0 {
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        } else {
            wait = FIRST_WAIT;
            observers.clear();
            let answers = responder.respond(&flow).await?;
            let number = flow.retries() + 1;
            observers.see(&Round::Answered {
                number,
                answers: &answers,
            });
            for (key, answer) in answers.iter() {
                flow.answer(key, answer);
            }
        }
        step = observers.watch(client.flow(flow)).step().await?;
    }
}

/// Returns who asks, to be shown in the terminal; `None` if nobody sits at one.
///
/// A name is what the server says of itself: the address stands beside it.
pub(crate) fn terminal(client: &Client, address: &str) -> Option<String> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return None;
    }
    Some(match client.server_info() {
        Some(info) => format!("{} at {address}", info.name),
        None => format!("the server at {address}"),
    })
}

/// What the command line has for a question.
enum Given {
    Answer(Raw),
    /// Nothing, or a form that is not complete: its values.
    Open(OrderedMap<Raw>),
}

impl Responder {
    /// Creates a responder; who asks is for the terminal, if somebody sits at one.
    pub(crate) fn new(answers: Answers, roots: Vec<Root>, terminal: Option<String>) -> Self {
        Self {
            answers,
            roots,
            terminal,
            asked: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Answers every question of a round; asks nobody unless all can be answered.
    async fn respond(&mut self, flow: &Flow<CallTool>) -> Result<InputResponses, Failure> {
        let keys: Vec<&str> = flow.questions().map(|(key, _)| key).collect();
        let mut answers = InputResponses::new();
        let mut open = Vec::new();
        let mut needed = Needed::default();
        for (key, request) in flow.questions() {
            // Word for word again: the answer of the round before was not taken, and would not
            // be now.
            let elicits = matches!(request, InputRequest::Elicit(_));
            let again = elicits && self.asked.iter().any(|(k, r)| k == key && r == request);
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
        self.asked = flow
            .questions()
            .map(|(k, r)| (k.to_owned(), r.clone()))
            .collect();
        for key in keys {
            if !self.keys.iter().any(|known| known == key) {
                self.keys.push(key.to_owned());
            }
        }
        match &self.terminal {
            None if !needed.is_nothing() => Err(Failure::InputNeeded(Box::new(needed))),
            None => Ok(answers),
            Some(server) => {
                for (key, request, values) in open {
                    let answer = ask::question(server, key, request, values).await?;
                    answers.insert(key, encode(&answer)?);
                }
                Ok(answers)
            }
        }
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

    /// Tells which answers of the command line nothing was asked for.
    pub(crate) fn note_unasked(&self) {
        let keys: Vec<&str> = self.keys.iter().map(String::as_str).collect();
        for place in self.answers.unasked(&keys) {
            note(&format!(
                "note: --answer {place}: the server did not ask that"
            ));
        }
    }
}

fn encode(answer: &impl Serialize) -> Result<Raw, Failure> {
    Ok(Raw::encode(answer).map_err(vuelta::Error::from)?)
}
