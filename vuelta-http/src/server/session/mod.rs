//! The sessions of an endpoint: which there are, whose they are, and when they end.
//!
//! A session ends when its client says so, when it has been idle for too long, and with its
//! endpoint. Everything that runs for it ends with it.
//!
//! Source: [session management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management).

mod channel;
mod id;
mod live;
mod memory;
mod store;

pub(super) use self::channel::Item;
pub(super) use self::live::{CANCELLED, Live, Reading, Refused, Sink, Unresumable};
pub use self::memory::MemoryEventStore;
pub use self::store::{EventId, EventStore, InvalidEventId, Replay};

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;
use vuelta::server::Session;
use vuelta::{Error, Inlet, Principal};

use self::store::ErasedStore;

/// What sessions may have.
#[derive(Clone)]
pub(super) struct Options {
    pub(super) idle_timeout: Duration,
    pub(super) max_sessions: usize,
    /// None if broken streams are not resumed.
    pub(super) store: Option<Arc<dyn ErasedStore>>,
    /// Whether a session ends when its standing stream is not read any more.
    pub(super) ends_with_reader: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            idle_timeout: IDLE_TIMEOUT,
            max_sessions: MAX_SESSIONS,
            store: Some(Arc::new(MemoryEventStore::new())),
            ends_with_reader: false,
        }
    }
}

/// The sessions of an endpoint; dropping them ends them.
pub(super) struct Sessions {
    shared: Arc<Shared>,
}

struct Shared {
    options: Options,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    live: HashMap<Arc<str>, Arc<Live>>,
    /// Whether none begins any more.
    is_closed: bool,
}

/// Why a session does not begin.
pub(super) enum NotOpened {
    /// There are as many as there may be, or none begins any more.
    Full,
    /// It cannot have an id.
    Failed(Error),
}

impl Sessions {
    pub(super) fn new(options: Options) -> Self {
        Self {
            shared: Arc::new(Shared {
                options,
                table: Mutex::default(),
            }),
        }
    }

    pub(super) fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Begins a session whose handshake is done.
    pub(super) fn open(
        &self,
        core: Session,
        inlet: Inlet,
        owner: Option<Principal>,
    ) -> Result<Arc<Live>, NotOpened> {
        let id = id::random().map_err(NotOpened::Failed)?;
        let live = Live::new(Arc::clone(&id), owner, core, self.options());
        {
            let mut table = self.shared.table();
            if table.is_closed || table.live.len() >= self.options().max_sessions {
                return Err(NotOpened::Full);
            }
            table.live.insert(id, Arc::clone(&live));
        }
        let keeping = keep(Arc::downgrade(&self.shared), Arc::clone(&live), inlet);
        tokio::spawn(keeping);
        Ok(live)
    }

    /// Finds a session of this caller; it is not idle then.
    pub(super) fn find(&self, id: &str, caller: Option<&Principal>) -> Option<Arc<Live>> {
        let table = self.shared.table();
        let live = table.live.get(id)?;
        if live.owner() != caller {
            tracing::warn!("a session was asked for by another caller than began it");
            return None;
        }
        live.touch();
        Some(Arc::clone(live))
    }

    /// Ends a session.
    pub(super) fn end(&self, live: &Live) {
        self.shared.table().live.remove(live.id());
        live.end();
    }

    pub(super) fn len(&self) -> usize {
        self.shared.table().live.len()
    }

    /// Begins no more sessions; ends what waits for clients, but not what runs.
    pub(super) fn close(&self) {
        let live: Vec<_> = {
            let mut table = self.shared.table();
            table.is_closed = true;
            table.live.values().cloned().collect()
        };
        for live in live {
            live.close();
        }
    }

    /// Ends every session.
    pub(super) fn end_all(&self) {
        self.shared.end_all();
    }
}

impl Shared {
    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing is done halfway under the lock.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a session that is idle; tells when to look again if it is not.
    fn expire(&self, live: &Live) -> Result<(), Option<Instant>> {
        // Nobody finds it while this is decided.
        let mut table = self.table();
        let end = live
            .idle_since()
            .unwrap_or_else(Instant::now)
            .checked_add(self.options.idle_timeout);
        match end {
            Some(end) if end <= Instant::now() => {
                table.live.remove(live.id());
                Ok(())
            }
            other => Err(other),
        }
    }

    fn end_all(&self) {
        let all = {
            let mut table = self.table();
            table.is_closed = true;
            std::mem::take(&mut table.live)
        };
        for live in all.into_values() {
            live.end();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// Writes what a session says that belongs to no request, and ends it when it is idle. Ends
/// with the session, and then lets the store forget it.
async fn keep(sessions: Weak<Shared>, live: Arc<Live>, mut inlet: Inlet) {
    let ended = async { live.ended().await };
    let working = async {
        // The sessions are gone, and this one with them.
        while let Some(sessions) = sessions.upgrade() {
            let Err(next_look) = sessions.expire(&live) else {
                tracing::debug!("a session has been idle for too long");
                return live.end();
            };
            drop(sessions);
            let idle = async {
                match next_look {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            let mut idle = std::pin::pin!(idle);
            loop {
                tokio::select! {
                    () = &mut idle => break,
                    Some(frame) = inlet.recv() => live.tell(frame).await,
                }
            }
        }
    };
    tokio::select! {
        biased;
        () = ended => {}
        () = working => {}
    }
    if let Some(sessions) = sessions.upgrade() {
        sessions.table().live.remove(live.id());
    }
    live.forget().await;
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

const IDLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);

const MAX_SESSIONS: usize = 10_000;
