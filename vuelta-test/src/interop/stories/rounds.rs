//! Calls that ask: by callbacks and by hand, answered, refused, and with a state that is not theirs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use vuelta::wire::methods::{AskingMethod, CallTool};
use vuelta::{
    CallBuilder, Client, CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult,
    ErrorCode, Flow, InputRequest, InputResponses, ListRootsResult, PrimitiveSchema, Raw,
    ResourceContents, Role, Root, Round, Step,
};

use crate::interop::check::{Checked, Failure, equal, state_refused};
use crate::interop::server::Server;
use crate::interop::user::User;

const REGION: &str = "Which region should the database live in?";
const PROVISIONED: &str = "Provisioned orders in eu-west-1.";

fn in_region() -> ElicitResult {
    ElicitResult::accept(json!({ "region": "eu-west-1" }))
}

fn value(value: &str) -> ElicitResult {
    ElicitResult::accept(json!({ "value": value }))
}

fn orders(client: &Client) -> CallBuilder<CallTool> {
    client
        .tool("provision")
        .arguments(json!({ "name": "orders" }))
}

fn responses(key: &str, answer: &ElicitResult) -> Result<InputResponses, Failure> {
    let mut responses = InputResponses::new();
    responses.insert(key, Raw::encode(answer)?);
    Ok(responses)
}

/// Checks that a call has asked under these keys, and returns the flow as another process would
/// read it.
fn asked<M: AskingMethod>(step: Step<M>, keys: &[&str]) -> Result<Flow<M>, Failure> {
    let Step::Asked(flow) = step else {
        return Err(format!("a result, where {keys:?} was to be asked").into());
    };
    let mut found: Vec<_> = flow.questions().map(|(key, _)| key).collect();
    found.sort_unstable();
    equal("questions", found, keys)?;
    Ok(serde_json::from_str(&serde_json::to_string(&flow)?)?)
}

fn sealed<M: AskingMethod>(flow: &Flow<M>) -> Result<String, Failure> {
    let state = flow.state().ok_or("no state")?;
    equal("sealed", state.starts_with("v1."), true)?;
    Ok(state.to_owned())
}

fn done(step: Step<CallTool>, text: &str) -> Checked {
    match step {
        Step::Done(result) => equal("text", result.as_text(), text),
        Step::Asked(flow) => Err(format!("expected {text:?}, found {flow:?}").into()),
    }
}

pub(super) async fn provision_auto(server: &Server) -> Checked {
    let user = User::new([(REGION, in_region())]);
    let client = server.connect(user.client()).await?;
    equal("text", orders(&client).send().await?.as_text(), PROVISIONED)?;

    let asked = user.asked();
    let [ElicitParams::Form(form)] = &asked[..] else {
        return Err(format!("expected one form, found {asked:?}").into());
    };
    equal("message", &form.message, REGION)?;
    let field = form.requested_schema.properties.get("region");
    equal(
        "text field",
        matches!(field, Some(PrimitiveSchema::String(_))),
        true,
    )?;
    equal(
        "required",
        form.requested_schema.is_required("region"),
        true,
    )
}

pub(super) async fn provision_manual(server: &Server) -> Checked {
    let client = server.by_hand().await?;
    let mut flow = asked(orders(&client).step().await?, &["region"])?;
    sealed(&flow)?;
    flow.answer("region", in_region());
    done(server.by_hand().await?.resume(flow).await?, PROVISIONED)
}

/// A retry without a usable answer gets the same question.
pub(super) async fn provision_asks_again(server: &Server) -> Checked {
    let client = server.by_hand().await?;
    let flow = asked(orders(&client).step().await?, &["region"])?;
    let flow = asked(
        orders(&client).state(sealed(&flow)?).step().await?,
        &["region"],
    )?;
    let elsewhere = responses("elsewhere", &in_region())?;
    let again = orders(&client).answers(elsewhere).state(sealed(&flow)?);
    asked(again.step().await?, &["region"]).map(drop)
}

pub(super) async fn decline(server: &Server) -> Checked {
    refuse(server, ElicitResult::decline(), "Not provisioned: decline.").await
}

pub(super) async fn cancel(server: &Server) -> Checked {
    refuse(server, ElicitResult::cancel(), "Not provisioned: cancel.").await
}

async fn refuse(server: &Server, answer: ElicitResult, text: &str) -> Checked {
    let client = server
        .connect(User::new([(REGION, answer)]).client())
        .await?;
    equal("text", orders(&client).send().await?.as_text(), text)
}

/// Changed, foreign and rebound states fail alike; the state itself stays good.
pub(super) async fn wrong_state(server: &Server) -> Checked {
    let client = server.by_hand().await?;
    let flow = asked(orders(&client).step().await?, &["region"])?;
    let state = sealed(&flow)?;
    let answers = responses("region", &in_region())?;

    let middle = state.len() / 2;
    let mut changed = state.clone();
    let other = if state[middle..].starts_with('A') {
        "B"
    } else {
        "A"
    };
    changed.replace_range(middle..=middle, other);
    for wrong in [
        changed.as_str(),
        &state[..state.len() - 1],
        "provision-v1",
        "",
    ] {
        state_refused(
            orders(&client)
                .answers(answers.clone())
                .state(wrong)
                .step()
                .await,
        )?;
    }
    let users = client
        .tool("provision")
        .arguments(json!({ "name": "users" }));
    state_refused(users.answers(answers.clone()).state(&state).step().await)?;
    let prompt = client
        .prompt("briefing")
        .answers(answers.clone())
        .state(&state);
    state_refused(prompt.step().await)?;

    done(
        orders(&client)
            .answers(answers)
            .state(&state)
            .step()
            .await?,
        PROVISIONED,
    )
}

