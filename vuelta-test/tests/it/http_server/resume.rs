//! Streams that break and are gone on with.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use vuelta::Error;
use vuelta_http::{EventId, EventStore, MemoryEventStore, Replay};

use super::dialogue::{Dialogue, Probe, REVISIONS, Stream, accepted};

/// Begins a request that has told something, and breaks its connection.
async fn broken(peer: &Dialogue, id: i64) -> String {
    let mut stream = peer.stream(id, "wait").await;
    assert_eq!(stream.progress().await, 1);
    stream.last.expect("the event has an id")
}

async fn until_finished(probe: &Probe, count: usize) {
    while probe.finished.load(Ordering::SeqCst) < count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_stream_that_broke_goes_on_where_it_was() {
    for revision in REVISIONS {
        let probe = Probe::default();
        let peer = Dialogue::open(&probe.endpoint(), revision).await;
        let last = broken(&peer, 1).await;
        let mut stream = peer.resume(&last).await;
        probe.go.notify_one();
        assert_eq!(stream.progress().await, 2);
        assert_eq!(stream.text(1).await, "done");
        stream.check_end().await;
    }
}

#[tokio::test]
async fn what_came_while_nobody_was_there_is_kept() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint(), "2025-06-18").await;
    let last = broken(&peer, 1).await;
    probe.go.notify_one();
    until_finished(&probe, 1).await;
    // As often as it is asked for.
    for _ in 0..2 {
        let mut stream = peer.resume(&last).await;
        assert_eq!(stream.progress().await, 2);
        assert_eq!(stream.text(1).await, "done");
        let end = stream.last.clone().unwrap();
        stream.check_end().await;
        peer.resume(&end).await.check_end().await;
    }
}

#[tokio::test]
async fn only_the_stream_that_broke_is_gone_on_with() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint(), "2025-11-25").await;
    let first = broken(&peer, 1).await;
    let second = broken(&peer, 2).await;
    for _ in 0..2 {
        probe.go.notify_one();
        tokio::task::yield_now().await;
    }
    probe.go.notify_one();
    until_finished(&probe, 2).await;
    for (last, id) in [(second, 2), (first, 1)] {
        let mut stream = peer.resume(&last).await;
        let progress = stream.message().await;
        assert_eq!(progress["params"]["progressToken"], id);
        assert_eq!(stream.text(id).await, "done");
        stream.check_end().await;
    }
}

#[tokio::test]
async fn a_stream_can_be_gone_on_with_before_anything_came() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint(), "2025-11-25").await;
    let mut stream = peer.stream(1, "hang").await;
    let opening = stream.next().await.unwrap();
    assert!(opening.is_position());
    drop(stream);
    let mut stream = peer.resume(&opening.id.unwrap()).await;
    peer.cancel(1).await;
    stream.check_end().await;
}

#[tokio::test]
async fn the_last_connection_gets_the_stream() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint(), "2025-11-25").await;
    let mut first = peer.stream(1, "wait").await;
    assert_eq!(first.progress().await, 1);
    let mut second = peer.resume(&first.last.clone().unwrap()).await;
    first.check_end().await;
    probe.go.notify_one();
    assert_eq!(second.progress().await, 2);
    assert_eq!(second.text(1).await, "done");
}

#[tokio::test]
async fn a_question_that_was_missed_is_asked_when_the_client_is_back() {
    let peer = Dialogue::open(&Probe::default().endpoint(), "2025-11-25").await;
    let mut stream = peer.stream(1, "ask").await;
    let opening = stream.next().await.unwrap().id.unwrap();
    drop(stream);
    let mut stream = peer.resume(&opening).await;
    let question = stream.question().await;
    peer.answer(&question, accepted("here")).await;
    assert_eq!(stream.text(1).await, "here");
}

#[tokio::test]
async fn a_handler_sends_its_client_away_and_loses_nothing() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint(), "2025-11-25").await;
    let mut stream = peer.stream(1, "pause").await;
    assert_eq!(stream.progress().await, 1);
    let last = stream.next().await.unwrap();
    assert!(last.is_position());
    assert_eq!(last.retry.as_deref(), Some("250"));
    stream.check_end().await;
    probe.go.notify_one();
    until_finished(&probe, 1).await;
    let mut stream = peer.resume(&last.id.unwrap()).await;
    assert_eq!(stream.progress().await, 2);
    assert_eq!(stream.text(1).await, "done");
    stream.check_end().await;
}

#[tokio::test]
async fn a_client_that_does_not_know_of_pauses_is_not_sent_away() {
    let endpoint = Probe::default().endpoint();
    let unkept = endpoint.clone().without_resumption();
    for (endpoint, revision) in [(endpoint, "2025-06-18"), (unkept, "2025-11-25")] {
        let peer = Dialogue::open(&endpoint, revision).await;
        let mut stream = peer.stream(1, "pause").await;
        assert_eq!(stream.progress().await, 1);
        assert_eq!(stream.progress().await, 2);
        peer.cancel(1).await;
        stream.check_end().await;
    }
}

#[tokio::test]
async fn an_id_that_no_event_has_is_refused() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint(), "2025-11-25").await;
    let last = broken(&peer, 1).await;
    let (stream, sequence) = last.split_once('-').unwrap();
    let sequence: u64 = sequence.parse().unwrap();
    for unknown in [
        "x".to_owned(),
        "1".to_owned(),
        "999-1".to_owned(),
        "0-1".to_owned(),
        format!("{stream}-{}", sequence + 1),
        format!("{stream}-{}", u64::MAX),
        format!("{}-1", u64::MAX),
    ] {
        let get = peer.get().set("Last-Event-ID", &unknown);
        let message = get
            .send(&peer.endpoint)
            .await
            .refused(400, &Value::Null, -32600);
        assert!(message.contains("Last-Event-ID"), "{unknown}");
    }
    // What another session has sent is nothing here.
    let other = Dialogue::open(&peer.endpoint, "2025-11-25").await;
    let get = other.get().set("Last-Event-ID", &last);
    get.send(&other.endpoint)
        .await
        .refused(400, &Value::Null, -32600);
}

