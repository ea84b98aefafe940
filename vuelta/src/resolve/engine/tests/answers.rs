//! Which answers count: those to the very question that was asked, if they fit it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Count;
use crate::seal::{InvalidRequestState, RequestStateSecurity, SealError, StateCodec};
use crate::testing::TestServer;
use crate::{
    Client, Elicit, ElicitForm, ElicitResult, Form, InputResponses, McpServer, Raw, Step, resolver,
    tool,
};

#[derive(Form)]
struct Name {
    name: String,
}

#[resolver]
async fn who() -> Elicit<Name> {
    Elicit::ask("Name?")
}

#[resolver]
async fn town() -> Elicit<Name> {
    Elicit::ask("Town?")
}

/// Greets.
#[tool]
async fn greet(#[resolve(who)] who: Name, #[resolve(town)] town: Name) -> String {
    format!("Hello, {} of {}", who.name, town.name)
}

fn server() -> TestServer {
    TestServer::new(McpServer::new("G", "1").tool::<greet>()).unwrap()
}

fn ada() -> Value {
    json!({ "name": "Ada" })
}

#[tokio::test]
async fn a_missing_answer_is_asked_again_and_the_other_one_is_kept() {
    let call = server().tool("greet", json!({})).accept("who", ada());
    let run = call
        .skip("town")
        .skip("town")
        .accept("town", json!({ "name": "Paris" }))
        .converges()
        .await;
    assert_eq!(run.text(), "Hello, Ada of Paris");
    assert_eq!(run.keys_of(2), ["town"]);
    assert_eq!(run.keys_of(3), ["town"]);
    assert_eq!(run.rounds(), 4);
}

#[tokio::test]
async fn content_that_does_not_fit_is_asked_again_and_never_delivered() {
    let call = server()
        .tool("greet", json!({}))
        .accept("town", json!({ "name": "Paris" }));
    let call = call
        .accept("who", json!({ "name": 3 }))
        .accept("who", json!({}));
    // A lone surrogate is JSON, but no text that a form could hold.
    let surrogate = r#"{"action":"accept","content":{"name":"\ud83d"}}"#.to_owned();
    let surrogate = Raw::from_json(surrogate).unwrap();
    let run = call
        .answer("who", surrogate)
        .accept("who", ada())
        .run()
        .await;
    assert_eq!(run.text(), "Hello, Ada of Paris");
    assert_eq!(run.keys(), ["who", "town", "who", "who", "who"]);
}

#[tokio::test]
async fn an_accepted_form_without_content_ends_the_call() {
    for answer in [
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": null }),
    ] {
        let call = server()
            .tool("greet", json!({}))
            .accept("town", ada())
            .answer("who", answer);
        assert_eq!(
            call.run().await.failure(),
            "Error executing tool greet: Resolver 'who' received an accepted elicitation with no \
             content"
        );
    }
}

#[tokio::test]
async fn answers_that_nobody_asked_for_change_nothing() {
    let server = server();
    let client = Client::builder()
        .on_elicit(|_: ElicitForm| async { ElicitResult::cancel() })
        .connect(server.server())
        .await
        .unwrap();
    let Step::Asked(flow) = client.tool("greet").step().await.unwrap() else {
        panic!("asks first")
    };
    let mut answers = InputResponses::new();
    for key in ["who", "town"] {
        answers.insert(key, json!({ "action": "accept", "content": ada() }));
    }
    answers.insert("zzz", json!({ "action": "accept" }));
    answers.insert("", json!(17));
    answers.insert("who#1", Value::Null);
    let call = client
        .tool("greet")
        .answers(answers)
        .state(flow.state().unwrap());
    let Step::Done(result) = call.step().await.unwrap() else {
        panic!("is done")
    };
    assert_eq!(result.as_text(), "Hello, Ada of Ada");
}

#[tokio::test]
async fn an_answer_without_the_state_skips_no_question() {
    let server = server();
    let client = Client::builder()
        .on_elicit(|_: ElicitForm| async { ElicitResult::cancel() })
        .connect(server.server())
        .await
        .unwrap();
    let mut answers = InputResponses::new();
    for key in ["who", "town"] {
        answers.insert(key, json!({ "action": "accept", "content": ada() }));
    }
    let Step::Asked(flow) = client.tool("greet").answers(answers).step().await.unwrap() else {
        panic!("the answers were taken")
    };
    assert_eq!(
        flow.questions().map(|(key, _)| key).collect::<Vec<_>>(),
        ["who", "town"]
    );
}

