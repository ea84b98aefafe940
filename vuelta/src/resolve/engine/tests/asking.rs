//! Questions from inside a body.

use std::sync::Arc;

use serde_json::json;

use super::Count;
use crate::testing::TestServer;
use crate::{
    Answer, Ask, CallToolResult, Client, Elicit, ElicitForm, ElicitResult, Form, McpServer,
    ToolError, resolver, tool,
};

#[derive(Form)]
struct Confirm {
    sure: bool,
}

fn yes() -> serde_json::Value {
    json!({ "sure": true })
}

#[derive(Default)]
struct Work {
    counted: Count,
    failed: Count,
    bodies: Count,
}

/// Deletes files, in a straight line.
#[tool]
async fn delete(path: String, ask: Ask, work: &Arc<Work>) -> Result<String, ToolError> {
    work.bodies.one();
    let files = ask
        .once("count", || async {
            Ok::<_, ToolError>(work.counted.one() * 3)
        })
        .await?;
    let sure: Confirm = ask
        .form("sure", format!("Delete {files} files at {path}?"))
        .await?
        .accepted()?;
    if !sure.sure {
        return Ok("kept".to_owned());
    }
    let again: Confirm = ask.form("again", "Really?").await?.accepted()?;
    Ok(format!("deleted {files}: {}", again.sure))
}

fn files() -> (TestServer, Arc<Work>) {
    let work = Arc::new(Work::default());
    let server = McpServer::new("Files", "1")
        .tool::<delete>()
        .state(Arc::clone(&work));
    (TestServer::new(server).unwrap(), work)
}

#[tokio::test]
async fn a_body_asks_one_question_after_the_other() {
    let (server, work) = files();
    let call = server
        .tool("delete", json!({ "path": "/a" }))
        .accept("sure", yes());
    let run = call.accept("again", json!({ "sure": false })).run().await;
    assert_eq!(run.text(), "deleted 3: false");
    assert_eq!(run.question("sure").message(), "Delete 3 files at /a?");
    assert_eq!(
        (run.keys_of(1), run.keys_of(2), run.rounds()),
        (vec!["sure"], vec!["again"], 3)
    );
    assert_eq!(work.bodies.get(), 3, "the body runs again in every round");
    assert_eq!(
        work.counted.get(),
        1,
        "what is done once is done once in a flow"
    );
}

#[tokio::test]
async fn a_body_may_end_without_asking_the_rest() {
    let (server, _) = files();
    let call = server.tool("delete", json!({ "path": "/a" }));
    let run = call
        .clone()
        .accept("sure", json!({ "sure": false }))
        .run()
        .await;
    assert_eq!((run.text().as_str(), run.rounds()), ("kept", 2));
    let run = call.decline("sure").run().await;
    assert_eq!(run.failure(), "elicitation was decline");
}

