//! The kit must fail where an assertion should: each test here breaks something on purpose.

use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;

use super::{Clock, TestServer};
use crate::seal::{Audience, RequestStateBoundary, RequestStateSecurity};
use crate::{
    Ask, CallToolParams, CallToolResult, Context, ElicitForm, Error, Form, FormSchema,
    InputRequired, McpServer, Outcome, Server, StringSchema, ToolError, tool,
};

#[derive(Form)]
struct Confirm {
    sure: bool,
}

/// Deletes what is at a path.
#[tool]
async fn delete(path: String, ask: Ask) -> Result<String, ToolError> {
    let sure: Confirm = ask
        .form("sure", format!("Delete {path}?"))
        .await?
        .accepted()?;
    let really: Confirm = ask.form("really", "Really?").await?.accepted()?;
    Ok(format!("{} {}", sure.sure, really.sure))
}

fn server() -> TestServer {
    TestServer::new(McpServer::new("Files", "1").tool::<delete>()).unwrap()
}

fn yes() -> serde_json::Value {
    json!({ "sure": true })
}

/// Runs what must panic, and returns what it says.
async fn panic_of<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> String {
    match tokio::spawn(future).await {
        Ok(_) => panic!("did not panic"),
        Err(error) => *error
            .into_panic()
            .downcast::<String>()
            .expect("a formatted message"),
    }
}

