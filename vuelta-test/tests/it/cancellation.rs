//! Requests that are given up over a byte stream, from both ends.
//!
//! Source: [cancellation](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;
use vuelta::transport::{StreamServer, StreamTransport};
use vuelta::{CallToolResult, Client, Context, Error, Mode, ProtocolVersion, Server};

use crate::logs::Logs;
use crate::raw::envelope;
use crate::stream::End;

fn serve(server: &Server) -> End {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(StreamServer::new(server).unwrap().serve(read, write));
    End::new(ours)
}

/// A call that asks for progress under its own id.
fn call(id: u64, tool: &str) -> Value {
    let mut meta = envelope(&json!({}));
    meta["progressToken"] = id.into();
    let params = json!({ "name": tool, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

fn cancel(id: u64) -> Value {
    let params = json!({ "requestId": id, "reason": "no longer needed" });
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
}

/// A server whose `leave` goes on telling how far it is after it was cancelled, and whose other
/// tools are done at once; notifies when the last was told.
fn server(told: &Arc<Notify>) -> Server {
    let told = Arc::clone(told);
    Server::builder("s", "1")
        .on_call_tool(move |cx: Context, params| {
            let told = Arc::clone(&told);
            async move {
                if params.name == "leave" {
                    let left = cx.clone();
                    tokio::spawn(async move {
                        left.cancellation().cancelled().await;
                        left.progress(2).await.unwrap();
                        told.notify_one();
                    });
                    cx.progress(1).await?;
                    std::future::pending::<()>().await;
                }
                Ok::<_, Error>(CallToolResult::text("done"))
            }
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn nothing_is_told_of_a_request_that_was_cancelled() {
    let told = Arc::default();
    let mut client = serve(&server(&told));
    client.send(&call(1, "leave")).await;
    assert_eq!(client.expect().await["params"]["progress"], 1);
    client.send(&cancel(1)).await;
    told.notified().await;
    client.check_silence(&call(2, "other")).await;
}

#[tokio::test]
async fn the_reason_of_a_cancellation_is_logged() {
    let logs = Logs::capture();
    let mut client = serve(&server(&Arc::default()));
    client.send(&call(7, "leave")).await;
    client.expect().await;
    client.send(&cancel(7)).await;
    client.check_silence(&call(8, "other")).await;
    let logged = logs.with("request cancelled");
    assert_eq!(logged.len(), 1, "{logged:#?}");
    assert!(logged[0].contains("id=7") && logged[0].contains("no longer needed"));
}

#[tokio::test]
async fn a_cancellation_that_crosses_its_answer_does_nothing() {
    let mut client = serve(&server(&Arc::default()));
    client.send(&call(1, "other")).await;
    assert_eq!(client.expect().await["id"], 1);
    client.send(&cancel(1)).await;
    // Nor does it touch a later request, though it may have the same id.
    client.send(&call(1, "other")).await;
    assert_eq!(client.expect().await["id"], 1);
    client.check_silence(&call(2, "other")).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_takes_too_long_is_cancelled_by_one_message() {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(ours);
    let mut server = End::new(theirs);
    let client = Client::builder()
        .mode(Mode::pinned(ProtocolVersion::V2026_07_28))
        .timeout(Duration::from_secs(3))
        .connect(StreamTransport::new(read, write))
        .await
        .unwrap();
    for (timeout, seconds) in [(None, 3), (Some(Duration::from_secs(9)), 9)] {
        let mut calling = client.tool("slow");
        if let Some(timeout) = timeout {
            calling = calling.timeout(timeout);
        }
        let begin = Instant::now();
        let error = calling.send().await.unwrap_err();
        assert!(error.is_timeout(), "{error}");
        assert_eq!(begin.elapsed().as_secs(), seconds);
        let request = server.expect().await;
        assert_eq!(request["method"], "tools/call");
        let cancelled = server.expect().await;
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert_eq!(cancelled["params"]["requestId"], request["id"]);
    }
    client.close().await;
    assert_eq!(server.next().await, None, "nothing else was sent");
}
