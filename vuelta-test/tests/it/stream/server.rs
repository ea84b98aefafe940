//! What a server does with the lines that it gets.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use vuelta::transport::StreamServer;
use vuelta::{CallToolResult, Error, Raw, Server};
use vuelta_test::fixture;

use super::End;
use crate::raw::envelope;

fn open(options: StreamServer) -> (End, JoinHandle<vuelta::Result<()>>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    (End::new(ours), tokio::spawn(options.serve(read, write)))
}

fn serve(server: &Server) -> End {
    open(StreamServer::new(server).unwrap()).0
}

/// A request of 2026-07-28.
fn modern(id: impl Into<Value>, method: &str, params: Value) -> Value {
    let mut params = params;
    params["_meta"] = envelope(&json!({ "elicitation": {} }));
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

/// A request of a revision with a handshake.
fn legacy(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}

fn hello(version: &str) -> Value {
    let params = json!({
        "protocolVersion": version,
        "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "probe", "version": "0" },
    });
    legacy(0, "initialize", params)
}

fn add(id: impl Into<Value>) -> Value {
    modern(
        id,
        "tools/call",
        json!({ "name": "add", "arguments": { "a": 1, "b": 2 } }),
    )
}

/// A server whose `echo` gives its arguments back, and whose `wait` never ends.
fn echo(finished: &Arc<AtomicUsize>, started: &Arc<Notify>) -> Server {
    let (finished, started) = (Arc::clone(finished), Arc::clone(started));
    Server::builder("s", "1")
        .on_call_tool(move |_, params| {
            let (finished, started) = (Arc::clone(&finished), Arc::clone(&started));
            async move {
                if params.name == "wait" {
                    started.notify_one();
                    std::future::pending::<()>().await;
                    finished.fetch_add(1, Ordering::Relaxed);
                }
                let arguments = params.arguments.unwrap_or_default();
                let value: Raw = arguments.parse().map_err(Error::from)?;
                Ok::<_, Error>(CallToolResult::new().structured_content(value))
            }
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn line_ends_marks_and_blanks_mean_nothing() {
    let mut client = serve(&fixture::server(None));
    let request = add(1);
    client
        .write(format!("\u{feff}{request}\r\n\r\n   \n\n"))
        .await;
    assert_eq!(client.expect().await["id"], 1);
    client.check_silence(&add(2)).await;
}

#[tokio::test]
async fn separators_inside_a_text_are_part_of_it() {
    let (finished, started) = <(Arc<AtomicUsize>, Arc<Notify>)>::default();
    let mut client = serve(&echo(&finished, &started));
    let value = "a\u{2028}b\u{2029}c\u{feff}";
    let arguments = json!({ "name": "echo", "arguments": { "value": value } });
    client.send(&modern(1, "tools/call", arguments)).await;
    let answer = client.expect().await;
    assert_eq!(answer["result"]["structuredContent"]["value"], value);
}

#[tokio::test]
async fn what_is_no_message_is_answered_without_an_id_and_the_next_line_is_served() {
    let mut client = serve(&fixture::server(None));
    for (line, code) in [
        ("{\"jsonrpc\":\"2.0\",\"id\":1,", -32700),
        ("not JSON", -32700),
        ("{\"a\":\"\u{1}\"}", -32700),
        ("[]", -32600),
        (
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
            -32600,
        ),
        ("7", -32600),
    ] {
        client.write(format!("{line}\n")).await;
        let answer = client.expect().await;
        assert_eq!(answer["error"]["code"], code, "{line}");
        assert_eq!(answer.get("id"), None, "{line}");
    }
    client.write(b"\xff\xfe{}\n").await;
    assert_eq!(client.expect().await["error"]["code"], -32700);
    client.check_silence(&add(1)).await;
}

#[tokio::test]
async fn an_older_revision_is_told_of_a_broken_line_under_a_null_id() {
    for (version, id) in [("2025-11-25", None), ("2025-06-18", Some(&Value::Null))] {
        let mut client = serve(&fixture::server(None));
        client.send(&hello(version)).await;
        client.expect().await;
        client.write("{\n").await;
        assert_eq!(client.expect().await.get("id"), id, "{version}");
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_is_skipped() {
    let options = StreamServer::new(fixture::server(None)).unwrap();
    let (mut client, _) = open(options.max_message_size(1000));
    client.write(format!("{}\n", "x".repeat(100_000))).await;
    let answer = client.expect().await;
    assert_eq!(answer["error"]["code"], -32600);
    assert_eq!(
        answer["error"]["message"],
        "the message is longer than 1000 bytes"
    );
    client.check_silence(&add(1)).await;
}

#[tokio::test]
async fn ids_come_back_as_they_were_sent() {
    let mut client = serve(&fixture::server(None));
    let ids = [
        json!("1"),
        json!(1),
        json!(0),
        json!(-1),
        json!(""),
        json!("a\u{0}b"),
        json!(9_007_199_254_740_993_i64),
    ];
    for id in ids {
        client.send(&add(id.clone())).await;
        assert_eq!(client.expect().await["id"], id);
    }
}

#[tokio::test]
async fn notifications_and_stray_answers_are_never_answered() {
    let mut client = serve(&fixture::server(None));
    for line in [
        json!({ "jsonrpc": "2.0", "method": "notifications/whatever", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "window/logMessage" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 99 } }),
        json!({ "jsonrpc": "2.0", "id": 5, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 5, "error": { "code": -1, "message": "no" } }),
    ] {
        client.send(&line).await;
    }
    client.check_silence(&add(1)).await;
}

#[tokio::test]
async fn a_method_that_is_none_and_an_envelope_that_lacks_something_are_told() {
    let mut client = serve(&fixture::server(None));
    client.send(&modern(1, "foo/bar", json!({}))).await;
    assert_eq!(client.expect().await["error"]["code"], -32601);
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    client
        .send(&legacy(2, "tools/list", json!({ "_meta": meta })))
        .await;
    let answer = client.expect().await;
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("io.modelcontextprotocol/clientCapabilities"),
        "{message}"
    );
    // Methods of older revisions are none here.
    for (id, method) in (3..).zip(["ping", "logging/setLevel", "resources/subscribe"]) {
        client.send(&modern(id, method, json!({}))).await;
        assert_eq!(client.expect().await["error"]["code"], -32601, "{method}");
    }
}

#[tokio::test]
async fn a_connection_that_began_without_a_handshake_goes_on_without_one() {
    let mut client = serve(&fixture::server(None));
    client.send(&modern(1, "server/discover", json!({}))).await;
    let supported = &client.expect().await["result"]["supportedVersions"];
    assert_eq!(*supported, json!(["2026-07-28"]));
    client.send(&add(2)).await;
    assert_eq!(
        client.expect().await["result"]["structuredContent"]["sum"],
        3
    );
    client.send(&hello("2025-11-25")).await;
    let refused = client.expect().await;
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(
        refused["error"]["data"],
        json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" })
    );
    client.send(&legacy(3, "tools/list", json!({}))).await;
    assert_eq!(client.expect().await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_connection_with_a_handshake_takes_no_envelopes() {
    let mut client = serve(&fixture::server(None));
    // What comes before it and decides nothing else.
    client.send(&legacy(1, "server/discover", json!({}))).await;
    assert_eq!(client.expect().await["error"]["code"], -32601);
    client.send(&legacy(2, "ping", json!({}))).await;
    assert_eq!(client.expect().await["result"], json!({}));
    client.send(&hello("2025-06-18")).await;
    assert_eq!(
        client.expect().await["result"]["protocolVersion"],
        "2025-06-18"
    );
    client.send(&add(3)).await;
    assert_eq!(client.expect().await["error"]["code"], -32600);
    client.send(&legacy(4, "tools/list", json!({}))).await;
    assert!(client.expect().await["result"]["tools"].is_array());
    client.send(&hello("2025-06-18")).await;
    assert_eq!(
        client.expect().await["result"]["protocolVersion"],
        "2025-06-18"
    );
}

#[tokio::test]
async fn a_server_of_one_era_lets_the_client_begin_anew() {
    let modern_only = Server::builder("s", "1").modern_only().build().unwrap();
    let mut client = serve(&modern_only);
    client.send(&hello("2025-11-25")).await;
    let refused = client.expect().await;
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(refused["error"]["data"]["supported"], json!(["2026-07-28"]));
    client.send(&modern(1, "server/discover", json!({}))).await;
    assert!(client.expect().await["result"].is_object());

    let legacy_only = Server::builder("s", "1").legacy_only().build().unwrap();
    let mut client = serve(&legacy_only);
    client.send(&modern(1, "server/discover", json!({}))).await;
    let refused = client.expect().await;
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(refused["error"]["data"]["supported"][0], "2025-11-25");
    client.send(&hello("2025-11-25")).await;
    assert!(client.expect().await["result"].is_object());
}

#[tokio::test]
async fn a_question_is_pushed_and_its_answer_found() {
    let mut client = serve(&fixture::bridged(None));
    client.send(&hello("2025-11-25")).await;
    client.expect().await;
    let call = json!({ "name": "provision", "arguments": { "name": "orders" } });
    client.send(&legacy(1, "tools/call", call)).await;
    let question = client.expect().await;
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({ "action": "accept", "content": { "region": "eu-west-1" } });
    // Its own ids are the server's: they may be those of the client too.
    client
        .send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }))
        .await;
    let done = client.expect().await;
    assert_eq!(done["id"], 1);
    assert_eq!(
        done["result"]["content"][0]["text"],
        "Provisioned orders in eu-west-1."
    );
}

#[tokio::test]
async fn a_cancelled_request_is_never_answered_and_its_question_is_void() {
    let mut client = serve(&fixture::bridged(None));
    client.send(&hello("2025-11-25")).await;
    client.expect().await;
    let call = json!({ "name": "provision", "arguments": { "name": "orders" } });
    client.send(&legacy(5, "tools/call", call)).await;
    let question = client.expect().await;
    let cancelled = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 },
    });
    client.send(&cancelled).await;
    client.check_silence(&legacy(6, "ping", json!({}))).await;
    // Its answer comes too late, and nothing follows.
    client
        .send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "cancel" } }))
        .await;
    client.check_silence(&legacy(7, "ping", json!({}))).await;
}

