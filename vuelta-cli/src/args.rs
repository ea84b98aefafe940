//! What was typed.

use std::str::FromStr;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand};
use vuelta::{Raw, Root};

use crate::answers::Answer;
use crate::arguments::Argument;

/// Call tools that ask back, over the Model Context Protocol, from a terminal.
#[derive(Debug, Parser)]
#[command(name = "vuelta", version, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a server that asks and a client that answers, and see their rounds.
    Demo(DemoArgs),
    /// Call a tool of a server and answer its questions.
    Call(CallArgs),
}

const EXIT_CODES: &str = "\
Exit codes:
  0  the result is there
  1  the tool says that it failed
  2  what was typed cannot be used
  3  the protocol or the connection failed
  4  the server asks, and there is neither a terminal nor an --answer

The environment variable VUELTA_LOG sets what is logged to standard error: `vuelta=debug`.";

const DEMO_EXAMPLES: &str = "\
Examples:
  vuelta demo
  vuelta demo --answer region=eu-west-1
  vuelta demo --answer region=decline
  vuelta demo --serve 127.0.0.1:8000";

#[derive(Debug, ClapArgs)]
#[command(after_help = DEMO_EXAMPLES)]
pub(crate) struct DemoArgs {
    /// Answer the question here, not in the terminal: region=eu-west-1.
    #[arg(long = "answer", value_name = "KEY=VALUE")]
    pub(crate) answers: Vec<Answer>,
    /// Serve other clients until Ctrl-C, at an address such as 127.0.0.1:8000.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "answers")]
    pub(crate) serve: Option<String>,
}

const CALL_EXAMPLES: &str = "\
Examples:
  vuelta call http://127.0.0.1:8000/mcp provision name=orders
  vuelta call http://127.0.0.1:8000/mcp provision name=orders --answer region=eu-west-1
  vuelta call http://127.0.0.1:8000/mcp add a=1 b=2 --json
  vuelta call http://127.0.0.1:8000/mcp search 'filter:={\"tags\": [\"new\"]}'

Answers:
  --answer KEY.FIELD=VALUE  fills in a field of the form that is asked under KEY
  --answer KEY=VALUE        the same, for a form of one field
  --answer KEY=accept       accepts a form as it is filled in already, or a URL
  --answer KEY=decline      says no
  --answer KEY=cancel       dismisses the question
Several choices of one field are separated by commas. A form is sent once every required field
has a value, its own or a default.";

#[derive(Debug, ClapArgs)]
#[command(after_help = CALL_EXAMPLES)]
pub(crate) struct CallArgs {
    /// The server's URL: http or https.
    pub(crate) target: String,
    /// The tool's name.
    pub(crate) tool: String,
    /// The tool's arguments: key=value, typed by the tool's schema, or key:=JSON.
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) pairs: Vec<Argument>,
    /// All arguments at once: a JSON object.
    #[arg(long, value_name = "JSON", value_parser = parse_object, conflicts_with = "pairs")]
    pub(crate) arguments: Option<Raw>,
    /// Answer a question of the server; repeatable.
    #[arg(long = "answer", value_name = "KEY.FIELD=VALUE")]
    pub(crate) answers: Vec<Answer>,
    /// Name a directory to work in, by its file URI; repeatable.
    #[arg(long = "root", value_name = "URI", value_parser = parse_root)]
    pub(crate) roots: Vec<Root>,
    /// Print the result as JSON, or the questions that have no answer.
    #[arg(long)]
    pub(crate) json: bool,
    /// Tell the rounds on standard error.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// How long each request may take; unlimited by default.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Send an HTTP header with each request; repeatable.
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<Header>,
}

/// An HTTP header, as it was typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl FromStr for Header {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self {
                name: name.trim().to_owned(),
                value: value.trim().to_owned(),
            }),
            _ => Err("write 'Name: value'".to_owned()),
        }
    }
}

fn parse_object(text: &str) -> Result<Raw, String> {
    let raw = Raw::from_json(text.to_owned()).map_err(|error| error.to_string())?;
    if raw.is_object() {
        Ok(raw)
    } else {
        Err("write a JSON object, such as {\"a\": 1}".to_owned())
    }
}

fn parse_root(text: &str) -> Result<Root, String> {
    if text.starts_with("file://") {
        Ok(Root::new(text))
    } else {
        Err("write a file URI, such as file:///srv/project".to_owned())
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "write a number of seconds above 0, such as 2.5".to_owned())
}

#[cfg(test)]
mod tests;
