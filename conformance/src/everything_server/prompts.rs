//! The prompts, and suggestions for the arguments of one of them.

use vuelta::mcp::{Complete, CompletionRequest};
use vuelta::wire::TextResourceContents;
use vuelta::{
    ContentBlock, Elicit, EmbeddedResource, ImageContent, McpServer, PromptMessage, Result, Role,
    prompt, resolver,
};

use crate::forms::UserContext;
use crate::samples;

pub(crate) fn register(server: McpServer) -> McpServer {
    server
        .prompt::<test_simple_prompt>()
        .prompt::<test_prompt_with_arguments>()
        .prompt::<test_prompt_with_embedded_resource>()
        .prompt::<test_prompt_with_image>()
        .prompt::<test_input_required_result_prompt>()
        .complete(
            Complete::prompt("test_prompt_with_arguments", "arg1"),
            cities,
        )
}

/// Says one thing.
#[prompt]
fn test_simple_prompt() -> &'static str {
    "This is a simple prompt for testing."
}

/// Repeats its arguments.
#[prompt]
fn test_prompt_with_arguments(
    /// Any text.
    arg1: String,
    /// Any other text.
    arg2: String,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

async fn cities(typed: CompletionRequest) -> Result<Vec<String>> {
    let known = ["paris", "park", "party", "test value"];
    let fitting = known
        .into_iter()
        .filter(|city| city.starts_with(&typed.value));
    Ok(fitting.map(str::to_owned).collect())
}

/// Embeds a resource.
#[prompt]
fn test_prompt_with_embedded_resource(
    /// The URI of the resource.
    #[serde(rename = "resourceUri")]
    resource_uri: String,
) -> Vec<PromptMessage> {
    let text = "Embedded resource content for testing.";
    let contents = TextResourceContents::new(resource_uri, text).mime_type("text/plain");
    vec![
        PromptMessage::new(
            Role::User,
            ContentBlock::from(EmbeddedResource::new(contents)),
        ),
        PromptMessage::user("Please process the embedded resource above."),
    ]
}

/// Shows a picture.
#[prompt]
fn test_prompt_with_image() -> Vec<PromptMessage> {
    let picture = ImageContent::new(samples::PNG, "image/png");
    vec![
        PromptMessage::new(Role::User, ContentBlock::from(picture)),
        PromptMessage::user("Please analyze the image above."),
    ]
}

#[resolver]
fn user_context() -> Elicit<UserContext> {
    Elicit::ask("What context should the prompt use?")
}

/// Asks what it is about.
#[prompt]
fn test_input_required_result_prompt(#[resolve(user_context)] user_context: UserContext) -> String {
    format!("Use the following context: {}", user_context.context)
}
