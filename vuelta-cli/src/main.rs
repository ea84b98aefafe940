//! The program `vuelta`: call tools that ask back from a terminal, and see how the rounds go.

mod address;
mod answers;
mod args;
mod arguments;
mod ask;
mod call;
mod demo;
mod exit;
mod field;
mod needed;
mod output;
mod printable;
mod progress;
mod rounds;
mod timeline;

use std::io;
use std::process::ExitCode;

use clap::Parser as _;
use tracing_subscriber::EnvFilter;

use crate::args::{Args, Command};
use crate::output::note;

#[tokio::main]
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
    };
    match ended {
        Ok(ending) => ending.code(),
        Err(failure) => {
            note(&format!("error: {failure}"));
            failure.code()
        }
    }
}
