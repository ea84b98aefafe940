//! One stream of a session: its messages in order, to whoever reads it, and to the store.
//!
//! A stream outlives the connections that carry it. Each message is kept before it is sent, so
//! that a reader who begins with what is kept and goes on with what is sent misses nothing;
//! what comes both ways is told by its number. A reader who is slow makes the writer wait.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use vuelta::Result;

use super::store::{ErasedStore, EventId};

/// The writing end; every message of the stream goes through it.
pub(in crate::server) struct Channel {
    number: u64,
    session: Arc<str>,
    store: Option<Arc<dyn ErasedStore>>,
    /// Held while a message is written, so that there is an order.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of the last message.
    latest: u64,
    /// The number of the last message that a reader was given.
    taken: u64,
    reader: Option<Attached>,
    is_finished: bool,
}

struct Attached {
    sender: mpsc::Sender<Item>,
    cut: Arc<Notify>,
}

/// What a reader gets.
#[derive(Debug, PartialEq)]
pub(in crate::server) enum Item {
    /// A message.
    Event(Event),
    /// The connection is to be closed; the client comes back after this time.
    Pause(Duration),
}

/// A message of a stream.
#[derive(Debug, PartialEq)]
pub(in crate::server) struct Event {
    pub(in crate::server) id: EventId,
    /// Whether a client can go on from it.
    pub(in crate::server) is_kept: bool,
    pub(in crate::server) message: String,
}

/// How many messages wait for a slow reader before the writer does.
const CAPACITY: usize = 64;

impl Channel {
    pub(super) fn new(
        number: u64,
        session: Arc<str>,
        store: Option<Arc<dyn ErasedStore>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            number,
            session,
            store,
            turn: tokio::sync::Mutex::default(),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is done halfway under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Writes a message; returns whether somebody has it: a reader, or the store.
    pub(super) async fn write(&self, message: String) -> bool {
        let _turn = self.turn.lock().await;
        let sequence = {
            let mut state = self.state();
            state.latest += 1;
            state.latest
        };
        let id = EventId {
            stream: self.number,
            sequence,
        };
        let is_kept = self.keep(id, &message).await;
        let is_sent = self.send(Item::Event(Event {
            id,
            is_kept,
            message,
        }));
        let is_sent = is_sent.await;
        if is_sent {
            self.state().taken = sequence;
        }
        is_kept || is_sent
    }

    async fn keep(&self, id: EventId, message: &str) -> bool {
        let Some(store) = &self.store else {
            return false;
        };
        let kept = store.append(&self.session, id, message).await;
        if let Err(error) = &kept {
            tracing::error!(%error, "a message is not kept: its stream cannot be resumed from it");
        }
        kept.is_ok()
    }

    async fn send(&self, item: Item) -> bool {
        match self.sender() {
            Some(sender) => sender.send(item).await.is_ok(),
            None => false,
        }
    }

    fn sender(&self) -> Option<mpsc::Sender<Item>> {
        let state = self.state();
        state.reader.as_ref().map(|reader| reader.sender.clone())
    }

    /// Sends the reader away for a while, if it can come back.
    pub(super) async fn pause(&self, retry: Duration) {
        if self.store.is_none() {
            return;
        }
        let _turn = self.turn.lock().await;
        let Some(sender) = self.sender() else { return };
        // A reader that has just left needs no sending away.
        let _ = sender.send(Item::Pause(retry)).await;
        let mut state = self.state();
        // Another one may have come meanwhile.
        state
            .reader
            .take_if(|reader| reader.sender.same_channel(&sender));
    }

    /// Ends the stream: its reader gets what was written, and no more.
    pub(super) fn finish(&self) {
        let mut state = self.state();
        state.is_finished = true;
        state.reader = None;
    }

    /// Ends the stream at once, whatever its reader has not read.
    pub(super) fn cut(&self) {
        let mut state = self.state();
        state.is_finished = true;
        if let Some(reader) = state.reader.take() {
            reader.cut.notify_one();
        }
    }

    /// Returns whether somebody reads the stream.
    pub(in crate::server) fn has_reader(&self) -> bool {
        let state = self.state();
        state
            .reader
            .as_ref()
            .is_some_and(|reader| !reader.sender.is_closed())
    }

    /// Returns the number of the last message.
    pub(super) fn latest(&self) -> u64 {
        self.state().latest
    }

    /// Becomes the reader of what is written from now on; one that reads already is cut off.
    pub(super) fn attach(&self) -> Reader {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        let cut = Arc::new(Notify::new());
        let mut state = self.state();
        if !state.is_finished {
            let attached = Attached {
                sender,
                cut: Arc::clone(&cut),
            };
            if let Some(previous) = state.reader.replace(attached) {
                previous.cut.notify_one();
            }
        }
        Reader {
            number: self.number,
            last: state.latest,
            missed: VecDeque::new(),
            receiver: Some(receiver),
            cut,
        }
    }

    /// Becomes the reader of what comes after a message, as far as it is kept; returns too
    /// whether something was missed for good.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub(super) async fn attach_after(&self, sequence: u64) -> Result<(Reader, bool)> {
        let mut reader = self.attach();
        let is_missing = reader.last > sequence;
        reader.last = sequence;
        let mut has_gap = false;
        if let Some(store) = self.store.as_ref().filter(|_| is_missing) {
            let after = EventId {
                stream: self.number,
                sequence,
            };
            let replay = store.after(&self.session, after).await?;
            has_gap = replay.has_gap;
            reader.missed = replay.events.into();
        }
        Ok((reader, has_gap))
    }

    /// Becomes the reader of everything that no reader was given, as far as it is kept.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails.
    pub(super) async fn attach_where_left(&self) -> Result<Reader> {
        let taken = self.state().taken;
        let (reader, has_gap) = self.attach_after(taken).await?;
        if has_gap {
            tracing::warn!("messages that belong to no request were not read in time");
        }
        Ok(reader)
    }
}

/// The reading end of a stream; one connection.
pub(in crate::server) struct Reader {
    number: u64,
    /// The number of the last message that was read.
    last: u64,
    missed: VecDeque<(EventId, String)>,
    /// None if nothing more comes than what was missed.
    receiver: Option<mpsc::Receiver<Item>>,
    cut: Arc<Notify>,
}

impl Reader {
    /// Creates a reader of a stream that is over.
    pub(super) fn of_finished(after: EventId, missed: Vec<(EventId, String)>) -> Self {
        Self {
            number: after.stream,
            last: after.sequence,
            missed: missed.into(),
            receiver: None,
            cut: Arc::new(Notify::new()),
        }
    }

    /// Returns the place after which the stream goes on for this reader.
    pub(in crate::server) fn position(&self) -> EventId {
        EventId {
            stream: self.number,
            sequence: self.last,
        }
    }

    /// Reads what comes next; `None` at the end.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub(in crate::server) async fn next(&mut self) -> Option<Item> {
        if let Some((id, message)) = self.missed.pop_front() {
            self.last = id.sequence;
            let is_kept = true;
            return Some(Item::Event(Event {
                id,
                is_kept,
                message,
            }));
        }
        let receiver = self.receiver.as_mut()?;
        loop {
            let item = tokio::select! {
                biased;
                () = self.cut.notified() => return None,
                item = receiver.recv() => item?,
            };
            match item {
                // It was among those that were missed.
                Item::Event(event) if event.id.sequence <= self.last => {}
                Item::Event(event) => {
                    self.last = event.id.sequence;
                    return Some(Item::Event(event));
                }
                pause @ Item::Pause(_) => return Some(pause),
            }
        }
    }
}

#[cfg(test)]
mod tests;