#[tokio::test]
async fn a_cancelled_handler_is_dropped_and_the_next_request_is_served() {
    let (finished, started) = <(Arc<AtomicUsize>, Arc<Notify>)>::default();
    let mut client = serve(&echo(&finished, &started));
    client
        .send(&modern(5, "tools/call", json!({ "name": "wait" })))
        .await;
    started.notified().await;
    for id in [json!(6), json!("5"), json!(5)] {
        let params = json!({ "requestId": id });
        client
            .send(
                &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
            )
            .await;
    }
    client
        .check_silence(&modern(6, "tools/call", json!({ "name": "echo" })))
        .await;
    client.close().await;
    assert_eq!(client.next().await, None, "no answer came late");
    assert_eq!(finished.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused_and_is_free_again_afterwards() {
    let (finished, started) = <(Arc<AtomicUsize>, Arc<Notify>)>::default();
    let mut client = serve(&echo(&finished, &started));
    client
        .send(&modern(1, "tools/call", json!({ "name": "wait" })))
        .await;
    started.notified().await;
    client
        .send(&modern(1, "tools/call", json!({ "name": "echo" })))
        .await;
    assert_eq!(client.expect().await["error"]["code"], -32600);
    for _ in 0..2 {
        client
            .send(&modern(2, "tools/call", json!({ "name": "echo" })))
            .await;
        assert!(client.expect().await["result"].is_object());
    }
}

#[tokio::test]
async fn a_connection_that_is_full_says_so_and_still_takes_answers() {
    let options = StreamServer::new(fixture::bridged(None))
        .unwrap()
        .max_requests(1);
    let (mut client, _) = open(options);
    client.send(&hello("2025-11-25")).await;
    client.expect().await;
    let call = json!({ "name": "provision", "arguments": { "name": "orders" } });
    client.send(&legacy(1, "tools/call", call)).await;
    let question = client.expect().await;
    client.send(&legacy(2, "ping", json!({}))).await;
    let refused = client.expect().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(2), &json!(-32603))
    );
    let answer = json!({ "action": "accept", "content": { "region": "eu" } });
    client
        .send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }))
        .await;
    assert_eq!(client.expect().await["id"], 1);
    client.check_silence(&legacy(3, "ping", json!({}))).await;
}

