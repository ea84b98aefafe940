//! The tools that ask: what each round of them brings decides what the next one is.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use vuelta::{
    BooleanSchema, CallToolResult, Context, CreateMessageParams, CreateMessageResult, ElicitForm,
    ElicitResult, FormSchema, InputRequest, InputRequired, ListRootsParams, ListRootsResult,
    Outcome, PrimitiveSchema, Result, SamplingMessage, StringSchema,
};

type Called = Result<Outcome<CallToolResult>>;

#[derive(Deserialize)]
struct Name {
    name: String,
}

#[derive(Deserialize)]
struct Color {
    color: String,
}

#[derive(Deserialize)]
struct Confirmation {
    ok: bool,
}

/// Builds a form of one field that must be filled in.
pub(crate) fn form(message: &str, field: &str, schema: impl Into<PrimitiveSchema>) -> ElicitForm {
    ElicitForm::new(message, FormSchema::new().required(field, schema))
}

/// Returns what the user has filled in under `key`; `None` if the question is still open.
pub(crate) fn accepted<T: DeserializeOwned>(cx: &Context, key: &str) -> Result<Option<T>> {
    match cx.answers().parse::<ElicitResult>(key)? {
        Some(answer) => Ok(answer.accepted()?),
        None => Ok(None),
    }
}

pub(crate) fn elicitation(cx: &Context) -> Called {
    match accepted(cx, "user_name")? {
        Some(Name { name }) => done(format!("Hello, {name}!")),
        None => ask(InputRequired::new().ask("user_name", ask_name())),
    }
}

pub(crate) fn sampling(cx: &Context) -> Called {
    match cx
        .answers()
        .parse::<CreateMessageResult>("capital_question")?
    {
        Some(answer) => done(format!("The model says: {}", said(&answer))),
        None => {
            let question = sample("What is the capital of France?", 100);
            ask(InputRequired::new().ask("capital_question", question))
        }
    }
}

pub(crate) fn list_roots(cx: &Context) -> Called {
    match cx.answers().parse::<ListRootsResult>("client_roots")? {
        Some(answer) => done(format!("{} roots", answer.roots.len())),
        None => ask(InputRequired::new().ask("client_roots", ListRootsParams::new())),
    }
}

pub(crate) fn request_state(cx: &Context) -> Called {
    const ASKED: &str = "confirmation asked";
    match accepted(cx, "confirm")? {
        Some(Confirmation { ok }) if cx.state() == Some(ASKED) => done(format!("state-ok: {ok}")),
        _ => {
            let question = form("Please confirm", "ok", BooleanSchema::new());
            ask(InputRequired::new().ask("confirm", question).state(ASKED))
        }
    }
}

pub(crate) fn multiple_inputs(cx: &Context) -> Called {
    const ASKED: &str = "three questions asked";
    let name: Option<Name> = accepted(cx, "user_name")?;
    let greeting: Option<CreateMessageResult> = cx.answers().parse("greeting")?;
    let roots: Option<ListRootsResult> = cx.answers().parse("client_roots")?;
    if cx.state() == Some(ASKED)
        && let (Some(Name { name }), Some(greeting), Some(roots)) = (name, greeting, roots)
    {
        return done(format!(
            "{}, {name}: {} roots",
            said(&greeting),
            roots.roots.len()
        ));
    }
    ask(InputRequired::new()
        .ask("user_name", ask_name())
        .ask("greeting", sample("Generate a greeting", 50))
        .ask("client_roots", ListRootsParams::new())
        .state(ASKED))
}

/// The name rides in the state while the second question is out.
pub(crate) fn multi_round(cx: &Context) -> Called {
    const FIRST: &str = "1";
    const SECOND: &str = "2:";
    let name = match cx.state() {
        Some(FIRST) => accepted(cx, "step1")?.map(|Name { name }| name),
        Some(state) => state.strip_prefix(SECOND).map(str::to_owned),
        None => None,
    };
    let Some(name) = name else {
        return ask(InputRequired::new().ask("step1", ask_name()).state(FIRST));
    };
    match accepted(cx, "step2")? {
        Some(Color { color }) => done(format!("{name} likes {color}")),
        None => {
            let question = form("What is your favorite color?", "color", StringSchema::new());
            ask(InputRequired::new()
                .ask("step2", question)
                .state(format!("{SECOND}{name}")))
        }
    }
}

pub(crate) fn capabilities(cx: &Context) -> Called {
    let questions: [(&str, InputRequest); 3] = [
        ("user_name", ask_name().into()),
        ("greeting", sample("Generate a greeting", 50).into()),
        ("client_roots", ListRootsParams::new().into()),
    ];
    let mut open = InputRequired::new();
    for (key, question) in questions {
        let can_answer = cx.client_capabilities().missing_for(&question).is_none();
        if can_answer && cx.answers().get(key).is_none() {
            open = open.ask(key, question);
        }
    }
    if open.is_empty() {
        return done("Everything that the client can answer is answered.");
    }
    ask(open)
}

fn ask_name() -> ElicitForm {
    form("What is your name?", "name", StringSchema::new())
}

fn sample(text: &str, max_tokens: u64) -> CreateMessageParams {
    CreateMessageParams::new([SamplingMessage::user(text)], max_tokens)
}

fn said(answer: &CreateMessageResult) -> &str {
    answer.content.as_text().unwrap_or_default()
}

fn ask(question: InputRequired) -> Called {
    Ok(question.into())
}

fn done(text: impl Into<String>) -> Called {
    Ok(CallToolResult::text(text).into())
}
