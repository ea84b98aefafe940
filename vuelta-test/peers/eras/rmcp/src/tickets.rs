//! Calls that wait for other calls, by the ticket that each was given.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// How long [`Tickets::was_cancelled`] waits until it says that a call still runs.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone, Default)]
pub(crate) struct Tickets {
    counts: Gates,
    ends: Gates,
}

impl Tickets {
    /// Waits until the call with this ticket may go on.
    pub(crate) async fn may_proceed(&self, ticket: &str) {
        opened(&self.counts.gate(ticket)).await;
    }

    pub(crate) fn proceed(&self, ticket: &str) {
        self.counts.gate(ticket).send_replace(true);
    }

    /// Says that a call works, until the gate is opened.
    pub(crate) fn work(&self, ticket: &str) -> watch::Sender<bool> {
        self.ends.gate(ticket)
    }

    pub(crate) async fn was_cancelled(&self, ticket: &str) -> &'static str {
        let Some(end) = self.ends.known(ticket) else {
            return "unknown";
        };
        match tokio::time::timeout(PATIENCE, opened(&end)).await {
            Ok(()) => "cancelled",
            Err(_) => "still running",
        }
    }
}

#[derive(Clone, Default)]
struct Gates(Arc<Mutex<HashMap<String, watch::Sender<bool>>>>);

impl Gates {
    fn gate(&self, ticket: &str) -> watch::Sender<bool> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        gates.entry(ticket.to_owned()).or_default().clone()
    }

    fn known(&self, ticket: &str) -> Option<watch::Sender<bool>> {
        let gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        gates.get(ticket).cloned()
    }
}

async fn opened(gate: &watch::Sender<bool>) {
    // Fails if there is no sender, and this is one.
    let _ = gate.subscribe().wait_for(|open| *open).await;
}
