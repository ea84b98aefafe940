//! A prompt and a template resource that ask: `prompts/get` and `resources/read` can do what
//! `tools/call` does.
//!
//! ```console
//! $ cargo run -p examples --bin briefing_prompt
//! ```
//!
//! The server is in memory. A user who does not answer gets a default.

use serde::Deserialize;
use serde_json::json;
use vuelta::{
    Client, Context, ElicitForm, ElicitResult, Error, FormSchema, GetPromptParams, GetPromptResult,
    InputRequired, Outcome, PromptMessage, ReadResourceParams, ReadResourceResult,
    ResourceContents, Result, Server, StringSchema,
};

#[derive(Deserialize)]
struct Audience {
    audience: String,
}

#[derive(Deserialize)]
struct Language {
    language: String,
}

async fn get_prompt(cx: Context, params: GetPromptParams) -> Result<Outcome<GetPromptResult>> {
    if params.name != "briefing" {
        return Err(Error::unknown_prompt(&params.name));
    }
    let Some(answer) = cx.answers().parse::<ElicitResult>("audience")? else {
        let form = FormSchema::new().required("audience", StringSchema::new());
        let ask = ElicitForm::new("Who is the briefing for?", form);
        return Ok(InputRequired::new().ask("audience", ask).into());
    };
    let text = match answer.accepted()? {
        Some(Audience { audience }) => format!("Write a briefing for {audience}."),
        None => "Write a briefing.".to_owned(),
    };
    Ok(GetPromptResult::new([PromptMessage::user(text)]).into())
}

async fn read_resource(
    cx: Context,
    params: ReadResourceParams,
) -> Result<Outcome<ReadResourceResult>> {
    // The template `note:///{name}`.
    let Some(name) = params.uri.strip_prefix("note:///") else {
        return Err(Error::unknown_resource(&params.uri));
    };
    let Some(answer) = cx.answers().parse::<ElicitResult>("language")? else {
        let form = FormSchema::new().required("language", StringSchema::new());
        let ask = ElicitForm::new("Which language?", form);
        return Ok(InputRequired::new().ask("language", ask).into());
    };
    let text = match answer.accepted()? {
        Some(Language { language }) => format!("The note {name}, in {language}."),
        None => format!("The note {name}."),
    };
    Ok(ReadResourceResult::new([ResourceContents::text(&params.uri, text)]).into())
}

async fn answer(form: ElicitForm) -> ElicitResult {
    println!("asked: {}", form.message);
    match form.message.as_str() {
        "Who is the briefing for?" => ElicitResult::accept(json!({ "audience": "the board" })),
        _ => ElicitResult::decline(),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = Server::builder("Briefing", "1.0.0")
        .on_get_prompt(get_prompt)
        .on_read_resource(read_resource)
        .build()?;
    let client = Client::builder().on_elicit(answer).connect(&server).await?;

    let prompt = client.get_prompt("briefing", ()).await?;
    for message in &prompt.messages {
        println!(
            "{}: {}",
            message.role,
            message.content.as_text().unwrap_or_default()
        );
    }
    let note = client.read_resource("note:///plan").await?;
    for contents in &note.contents {
        if let ResourceContents::Text(contents) = contents {
            println!("{}: {}", contents.uri, contents.text);
        }
    }
    Ok(())
}
