//! The transport of 2024-11-05: the server's messages come on one stream, which first tells
//! where the client's go.
//!
//! Source: [HTTP with
//! SSE](https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::StatusCode;
use reqwest::Url;
use tokio::task::JoinSet;
use vuelta::client::{Inbound, Waiting};
use vuelta::wire::jsonrpc::{Message, Response};
use vuelta::{Error, ErrorCode, Raw, Result};

use super::asked::Answers;
use super::events::Events;
use super::link::Link;
use super::message::{notification, request, uncorrelated};
use super::response;
use super::route::Route;
use super::send::shown;

/// A connection of this transport; dropping it ends it.
pub(super) struct HttpSse {
    pub(super) route: Arc<Route>,
    link: Arc<Link>,
    reading: Mutex<JoinSet<()>>,
}

impl HttpSse {
    /// Connects to the endpoint's URL: a server of this transport answers a GET with a stream
    /// whose first event is `endpoint`.
    ///
    /// # Errors
    ///
    /// Returns an error if that does not happen in the time for a connection, or the event
    /// leads to another origin.
    pub(super) async fn connect(link: &Arc<Link>) -> Result<Self> {
        let remote = &link.remote;
        let listening = Route::new(remote, remote.url.clone(), None);
        let opening = async {
            let response = listening.listen(None).await?;
            if !response::is_event_stream(&response) {
                return Err(Error::peer(
                    "the server answers GET with no stream of events",
                ));
            }
            let stream = response.url().clone();
            let mut events = Events::new(response, remote.max_response_size);
            match events.next().await? {
                Some(event) if event.name == b"endpoint" => {
                    Ok((endpoint(&stream, &event.data)?, events))
                }
                _ => Err(Error::peer("the stream does not begin with `endpoint`")),
            }
        };
        let opened = tokio::time::timeout(remote.connect_timeout, opening).await;
        let (url, events) =
            opened.map_err(|_| Error::transport("the stream does not begin in time"))??;
        tracing::debug!(endpoint = shown(&url), "the server speaks HTTP with SSE");

        let route = Arc::new(Route::new(remote, url, None));
        let mut reading = JoinSet::new();
        reading.spawn(read(events, Arc::clone(link), Arc::clone(&route)));
        Ok(Self {
            route,
            link: Arc::clone(link),
            reading: Mutex::new(reading),
        })
    }

    /// Posts the request that waits, and waits for its answer, which comes on the stream.
    pub(super) async fn request(&self, mut waiting: Waiting<Inbound>, body: String) -> Result<Raw> {
        let posted = async {
            let response = self.route.post(body).await?;
            response::acceptance(response, self.link.remote.max_response_size).await
        };
        tokio::select! {
            // It may come before the acceptance.
            answer = waiting.answer() => answer,
            Err(error) = posted => Err(error),
        }
    }

    /// Returns whether the stream has ended: the server does not listen any more.
    pub(super) fn is_over(&self) -> bool {
        let mut reading = self.reading();
        while reading.try_join_next().is_some() {}
        reading.is_empty()
    }

    pub(super) fn close(&self, error: &Error) {
        self.reading().abort_all();
        self.link.inflight.close(error);
    }

    fn reading(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a refusal of `initialize` may come from a server of this transport: not one
/// that says, in words of later revisions, what it does not like.
pub(super) fn may_speak(status: StatusCode, refusal: &Error) -> bool {
    let by_status = matches!(
        status,
        StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED
    );
    let is_later = refusal.code().is_some_and(|code| {
        [
            ErrorCode::METHOD_NOT_FOUND,
            ErrorCode::HEADER_MISMATCH,
            ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        ]
        .contains(&code)
    });
    by_status && !is_later
}

/// Reads where messages go: to the origin of the stream, and no other.
fn endpoint(stream: &Url, data: &[u8]) -> Result<Url> {
    let unreadable = || Error::peer("the event `endpoint` holds no URL");
    let text = str::from_utf8(data).map_err(|_| unreadable())?;
    let mut url = stream.join(text.trim()).map_err(|_| unreadable())?;
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    if url.origin() != stream.origin() || has_credentials {
        return Err(Error::peer(format!(
            "the server wants messages sent to {}, another origin",
            shown(&url)
        )));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Reads the stream until it ends; then nothing is answered any more.
async fn read(mut events: Events, link: Arc<Link>, route: Arc<Route>) {
    let mut answers = Answers::default();
    let error = loop {
        match events.next().await {
            Ok(Some(event)) if event.name == b"message" && !event.data.is_empty() => {
                take(&event.data, &link, &route, &mut answers).await;
            }
            Ok(Some(_)) => {}
            Ok(None) => break Error::transport("the server ended the stream: connect again"),
            Err(error) => break error,
        }
    };
    link.inflight.close(&error);
}

async fn take(text: &[u8], link: &Link, route: &Arc<Route>, answers: &mut Answers) {
    let attached = link.attached();
    match (Message::parse(text), attached) {
        (Ok(Message::Response(response)), _) => settle(response, link),
        (Ok(Message::Notification(frame)), Some(inbound)) => {
            link.notified_apart(notification(frame), &inbound);
        }
        (Ok(Message::Request(frame)), Some(inbound)) => {
            answers
                .begin(request(frame), &inbound, route, &link.asked)
                .await;
        }
        (Ok(_), None) => {}
        (Err(error), _) => tracing::debug!(%error, "event ignored: no message"),
    }
}

fn settle(response: Response<'_>, link: &Link) {
    let answer = response.outcome.map(Raw::from).map_err(Error::from);
    let Some(id) = response.id else {
        return tracing::warn!(?answer, "the server could not read a message of ours");
    };
    if let Some(ours) = link.inflight.lookalike(&id) {
        // A server that turned a number into text will not answer again.
        let error = uncorrelated(&id, &ours);
        link.inflight.settle(&ours, Err(error));
    } else if !link.inflight.settle(&id, answer) {
        tracing::debug!(%id, "response ignored: nobody waits for it");
    }
}

#[cfg(test)]
mod tests;
