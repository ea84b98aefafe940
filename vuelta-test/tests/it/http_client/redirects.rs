//! Where a client lets itself be sent: within the origin, with the same method.

use serde_json::json;
use vuelta::Client;
use vuelta_http::HttpTransport;

use super::peer::{Peer, Reply};
use super::{connect, pinned};

fn redirect(status: u16, location: &str) -> Reply {
    Reply::empty(status).header("location", location)
}

fn done() -> Reply {
    Reply::result(&json!({ "resultType": "complete", "content": [] }))
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_with_the_same_post() {
    for status in [307, 308] {
        let peer = Peer::script([
            redirect(status, "/mcp/"),
            redirect(status, "v2?a=b"),
            done(),
        ])
        .await;
        let transport = HttpTransport::builder(peer.url())
            .header("authorization", "Bearer x")
            .build()
            .unwrap();
        let client = pinned(Client::builder(), transport).await;
        client.call_tool("t", json!({ "a": 1 })).await.unwrap();
        let [first, second, third] = peer.received().try_into().unwrap();
        assert_eq!(first.line, "POST /mcp HTTP/1.1");
        assert_eq!(second.line, "POST /mcp/ HTTP/1.1");
        assert_eq!(third.line, "POST /mcp/v2?a=b HTTP/1.1");
        assert_eq!((&first.headers, &first.body), (&third.headers, &third.body));
    }
}

#[tokio::test]
async fn a_notification_follows_as_well() {
    let peer = Peer::script([redirect(307, "/mcp/"), Reply::empty(202)]).await;
    connect(&peer)
        .await
        .notify("notifications/x", ())
        .await
        .unwrap();
    assert_eq!(peer.received()[1].line, "POST /mcp/ HTTP/1.1");
}

#[tokio::test]
async fn another_origin_is_named_and_never_contacted() {
    let other = Peer::script([]).await;
    let peer = Peer::script([redirect(307, &other.url())]).await;
    let error = connect(&peer).await.call_tool("t", ()).await.unwrap_err();
    assert!(error.is_peer());
    let expected = format!(
        "the server redirects to {}, another origin: connect to that URL if you trust it \
         [HTTP 307]",
        other.url()
    );
    assert_eq!(error.to_string(), expected);
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_redirect_that_changes_the_method_is_not_followed() {
    for status in [301, 302, 303] {
        let peer = Peer::script([redirect(status, "/mcp/")]).await;
        let error = connect(&peer).await.call_tool("t", ()).await.unwrap_err();
        let expected = format!(
            "the server redirects to {}/, with another method: connect to that URL if you trust \
             it [HTTP {status}]",
            peer.url()
        );
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn redirects_have_an_end() {
    let peer = Peer::start(|_| redirect(307, "/mcp")).await;
    let error = connect(&peer).await.call_tool("t", ()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("more often than `max_redirects`"),
        "{error}"
    );
    assert_eq!(peer.received().len(), 6);

    let transport = HttpTransport::builder(peer.url())
        .max_redirects(0)
        .build()
        .unwrap();
    let client = pinned(Client::builder(), transport).await;
    client.call_tool("t", ()).await.unwrap_err();
    assert_eq!(peer.received().len(), 7);
}

#[tokio::test]
async fn a_redirect_to_nowhere_is_a_refusal() {
    for reply in [
        Reply::empty(307),
        redirect(307, "http://["),
        Reply::empty(304),
    ] {
        let peer = Peer::script([reply]).await;
        let error = connect(&peer).await.call_tool("t", ()).await.unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the server refused the message [HTTP 30"),
            "{error}"
        );
    }
}
