//! A subscription that is opened again whenever it ends.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;
use vuelta::client::Watch;
use vuelta::{
    ChangeEvent, Client, Error, ErrorCode, McpServer, Server, SubscriptionFilter, Subscriptions,
    WatchEvent,
};

use super::peer::{Asked, Peer, connect};
use super::stream::TOOLS;

fn listening() -> WatchEvent {
    WatchEvent::Listening(SubscriptionFilter::new().tools_list_changed(true))
}

fn changed() -> WatchEvent {
    WatchEvent::Changed(ChangeEvent::ToolsListChanged)
}

async fn next(watch: &mut Watch) -> WatchEvent {
    watch.next().await.unwrap().unwrap()
}

/// Waits until the watch listens; returns after how many seconds it asked.
async fn listened(watch: &mut Watch, peer: &mut Peer) -> (Asked, u64) {
    let begin = Instant::now();
    let honoured = json!({ "toolsListChanged": true });
    let (event, asked) = tokio::join!(next(watch), peer.acknowledge(honoured));
    assert_eq!(event, listening());
    (asked, begin.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_was_lost_is_opened_again_and_says_so() {
    let (client, mut peer) = connect(Client::builder()).await;
    let mut watch = client.listen().tools().watch();
    let (asked, waited) = listened(&mut watch, &mut peer).await;
    assert_eq!((asked.id(), waited), ("listen-1".into(), 0));
    asked.tell(TOOLS, json!({}));
    assert_eq!(next(&mut watch).await, changed());

    // Lost, or ended well: the server may be about to start anew.
    drop(asked);
    let (asked, waited) = listened(&mut watch, &mut peer).await;
    assert_eq!((asked.id(), waited), ("listen-2".into(), 1));
    asked.end();
    let (asked, waited) = listened(&mut watch, &mut peer).await;
    assert_eq!((asked.id(), waited), ("listen-3".into(), 2));
    asked.tell(TOOLS, json!({}));
    assert_eq!(next(&mut watch).await, changed());
}

#[tokio::test(start_paused = true)]
async fn waits_grow_until_a_subscription_lasts() {
    let (client, mut peer) = connect(Client::builder()).await;
    let mut watch = client.listen().tools().watch();
    let failing = async {
        let mut waits = Vec::new();
        let mut last = Instant::now();
        for _ in 0..9 {
            let asked = peer.asked().await;
            waits.push(last.elapsed().as_secs());
            last = Instant::now();
            asked.answer(Err(Error::transport("the server failed")));
        }
        let asked = peer.acknowledge(json!({ "toolsListChanged": true })).await;
        waits.push(last.elapsed().as_secs());
        (waits, asked)
    };
    let (event, (waits, asked)) = tokio::join!(next(&mut watch), failing);
    assert_eq!(event, listening());
    assert_eq!(waits, [0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);

    // It does not last: that was no success.
    tokio::time::advance(Duration::from_secs(59)).await;
    drop(asked);
    let (asked, waited) = listened(&mut watch, &mut peer).await;
    assert_eq!(waited, 60);
    tokio::time::advance(Duration::from_secs(61)).await;
    drop(asked);
    let (_asked, waited) = listened(&mut watch, &mut peer).await;
    assert_eq!(waited, 1);
}

#[tokio::test(start_paused = true)]
async fn waits_can_be_given_and_attempts_be_given_up() {
    let (client, mut peer) = connect(Client::builder()).await;
    let failed: Arc<Mutex<Vec<u32>>> = Arc::default();
    let mut watch = client.listen().tools().watch_with({
        let failed = Arc::clone(&failed);
        move |failures| {
            failed.lock().unwrap().push(failures);
            (failures < 2).then_some(Duration::from_millis(10))
        }
    });
    let failing = async {
        for text in ["first", "second", "third"] {
            let asked = peer.asked().await;
            asked.answer(Err(Error::transport(text)));
        }
    };
    let begin = Instant::now();
    let (event, ()) = tokio::join!(watch.next(), failing);
    assert_eq!(event.unwrap().unwrap_err().to_string(), "third");
    assert_eq!(begin.elapsed(), Duration::from_millis(20));
    assert_eq!(*failed.lock().unwrap(), [0, 1, 2]);
    assert!(watch.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_last_subscription_that_ends_well_ends_the_watch_well() {
    let (client, mut peer) = connect(Client::builder()).await;
    let mut watch = client.listen().tools().watch_with(|_| None);
    let (asked, _) = listened(&mut watch, &mut peer).await;
    asked.end();
    assert!(watch.next().await.is_none());

    let mut watch = client.listen().tools().watch_with(|_| None);
    let (asked, _) = listened(&mut watch, &mut peer).await;
    drop(asked);
    let error = watch.next().await.unwrap().unwrap_err();
    assert!(error.is_subscription_lost());
    assert!(watch.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn what_no_waiting_mends_ends_the_watch() {
    let server = Server::builder("s", "1").build().unwrap();
    let client = Client::builder().connect(&server).await.unwrap();
    let mut watch = client.listen().tools().watch();
    let error = watch.next().await.unwrap().unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::METHOD_NOT_FOUND));
    assert!(watch.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_watch_waits_for_a_place() {
    let server = McpServer::new("Shelf", "1.0.0")
        .subscriptions(Subscriptions::new().max_streams(1))
        .build()
        .unwrap();
    let client = Client::builder().connect(&server).await.unwrap();
    let first = client.listen().tools().open().await.unwrap();
    let mut watch = client.listen().tools().watch();
    // The wait is not lost with the future that was dropped.
    let half = Duration::from_millis(500);
    assert!(tokio::time::timeout(half, watch.next()).await.is_err());
    drop(first);
    let begin = Instant::now();
    assert_eq!(next(&mut watch).await, listening());
    assert_eq!(begin.elapsed(), half);
    server.notify_tools_list_changed();
    assert_eq!(next(&mut watch).await, changed());
}
