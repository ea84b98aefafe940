//! What a client tells a server though it wants nothing in return: that a request is not waited
//! for any more, and that a session is over.
//!
//! Source:
//! [cancellation](https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation),
//! [session
//! management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management).

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use vuelta::wire::CancelledParams;
use vuelta::wire::jsonrpc::write_notification;
use vuelta::{Raw, RequestId, Result};

use super::link::CANCELLED;
use super::response;
use super::route::Route;

/// Messages that are on their way; dropping this gives them up.
#[derive(Debug, Default)]
pub(super) struct Courtesies(Mutex<JoinSet<()>>);

impl Courtesies {
    /// Sends a message in a task that ends by itself; without a runtime, or with too many on
    /// their way already, it is not sent.
    fn send(&self, message: impl Future<Output = ()> + Send + 'static) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let mut sending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while sending.try_join_next().is_some() {}
        if sending.len() < MAX_SENDING {
            sending.spawn_on(bounded(message), &runtime);
        } else {
            tracing::debug!("cancellation not sent: too many are on their way");
        }
    }

    /// Takes what is on its way.
    pub(super) fn take(&self) -> Parting {
        let mut sending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Parting(std::mem::take(&mut *sending))
    }
}

/// The last messages of a connection.
#[derive(Debug)]
pub(super) struct Parting(JoinSet<()>);

impl Parting {
    /// Sends what is on its way, and ends the session.
    pub(super) async fn part(self, route: &Route) {
        let Self(mut sending) = self;
        while sending.join_next().await.is_some() {}
        if route.has_session() {
            bounded(end(route)).await;
        }
    }

    /// Does the same in a task that ends by itself, if there is a runtime.
    pub(super) fn part_later(self, route: &Arc<Route>) {
        if self.0.is_empty() && !route.has_session() {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            let route = Arc::clone(route);
            runtime.spawn(async move { self.part(&route).await });
        }
    }
}

async fn end(route: &Route) {
    match route.delete().await {
        Ok(response) => {
            let status = response.status();
            // A server may end its sessions by itself.
            let is_usual = status.is_success()
                || matches!(
                    status,
                    StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED
                );
            if !is_usual {
                tracing::debug!(%status, "the server did not end the session");
            }
        }
        Err(error) => tracing::debug!(%error, "the session was not ended"),
    }
}

/// Tells the server, unless it has answered, that nobody waits for a request any more.
pub(super) struct Abandoned<'a> {
    courtesies: &'a Courtesies,
    request: Option<(Arc<Route>, RequestId)>,
}

impl<'a> Abandoned<'a> {
    pub(super) fn new(courtesies: &'a Courtesies, route: Arc<Route>, id: &RequestId) -> Self {
        let request = Some((route, id.clone()));
        Self {
            courtesies,
            request,
        }
    }

    /// Takes note that the request went another way.
    pub(super) fn reroute(&mut self, route: &Arc<Route>) {
        if let Some((known, _)) = &mut self.request {
            *known = Arc::clone(route);
        }
    }

    /// Takes note that the request has come to an end.
    pub(super) fn disarm(&mut self) {
        self.request = None;
    }
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        if let Some((route, id)) = self.request.take() {
            self.courtesies.send(async move {
                if let Err(error) = cancel(&route, id).await {
                    tracing::debug!(%error, "the server did not take a cancellation");
                }
            });
        }
    }
}

async fn cancel(route: &Route, id: RequestId) -> Result<()> {
    let params = Raw::encode(&CancelledParams::new(id))?;
    let message = write_notification(CANCELLED, Some(&params))?;
    let response = route.post(message).await?;
    response::acceptance(response, route.remote().max_response_size).await
}

async fn bounded(message: impl Future<Output = ()>) {
    if tokio::time::timeout(PATIENCE, message).await.is_err() {
        tracing::debug!("the server does not answer: nothing more is said");
    }
}

/// How long the server may take to take note of one message.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many cancellations are on their way at the same time.
const MAX_SENDING: usize = 64;
