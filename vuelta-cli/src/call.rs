//! `vuelta call`: one tool of any server, with its questions.

use vuelta::{CallToolResult, Client, ErrorCode, Raw, Tool};

use crate::args::CallArgs;
use crate::arguments::{self, Argument};
use crate::connection::{self, Connection};
use crate::exit::{Ending, Failure, with_causes};
use crate::output::{note, outcome, print_json, print_result};
use crate::printable;
use crate::target::Target;

/// Runs the command.
pub(crate) async fn run(args: CallArgs) -> Result<Ending, Failure> {
    let (target, words) =
        Target::take(args.words, &args.options.command, 0).map_err(Failure::Usage)?;
    let [tool, pairs @ ..] = &words[..] else {
        let message = "which tool? write its name; `vuelta list` tells the names";
        return Err(Failure::Usage(message.to_owned()));
    };
    let arguments = match args.arguments {
        Some(_) if !pairs.is_empty() => {
            let message = "--arguments has all arguments: leave out KEY=VALUE, or --arguments";
            return Err(Failure::Usage(message.to_owned()));
        }
        Some(object) => Arguments::Object(object),
        None => Arguments::Pairs(arguments::parse(pairs).map_err(Failure::Usage)?),
    };
    let json = args.options.json;
    connection::with(target, args.options, async |connection| {
        let result = call(connection, tool, arguments).await?;
        if json {
            print_json(&result)?;
        } else {
            print_result(&result)?;
        }
        Ok(Ending::of(&result))
    })
    .await
}

/// The arguments, as they were typed.
enum Arguments {
    Object(Raw),
    Pairs(Vec<Argument>),
}

async fn call(
    connection: &Connection,
    tool: &str,
    arguments: Arguments,
) -> Result<CallToolResult, Failure> {
    let listed = Listed::look_up(&connection.client, tool).await?;
    let arguments = match arguments {
        Arguments::Object(object) => object,
        Arguments::Pairs(pairs) => {
            let schema = listed.tool.as_ref().map(|tool| &tool.input_schema);
            let object = arguments::encode(pairs, schema).map_err(Failure::Usage)?;
            Raw::encode(&object).map_err(vuelta::Error::from)?
        }
    };
    let told = format!("tools/call {tool} {}", arguments.get());
    let call = connection.client.tool(tool).arguments(arguments);
    let result = match connection.drive(&told, call).await {
        Err(Failure::Call(error)) => return Err(listed.explain(error)),
        ended => ended?,
    };
    connection.end(outcome(&result));
    // Older servers tell in a result that they have no such tool.
    if result.failed()
        && let Some(others) = listed.instead()
    {
        note(&printable::line(&format!(
            "note: {others}; a tool that needs a model may be left out, as this program has no \
             model to offer"
        )));
    }
    Ok(result)
}

/// What the server's list of tools says of one.
struct Listed {
    tool: Option<Tool>,
    /// The tools of a list that does not have it.
    others: Vec<String>,
}

impl Listed {
    /// Looks the tool up; a server need not list its tools.
    async fn look_up(client: &Client, name: &str) -> Result<Self, Failure> {
        let mut others = Vec::new();
        let mut tools = client.tools();
        while let Some(tool) = tools.next().await {
            match tool {
                Ok(tool) if tool.name == name => {
                    return Ok(Self {
                        tool: Some(tool),
                        others: Vec::new(),
                    });
                }
                Ok(tool) => others.push(tool.name),
                // No list, or one without end, is no reason not to call.
                Err(error) if error.as_rpc().is_some() || error.is_peer() => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self { tool: None, others })
    }

    /// Adds to the server's error which tools there are, if it does not list this one.
    fn explain(&self, error: vuelta::Error) -> Failure {
        match self.instead() {
            Some(others) if error.code() == Some(ErrorCode::INVALID_PARAMS) => {
                Failure::Failed(format!("{}; {others}", with_causes(&error)))
            }
            _ => error.into(),
        }
    }

    /// Returns what the server lists, if that is not this tool.
    fn instead(&self) -> Option<String> {
        let is_missing = self.tool.is_none() && !self.others.is_empty();
        is_missing.then(|| format!("the server lists: {}", self.others.join(", ")))
    }
}
