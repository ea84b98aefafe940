//! A call whose questions are answered by a script.

use std::collections::HashMap;
use std::fmt;

use serde::Serialize;
use vuelta_wire::methods::{AskingMethod, AskingParams as _};
use vuelta_wire::modern::Decoded;
use vuelta_wire::{
    CreateMessageResult, ElicitResult, InputRequired, InputResponses, ListRootsResult, Raw, Root,
};

use crate::error::Error;
use crate::testing::run::{Question, Run, shown};
use crate::testing::{TestServer, Waiting};

/// A call whose questions are answered by a script, by their keys.
///
/// Answers under one key are given in turn; the last one is given again if the question
/// comes again.
///
/// # Example: every kind of question
///
/// ```
/// use serde_json::json;
/// use vuelta::testing::TestServer;
/// use vuelta::wire::CreateMessageParams;
/// use vuelta::{Answer, Ask, Form, McpServer, SamplingMessage, ToolError, tool};
///
/// #[derive(Form)]
/// struct Period {
///     #[form(min = 1, max = 12)]
///     months: u8,
/// }
///
/// /// Reports on a project.
/// #[tool]
/// async fn report(ask: Ask) -> Result<String, ToolError> {
///     let Answer::Accept(period) = ask.form::<Period>("period", "How many months?").await? else {
///         return Ok("No report.".to_owned());
///     };
///     ask.url("sign_in", "Sign in to the tracker", "https://example.com/in").await?.accepted()?;
///     let roots = ask.roots().await?.roots.len();
///     let prompt = SamplingMessage::user(format!("Sum up {} months.", period.months));
///     let summary = ask.sample("summary", CreateMessageParams::new([prompt], 200_u64)).await?;
///     Ok(format!("{roots} projects: {}", summary.content.as_text().unwrap_or_default()))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> vuelta::Result<()> {
/// let server = TestServer::new(McpServer::new("Reports", "1.0.0").tool::<report>())?;
/// let call = server.tool("report", json!({})).visit("sign_in").sample("summary", "All is well.");
/// let call = call.roots("roots", ["file:///work"]);
///
/// // An answer that does not fit its form, and none at all: the question comes again.
/// let asked_again = call.clone().accept("period", json!({ "months": 99 })).skip("period");
/// let run = asked_again.accept("period", json!({ "months": 3 })).run().await;
/// assert_eq!(run.text(), "1 projects: All is well.");
/// assert_eq!(run.keys(), ["period", "period", "period", "sign_in", "roots", "summary"]);
/// assert_eq!(run.question("sign_in").url(), Some("https://example.com/in"));
/// assert_eq!(run.question("summary").message(), "Sum up 3 months.");
///
/// assert_eq!(call.clone().cancel("period").run().await.text(), "No report.");
/// // An answer to something else altogether.
/// let run = call.answer("period", json!({ "roots": [] })).run().await;
/// assert!(run.failure().contains("non-elicitation response"));
/// # Ok(()) }
/// ```
#[must_use = "a script does nothing until `run`, `converges` or `until`"]
pub struct Script<M: AskingMethod> {
    pub(super) server: TestServer,
    pub(super) params: M::Params,
    pub(super) answers: Answers,
}

impl<M: AskingMethod> Clone for Script<M> {
    fn clone(&self) -> Self {
        let Self {
            server,
            params,
            answers,
        } = self;
        Self {
            server: server.clone(),
            params: params.clone(),
            answers: answers.clone(),
        }
    }
}

/// What the script says, and how often each key was asked.
#[derive(Clone, Default)]
pub(super) struct Answers {
    scripted: HashMap<String, Vec<Scripted>>,
    asked: HashMap<String, usize>,
}

#[derive(Clone)]
enum Scripted {
    Answer(Raw),
    Nothing,
    Error(String),
}

/// After this many rounds a call is taken for one that never ends.
const MAX_ROUNDS: usize = 32;

