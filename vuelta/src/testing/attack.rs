//! A call that waits for an answer, and what somebody may try with its state.

use std::fmt;

use serde::Serialize;
use vuelta_wire::methods::{AskingMethod, AskingParams as _, CallTool, GetPrompt, ReadResource};
use vuelta_wire::modern::Decoded;
use vuelta_wire::{ErrorObject, InputRequest, InputRequired};

use crate::error;
use crate::service::Principal;
use crate::testing::run::Run;
use crate::testing::script::Script;
use crate::testing::server::{TestServer, prompt_arguments, tool_arguments};

/// A call that waits for answers, with the answers ready: attack it, then finish it.
///
/// Each attack sends the answers with the state, but with one thing other than it was, and
/// panics unless the server refuses it with the one error that tells nothing:
/// `Invalid or expired requestState`. That error is returned. The call itself is left as it
/// was, so that every attack can be tried on it, and [`finish`](Self::finish) still works.
///
/// # Example: a prompt and a resource
///
/// ```
/// use serde_json::json;
/// use vuelta::testing::TestServer;
/// use vuelta::{Elicit, Form, McpServer, prompt, resolver, resource};
///
/// #[derive(Form)]
/// struct Reader {
///     name: String,
/// }
///
/// #[resolver]
/// async fn reader(topic: String) -> Elicit<Reader> {
///     Elicit::ask(format!("Who reads about {topic}?"))
/// }
///
/// /// Drafts a briefing.
/// #[prompt]
/// async fn briefing(topic: String, #[resolve(reader)] to: Reader) -> String {
///     format!("Write about {topic} for {}.", to.name)
/// }
///
/// /// A note on a topic.
/// #[resource("note:///{topic}")]
/// async fn note(topic: String, #[resolve(reader)] to: Reader) -> String {
///     format!("{topic}, for {}", to.name)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> vuelta::Result<()> {
/// let server = McpServer::new("Notes", "1.0.0").prompt::<briefing>().resource::<note>();
/// let server = TestServer::new(server)?;
/// let ada = json!({ "name": "Ada" });
///
/// let call = server.prompt("briefing", json!({ "topic": "tides" })).accept("reader", &ada);
/// let waiting = call.until("reader").await;
/// waiting.other_arguments(json!({ "topic": "secrets" })).await;
/// waiting.other_prompt("another").await;
/// assert_eq!(waiting.finish().await.text(), "Write about tides for Ada.");
///
/// let waiting = server.resource("note:///tides").accept("reader", &ada).until("reader").await;
/// waiting.other_resource("note:///secrets").await;
/// assert_eq!(waiting.finish().await.text(), "tides, for Ada");
/// # Ok(()) }
/// ```
pub struct Waiting<M: AskingMethod> {
    script: Script<M>,
    run: Run<M>,
    question: InputRequired,
}

impl<M: AskingMethod> Waiting<M> {
    pub(super) fn new(script: Script<M>, run: Run<M>, question: InputRequired) -> Self {
        Self {
            script,
            run,
            question,
        }
    }

    /// Returns the questions that wait.
    pub fn questions(&self) -> impl Iterator<Item = (&str, &InputRequest)> {
        self.question.requests()
    }

    /// Returns what the call did so far.
    #[must_use]
    pub fn run(&self) -> &Run<M> {
        &self.run
    }

    /// Returns the state that the client holds.
    ///
    /// # Panics
    ///
    /// Panics if the question has none: there is nothing to attack.
    #[must_use]
    #[track_caller]
    pub fn state(&self) -> &str {
        let state = self.question.request_state.as_deref();
        state.unwrap_or_else(|| panic!("the question has no state:\n{}", self.run))
    }

    /// Sends the answers and runs the call to its end.
    ///
    /// # Panics
    ///
    /// Panics as [`Script::run`] does.
    pub async fn finish(&self) -> Run<M> {
        self.script
            .clone()
            .drive(Run::resumed(&self.run), false)
            .await
    }

    /// Finishes the call, then sends the same answers with the same state again, and returns
    /// what came of that.
    ///
    /// Unless a server keeps a ledger of what is used up, a state is good until it expires:
    /// the second time comes to the same end as the first, and what the tool does is done
    /// twice.
    ///
    /// # Panics
    ///
    /// Panics as [`Script::run`] does.
    pub async fn replay(&self) -> Run<M> {
        self.finish().await;
        self.finish().await
    }

