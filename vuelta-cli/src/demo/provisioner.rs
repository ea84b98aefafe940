//! The demo's server: one tool that lacks something only the user has, and asks for it.
//!
//! The handler runs once for each request and keeps nothing in between: first it returns the
//! question, and when the answer comes with the second request, the result.

use serde::Deserialize;
use serde_json::json;
use vuelta::seal::{Audience, RequestStateBoundary, RequestStateSecurity};
use vuelta::{
    CallToolParams, CallToolResult, Context, ElicitForm, ElicitResult, Error, FormSchema,
    InputRequired, ListToolsResult, Outcome, PaginatedParams, Result, Server, StringSchema, Tool,
};

/// Creates the server. Its state is sealed by a key that lives as long as this process.
pub(super) fn server() -> Result<Server> {
    let security = RequestStateSecurity::ephemeral()?;
    Server::builder("Provisioner", env!("CARGO_PKG_VERSION"))
        .on_list_tools(list_tools)
        .on_call_tool(call_tool)
        .layer(RequestStateBoundary::new(security, Audience::Server))
        // Clients of older revisions are asked while the call runs.
        .legacy_bridge(true)
        .build()
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
    match params.name.as_str() {
        "provision" => provision(&cx, params.arguments.unwrap_or_default().parse()?),
        unknown => Err(Error::unknown_tool(unknown)),
    }
}

#[derive(Deserialize)]
struct Database {
    name: String,
}

#[derive(Deserialize)]
struct Region {
    region: String,
}

fn provision(cx: &Context, database: Database) -> Result<Outcome<CallToolResult>> {
    let Some(answer) = cx.answers().parse::<ElicitResult>("region")? else {
        return Ok(ask_region().into());
    };
    let name = database.name;
    let result = match answer.accepted()? {
        Some(Region { region }) => {
            CallToolResult::text(format!("Provisioned {name:?} in {region}."))
        }
        None => CallToolResult::error(format!("Not provisioned: no region for {name:?}.")),
    };
    Ok(result.into())
}

fn ask_region() -> InputRequired {
    let form = FormSchema::new().required("region", StringSchema::new());
    InputRequired::new()
        .ask(
            "region",
            ElicitForm::new("Which region should the database live in?", form),
        )
        .state("provision-v1")
}
