//! What a client makes of a response that is no success, or no answer.

use serde_json::json;
use vuelta::{Error, ErrorCode};

use super::connect;
use super::peer::{Peer, Reply, response};

async fn refused(reply: Reply) -> Error {
    let peer = Peer::script([reply]).await;
    let error = connect(&peer).await.call_tool("t", ()).await.unwrap_err();
    assert_eq!(peer.received().len(), 1);
    error
}

#[tokio::test]
async fn a_json_rpc_error_is_shown_with_its_status_whatever_its_id() {
    for id in [
        r#""id":"server-error","#,
        r#""id":null,"#,
        "",
        r#""id":$ID,"#,
        r#""id":1.5,"#,
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32600,"message":"Not Acceptable"}}}}"#
        );
        let error = refused(Reply::new(406, "application/json", &body)).await;
        assert_eq!(error.code(), Some(ErrorCode::INVALID_REQUEST), "{id}");
        assert_eq!(
            error.to_string(),
            "Not Acceptable (-32600) [HTTP 406]",
            "{id}"
        );
    }
}

#[tokio::test]
async fn codes_messages_and_data_survive_every_status() {
    for (status, code) in [
        (400, -32602),
        (404, -32601),
        (400, -32022),
        (500, -32603),
        (418, 7),
    ] {
        let body = json!({
            "jsonrpc": "2.0", "id": 1,
            "error": { "code": code, "message": "m", "data": { "reason": "r" } },
        });
        let error = refused(Reply::new(status, "application/json", &body.to_string())).await;
        let object = error.as_rpc().unwrap();
        assert_eq!((object.code.0, &*object.message), (code, "m"));
        assert_eq!(object.data.as_ref().unwrap().get(), r#"{"reason":"r"}"#);
        assert!(
            error.to_string().ends_with(&format!(" [HTTP {status}]")),
            "{error}"
        );
    }
    // The errors of a handler come with a success: nothing more is to be said of HTTP.
    let body =
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal server error"}}"#;
    assert_eq!(
        refused(Reply::json(body)).await.to_string(),
        "Internal server error (-32603)"
    );
}

#[tokio::test]
async fn a_status_without_a_json_rpc_error_says_who_must_act() {
    let html = "<html>no</html>";
    for (status, media_type, body, expected) in [
        (
            400,
            "application/json",
            "",
            "peer: the server refused the message [HTTP 400]",
        ),
        (
            400,
            "application/json",
            "{}",
            "peer: the server refused the message [HTTP 400]",
        ),
        (
            400,
            "application/json",
            &*response(&json!({})),
            "peer: the server refused the message [HTTP 400]",
        ),
        (
            421,
            "text/plain; charset=utf-8",
            "Invalid Host header\n",
            "peer: the server refused the message: \"Invalid Host header\" [HTTP 421]",
        ),
        (
            404,
            "text/html",
            html,
            "peer: there is no MCP endpoint at this URL; check its path [HTTP 404]",
        ),
        (
            405,
            "text/plain",
            "Method Not Allowed",
            "peer: there is no MCP endpoint at this URL: \"Method Not Allowed\"; check its path \
             [HTTP 405]",
        ),
        (
            401,
            "application/json",
            r#"{"error":"invalid_token"}"#,
            "transport: the server wants authorization; set the header with \
             `HttpTransport::builder(url).header(..)` [HTTP 401]",
        ),
        (
            403,
            "text/html",
            html,
            "transport: the server denies access [HTTP 403]",
        ),
        (
            429,
            "text/html",
            html,
            "transport: the server is asked too often; try again later [HTTP 429]",
        ),
        (
            500,
            "text/html",
            html,
            "transport: the server failed [HTTP 500]",
        ),
        (
            503,
            "text/plain",
            "no healthy upstream",
            "transport: the server failed: \"no healthy upstream\" [HTTP 503]",
        ),
    ] {
        let error = refused(Reply::new(status, media_type, body)).await;
        let kind = if error.is_peer() { "peer" } else { "transport" };
        assert_eq!(format!("{kind}: {error}"), expected);
        assert!(error.is_peer() || error.is_transport());
    }
}

#[tokio::test]
async fn a_long_text_is_shown_in_part_and_without_control_characters() {
    let text = format!("\u{1b}[31m{}", "x".repeat(100_000));
    let error = refused(Reply::new(500, "text/plain", &text))
        .await
        .to_string();
    assert!(
        error.starts_with("the server failed: \"\\u{1b}[31mxxx"),
        "{error}"
    );
    assert!(error.len() < 300, "{}", error.len());
}

#[tokio::test]
async fn a_success_that_is_no_answer_breaks_the_protocol() {
    let not_an_endpoint = |media_type: &str, status: u16| {
        format!(
            "the server answered with content of type {media_type:?}, not application/json or \
             text/event-stream: is this the URL of its MCP endpoint? [HTTP {status}]"
        )
    };
    let html = Reply::new(200, "text/html; charset=utf-8", "<html></html>");
    let accepted = "the server accepted the request but does not answer it [HTTP 202]";
    for (reply, expected) in [
        (Reply::empty(202), accepted.to_owned()),
        (
            Reply::new(202, "application/json", &response(&json!({}))),
            accepted.to_owned(),
        ),
        (Reply::empty(204), not_an_endpoint("", 204)),
        (Reply::empty(200), not_an_endpoint("", 200)),
        (html, not_an_endpoint("text/html", 200)),
    ] {
        let error = refused(reply).await;
        assert!(error.is_peer());
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn an_endless_stream_that_is_no_success_is_not_waited_for() {
    let stream = Reply::stream([": waiting\n\n"]).status(500).hold();
    assert_eq!(
        refused(stream).await.to_string(),
        "the server failed [HTTP 500]"
    );
}

#[tokio::test]
async fn a_notification_is_accepted_or_refused() {
    for status in [200, 202, 204] {
        let peer = Peer::script([Reply::empty(status)]).await;
        assert!(
            connect(&peer)
                .await
                .notify("notifications/x", ())
                .await
                .is_ok(),
            "{status}"
        );
    }
    let body = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#;
    for (reply, expected) in [
        (
            Reply::new(400, "application/json", body),
            "no (-32600) [HTTP 400]",
        ),
        (Reply::empty(500), "the server failed [HTTP 500]"),
    ] {
        let peer = Peer::script([reply]).await;
        let error = connect(&peer)
            .await
            .notify("notifications/x", ())
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
