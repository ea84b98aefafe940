//! The way of a change from whoever publishes it to every stream: the trait, and a bus
//! within the process.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::{Stream, StreamExt as _, stream};
use tokio::sync::broadcast::{self, error::RecvError};

use super::ChangeEvent;

/// Carries changes from whoever publishes them to every stream that listens.
///
/// Within one process [`LocalBus`] is enough. Where several instances serve the same clients,
/// a bus of your own reaches them all: it sends each change, as JSON, to a broker, and hands
/// what comes from there to a [`LocalBus`] that its streams subscribe to. A change must come
/// back to the instance that published it too.
///
/// # Example: a bus that also writes down what changes
///
/// ```
/// use vuelta::subscribe::{ChangeStream, LocalBus, SubscriptionBus};
/// use vuelta::{ChangeEvent, McpServer, Subscriptions};
///
/// struct Audited(LocalBus);
///
/// impl SubscriptionBus for Audited {
///     fn publish(&self, event: ChangeEvent) {
///         println!("changed: {event:?}");
///         self.0.publish(event);
///     }
///
///     fn subscribe(&self) -> ChangeStream {
///         self.0.subscribe()
///     }
/// }
///
/// let bus = Audited(LocalBus::new());
/// let server = McpServer::new("Shelf", "1.0.0").subscriptions(Subscriptions::new().bus(bus));
/// ```
pub trait SubscriptionBus: Send + Sync + 'static {
    /// Hands a change to every stream.
    ///
    /// It is called from anywhere, so it must not block, and it cannot fail: a bus that
    /// reaches other processes queues the change, and logs what it cannot deliver.
    fn publish(&self, event: ChangeEvent);

    /// Returns the changes from now on; called once for each stream that is opened.
    ///
    /// What waits for a stream must be bounded. One that is too slow gets [`Lagged`] in place
    /// of the changes that it has missed, and then goes on; so does every stream when the bus
    /// itself may have missed some. When the changes end, the stream does.
    fn subscribe(&self) -> ChangeStream;
}

impl<B: SubscriptionBus + ?Sized> SubscriptionBus for Arc<B> {
    fn publish(&self, event: ChangeEvent) {
        (**self).publish(event);
    }

    fn subscribe(&self) -> ChangeStream {
        (**self).subscribe()
    }
}

/// The changes that one stream is to tell.
pub struct ChangeStream(Pin<Box<dyn Stream<Item = Result<ChangeEvent, Lagged>> + Send>>);

impl ChangeStream {
    /// Wraps a stream of changes.
    #[must_use]
    pub fn new(changes: impl Stream<Item = Result<ChangeEvent, Lagged>> + Send + 'static) -> Self {
        Self(Box::pin(changes))
    }

    /// Waits for the next change; `None` when the bus has ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses no change.
    pub async fn next(&mut self) -> Option<Result<ChangeEvent, Lagged>> {
        self.0.next().await
    }
}

impl Stream for ChangeStream {
    type Item = Result<ChangeEvent, Lagged>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx)
    }
}

impl fmt::Debug for ChangeStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangeStream").finish_non_exhaustive()
    }
}

/// Says that a subscriber has missed changes: anything it watches may be different.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lagged(());

impl Lagged {
    /// Creates the sign.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }
}

impl fmt::Display for Lagged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("changes were missed: take everything that is watched for changed")
    }
}

impl std::error::Error for Lagged {}

/// A bus within the process; clones are the same bus.
///
/// 1024 changes wait for a slow subscriber before it gets [`Lagged`].
#[derive(Clone, Debug)]
pub struct LocalBus(broadcast::Sender<ChangeEvent>);

/// How many changes wait for a subscriber.
pub(super) const BACKLOG: usize = 1024;

impl LocalBus {
    /// Creates a bus.
    #[must_use]
    pub fn new() -> Self {
        Self(broadcast::Sender::new(BACKLOG))
    }
}

impl Default for LocalBus {
    fn default() -> Self {
        Self::new()
    }
}

impl SubscriptionBus for LocalBus {
    fn publish(&self, event: ChangeEvent) {
        // Nobody listens: nobody is told.
        let _ = self.0.send(event);
    }

    fn subscribe(&self) -> ChangeStream {
        ChangeStream::new(stream::unfold(self.0.subscribe(), |mut receiver| async {
            match receiver.recv().await {
                Ok(event) => Some((Ok(event), receiver)),
                Err(RecvError::Lagged(_)) => Some((Err(Lagged::new()), receiver)),
                Err(RecvError::Closed) => None,
            }
        }))
    }
}

#[cfg(test)]
mod tests;
