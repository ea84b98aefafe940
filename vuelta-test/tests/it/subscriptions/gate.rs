//! How many may listen, and who may watch what.

use serde_json::{Value, json};
use vuelta::{Error, ErrorCode, McpServer, Principal, Server, SubscriptionFilter, Subscriptions};

use super::stream::{Stream, TOOLS, UPDATED};

fn server(subscriptions: Subscriptions) -> Server {
    let server = McpServer::new("Pages", "1.0.0").subscriptions(subscriptions);
    server.build().unwrap()
}

fn pages(uris: &[&str]) -> Value {
    json!({ "toolsListChanged": true, "resourceSubscriptions": uris })
}

#[tokio::test]
async fn only_so_many_listen_at_the_same_time() {
    let server = server(Subscriptions::new().max_streams(2));
    let mut first = Stream::open(&server, json!({}));
    let mut second = Stream::open(&server, json!({}));
    first.acknowledged().await;
    second.acknowledged().await;
    let refused = Stream::open(&server, json!({})).refused().await;
    assert_eq!(refused.code, ErrorCode::INTERNAL_ERROR);
    assert_eq!(refused.message, "Subscription limit reached");

    drop(first);
    Stream::open(&server, json!({})).acknowledged().await;
}

#[tokio::test]
async fn only_so_many_resources_are_watched_by_one() {
    let limited = server(Subscriptions::new().max_resources(2));
    let two = pages(&["mem://a", "mem://b"]);
    assert_eq!(
        Stream::open(&limited, two.clone()).acknowledged().await,
        two
    );
    let three = pages(&["mem://a", "mem://b", "mem://c"]);
    let refused = Stream::open(&limited, three).refused().await;
    assert_eq!(refused.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(refused.message, "Too many resourceSubscriptions: at most 2");

    let uris: Vec<String> = (0..1025).map(|number| format!("mem://{number}")).collect();
    let filter = json!({ "resourceSubscriptions": uris });
    let refused = Stream::open(&server(Subscriptions::new()), filter)
        .refused()
        .await;
    assert_eq!(refused.code, ErrorCode::INVALID_PARAMS);
}

/// Callers watch pages of their own; nobody else watches anything.
fn gated() -> Subscriptions {
    Subscriptions::new().allow(|cx, mut filter| async move {
        let Some(caller) = cx.principal() else {
            return Err(Error::rpc(ErrorCode::INVALID_REQUEST, "Sign in to watch"));
        };
        let own = format!("pages://{}/", caller.client_id);
        if let Some(uris) = &mut filter.resource_subscriptions {
            uris.retain(|uri| uri.starts_with(&own));
        }
        Ok(filter)
    })
}

#[tokio::test]
async fn a_gate_narrows_what_is_honoured_and_told() {
    let server = server(gated());
    let asked = pages(&["pages://ann/1", "pages://bob/1"]);
    let ann = Some(Principal::new("ann"));
    let mut stream = Stream::of(&server, 1.into(), asked, ann);
    assert_eq!(stream.acknowledged().await, pages(&["pages://ann/1"]));
    for uri in ["pages://bob/1", "pages://ann/1", "pages://ann/2"] {
        server.notify_resource_updated(uri);
    }
    server.notify_tools_list_changed();
    let told = [format!("{UPDATED} pages://ann/1"), TOOLS.to_owned()];
    assert_eq!(stream.told().await, told);
}

#[tokio::test]
async fn a_gate_refuses_with_an_error_of_its_own() {
    let server = server(gated());
    let refused = Stream::open(&server, pages(&["pages://ann/1"]))
        .refused()
        .await;
    assert_eq!(refused.code, ErrorCode::INVALID_REQUEST);
    assert_eq!(refused.message, "Sign in to watch");
}

#[tokio::test]
async fn a_gate_cannot_widen_what_was_asked_for() {
    let generous = Subscriptions::new().allow(|_, filter| async move {
        let wide = filter.tools_list_changed(true).prompts_list_changed(true);
        Ok(wide.resource_subscriptions(["mem://a", "mem://b"].map(str::to_owned)))
    });
    let server = server(generous);
    let asked = json!({ "promptsListChanged": true, "resourceSubscriptions": ["mem://b"] });
    let mut stream = Stream::open(&server, asked.clone());
    assert_eq!(stream.acknowledged().await, asked);
}

#[tokio::test]
async fn what_fails_in_a_gate_is_not_shown() {
    let broken = Subscriptions::new().allow(|_, _| async move {
        Err::<SubscriptionFilter, _>(Error::handler("the password of the database is wrong"))
    });
    let refused = Stream::open(&server(broken), json!({})).refused().await;
    assert_eq!(refused.code, ErrorCode::INTERNAL_ERROR);
    assert_eq!(refused.message, "Internal server error");
}
