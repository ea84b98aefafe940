//! What a stream that broke is resumed from: the contract, whoever keeps the messages.
//!
//! Source: [resumability](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;

use vuelta::Result;

/// Keeps the messages of streams, so that a client whose connection broke gets those it missed.
///
/// [`MemoryEventStore`](crate::MemoryEventStore) is the one that an
/// [`Endpoint`](crate::Endpoint) has by itself. A session lives in one process, so another store
/// is for messages that are too many or too large for the memory of that process. One that is
/// shared, such as a Redis server with one stream a session and stream, should give what it
/// keeps a time to live: a session that is lost with its process is never forgotten by a call.
///
/// A store may drop messages at any time, the oldest first.
///
/// # Example: a store that keeps only the last message of each stream
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use vuelta_http::{EventId, EventStore, Replay};
///
/// #[derive(Default)]
/// struct Last(Mutex<HashMap<(String, u64), (EventId, String)>>);
///
/// impl EventStore for Last {
///     async fn append(&self, session: &str, id: EventId, message: &str) -> vuelta::Result<()> {
///         let key = (session.to_owned(), id.stream);
///         self.0.lock().unwrap().insert(key, (id, message.to_owned()));
///         Ok(())
///     }
///
///     async fn after(&self, session: &str, id: EventId) -> vuelta::Result<Replay> {
///         let key = (session.to_owned(), id.stream);
///         let last = self.0.lock().unwrap().get(&key).cloned();
///         let has_gap = last.as_ref().is_none_or(|(last, _)| last.sequence > id.sequence + 1);
///         let missed = last.filter(|(last, _)| last.sequence > id.sequence);
///         let replay = Replay::new(missed);
///         Ok(if has_gap { replay.with_gap() } else { replay })
///     }
///
///     async fn forget(&self, session: &str) {
///         self.0.lock().unwrap().retain(|(other, _), _| other != session);
///     }
/// }
/// ```
pub trait EventStore: Send + Sync + 'static {
    /// Keeps a message. The ids of a stream grow; a number may be left out.
    ///
    /// # Errors
    ///
    /// Returns an error if the message is not kept: it is then sent without an id.
    fn append(
        &self,
        session: &str,
        id: EventId,
        message: &str,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Returns the messages of one stream that came after `id`; the number 0 stands before the
    /// first. A stream of which nothing is kept has a gap.
    ///
    /// # Errors
    ///
    /// Returns an error if the store fails: the stream is then not resumed.
    fn after(&self, session: &str, id: EventId) -> impl Future<Output = Result<Replay>> + Send;

    /// Forgets a session that is over.
    fn forget(&self, session: &str) -> impl Future<Output = ()> + Send;
}

/// The place of a message: which stream of its session, and which message of that stream.
///
/// Written as `stream-sequence`, it is the id of the event that carries the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a place in a stream has two coordinates"
)]
pub struct EventId {
    /// The stream; 0 is the one that belongs to no request.
    pub stream: u64,
    /// The message; the first one of a stream is 1.
    pub sequence: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.stream, self.sequence)
    }
}

impl FromStr for EventId {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> std::result::Result<Self, InvalidEventId> {
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse().ok())?
        };
        let (stream, sequence) = text.split_once('-').ok_or(InvalidEventId)?;
        match (number(stream), number(sequence)) {
            (Some(stream), Some(sequence)) => Ok(Self { stream, sequence }),
            _ => Err(InvalidEventId),
        }
    }
}

/// A text that is the id of no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidEventId;

impl fmt::Display for InvalidEventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event id is two numbers with a hyphen between them")
    }
}

impl std::error::Error for InvalidEventId {}

/// What a store still has of a stream.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Replay {
    /// The messages, oldest first.
    pub events: Vec<(EventId, String)>,
    /// Whether messages that came before these are kept no longer.
    pub has_gap: bool,
}

impl Replay {
    /// Creates the replay of these messages, oldest first; none came before them.
    #[must_use]
    pub fn new(events: impl IntoIterator<Item = (EventId, String)>) -> Self {
        Self {
            events: events.into_iter().collect(),
            has_gap: false,
        }
    }

    /// Tells that messages that came before these are kept no longer.
    #[must_use]
    pub fn with_gap(mut self) -> Self {
        self.has_gap = true;
        self
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A store of whatever type.
pub(in crate::server) trait ErasedStore: Send + Sync {
    fn append<'a>(
        &'a self,
        session: &'a str,
        id: EventId,
        message: &'a str,
    ) -> BoxFuture<'a, Result<()>>;

    fn after<'a>(&'a self, session: &'a str, id: EventId) -> BoxFuture<'a, Result<Replay>>;

    fn forget<'a>(&'a self, session: &'a str) -> BoxFuture<'a, ()>;
}

impl<S: EventStore> ErasedStore for S {
    fn append<'a>(
        &'a self,
        session: &'a str,
        id: EventId,
        message: &'a str,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(EventStore::append(self, session, id, message))
    }

    fn after<'a>(&'a self, session: &'a str, id: EventId) -> BoxFuture<'a, Result<Replay>> {
        Box::pin(EventStore::after(self, session, id))
    }

    fn forget<'a>(&'a self, session: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(EventStore::forget(self, session))
    }
}

#[cfg(test)]
mod tests;
