//! What it costs to decode and encode one call of 1 KiB and its result.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::BytesCount;
use serde::{Deserialize, Serialize};
use vuelta_wire::jsonrpc::{Message, write_request, write_result};
use vuelta_wire::methods::CallTool;
use vuelta_wire::modern::{Decoded, decode_result, encode_params, encode_result, envelope};
use vuelta_wire::{
    Arguments, CallToolParams, CallToolResult, ClientCapabilities, ElicitationCapability,
    Implementation, ProtocolVersion, Raw, RequestId, RequestMeta, decode,
};

fn main() {
    divan::main();
}

/// The arguments of the tool, as a handler wants them.
#[derive(Clone, Deserialize, Serialize)]
struct Query {
    region: String,
    limit: u32,
    sql: String,
}

fn query() -> Query {
    Query {
        region: "us-west1".to_owned(),
        limit: 100,
        sql: "select id, name from orders where region = 'us-west1' ".repeat(12),
    }
}

fn meta() -> RequestMeta {
    RequestMeta::new(
        ProtocolVersion::V2026_07_28,
        ClientCapabilities::new().elicitation(ElicitationCapability::new()),
    )
    .client_info(Implementation::new("bench", "1.0.0"))
}

fn encode_request(query: &Query, meta: &RequestMeta) -> String {
    let arguments = Arguments::encode(query)
        .expect("encodes")
        .expect("an object");
    let params = CallToolParams::new("execute_sql").arguments(arguments);
    let params = encode_params(&params, meta).expect("encodes");
    write_request(&RequestId::from(1), "tools/call", &params).expect("encodes")
}

#[divan::bench]
fn request_encode(bencher: Bencher<'_, '_>) {
    let (query, meta) = (query(), meta());
    bencher
        .counter(BytesCount::of_str(&encode_request(&query, &meta)))
        .bench(|| encode_request(black_box(&query), black_box(&meta)));
}

#[divan::bench]
fn request_decode(bencher: Bencher<'_, '_>) {
    let text = encode_request(&query(), &meta());
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let Ok(Message::Request(request)) = Message::parse(black_box(text.as_bytes())) else {
            panic!("a request");
        };
        let params = request.params.expect("params").get();
        let keys = envelope(Some(params)).expect("an envelope");
        let meta: RequestMeta = decode(keys.meta).expect("metadata");
        let params: CallToolParams = decode(params).expect("params");
        let query: Query = params
            .arguments
            .as_ref()
            .expect("arguments")
            .parse()
            .expect("a query");
        (meta, params, query)
    });
}

fn result() -> CallToolResult {
    let text = r#"{"id":1,"name":"Ada Lovelace","region":"us-west1"}"#.repeat(8);
    let rows = vec![serde_json::json!({"id": 1, "name": "Ada Lovelace", "region": "us-west1"}); 7];
    CallToolResult::text(text).structured_content(serde_json::json!({"rows": rows}))
}

fn encode_response(result: CallToolResult, server: &Raw) -> String {
    let result = encode_result(result, server).expect("encodes");
    write_result(&RequestId::from(1), &result)
}

fn server() -> Raw {
    Raw::encode(&Implementation::new("bench", "1.0.0")).expect("encodes")
}

#[divan::bench]
fn result_encode(bencher: Bencher<'_, '_>) {
    let (result, server) = (result(), server());
    bencher
        .counter(BytesCount::of_str(&encode_response(
            result.clone(),
            &server,
        )))
        .with_inputs(|| result.clone())
        .bench_values(|result| encode_response(result, black_box(&server)));
}

#[divan::bench]
fn result_decode(bencher: Bencher<'_, '_>) {
    let text = encode_response(result(), &server());
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let Ok(Message::Response(response)) = Message::parse(black_box(text.as_bytes())) else {
            panic!("a response");
        };
        let result = response.outcome.expect("a result").get();
        let Ok(Decoded::Complete(result)) = decode_result::<CallTool>(result) else {
            panic!("complete");
        };
        result
    });
}
