//! State crosses from one SDK to the other: the same keys and the same name are enough.
//!
//! For a tool, a prompt and a template resource; in both directions; carried by our client alone,
//! and from one client to the other. What must not cross is checked as well.

use serde_json::{Value, json};
use vuelta::wire::methods::{AskingMethod, CallTool, GetPrompt, ReadResource};
use vuelta::{
    CallBuilder, CallToolResult, Client, ElicitResult, Flow, GetPromptResult, InputResponses, Raw,
    ReadResourceResult, ResourceContents, Step,
};

use super::Programs;
use super::check::{Checked, Failure, equal, in_time, state_refused};
use super::matrix::Matrix;
use super::python::{Asking, Halves};
use super::server::{Sdk, Server};

const KEYS: &[&str] = &["a key of the tokens, of at least 32 bytes"];

/// A request of the fixture that asks one question.
pub(super) trait AsksOnce: AskingMethod + Sized {
    const QUESTION: &'static str;
    const WANTED: &'static str;

    /// Prepares the request.
    fn call(client: &Client) -> CallBuilder<Self>;

    /// Prepares another request of the same method.
    fn other(client: &Client) -> CallBuilder<Self>;

    /// Describes the request to the Python client.
    fn asking() -> Asking;

    /// Returns what the form is filled in with.
    fn content() -> Value;

    /// Returns the text of the result.
    fn text(result: &Self::Result) -> String;
}

impl AsksOnce for CallTool {
    const QUESTION: &'static str = "region";
    const WANTED: &'static str = "Provisioned orders in eu-west-1.";

    fn call(client: &Client) -> CallBuilder<Self> {
        client
            .tool("provision")
            .arguments(json!({ "name": "orders" }))
    }

    fn other(client: &Client) -> CallBuilder<Self> {
        client
            .tool("provision")
            .arguments(json!({ "name": "users" }))
    }

    fn asking() -> Asking {
        Asking {
            kind: "tool",
            name: "provision",
            arguments: json!({ "name": "orders" }),
        }
    }

    fn content() -> Value {
        json!({ "region": "eu-west-1" })
    }

    fn text(result: &CallToolResult) -> String {
        result.as_text()
    }
}

impl AsksOnce for GetPrompt {
    const QUESTION: &'static str = "audience";
    const WANTED: &'static str = "Write a briefing for the board.";

    fn call(client: &Client) -> CallBuilder<Self> {
        client.prompt("briefing")
    }

    fn other(client: &Client) -> CallBuilder<Self> {
        client.prompt("nope")
    }

    fn asking() -> Asking {
        Asking {
            kind: "prompt",
            name: "briefing",
            arguments: json!({}),
        }
    }

    fn content() -> Value {
        json!({ "audience": "the board" })
    }

    fn text(result: &GetPromptResult) -> String {
        let texts = result
            .messages
            .iter()
            .filter_map(|message| message.content.as_text());
        texts.collect()
    }
}

impl AsksOnce for ReadResource {
    const QUESTION: &'static str = "lang";
    const WANTED: &'static str = "plan in Spanish";

    fn call(client: &Client) -> CallBuilder<Self> {
        client.resource("note:///plan")
    }

    fn other(client: &Client) -> CallBuilder<Self> {
        client.resource("note:///other")
    }

    fn asking() -> Asking {
        Asking {
            kind: "resource",
            name: "note:///plan",
            arguments: json!({}),
        }
    }

    fn content() -> Value {
        json!({ "lang": "Spanish" })
    }

    fn text(result: &ReadResourceResult) -> String {
        let texts = result
            .contents
            .iter()
            .filter_map(|contents| match contents {
                ResourceContents::Text(contents) => Some(contents.text.as_str()),
                _ => None,
            });
        texts.collect()
    }
}

/// Begins a flow with our client; what comes back could be stored.
pub(super) async fn begin<M: AsksOnce>(server: &Server) -> Result<Flow<M>, Failure> {
    match M::call(&server.by_hand().await?).step().await? {
        Step::Asked(flow) => Ok(serde_json::from_str(&serde_json::to_string(&flow)?)?),
        Step::Done(_) => Err("a result, where a question was expected".into()),
    }
}

/// Answers a flow with our client.
pub(super) async fn resume<M: AsksOnce>(
    server: &Server,
    mut flow: Flow<M>,
) -> Result<vuelta::Result<Step<M>>, Failure> {
    flow.answer(M::QUESTION, ElicitResult::accept(M::content()));
    Ok(server.by_hand().await?.resume(flow).await)
}

