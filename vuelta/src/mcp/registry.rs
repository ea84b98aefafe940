//! What is registered, in the order in which it was; changes are told to subscribers.

use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};

use crate::error::{Error, Result};
use crate::mcp::handler::{PromptHandler, ResourceHandler, ToolHandler};
use crate::mcp::prompts::PromptEntry;
use crate::mcp::resources::ResourceEntry;
use crate::mcp::spec::Graph;
use crate::mcp::tools::ToolEntry;
use crate::resolve::States;
use crate::subscribe::{ChangeEvent, SubscriptionBus};

/// Something registered under a name.
pub(super) trait Entry: Send + Sync + 'static {
    /// What it is called in messages: `tool`, `prompt`, `resource`.
    const KIND: &'static str;

    fn graph(&self) -> &Graph;
}

/// Entries by name, in the order of registration.
pub(super) struct Registry<E> {
    entries: RwLock<Vec<Slot<E>>>,
    /// What is told when the list is another one.
    change: ChangeEvent,
    /// Known once the server is built. Weak: a handle of this registry may be among them.
    states: OnceLock<Weak<States>>,
    /// Known once the server is built: before, nobody can listen.
    bus: OnceLock<Arc<dyn SubscriptionBus>>,
}

struct Slot<E> {
    name: String,
    enabled: bool,
    entry: Arc<E>,
}

impl<E: Entry> Registry<E> {
    pub(super) fn new(change: ChangeEvent) -> Self {
        Self {
            entries: RwLock::new(Vec::new()),
            change,
            states: OnceLock::new(),
            bus: OnceLock::new(),
        }
    }

    /// Adds an entry; the error says why it cannot be.
    pub(super) fn add(&self, name: &str, entry: E) -> Result<(), String> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if entries.iter().any(|slot| slot.name == name) {
            return Err(format!(
                "{} {name:?} is registered twice: rename one",
                E::KIND
            ));
        }
        if let Some(key) = duplicate_key(entry.graph()) {
            return Err(format!(
                "{} {name:?} uses two resolvers of the key {key:?}: set another with \
                 #[resolver(key = \"..\")]",
                E::KIND
            ));
        }
        if let Some(states) = self.states.get().and_then(Weak::upgrade)
            && let Some(missing) = missing_state(name, &entry, &states)
        {
            return Err(missing);
        }
        entries.push(Slot {
            name: name.to_owned(),
            enabled: true,
            entry: Arc::new(entry),
        });
        drop(entries);
        self.publish(self.change.clone());
        Ok(())
    }

    /// Returns an entry that is enabled.
    pub(super) fn get(&self, name: &str) -> Option<Arc<E>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let slot = entries
            .iter()
            .find(|slot| slot.name == name && slot.enabled)?;
        Some(Arc::clone(&slot.entry))
    }

    /// Returns the entries that are enabled, in the order of registration.
    pub(super) fn enabled(&self) -> Vec<Arc<E>> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries
            .iter()
            .filter(|slot| slot.enabled)
            .map(|slot| Arc::clone(&slot.entry))
            .collect()
    }

    fn remove(&self, name: &str) -> bool {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let before = entries.len();
        entries.retain(|slot| slot.name != name);
        let removed = entries.len() < before;
        drop(entries);
        if removed {
            self.publish(self.change.clone());
        }
        removed
    }

    fn set_enabled(&self, name: &str, enabled: bool) -> bool {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let Some(slot) = entries.iter_mut().find(|slot| slot.name == name) else {
            return false;
        };
        let changed = slot.enabled != enabled;
        slot.enabled = enabled;
        drop(entries);
        if changed {
            self.publish(self.change.clone());
        }
        true
    }

    /// Tells those who listen; nobody does before the server is built.
    fn publish(&self, event: ChangeEvent) {
        if let Some(bus) = self.bus.get() {
            bus.publish(event);
        }
    }

    /// Learns the shared state and the way of changes; returns a message for each state that
    /// an entry needs and that is not there.
    pub(super) fn settle(
        &self,
        states: &Arc<States>,
        bus: &Arc<dyn SubscriptionBus>,
    ) -> Vec<String> {
        self.bus.get_or_init(|| Arc::clone(bus));
        self.states.get_or_init(|| Arc::downgrade(states));
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries
            .iter()
            .filter_map(|slot| missing_state(&slot.name, &*slot.entry, states))
            .collect()
    }
}

fn missing_state<E: Entry>(name: &str, entry: &E, states: &States) -> Option<String> {
    let (_, type_name) = entry
        .graph()
        .states
        .iter()
        .find(|(id, _)| !states.contains(*id))?;
    Some(format!(
        "{} {name:?} needs shared state of type `{type_name}`: give the server one with \
         `.state(..)`",
        E::KIND
    ))
}

fn duplicate_key(graph: &Graph) -> Option<&'static str> {
    let mut seen = Vec::new();
    for (_, key) in &graph.resolvers {
        if seen.contains(key) {
            return Some(key);
        }
        seen.push(*key);
    }
    None
}

macro_rules! handle {
    ($(#[$m:meta])* $name:ident, $entry:ty, $handler:ident, $id:ident, $arg:ident: $what:literal) => {
        $(#[$m])*
        #[derive(Clone)]
        pub struct $name(Arc<Registry<$entry>>);

        impl $name {
            pub(super) fn new(registry: Arc<Registry<$entry>>) -> Self {
                Self(registry)
            }

            #[doc = concat!("Adds a ", $what, ".")]
            ///
            /// # Errors
            ///
            /// Returns an error that says why it cannot be registered.
            pub fn add<T: $handler>(&self) -> Result<()> {
                let added = <$entry>::new::<T>().and_then(|entry| self.0.add(T::$id, entry));
                added.map_err(Error::misuse)
            }

            #[doc = concat!("Removes a ", $what, "; `false` if there is none.")]
            pub fn remove(&self, $arg: &str) -> bool {
                self.0.remove($arg)
            }

            #[doc = concat!("Lists and serves a ", $what, " again; `false` if there is none.")]
            pub fn enable(&self, $arg: &str) -> bool {
                self.0.set_enabled($arg, true)
            }

            #[doc = concat!("Neither lists nor serves a ", $what, " until it is enabled; `false` if there is none.")]
            pub fn disable(&self, $arg: &str) -> bool {
                self.0.set_enabled($arg, false)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

handle!(
    /// The tools of a running server; cheap to clone. Subscribers are told of every change.
    Tools, ToolEntry, ToolHandler, NAME, name: "tool"
);
handle!(
    /// The prompts of a running server; cheap to clone. Subscribers are told of every change.
    Prompts, PromptEntry, PromptHandler, NAME, name: "prompt"
);
handle!(
    /// The resources of a running server; cheap to clone. Subscribers are told of every
    /// change.
    Resources, ResourceEntry, ResourceHandler, URI, uri: "resource"
);

impl Resources {
    /// Tells those who have subscribed to the resource at `uri` that it has changed.
    pub fn updated(&self, uri: &str) {
        self.0.publish(ChangeEvent::resource_updated(uri));
    }
}

#[cfg(test)]
mod tests;
