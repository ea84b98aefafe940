//! Keys that a fleet shares, and their rotation in three phases without losing a flow.
//!
//! ```console
//! $ cargo run -p examples --bin fleet_keys
//! ```
//!
//! Two instances with the same keys finish each other's flows. In every phase they are replaced
//! one after the other, while flows of both are in progress. The wrong order, at the end, loses
//! one.

use serde_json::json;
use vuelta::seal::{Audience, RequestStateBoundary, RequestStateSecurity};
use vuelta::wire::methods::CallTool;
use vuelta::{
    CallToolParams, CallToolResult, Client, ClientCapabilities, Context, ElicitForm, ElicitResult,
    Error, Flow, FormSchema, InputRequired, Outcome, Result, Server, Step, StringSchema,
};

// Real ones are random, and come from a secret store.
const OLD: &str = "the old secret, of at least 32 bytes";
const NEW: &str = "the new secret, of at least 32 bytes";

const PHASES: [(&str, &[&str]); 3] = [
    ("1: all learn to open NEW, OLD still seals", &[OLD, NEW]),
    ("2: NEW seals, OLD still opens", &[NEW, OLD]),
    ("3: one ttl later, OLD is retired", &[NEW]),
];

fn instance(keys: &[&str]) -> Result<Server> {
    let security = RequestStateSecurity::keys(keys)?;
    Server::builder("Provisioner", "1.0.0")
        .on_call_tool(provision)
        .layer(RequestStateBoundary::new(security, Audience::Server))
        .build()
}

async fn provision(cx: Context, _: CallToolParams) -> Result<Outcome<CallToolResult>> {
    if cx.state() == Some("asked") {
        return Ok(CallToolResult::text("provisioned").into());
    }
    let form = FormSchema::new().required("region", StringSchema::new());
    Ok(InputRequired::new()
        .ask("region", ElicitForm::new("Which region?", form))
        .state("asked")
        .into())
}

async fn connect(server: &Server) -> Result<Client> {
    Client::builder()
        .capabilities(ClientCapabilities::forms())
        .connect(server)
        .await
}

async fn begin(server: &Server) -> Result<Flow<CallTool>> {
    match connect(server).await?.tool("provision").step().await? {
        Step::Asked(flow) => Ok(flow),
        Step::Done(_) => Err(Error::peer("the server did not ask")),
    }
}

async fn begin_at_each(fleet: &[Server; 2]) -> Result<[Flow<CallTool>; 2]> {
    Ok([begin(&fleet[0]).await?, begin(&fleet[1]).await?])
}

async fn finish(server: &Server, mut flow: Flow<CallTool>) -> Result<()> {
    flow.answer(
        "region",
        ElicitResult::accept(json!({ "region": "eu-west-1" })),
    );
    match connect(server).await?.resume(flow).await? {
        Step::Done(_) => Ok(()),
        Step::Asked(_) => Err(Error::peer("the server asks again")),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut fleet = [instance(&[OLD])?, instance(&[OLD])?];
    for (phase, keys) in PHASES {
        println!("phase {phase}");
        for replaced in 0..fleet.len() {
            let before = begin_at_each(&fleet).await?;
            fleet[replaced] = instance(keys)?;
            let after = begin_at_each(&fleet).await?;
            for [at_0, at_1] in [before, after] {
                finish(&fleet[1], at_0).await?;
                finish(&fleet[0], at_1).await?;
            }
            println!("  instance {replaced} replaced: no flow lost");
        }
    }

    println!("the wrong order: NEW seals before all can open it");
    let fleet = [instance(&[NEW, OLD])?, instance(&[OLD])?];
    match finish(&fleet[1], begin(&fleet[0]).await?).await {
        Ok(()) => Err(Error::peer("a key that is not there has opened a state")),
        Err(lost) => {
            println!("  {lost}");
            Ok(())
        }
    }
}
