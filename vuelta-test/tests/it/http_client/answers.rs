//! What a client takes as the answer: one JSON message, or a stream up to the response.
//!
//! Source: [receiving
//! messages](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#receiving-messages).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use vuelta::{Client, ServerNotification};

use super::peer::{Peer, Reply, event, response};
use super::{connect, pinned};
use crate::logs::Logs;

const PROGRESS: &str = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":$N}}"#;

fn progress(number: u32) -> String {
    event(&PROGRESS.replace("$N", &number.to_string()))
}

fn done() -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": "na\u{ef}ve \u{1f600}" }] })
}

/// The events of a call with progress, before `$ID` is filled in.
fn call() -> String {
    let response = event(&response(&done()).replace("$ID", "1"));
    [progress(1), progress(2), response].concat()
}

/// Calls a tool; returns the answer's text and the progress before it.
async fn observe(peer: &Peer) -> (vuelta::Result<String>, Vec<String>) {
    let client = connect(peer).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let call = client.tool("t").on_progress(move |progress| {
        keep.lock()
            .unwrap()
            .push(serde_json::to_string(&progress.progress).unwrap());
    });
    let answer = call.send().await.map(|result| result.as_text());
    let seen = seen.lock().unwrap().clone();
    (answer, seen)
}

#[tokio::test]
async fn json_is_known_by_its_media_type() {
    for media_type in [
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/json;",
    ] {
        let peer = Peer::script([Reply::new(200, media_type, &response(&done()))]).await;
        assert_eq!(
            observe(&peer).await.0.unwrap(),
            "na\u{ef}ve \u{1f600}",
            "{media_type}"
        );
    }
}

#[tokio::test]
async fn notifications_come_in_order_before_the_answer() {
    let peer = Peer::script([Reply::stream([call()])]).await;
    let (answer, seen) = observe(&peer).await;
    assert_eq!(answer.unwrap(), "na\u{ef}ve \u{1f600}");
    assert_eq!(seen, ["1", "2"]);
}

#[tokio::test]
async fn any_line_ending_and_any_chunking_is_read() {
    for ending in ["\n", "\r", "\r\n"] {
        let stream = call().replace('\n', ending);
        for size in [1, 2, 3, 5, 64, 127] {
            let pieces = stream.as_bytes().chunks(size);
            let peer = Peer::script([Reply::stream(pieces)]).await;
            let (answer, seen) = observe(&peer).await;
            assert_eq!(answer.unwrap(), "na\u{ef}ve \u{1f600}", "{ending:?} {size}");
            assert_eq!(seen, ["1", "2"], "{ending:?} {size}");
        }
    }
}

#[tokio::test]
async fn what_carries_no_message_is_passed_over() {
    let malformed = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[]}"#;
    let stream = [
        "\u{feff}: keep-alive\r\n\r\n:\n\n",
        "id: 7\nretry: 5\ndata:\n\n",
        "event: endpoint\ndata: /messages\n\n",
        &event(malformed),
        "event: message\n\n",
        &call().replace("data: ", "data:"),
    ];
    let peer = Peer::script([Reply::stream(stream)]).await;
    let (answer, seen) = observe(&peer).await;
    assert_eq!(answer.unwrap(), "na\u{ef}ve \u{1f600}");
    assert_eq!(seen, ["1", "2"]);
}

#[tokio::test]
async fn a_message_may_span_data_lines() {
    let lines = "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\ndata: \"result\":\ndata: {\"content\":[]}}\n\n";
    let peer = Peer::script([Reply::stream([lines])]).await;
    assert_eq!(observe(&peer).await.0.unwrap(), "");
}

#[tokio::test]
async fn the_answer_ends_the_call_while_the_stream_stays_open() {
    let late = [call(), progress(3), event(&response(&json!({})))].concat();
    let peer = Peer::script([Reply::stream([late]).hold()]).await;
    let (answer, seen) = observe(&peer).await;
    assert_eq!(answer.unwrap(), "na\u{ef}ve \u{1f600}");
    assert_eq!(seen, ["1", "2"]);
    peer.closed().await;
}

#[tokio::test]
async fn nothing_follows_after_the_end_of_a_stream() {
    let peer = Peer::script([Reply::stream([call()]).close()]).await;
    let client = connect(&peer).await;
    client.call_tool("t", ()).await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(3600)).await;
    assert_eq!((peer.connections(), peer.received().len()), (1, 1));
}

#[tokio::test]
async fn a_request_of_the_server_fails_the_call_and_names_it() {
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}"#;
    let peer = Peer::script([Reply::stream([event(request), call()])]).await;
    let (answer, seen) = observe(&peer).await;
    let error = answer.unwrap_err();
    assert!(error.is_peer());
    assert!(
        error.to_string().contains("\"sampling/createMessage\""),
        "{error}"
    );
    assert!(seen.is_empty());
}