#[tokio::test(start_paused = true)]
async fn whoever_is_back_too_late_gets_what_is_left_or_is_told() {
    let probe = Probe::default();
    let store = MemoryEventStore::new().session_events(3);
    let peer = Dialogue::open(&probe.endpoint().event_store(store), "2025-11-25").await;
    let mut stream = peer.stream(1, "talk").await;
    stream.progress().await;
    let last = stream.last.clone().unwrap();
    drop(stream);
    sleep(Duration::from_secs(1)).await;
    let mut stream = peer.resume(&last).await;
    assert_eq!(stream.progress().await, 99);
    assert_eq!(stream.progress().await, 100);
    assert_eq!(stream.text(1).await, "done");
    stream.check_end().await;

    let mut other = peer.stream(2, "talk").await;
    other.progress().await;
    drop(other);
    sleep(Duration::from_secs(1)).await;
    let get = peer.get().set("Last-Event-ID", &last);
    let message = get
        .send(&peer.endpoint)
        .await
        .refused(410, &Value::Null, -32600);
    assert!(message.contains("kept no longer"), "{message}");
}

#[tokio::test]
async fn without_resumption_nothing_is_kept() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint().without_resumption(), "2025-11-25").await;
    let mut stream = peer.stream(1, "wait").await;
    let first = stream.next().await.unwrap();
    assert_eq!(first.message()["method"], "notifications/progress");
    assert_eq!((first.id, first.retry), (None, None));
    drop(stream);
    let get = peer.get().set("Last-Event-ID", "1-1");
    get.send(&peer.endpoint)
        .await
        .refused(400, &Value::Null, -32600);
    // The handler runs to its end all the same.
    probe.go.notify_one();
    until_finished(&probe, 1).await;
    // The standing stream is there, from now on.
    Stream::open(peer.get(), &peer.endpoint).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_that_reaches_nobody_fails() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint().without_resumption(), "2025-11-25").await;
    drop(peer.call(1, "ask", json!({})).open(&peer.endpoint).await);
    probe.started.notified().await;
    probe.dropped.notified().await;
    assert_eq!(probe.finished.load(Ordering::SeqCst), 0);
    assert_eq!(peer.endpoint.sessions(), 1);
}

/// The events of each stream.
type Kept = HashMap<String, Vec<(EventId, String)>>;

/// A store that a user might write, which fails when it is told to.
#[derive(Clone, Default)]
struct Shelf {
    events: Arc<Mutex<Kept>>,
    forgotten: Arc<Mutex<Vec<String>>>,
    fails: bool,
}

impl EventStore for Shelf {
    async fn append(&self, session: &str, id: EventId, message: &str) -> Result<(), Error> {
        sleep(Duration::from_millis(1)).await;
        if self.fails {
            return Err(Error::transport("the shelf broke"));
        }
        let mut events = self.events.lock().unwrap();
        let of_session = events.entry(session.to_owned()).or_default();
        of_session.push((id, message.to_owned()));
        Ok(())
    }

    async fn after(&self, session: &str, id: EventId) -> Result<Replay, Error> {
        sleep(Duration::from_millis(1)).await;
        let events = self.events.lock().unwrap();
        let of_session = events.get(session).cloned().unwrap_or_default();
        Ok(Replay::new(of_session.into_iter().filter(|(other, _)| {
            other.stream == id.stream && other.sequence > id.sequence
        })))
    }

    async fn forget(&self, session: &str) {
        self.events.lock().unwrap().remove(session);
        self.forgotten.lock().unwrap().push(session.to_owned());
    }
}

#[tokio::test(start_paused = true)]
async fn streams_are_kept_where_the_user_says() {
    let (probe, shelf) = (Probe::default(), Shelf::default());
    let peer = Dialogue::open(&probe.endpoint().event_store(shelf.clone()), "2025-11-25").await;
    let last = broken(&peer, 1).await;
    probe.go.notify_one();
    sleep(Duration::from_secs(1)).await;
    let kept = shelf.events.lock().unwrap()[&peer.session].clone();
    let places: Vec<_> = kept.iter().map(|(id, _)| id.to_string()).collect();
    assert_eq!(places, ["1-1", "1-2", "1-3"]);
    let answer: Value = serde_json::from_str(&kept[2].1).unwrap();
    assert_eq!(answer["id"], 1);

    let mut stream = peer.resume(&last).await;
    assert_eq!(stream.progress().await, 2);
    assert_eq!(stream.text(1).await, "done");
    peer.delete().send(&peer.endpoint).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(*shelf.forgotten.lock().unwrap(), [peer.session]);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_costs_the_ids_and_not_the_messages() {
    let shelf = Shelf {
        fails: true,
        ..Shelf::default()
    };
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint().event_store(shelf), "2025-11-25").await;
    let mut stream = peer.stream(1, "wait").await;
    assert!(stream.next().await.unwrap().is_position());
    let event = stream.next().await.unwrap();
    assert_eq!(event.id, None);
    probe.go.notify_one();
    assert_eq!(stream.progress().await, 2);
    assert_eq!(stream.text(1).await, "done");
}