#[tokio::test]
async fn a_body_converges_if_its_questions_do() {
    let (server, work) = files();
    let call = server
        .tool("delete", json!({ "path": "/a" }))
        .accept("again", yes());
    // The first round runs twice, and counts twice: it asks with 3 files, then with 6.
    let panic = tokio::spawn(call.accept("sure", yes()).converges())
        .await
        .unwrap_err()
        .into_panic();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains(r#"the question "sure" changes"#), "{text}");
    assert!(
        text.contains("Delete 3 files at /a?") && text.contains("Delete 6 files at /a?"),
        "{text}"
    );
    assert!(text.contains("when round 1 is sent again"), "{text}");
    assert_eq!(work.counted.get(), 2);
}

#[tokio::test]
async fn what_fails_is_not_kept() {
    /// Tries.
    #[tool]
    async fn try_it(ask: Ask, work: &Arc<Work>) -> Result<String, ToolError> {
        let tried = ask
            .once("try", || async {
                match work.failed.one() {
                    1 => Err(ToolError::new("not yet")),
                    times => Ok(times),
                }
            })
            .await;
        let _: Confirm = ask.form("sure", "Again?").await?.accepted()?;
        tried.map(|times| format!("at the {times}. time"))
    }

    let work = Arc::new(Work::default());
    let server = McpServer::new("T", "1")
        .tool::<try_it>()
        .state(Arc::clone(&work));
    let server = TestServer::new(server).unwrap();
    let call = server.tool("try_it", json!({}));
    let run = call.skip("sure").accept("sure", yes()).run().await;
    assert_eq!(run.text(), "at the 2. time");
    assert_eq!(work.failed.get(), 2, "kept as soon as it works");
}

#[tokio::test]
async fn several_questions_travel_in_one_round() {
    /// Asks three at once.
    #[tool]
    async fn three(ask: Ask) -> Result<String, ToolError> {
        let (a, b, c): (Answer<Confirm>, Answer<Confirm>, Answer<Confirm>) = ask
            .all((
                ask.form("a", "A?"),
                ask.form("b", "B?"),
                ask.form("c", "C?"),
            ))
            .await?;
        let given = [a, b, c].map(|answer| answer.accept().map(|given| given.sure));
        Ok(format!("{given:?}"))
    }

    let server = TestServer::new(McpServer::new("T", "1").tool::<three>()).unwrap();
    let call = server
        .tool("three", json!({}))
        .accept("a", yes())
        .decline("b");
    let run = call
        .skip("c")
        .accept("c", json!({ "sure": false }))
        .converges()
        .await;
    assert_eq!(run.text(), "[Some(true), None, Some(false)]");
    assert_eq!(
        (run.keys_of(1), run.keys_of(2)),
        (vec!["a", "b", "c"], vec!["c"])
    );
}

#[tokio::test]
async fn a_question_is_not_lost_with_the_error_that_ends_the_body() {
    /// Goes on as if nothing had happened.
    #[tool]
    async fn careless(ask: Ask) -> CallToolResult {
        let sure = ask
            .form::<Confirm>("sure", "Sure?")
            .await
            .ok()
            .and_then(Answer::accept);
        let sure = sure.is_some_and(|sure| sure.sure);
        let also = ask
            .form::<Confirm>("also", "Also?")
            .await
            .ok()
            .and_then(Answer::accept);
        CallToolResult::text(format!("{sure} {}", also.is_some()))
    }
    /// Tells its own story about it.
    #[tool]
    async fn inventive(ask: Ask) -> Result<String, String> {
        let sure = ask
            .form::<Confirm>("sure", "Sure?")
            .await
            .map_err(|error| format!("broken: {error}"))?;
        Ok(format!("{}", sure.accept().is_some()))
    }

    let server = McpServer::new("S", "1")
        .tool::<careless>()
        .tool::<inventive>();
    let server = TestServer::new(server).unwrap();
    let run = server
        .tool("careless", json!({}))
        .accept("sure", yes())
        .accept("also", yes())
        .run()
        .await;
    assert_eq!(run.text(), "true true");
    assert_eq!(run.keys_of(1), ["sure", "also"]);
    let run = server
        .tool("inventive", json!({}))
        .accept("sure", yes())
        .run()
        .await;
    assert_eq!((run.text().as_str(), run.rounds()), ("true", 2));
    // Nor is the end of a call: an answer of another kind is no refusal.
    let call = server
        .tool("careless", json!({}))
        .answer("sure", json!({ "roots": [] }))
        .accept("also", yes());
    assert!(
        call.run()
            .await
            .failure()
            .contains("'sure' received a non-elicitation response")
    );
}

#[resolver]
async fn login() -> Elicit<Confirm> {
    Elicit::ask("Log in?")
}

#[tokio::test]
async fn resolvers_and_body_ask_in_one_flow() {
    /// Has both.
    #[tool]
    async fn mixed(
        #[resolve(login)] login: Confirm,
        ask: Ask,
        work: &Arc<Work>,
    ) -> Result<String, ToolError> {
        work.bodies.one();
        let (a, b): (Answer<Confirm>, Answer<Confirm>) = ask
            .all((
                ask.form("a", format!("A after {}?", login.sure)),
                ask.form("b", "B?"),
            ))
            .await?;
        Ok(format!(
            "{} {} {}",
            login.sure,
            a.accepted()?.sure,
            b.accepted()?.sure
        ))
    }

    let work = Arc::new(Work::default());
    let server = McpServer::new("M", "1")
        .tool::<mixed>()
        .state(Arc::clone(&work));
    let server = TestServer::new(server).unwrap();
    let call = server
        .tool("mixed", json!({}))
        .accept("login", yes())
        .accept("a", yes());
    let run = call.skip("b").accept("b", yes()).run().await;
    assert_eq!(run.text(), "true true true");
    assert_eq!(
        (run.keys_of(1), run.keys_of(2), run.keys_of(3)),
        (vec!["login"], vec!["a", "b"], vec!["b"])
    );
    assert_eq!(work.bodies.get(), 3, "not before the resolvers are done");
}

#[tokio::test]
async fn a_key_is_taken_once() {
    /// Asks under the key of its resolver.
    #[tool]
    async fn clash(#[resolve(login)] _login: Confirm, ask: Ask) -> Result<String, ToolError> {
        let _: Confirm = ask.form("login", "Something else?").await?.accepted()?;
        Ok(String::new())
    }

    let server = TestServer::new(McpServer::new("C", "1").tool::<clash>()).unwrap();
    let run = server
        .tool("clash", json!({}))
        .accept("login", yes())
        .run()
        .await;
    assert_eq!(
        run.failure(),
        "Error executing tool clash: Two different questions of one round have the key \"login\": \
         give one another key"
    );
}

#[tokio::test]
async fn a_chain_that_is_longer_than_the_client_allows_asks_nobody_in_vain() {
    /// Never has enough.
    #[tool]
    async fn endless(ask: Ask, work: &Arc<Work>) -> Result<String, ToolError> {
        work.bodies.one();
        for number in 0.. {
            let _: Confirm = ask.form(&format!("k{number}"), "More?").await?.accepted()?;
        }
        Ok(String::new())
    }

    let work = Arc::new(Work::default());
    let server = McpServer::new("E", "1")
        .tool::<endless>()
        .state(Arc::clone(&work))
        .build()
        .unwrap();
    let asked = Arc::new(Count::default());
    let counted = Arc::clone(&asked);
    let client = Client::builder()
        .max_rounds(4)
        .on_elicit(move |_: ElicitForm| {
            counted.one();
            async { ElicitResult::accept(yes()) }
        })
        .connect(&server)
        .await
        .unwrap();
    let error = client.call_tool("endless", json!({})).await.unwrap_err();
    assert!(error.is_rounds_exceeded());
    assert_eq!((asked.get(), work.bodies.get()), (4, 5));
}
