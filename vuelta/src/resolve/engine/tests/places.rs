//! Where questions may come from, and what a function may rely on while it asks: prompts and
//! resources, shared state, time limits, callers that leave.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;

use super::Count;
use crate::mcp::{ResourceHandler, ResourceSpec};
use crate::resolve::{Halted, RoundCx};
use crate::testing::TestServer;
use crate::{
    Ask, Client, Elicit, ElicitForm, ElicitResult, ErrorCode, Form, FormSchema, InputRequired,
    McpServer, Outcome, PromptMessage, ReadResourceResult, StringSchema, ToolError, prompt,
    resolver, resource, tool,
};

#[derive(Form)]
struct Audience {
    audience: String,
}

#[resolver]
async fn audience(topic: String) -> Elicit<Audience> {
    Elicit::ask(format!("Who is the briefing on {topic} for?"))
}

/// Drafts a briefing.
#[prompt]
async fn briefing(topic: String, #[resolve(audience)] to: Audience) -> String {
    format!("Write a briefing on {topic} for {}.", to.audience)
}

/// Drafts a briefing, asking on the way.
#[prompt]
async fn straight(topic: String, ask: Ask) -> Result<PromptMessage, ToolError> {
    let to: Audience = ask
        .form("to", format!("Who is {topic} for?"))
        .await?
        .accepted()?;
    Ok(PromptMessage::user(format!("{topic} for {}", to.audience)))
}

/// A note, for whoever may read it.
#[resource("note:///{topic}", mime_type = "text/plain")]
async fn note(topic: String, #[resolve(audience)] to: Audience) -> String {
    format!("{topic} for {}", to.audience)
}

/// A note, asking on the way.
#[resource("letter:///{topic}")]
async fn letter(topic: String, ask: Ask) -> Result<String, ToolError> {
    let to: Audience = ask.form("to", "To whom?").await?.accepted()?;
    Ok(format!("{topic} for {}", to.audience))
}

fn server() -> TestServer {
    let server = McpServer::new("B", "1")
        .prompt::<briefing>()
        .prompt::<straight>()
        .resource::<note>()
        .resource::<letter>();
    TestServer::new(server).unwrap()
}

fn everyone() -> serde_json::Value {
    json!({ "audience": "everyone" })
}

#[tokio::test]
async fn a_prompt_asks() {
    let server = server();
    let call = server
        .prompt("briefing", json!({ "topic": "tides" }))
        .accept("audience", everyone());
    let run = call.clone().converges().await;
    assert_eq!(run.text(), "Write a briefing on tides for everyone.");
    assert_eq!(
        run.question("audience").message(),
        "Who is the briefing on tides for?"
    );
    let waiting = call.until("audience").await;
    waiting.tamper().await;
    waiting.other_arguments(json!({ "topic": "time" })).await;
    waiting.other_prompt("straight").await;
    assert_eq!(
        waiting.finish().await.text(),
        "Write a briefing on tides for everyone."
    );

    let call = server
        .prompt("straight", json!({ "topic": "tides" }))
        .accept("to", everyone());
    assert_eq!(call.converges().await.text(), "tides for everyone");
}

#[tokio::test]
async fn a_template_resource_asks() {
    let server = server();
    let call = server
        .resource("note:///tides")
        .accept("audience", everyone());
    assert_eq!(call.clone().converges().await.text(), "tides for everyone");
    let waiting = call.until("audience").await;
    waiting.tamper().await;
    waiting.other_resource("note:///time").await;
    waiting.other_resource("letter:///tides").await;

    let call = server.resource("letter:///tides").accept("to", everyone());
    assert_eq!(call.converges().await.text(), "tides for everyone");
}

#[tokio::test]
async fn a_client_with_callbacks_sees_no_rounds_of_prompts_and_resources() {
    let server = server();
    let client = Client::builder()
        .on_elicit(|_: ElicitForm| async { ElicitResult::accept(everyone()) })
        .connect(server.server())
        .await
        .unwrap();
    let prompt = client
        .get_prompt("briefing", json!({ "topic": "tides" }))
        .await
        .unwrap();
    assert_eq!(
        prompt.messages[0].content.as_text(),
        Some("Write a briefing on tides for everyone.")
    );
    assert_eq!(
        client
            .read_resource("note:///tides")
            .await
            .unwrap()
            .contents
            .len(),
        1
    );
}

