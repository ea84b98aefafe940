//! What every stream of a connection with a handshake shares: who waits for what, and where
//! messages go that belong to no request.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use vuelta::client::{Inbound, Inflight};
use vuelta::wire::{CancelledParams, ProgressToken};
use vuelta::{NotificationFrame, Raw};

use super::asked::Asked;
use super::remote::Remote;

/// The streams' common ground.
pub(super) struct Link {
    pub(super) remote: Arc<Remote>,
    /// The requests that wait for their answers, each with where its messages go.
    pub(super) inflight: Arc<Inflight<Inbound>>,
    /// The requests of the server that are being answered.
    pub(super) asked: Arc<Asked>,
    /// Where messages go that belong to no request.
    attached: Mutex<Option<Inbound>>,
}

impl Link {
    pub(super) fn new(remote: Arc<Remote>) -> Self {
        Self {
            remote,
            inflight: Arc::default(),
            asked: Arc::default(),
            attached: Mutex::new(None),
        }
    }

    pub(super) fn attach(&self, inbound: Inbound) {
        *self.attached.lock().unwrap_or_else(PoisonError::into_inner) = Some(inbound);
    }

    pub(super) fn attached(&self) -> Option<Inbound> {
        self.attached
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Delivers a notification to `owner`, whose stream it came on; a cancellation ends the
    /// work on what the server has asked.
    pub(super) fn notified(&self, frame: NotificationFrame, owner: &Inbound) {
        if frame.method == CANCELLED
            && let Some(Ok(cancelled)) = frame.params.as_ref().map(Raw::parse::<CancelledParams>)
            && self.asked.cancel(&cancelled.request_id)
        {
            return;
        }
        owner.deliver(frame);
    }

    /// Delivers a notification that came on the stream of no request; progress goes to the
    /// request that it names all the same, for not every server says where it belongs.
    pub(super) fn notified_apart(&self, frame: NotificationFrame, owner: &Inbound) {
        let request = frame.params.as_ref().and_then(progress_token);
        let request = request.filter(|_| frame.method == PROGRESS);
        let inbound = request.and_then(|ProgressToken(id)| self.inflight.kept(&id));
        self.notified(frame, inbound.as_ref().unwrap_or(owner));
    }
}

fn progress_token(params: &Raw) -> Option<ProgressToken> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Names {
        progress_token: ProgressToken,
    }
    let names: Names = params.parse().ok()?;
    Some(names.progress_token)
}

/// The notification that a request is not waited for any more, in either direction.
pub(super) const CANCELLED: &str = "notifications/cancelled";
const PROGRESS: &str = "notifications/progress";