#[tokio::test]
async fn an_answer_under_an_id_of_another_type_fails_at_once() {
    let text = response(&done()).replace("$ID", "\"1\"");
    for reply in [Reply::json(&text), Reply::stream([event(&text)]).hold()] {
        let peer = Peer::script([reply, Reply::result(&done())]).await;
        let client = connect(&peer).await;
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert!(error.is_peer());
        let expected = "uncorrelated response: it has the id \"1\", the request has the id 1";
        assert_eq!(error.to_string(), expected);
        client.call_tool("t", ()).await.unwrap();
    }
}

#[tokio::test]
async fn an_answer_to_nobody_is_logged_and_ignored() {
    let logs = Logs::capture();
    let stray = event(&response(&json!({})).replace("$ID", "999"));
    let peer = Peer::script([
        Reply::stream([stray.clone(), call()]),
        Reply::stream([stray]),
    ])
    .await;
    assert!(observe(&peer).await.0.is_ok());
    assert_eq!(logs.with("999").len(), 1, "{:?}", logs.all());

    let error = observe(&peer).await.0.unwrap_err();
    let expected = "uncorrelated response: it has the id 999, the request has the id 1";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn an_error_without_an_id_answers_the_call() {
    for id in ["", "\"id\":null,"] {
        let error = format!(
            r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32000,"message":"no","data":null}}}}"#
        );
        for reply in [Reply::json(&error), Reply::stream([event(&error)])] {
            let peer = Peer::script([reply]).await;
            let error = observe(&peer).await.0.unwrap_err();
            assert_eq!(error.to_string(), "no (-32000) null");
        }
    }
}

#[tokio::test]
async fn a_stream_that_ends_without_the_answer_is_a_lost_connection() {
    let cut = &call()[..call().len() - 1];
    for reply in [
        Reply::stream([progress(1)]),
        Reply::stream([cut]),
        Reply::stream([progress(1)]).close(),
        Reply::stream([cut]).close(),
    ] {
        let peer = Peer::script([reply]).await;
        let (answer, seen) = observe(&peer).await;
        assert!(answer.unwrap_err().is_transport());
        assert_eq!(seen[0], "1");
        assert_eq!(peer.received().len(), 1);
    }
}

#[tokio::test]
async fn a_body_that_is_cut_off_is_a_lost_connection() {
    let reply = Reply::json(r#"{"jsonrpc":"2.0","#)
        .header("content-length", "100")
        .close();
    let peer = Peer::script([reply]).await;
    assert!(observe(&peer).await.0.unwrap_err().is_transport());
}

#[tokio::test]
async fn a_body_that_is_no_answer_breaks_the_protocol() {
    let notification = PROGRESS.replace("$N", "1");
    for body in [
        "",
        "nothing",
        "{}",
        "[]",
        &*format!("[{}]", response(&done())),
        &notification,
    ] {
        for reply in [Reply::json(body), Reply::stream([event(body)])] {
            let peer = Peer::script([reply]).await;
            let error = observe(&peer).await.0.unwrap_err();
            // Events without data or with a notification are passed over, to the end.
            assert!(error.is_peer() || error.is_transport(), "{body:?}: {error}");
        }
        let peer = Peer::script([Reply::json(body)]).await;
        assert!(observe(&peer).await.0.unwrap_err().is_peer(), "{body:?}");
    }
}

#[tokio::test]
async fn structured_content_is_delivered_as_it_is() {
    for (member, expected) in [
        (r#","structuredContent":[1]"#, Some("[1]")),
        (r#","structuredContent":"s""#, Some("\"s\"")),
        (r#","structuredContent":3"#, Some("3")),
        (
            r#","structuredContent":12345678901234567890.50"#,
            Some("12345678901234567890.50"),
        ),
        (r#","structuredContent":null"#, Some("null")),
        ("", None),
    ] {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete"{member}}}}}"#);
        let peer = Peer::script([Reply::json(&body)]).await;
        let result = connect(&peer).await.call_tool("t", ()).await.unwrap();
        assert_eq!(
            result.structured_content.as_ref().map(vuelta::Raw::get),
            expected
        );
    }
}

#[tokio::test]
async fn every_notification_is_seen_in_order() {
    let message = |number: u32| {
        let params = json!({ "level": "info", "data": number });
        let method = "notifications/message";
        event(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string())
    };
    let stream: String = (0..1000).map(message).collect();
    let peer = Peer::script([Reply::stream([stream, call()])]).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&seen);
    let builder = Client::builder().on_notification(move |notification| {
        if let ServerNotification::Message(log) = notification {
            keep.lock().unwrap().push(log.data.parse::<u32>().unwrap());
        }
    });
    let client = pinned(builder, vuelta_http::url(peer.url()).unwrap()).await;
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), (0..1000).collect::<Vec<_>>());
}
