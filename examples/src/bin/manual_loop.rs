//! Rounds by hand: one process stores the flow in a file, another answers and finishes it.
//!
//! ```console
//! $ cargo run -p examples --bin provision_server
//! $ cargo run -p examples --bin manual_loop -- begin http://127.0.0.1:8000/mcp flow.json
//! $ cargo run -p examples --bin manual_loop -- finish http://127.0.0.1:8000/mcp flow.json eu-west-1
//! ```
//!
//! The server holds nothing for the flow that waits: the file can be finished tomorrow, as long
//! as the sealed state in it has not expired.

use std::{env, fs};

use serde_json::json;
use vuelta::wire::methods::CallTool;
use vuelta::{Client, ClientCapabilities, ElicitResult, Error, Flow, InputRequest, Result, Step};

async fn connect(url: &str) -> Result<Client> {
    Client::builder()
        // Declares that there is a user to ask; the rounds below are driven by hand.
        .capabilities(ClientCapabilities::forms())
        .connect(vuelta_http::url(url)?)
        .await
}

async fn begin(url: &str, file: &str) -> Result<()> {
    let call = connect(url)
        .await?
        .tool("provision")
        .arguments(json!({ "name": "orders" }));
    proceed(call.step().await?, file)
}

async fn finish(url: &str, file: &str, region: &str) -> Result<()> {
    let mut flow: Flow<CallTool> = serde_json::from_slice(&fs::read(file)?)?;
    flow.answer("region", ElicitResult::accept(json!({ "region": region })));
    proceed(connect(url).await?.resume(flow).await?, file)
}

fn proceed(step: Step<CallTool>, file: &str) -> Result<()> {
    match step {
        Step::Done(result) => println!("{}", result.as_text()),
        Step::Asked(flow) => {
            for (key, question) in flow.questions() {
                if let InputRequest::Elicit(question) = question {
                    println!("asked for {key}: {}", question.message());
                }
            }
            fs::write(file, serde_json::to_vec_pretty(&flow)?)?;
            println!("stored in {file}");
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["begin", url, file] => begin(url, file).await,
        ["finish", url, file, region] => finish(url, file, region).await,
        _ => Err(Error::misuse(
            "usage: manual_loop begin URL FILE | finish URL FILE REGION",
        )),
    }
}
