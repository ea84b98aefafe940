//! Tools that ask in the middle of their work, whatever revision the client speaks.

use vuelta::{
    Answer, Ask, Context, CreateMessageParams, CreateMessageResult, McpServer, Result,
    SamplingMessage, ToolError, tool,
};

use crate::forms::{Contact, Defaults, Enums, Name};

pub(crate) fn register(server: McpServer) -> McpServer {
    server
        .tool::<test_sampling>()
        .tool::<test_elicitation>()
        .tool::<test_elicitation_sep1034_defaults>()
        .tool::<test_elicitation_sep1330_enums>()
        .tool::<test_missing_capability>()
        .tool::<test_streaming_elicitation>()
}

/// Puts a prompt to the client's model.
#[tool]
async fn test_sampling(prompt: String, ask: Ask) -> Result<String, ToolError> {
    let answer = ask.sample("sample", sample(prompt, 100)).await?;
    Ok(format!("LLM response: {}", said(&answer)))
}

/// Asks the user for a name and an address.
#[tool]
async fn test_elicitation(message: String, ask: Ask) -> Result<String, ToolError> {
    let answer = ask.form::<Contact>("contact", message).await?;
    Ok(describe(answer, |contact| {
        format!("{} <{}>", contact.username, contact.email)
    }))
}

/// Asks with a form that is filled in already.
#[tool]
async fn test_elicitation_sep1034_defaults(ask: Ask) -> Result<String, ToolError> {
    let message = "Please review and update the form fields with defaults";
    let answer = ask.form::<Defaults>("defaults", message).await?;
    Ok(describe(answer, Defaults::summary))
}

/// Asks with a form of every kind of choice.
#[tool]
async fn test_elicitation_sep1330_enums(ask: Ask) -> Result<String, ToolError> {
    let message = "Please select options from the enum fields";
    let answer = ask.form::<Enums>("enums", message).await?;
    Ok(describe(answer, Enums::summary))
}

/// Needs a client with a model: others are told so by the server itself.
#[tool]
async fn test_missing_capability(ask: Ask) -> Result<String, ToolError> {
    let answer = ask.sample("sample", sample("Say anything.", 16)).await?;
    Ok(said(&answer).to_owned())
}

/// Tells how far it is, then asks.
#[tool]
async fn test_streaming_elicitation(cx: &Context, ask: Ask) -> Result<String, ToolError> {
    cx.progress(1).await?;
    let answer = ask.form::<Name>("user_name", "What is your name?").await?;
    Ok(format!("Hello, {}!", answer.accepted()?.name))
}

fn describe<T>(answer: Answer<T>, summary: impl FnOnce(T) -> String) -> String {
    let (action, content) = match answer {
        Answer::Accept(form) => ("accept", summary(form)),
        Answer::Decline => ("decline", String::new()),
        Answer::Cancel => ("cancel", String::new()),
    };
    format!("User response: action={action}, content={content}")
}

pub(crate) fn sample(text: impl Into<String>, max_tokens: u64) -> CreateMessageParams {
    CreateMessageParams::new([SamplingMessage::user(text)], max_tokens)
}

pub(crate) fn said(answer: &CreateMessageResult) -> &str {
    answer.content.as_text().unwrap_or_default()
}
