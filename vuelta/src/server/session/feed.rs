//! The changes that a session is told without having asked in a request of its own: of lists,
//! and of the resources that it watches.
//!
//! Source: [tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#list-changed-notification),
//! [subscriptions](https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;
use vuelta_wire::SubscriptionFilter;

use crate::service::{NotificationFrame, Outlet};
use crate::subscribe::{ChangeEvent, ChangeStream, Hub, Interest};

use super::lock;

/// The resources that a client watches.
pub(super) type Watched = Arc<Mutex<BTreeSet<String>>>;

/// What a session is told; it ends with the session.
pub(super) struct Feed {
    initialized: Arc<Notify>,
    _task: AbortOnDropHandle<()>,
}

impl Feed {
    /// Begins to collect changes; they are told once the client has ended the handshake.
    pub(super) fn begin(
        hub: &Hub,
        lists: &SubscriptionFilter,
        watched: Watched,
        outlet: Outlet,
    ) -> Self {
        let initialized = Arc::new(Notify::new());
        let told = Telling {
            lists: Interest::new(lists),
            watched,
            outlet,
        };
        // Before the handshake is answered: no change falls in between.
        let changes = hub.subscribe();
        let task = tokio::spawn(told.run(changes, Arc::clone(&initialized)));
        Self {
            initialized,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// Says that the client has ended the handshake.
    pub(super) fn initialized(&self) {
        self.initialized.notify_one();
    }
}

struct Telling {
    lists: Interest,
    watched: Watched,
    outlet: Outlet,
}

impl Telling {
    async fn run(self, mut changes: ChangeStream, initialized: Arc<Notify>) {
        initialized.notified().await;
        while let Some(change) = changes.next().await {
            match change {
                Ok(event) => self.tell(event).await,
                // What was lost is not known: everything may have changed.
                Err(_) => {
                    for event in self.everything() {
                        self.tell(event).await;
                    }
                }
            }
        }
    }

    async fn tell(&self, event: ChangeEvent) {
        let is_wanted = match &event {
            ChangeEvent::ResourceUpdated { uri } => lock(&self.watched).contains(uri),
            _ => self.lists.wants(&event),
        };
        if !is_wanted {
            return;
        }
        let notification = event.into_notification();
        match notification.encode_params() {
            Ok(params) => {
                let frame = NotificationFrame::new(notification.method(), params);
                self.outlet.send(frame).await;
            }
            Err(error) => tracing::error!(%error, "a change cannot be encoded"),
        }
    }

    fn everything(&self) -> Vec<ChangeEvent> {
        let watched = lock(&self.watched).clone();
        let watched = watched.into_iter().map(ChangeEvent::resource_updated);
        self.lists.all().chain(watched).collect()
    }
}
