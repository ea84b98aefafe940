#![expect(
    clippy::needless_pass_by_value,
    reason = "a test writes its JSON in place"
)]

use serde_json::{Value, json};
use vuelta_wire::{ServerNotification, SubscriptionFilter};

use super::{BACKLOG, Broken, Inbox};
use crate::subscribe::ChangeEvent;

fn inbox(asked: Value) -> Inbox {
    Inbox::new("listen-1".into(), serde_json::from_value(asked).unwrap())
}

fn notification(method: &str, params: Value) -> ServerNotification {
    let params = params.to_string();
    ServerNotification::decode(&format!("notifications/{method}"), Some(&params)).unwrap()
}

/// Delivers a notification of the subscription under this id.
fn deliver(inbox: &Inbox, id: Value, method: &str, mut params: Value) {
    params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": id });
    inbox.deliver(&notification(method, params));
}

fn acknowledge(inbox: &Inbox, honoured: Value) {
    let params = json!({ "notifications": honoured });
    deliver(
        inbox,
        json!("listen-1"),
        "subscriptions/acknowledged",
        params,
    );
}

fn updated(inbox: &Inbox, uri: &str) {
    deliver(
        inbox,
        json!("listen-1"),
        "resources/updated",
        json!({ "uri": uri }),
    );
}

fn tools_changed(inbox: &Inbox, id: Value) {
    deliver(inbox, id, "tools/list_changed", json!({}));
}

fn taken(inbox: &Inbox) -> Vec<ChangeEvent> {
    std::iter::from_fn(|| inbox.pop()).collect()
}

#[test]
fn the_first_acknowledgement_counts_and_nothing_before_it() {
    let inbox = inbox(json!({ "toolsListChanged": true, "promptsListChanged": true }));
    tools_changed(&inbox, json!("listen-1"));
    assert_eq!(inbox.honoured(), None);
    assert_eq!(taken(&inbox), []);

    acknowledge(&inbox, json!({ "toolsListChanged": true }));
    acknowledge(&inbox, json!({ "promptsListChanged": true }));
    let honoured = SubscriptionFilter::new().tools_list_changed(true);
    assert_eq!(inbox.honoured(), Some(honoured));
    deliver(&inbox, json!("listen-1"), "prompts/list_changed", json!({}));
    tools_changed(&inbox, json!("listen-1"));
    assert_eq!(taken(&inbox), [ChangeEvent::ToolsListChanged]);
}

#[test]
fn what_was_not_asked_for_is_dropped_whatever_was_acknowledged() {
    let inbox = inbox(json!({ "toolsListChanged": true }));
    let more = json!({ "toolsListChanged": true, "resourceSubscriptions": ["mem://a"] });
    acknowledge(&inbox, more);
    let honoured = SubscriptionFilter::new().tools_list_changed(true);
    assert_eq!(inbox.honoured(), Some(honoured));
    updated(&inbox, "mem://a");
    deliver(
        &inbox,
        json!("listen-1"),
        "resources/list_changed",
        json!({}),
    );
    assert_eq!(taken(&inbox), []);
}

#[test]
fn a_part_of_what_is_watched_may_be_named() {
    let watched = json!({ "resourceSubscriptions": ["file:///project"] });
    let inbox = inbox(watched.clone());
    acknowledge(&inbox, watched);
    updated(&inbox, "file:///project/src/main.rs");
    let part = ChangeEvent::resource_updated("file:///project/src/main.rs");
    assert_eq!(taken(&inbox), [part]);
}

#[test]
fn notifications_of_others_are_not_taken_in() {
    let inbox = inbox(json!({ "toolsListChanged": true }));
    acknowledge(&inbox, json!({ "toolsListChanged": true }));
    for id in [json!("listen-2"), json!(1), json!(null), json!({})] {
        tools_changed(&inbox, id);
    }
    inbox.deliver(&notification("tools/list_changed", json!({})));
    inbox.deliver(&notification(
        "cancelled",
        json!({ "requestId": "listen-2" }),
    ));
    let params = json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": "listen-1" } });
    inbox.deliver(&notification("vendor/news", params));
    deliver(
        &inbox,
        json!("listen-1"),
        "progress",
        json!({ "progressToken": 1, "progress": 1 }),
    );
    assert_eq!(taken(&inbox), []);
    assert_eq!(inbox.broken(), None);
}

#[test]
fn a_cancellation_names_its_request() {
    let inbox = inbox(json!({ "toolsListChanged": true }));
    acknowledge(&inbox, json!({ "toolsListChanged": true }));
    tools_changed(&inbox, json!("listen-1"));
    inbox.deliver(&notification(
        "cancelled",
        json!({ "requestId": "listen-1" }),
    ));
    assert_eq!(inbox.broken(), Some(Broken::Cancelled));
    assert_eq!(taken(&inbox), [ChangeEvent::ToolsListChanged]);
    tools_changed(&inbox, json!("listen-1"));
    assert_eq!(taken(&inbox), [], "nothing is taken in any more");
}

#[test]
fn what_waits_is_distinct_and_bounded() {
    let watched = json!({ "resourceSubscriptions": ["mem://"] });
    let inbox = inbox(watched.clone());
    acknowledge(&inbox, watched);
    for number in 0..BACKLOG {
        updated(&inbox, &format!("mem://{number}"));
        updated(&inbox, "mem://0");
    }
    assert_eq!(inbox.broken(), None);
    updated(&inbox, "mem://one-more");
    assert_eq!(inbox.broken(), Some(Broken::Flooded));
    assert_eq!(taken(&inbox).len(), BACKLOG);
}