impl<M: AskingMethod> Script<M> {
    pub(super) fn new(server: TestServer, params: M::Params) -> Self {
        Self {
            server,
            params,
            answers: Answers::default(),
        }
    }

    fn scripted(mut self, key: impl Into<String>, scripted: Scripted) -> Self {
        self.answers
            .scripted
            .entry(key.into())
            .or_default()
            .push(scripted);
        self
    }

    /// Fills in the form under `key`; `content` encodes to an object.
    ///
    /// # Panics
    ///
    /// Panics if the content cannot be encoded.
    pub fn accept(self, key: impl Into<String>, content: impl Serialize) -> Self {
        let content = Raw::encode(&content).expect("the content of a form encodes to JSON");
        self.answer(key, ElicitResult::accept(content))
    }

    /// Visits the URL under `key`.
    pub fn visit(self, key: impl Into<String>) -> Self {
        self.answer(key, ElicitResult::accept_url())
    }

    /// Refuses the question under `key`.
    pub fn decline(self, key: impl Into<String>) -> Self {
        self.answer(key, ElicitResult::decline())
    }

    /// Dismisses the question under `key`.
    pub fn cancel(self, key: impl Into<String>) -> Self {
        self.answer(key, ElicitResult::cancel())
    }

    /// Lets the client's model answer the sampling under `key` with a text.
    pub fn sample(self, key: impl Into<String>, text: impl Into<String>) -> Self {
        self.answer(key, CreateMessageResult::text("model", text))
    }

    /// Lists the client's roots under `key`.
    pub fn roots<U: Into<String>>(
        self,
        key: impl Into<String>,
        uris: impl IntoIterator<Item = U>,
    ) -> Self {
        let roots: Vec<Root> = uris.into_iter().map(Root::new).collect();
        self.answer(key, ListRootsResult::new(roots))
    }

    /// Answers the question under `key` with any value, of the right kind or not.
    ///
    /// # Panics
    ///
    /// Panics if the answer cannot be encoded.
    pub fn answer(self, key: impl Into<String>, answer: impl Serialize) -> Self {
        let answer = Raw::encode(&answer).expect("an answer encodes to JSON");
        self.scripted(key, Scripted::Answer(answer))
    }

    /// Leaves the question under `key` without an answer this time.
    pub fn skip(self, key: impl Into<String>) -> Self {
        self.scripted(key, Scripted::Nothing)
    }

    /// Fails to answer the question under `key`: the client gives the call up.
    pub fn error(self, key: impl Into<String>, reason: impl Into<String>) -> Self {
        self.scripted(key, Scripted::Error(reason.into()))
    }

    /// Runs the call to its end.
    ///
    /// # Panics
    ///
    /// Panics if a question comes that the script does not answer, or if the call does not
    /// end within 32 rounds.
    pub async fn run(self) -> Run<M> {
        self.drive(Run::new(), false).await
    }

    /// Runs the call to its end, and every round that asks twice.
    ///
    /// A question depends on the arguments and on the answers so far, or it never settles:
    /// whoever asks for the time of day in it asks something else in each round. The bodies
    /// run twice too, except in the last round.
    ///
    /// # Panics
    ///
    /// Panics if a question differs when its round is sent again, or changes from one round
    /// to the next; the message has the key and both texts. Panics as [`run`](Self::run) does.
    pub async fn converges(self) -> Run<M> {
        self.drive(Run::new(), true).await
    }

    /// Runs the call until it asks the question under `key`, whose answer is not sent yet.
    ///
    /// # Panics
    ///
    /// Panics if the call ends before it asks that question, or as [`run`](Self::run) does.
    pub async fn until(mut self, key: &str) -> Waiting<M> {
        let mut run = Run::new();
        loop {
            let Some(question) = self.round(&mut run).await else {
                panic!("the call ended before it asked {key:?}:\n{run}");
            };
            let Some(answers) = self.answers.give(&question, &mut run) else {
                panic!("the script gave the call up before it asked {key:?}:\n{run}");
            };
            self.params
                .set_round(answers, question.request_state.clone());
            if question.requests().any(|(asked, _)| asked == key) {
                return Waiting::new(self, run, question);
            }
        }
    }