/// Answers a flow with our client, and checks that it is done.
pub(super) async fn finish<M: AsksOnce>(server: &Server, flow: Flow<M>) -> Checked {
    match resume(server, flow).await?? {
        Step::Done(result) => equal("text", M::text(&result), M::WANTED),
        Step::Asked(_) => Err("the server asks again".into()),
    }
}

/// The processes of this part; all have the same key.
struct Setup {
    rust: Server,
    python: Server,
    /// A Python server of another name.
    stranger: Server,
    halves: Halves,
}

pub(super) async fn run(programs: &Programs) -> Result<Matrix, Failure> {
    let mut setup = Setup {
        rust: Server::start(programs, Sdk::Rust, KEYS).await?,
        python: Server::start(programs, Sdk::Python, KEYS).await?,
        stranger: Server::start_named(programs, "another-server", KEYS).await?,
        halves: Halves::start(programs)?,
    };
    let mut matrix = Matrix::new("tokens", ["tool", "prompt", "resource"]);
    fill::<CallTool>(&mut matrix, 0, &mut setup).await;
    fill::<GetPrompt>(&mut matrix, 1, &mut setup).await;
    fill::<ReadResource>(&mut matrix, 2, &mut setup).await;
    Ok(matrix)
}

async fn fill<M: AsksOnce>(matrix: &mut Matrix, column: usize, setup: &mut Setup) {
    let Setup {
        rust,
        python,
        stranger,
        halves,
    } = setup;
    for (from, to, names) in [
        (&*python, &*rust, "Python to Rust"),
        (rust, python, "Rust to Python"),
    ] {
        let checked = in_time(one_flow::<M>(from, to)).await;
        matrix.set(&format!("{names}: one flow of our client"), column, checked);
        let checked = in_time(begun_by_python::<M>(halves, from, to)).await;
        matrix.set(
            &format!("{names}: begun by the Python client"),
            column,
            checked,
        );
        let checked = in_time(finished_by_python::<M>(halves, from, to)).await;
        matrix.set(
            &format!("{names}: finished by the Python client"),
            column,
            checked,
        );
        let checked = in_time(of_another_request::<M>(from, to)).await;
        matrix.set(
            &format!("{names}: refused for another request"),
            column,
            checked,
        );
    }
    let checked = in_time(for_another_audience::<M>(stranger, rust)).await;
    matrix.set(
        "Python to Rust: refused for another audience",
        column,
        checked,
    );
    let checked = in_time(for_another_audience::<M>(rust, stranger)).await;
    matrix.set(
        "Rust to Python: refused for another audience",
        column,
        checked,
    );
}

async fn one_flow<M: AsksOnce>(from: &Server, to: &Server) -> Checked {
    finish::<M>(to, begin(from).await?).await
}

async fn begun_by_python<M: AsksOnce>(halves: &mut Halves, from: &Server, to: &Server) -> Checked {
    let state = halves.begin(from.url(), &M::asking()).await?;
    let mut answers = InputResponses::new();
    answers.insert(
        M::QUESTION,
        Raw::encode(&ElicitResult::accept(M::content()))?,
    );
    let call = M::call(&to.by_hand().await?).answers(answers).state(state);
    match call.step().await? {
        Step::Done(result) => equal("text", M::text(&result), M::WANTED),
        Step::Asked(_) => Err("the server asks again".into()),
    }
}

async fn finished_by_python<M: AsksOnce>(
    halves: &mut Halves,
    from: &Server,
    to: &Server,
) -> Checked {
    let flow = begin::<M>(from).await?;
    let state = flow.state().ok_or("no state")?;
    let answers = json!({ M::QUESTION: ElicitResult::accept(M::content()) });
    let result: M::Result = halves
        .finish(to.url(), &M::asking(), &answers, state)
        .await?;
    equal("text", M::text(&result), M::WANTED)
}

async fn of_another_request<M: AsksOnce>(from: &Server, to: &Server) -> Checked {
    let flow = begin::<M>(from).await?;
    let state = flow.state().ok_or("no state")?;
    state_refused(M::other(&to.by_hand().await?).state(state).step().await)
}

async fn for_another_audience<M: AsksOnce>(from: &Server, to: &Server) -> Checked {
    state_refused(resume::<M>(to, begin(from).await?).await?)
}
