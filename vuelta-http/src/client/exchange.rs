//! One request of a connection with a handshake, from its response to its answer: wherever its
//! stream goes on, and whatever the server asks on the way.
//!
//! Source: [resumability and
//! redelivery](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery).

use std::sync::Arc;

use http::StatusCode;
use reqwest::Response;
use vuelta::client::Inbound;
use vuelta::{Error, ProtocolVersion, Raw, RequestId, Result};

use super::asked::Answers;
use super::events::{Cursor, Events};
use super::link::Link;
use super::message::{Verdict, messages, sort, uncorrelated};
use super::reconnect::Reconnect;
use super::response::{self, Content, ended, no_answer, passed_over};
use super::route::Route;

/// A request whose response has come.
pub(super) struct Exchange<'a> {
    pub(super) link: &'a Link,
    pub(super) route: &'a Arc<Route>,
    /// The revision, once it is agreed on.
    pub(super) version: Option<&'a ProtocolVersion>,
    pub(super) id: &'a RequestId,
    pub(super) inbound: &'a Inbound,
}

/// How the reading of a stream ended.
enum Reading {
    /// With the answer, or an error that answers the request as well.
    Settled(Result<Raw>),
    /// Before the answer, which may come on another stream.
    Lost(Error),
}

impl Exchange<'_> {
    /// Reads the answer; delivers notifications and answers requests before it.
    ///
    /// A stream that is lost is asked for again, if the server has given its events ids.
    pub(super) async fn answer(&self, response: Response) -> Result<Raw> {
        let remote = &self.link.remote;
        let mut events = match response::open(response, remote.max_response_size).await? {
            Content::Text(text) => return self.single(&text),
            Content::Events(events) => *events,
        };
        let mut answers = Answers::default();
        let mut cursor = Cursor::default();
        let mut reconnect = Reconnect::new(remote.max_reconnects);
        loop {
            let mut lost = match self.read(events, &mut cursor, &mut answers).await {
                Reading::Settled(answer) => return answer,
                Reading::Lost(error) => error,
            };
            events = loop {
                let went_well = cursor.take_advanced();
                let wait = reconnect.next(went_well, cursor.retry());
                let (Some(id), Some(wait)) = (cursor.id(), wait) else {
                    return Err(lost);
                };
                tracing::debug!(request = %self.id, ?wait, "a stream is asked for again");
                tokio::time::sleep(wait).await;
                match self.route.listen(Some(id)).await {
                    Ok(response) if response::is_event_stream(&response) => {
                        break Events::new(response, remote.max_response_size);
                    }
                    Ok(response) if may_pass(response.status()) => {
                        lost = response::refusal(response, remote.max_response_size).await;
                    }
                    Ok(response) => return Err(not_resumed(response.status())),
                    Err(error) => lost = error,
                }
            };
        }
    }

    /// Reads an answer that is a body of its own.
    fn single(&self, text: &[u8]) -> Result<Raw> {
        let mut stray = None;
        for message in messages(text, self.version) {
            match sort(message, self.id)? {
                Verdict::Answer(result) => return Ok(result),
                Verdict::Stray(found) => stray = Some(found),
                Verdict::Notification(frame) => self.link.notified(frame, self.inbound),
                Verdict::Request(_) | Verdict::Malformed => {}
            }
        }
        Err(stray.map_or_else(no_answer, |found| uncorrelated(&found, self.id)))
    }

    async fn read(
        &self,
        mut events: Events,
        cursor: &mut Cursor,
        answers: &mut Answers,
    ) -> Reading {
        let mut stray = None;
        loop {
            let event = match events.next().await {
                Ok(Some(event)) => event,
                Ok(None) => {
                    cursor.follow(&events);
                    return Reading::Lost(ended(stray.as_ref(), self.id));
                }
                // What broke the protocol would do so again.
                Err(error) if !error.is_transport() => return Reading::Settled(Err(error)),
                Err(error) => {
                    cursor.follow(&events);
                    return Reading::Lost(error);
                }
            };
            cursor.advance();
            cursor.follow(&events);
            // An event without data carries no more than its id.
            if event.name != b"message" || event.data.is_empty() {
                tracing::debug!(name = %event.name.escape_ascii(), "event without a message");
                continue;
            }
            for message in messages(&event.data, self.version) {
                let verdict = match sort(message, self.id) {
                    Ok(verdict) => verdict,
                    Err(error) => {
                        if error.as_rpc().is_some() {
                            events.finish().await;
                        }
                        return Reading::Settled(Err(error));
                    }
                };
                match verdict {
                    Verdict::Answer(result) => {
                        events.finish().await;
                        return Reading::Settled(Ok(result));
                    }
                    Verdict::Notification(frame) => self.link.notified(frame, self.inbound),
                    Verdict::Request(frame) => {
                        let asked = &self.link.asked;
                        answers.begin(frame, self.inbound, self.route, asked).await;
                    }
                    Verdict::Stray(found) => {
                        passed_over(&found, self.id);
                        stray = Some(found);
                    }
                    Verdict::Malformed => tracing::debug!("malformed notification ignored"),
                }
            }
        }
    }
}

/// Returns whether a server that does not give a stream now may give it later.
pub(super) fn may_pass(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

fn not_resumed(status: StatusCode) -> Error {
    let error = Error::transport(
        "the stream ended before the answer, and the server does not resume it: whether it did \
         what was asked is unknown",
    );
    error.detail(response::shown(status))
}
