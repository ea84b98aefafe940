//! Subscriptions of a client: how one is opened, what it yields, and how it ends.
//!
//! Source: [subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).

mod inbox;
mod watch;

pub use self::watch::{Watch, WatchEvent};

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use vuelta_wire::methods::{Listen, Method as _};
use vuelta_wire::{ListenParams, RequestId, SubscriptionFilter};

use crate::error::{Error, Result};
use crate::subscribe::{ChangeEvent, Interest};

use super::Client;
use super::calls::Options;
use super::transport::{Inbound, Outgoing};

use self::inbox::Inbox;

impl Client {
    /// Prepares a subscription to what changes on the server: say to which changes, then
    /// [`open`](ListenBuilder::open) it, or [`watch`](ListenBuilder::watch) for good.
    ///
    /// # Example: tools are listed again when they change
    ///
    /// ```
    /// use vuelta::{ChangeEvent, Client, Error};
    ///
    /// async fn follow(client: &Client) -> Result<(), Error> {
    ///     let mut changes = client.listen().tools().resource("mem://page").open().await?;
    ///     while let Some(change) = changes.next().await {
    ///         match change? {
    ///             ChangeEvent::ToolsListChanged => println!("{:?}", client.list_tools().await?),
    ///             ChangeEvent::ResourceUpdated { uri, .. } => println!("read {uri} again"),
    ///             _ => {}
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn listen(&self) -> ListenBuilder {
        ListenBuilder {
            client: self.clone(),
            filter: SubscriptionFilter::new(),
            timeout: self.0.limits.timeout,
        }
    }
}

/// A subscription in the making: made by [`Client::listen`].
#[derive(Clone)]
#[must_use = "a subscription does nothing until `open` or `watch`"]
pub struct ListenBuilder {
    client: Client,
    filter: SubscriptionFilter,
    timeout: Option<Duration>,
}

impl ListenBuilder {
    /// Asks for changes of the list of tools.
    pub fn tools(mut self) -> Self {
        self.filter.tools_list_changed = Some(true);
        self
    }

    /// Asks for changes of the list of prompts.
    pub fn prompts(mut self) -> Self {
        self.filter.prompts_list_changed = Some(true);
        self
    }

    /// Asks for changes of the list of resources.
    pub fn resources(mut self) -> Self {
        self.filter.resources_list_changed = Some(true);
        self
    }

    /// Asks for changes of the resource at `uri`, besides others.
    pub fn resource(mut self, uri: impl Into<String>) -> Self {
        let uris = self.filter.resource_subscriptions.get_or_insert_default();
        uris.push(uri.into());
        self
    }

    /// Sets how long the server may take to acknowledge; the client's timeout if not set.
    ///
    /// An open subscription may be silent as long as it likes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Opens the subscription: waits until the server acknowledges it. Of what it is then to
    /// tell, nothing that was cached before is served any more.
    ///
    /// # Errors
    ///
    /// Returns the server's error, what went wrong with the connection, that time ran out, or
    /// that the connection speaks a revision without subscriptions.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future abandons the subscription.
    pub async fn open(self) -> Result<Subscription> {
        let mut open = Open::start(&self.client, self.filter)?;
        let acknowledged = std::future::poll_fn(|cx| open.poll_acknowledged(cx));
        let honoured = match self.timeout {
            Some(limit) => tokio::time::timeout(limit, acknowledged)
                .await
                .map_err(|_| Error::timeout(Listen::NAME, limit))?,
            None => acknowledged.await,
        }?;
        // What was kept may have changed while nobody told.
        for event in Interest::new(&honoured).all() {
            self.client.notice(&event.into_notification());
        }
        Ok(Subscription { open, honoured })
    }
}

impl fmt::Debug for ListenBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListenBuilder")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}

/// An open subscription: the changes that the server tells, each as a reason to look again.
///
/// A change that waits to be taken and is told once more is yielded once. At most 1024 wait;
/// a server that tells more loses the subscription. Nothing runs in the background: over HTTP
/// and in memory the stream is read only while a change is waited for.
///
/// It ends well when the server says that it is over; that is the end of the stream. If it
/// breaks off instead, the last item is an error that
/// [`is_subscription_lost`](Error::is_subscription_lost). Dropping it cancels it.
pub struct Subscription {
    open: Open,
    honoured: SubscriptionFilter,
}

impl Subscription {
    /// Returns the id of the request that opened it, which names the subscription.
    #[must_use]
    pub fn id(&self) -> &RequestId {
        &self.open.id
    }

