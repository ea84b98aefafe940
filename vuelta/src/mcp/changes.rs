//! Changes of the lists, and the streams on which they are told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::broadcast::{self, error::RecvError};
use vuelta_wire::{
    AcknowledgedParams, ErrorCode, ListChangedParams, ListenParams, ListenResult,
    ResourceUpdatedParams, ServerNotification, SubscriptionFilter,
};

use crate::error::{Error, Result};
use crate::server::ServerBuilder;
use crate::service::Context;

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Tools,
    Prompts,
    Resources,
    Resource(Arc<str>),
}

/// Tells changes to every stream that listens; cheap to clone.
#[derive(Clone)]
pub(super) struct Changes {
    sender: broadcast::Sender<Change>,
    streams: Arc<AtomicUsize>,
}

/// How many changes wait for a slow stream before it is ended.
const BACKLOG: usize = 1024;
/// How many streams may listen at the same time.
const STREAMS: usize = 1024;

impl Changes {
    pub(super) fn new() -> Self {
        let (sender, _) = broadcast::channel(BACKLOG);
        Self {
            sender,
            streams: Arc::new(AtomicUsize::new(0)),
        }
    }

    pub(super) fn tell(&self, change: Change) {
        // Nobody listens: nobody is told.
        let _ = self.sender.send(change);
    }

    pub(super) fn serve(self, server: ServerBuilder) -> ServerBuilder {
        server.on_listen(move |cx, params| {
            let changes = self.clone();
            async move { changes.listen(cx, params).await }
        })
    }

    async fn listen(&self, cx: Context, params: ListenParams) -> Result<ListenResult> {
        let _place = self.take_place()?;
        // Before the acknowledgement: a change that comes meanwhile is told after it.
        let mut receiver = self.sender.subscribe();
        let filter = honoured(params.notifications);
        let acknowledged = AcknowledgedParams::new(filter.clone());
        cx.notify(ServerNotification::Acknowledged(acknowledged))
            .await?;
        loop {
            match receiver.recv().await {
                Ok(change) => {
                    if let Some(notification) = notification(&filter, change) {
                        cx.notify(notification).await?;
                    }
                }
                // The client lists again when its stream ends: nothing is lost silently.
                Err(RecvError::Lagged(_) | RecvError::Closed) => return Ok(ListenResult::new()),
            }
        }
    }

    fn take_place(&self) -> Result<Place> {
        let streams = Arc::clone(&self.streams);
        if streams.fetch_add(1, Ordering::AcqRel) >= STREAMS {
            streams.fetch_sub(1, Ordering::AcqRel);
            return Err(Error::rpc(
                ErrorCode::INTERNAL_ERROR,
                "Subscription limit reached",
            ));
        }
        Ok(Place(streams))
    }
}

/// A stream's place among those that may listen.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Returns what of the filter is told: flags that are set.
fn honoured(mut filter: SubscriptionFilter) -> SubscriptionFilter {
    for flag in [
        &mut filter.tools_list_changed,
        &mut filter.prompts_list_changed,
        &mut filter.resources_list_changed,
    ] {
        *flag = flag.filter(|set| *set);
    }
    filter
}

fn notification(filter: &SubscriptionFilter, change: Change) -> Option<ServerNotification> {
    let changed = ListChangedParams::new;
    match change {
        Change::Tools => filter
            .tools_list_changed
            .map(|_| ServerNotification::ToolsListChanged(changed())),
        Change::Prompts => filter
            .prompts_list_changed
            .map(|_| ServerNotification::PromptsListChanged(changed())),
        Change::Resources => filter
            .resources_list_changed
            .map(|_| ServerNotification::ResourcesListChanged(changed())),
        Change::Resource(uri) => {
            let watched = filter.resource_subscriptions.iter().flatten();
            watched
                .into_iter()
                .any(|watched| **watched == *uri)
                .then(|| ServerNotification::ResourceUpdated(ResourceUpdatedParams::new(&*uri)))
        }
    }
}
