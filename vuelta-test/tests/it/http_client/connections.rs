//! Connections: kept, lost, given up; and how much is read from them.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use vuelta::Client;
use vuelta_http::HttpTransport;

use super::peer::{Peer, Reply, event, response};
use super::{connect, pinned};

fn done() -> Value {
    json!({ "resultType": "complete", "content": [] })
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let error = r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"m"}}"#;
    let stream = [
        ": an end in sight\n\n".to_owned(),
        event(&response(&done()).replace("$ID", "2")),
    ];
    let peer = Peer::script([
        Reply::result(&done()),
        Reply::stream(stream),
        Reply::new(400, "application/json", error),
        Reply::empty(202),
        Reply::result(&done()),
    ])
    .await;
    let client = connect(&peer).await;
    client.call_tool("t", ()).await.unwrap();
    client.call_tool("t", ()).await.unwrap();
    client.call_tool("t", ()).await.unwrap_err();
    client.notify("notifications/x", ()).await.unwrap();
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(peer.connections(), 1);
}

#[tokio::test]
async fn a_closed_connection_is_replaced() {
    let peer = Peer::script([Reply::result(&done()).close(), Reply::result(&done())]).await;
    let client = connect(&peer).await;
    client.call_tool("t", ()).await.unwrap();
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(peer.connections(), 2);
}

#[tokio::test]
async fn a_request_that_may_have_been_served_is_not_sent_again() {
    let peer = Peer::script([Reply::result(&done()), Reply::silence().close()]).await;
    let client = connect(&peer).await;
    client.call_tool("t", ()).await.unwrap();
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.is_transport());
    assert_eq!(
        error.to_string(),
        format!("the connection to {} broke before the answer", peer.url())
    );
    assert_eq!(peer.received().len(), 2);
}

#[tokio::test]
async fn dropping_a_call_closes_its_connection() {
    for reply in [Reply::silence(), Reply::stream([": waiting\n\n"]).hold()] {
        let peer = Peer::script([reply]).await;
        let client = connect(&peer).await;
        let call = tokio::spawn(async move { client.call_tool("t", ()).await });
        peer.arrived().await;
        call.abort();
        peer.closed().await;
        assert_eq!(peer.received().len(), 1);
    }
}

#[tokio::test]
async fn a_timeout_closes_the_connection() {
    let peer = Peer::script([Reply::silence()]).await;
    let client = connect(&peer).await;
    let call = client.tool("t").timeout(Duration::from_secs(60)).send();
    let call = tokio::spawn(call);
    peer.arrived().await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(61)).await;
    assert!(call.await.unwrap().unwrap_err().is_timeout());
    tokio::time::resume();
    peer.closed().await;
}

#[tokio::test]
async fn nobody_there_is_a_transport_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp?token=secret", listener.local_addr().unwrap());
    drop(listener);
    // The probe passes it on: a server that cannot be reached is of no revision.
    let error = Client::builder()
        .connect(vuelta_http::url(&url).unwrap())
        .await
        .unwrap_err();
    assert!(error.is_transport());
    assert_eq!(
        format!("{error}?token=secret"),
        format!("cannot connect to {url}")
    );
    let cause = std::error::Error::source(&error).unwrap();
    assert!(!format!("{cause} {cause:?}").contains("secret"));
}

/// Calls a tool with a limit on the size of the answer.
async fn limited(limit: usize, reply: Reply) -> Result<(), String> {
    let peer = Peer::script([reply]).await;
    let transport = HttpTransport::builder(peer.url())
        .max_response_size(limit)
        .build()
        .unwrap();
    let client = pinned(Client::builder(), transport).await;
    match client.call_tool("t", ()).await {
        Ok(_) => Ok(()),
        Err(error) => {
            assert!(error.is_peer());
            Err(error.to_string())
        }
    }
}

#[tokio::test]
async fn an_answer_has_a_size_limit() {
    let body = response(&done()).replace("$ID", "1");
    let exact = body.len();
    let pieces = |text: &str| {
        text.as_bytes()
            .chunks(7)
            .map(<[u8]>::to_vec)
            .collect::<Vec<_>>()
    };
    let unsized_json = || Reply::stream(pieces(&body)).media_type("application/json");
    let too_large = |limit: usize| {
        Err(format!(
            "the answer is larger than `max_response_size` ({limit} bytes)"
        ))
    };

    assert_eq!(limited(exact, Reply::json(&body)).await, Ok(()));
    assert_eq!(
        limited(exact - 1, Reply::json(&body)).await,
        too_large(exact - 1)
    );
    assert_eq!(limited(exact, unsized_json()).await, Ok(()));
    assert_eq!(
        limited(exact - 1, unsized_json()).await,
        too_large(exact - 1)
    );
    // What is declared too large is not waited for.
    let declared = Reply::json("")
        .header("content-length", "99999999999")
        .hold();
    assert_eq!(limited(exact, declared).await, too_large(exact));
}

#[tokio::test]
async fn each_event_has_a_size_limit_and_a_stream_has_none() {
    let padding = "x".repeat(200);
    let params = json!({ "level": "info", "data": padding });
    let log = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
    let large = event(&log.to_string());
    let limit = large.len();
    let answer = event(&response(&done()).replace("$ID", "1"));
    let many = [large.repeat(50), answer.clone()].concat();
    assert_eq!(limited(limit, Reply::stream([many])).await, Ok(()));
    let too_large = format!(
        "the answer is larger than `max_response_size` ({} bytes)",
        200
    );
    assert_eq!(
        limited(200, Reply::stream([large, answer])).await,
        Err(too_large.clone())
    );
    // No line ever ends, nor does the stream.
    let endless = Reply::stream(vec!["data: x".repeat(20); 3]).hold();
    assert_eq!(limited(200, endless).await, Err(too_large));
}

#[tokio::test]
async fn a_refusal_beyond_the_limit_is_known_by_its_status() {
    let reply = Reply::new(404, "text/html", &"x".repeat(1000));
    let expected = "there is no MCP endpoint at this URL; check its path [HTTP 404]";
    assert_eq!(limited(100, reply).await, Err(expected.to_owned()));
}
