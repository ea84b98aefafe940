//! Questions of all kinds, and clients that cannot answer them.

use serde_json::json;

use crate::testing::TestServer;
use crate::wire::{Declared, ElicitationCapability, SamplingCapability};
use crate::{
    Ask, ClientCapabilities, CreateMessageResult, Elicit, ErrorCode, Form, ListRoots,
    ListRootsResult, McpServer, Sample, Tool, ToolError, Visited, resolver, tool,
};

#[derive(Form)]
struct Age {
    age: u8,
}

#[resolver]
async fn ask_age() -> Elicit<Age> {
    Elicit::ask("How old?")
}

#[resolver]
async fn ask_roots() -> ListRoots {
    ListRoots::ask()
}

#[resolver]
async fn ask_model() -> Sample {
    Sample::ask("Capital of France?", 16)
}

#[resolver]
async fn sign_in() -> Elicit<Visited> {
    Elicit::visit("Sign in", "https://example.com/sign-in")
}

/// Asks everything.
#[tool]
async fn mixed(
    #[resolve(ask_age)] age: Age,
    #[resolve(ask_roots)] roots: ListRootsResult,
    #[resolve(ask_model)] said: CreateMessageResult,
    #[resolve(sign_in)] _visited: Visited,
) -> String {
    format!(
        "{}/{}/{}",
        age.age,
        roots.roots.len(),
        said.content.as_text().unwrap_or_default()
    )
}

/// Asks the roots.
#[tool]
async fn roots(#[resolve(ask_roots)] roots: ListRootsResult) -> String {
    roots.roots.len().to_string()
}

/// Asks the model.
#[tool]
async fn model(#[resolve(ask_model)] said: CreateMessageResult) -> String {
    said.content.as_text().unwrap_or_default().to_owned()
}

/// Asks a form.
#[tool]
async fn age(#[resolve(ask_age)] age: Age) -> String {
    age.age.to_string()
}

/// Sends the user somewhere.
#[tool]
async fn visit(#[resolve(sign_in)] _visited: Visited) -> String {
    "visited".to_owned()
}

/// Asks nothing.
#[tool]
fn nothing() -> String {
    "nothing".to_owned()
}

fn server() -> TestServer {
    let server = McpServer::new("Kinds", "1")
        .tool::<mixed>()
        .tool::<roots>()
        .tool::<model>()
        .tool::<age>()
        .tool::<visit>()
        .tool::<nothing>();
    TestServer::new(server).unwrap()
}

#[tokio::test]
async fn all_kinds_travel_in_one_round() {
    let call = server().tool("mixed", json!({}));
    let call = call
        .accept("ask_age", json!({ "age": 42 }))
        .roots("ask_roots", ["file:///w"]);
    let run = call
        .sample("ask_model", "Paris")
        .visit("sign_in")
        .converges()
        .await;
    assert_eq!(run.text(), "42/1/Paris");
    assert_eq!(
        run.keys_of(1),
        ["ask_age", "ask_roots", "ask_model", "sign_in"]
    );
    assert_eq!(run.rounds(), 2);
    assert_eq!(run.question("ask_model").message(), "Capital of France?");
    assert_eq!(
        run.question("sign_in").url(),
        Some("https://example.com/sign-in")
    );
    // As a peer asks them.
    let wire = |key: &str| serde_json::to_value(&run.question(key).request).unwrap();
    assert_eq!(wire("ask_roots"), json!({ "method": "roots/list" }));
    assert_eq!(
        wire("ask_model"),
        json!({ "method": "sampling/createMessage", "params": { "maxTokens": 16, "messages": [
            { "content": { "text": "Capital of France?", "type": "text" }, "role": "user" },
        ] } })
    );
    let form = wire("ask_age");
    assert_eq!(form["params"]["mode"], "form");
    assert_eq!(
        form["params"]["requestedSchema"]["properties"]["age"]["type"],
        "integer"
    );
}

#[tokio::test]
async fn a_model_is_sampled_once_in_a_flow() {
    let call = server()
        .tool("mixed", json!({}))
        .sample("ask_model", "Paris");
    let call = call
        .roots("ask_roots", Vec::<String>::new())
        .visit("sign_in");
    let run = call
        .skip("ask_age")
        .skip("ask_age")
        .accept("ask_age", json!({ "age": 1 }))
        .run()
        .await;
    assert_eq!(run.text(), "1/0/Paris");
    assert_eq!(
        (run.keys_of(2), run.keys_of(3)),
        (vec!["ask_age"], vec!["ask_age"])
    );
}

#[tokio::test]
async fn an_answer_of_another_kind_ends_the_call() {
    let listed = json!({ "roots": [] });
    let sampled =
        json!({ "role": "assistant", "content": { "type": "text", "text": "x" }, "model": "m" });
    for (tool, key, answer, expected) in [
        (
            "age",
            "ask_age",
            &sampled,
            "Resolver 'ask_age' received a non-elicitation response",
        ),
        (
            "age",
            "ask_age",
            &listed,
            "Resolver 'ask_age' received a non-elicitation response",
        ),
        (
            "model",
            "ask_model",
            &listed,
            "Resolver 'ask_model' received a response of the wrong kind",
        ),
        (
            "roots",
            "ask_roots",
            &sampled,
            "Resolver 'ask_roots' received a response of the wrong kind",
        ),
        (
            "visit",
            "sign_in",
            &sampled,
            "Resolver 'sign_in' received a non-elicitation response",
        ),
    ] {
        let run = server()
            .tool(tool, json!({}))
            .answer(key, answer)
            .run()
            .await;
        assert_eq!(
            run.failure(),
            format!("Error executing tool {tool}: {expected}")
        );
    }
}

