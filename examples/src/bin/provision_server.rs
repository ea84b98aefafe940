//! A tool that needs an answer from the user, and returns the question instead of a result.
//!
//! ```console
//! $ cargo run -p examples --bin provision_server
//! $ cargo run -p examples --bin provision_client
//! ```
//!
//! The handler is called again with the answer, and keeps nothing in between. The state that
//! it hands out travels through the client; the layer seals it. An address to listen on can be
//! given; `127.0.0.1:8000` is the default.

use serde::Deserialize;
use serde_json::json;
use vuelta::seal::{Audience, RequestStateBoundary, RequestStateSecurity};
use vuelta::{
    CallToolParams, CallToolResult, Context, ElicitForm, ElicitResult, Error, FormSchema,
    InputRequired, ListToolsResult, Outcome, PaginatedParams, Result, Server, StringSchema, Tool,
};
use vuelta_http::Listener;

#[derive(Deserialize)]
struct Database {
    name: String,
}

#[derive(Deserialize)]
struct Region {
    region: String,
}

async fn list_tools(_: Context, _: PaginatedParams) -> Result<ListToolsResult> {
    let arguments = json!({
        "type": "object",
        "properties": { "name": { "type": "string" } },
        "required": ["name"],
    });
    let provision = Tool::new("provision", arguments)
        .description("Provision a database. Asks which region to put it in.");
    Ok(ListToolsResult::new([provision]))
}

async fn call_tool(cx: Context, params: CallToolParams) -> Result<Outcome<CallToolResult>> {
    if params.name != "provision" {
        return Err(Error::unknown_tool(&params.name));
    }
    let Database { name } = params.arguments.unwrap_or_default().parse()?;
    let Some(answer) = cx.answers().parse::<ElicitResult>("region")? else {
        let form = FormSchema::new().required("region", StringSchema::new());
        return Ok(InputRequired::new()
            .ask(
                "region",
                ElicitForm::new("Which region should the database live in?", form),
            )
            .state("provision-v1")
            .into());
    };
    let text = match answer.accepted()? {
        Some(Region { region }) => format!("Provisioned {name} in {region}."),
        None => format!("Not provisioned: no region was chosen for {name}."),
    };
    Ok(CallToolResult::text(text).into())
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = Server::builder("Provisioner", "1.0.0")
        .on_list_tools(list_tools)
        .on_call_tool(call_tool)
        .layer(RequestStateBoundary::new(
            RequestStateSecurity::ephemeral()?,
            Audience::Server,
        ))
        .build()?;

    let address = std::env::args().nth(1);
    let listener = Listener::bind(address.as_deref().unwrap_or("127.0.0.1:8000")).await?;
    println!("listening on {}", listener.url());
    let interrupted = async { tokio::signal::ctrl_c().await.unwrap_or_default() };
    listener.serve(&server, interrupted).await
}
