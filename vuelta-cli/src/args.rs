//! What was typed.

use std::ffi::OsString;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use vuelta::{Mode, Raw, Root};

use crate::answers::Answer;

/// Call tools that ask back, over the Model Context Protocol, from a terminal.
#[derive(Debug, Parser)]
#[command(name = "vuelta", version, after_help = AFTER_HELP)]
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
    /// List what a server has: tools, prompts, resources and their templates.
    List(ListArgs),
    /// Read a resource of a server.
    Read(ReadArgs),
    /// Get a prompt of a server.
    Prompt(PromptArgs),
}

const AFTER_HELP: &str = "\
Servers:
  http://.. or https://..   a server behind a URL
  unix:PATH                 a server on a socket of this machine
  -- COMMAND ARG..          a server to start, last on the line; it sees the whole environment

Exit codes:
  0    the result is there
  1    the tool says that it failed
  2    what was typed cannot be used
  3    the protocol or the connection failed, or the server ended
  4    the server asks, and there is neither a terminal nor an --answer
  130  Ctrl-C

The environment variable VUELTA_LOG sets what is logged to standard error: `vuelta=debug`.";

const DEMO_EXAMPLES: &str = "\
Examples:
  vuelta demo
  vuelta demo --answer region=eu-west-1
  vuelta demo --answer region=decline
  vuelta demo --serve 127.0.0.1:8000
  vuelta call provision name=orders -- vuelta demo --stdio";

#[derive(Debug, ClapArgs)]
#[command(after_help = DEMO_EXAMPLES)]
pub(crate) struct DemoArgs {
    /// Answer the question here, not in the terminal: region=eu-west-1.
    #[arg(long = "answer", value_name = "KEY=VALUE")]
    pub(crate) answers: Vec<Answer>,
    /// Serve other clients until Ctrl-C, at an address such as 127.0.0.1:8000.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "answers")]
    pub(crate) serve: Option<String>,
    /// Serve the client that started this program, on stdin and stdout.
    #[arg(long, conflicts_with_all = ["answers", "serve"])]
    pub(crate) stdio: bool,
}

const CALL_USAGE: &str = "\
vuelta call [OPTIONS] SERVER TOOL [KEY=VALUE]...
       vuelta call [OPTIONS] TOOL [KEY=VALUE]... -- COMMAND [ARG]...";

const CALL_EXAMPLES: &str = "\
Examples:
  vuelta call http://127.0.0.1:8000/mcp provision name=orders
  vuelta call http://127.0.0.1:8000/mcp provision name=orders --answer region=eu-west-1
  vuelta call unix:/run/user/1000/calculator.sock add a=1 b=2 --json
  vuelta call add a=1 b=2 -- node calculator.js --exact
  vuelta call http://127.0.0.1:8000/mcp search 'filter:={\"tags\": [\"new\"]}'

Answers:
  --answer KEY.FIELD=VALUE  fills in a field of the form that is asked under KEY
  --answer KEY=VALUE        the same, for a form of one field
  --answer KEY=accept       accepts a form as it is filled in already, or a URL
  --answer KEY=decline      says no
  --answer KEY=cancel       dismisses the question
Several choices of one field are separated by commas. A form is sent once every required field
has a value, its own or a default.

Servers of revisions before 2026-07-28 ask while the call runs, and give their questions no keys.
Forms are then asked under `form`, `form2` and so on, URLs under `url`, `url2` and so on, in the
order in which they come: --answer form.region=eu-west-1.";

#[derive(Debug, ClapArgs)]
#[command(override_usage = CALL_USAGE, after_help = CALL_EXAMPLES)]
pub(crate) struct CallArgs {
    /// The server, the tool, and key=value typed by its schema or key:=JSON.
    #[arg(value_name = "SERVER TOOL KEY=VALUE")]
    pub(crate) words: Vec<String>,
    /// All arguments at once: a JSON object.
    #[arg(long, value_name = "JSON", value_parser = parse_object)]
    pub(crate) arguments: Option<Raw>,
    #[command(flatten)]
    pub(crate) options: Options,
}

const LIST_USAGE: &str = "\
vuelta list [OPTIONS] SERVER
       vuelta list [OPTIONS] -- COMMAND [ARG]...";

#[derive(Debug, ClapArgs)]
#[command(override_usage = LIST_USAGE)]
pub(crate) struct ListArgs {
    /// The server.
    #[arg(value_name = "SERVER")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) options: Options,
}

const READ_USAGE: &str = "\
vuelta read [OPTIONS] SERVER URI
       vuelta read [OPTIONS] URI -- COMMAND [ARG]...";

#[derive(Debug, ClapArgs)]
#[command(override_usage = READ_USAGE)]
pub(crate) struct ReadArgs {
    /// The server and the URI of the resource.
    #[arg(value_name = "SERVER URI")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) options: Options,
}

const PROMPT_USAGE: &str = "\
vuelta prompt [OPTIONS] SERVER PROMPT [KEY=VALUE]...
       vuelta prompt [OPTIONS] PROMPT [KEY=VALUE]... -- COMMAND [ARG]...";

#[derive(Debug, ClapArgs)]
#[command(override_usage = PROMPT_USAGE)]
pub(crate) struct PromptArgs {
    /// The server, the prompt and its arguments, which are text.
    #[arg(value_name = "SERVER PROMPT KEY=VALUE")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// What every command takes that reaches a server.
#[derive(Debug, ClapArgs)]
pub(crate) struct Options {
    /// The server, if it is to be started, with its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
    /// Answer a question of the server; repeatable.
    #[arg(long = "answer", value_name = "KEY.FIELD=VALUE")]
    pub(crate) answers: Vec<Answer>,
    /// Name a directory to work in, by its file URI; repeatable.
    #[arg(long = "root", value_name = "URI", value_parser = parse_root)]
    pub(crate) roots: Vec<Root>,
    /// Print the result as JSON, or the questions that have no answer.
    #[arg(long)]
    pub(crate) json: bool,
    /// Tell revision and rounds on stderr, with that of a started server.
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Ask the server first, or begin with a handshake.
    #[arg(long, value_enum, value_name = "auto|legacy", default_value_t = Begin::Auto)]
    #[arg(hide_possible_values = true)]
    pub(crate) mode: Begin,
    /// How long each request may take; unlimited by default.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Send an HTTP header with each request; repeatable.
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<Header>,
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Begin {
    // No doc comments: they would take the help of every option apart into two lines.
    Auto,
    Legacy,
}

impl From<Begin> for Mode {
    fn from(begin: Begin) -> Self {
        match begin {
            Begin::Auto => Self::auto(),
            Begin::Legacy => Self::legacy(),
        }
    }
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
