//! Changes that wait to be told.

use std::collections::{HashSet, VecDeque};

use super::ChangeEvent;

/// Distinct changes, in the order in which they came. Bounded by whoever pushes.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    order: VecDeque<ChangeEvent>,
    known: HashSet<ChangeEvent>,
}

impl Pending {
    /// Adds a change, unless the same one waits already.
    pub(crate) fn push(&mut self, event: ChangeEvent) {
        if self.known.insert(event.clone()) {
            self.order.push_back(event);
        }
    }

    /// Takes the change that has waited longest.
    pub(crate) fn pop(&mut self) -> Option<ChangeEvent> {
        let event = self.order.pop_front()?;
        self.known.remove(&event);
        Some(event)
    }

    /// Returns whether this change waits.
    pub(crate) fn contains(&self, event: &ChangeEvent) -> bool {
        self.known.contains(event)
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }
}

#[cfg(test)]
mod tests;
