//! A subscription that is opened again whenever it ends: when, and after how long.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{Stream, StreamExt as _, stream};
use tokio::time::Instant;
use vuelta_wire::{ErrorCode, SubscriptionFilter};

use crate::error::{Error, Result};
use crate::subscribe::ChangeEvent;

use super::{ListenBuilder, Subscription};

/// What a [`Watch`] yields.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WatchEvent {
    /// A subscription is open, the first or another: changes before it were not told, so list
    /// and read what depends on them. Holds what the server agreed to tell.
    Listening(SubscriptionFilter),
    /// Something has changed.
    Changed(ChangeEvent),
}

impl ListenBuilder {
    /// Listens for good: opens the subscription, and opens it again when it ends.
    ///
    /// It waits 1 second before the second attempt and then twice as long each time, but not
    /// longer than a minute; a subscription that outlives its wait starts this anew. Errors
    /// that no waiting mends, such as that the server has no subscriptions, end the stream.
    ///
    /// # Example: a list that is kept up to date
    ///
    /// ```
    /// use vuelta::{Client, Error, WatchEvent};
    ///
    /// async fn follow(client: &Client) -> Result<(), Error> {
    ///     let mut watch = client.listen().tools().watch();
    ///     while let Some(event) = watch.next().await {
    ///         if let WatchEvent::Listening(_) | WatchEvent::Changed(_) = event? {
    ///             println!("{:?}", client.list_tools().await?);
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn watch(self) -> Watch {
        self.watch_with(|failures| Some(doubled(failures)))
    }

    /// Listens as [`watch`](Self::watch) does, with waits of your own: `wait` is given how many
    /// attempts have failed in a row, 0 at first, and returns how long to wait before the
    /// next, or `None` to give up.
    pub fn watch_with(self, wait: impl FnMut(u32) -> Option<Duration> + Send + 'static) -> Watch {
        let watching = Watching {
            listen: self,
            wait: Box::new(wait),
            failures: 0,
            waited: Duration::ZERO,
            open: None,
        };
        Watch(Box::pin(stream::unfold(Some(watching), |watching| async {
            watching?.next().await
        })))
    }
}

fn doubled(failures: u32) -> Duration {
    FIRST_WAIT
        .saturating_mul(1 << failures.min(16))
        .min(LONGEST_WAIT)
}

const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A subscription that is opened again whenever it ends: made by [`ListenBuilder::watch`].
///
/// Nothing runs in the background: it waits and reconnects only while an event is waited for.
#[must_use = "a watch does nothing until an event is waited for"]
pub struct Watch(Pin<Box<dyn Stream<Item = Result<WatchEvent>> + Send>>);

impl Watch {
    /// Waits for the next event; `None` after an error, or if there is to be no next attempt.
    ///
    /// # Errors
    ///
    /// Yields one error, the last item, if no next attempt is made.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses no event.
    pub async fn next(&mut self) -> Option<Result<WatchEvent>> {
        self.0.next().await
    }
}

impl Stream for Watch {
    type Item = Result<WatchEvent>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

struct Watching {
    listen: ListenBuilder,
    wait: Box<dyn FnMut(u32) -> Option<Duration> + Send>,
    /// How many attempts in a row have failed, or did not last.
    failures: u32,
    /// How long the wait before the present attempt was.
    waited: Duration,
    open: Option<(Subscription, Instant)>,
}

/// An item of the stream, and what yields the next.
type Turn = Option<(Result<WatchEvent>, Option<Watching>)>;

impl Watching {
    async fn next(mut self) -> Turn {
        loop {
            let ended = match &mut self.open {
                Some((subscription, since)) => match subscription.next().await {
                    Some(Ok(event)) => return Some((Ok(WatchEvent::Changed(event)), Some(self))),
                    ended => {
                        if since.elapsed() > self.waited {
                            self.failures = 0;
                        }
                        self.open = None;
                        ended.and_then(Result::err)
                    }
                },
                None => match self.listen.clone().open().await {
                    Ok(subscription) => {
                        let honoured = subscription.honoured().clone();
                        self.open = Some((subscription, Instant::now()));
                        return Some((Ok(WatchEvent::Listening(honoured)), Some(self)));
                    }
                    Err(error) if !may_pass(&error) => return Some((Err(error), None)),
                    Err(error) => Some(error),
                },
            };
            let Some(wait) = (self.wait)(self.failures) else {
                return ended.map(|error| (Err(error), None));
            };
            tracing::debug!(
                error = ended.map(tracing::field::display),
                ?wait,
                "listening again"
            );
            self.failures = self.failures.saturating_add(1);
            self.waited = wait;
            tokio::time::sleep(wait).await;
        }
    }
}

/// Returns whether another attempt may go better than one that failed so.
fn may_pass(error: &Error) -> bool {
    error.is_transport()
        || error.is_timeout()
        || error.is_subscription_lost()
        // A server that is full, or about to be restarted, says no more than this.
        || error.code() == Some(ErrorCode::INTERNAL_ERROR)
}

#[cfg(test)]
mod tests;
