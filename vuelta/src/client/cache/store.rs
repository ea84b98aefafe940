//! The answers themselves: fresh or stale, in or out. Knows no clock and no lock.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use vuelta_wire::ProtocolVersion;

/// A SHA-256 hash: of a server, or of a partition.
pub(super) type Id = [u8; 32];

/// What was asked, of whom, and in which revision.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::client) struct Name {
    pub(super) server: Id,
    pub(super) version: ProtocolVersion,
    pub(super) method: &'static str,
    pub(super) target: Box<str>,
}

/// Whom an answer may be given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Audience {
    Everybody,
    /// One partition.
    Only(Id),
}

type Key = (Name, Audience);

/// A bounded store; what was not asked for longest goes first.
#[derive(Debug)]
pub(super) struct Store {
    entries: HashMap<Key, Entry>,
    /// The keys by when they were last asked for.
    recent: BTreeMap<u64, Key>,
    /// What is asked by the requests that are on their way, by their numbers, less what was
    /// evicted since; no more than there are callers who wait.
    departed: HashMap<u64, Name>,
    /// Grows with each use and each request.
    counter: u64,
    bytes: usize,
    max_entries: usize,
    max_bytes: usize,
}

/// An answer that has come.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) audience: Audience,
    pub(super) now: SystemTime,
    pub(super) ttl: Duration,
}

#[derive(Debug)]
struct Entry {
    text: Arc<str>,
    since: SystemTime,
    until: SystemTime,
    used: u64,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            recent: BTreeMap::new(),
            departed: HashMap::new(),
            counter: 0,
            bytes: 0,
            max_entries: 1024,
            max_bytes: 16 * 1024 * 1024,
        }
    }
}

impl Store {
    pub(super) fn set_max_entries(&mut self, entries: usize) {
        self.max_entries = entries;
        self.make_room();
    }

    pub(super) fn set_max_bytes(&mut self, bytes: usize) {
        self.max_bytes = bytes;
        self.make_room();
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    #[cfg(test)]
    pub(super) fn departed(&self) -> usize {
        self.departed.len()
    }

    /// Returns what is fresh for one of these; what is not is forgotten.
    pub(super) fn get(
        &mut self,
        name: &Name,
        audiences: &[Audience],
        now: SystemTime,
    ) -> Option<Arc<str>> {
        for &audience in audiences {
            let key = (name.clone(), audience);
            let Some(entry) = self.entries.get_mut(&key) else {
                continue;
            };
            // A clock that was put back tells nothing of an answer's age.
            if entry.since <= now && now < entry.until {
                let text = Arc::clone(&entry.text);
                self.counter += 1;
                self.recent.remove(&entry.used);
                entry.used = self.counter;
                self.recent.insert(self.counter, key);
                return Some(text);
            }
            self.remove(&key);
        }
        None
    }

    /// Notes that a request goes out, and returns its number.
    pub(super) fn depart(&mut self, name: &Name) -> u64 {
        self.counter += 1;
        self.departed.insert(self.counter, name.clone());
        self.counter
    }

    /// Takes the answer to a request, unless what was asked was evicted since it went out. It
    /// takes the place of what was kept for these.
    pub(super) fn arrive(&mut self, number: u64, superseded: &[Audience], answer: Answer) {
        let Some(name) = self.departed.remove(&number) else {
            return;
        };
        self.forget(&name, superseded);
        let Answer {
            text,
            audience,
            now,
            ttl,
        } = answer;
        let key = (name, audience);
        let size = size(&key, &text);
        let until = now.checked_add(ttl).filter(|until| *until > now);
        let Some(until) = until.filter(|_| size <= self.max_bytes) else {
            return;
        };
        self.counter += 1;
        self.bytes += size;
        let entry = Entry {
            text: text.into(),
            since: now,
            until,
            used: self.counter,
        };
        self.recent.insert(self.counter, key.clone());
        self.entries.insert(key, entry);
        self.make_room();
    }

    /// Notes that a request brings no answer.
    pub(super) fn abandon(&mut self, number: u64) {
        self.departed.remove(&number);
    }

    /// Forgets what is kept for these.
    pub(super) fn forget(&mut self, name: &Name, audiences: &[Audience]) {
        for &audience in audiences {
            self.remove(&(name.clone(), audience));
        }
    }

    /// Forgets answers, whoever they are for, and lets in none to the requests that are on their way.
    pub(super) fn evict(&mut self, is_meant: impl Fn(&Name) -> bool) {
        self.departed.retain(|_, name| !is_meant(name));
        let keys: Vec<Key> = self
            .entries
            .keys()
            .filter(|(name, _)| is_meant(name))
            .cloned()
            .collect();
        for key in &keys {
            self.remove(key);
        }
    }

    pub(super) fn clear(&mut self) {
        self.evict(|_| true);
    }

    fn make_room(&mut self) {
        while self.entries.len() > self.max_entries || self.bytes > self.max_bytes {
            let Some((_, oldest)) = self.recent.pop_first() else {
                break;
            };
            self.remove(&oldest);
        }
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.recent.remove(&entry.used);
            self.bytes -= size(key, &entry.text);
        }
    }
}

fn size((name, _): &Key, text: &str) -> usize {
    name.target.len() + text.len()
}
