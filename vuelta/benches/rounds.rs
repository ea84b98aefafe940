//! What a round costs: sealing and opening its state, and a whole call of two rounds in
//! memory.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use vuelta::seal::{Audience, Keyring, RequestStateBoundary, RequestStateSecurity, StateCodec};
use vuelta::{
    CallToolParams, CallToolResult, Client, Context, ElicitForm, ElicitResult, Error, FormSchema,
    InputRequired, Outcome, Server, StringSchema,
};

fn main() {
    divan::main();
}

const KEY: [u8; 32] = [7; 32];

/// A state of 256 bytes, and one that carries a small document.
const SIZES: [usize; 2] = [256, 16 * 1024];

fn keyring() -> Keyring {
    Keyring::new([KEY]).expect("a key of 32 bytes")
}

fn payload(size: usize) -> Vec<u8> {
    (b' '..=b'~').cycle().take(size).collect()
}

#[divan::bench(args = SIZES)]
fn seal(bencher: Bencher<'_, '_>, size: usize) {
    let (ring, payload) = (keyring(), payload(size));
    bencher
        .counter(BytesCount::new(size))
        .bench(|| ring.seal(black_box(&payload)));
}

#[divan::bench(args = SIZES)]
fn open(bencher: Bencher<'_, '_>, size: usize) {
    let ring = keyring();
    let token = ring.seal(&payload(size)).expect("the payload is small");
    bencher
        .counter(BytesCount::new(size))
        .bench(|| ring.open(black_box(&token)));
}

#[divan::bench(args = SIZES)]
fn seal_and_open(bencher: Bencher<'_, '_>, size: usize) {
    let (ring, payload) = (keyring(), payload(size));
    bencher.counter(BytesCount::new(size)).bench(|| {
        let token = ring
            .seal(black_box(&payload))
            .expect("the payload is small");
        ring.open(&token)
    });
}

async fn provision(cx: Context, _: CallToolParams) -> Result<Outcome<CallToolResult>, Error> {
    let answer: Option<ElicitResult> = cx.answers().parse("region")?;
    if answer.is_some() && cx.state() == Some("provision-v1") {
        return Ok(CallToolResult::text("Provisioned.").into());
    }
    let schema = FormSchema::new().required("region", StringSchema::new());
    let question = ElicitForm::new("Which region should the database live in?", schema);
    Ok(InputRequired::new()
        .ask("region", question)
        .state("provision-v1")
        .into())
}

/// Connects a client that answers by itself to a server in memory.
fn connect(runtime: &Runtime, security: Option<RequestStateSecurity>) -> Client {
    let mut server = Server::builder("Provisioner", "1.0.0").on_call_tool(provision);
    if let Some(security) = security {
        server = server.layer(RequestStateBoundary::new(security, Audience::Server));
    }
    let server = server.build().expect("the policy is good");
    let answering = Client::builder()
        .on_elicit(|_| async { ElicitResult::accept(json!({ "region": "eu-west-1" })) });
    runtime
        .block_on(answering.connect(&server))
        .expect("the server is in memory")
}

fn two_rounds(bencher: Bencher<'_, '_>, security: Option<RequestStateSecurity>) {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let client = connect(&runtime, security);
    let arguments = json!({ "name": "orders" });
    bencher.bench(|| {
        let call = client.call_tool("provision", black_box(&arguments));
        runtime.block_on(call).expect("the call is answered")
    });
}

#[divan::bench]
fn two_round_call_sealed(bencher: Bencher<'_, '_>) {
    two_rounds(
        bencher,
        Some(RequestStateSecurity::keys([KEY]).expect("a key of 32 bytes")),
    );
}

#[divan::bench]
fn two_round_call_unsealed(bencher: Bencher<'_, '_>) {
    two_rounds(bencher, None);
}
