//! The program `vuelta`: reach any server from a terminal, answer what it asks, and see how the
//! rounds go.

mod address;
mod answers;
mod args;
mod arguments;
mod ask;
mod call;
mod connection;
mod demo;
mod exit;
mod field;
mod list;
mod needed;
mod observers;
mod output;
mod printable;
mod progress;
mod prompt;
mod read;
mod responder;
mod rounds;
mod table;
mod target;
mod timeline;

use std::io;
use std::process::ExitCode;

use clap::Parser as _;
use tracing_subscriber::EnvFilter;

use crate::args::{Args, Command};
use crate::output::note;

// One thread: questions that come while a call runs keep the order in which they came.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = Args::parse();
    let filter = EnvFilter::try_from_env("VUELTA_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .init();
    let ended = match args.command {
        Command::Demo(args) => demo::run(args).await,
        Command::Call(args) => call::run(args).await,
        Command::List(args) => list::run(args).await,
        Command::Read(args) => read::run(args).await,
        Command::Prompt(args) => prompt::run(args).await,
    };
    match ended {
        Ok(ending) => ending.code(),
        Err(failure) => {
            note(&format!("error: {failure}"));
            failure.code()
        }
    }
}