#[tokio::test]
async fn a_prompt_or_resource_whose_question_is_refused_is_an_error() {
    let server = server();
    let run = server
        .prompt("briefing", json!({ "topic": "tides" }))
        .decline("audience")
        .run()
        .await;
    assert_eq!(run.error().code(), Some(ErrorCode::INTERNAL_ERROR));
    let run = server
        .resource("note:///tides")
        .decline("audience")
        .run()
        .await;
    let error = run.error().as_rpc().unwrap();
    assert_eq!(error.code, ErrorCode::INTERNAL_ERROR);
    assert_eq!(error.message, "Error reading resource note:///tides");
    assert_eq!(
        error.data.as_ref().unwrap().get(),
        r#"{"uri":"note:///tides"}"#
    );
}

// A static resource has no retry to read an answer from.

struct Fixed;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NoArgs {}

impl ResourceHandler for Fixed {
    const URI: &'static str = "mem://fixed";
    const NAME: &'static str = "fixed";
    type Args = NoArgs;

    fn define(resource: ResourceSpec) -> ResourceSpec {
        resource
    }

    async fn read(_: RoundCx<NoArgs>) -> Result<Outcome<ReadResourceResult>, Halted> {
        let schema = FormSchema::new().required("name", StringSchema::new());
        Ok(InputRequired::new()
            .ask("who", ElicitForm::new("Who?", schema))
            .into())
    }
}

#[tokio::test]
async fn a_static_resource_that_asks_fails() {
    let server = TestServer::new(McpServer::new("F", "1").resource::<Fixed>()).unwrap();
    let run = server.resource("mem://fixed").run().await;
    let error = run.error().as_rpc().unwrap();
    assert_eq!(
        (error.code, error.message.as_ref()),
        (
            ErrorCode::INTERNAL_ERROR,
            "Error reading resource mem://fixed"
        )
    );
}

struct FixedWithResolver;

impl ResourceHandler for FixedWithResolver {
    const URI: &'static str = "mem://fixed";
    const NAME: &'static str = "fixed";
    type Args = NoArgs;

    fn define(resource: ResourceSpec) -> ResourceSpec {
        resource.resolver::<audience>()
    }

    async fn read(_: RoundCx<NoArgs>) -> Result<Outcome<ReadResourceResult>, Halted> {
        Ok(ReadResourceResult::new([]).into())
    }
}

#[test]
fn a_static_resource_with_a_resolver_is_refused() {
    let error = McpServer::new("F", "1")
        .resource::<FixedWithResolver>()
        .build()
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("only template resources can ask"),
        "{error}"
    );
}

// Shared state.

/// Needs a count.
#[tool]
fn counts(count: &Count) -> String {
    count.one().to_string()
}

#[resolver]
fn counted(count: &Count) -> usize {
    count.one()
}

#[resolver]
fn doubled(#[resolve(counted)] count: usize) -> usize {
    count * 2
}

/// Needs a count by way of its resolvers.
#[tool]
fn counts_twice(#[resolve(doubled)] count: usize) -> String {
    count.to_string()
}

#[tokio::test]
async fn state_is_shared_by_all_calls() {
    let server = McpServer::new("C", "1")
        .tool::<counts>()
        .tool::<counts_twice>()
        .state(Count::default());
    let server = TestServer::new(server).unwrap();
    assert_eq!(server.tool("counts", json!({})).run().await.text(), "1");
    assert_eq!(
        server.tool("counts_twice", json!({})).run().await.text(),
        "4"
    );
}

#[test]
fn state_that_is_missing_is_named_when_the_server_is_built() {
    let error = McpServer::new("C", "1")
        .tool::<counts>()
        .tool::<counts_twice>()
        .build()
        .unwrap_err();
    assert!(error.is_misuse());
    let text = error.to_string();
    for tool in ["counts", "counts_twice"] {
        let line = format!(
            "tool \"{tool}\" needs shared state of type `{}`",
            std::any::type_name::<Count>()
        );
        assert!(text.contains(&line), "{text}");
    }
}

// Keys.

#[resolver(key = "audience")]
async fn readers() -> Elicit<Audience> {
    Elicit::ask("Who reads it?")
}

/// Has two resolvers of one key.
#[tool]
async fn clash(
    topic: String,
    #[resolve(audience)] a: Audience,
    #[resolve(readers)] b: Audience,
) -> String {
    format!("{topic} {} {}", a.audience, b.audience)
}

/// Has one of them.
#[tool]
async fn alone(#[resolve(readers)] b: Audience) -> String {
    b.audience
}

#[tokio::test]
async fn two_resolvers_of_one_key_are_refused_within_a_tool() {
    let error = McpServer::new("K", "1")
        .tool::<clash>()
        .build()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool \"clash\" uses two resolvers of the key \"audience\": set another with \
         #[resolver(key = \"..\")]"
    );
    let server = McpServer::new("K", "1")
        .tool::<alone>()
        .prompt::<briefing>();
    let server = TestServer::new(server).unwrap();
    let run = server
        .tool("alone", json!({}))
        .accept("audience", everyone())
        .run()
        .await;
    assert_eq!(run.text(), "everyone");
}