#[tokio::test]
async fn a_question_that_the_script_does_not_answer_is_shown() {
    let call = server()
        .tool("delete", json!({ "path": "/a" }))
        .accept("sure", yes());
    let text = panic_of(call.run()).await;
    assert!(
        text.starts_with(r#"the script has no answer for "really""#),
        "{text}"
    );
    for part in [
        "Really?",
        "round 1 of tools/call",
        "Delete /a?",
        "round 2 of tools/call",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[tokio::test]
async fn a_call_that_never_ends_is_ended() {
    let call = server()
        .tool("delete", json!({ "path": "/a" }))
        .skip("sure");
    let text = panic_of(call.run()).await;
    assert!(
        text.starts_with("the call still asks after 32 rounds"),
        "{text}"
    );
}

#[tokio::test]
async fn answers_are_given_in_turn_and_the_last_one_again() {
    let call = server()
        .tool("delete", json!({ "path": "/a" }))
        .skip("sure")
        .accept("sure", json!({}));
    let run = call
        .accept("sure", yes())
        .skip("really")
        .accept("really", yes())
        .run()
        .await;
    assert_eq!(run.text(), "true true");
    assert_eq!(run.keys(), ["sure", "sure", "sure", "really", "really"]);
}

#[tokio::test]
async fn a_transcript_reads_like_the_call() {
    let call = server()
        .tool("delete", json!({ "path": "/a" }))
        .accept("sure", yes());
    let run = call.clone().decline("really").run().await;
    let text = run.to_string();
    let lines: Vec<&str> = text.lines().collect();
    for (line, beginning) in lines.iter().zip([
        "round 1 of tools/call",
        "  asks \"sure\": {\"method\":\"elicitation/create\"",
        "round 2 of tools/call",
        "  asks \"really\": {\"method\":\"elicitation/create\"",
        "round 3 of tools/call",
        "  gives {\"content\":[{\"type\":\"text\",\"text\":\"elicitation was decline\"}],\"isError\":true",
    ]) {
        assert!(line.starts_with(beginning), "{line}");
    }
    assert_eq!(lines.len(), 6);
    let run = call.error("really", "gone").run().await;
    assert!(
        run.to_string()
            .ends_with("  fails: no answer for \"really\": gone\n"),
        "{run}"
    );
    assert_eq!(run.rounds(), 2, "nothing was sent after that");
}

#[tokio::test]
async fn getters_show_the_transcript_when_they_fail() {
    let call = server()
        .tool("delete", json!({ "path": "/a" }))
        .accept("sure", yes());
    for (fails, expected) in [
        (0, "\"other\" was not asked:\nround 1"),
        (1, "the tool failed:\nround 1"),
        (2, "expected an error:\nround 1"),
        (3, "expected structured content:\nround 1"),
        (4, "expected the tool to fail:\nround 1"),
        (5, "expected a result:\nround 1"),
    ] {
        let declined = call.clone().decline("really");
        let accepted = call.clone().accept("really", yes());
        let given_up = call.clone().error("really", "gone");
        let text = panic_of(async move {
            match fails {
                0 => drop(accepted.run().await.question("other").message()),
                1 => drop(declined.run().await.text()),
                2 => drop(accepted.run().await.error().to_string()),
                3 => drop(accepted.run().await.structured::<u8>()),
                4 => drop(accepted.run().await.failure()),
                _ => drop(given_up.run().await.result().as_text()),
            }
        });
        let text = text.await;
        assert!(text.starts_with(expected), "{text}");
    }
}

#[tokio::test]
async fn a_call_can_be_held_at_any_of_its_questions() {
    let call = server()
        .tool("delete", json!({ "path": "/a" }))
        .accept("sure", yes())
        .accept("really", yes());
    let waiting = call.clone().until("really").await;
    assert_eq!(waiting.run().keys(), ["sure", "really"]);
    assert_eq!(
        waiting.questions().map(|(key, _)| key).collect::<Vec<_>>(),
        ["really"]
    );
    waiting.tamper().await;
    waiting.other_arguments(json!({ "path": "/b" })).await;
    let run = waiting.finish().await;
    assert_eq!((run.text().as_str(), run.rounds()), ("true true", 3));
    let text = panic_of(async move { call.until("never").await.run().rounds() }).await;
    assert!(
        text.starts_with(r#"the call ended before it asked "never""#),
        "{text}"
    );
}

#[tokio::test]
async fn expiry_leaves_the_clock_as_it_was() {
    let server = server();
    let call = server
        .tool("delete", json!({ "path": "/a" }))
        .accept("sure", yes())
        .accept("really", yes());
    let waiting = call.until("sure").await;
    waiting.expire().await;
    assert_eq!(waiting.finish().await.text(), "true true");
    server.advance(Duration::from_secs(599));
    assert_eq!(waiting.finish().await.text(), "true true");
    server.advance(Duration::from_secs(1));
    let error = waiting.finish().await;
    assert_eq!(
        error.error().as_rpc().unwrap().message,
        "Invalid or expired requestState"
    );
}

#[tokio::test]
async fn a_policy_of_the_server_keeps_its_keys_and_its_time() {
    let key = [7; 32];
    let with = |name: &str| {
        let security = RequestStateSecurity::keys([key])
            .unwrap()
            .ttl(Duration::from_secs(5));
        TestServer::new(
            McpServer::new(name, "1")
                .tool::<delete>()
                .request_state(security),
        )
        .unwrap()
    };
    let server = with("Files");
    let call = server
        .tool("delete", json!({ "path": "/a" }))
        .accept("sure", yes())
        .accept("really", yes());
    let waiting = call.until("sure").await;
    waiting.expire().await;
    waiting.other_server(&with("Other")).await;
    // The same keys and the same name: another instance of the same server.
    let other = with("Files");
    let waiting_there =
        panic_of(async move { waiting.other_server(&other).await.message.into_owned() });
    assert!(
        waiting_there
            .await
            .starts_with("another server was sent it: the call went on")
    );
    server.advance(Duration::from_secs(6));
}

// A low-level server, with and without protection.

async fn call_tool(cx: Context, params: CallToolParams) -> Result<Outcome<CallToolResult>, Error> {
    let _ = params;
    if cx.answers().get("name").is_some() {
        return Ok(CallToolResult::text(cx.state().unwrap_or_default()).into());
    }
    let schema = FormSchema::new().required("name", StringSchema::new());
    Ok(InputRequired::new()
        .ask("name", ElicitForm::new("Name?", schema))
        .state("step-1")
        .into())
}

#[tokio::test]
async fn a_server_that_does_not_protect_its_state_is_found_out() {
    let server = Server::builder("Plain", "1")
        .on_call_tool(call_tool)
        .build()
        .unwrap();
    let call = TestServer::of(&server)
        .tool("any", json!({}))
        .accept("name", json!({ "name": "Ada" }));
    assert_eq!(call.clone().converges().await.text(), "step-1");
    let text = panic_of(async move { call.until("name").await.tamper().await }).await;
    assert!(
        text.starts_with("character 0 of the state was changed: the call ended all the same"),
        "{text}"
    );
}

#[tokio::test]
async fn a_server_that_does_is_attacked_in_vain() {
    let clock = Clock::new();
    let security = RequestStateSecurity::ephemeral()
        .unwrap()
        .clock(clock.reader());
    let server = Server::builder("Sealed", "1")
        .layer(RequestStateBoundary::new(security, Audience::Server))
        .on_call_tool(call_tool)
        .build()
        .unwrap();
    let without_clock = TestServer::of(&server)
        .tool("any", json!({}))
        .accept("name", json!({}));
    let server = TestServer::of(&server).clock(clock);
    let call = server
        .tool("any", json!({}))
        .accept("name", json!({ "name": "Ada" }));
    let waiting = call.until("name").await;
    let refused = waiting.tamper().await;
    for other in [
        waiting.expire().await,
        waiting.other_tool("other").await,
        waiting.other_arguments(json!({ "a": 1 })).await,
        waiting.other_principal(crate::Principal::new("eve")).await,
        waiting.other_server(&self::server()).await,
    ] {
        assert_eq!(other, refused, "every refusal is the same");
    }
    assert_eq!(waiting.finish().await.text(), "step-1");
    assert_eq!(waiting.replay().await.text(), "step-1");

    let text = panic_of(async move { without_clock.until("name").await.expire().await }).await;
    assert!(
        text.starts_with("the test has no hold of the server's clock"),
        "{text}"
    );
}

// Questions that do not converge.

static TURNS: AtomicU32 = AtomicU32::new(0);

/// Asks now this, now that.
#[tool]
async fn fickle(ask: Ask) -> Result<String, ToolError> {
    let key = if TURNS.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
        "even"
    } else {
        "odd"
    };
    let sure: Confirm = ask.form(key, "Sure?").await?.accepted()?;
    Ok(sure.sure.to_string())
}

#[tokio::test]
async fn a_round_that_asks_under_another_key_does_not_converge() {
    let server = TestServer::new(McpServer::new("F", "1").tool::<fickle>()).unwrap();
    let call = server
        .tool("fickle", json!({}))
        .accept("even", yes())
        .accept("odd", yes());
    let text = panic_of(call.converges()).await;
    assert!(
        text.starts_with(
            r#"round 1 asks ["even"] the first time it is sent, and ["odd"] the second"#
        ),
        "{text}"
    );
}
