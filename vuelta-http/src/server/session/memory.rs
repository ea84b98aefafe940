//! The messages of streams, kept in memory: three bounds, and the oldest goes first.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vuelta::{Error, Result};

use super::store::{EventId, EventStore, Replay};

/// Keeps messages in the memory of the process.
///
/// When a session has more events or bytes than it may, its oldest messages are dropped; when
/// all sessions together have more bytes than they may, the oldest messages of all. A message
/// that is larger than a session may have is not kept.
#[derive(Debug)]
pub struct MemoryEventStore {
    limits: Limits,
    kept: Mutex<Kept>,
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    session_events: usize,
    session_bytes: usize,
    bytes: usize,
}

impl Default for MemoryEventStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryEventStore {
    /// Creates a store that keeps 1,024 events and 4 MiB a session, and 256 MiB in all.
    #[must_use]
    pub fn new() -> Self {
        Self {
            limits: Limits {
                session_events: 1024,
                session_bytes: 4 * 1024 * 1024,
                bytes: 256 * 1024 * 1024,
            },
            kept: Mutex::default(),
        }
    }

    /// Sets how many events are kept a session; 1,024 if not set.
    #[must_use]
    pub fn session_events(mut self, events: usize) -> Self {
        self.limits.session_events = events;
        self
    }

    /// Sets how many bytes of messages are kept a session; 4 MiB if not set.
    #[must_use]
    pub fn session_bytes(mut self, bytes: usize) -> Self {
        self.limits.session_bytes = bytes;
        self
    }

    /// Sets how many bytes of messages are kept in all; 256 MiB if not set.
    #[must_use]
    pub fn total_bytes(mut self, bytes: usize) -> Self {
        self.limits.bytes = bytes;
        self
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventStore for MemoryEventStore {
    async fn append(&self, session: &str, id: EventId, message: &str) -> Result<()> {
        let limit = self.limits.session_bytes.min(self.limits.bytes);
        if message.len() > limit {
            let message = format!("a message of more than {limit} bytes is not kept");
            return Err(Error::transport(message));
        }
        let mut kept = self.kept();
        kept.append(session, id, message);
        kept.shrink(session, self.limits);
        Ok(())
    }

    async fn after(&self, session: &str, id: EventId) -> Result<Replay> {
        Ok(self.kept().after(session, id))
    }

    async fn forget(&self, session: &str) {
        self.kept().forget(session);
    }
}

/// All messages in the order in which they came, and which of them are whose.
#[derive(Default)]
struct Kept {
    next: u64,
    bytes: usize,
    events: BTreeMap<u64, Event>,
    sessions: HashMap<Arc<str>, Log>,
}

struct Event {
    session: Arc<str>,
    id: EventId,
    message: String,
}

/// The messages of one session, by their keys in the order of all.
struct Log {
    name: Arc<str>,
    keys: VecDeque<u64>,
    bytes: usize,
}

impl Kept {
    fn append(&mut self, session: &str, id: EventId, message: &str) {
        if !self.sessions.contains_key(session) {
            let name: Arc<str> = session.into();
            let log = Log {
                name: Arc::clone(&name),
                keys: VecDeque::new(),
                bytes: 0,
            };
            self.sessions.insert(name, log);
        }
        let Some(log) = self.sessions.get_mut(session) else {
            return;
        };
        log.keys.push_back(self.next);
        log.bytes += message.len();
        self.bytes += message.len();
        let event = Event {
            session: Arc::clone(&log.name),
            id,
            message: message.to_owned(),
        };
        self.events.insert(self.next, event);
        self.next += 1;
    }

    /// Drops what is too much: of a session, then of all.
    fn shrink(&mut self, session: &str, limits: Limits) {
        while let Some(log) = self.sessions.get(session)
            && (log.keys.len() > limits.session_events || log.bytes > limits.session_bytes)
            && let Some(key) = log.keys.front().copied()
        {
            self.drop_event(key);
        }
        while self.bytes > limits.bytes
            && let Some((key, _)) = self.events.first_key_value()
        {
            self.drop_event(*key);
        }
    }

    /// Drops a message that is the oldest of its session.
    fn drop_event(&mut self, key: u64) {
        let Some(event) = self.events.remove(&key) else {
            return;
        };
        self.bytes -= event.message.len();
        if let Some(log) = self.sessions.get_mut(&event.session) {
            log.keys.pop_front();
            log.bytes -= event.message.len();
            if log.keys.is_empty() {
                self.sessions.remove(&event.session);
            }
        }
    }

    fn after(&self, session: &str, id: EventId) -> Replay {
        let keys = self.sessions.get(session).map(|log| &log.keys);
        let mut of_stream = keys
            .into_iter()
            .flatten()
            .filter_map(|key| self.events.get(key))
            .filter(|event| event.id.stream == id.stream)
            .peekable();
        let has_gap = of_stream
            .peek()
            .is_none_or(|oldest| oldest.id.sequence > id.sequence.saturating_add(1));
        let missed = of_stream.filter(|event| event.id.sequence > id.sequence);
        let replay = Replay::new(missed.map(|event| (event.id, event.message.clone())));
        if has_gap { replay.with_gap() } else { replay }
    }

    fn forget(&mut self, session: &str) {
        if let Some(log) = self.sessions.remove(session) {
            self.bytes -= log.bytes;
            for key in log.keys {
                self.events.remove(&key);
            }
        }
    }
}

impl fmt::Debug for Kept {
    /// Shows how much is kept, not what.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept")
            .field("sessions", &self.sessions.len())
            .field("events", &self.events.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