    /// Changes single characters of the state, one at a time, all over it.
    ///
    /// # Panics
    ///
    /// Panics if the server takes one of them.
    pub async fn tamper(&self) -> ErrorObject {
        let state: Vec<char> = self.state().chars().collect();
        assert!(!state.is_empty(), "the state is empty:\n{}", self.run);
        let step = state.len().div_ceil(CHANGES);
        let last = state.len() - 1;
        let mut refusal = None;
        for place in (0..last).step_by(step).chain([last]) {
            let mut changed = state.clone();
            changed[place] = if changed[place] == 'A' { 'B' } else { 'A' };
            let params = self.with_state(changed.into_iter().collect());
            let attack = format!("character {place} of the state was changed");
            refusal = Some(self.attack(&self.script.server, &params, &attack).await);
        }
        // The chain above has at least its last link.
        refusal.unwrap_or_else(error::invalid_state)
    }

    /// Sends the answers when the state has expired; the clock is put back afterwards.
    ///
    /// # Panics
    ///
    /// Panics if the server takes it, or if the test has no hold of the server's clock.
    pub async fn expire(&self) -> ErrorObject {
        let (clock, ttl) = self.script.server.expiry();
        let now = clock.now();
        clock.advance(ttl);
        let refusal = self.attack(
            &self.script.server,
            &self.script.params,
            "the state had expired",
        );
        let refusal = refusal.await;
        clock.set(now);
        refusal
    }

    /// Sends the answers as somebody else.
    ///
    /// # Panics
    ///
    /// Panics if the server takes it.
    pub async fn other_principal(&self, principal: Principal) -> ErrorObject {
        let server = self.script.server.clone().principal(principal);
        self.attack(&server, &self.script.params, "another principal sent it")
            .await
    }

    /// Sends the answers to a server that must not take the state of this one.
    ///
    /// # Panics
    ///
    /// Panics if that server takes it.
    pub async fn other_server(&self, server: &TestServer) -> ErrorObject {
        self.attack(server, &self.script.params, "another server was sent it")
            .await
    }

    fn with_state(&self, state: String) -> M::Params {
        let mut params = self.script.params.clone();
        params.set_round(params.answers().cloned(), Some(state));
        params
    }

    async fn attack(&self, server: &TestServer, params: &M::Params, attack: &str) -> ErrorObject {
        let _ = self.state();
        let expected = error::invalid_state();
        match server.send::<M>(params).await {
            Err(error) if error.as_rpc() == Some(&expected) => expected,
            Err(error) => panic!(
                "{attack}: refused, but with another error: {error}\n{}",
                self.run
            ),
            Ok(Decoded::Complete(_)) => {
                panic!("{attack}: the call ended all the same\n{}", self.run)
            }
            Ok(Decoded::InputRequired(_)) => panic!("{attack}: the call went on\n{}", self.run),
        }
    }
}

/// In how many places a state is tampered with, and at its end.
const CHANGES: usize = 24;

impl Waiting<CallTool> {
    /// Sends the answers with other arguments.
    ///
    /// # Panics
    ///
    /// Panics if the server takes it, or if the arguments cannot be encoded.
    pub async fn other_arguments(&self, arguments: impl Serialize) -> ErrorObject {
        let mut params = self.script.params.clone();
        params.arguments = tool_arguments(&arguments);
        self.attack(
            &self.script.server,
            &params,
            "the arguments were other ones",
        )
        .await
    }

    /// Sends the answers to another tool.
    ///
    /// # Panics
    ///
    /// Panics if the server takes it.
    pub async fn other_tool(&self, name: impl Into<String>) -> ErrorObject {
        let mut params = self.script.params.clone();
        params.name = name.into();
        self.attack(&self.script.server, &params, "the tool was another one")
            .await
    }
}

impl Waiting<GetPrompt> {
    /// Sends the answers with other arguments.
    ///
    /// # Panics
    ///
    /// Panics if the server takes it, or if the arguments cannot be encoded.
    pub async fn other_arguments(&self, arguments: impl Serialize) -> ErrorObject {
        let mut params = self.script.params.clone();
        params.arguments = prompt_arguments(&arguments);
        self.attack(
            &self.script.server,
            &params,
            "the arguments were other ones",
        )
        .await
    }

    /// Sends the answers to another prompt.
    ///
    /// # Panics
    ///
    /// Panics if the server takes it.
    pub async fn other_prompt(&self, name: impl Into<String>) -> ErrorObject {
        let mut params = self.script.params.clone();
        params.name = name.into();
        self.attack(&self.script.server, &params, "the prompt was another one")
            .await
    }
}

impl Waiting<ReadResource> {
    /// Sends the answers to another resource.
    ///
    /// # Panics
    ///
    /// Panics if the server takes it.
    pub async fn other_resource(&self, uri: impl Into<String>) -> ErrorObject {
        let mut params = self.script.params.clone();
        params.uri = uri.into();
        self.attack(&self.script.server, &params, "the resource was another one")
            .await
    }
}

impl<M: AskingMethod> fmt::Debug for Waiting<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}
