//! `vuelta demo`: a server that asks, and a client that answers it, over HTTP on this machine; or
//! the server alone.

mod provisioner;

use std::future;
use std::net::SocketAddr;

use serde_json::json;
use vuelta::wire::{Declared, ElicitationCapability};
use vuelta::{Client, ClientCapabilities, Server};
use vuelta_http::{Endpoint, Listener};

use crate::answers::Answers;
use crate::args::DemoArgs;
use crate::connection::interrupted;
use crate::exit::{Ending, Failure, with_causes};
use crate::observers::Observers;
use crate::output::{Stream, outcome, print, print_result};
use crate::responder::Responder;
use crate::rounds::drive;

/// Runs the command.
pub(crate) async fn run(args: DemoArgs) -> Result<Ending, Failure> {
    match args.serve {
        Some(address) => serve(&address).await,
        None if args.stdio => {
            vuelta::stdio::serve(provisioner::server()?).await?;
            Ok(Ending::Done)
        }
        None => both_sides(Answers::new(args.answers).map_err(Failure::Usage)?).await,
    }
}

/// Serves other clients until Ctrl-C.
async fn serve(address: &str) -> Result<Ending, Failure> {
    let server = provisioner::server()?;
    let listener = Listener::bind(address).await.map_err(|error| {
        Failure::Usage(format!(
            "--serve {address}: {}; give another address",
            with_causes(&error)
        ))
    })?;
    let url = listener.url();
    print(&format!(
        "Provisioner serves {url} until Ctrl-C; in another terminal, try"
    ))?;
    print(&format!(
        "  vuelta call {url} provision name=orders --answer region=eu-west-1"
    ))?;
    let endpoint = endpoint(server, listener.local_addr());
    listener.serve(endpoint, interrupted()).await?;
    Ok(Ending::Done)
}

/// Answers for the names of this machine, and for the address that was asked for.
fn endpoint(server: Server, address: SocketAddr) -> Endpoint {
    let address = address.to_string();
    let hosts = ["localhost:*", "127.0.0.1:*", "[::1]:*", &address];
    Endpoint::new(server).allowed_hosts(hosts)
}

/// Serves on a free port for as long as the one call takes.
async fn both_sides(answers: Answers) -> Result<Ending, Failure> {
    let server = provisioner::server()?;
    let listener = Listener::bind("127.0.0.1:0").await?;
    let url = listener.url();
    print(&format!("server: {url}"))?;
    tokio::select! {
        served = listener.serve(&server, future::pending()) => {
            served?;
            Err(Failure::Failed("the server ended before the call".to_owned()))
        }
        ended = provision(&url, answers) => ended,
    }
}

async fn provision(url: &str, answers: Answers) -> Result<Ending, Failure> {
    let forms = ElicitationCapability::new().form(Declared::new());
    let client = Client::builder()
        .capabilities(ClientCapabilities::new().elicitation(forms))
        .connect(vuelta_http::url(url)?)
        .await?;

    let arguments = json!({ "name": "orders" });
    let observers = Observers::default().timeline(Stream::Out);
    let address = url.to_owned();
    let responder = Responder::new(answers, Vec::new(), address, observers.clone());
    responder.meet(&client);
    observers.begin(&format!("tools/call provision {arguments}"));
    let call = client.tool("provision").arguments(arguments);
    let result = drive(&client, call, &responder, &observers).await?;

    observers.end(outcome(&result));
    print_result(&result)?;
    responder.note_unasked();
    Ok(Ending::of(&result))
}
