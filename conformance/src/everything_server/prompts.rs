//! The prompts.

use serde::Deserialize;
use vuelta::wire::TextResourceContents;
use vuelta::{
    ContentBlock, Context, EmbeddedResource, Error, GetPromptParams, GetPromptResult,
    InputRequired, ListPromptsResult, Outcome, PaginatedParams, Prompt, PromptArgument,
    PromptMessage, Result, Role, StringSchema,
};

use crate::{rounds, samples};

pub(crate) const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";

pub(crate) async fn list(_: Context, _: PaginatedParams) -> Result<ListPromptsResult> {
    let argument = |name: &str| {
        PromptArgument::new(name)
            .description("Any text.")
            .required(true)
    };
    Ok(ListPromptsResult::new([
        Prompt::new("test_simple_prompt").description("A prompt without arguments."),
        Prompt::new(WITH_ARGUMENTS)
            .description("A prompt that repeats its arguments.")
            .arguments([argument("arg1"), argument("arg2")]),
        Prompt::new("test_prompt_with_embedded_resource")
            .description("A prompt that embeds a resource.")
            .arguments([argument("resourceUri")]),
        Prompt::new("test_prompt_with_image").description("A prompt with a picture."),
        Prompt::new("test_input_required_result_prompt").description("A prompt that asks."),
    ]))
}

pub(crate) async fn get(cx: Context, params: GetPromptParams) -> Result<Outcome<GetPromptResult>> {
    let arguments = params.arguments.unwrap_or_default();
    let argument = |name: &str| arguments.get(name).map(String::as_str).unwrap_or_default();
    let messages = match params.name.as_str() {
        "test_simple_prompt" => vec![PromptMessage::user("This is a simple prompt for testing.")],
        WITH_ARGUMENTS => {
            let (one, two) = (argument("arg1"), argument("arg2"));
            vec![PromptMessage::user(format!(
                "Prompt with arguments: arg1='{one}', arg2='{two}'"
            ))]
        }
        "test_prompt_with_embedded_resource" => {
            let text = "Embedded resource content for testing.";
            let contents =
                TextResourceContents::new(argument("resourceUri"), text).mime_type("text/plain");
            let resource = EmbeddedResource::new(contents);
            vec![
                PromptMessage::new(Role::User, ContentBlock::from(resource)),
                PromptMessage::user("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::from(samples::image())),
            PromptMessage::user("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => return ask_context(&cx),
        unknown => return Err(Error::unknown_prompt(unknown)),
    };
    Ok(GetPromptResult::new(messages).into())
}

fn ask_context(cx: &Context) -> Result<Outcome<GetPromptResult>> {
    #[derive(Deserialize)]
    struct UserContext {
        context: String,
    }

    let Some(UserContext { context }) = rounds::accepted(cx, "user_context")? else {
        let question = "What context should the prompt use?";
        let form = rounds::form(question, "context", StringSchema::new());
        return Ok(InputRequired::new().ask("user_context", form).into());
    };
    let text = format!("Use the following context: {context}");
    Ok(GetPromptResult::new([PromptMessage::user(text)]).into())
}
