//! Questions that change from round to round.

use std::sync::Arc;

use serde_json::json;

use super::Count;
use crate::testing::TestServer;
use crate::{Ask, Elicit, Form, McpServer, ToolError, resolver, tool};

#[derive(Form)]
struct Confirm {
    sure: bool,
}

#[resolver]
async fn now(clock: &Arc<Count>) -> Elicit<Confirm> {
    Elicit::ask(format!("It is {}. Go on?", clock.one()))
}

/// Asks with the time of day.
#[tool]
async fn by_resolver(#[resolve(now)] sure: Confirm) -> String {
    sure.sure.to_string()
}

/// Asks with the time of day, from inside.
#[tool]
async fn by_body(ask: Ask, clock: &Arc<Count>) -> Result<String, ToolError> {
    let sure: Confirm = ask
        .form("now", format!("It is {}. Go on?", clock.one()))
        .await?
        .accepted()?;
    Ok(sure.sure.to_string())
}

fn server() -> McpServer {
    McpServer::new("Clock", "1")
        .tool::<by_resolver>()
        .tool::<by_body>()
        .state(Arc::new(Count::default()))
}

#[tokio::test]
async fn a_question_that_never_settles_ends_the_call_and_is_named() {
    for tool in ["by_resolver", "by_body"] {
        let server = TestServer::new(server()).unwrap();
        let run = server
            .tool(tool, json!({}))
            .accept("now", json!({ "sure": true }))
            .run()
            .await;
        assert_eq!(
            run.failure(),
            format!(
                "Error executing tool {tool}: The question \"now\" never settles: its text changed \
                 in 5 rounds. It must depend on the arguments only, not on the time or on live data."
            )
        );
        assert_eq!(run.rounds(), 6);
    }
}

#[tokio::test]
async fn how_long_it_may_change_can_be_set() {
    let server = TestServer::new(server().max_changes(1)).unwrap();
    let run = server
        .tool("by_body", json!({}))
        .accept("now", json!({ "sure": true }))
        .run()
        .await;
    assert!(run.failure().contains("its text changed in 1 rounds"));
    assert_eq!(run.rounds(), 2);
}

#[tokio::test]
async fn the_test_kit_names_the_question_and_both_texts() {
    for tool in ["by_resolver", "by_body"] {
        let server = TestServer::new(server()).unwrap();
        let call = server
            .tool(tool, json!({}))
            .accept("now", json!({ "sure": true }));
        let panic = tokio::spawn(call.converges())
            .await
            .unwrap_err()
            .into_panic();
        let text = panic.downcast_ref::<String>().unwrap();
        for part in [
            r#""now""#,
            "It is 1. Go on?",
            "It is 2. Go on?",
            "when round 1 is sent again",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }
}
