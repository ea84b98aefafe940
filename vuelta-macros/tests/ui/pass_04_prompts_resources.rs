//! Prompts and resources, with arguments, resolvers, questions and state.
#![deny(warnings)]

use serde_json::json;
use vuelta::{
    Answer, Ask, Client, Context, Elicit, ElicitForm, ElicitResult, Form, Json, McpServer, Outcome,
    PromptMessage, prompt, resolver, resource,
};

#[derive(Form)]
struct Language {
    code: String,
}

#[resolver]
async fn language(topic: String) -> Elicit<Language> {
    Elicit::ask(format!("Which language for {topic}?"))
}

/// Drafts a briefing.
#[prompt(title = "Briefing")]
async fn briefing(
    /// What about.
    topic: String,
    /// How many words.
    #[default = 100]
    words: u32,
    #[resolve(language)] language: Answer<Language>,
) -> Vec<PromptMessage> {
    let language = language
        .accept()
        .map_or("any".to_owned(), |language| language.code);
    vec![PromptMessage::user(format!(
        "Brief me on {topic} in {words} words, in {language}."
    ))]
}

#[prompt(name = "hello", description = "Says hello.")]
fn greet(name: Option<String>) -> &'static str {
    if name.is_some() {
        "Hello, you."
    } else {
        "Hello."
    }
}

/// The title of the notes.
struct Notes(&'static str);

/// All notes.
#[resource("note:///", mime_type = "text/markdown")]
async fn index(notes: &Notes, cx: &Context) -> Outcome0 {
    let _ = cx.request_id();
    notes.0.to_owned()
}

/// A name that hides what it is.
type Outcome0 = String;

/// One note.
#[resource("note:///{topic}/{+path}{?limit,after}", name = "note")]
async fn note(
    topic: String,
    path: String,
    #[default = 10] limit: u32,
    after: Option<String>,
    #[resolve(language)] language: Language,
) -> Json<serde_json::Value> {
    Json(json!([topic, path, limit, after, language.code]))
}

#[resource("ask:///{topic}")]
async fn asks(topic: String, ask: Ask) -> Result<String, vuelta::Error> {
    let answer = ask
        .form::<Language>("code", format!("Language of {topic}?"))
        .await;
    let answer = answer.map_err(vuelta::Error::handler)?;
    Ok(answer
        .accept()
        .map(|language| language.code)
        .unwrap_or_default())
}

#[resource("hand:///{topic}")]
async fn by_hand(topic: String) -> Outcome<String> {
    Outcome::Complete(topic)
}

#[tokio::test]
async fn runs() -> vuelta::Result<()> {
    let server = McpServer::new("Test", "1")
        .state(Notes("# Notes"))
        .prompt::<briefing>()
        .prompt::<greet>()
        .resource::<index>()
        .resource::<note>()
        .resource::<asks>()
        .resource::<by_hand>()
        .build()?;
    let client = Client::builder()
        .on_elicit(|_: ElicitForm| async { ElicitResult::accept(json!({ "code": "es" })) })
        .connect(&server)
        .await?;

    let prompts = client.list_prompts().await?.prompts;
    assert_eq!(prompts[0].name, "briefing");
    assert_eq!(prompts[0].title.as_deref(), Some("Briefing"));
    assert_eq!(
        prompts[0].description.as_deref(),
        Some("Drafts a briefing.")
    );
    let arguments = prompts[0].arguments.as_ref().unwrap();
    assert_eq!(arguments.len(), 2);
    assert_eq!(arguments[0].description.as_deref(), Some("What about."));
    assert_eq!(arguments[0].required, Some(true));
    assert_eq!(prompts[1].name, "hello");
    assert_eq!(prompts[1].description.as_deref(), Some("Says hello."));

    let prompt = client
        .get_prompt("briefing", json!({ "topic": "tea", "words": "7" }))
        .await?;
    let text = serde_json::to_string(&prompt.messages)?;
    assert!(
        text.contains("Brief me on tea in 7 words, in es."),
        "{text}"
    );

    let text = |result: vuelta::ReadResourceResult| serde_json::to_value(result.contents);
    let index = text(client.read_resource("note:///").await?)?;
    assert_eq!(
        index,
        json!([{ "uri": "note:///", "mimeType": "text/markdown", "text": "# Notes" }])
    );
    let note = text(client.read_resource("note:///tea/a/b?after=x").await?)?;
    assert_eq!(note[0]["text"], r#"["tea","a/b",10,"x","es"]"#);
    assert_eq!(note[0]["mimeType"], "application/json");
    let asked = text(client.read_resource("ask:///tea").await?)?;
    assert_eq!(asked[0]["text"], "es");
    let by_hand = text(client.read_resource("hand:///tea").await?)?;
    assert_eq!(by_hand[0]["text"], "tea");
    Ok(())
}
