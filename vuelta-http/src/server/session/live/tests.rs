use std::sync::Arc;

use vuelta::{Frame, NotificationFrame, Server};

use super::{Live, Unresumable};
use crate::server::session::Options;
use crate::server::session::channel::Item;
use crate::server::session::store::EventId;

fn live(options: &Options) -> Arc<Live> {
    let server = Server::builder("s", "1").build().unwrap();
    let (core, _) = server.open_session();
    Live::new("s".into(), None, core, options)
}

async fn tell(live: &Live, method: &str) {
    let frame = NotificationFrame::new(method, None);
    live.tell(Frame::Notification(frame)).await;
}

/// Asserts that the next message is the notification of this method.
#[track_caller]
fn check_told(item: Option<Item>, id: &str, method: &str) {
    let Some(Item::Event(event)) = item else {
        panic!("no event, but {item:?}");
    };
    let message = format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#);
    assert_eq!(
        (event.id.to_string().as_str(), event.message),
        (id, message)
    );
}

#[tokio::test]
async fn what_belongs_to_no_request_goes_to_the_standing_stream_and_waits_for_it() {
    let live = live(&Options::default());
    tell(&live, "a").await;
    let mut reading = live.read_standing().await.unwrap().unwrap();
    check_told(reading.reader.next().await, "0-1", "a");
    tell(&live, "b").await;
    check_told(reading.reader.next().await, "0-2", "b");
    assert!(live.read_standing().await.unwrap().is_none());
    drop(reading);

    tell(&live, "c").await;
    let after = EventId {
        stream: 0,
        sequence: 1,
    };
    let mut reading = live.resume(after).await.unwrap();
    check_told(reading.reader.next().await, "0-2", "b");
    check_told(reading.reader.next().await, "0-3", "c");
    live.close();
    assert_eq!(reading.reader.next().await, None);
}

#[tokio::test]
async fn without_a_store_the_standing_stream_tells_what_is_new() {
    let options = Options {
        store: None,
        ..Options::default()
    };
    let live = live(&options);
    tell(&live, "a").await;
    let mut reading = live.read_standing().await.unwrap().unwrap();
    tell(&live, "b").await;
    check_told(reading.reader.next().await, "0-2", "b");
    let after = EventId {
        stream: 0,
        sequence: 1,
    };
    let resumed = live.resume(after).await;
    assert!(matches!(resumed, Err(Unresumable::Unknown)));
}

#[tokio::test]
async fn a_session_is_idle_when_nobody_reads() {
    let live = live(&Options::default());
    assert!(live.idle_since().is_some());
    let reading = live.read_standing().await.unwrap();
    assert!(live.idle_since().is_none());
    drop(reading);
    assert!(live.idle_since().is_some());
}
