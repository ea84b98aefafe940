//! What only the revisions with a handshake have.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use vuelta::wire::{LoggingLevel, legacy};
use vuelta::{
    CallToolResult, Client, ElicitResult, ElicitUrl, Error, ErrorCode, Mode, Round, Server,
    ServerNotification,
};

use super::{Way, connect, everywhere};

fn older() -> Vec<(Way, Mode)> {
    [Way::Memory, Way::Stream, Way::Http]
        .map(|way| (way, Mode::legacy()))
        .into()
}

#[tokio::test]
async fn verbs_of_older_revisions_say_what_to_do_instead() {
    let server = Server::builder("s", "1").logging().build().unwrap();
    for (way, mode) in everywhere() {
        let client = connect(way, Client::builder().mode(mode), &server)
            .await
            .unwrap();
        client.roots_changed().await.unwrap();
        let (ping, level) = (
            client.ping().await,
            client.set_log_level(LoggingLevel::Info).await,
        );
        if client.is_legacy() {
            ping.unwrap();
            level.unwrap();
            let error = client.subscribe("mem://a").await.unwrap_err();
            assert_eq!(
                error.code(),
                Some(ErrorCode::METHOD_NOT_FOUND),
                "no bus, no changes"
            );
            continue;
        }
        let text = ping.unwrap_err().to_string();
        assert!(
            text.starts_with("ping is not part of revision 2026-07-28: "),
            "{text}"
        );
        assert!(
            level
                .unwrap_err()
                .to_string()
                .contains("`ClientBuilder::log_level`")
        );
        assert!(client.subscribe("mem://a").await.unwrap_err().is_misuse());
        assert!(client.unsubscribe("mem://a").await.unwrap_err().is_misuse());
    }
}

#[tokio::test]
async fn a_log_notification_reaches_the_observer_at_the_level_that_was_set() {
    let server = Server::builder("s", "1")
        .logging()
        .on_call_tool(|cx, _| async move {
            cx.log(LoggingLevel::Debug, "quiet").await?;
            cx.log(LoggingLevel::Error, "loud").await?;
            Ok::<_, Error>(CallToolResult::text("done"))
        })
        .build()
        .unwrap();
    for (way, mode) in older() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let builder = Client::builder()
            .mode(mode)
            .on_notification(move |notification| {
                if let ServerNotification::Message(message) = notification {
                    log.lock().unwrap().push(message.data.get().to_owned());
                }
            });
        let client = connect(way, builder, &server).await.unwrap();
        client.set_log_level(LoggingLevel::Warning).await.unwrap();
        client.call_tool("x", ()).await.unwrap();
        assert_eq!(*seen.lock().unwrap(), ["\"loud\""], "{way:?}");
    }
}

/// A server that wants a URL visited before the first call succeeds.
fn gated(calls: &Arc<AtomicUsize>) -> Server {
    let calls = Arc::clone(calls);
    Server::builder("s", "1")
        .on_call_tool(move |_, _| {
            let is_first = calls.fetch_add(1, Ordering::Relaxed) == 0;
            async move {
                if !is_first {
                    return Ok(CallToolResult::text("in"));
                }
                let url =
                    ElicitUrl::new("Sign in", "https://example.com/sign-in").elicitation_id("e-1");
                Err(Error::url_elicitation_required([url]))
            }
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_url_that_an_error_names_is_visited_and_the_request_sent_again() {
    for (way, mode) in older() {
        let calls = Arc::default();
        let builder = Client::builder()
            .mode(mode)
            .on_elicit_url(|url: ElicitUrl| async move {
                assert_eq!(url.url, "https://example.com/sign-in");
                ElicitResult::accept_url()
            });
        let client = connect(way, builder, &gated(&calls)).await.unwrap();
        let rounds = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&rounds);
        let call = client.tool("x").on_round(move |round| {
            if let Round::Sent { number, .. } = round {
                seen.lock().unwrap().push(number);
            }
        });
        assert_eq!(call.send().await.unwrap().as_text(), "in");
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        assert_eq!(*rounds.lock().unwrap(), [1, 2]);
    }
}

#[tokio::test]
async fn a_user_who_does_not_go_or_nobody_to_send_gets_the_error() {
    for (way, mode) in older() {
        let refusing = Client::builder().on_elicit_url(|_| async { ElicitResult::decline() });
        for builder in [refusing, Client::builder()] {
            let calls = Arc::default();
            let client = connect(way, builder.mode(mode.clone()), &gated(&calls))
                .await
                .unwrap();
            let error = client.call_tool("x", ()).await.unwrap_err();
            assert_eq!(error.code(), Some(ErrorCode::URL_ELICITATION_REQUIRED));
            let data = error.as_rpc().unwrap().data.as_ref().unwrap();
            let named: legacy::UrlElicitations = data.parse().unwrap();
            assert_eq!(named.elicitations[0].message, "Sign in");
            assert_eq!(calls.load(Ordering::Relaxed), 1);
        }
    }
}

#[tokio::test]
async fn an_error_of_older_revisions_never_reaches_a_client_of_2026_07_28() {
    let client = Client::builder()
        .connect(&gated(&Arc::default()))
        .await
        .unwrap();
    let error = client.call_tool("x", json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "Internal server error (-32603)");
}