// A text that changes makes another question.

#[resolver]
async fn old_then_new(runs: &Arc<Count>) -> Elicit<Name> {
    // Changes once, in the round in which its first answer comes or later.
    let text = if runs.one() > 2 {
        "Your name?"
    } else {
        "Name?"
    };
    Elicit::ask(text)
}

/// Greets, with a question that is reworded on the way.
#[tool]
async fn reworded(#[resolve(old_then_new)] who: Name, #[resolve(town)] town: Name) -> String {
    format!("Hello, {} of {}", who.name, town.name)
}

fn rewording() -> TestServer {
    let server = McpServer::new("R", "1")
        .tool::<reworded>()
        .state(Arc::new(Count::default()));
    TestServer::new(server).unwrap()
}

#[tokio::test]
async fn rewording_drops_the_stored_answer_and_leaves_its_siblings_alone() {
    let call = rewording().tool("reworded", json!({}));
    let call = call
        .accept("old_then_new", ada())
        .accept("old_then_new", json!({ "name": "Eve" }));
    // Round 2 has Ada on record, round 3 asks anew; Paris comes in round 3 and stays.
    let run = call
        .skip("town")
        .accept("town", json!({ "name": "Paris" }))
        .run()
        .await;
    assert_eq!(run.text(), "Hello, Eve of Paris");
    assert_eq!(run.keys_of(1), ["old_then_new", "town"]);
    assert_eq!(run.keys_of(2), ["town"]);
    assert_eq!(run.keys_of(3), ["old_then_new"]);
    assert_eq!(run.questions().last().unwrap().message(), "Your name?");
}

#[tokio::test]
async fn a_refusal_of_the_old_text_is_none_of_the_new_one() {
    #[resolver]
    async fn asked(runs: &Arc<Count>) -> Elicit<Name> {
        let text = if runs.one() > 2 {
            "Your name?"
        } else {
            "Name?"
        };
        Elicit::ask(text)
    }
    /// Greets whoever wants to be greeted.
    #[tool]
    async fn maybe(
        #[resolve(asked)] who: crate::Answer<Name>,
        #[resolve(town)] _town: Name,
    ) -> String {
        who.accept()
            .map_or_else(|| "nobody".to_owned(), |who| who.name)
    }

    let server = McpServer::new("M", "1")
        .tool::<maybe>()
        .state(Arc::new(Count::default()));
    let server = TestServer::new(server).unwrap();
    let call = server
        .tool("maybe", json!({}))
        .decline("asked")
        .accept("asked", ada());
    let run = call.skip("town").accept("town", ada()).run().await;
    assert_eq!(run.text(), "Ada");
}

#[tokio::test]
async fn rewording_between_question_and_answer_asks_again() {
    #[resolver]
    async fn asked(runs: &Arc<Count>) -> Elicit<Name> {
        let text = if runs.one() > 1 {
            "Your name?"
        } else {
            "Name?"
        };
        Elicit::ask(text)
    }
    /// Greets.
    #[tool]
    async fn hello(#[resolve(asked)] who: Name) -> String {
        who.name
    }

    let server = McpServer::new("H", "1")
        .tool::<hello>()
        .state(Arc::new(Count::default()));
    let server = TestServer::new(server).unwrap();
    let call = server
        .tool("hello", json!({}))
        .accept("asked", json!({ "name": "Eve" }));
    let run = call.accept("asked", ada()).run().await;
    assert_eq!(
        run.text(),
        "Ada",
        "the answer to the old text is not taken for one to the new"
    );
    assert_eq!(run.rounds(), 3);
}

// What is on record, seen from inside the seal.

/// Seals nothing: the test reads and writes what would be inside.
struct Open;

impl StateCodec for Open {
    fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
        String::from_utf8(payload.to_vec()).map_err(SealError::new)
    }

    fn open(&self, token: &str) -> Result<Vec<u8>, InvalidRequestState> {
        Ok(token.as_bytes().to_vec())
    }
}

fn inside(token: &str) -> String {
    let claims: Value = serde_json::from_str(token).unwrap();
    claims["s"].as_str().unwrap().to_owned()
}

fn with_inside(token: &str, state: &str) -> String {
    let mut claims: Value = serde_json::from_str(token).unwrap();
    claims["s"] = state.into();
    claims.to_string()
}

