//! A client and a server of the fixture of the eras, made with rmcp.
//!
//! ```console
//! $ rmcp-peer server                     # over HTTP: says where it listens
//! $ rmcp-peer server --stdio             # over standard streams
//! $ rmcp-peer client --era modern|legacy URL
//! $ rmcp-peer client --era modern|legacy --stdio -- COMMAND ARGUMENTS
//! ```

mod client;
mod server;
mod stories;
mod tickets;

use std::process::ExitCode;

const USAGE: &str = "\
usage: rmcp-peer server [--stdio]
       rmcp-peer client --era modern|legacy (URL | --stdio -- COMMAND ARGUMENTS)
";

/// Why something does not work.
type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match &arguments[..] {
        ["server"] => server::serve_http().await.map(|()| true),
        ["server", "--stdio"] => server::serve_stdio().await.map(|()| true),
        ["client", "--era", era @ ("modern" | "legacy"), target @ ..] => {
            let modern = *era == "modern";
            match target {
                [url] => stories::tell(client::Target::Url(url), modern).await,
                ["--stdio", "--", program, arguments @ ..] => {
                    stories::tell(client::Target::Program(program, arguments), modern).await
                }
                _ => Err(USAGE.into()),
            }
        }
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