#[tokio::test]
async fn progress_and_its_result_keep_their_order_and_the_token_its_type() {
    for token in [json!(0), json!("t")] {
        let mut client = serve(&fixture::server(None));
        let mut call = modern(1, "tools/call", json!({ "name": "progress" }));
        call["params"]["_meta"]["progressToken"] = token.clone();
        client.send(&call).await;
        let mut last = f64::NEG_INFINITY;
        let answer = loop {
            let message = client.expect().await;
            if message.get("id").is_some() {
                break message;
            }
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(message["params"]["progressToken"], token);
            let progress = message["params"]["progress"].as_f64().unwrap();
            assert!(progress > last);
            last = progress;
        };
        assert!(answer["result"].is_object());
        assert!(last > 0.0, "progress came");
        client.check_silence(&add(2)).await;
    }
}

#[tokio::test]
async fn many_large_answers_reach_a_slow_reader_whole() {
    let (finished, started) = <(Arc<AtomicUsize>, Arc<Notify>)>::default();
    let mut client = serve(&echo(&finished, &started));
    let value = "x".repeat(64 * 1024);
    let mut writer = client.writer.take().unwrap();
    let sending = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt as _;
        for id in 0..200 {
            let params = json!({ "name": "echo", "arguments": { "value": value } });
            let line = format!("{}\n", modern(id, "tools/call", params));
            writer.write_all(line.as_bytes()).await.unwrap();
        }
        writer
    });
    let mut seen = [false; 200];
    for _ in 0..200 {
        let answer = client.expect().await;
        let id = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
        let value = answer["result"]["structuredContent"]["value"]
            .as_str()
            .unwrap();
        assert_eq!(value.len(), 64 * 1024);
        assert!(!std::mem::replace(&mut seen[id], true), "{id} came twice");
    }
    sending.await.unwrap();
}

