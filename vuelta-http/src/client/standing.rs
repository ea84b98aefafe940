//! The stream on which a server sends what belongs to no request.
//!
//! Source: [listening for
//! messages](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server).

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::Instant;
use vuelta::ProtocolVersion;
use vuelta::client::Inbound;
use vuelta::wire::jsonrpc::Message;

use super::asked::Answers;
use super::events::{Cursor, Events};
use super::exchange::may_pass;
use super::link::Link;
use super::message::{messages, notification, request};
use super::reconnect::{Reconnect, SLOWEST};
use super::response;
use super::route::Route;

/// The stream of one session.
pub(super) struct Standing {
    pub(super) link: Arc<Link>,
    pub(super) route: Arc<Route>,
    pub(super) version: ProtocolVersion,
    pub(super) inbound: Inbound,
}

impl Standing {
    /// Listens until the server ends the stream for good; `opened` is dropped once it is known
    /// whether there is one.
    pub(super) async fn listen(self, opened: oneshot::Sender<()>) {
        let mut opened = Some(opened);
        let mut answers = Answers::default();
        let mut cursor = Cursor::default();
        let mut reconnect = Reconnect::new(self.link.remote.max_reconnects);
        loop {
            let begun = Instant::now();
            match self.route.listen(cursor.id()).await {
                Ok(response) if response::is_event_stream(&response) => {
                    drop(opened.take());
                    self.read(response, &mut cursor, &mut answers).await;
                }
                Ok(response) if may_pass(response.status()) => {}
                Ok(response) => {
                    // A server need not have one.
                    let status = response.status().as_u16();
                    return tracing::debug!(status, "the server gives no stream to listen to");
                }
                Err(error) => tracing::debug!(%error, "no stream to listen to"),
            }
            drop(opened.take());
            // A quiet stream that lasted was no failure: something on the way ended it.
            let went_well = cursor.take_advanced() || begun.elapsed() >= SLOWEST;
            let Some(wait) = reconnect.next(went_well, cursor.retry()) else {
                return tracing::debug!("the stream to listen to ended, and is given up");
            };
            tokio::time::sleep(wait).await;
        }
    }

    async fn read(&self, response: reqwest::Response, cursor: &mut Cursor, answers: &mut Answers) {
        let mut events = Events::new(response, self.link.remote.max_response_size);
        loop {
            let event = events.next().await;
            cursor.follow(&events);
            match event {
                Ok(Some(event)) => {
                    cursor.advance();
                    if event.name == b"message" && !event.data.is_empty() {
                        for message in messages(&event.data, Some(&self.version)) {
                            self.take(message, answers).await;
                        }
                    }
                }
                Ok(None) => return,
                Err(error) => return tracing::debug!(%error, "the stream to listen to broke"),
            }
        }
    }

    async fn take(&self, text: &[u8], answers: &mut Answers) {
        match Message::parse(text) {
            Ok(Message::Notification(frame)) => {
                self.link.notified_apart(notification(frame), &self.inbound);
            }
            Ok(Message::Request(frame)) => {
                let asked = &self.link.asked;
                answers
                    .begin(request(frame), &self.inbound, &self.route, asked)
                    .await;
            }
            // Answers come on the streams of their requests.
            Ok(Message::Response(response)) => {
                tracing::warn!(id = ?response.id, "response ignored: it came on no request's stream");
            }
            Err(error) => tracing::debug!(%error, "event ignored: no message"),
        }
    }
}