/// A client without callbacks declares nothing, so nothing is asked.
pub(super) async fn missing_capability(server: &Server) -> Checked {
    fn check<T>(result: vuelta::Result<T>) -> Checked {
        let Err(error) = result else {
            return Err("a result without an answer".into());
        };
        let object = error.as_rpc().ok_or_else(|| error.to_string())?;
        equal(
            "code",
            object.code,
            ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
        )?;
        let data: Value = object.data.as_ref().ok_or("no data")?.parse()?;
        equal(
            "data",
            data,
            json!({ "requiredCapabilities": { "elicitation": { "form": {} } } }),
        )
    }

    let client = server.connect(Client::builder()).await?;
    check(orders(&client).send().await)?;
    check(client.get_prompt("briefing", ()).await)?;
    check(client.read_resource("note:///plan").await)?;
    equal(
        "afterwards",
        client
            .call_tool("add", json!({ "a": 2, "b": 3 }))
            .await?
            .as_text(),
        "5",
    )
}

pub(super) async fn prompt_asks(server: &Server) -> Checked {
    let board = ElicitResult::accept(json!({ "audience": "the board" }));
    let user = User::new([("Who is the briefing for?", board)]);
    let result = server
        .connect(user.client())
        .await?
        .get_prompt("briefing", ())
        .await?;
    equal("questions", user.messages(), ["Who is the briefing for?"])?;
    let [message] = &result.messages[..] else {
        return Err(format!("expected one message, found {:?}", result.messages).into());
    };
    equal("role", &message.role, &Role::User)?;
    equal(
        "text",
        message.content.as_text(),
        Some("Write a briefing for the board."),
    )
}

pub(super) async fn template_asks(server: &Server) -> Checked {
    let spanish = ElicitResult::accept(json!({ "lang": "Spanish" }));
    let user = User::new([("Which language?", spanish)]);
    let result = server
        .connect(user.client())
        .await?
        .read_resource("note:///plan")
        .await?;
    equal("questions", user.messages(), ["Which language?"])?;
    let [ResourceContents::Text(found)] = &result.contents[..] else {
        return Err(format!("expected one text, found {:?}", result.contents).into());
    };
    equal("uri", &found.uri, "note:///plan")?;
    equal("media type", found.mime_type.as_deref(), Some("text/plain"))?;
    equal("text", &found.text, "plan in Spanish")
}

pub(super) async fn state_only(server: &Server) -> Checked {
    let user = User::new([]);
    let client = server.connect(user.client()).await?;
    let sent = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&sent);
    let call = client.tool("wait").on_round(move |round| {
        if matches!(round, Round::Sent { .. }) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    equal("text", call.send().await?.as_text(), "waited 2")?;
    equal("requests", sent.load(Ordering::Relaxed), 3)?;

    // By hand, a flow without questions is resumed as it is.
    let one = asked(client.tool("wait").step().await?, &[])?;
    let two = asked(client.resume(one).await?, &[])?;
    done(client.resume(two).await?, "waited 2")
}

pub(super) async fn steps_auto(server: &Server) -> Checked {
    let user = User::new([("First?", value("one")), ("Second?", value("two"))]);
    let client = server.connect(user.client()).await?;
    equal(
        "text",
        client.call_tool("steps", ()).await?.as_text(),
        "one,two",
    )?;
    equal("questions", user.messages(), ["First?", "Second?"])
}

/// Only the last round's answers are sent; the first rides in the state.
pub(super) async fn steps_manual(server: &Server) -> Checked {
    let client = server.by_hand().await?;
    let mut one = asked(client.tool("steps").step().await?, &["first"])?;
    let first_state = sealed(&one)?;
    one.answer("first", value("one"));
    let mut two = asked(client.resume(one).await?, &["second"])?;
    equal(
        "the state is another one",
        sealed(&two)? != first_state,
        true,
    )?;
    two.answer("second", value("two"));
    done(client.resume(two).await?, "one,two")
}

pub(super) async fn three_kinds(server: &Server) -> Checked {
    let user = User::new([("How old?", ElicitResult::accept(json!({ "age": 42 })))]);
    let builder = user
        .client()
        .on_sample(|_| async { CreateMessageResult::text("m", "Paris") })
        .on_list_roots(|_| async { ListRootsResult::new([Root::new("file:///w").name("w")]) });
    let client = server.connect(builder).await?;

    let flow = asked(
        client.tool("three_kinds").step().await?,
        &["age", "capital", "roots"],
    )?;
    sealed(&flow)?;
    let Some(InputRequest::Sample(sampled)) = flow.question("capital") else {
        return Err("`capital` is no sampling".into());
    };
    sampling(sampled)?;
    equal(
        "text",
        client.call_tool("three_kinds", ()).await?.as_text(),
        "42/Paris/1",
    )
}

fn sampling(params: &CreateMessageParams) -> Checked {
    equal("max tokens", params.max_tokens, 16)?;
    let [message] = &params.messages[..] else {
        return Err(format!("expected one message, found {:?}", params.messages).into());
    };
    equal("role", &message.role, &Role::User)?;
    equal(
        "text",
        message.content.as_text(),
        Some("Capital of France?"),
    )
}

pub(super) async fn url_mode(server: &Server) -> Checked {
    let user = User::new([("Sign in", ElicitResult::accept_url())]);
    let client = server.connect(user.client()).await?;
    let flow = asked(client.tool("ask_url").step().await?, &["auth"])?;
    equal("state", flow.state(), None)?;
    equal(
        "text",
        client.call_tool("ask_url", ()).await?.as_text(),
        "signed in",
    )?;
    let asked = user.asked();
    let [ElicitParams::Url(question)] = &asked[..] else {
        return Err(format!("expected one URL, found {asked:?}").into());
    };
    equal("url", &question.url, "https://example.com/sign-in")
}
