use std::sync::Arc;
use std::time::Duration;

use super::{Channel, Event, Item, Reader};
use crate::server::session::memory::MemoryEventStore;
use crate::server::session::store::EventId;

fn kept() -> Arc<Channel> {
    Channel::new(7, "s".into(), Some(Arc::new(MemoryEventStore::new())))
}

fn unkept() -> Arc<Channel> {
    Channel::new(7, "s".into(), None)
}

async fn write(channel: &Channel, messages: &[&str]) {
    for message in messages {
        channel.write((*message).to_owned()).await;
    }
}

/// Reads as many messages as are named, and checks their order and their numbers.
#[track_caller]
fn check_read(event: Option<Item>, sequence: u64, message: &str) {
    let Some(Item::Event(Event {
        id, message: text, ..
    })) = event
    else {
        panic!("no event, but {event:?}");
    };
    let expected = EventId {
        stream: 7,
        sequence,
    };
    assert_eq!((id, text.as_str()), (expected, message));
}

async fn resumed(channel: &Arc<Channel>, after: u64) -> Reader {
    channel.attach_after(after).await.unwrap().0
}

#[tokio::test]
async fn a_reader_gets_what_is_written_in_order_and_then_the_end() {
    for channel in [kept(), unkept()] {
        let mut reader = channel.attach();
        write(&channel, &["a", "b"]).await;
        channel.finish();
        check_read(reader.next().await, 1, "a");
        check_read(reader.next().await, 2, "b");
        assert_eq!(reader.next().await, None);
    }
}

#[tokio::test]
async fn whoever_comes_back_gets_what_was_missed_and_what_comes_then() {
    let channel = kept();
    drop(channel.attach());
    write(&channel, &["a", "b", "c"]).await;
    let mut reader = resumed(&channel, 1).await;
    write(&channel, &["d"]).await;
    check_read(reader.next().await, 2, "b");
    check_read(reader.next().await, 3, "c");
    check_read(reader.next().await, 4, "d");
}

#[tokio::test]
async fn what_is_kept_and_sent_comes_once() {
    let channel = kept();
    write(&channel, &["a"]).await;
    // Attached between keeping and sending: the message is in both.
    let mut reader = channel.attach();
    reader.last = 0;
    reader.missed.push_back((
        EventId {
            stream: 7,
            sequence: 1,
        },
        "a".to_owned(),
    ));
    let id = EventId {
        stream: 7,
        sequence: 1,
    };
    let twice = Event {
        id,
        is_kept: true,
        message: "a".to_owned(),
    };
    channel.send(Item::Event(twice)).await;
    write(&channel, &["b"]).await;
    check_read(reader.next().await, 1, "a");
    check_read(reader.next().await, 2, "b");
}

#[tokio::test]
async fn the_last_reader_reads_and_the_one_before_is_cut_off() {
    let channel = kept();
    let mut first = channel.attach();
    write(&channel, &["a"]).await;
    let mut second = resumed(&channel, 0).await;
    write(&channel, &["b"]).await;
    assert_eq!(first.next().await, None);
    check_read(second.next().await, 1, "a");
    check_read(second.next().await, 2, "b");
    assert!(channel.has_reader());
}

#[tokio::test]
async fn a_pause_sends_the_reader_away_and_loses_nothing() {
    let channel = kept();
    let mut reader = channel.attach();
    write(&channel, &["a"]).await;
    channel.pause(Duration::from_millis(5)).await;
    assert!(!channel.has_reader());
    write(&channel, &["b"]).await;
    check_read(reader.next().await, 1, "a");
    let pause = Item::Pause(Duration::from_millis(5));
    assert_eq!(reader.next().await, Some(pause));
    assert_eq!(reader.next().await, None);
    let mut reader = resumed(&channel, 1).await;
    check_read(reader.next().await, 2, "b");
}

#[tokio::test]
async fn a_stream_that_is_not_kept_cannot_be_paused() {
    let channel = unkept();
    let mut reader = channel.attach();
    channel.pause(Duration::from_millis(5)).await;
    write(&channel, &["a"]).await;
    check_read(reader.next().await, 1, "a");
}

#[tokio::test]
async fn whether_a_message_reaches_anybody_is_told() {
    let channel = unkept();
    assert!(!channel.write("a".to_owned()).await);
    let reader = channel.attach();
    assert!(channel.write("b".to_owned()).await);
    drop(reader);
    assert!(!channel.has_reader());
    assert!(!channel.write("c".to_owned()).await);
    assert!(kept().write("a".to_owned()).await);
}

#[tokio::test(start_paused = true)]
async fn a_writer_waits_for_a_slow_reader_until_it_leaves() {
    let channel = kept();
    let reader = channel.attach();
    let writer = {
        let channel = Arc::clone(&channel);
        tokio::spawn(async move {
            for _ in 0..65 {
                channel.write("x".to_owned()).await;
            }
        })
    };
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!writer.is_finished());
    drop(reader);
    writer.await.unwrap();
    let (mut reader, has_gap) = channel.attach_after(63).await.unwrap();
    assert!(!has_gap);
    check_read(reader.next().await, 64, "x");
    check_read(reader.next().await, 65, "x");
}

#[tokio::test]
async fn a_stream_that_is_over_has_no_more_readers() {
    let channel = kept();
    write(&channel, &["a"]).await;
    let mut reader = channel.attach();
    channel.cut();
    assert_eq!(reader.next().await, None);
    assert_eq!(channel.attach().next().await, None);
    let mut late = resumed(&channel, 0).await;
    check_read(late.next().await, 1, "a");
    assert_eq!(late.next().await, None);
    assert!(!channel.has_reader());
}

#[tokio::test]
async fn what_nobody_has_read_waits_for_the_first_reader() {
    let channel = kept();
    write(&channel, &["a"]).await;
    let mut reader = channel.attach_where_left().await.unwrap();
    check_read(reader.next().await, 1, "a");
    write(&channel, &["b"]).await;
    check_read(reader.next().await, 2, "b");
    drop(reader);
    write(&channel, &["c"]).await;
    let mut reader = channel.attach_where_left().await.unwrap();
    assert_eq!(reader.position().to_string(), "7-2");
    check_read(reader.next().await, 3, "c");
}
