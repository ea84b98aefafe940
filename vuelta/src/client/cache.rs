//! What a client keeps of a server's answers: which, for how long, and for whom.
//!
//! The store below is pure; here are its clock, its lock, and whose an answer is. Source:
//! [caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).

mod store;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use aws_lc_rs::digest::{SHA256, digest};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use vuelta_wire::methods::{
    ListPrompts, ListResourceTemplates, ListResources, ListTools, Method as _, ReadResource,
};
use vuelta_wire::{CacheScope, ProtocolVersion, ServerNotification, Ttl};

pub(super) use self::store::Name;
use self::store::{Answer, Audience, Id, Store};

/// Whether a call may be answered from the cache, and whether its answer is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheMode {
    /// A fresh answer is taken from the cache; one of the server is kept. The default.
    #[default]
    Use,
    /// The server is asked, and its answer is kept.
    Refresh,
    /// The server is asked, and the cache is left as it is.
    Bypass,
}

/// Answers that are kept as long as the server allows: the first pages of lists, and resources.
///
/// Each client has one of its own; clients that are given clones of one share it. An answer is
/// found by those that speak the same revision to the same endpoint, for the same
/// [partition](crate::ClientBuilder::cache_partition). Notifications of changes evict; an answer
/// that is not fresh is never given, not even when the server fails.
///
/// It holds 1024 answers and 16 MiB, and forgets those first that were not asked for longest.
/// No answer is kept for more than a day.
///
/// # Example: the clients of one user share what they are told
///
/// ```
/// use vuelta::{Cache, Client, Error};
///
/// # async fn connect(first: vuelta::transport::Memory, second: vuelta::transport::Memory) -> Result<(), Error> {
/// let cache = Cache::new().max_entries(4096);
/// let builder = || Client::builder().cache(cache.clone()).cache_partition("user:ada");
/// let (one, other) = (builder().connect(first).await?, builder().connect(second).await?);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Cache {
    store: Arc<Mutex<Store>>,
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    shares_public: bool,
}

impl Cache {
    /// Creates an empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self {
            store: Arc::default(),
            clock: Arc::new(SystemTime::now),
            shares_public: false,
        }
    }

    /// Sets how many answers are kept; 1024 if not set.
    #[must_use]
    pub fn max_entries(self, entries: usize) -> Self {
        self.store().set_max_entries(entries);
        self
    }

    /// Sets how many bytes the answers may take together; 16 MiB if not set.
    #[must_use]
    pub fn max_bytes(self, bytes: usize) -> Self {
        self.store().set_max_bytes(bytes);
        self
    }

    /// Gives an answer that the server calls public to every partition.
    ///
    /// # Security
    ///
    /// It trusts the server's word for everybody who shares the cache: an answer that is called
    /// public by mistake is then shown to others than those it was given to.
    #[must_use]
    pub fn share_public(mut self) -> Self {
        self.shares_public = true;
        self
    }

    /// Sets the clock; the system's if not set.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Forgets every answer, and those that are on their way.
    pub fn clear(&self) {
        self.store().clear();
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("entries", &self.store().len())
            .finish_non_exhaustive()
    }
}

/// A cache as one client sees it.
#[derive(Clone)]
pub(super) struct View {
    cache: Cache,
    server: Id,
    own: Id,
    mode: CacheMode,
}

/// What the cache has for a request.
pub(super) enum Found<R> {
    /// The answer.
    Kept(R),
    /// Nothing: the server must be asked, and the pass brings its answer in.
    Ask(Option<Pass>),
}

/// What lets the answer of one request in, unless it is evicted before it comes.
pub(super) struct Pass {
    view: View,
    name: Name,
    number: u64,
}

impl View {
    /// The view of a client that acts for `partition` and speaks to `endpoint`; what is not
    /// known is like no other.
    pub(super) fn new(
        cache: Cache,
        endpoint: Option<&str>,
        partition: Option<&str>,
        mode: CacheMode,
    ) -> Self {
        static UNKNOWN: AtomicU64 = AtomicU64::new(0);
        let known = |what: Option<&str>| match what {
            Some(what) => hash(&["known", what]),
            None => {
                let number = UNKNOWN.fetch_add(1, Ordering::Relaxed);
                hash(&["unknown", &number.to_string()])
            }
        };
        Self {
            server: known(endpoint),
            own: known(partition),
            cache,
            mode,
        }
    }

