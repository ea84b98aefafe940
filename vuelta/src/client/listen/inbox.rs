//! What has come for one subscription and waits to be taken: the acknowledgement, and changes
//! that were asked for. Everything else on the way is dropped here.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Context;

use futures_util::task::AtomicWaker;
use vuelta_wire::meta::SUBSCRIPTION_ID;
use vuelta_wire::{RequestId, ServerNotification, SubscriptionFilter};

use crate::error::Error;
use crate::subscribe::{ChangeEvent, Interest, Pending, common};

/// The receiving half of one subscription.
pub(super) struct Inbox {
    id: RequestId,
    asked: SubscriptionFilter,
    /// Whoever waits for the next of all this.
    waiting: AtomicWaker,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What the server agreed to tell; nothing is believed before.
    acknowledged: Option<(SubscriptionFilter, Interest)>,
    pending: Pending,
    /// Why no more is taken in.
    broken: Option<Broken>,
}

/// Why a subscription broke, as far as its notifications say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// The server has cancelled it.
    Cancelled,
    /// More distinct changes came than are kept.
    Flooded,
}

impl From<Broken> for Error {
    fn from(broken: Broken) -> Self {
        Self::peer(match broken {
            Broken::Cancelled => "the server cancelled the subscription",
            Broken::Flooded => "the server told more changes than 1024 that were not yet taken",
        })
    }
}

/// How many distinct changes wait to be taken.
const BACKLOG: usize = 1024;

impl Inbox {
    pub(super) fn new(id: RequestId, asked: SubscriptionFilter) -> Self {
        Self {
            id,
            asked,
            waiting: AtomicWaker::new(),
            state: Mutex::default(),
        }
    }

    /// Takes in a notification, if it is of this subscription.
    pub(super) fn deliver(&self, notification: &ServerNotification) {
        if !self.is_ours(notification) {
            return;
        }
        self.state().take_in(notification, &self.asked);
        self.waiting.wake();
    }

    /// A cancellation names its request itself; every other notification its subscription.
    fn is_ours(&self, notification: &ServerNotification) -> bool {
        if let ServerNotification::Cancelled(params) = notification {
            return params.request_id == self.id;
        }
        let named = notification
            .meta()
            .and_then(|meta| meta.get(SUBSCRIPTION_ID))
            .and_then(|id| id.parse::<RequestId>().ok());
        named.as_ref() == Some(&self.id)
    }

    /// Wakes this task at the next delivery.
    pub(super) fn register(&self, cx: &Context<'_>) {
        self.waiting.register(cx.waker());
    }

    /// Returns what the server agreed to tell, once it has.
    pub(super) fn honoured(&self) -> Option<SubscriptionFilter> {
        let state = self.state();
        state
            .acknowledged
            .as_ref()
            .map(|(filter, _)| filter.clone())
    }

    pub(super) fn pop(&self) -> Option<ChangeEvent> {
        self.state().pending.pop()
    }

    pub(super) fn broken(&self) -> Option<Broken> {
        self.state().broken
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_in(&mut self, notification: &ServerNotification, asked: &SubscriptionFilter) {
        if self.broken.is_some() {
            return;
        }
        match notification {
            ServerNotification::Cancelled(_) => self.broken = Some(Broken::Cancelled),
            // The first one counts.
            ServerNotification::Acknowledged(params) if self.acknowledged.is_none() => {
                let honoured = common(asked, &params.notifications);
                let interest = Interest::new(&honoured);
                self.acknowledged = Some((honoured, interest));
            }
            _ => {
                if let Some(event) = ChangeEvent::of(notification) {
                    self.push(event);
                }
            }
        }
    }

    fn push(&mut self, event: ChangeEvent) {
        let is_honoured = self
            .acknowledged
            .as_ref()
            .is_some_and(|(_, interest)| interest.admits(&event));
        if !is_honoured {
            tracing::debug!(?event, "change dropped: nobody asked for it");
        } else if self.pending.contains(&event) {
            // Whoever takes it looks at what is then.
        } else if self.pending.len() == BACKLOG {
            self.broken = Some(Broken::Flooded);
        } else {
            self.pending.push(event);
        }
    }
}

#[cfg(test)]
mod tests;