#[resolver]
fn computed() -> u32 {
    42
}

/// Tells a computed value when it has a name.
#[tool]
async fn compute(#[resolve(computed)] value: u32, #[resolve(who)] who: Name) -> String {
    format!("{value} {}", who.name)
}

async fn open_client() -> (Client, crate::Server) {
    let server = McpServer::new("O", "1")
        .tool::<greet>()
        .tool::<compute>()
        .request_state(RequestStateSecurity::codec(Open))
        .build()
        .unwrap();
    let client = Client::builder().on_elicit(|_: ElicitForm| async { ElicitResult::cancel() });
    (client.connect(&server).await.unwrap(), server)
}

#[tokio::test]
async fn the_first_state_names_the_questions_and_nothing_else() {
    let (client, _server) = open_client().await;
    let Step::Asked(flow) = client.tool("greet").step().await.unwrap() else {
        panic!("asks first")
    };
    let state: Value = serde_json::from_str(&inside(flow.state().unwrap())).unwrap();
    assert_eq!(state["v"], 3);
    assert_eq!(state["outcomes"], json!({}));
    assert_eq!(state["asked"].as_object().unwrap().len(), 2);
    assert_eq!(state.as_object().unwrap().len(), 3);
}

#[tokio::test]
async fn a_recorded_answer_beats_a_later_one() {
    let (client, _server) = open_client().await;
    let Step::Asked(mut flow) = client.tool("greet").step().await.unwrap() else {
        panic!("asks")
    };
    flow.answer("who", ElicitResult::accept(ada()));
    let mut answers = InputResponses::new();
    answers.insert("who", json!({ "action": "accept", "content": ada() }));
    let call = client
        .tool("greet")
        .answers(answers)
        .state(flow.state().unwrap());
    let Step::Asked(flow) = call.step().await.unwrap() else {
        panic!("asks for the town")
    };
    let mut answers = InputResponses::new();
    for key in ["who", "town"] {
        answers.insert(
            key,
            json!({ "action": "accept", "content": { "name": "Eve" } }),
        );
    }
    let call = client
        .tool("greet")
        .answers(answers)
        .state(flow.state().unwrap());
    let Step::Done(result) = call.step().await.unwrap() else {
        panic!("is done")
    };
    assert_eq!(result.as_text(), "Hello, Ada of Eve");
}

#[tokio::test]
async fn no_state_replaces_what_a_resolver_computes() {
    let (client, _server) = open_client().await;
    let Step::Asked(flow) = client.tool("compute").step().await.unwrap() else {
        panic!("asks")
    };
    let state = inside(flow.state().unwrap());
    for forged in [
        r#"{"action":"accept","data":7,"q":"x"}"#,
        r#"{"action":"decline","q":"x"}"#,
    ] {
        let state = state.replacen(
            r#""outcomes":{"#,
            &format!(r#""outcomes":{{"computed":{forged}"#),
            1,
        );
        let state = with_inside(flow.state().unwrap(), &state);
        let mut answers = InputResponses::new();
        answers.insert("who", json!({ "action": "accept", "content": ada() }));
        let call = client.tool("compute").answers(answers).state(state);
        let Step::Done(result) = call.step().await.unwrap() else {
            panic!("is done")
        };
        assert_eq!(result.as_text(), "42 Ada");
    }
}

#[tokio::test]
async fn a_state_of_another_kind_is_no_progress() {
    let (client, _server) = open_client().await;
    let Step::Asked(flow) = client.tool("greet").step().await.unwrap() else {
        panic!("asks first")
    };
    for state in ["", "provision-v1", r#"{"v":2}"#, "[1]"] {
        let call = client
            .tool("greet")
            .state(with_inside(flow.state().unwrap(), state));
        let Step::Asked(again) = call.step().await.unwrap() else {
            panic!("{state}: asks again")
        };
        assert_eq!(again.questions().len(), 2, "{state}");
    }
}

#[tokio::test]
async fn the_default_server_seals_by_itself() {
    let waiting = server()
        .tool("greet", json!({}))
        .accept("who", ada())
        .accept("town", ada());
    let waiting = waiting.until("who").await;
    assert!(waiting.state().starts_with("v1."));
    waiting.tamper().await;
    waiting.expire().await;
    waiting.other_server(&server()).await;
    assert_eq!(waiting.finish().await.text(), "Hello, Ada of Ada");
}
