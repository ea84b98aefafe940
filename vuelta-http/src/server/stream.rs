//! A stream of a session as the body of a response: one connection that reads it.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;

use super::body::Body;
use super::session::{Item, Reading};
use super::sse;

/// Reads a stream as events, after an `opening`; every `keep_alive` without one, a comment tells
/// that the connection is alive.
pub(super) fn body(reading: Reading, opening: String, keep_alive: Duration) -> Body {
    let opening = (!opening.is_empty()).then(|| Bytes::from(opening));
    let rest = stream::unfold(Some(reading), move |reading| async move {
        let mut reading = reading?;
        let mut chunk = String::new();
        let goes_on = read(&mut reading, &mut chunk, keep_alive).await?;
        Some((Bytes::from(chunk), goes_on.then_some(reading)))
    });
    Body::events(futures_util::StreamExt::chain(stream::iter(opening), rest))
}

/// Writes what comes next; returns whether more may follow. `None` at the end.
async fn read(reading: &mut Reading, chunk: &mut String, keep_alive: Duration) -> Option<bool> {
    tokio::select! {
        biased;
        item = reading.reader.next() => match item? {
            Item::Event(event) if event.is_kept => {
                sse::push_event_with_id(chunk, event.id, &event.message);
            }
            Item::Event(event) => sse::push_event(chunk, &event.message),
            Item::Pause(retry) => {
                sse::push_position(chunk, reading.reader.position(), retry);
                return Some(false);
            }
        },
        () = tokio::time::sleep(keep_alive) => chunk.push_str(sse::COMMENT),
    }
    Some(true)
}