// Time limits and callers that leave.

/// Sets its signal when it is dropped.
struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Takes for ever.
#[tool(timeout = "90s")]
async fn for_ever(dropped: &Arc<Notify>) -> String {
    let _guard = OnDrop(Arc::clone(dropped));
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_ends_one_round_of_a_tool() {
    let dropped = Arc::new(Notify::new());
    let server = McpServer::new("T", "1")
        .tool::<for_ever>()
        .state(Arc::clone(&dropped));
    let server = TestServer::new(server).unwrap();
    let started = tokio::time::Instant::now();
    let run = server.tool("for_ever", json!({})).run().await;
    assert_eq!(
        run.failure(),
        "Error executing tool for_ever: it took longer than 90s"
    );
    assert_eq!(started.elapsed(), Duration::from_secs(90));
    dropped.notified().await;
}

/// Waits for the user longer than a round may take.
#[tool(timeout = "1s")]
async fn patient(ask: Ask) -> Result<String, ToolError> {
    let to: Audience = ask.form("to", "To whom?").await?.accepted()?;
    tokio::time::sleep(Duration::from_millis(600)).await;
    Ok(to.audience)
}

#[tokio::test(start_paused = true)]
async fn the_time_of_the_user_does_not_count() {
    let server = TestServer::new(McpServer::new("T", "1").tool::<patient>()).unwrap();
    let waiting = server
        .tool("patient", json!({}))
        .accept("to", everyone())
        .until("to")
        .await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(waiting.finish().await.text(), "everyone");
}

struct Signals {
    begun: Notify,
    go: Notify,
    done: Notify,
}

/// Runs to its end whoever listens.
#[tool(outlives_caller)]
async fn outlives(signals: &Arc<Signals>) -> String {
    signals.begun.notify_one();
    signals.go.notified().await;
    signals.done.notify_one();
    "done".to_owned()
}

/// Ends with its caller.
#[tool]
async fn follows(signals: &Arc<Signals>) -> String {
    signals.begun.notify_one();
    let _guard = Dropped(signals);
    std::future::pending().await
}

struct Dropped<'a>(&'a Signals);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.done.notify_one();
    }
}

#[tokio::test]
async fn a_call_ends_with_its_caller_unless_it_says_otherwise() {
    let signals = Arc::new(Signals {
        begun: Notify::new(),
        go: Notify::new(),
        done: Notify::new(),
    });
    let server = McpServer::new("O", "1")
        .tool::<outlives>()
        .tool::<follows>()
        .state(Arc::clone(&signals));
    let server = TestServer::new(server).unwrap();
    for tool in ["follows", "outlives"] {
        let call = server.tool(tool, json!({})).run();
        tokio::select! {
            _ = call => panic!("{tool} ended"),
            () = signals.begun.notified() => {}
        }
        // The caller has left, and what outlives it still waits for this.
        if tool == "outlives" {
            signals.go.notify_one();
        }
        signals.done.notified().await;
    }
}

/// Asks, and makes something else of the error that ends it.
#[prompt]
async fn inventive(ask: Ask) -> Result<String, crate::Error> {
    let to = ask.form::<Audience>("to", "To whom?").await;
    let to = to.map_err(|_| crate::Error::rpc(ErrorCode::INVALID_PARAMS, "broken"))?;
    Ok(to
        .accept()
        .map_or_else(|| "nobody".to_owned(), |to| to.audience))
}

#[tokio::test]
async fn a_prompt_loses_no_question_with_the_error_that_ends_it() {
    let server = TestServer::new(McpServer::new("I", "1").prompt::<inventive>()).unwrap();
    let run = server
        .prompt("inventive", json!({}))
        .accept("to", everyone())
        .run()
        .await;
    assert_eq!((run.text().as_str(), run.rounds()), ("everyone", 2));
    let call = server
        .prompt("inventive", json!({}))
        .answer("to", json!({ "roots": [] }));
    assert!(
        call.run()
            .await
            .error()
            .to_string()
            .contains("non-elicitation response")
    );
}

/// Breaks.
#[tool(outlives_caller)]
async fn breaks() -> String {
    panic!("broken")
}

#[tokio::test]
async fn a_tool_that_panics_tells_the_caller_nothing() {
    let server = TestServer::new(McpServer::new("P", "1").tool::<breaks>()).unwrap();
    let run = server.tool("breaks", json!({})).run().await;
    let error = run.error().as_rpc().unwrap();
    assert_eq!(
        (error.code, error.message.as_ref()),
        (ErrorCode::INTERNAL_ERROR, "Internal server error")
    );
}