    pub(super) async fn drive(mut self, mut run: Run<M>, twice: bool) -> Run<M> {
        loop {
            let before = run.last_questions();
            let Some(question) = self.round(&mut run).await else {
                return run;
            };
            if twice {
                if let Some(difference) = changed(&before, &question) {
                    panic!("{difference} from one round to the next:\n{run}");
                }
                self.replay(&question, &run).await;
            }
            let Some(answers) = self.answers.give(&question, &mut run) else {
                return run;
            };
            self.params.set_round(answers, question.request_state);
        }
    }

    /// Sends one request; `None` if the call has ended.
    async fn round(&self, run: &mut Run<M>) -> Option<InputRequired> {
        assert!(
            run.rounds() < MAX_ROUNDS,
            "the call still asks after {MAX_ROUNDS} rounds:\n{run}"
        );
        run.send();
        match self.server.send::<M>(&self.params).await {
            Ok(Decoded::Complete(result)) => run.end(Ok(result)),
            Err(error) => run.end(Err(error)),
            Ok(Decoded::InputRequired(question)) => {
                run.ask(&question);
                return Some(question);
            }
        }
        None
    }

    async fn replay(&self, question: &InputRequired, run: &Run<M>) {
        let round = run.rounds();
        let again = match self.server.send::<M>(&self.params).await {
            Ok(Decoded::InputRequired(again)) => again,
            Ok(Decoded::Complete(_)) => {
                panic!("round {round} asks the first time it is sent, and ends the second:\n{run}")
            }
            Err(error) => {
                panic!(
                    "round {round} asks the first time it is sent, and fails the second ({error}):\n{run}"
                )
            }
        };
        let first: Vec<&str> = question.requests().map(|(key, _)| key).collect();
        let second: Vec<&str> = again.requests().map(|(key, _)| key).collect();
        assert!(
            first == second,
            "round {round} asks {first:?} the first time it is sent, and {second:?} the second:\n{run}"
        );
        if let Some(difference) = changed(&run.last_questions(), &again) {
            panic!("{difference} when round {round} is sent again:\n{run}");
        }
    }
}

/// Says which question differs from the one of the same key that was asked before.
fn changed(before: &[Question], now: &InputRequired) -> Option<String> {
    now.requests().find_map(|(key, request)| {
        let previous = before.iter().find(|question| question.key == key)?;
        let (previous, request) = (shown(&previous.request), shown(request));
        (previous != request)
            .then(|| format!("the question {key:?} changes\n  from {previous}\n  to   {request}\n"))
    })
}

impl Answers {
    /// Gives the answers to one round; `None` if the client gives the call up.
    fn give<M: AskingMethod>(
        &mut self,
        question: &InputRequired,
        run: &mut Run<M>,
    ) -> Option<Option<InputResponses>> {
        let mut answers = InputResponses::new();
        for (key, request) in question.requests() {
            let Some(scripted) = self.scripted.get(key) else {
                panic!(
                    "the script has no answer for {key:?} ({}):\n{run}",
                    shown(request)
                );
            };
            let turn = self.asked.entry(key.to_owned()).or_default();
            // There is at least one: the entry was made for it.
            let scripted = &scripted[(*turn).min(scripted.len() - 1)];
            *turn += 1;
            match scripted {
                Scripted::Answer(answer) => answers.insert(key, answer.clone()),
                Scripted::Nothing => {}
                Scripted::Error(reason) => {
                    let error = Error::misuse(format!("no answer for {key:?}: {reason}"));
                    run.end(Err(error));
                    return None;
                }
            }
        }
        Some(question.input_requests.is_some().then_some(answers))
    }
}

impl<M: AskingMethod> fmt::Debug for Script<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script")
            .field("method", &M::NAME)
            .finish_non_exhaustive()
    }
}
