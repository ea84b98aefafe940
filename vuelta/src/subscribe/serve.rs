//! One `subscriptions/listen`: whether it may listen, what it is told, and when it ends.

use std::pin::pin;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::coop;
use tokio_util::sync::CancellationToken;
use vuelta_wire::{
    AcknowledgedParams, ErrorCode, ListenParams, ListenResult, ServerCapabilities,
    ServerNotification, SubscriptionFilter,
};

use crate::error::{Error, Result};
use crate::service::Context;

use super::bus::BACKLOG;
use super::filter::Offered;
use super::settings::Gate;
use super::{
    ChangeEvent, ChangeStream, Interest, Lagged, Pending, SubscriptionBus, Subscriptions, common,
};

/// What serves the subscriptions of one server.
pub(crate) struct Hub {
    bus: Arc<dyn SubscriptionBus>,
    gate: Option<Box<Gate>>,
    places: Semaphore,
    max_uris: usize,
    offered: Offered,
    /// Fires when the server ends its streams.
    closing: CancellationToken,
}

impl Hub {
    pub(crate) fn new(
        settings: Subscriptions,
        capabilities: &ServerCapabilities,
        closing: CancellationToken,
    ) -> Self {
        let streams = settings.max_streams.min(Semaphore::MAX_PERMITS);
        Self {
            bus: settings.bus,
            gate: settings.gate,
            places: Semaphore::new(streams),
            max_uris: settings.max_uris,
            offered: Offered::by(capabilities),
            closing,
        }
    }

    pub(crate) fn publish(&self, event: ChangeEvent) {
        self.bus.publish(event);
    }

    /// Returns every change from now on, whatever a client may watch.
    pub(crate) fn subscribe(&self) -> ChangeStream {
        self.bus.subscribe()
    }

    /// Serves one stream until the server closes it; a client that leaves drops the future.
    ///
    /// The result is the whole of a graceful end: it names the subscription, and the stream
    /// is over with it.
    pub(crate) async fn listen(&self, cx: Context, params: ListenParams) -> Result<ListenResult> {
        let _place = self
            .places
            .try_acquire()
            .map_err(|_| Error::rpc(ErrorCode::INTERNAL_ERROR, "Subscription limit reached"))?;
        let filter = self.honoured(&cx, params.notifications).await?;
        let mut feed = Feed {
            interest: Interest::new(&filter),
            // Before the acknowledgement: a change that comes meanwhile is told after it.
            changes: self.subscribe(),
            pending: Pending::default(),
            is_over: false,
        };
        cx.notify(ServerNotification::Acknowledged(AcknowledgedParams::new(
            filter,
        )))
        .await?;
        // How many changes are still taken in once the server closes: those that were
        // published before, and no more, however many come.
        let mut last = BACKLOG;
        loop {
            feed.tell(&cx).await?;
            if feed.is_over {
                return Ok(ListenResult::new());
            }
            let is_closing = self.closing.is_cancelled();
            tokio::select! {
                biased;
                () = feed.take(), if !is_closing || last > 0 => last -= usize::from(is_closing),
                () = self.closing.cancelled() => return Ok(ListenResult::new()),
            }
        }
    }

    /// Returns what of a filter this caller is told.
    pub(crate) async fn honoured(
        &self,
        cx: &Context,
        asked: SubscriptionFilter,
    ) -> Result<SubscriptionFilter> {
        let uris = asked.resource_subscriptions.as_ref().map_or(0, Vec::len);
        if uris > self.max_uris {
            let message = format!("Too many resourceSubscriptions: at most {}", self.max_uris);
            return Err(Error::rpc(ErrorCode::INVALID_PARAMS, message));
        }
        let offered = self.offered.narrow(asked);
        match &self.gate {
            Some(gate) => Ok(common(&offered, &gate(cx.clone(), offered.clone()).await?)),
            None => Ok(offered),
        }
    }
}

/// What one stream still has to tell.
struct Feed {
    interest: Interest,
    changes: ChangeStream,
    /// As many as the interest has kinds and resources, at most.
    pending: Pending,
    /// The bus has ended.
    is_over: bool,
}

impl Feed {
    /// Tells what waits. While the client is slow more is taken in, so that the same change
    /// waits once, however often it is published.
    async fn tell(&mut self, cx: &Context) -> Result<()> {
        while let Some(event) = self.pending.pop() {
            let mut telling = pin!(cx.notify(event.into_notification()));
            loop {
                tokio::select! {
                    biased;
                    told = &mut telling => break told?,
                    () = self.take(), if !self.is_over => {}
                }
            }
        }
        Ok(())
    }

    /// Takes in the next change of the bus. Dropping the future loses none.
    async fn take(&mut self) {
        // A bus of another make may never rest: the runtime must still get its turn.
        coop::consume_budget().await;
        match self.changes.next().await {
            Some(Ok(event)) if self.interest.wants(&event) => self.pending.push(event),
            Some(Ok(_)) => {}
            Some(Err(Lagged { .. })) => {
                // A change is a reason to look again, so that one too many is right where
                // one too few is not.
                tracing::debug!("changes were missed: all that is watched counts as changed");
                for event in self.interest.all() {
                    self.pending.push(event);
                }
            }
            None => self.is_over = true,
        }
    }
}

#[cfg(test)]
mod tests;