#[tokio::test]
async fn what_runs_when_the_input_ends_is_answered_and_then_the_server_ends() {
    let go = Arc::new(Notify::new());
    let waiting = Arc::clone(&go);
    let server = Server::builder("s", "1")
        .on_call_tool(move |_, _| {
            let waiting = Arc::clone(&waiting);
            async move {
                waiting.notified().await;
                Ok::<_, Error>(CallToolResult::text("done"))
            }
        })
        .build()
        .unwrap();
    let (mut client, serving) = open(StreamServer::new(server).unwrap());
    client
        .send(&modern(1, "tools/call", json!({ "name": "x" })))
        .await;
    client.close().await;
    go.notify_one();
    assert_eq!(client.expect().await["id"], 1);
    assert_eq!(client.next().await, None);
    serving.await.unwrap().unwrap();

    let (mut client, serving) = open(StreamServer::new(fixture::server(None)).unwrap());
    client.close().await;
    assert_eq!(client.next().await, None);
    serving.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_never_ends_is_cancelled_when_its_grace_is_over() {
    let (finished, started) = <(Arc<AtomicUsize>, Arc<Notify>)>::default();
    let options = StreamServer::new(echo(&finished, &started)).unwrap();
    let (mut client, serving) = open(options);
    client
        .send(&modern(1, "tools/call", json!({ "name": "wait" })))
        .await;
    started.notified().await;
    let closed = tokio::time::Instant::now();
    client.close().await;
    serving.await.unwrap().unwrap();
    assert_eq!(closed.elapsed().as_secs(), 10);
    assert_eq!(client.next().await, None);
}

#[tokio::test]
async fn a_batch_is_served_where_the_revision_has_them() {
    let mut client = serve(&fixture::server(None));
    client.send(&hello("2025-03-26")).await;
    client.expect().await;
    let batch = json!([
        legacy(1, "ping", json!({})),
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        legacy(2, "foo/bar", json!({})),
    ]);
    client.send(&batch).await;
    let answers = client.expect().await;
    assert_eq!(
        answers[0],
        json!({ "jsonrpc": "2.0", "id": 1, "result": {} })
    );
    assert_eq!(answers[1]["error"]["code"], -32601);
    assert_eq!(answers.as_array().unwrap().len(), 2);
    // Nothing in it wants an answer.
    client
        .send(&json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]))
        .await;
    client.check_silence(&legacy(3, "ping", json!({}))).await;
    client.send(&json!([])).await;
    assert_eq!(client.expect().await["error"]["code"], -32600);
}
