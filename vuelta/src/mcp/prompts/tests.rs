#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_async,
    reason = "the form of tools and resolvers"
)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::from_text;
use crate::mcp::publish::input_schema;
use crate::testing::TestServer;
use crate::{Client, Error, ErrorCode, McpServer, PromptMessage, prompt};

#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Dry,
    Warm,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
struct Pages(u32);

/// Drafts a text.
#[prompt(title = "Draft")]
async fn draft(
    /// What it is about.
    topic: String,
    pages: Pages,
    words: Option<u32>,
    #[default = true] formal: bool,
    tone: Option<Tone>,
) -> Vec<PromptMessage> {
    let text = format!("{topic} {} {words:?} {formal} {tone:?}", pages.0);
    vec![
        PromptMessage::user(text),
        PromptMessage::assistant("At once."),
    ]
}

/// Fails.
#[prompt]
fn fails(how: String) -> Result<String, Error> {
    match how.as_str() {
        "protocol" => Err(Error::rpc(ErrorCode::INVALID_PARAMS, "no such topic")),
        _ => Err(Error::handler("the disk is full")),
    }
}

fn server() -> TestServer {
    TestServer::new(McpServer::new("P", "1").prompt::<draft>().prompt::<fails>()).unwrap()
}

#[tokio::test]
async fn arguments_come_as_text_and_are_read_by_their_types() {
    let given =
        json!({ "topic": "12", "pages": "3", "words": "40", "formal": "false", "tone": "warm" });
    let run = server().prompt("draft", given).run().await;
    assert_eq!(run.text(), "12 3 Some(40) false Some(Warm)\nAt once.");
    let run = server()
        .prompt("draft", json!({ "topic": "", "pages": "3" }))
        .run()
        .await;
    assert_eq!(run.text(), " 3 None true None\nAt once.");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_an_error_of_the_protocol() {
    for (given, expected) in [
        (json!({ "topic": "t" }), "pages: required, but missing"),
        (
            json!({ "topic": "t", "pages": "many" }),
            "pages: expected integer, got string",
        ),
        (
            json!({ "topic": "t", "pages": "3", "formal": "yes" }),
            "formal: expected boolean, got string",
        ),
        (
            json!({ "topic": "t", "pages": "3", "tone": "loud" }),
            "tone",
        ),
        (Value::Null, "topic: required, but missing"),
    ] {
        let run = server().prompt("draft", given).run().await;
        let error = run.error().as_rpc().unwrap();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
        assert!(
            error
                .message
                .starts_with("Invalid arguments for prompt draft: "),
            "{}",
            error.message
        );
        assert!(
            error.message.contains(expected),
            "{expected} is not in {}",
            error.message
        );
    }
}

#[tokio::test]
async fn a_prompt_lists_its_arguments() {
    let client = Client::builder().connect(server().server()).await.unwrap();
    let listed = client.list_prompts().await.unwrap();
    let prompt = &listed.prompts[0];
    assert_eq!(
        (prompt.name.as_str(), prompt.title.as_deref()),
        ("draft", Some("Draft"))
    );
    assert_eq!(prompt.description.as_deref(), Some("Drafts a text."));
    let arguments = prompt.arguments.as_ref().unwrap();
    let mut seen: Vec<_> = arguments
        .iter()
        .map(|argument| {
            (
                argument.name.as_str(),
                argument.required.unwrap_or_default(),
            )
        })
        .collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            ("formal", false),
            ("pages", true),
            ("tone", false),
            ("topic", true),
            ("words", false)
        ]
    );
    let topic = arguments
        .iter()
        .find(|argument| argument.name == "topic")
        .unwrap();
    assert_eq!(topic.description.as_deref(), Some("What it is about."));
}

#[tokio::test]
async fn a_prompt_that_fails_tells_only_what_the_protocol_has_words_for() {
    let run = server()
        .prompt("fails", json!({ "how": "protocol" }))
        .run()
        .await;
    assert_eq!(run.error().as_rpc().unwrap().message, "no such topic");
    let run = server()
        .prompt("fails", json!({ "how": "disk" }))
        .run()
        .await;
    assert_eq!(
        run.error().as_rpc().unwrap().message,
        "Internal server error"
    );
    let run = server().prompt("nope", json!({})).run().await;
    let error = run.error().as_rpc().unwrap();
    assert_eq!(
        (error.code, error.message.as_ref()),
        (ErrorCode::INVALID_PARAMS, "Unknown prompt: nope")
    );
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema is looked at")]
struct Typed {
    text: String,
    maybe: Option<String>,
    count: i64,
    maybe_count: Option<i64>,
    pages: Pages,
    maybe_pages: Option<Pages>,
    tone: Tone,
    list: Vec<u8>,
    any: Value,
}

#[test]
fn a_text_stays_a_text_unless_something_else_is_wanted() {
    let schema = input_schema::<Typed>();
    let given = |name: &str, text: &str| {
        let text = text.to_owned();
        from_text(&schema, std::iter::once((name, &text)))[name].clone()
    };
    assert_eq!(given("text", "3"), json!("3"));
    assert_eq!(given("maybe", "null"), json!("null"));
    assert_eq!(given("count", "3"), json!(3));
    assert_eq!(given("maybe_count", "-3"), json!(-3));
    assert_eq!(given("pages", "3"), json!(3), "behind a reference");
    assert_eq!(
        given("maybe_pages", "3"),
        json!(3),
        "behind a choice of references"
    );
    assert_eq!(given("tone", "dry"), json!("dry"));
    assert_eq!(given("list", "[1,2]"), json!([1, 2]));
    assert_eq!(
        given("any", "[1"),
        json!("[1"),
        "whatever it is, it came as text"
    );
    assert_eq!(given("unknown", "3"), json!("3"));
}
