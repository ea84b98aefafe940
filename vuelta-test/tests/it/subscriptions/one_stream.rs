//! Several subscriptions over one byte stream, where only their ids tell them apart.

use serde_json::{Value, json};
use vuelta::transport::StreamTransport;
use vuelta::{ChangeEvent, Client, Mode, ProtocolVersion, Subscription};

use super::stream::{ACKNOWLEDGED, SUBSCRIPTION_ID, TOOLS, UPDATED};
use crate::stream::End;

async fn connect() -> (Client, End) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(ours);
    let client = Client::builder()
        .mode(Mode::pinned(ProtocolVersion::V2026_07_28))
        .connect(StreamTransport::new(read, write))
        .await
        .unwrap();
    (client, End::new(theirs))
}

/// Sends a notification on a subscription.
async fn tell(server: &mut End, id: &Value, method: &str, mut params: Value) {
    params["_meta"] = json!({ SUBSCRIPTION_ID: id });
    let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
    server.send(&message).await;
}

/// Opens a subscription to the tools and one to a resource; returns both with their ids.
async fn open(client: &Client, server: &mut End) -> [(Subscription, Value); 2] {
    let serving = async {
        let (tools, page) = (server.expect().await, server.expect().await);
        // The second one is acknowledged first, and is told something before the first one is.
        for (request, method) in [(&page, UPDATED), (&tools, TOOLS)] {
            assert_eq!(request["method"], "subscriptions/listen");
            let honoured = json!({ "notifications": request["params"]["notifications"] });
            tell(server, &request["id"], ACKNOWLEDGED, honoured).await;
            tell(server, &request["id"], method, json!({ "uri": "mem://a" })).await;
        }
        (tools["id"].clone(), page["id"].clone())
    };
    let (tools, page, (tools_id, page_id)) = tokio::join!(
        client.listen().tools().open(),
        client.listen().resource("mem://a").open(),
        serving
    );
    [(tools.unwrap(), tools_id), (page.unwrap(), page_id)]
}

async fn next(subscription: &mut Subscription) -> ChangeEvent {
    subscription.next().await.unwrap().unwrap()
}

#[tokio::test]
async fn subscriptions_over_one_stream_are_told_apart_by_their_ids() {
    let (client, mut server) = connect().await;
    let [(mut tools, tools_id), (mut page, page_id)] = open(&client, &mut server).await;
    assert_ne!(tools_id, page_id);
    let updated = ChangeEvent::resource_updated("mem://a");
    assert_eq!(next(&mut tools).await, ChangeEvent::ToolsListChanged);
    assert_eq!(next(&mut page).await, updated);

    // Of no subscription, and of one that nobody has opened.
    let stray = json!({ "jsonrpc": "2.0", "method": TOOLS });
    server.send(&stray).await;
    tell(&mut server, &json!("listen-99"), TOOLS, json!({})).await;
    // Of the other one, which did not ask for it.
    tell(&mut server, &page_id, TOOLS, json!({})).await;
    tell(&mut server, &page_id, UPDATED, json!({ "uri": "mem://a" })).await;
    assert_eq!(next(&mut page).await, updated);

    // The end of one is not the end of the other.
    let over = json!({ "resultType": "complete", "_meta": { SUBSCRIPTION_ID: tools_id } });
    let over = json!({ "jsonrpc": "2.0", "id": tools_id, "result": over });
    server.send(&over).await;
    assert!(tools.next().await.is_none(), "nothing but the end came");
    tell(&mut server, &page_id, UPDATED, json!({ "uri": "mem://a" })).await;
    assert_eq!(next(&mut page).await, updated);

    let cancelled = json!({ "requestId": page_id });
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled });
    server.send(&cancelled).await;
    let lost = page.next().await.unwrap().unwrap_err();
    assert!(lost.is_subscription_lost(), "{lost}");
}

#[tokio::test]
async fn a_subscription_that_is_dropped_is_cancelled_by_its_id() {
    let (client, mut server) = connect().await;
    let [(tools, _), (page, page_id)] = open(&client, &mut server).await;
    drop(page);
    let cancelled = server.expect().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], page_id);
    drop(tools);
}