    /// Returns what of the changes asked for the server agreed to tell; it may be less.
    #[must_use]
    pub fn honoured(&self) -> &SubscriptionFilter {
        &self.honoured
    }

    /// Waits for the next change; `None` when the server has ended the subscription.
    ///
    /// # Errors
    ///
    /// Yields one error, the last item, if the subscription was lost.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses no change.
    pub async fn next(&mut self) -> Option<Result<ChangeEvent>> {
        StreamExt::next(self).await
    }
}

impl Stream for Subscription {
    type Item = Result<ChangeEvent>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.open.poll_change(cx)
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("id", &self.open.id)
            .field("honoured", &self.honoured)
            .finish_non_exhaustive()
    }
}

/// A request that is answered when the subscription ends, and what comes meanwhile.
struct Open {
    id: RequestId,
    inbox: Arc<Inbox>,
    request: Request,
}

enum Request {
    /// Whoever waits for something drives it.
    Waiting(Pin<Box<dyn Future<Output = Result<()>> + Send>>),
    /// It has ended, well or not, and nobody knows yet.
    Ended(Result<()>),
    /// Its end has been told.
    Told,
}

impl Open {
    fn start(client: &Client, filter: SubscriptionFilter) -> Result<Self> {
        let version = client.protocol_version().clone();
        if client.is_legacy() {
            return Err(Error::misuse(format!(
                "{} is not part of revision {version}: use `Client::subscribe` for resources, and \
                 see what changes with `ClientBuilder::on_notification`",
                Listen::NAME
            )));
        }
        // Text, so that it cannot be the id of any other request.
        let id = RequestId::from(format!("listen-{}", client.next_id()));
        let inbox = Arc::new(Inbox::new(id.clone(), filter.clone()));
        let params = client.encode(&ListenParams::new(filter), &Options::default(), &id)?;
        let outgoing = Outgoing::new(id.clone(), Listen::NAME, params, version);
        let inbound = Inbound::new({
            let (client, inbox) = (client.clone(), Arc::clone(&inbox));
            move |frame| {
                let _: Option<()> = client.see(&frame, |notification| {
                    inbox.deliver(notification);
                    None
                });
            }
        });
        let client = client.clone();
        let request = async move {
            let result = client.0.transport.request(outgoing, inbound).await?;
            // Whatever it holds, it means that the server ended the subscription on purpose.
            client.read::<Listen>(&result).map(drop)
        };
        Ok(Self {
            id,
            inbox,
            request: Request::Waiting(Box::pin(request)),
        })
    }

    fn poll_acknowledged(&mut self, cx: &mut Context<'_>) -> Poll<Result<SubscriptionFilter>> {
        self.drive(cx);
        if let Some(honoured) = self.inbox.honoured() {
            return Poll::Ready(Ok(honoured));
        }
        match std::mem::replace(&mut self.request, Request::Told) {
            waiting @ Request::Waiting(_) => {
                self.request = waiting;
                Poll::Pending
            }
            // Nobody has relied on it yet, so that the cause itself says what to do.
            Request::Ended(Err(cause)) => Poll::Ready(Err(cause)),
            // It was over before it began: nothing is told.
            Request::Ended(Ok(())) | Request::Told => Poll::Ready(Ok(SubscriptionFilter::new())),
        }
    }

    fn poll_change(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<ChangeEvent>>> {
        // No more is read while something waits: the server shall feel that.
        if let Some(event) = self.inbox.pop() {
            return Poll::Ready(Some(Ok(event)));
        }
        self.drive(cx);
        if let Some(event) = self.inbox.pop() {
            return Poll::Ready(Some(Ok(event)));
        }
        match std::mem::replace(&mut self.request, Request::Told) {
            waiting @ Request::Waiting(_) => {
                self.request = waiting;
                Poll::Pending
            }
            Request::Ended(Err(cause)) => Poll::Ready(Some(Err(Error::subscription_lost(cause)))),
            Request::Ended(Ok(())) | Request::Told => Poll::Ready(None),
        }
    }

    /// Reads on until there is nothing more to read at present.
    fn drive(&mut self, cx: &mut Context<'_>) {
        let Request::Waiting(request) = &mut self.request else {
            return;
        };
        // First: what another task delivers from now on wakes this one.
        self.inbox.register(cx);
        let answer = request.as_mut().poll(cx);
        let ended = match (self.inbox.broken(), answer) {
            (Some(broken), _) => Err(broken.into()),
            (None, Poll::Ready(answer)) => answer,
            (None, Poll::Pending) => return,
        };
        self.request = Request::Ended(ended);
    }
}