#[tokio::test]
async fn a_question_that_the_client_cannot_answer_is_an_error_of_the_protocol() {
    let bare = ClientCapabilities::new().elicitation(ElicitationCapability::new());
    let url =
        ClientCapabilities::new().elicitation(ElicitationCapability::new().url(Declared::new()));
    let all_but_roots = ClientCapabilities::new()
        .elicitation(
            ElicitationCapability::new()
                .form(Declared::new())
                .url(Declared::new()),
        )
        .sampling(SamplingCapability::new());
    for (capabilities, tool, key, required) in [
        (
            ClientCapabilities::new(),
            "model",
            "ask_model",
            json!({ "sampling": {} }),
        ),
        (
            ClientCapabilities::new(),
            "roots",
            "ask_roots",
            json!({ "roots": {} }),
        ),
        (
            ClientCapabilities::new(),
            "age",
            "ask_age",
            json!({ "elicitation": { "form": {} } }),
        ),
        (
            url,
            "age",
            "ask_age",
            json!({ "elicitation": { "form": {} } }),
        ),
        (
            bare.clone(),
            "visit",
            "sign_in",
            json!({ "elicitation": { "url": {} } }),
        ),
        // The first one that is missing ends the round, whatever the others came to.
        (all_but_roots, "mixed", "ask_roots", json!({ "roots": {} })),
    ] {
        let server = server().capabilities(capabilities);
        let run = server.tool(tool, json!({})).run().await;
        let error = run.error().as_rpc().expect("an error of the protocol");
        assert_eq!(
            error.code,
            ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
            "{tool}"
        );
        assert!(error.message.contains(key), "{}", error.message);
        let data: serde_json::Value = error.data.as_ref().unwrap().parse().unwrap();
        assert_eq!(data, json!({ "requiredCapabilities": required }));
        // The client can go on.
        assert_eq!(
            server.tool("nothing", json!({})).run().await.text(),
            "nothing"
        );
    }
    let run = server()
        .capabilities(bare)
        .tool("age", json!({}))
        .accept("ask_age", json!({ "age": 3 }));
    assert_eq!(run.run().await.text(), "3", "an empty object is a form");
}

#[resolver]
async fn with_tools() -> Sample {
    let look_up = Tool::new("look_up", json!({ "type": "object" }));
    Sample::ask("Capital of France?", 16).tools([look_up], crate::wire::ToolChoice::new())
}

/// Asks a model that may use tools.
#[tool]
async fn model_with_tools(#[resolve(with_tools)] said: CreateMessageResult) -> String {
    said.content.blocks().len().to_string()
}

#[tokio::test]
async fn a_model_with_tools_needs_a_client_that_has_said_so() {
    let server = TestServer::new(McpServer::new("K", "1").tool::<model_with_tools>()).unwrap();
    let plain = ClientCapabilities::new().sampling(SamplingCapability::new());
    let run = server
        .clone()
        .capabilities(plain)
        .tool("model_with_tools", json!({}))
        .run()
        .await;
    let data: serde_json::Value = run
        .error()
        .as_rpc()
        .and_then(|error| error.data.as_ref())
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(
        data,
        json!({ "requiredCapabilities": { "sampling": { "tools": {} } } })
    );

    let call = server.tool("model_with_tools", json!({}));
    let one = call.clone().sample("with_tools", "Paris").run().await;
    assert_eq!(one.text(), "1", "one block is an answer too");
    let used = json!({ "role": "assistant", "model": "m", "stopReason": "toolUse", "content": [
        { "type": "text", "text": "I look it up." },
        { "type": "tool_use", "id": "1", "name": "look_up", "input": {} },
    ] });
    assert_eq!(call.answer("with_tools", used).run().await.text(), "2");
}

#[tokio::test]
async fn a_body_asks_all_kinds_too() {
    /// Asks in a straight line.
    #[tool]
    async fn straight(ask: Ask) -> Result<String, ToolError> {
        let age: Age = ask.form("age", "How old?").await?.accepted()?;
        let _visited = ask
            .url("sign_in", "Sign in", "https://example.com")
            .await?
            .accepted()?;
        let roots = ask.roots().await?;
        let said = ask
            .sample("said", crate::wire::CreateMessageParams::new([], 5_u64))
            .await?;
        Ok(format!(
            "{} {} {}",
            age.age,
            roots.roots.len(),
            said.content.as_text().unwrap_or_default()
        ))
    }

    let server = TestServer::new(McpServer::new("S", "1").tool::<straight>()).unwrap();
    let call = server
        .tool("straight", json!({}))
        .accept("age", json!({ "age": 42 }));
    let call = call
        .visit("sign_in")
        .roots("roots", ["file:///w"])
        .sample("said", "Paris");
    let run = call.converges().await;
    assert_eq!(run.text(), "42 1 Paris");
    assert_eq!(
        run.keys(),
        ["age", "sign_in", "roots", "said"],
        "one a round"
    );
    assert_eq!(run.rounds(), 5);
}
