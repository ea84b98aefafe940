//! `vuelta prompt`: one prompt of any server, with its questions.

use vuelta::{Client, ErrorCode, GetPromptResult};

use crate::args::PromptArgs;
use crate::arguments;
use crate::connection;
use crate::exit::{Ending, Failure, with_causes};
use crate::output::{block_name, note_left_out, print_json, print_text};
use crate::target::Target;

/// Runs the command.
pub(crate) async fn run(args: PromptArgs) -> Result<Ending, Failure> {
    let (target, words) =
        Target::take(args.words, &args.options.command, 0).map_err(Failure::Usage)?;
    let [name, pairs @ ..] = &words[..] else {
        let message = "which prompt? write its name; `vuelta list` tells the names";
        return Err(Failure::Usage(message.to_owned()));
    };
    let arguments = arguments::parse(pairs)
        .and_then(arguments::texts)
        .map_err(Failure::Usage)?;
    let json = args.options.json;
    connection::with(target, args.options, async |connection| {
        let told = match pairs {
            [] => format!("prompts/get {name}"),
            _ => format!("prompts/get {name} {}", pairs.join(" ")),
        };
        let mut call = connection.client.prompt(name);
        if !pairs.is_empty() {
            call = call.arguments(&arguments);
        }
        let result = match connection.drive(&told, call).await {
            Err(Failure::Call(error)) => {
                return Err(explain(error, name, &connection.client).await);
            }
            ended => ended?,
        };
        connection.end("result");
        if json {
            print_json(&result)?;
        } else {
            print(&result)?;
        }
        Ok(Ending::Done)
    })
    .await
}

/// Writes the messages: who speaks, and what, indented.
fn print(result: &GetPromptResult) -> Result<(), Failure> {
    for message in &result.messages {
        print_text(&format!("{}:", message.role.as_str()))?;
        match message.content.as_text() {
            Some(text) => {
                for line in text.lines() {
                    print_text(&format!("  {line}"))?;
                }
            }
            None => note_left_out(&block_name(&message.content)),
        }
    }
    Ok(())
}

/// Adds to the server's error which prompts there are, if it does not have this one.
async fn explain(error: vuelta::Error, name: &str, client: &Client) -> Failure {
    if error.code() == Some(ErrorCode::INVALID_PARAMS)
        && let Ok(prompts) = client.prompts().all().await
        && !prompts.is_empty()
        && !prompts.iter().any(|prompt| prompt.name == name)
    {
        let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        let listed = names.join(", ");
        let error = with_causes(&error);
        return Failure::Failed(format!("{error}; the server lists: {listed}"));
    }
    error.into()
}
