//! The client that the official conformance suite drives, once for each scenario.
//!
//! ```console
//! $ export MCP_CONFORMANCE_SCENARIO=tools_call MCP_CONFORMANCE_PROTOCOL_VERSION=2026-07-28
//! $ everything-client http://localhost:41223/mcp
//! ```
//!
//! The suite plays the server, says in the environment what to do with it, and watches what
//! arrives: [conformance](https://github.com/modelcontextprotocol/conformance).

mod headers;
mod rounds;
mod scenario;
mod tools;

use std::process::ExitCode;

use vuelta::{Error, Result};

use crate::scenario::Scenario;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let scenario = Scenario::read()?;
    match scenario.name.as_str() {
        "initialize" | "request-metadata" | "json-schema-ref-no-deref" => {
            tools::list(&scenario).await
        }
        "tools_call" => tools::call(&scenario).await,
        "json-schema-2020-12-preservation" => tools::echo_schema(&scenario).await,
        "sse-retry" => tools::reconnect(&scenario).await,
        "elicitation-sep1034-client-defaults" => rounds::accept_defaults(&scenario).await,
        "sep-2322-client-request-state" => rounds::keep_state(&scenario).await,
        "http-standard-headers" => headers::every_method(&scenario).await,
        "http-custom-headers" => headers::mirrored_arguments(&scenario).await,
        "http-invalid-tool-headers" => headers::every_valid_tool(&scenario).await,
        unknown => Err(Error::misuse(format!(
            "no scenario is called {unknown:?}: add it to `everything_client/main.rs`"
        ))),
    }
}