    /// Whom an answer may be for that this client is given.
    fn audiences(&self) -> Vec<Audience> {
        let everybody = self.cache.shares_public.then_some(Audience::Everybody);
        [Audience::Only(self.own)]
            .into_iter()
            .chain(everybody)
            .collect()
    }

    /// How requests are answered that do not say it themselves.
    pub(super) fn mode(&self) -> CacheMode {
        self.mode
    }

    /// What is asked by `method` about `target`, which is empty for a list.
    pub(super) fn name(
        &self,
        version: &ProtocolVersion,
        method: &'static str,
        target: &str,
    ) -> Name {
        Name {
            server: self.server,
            version: version.clone(),
            method,
            target: target.into(),
        }
    }

    /// Looks up an answer.
    pub(super) fn find<R: DeserializeOwned>(&self, name: Name, mode: CacheMode) -> Found<R> {
        if mode == CacheMode::Bypass {
            return Found::Ask(None);
        }
        let now = (self.cache.clock)();
        let kept = (mode == CacheMode::Use)
            .then(|| self.cache.store().get(&name, &self.audiences(), now))
            .flatten();
        // What was kept is what was encoded: it can be read.
        if let Some(result) = kept.and_then(|text| serde_json::from_str(&text).ok()) {
            return Found::Kept(result);
        }
        let number = self.cache.store().depart(&name);
        Found::Ask(Some(Pass {
            view: self.clone(),
            name,
            number,
        }))
    }

    /// Forgets an answer that this client was given.
    pub(super) fn forget(&self, name: &Name) {
        self.cache.store().forget(name, &self.audiences());
    }

    /// Forgets what a notification says has changed, for everybody.
    pub(super) fn notice(&self, notification: &ServerNotification) {
        let methods: &[&str] = match notification {
            ServerNotification::ToolsListChanged(_) => &[ListTools::NAME],
            ServerNotification::PromptsListChanged(_) => &[ListPrompts::NAME],
            ServerNotification::ResourcesListChanged(_) => {
                &[ListResources::NAME, ListResourceTemplates::NAME]
            }
            ServerNotification::ResourceUpdated(_) => &[ReadResource::NAME],
            _ => return,
        };
        let is_meant = |target: &str| match notification {
            // What is updated may be a part of what was read.
            ServerNotification::ResourceUpdated(params) => params.uri.starts_with(target),
            _ => true,
        };
        self.cache.store().evict(|name| {
            name.server == self.server && methods.contains(&name.method) && is_meant(&name.target)
        });
    }
}

impl Pass {
    /// Keeps a result for as long and for whom it says; it takes the place of an earlier one.
    pub(super) fn keep(self, result: &impl Serialize) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Hints {
            #[serde(default)]
            ttl_ms: Ttl,
            #[serde(default)]
            cache_scope: CacheScope,
        }
        // A result that cannot be encoded, or gives no hints, is not kept.
        let text = serde_json::to_string(result).unwrap_or_default();
        let hints = serde_json::from_str(&text).unwrap_or(Hints {
            ttl_ms: Ttl::default(),
            cache_scope: CacheScope::default(),
        });
        let cache = &self.view.cache;
        let is_shared = cache.shares_public && hints.cache_scope == CacheScope::Public;
        let audience = if is_shared {
            Audience::Everybody
        } else {
            Audience::Only(self.view.own)
        };
        let answer = Answer {
            text,
            audience,
            now: (cache.clock)(),
            ttl: Duration::from(hints.ttl_ms).min(LONGEST),
        };
        cache
            .store()
            .arrive(self.number, &self.view.audiences(), answer);
    }

    /// Forgets what this client was given: the server no longer answers with a result.
    pub(super) fn forget(self) {
        self.view.forget(&self.name);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.view.cache.store().abandon(self.number);
    }
}

/// The longest that an answer is kept, whatever the server says.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Hashes texts, each with its length before it. An endpoint may hold a secret, and a cache
/// outlives the clients that knew it.
fn hash(parts: &[&str]) -> Id {
    let mut text = Vec::new();
    for part in parts {
        text.extend_from_slice(&(part.len() as u64).to_be_bytes());
        text.extend_from_slice(part.as_bytes());
    }
    let mut id = Id::default();
    id.copy_from_slice(digest(&SHA256, &text).as_ref());
    id
}

#[cfg(test)]
mod tests;
