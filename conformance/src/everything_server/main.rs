//! The server that the official conformance suite drives.
//!
//! ```console
//! $ everything-server --port 0
//! listening on http://127.0.0.1:41223/mcp
//! ```
//!
//! The suite fixes the names of its tools, prompts and resources, and most of what they say:
//! [conformance](https://github.com/modelcontextprotocol/conformance).

mod answers;
mod asks;
mod changes;
mod forms;
mod prompts;
mod resources;
mod rounds;
mod samples;
mod schemas;

use std::env;
use std::process::ExitCode;

use vuelta::{McpServer, Result};
use vuelta_http::Listener;

const USAGE: &str = "usage: everything-server --port PORT (0 takes a free one)";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let port = match arguments.as_slice() {
        [flag, port] if flag == "--port" => port.parse::<u16>().ok(),
        _ => None,
    };
    let Some(port) = port else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match listen(port).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn listen(port: u16) -> Result<()> {
    let listener = Listener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.url());
    listener.serve(server(), std::future::pending()).await
}

fn server() -> McpServer {
    let server = McpServer::new("everything-server", env!("CARGO_PKG_VERSION")).logging();
    // The suite probes with the first tool and without arguments: it must succeed.
    let server = answers::register(server);
    let server = asks::register(server);
    let server = rounds::register(server);
    let server = schemas::register(server);
    let server = changes::register(server);
    let server = prompts::register(server);
    resources::register(server)
}
