//! The events of one response, and where its stream could go on in another.

use std::time::Duration;

use bytes::{Buf as _, Bytes};
use http::HeaderValue;
use reqwest::Response;
use vuelta::Result;

use super::response::{broken, too_large};
use super::sse::{Event, Parser};

/// A response that is read event by event.
pub(super) struct Events {
    response: Response,
    parser: Parser,
    /// What has come and is not yet read.
    rest: Bytes,
    limit: usize,
}

impl Events {
    /// Reads events of at most `limit` bytes.
    pub(super) fn new(response: Response, limit: usize) -> Self {
        Self {
            response,
            parser: Parser::new(limit),
            rest: Bytes::new(),
            limit,
        }
    }

    /// Returns the next event; `None` at the end of the stream.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection broke, or the event is too large.
    ///
    /// # Cancel safety
    ///
    /// The future can be dropped and made anew: no event is lost.
    pub(super) async fn next(&mut self) -> Result<Option<Event>> {
        loop {
            let mut rest = &*self.rest;
            let event = self.parser.next(&mut rest);
            let read = self.rest.len() - rest.len();
            self.rest.advance(read);
            if let Some(event) = event.map_err(|_| too_large(self.limit))? {
                return Ok(Some(event));
            }
            match self.response.chunk().await.map_err(broken)? {
                Some(chunk) => self.rest = chunk,
                None => return Ok(None),
            }
        }
    }

    /// Lets the stream end whose last event has come: only then can its connection be used
    /// again.
    ///
    /// The answer should be the last that a server sends; one that keeps the stream open loses
    /// the connection.
    pub(super) async fn finish(mut self) {
        let end = async { while let Ok(Some(_)) = self.response.chunk().await {} };
        // Too late is no error.
        let _ = tokio::time::timeout(GRACE, end).await;
    }
}

/// Where a stream stands: what is needed to ask for the rest of it.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// The id of the last event; `None` if the stream cannot be asked for.
    id: Option<HeaderValue>,
    retry: Option<Duration>,
    /// Whether anything came since that was last asked.
    advanced: bool,
}

impl Cursor {
    /// Takes note of what was read so far.
    pub(super) fn follow(&mut self, events: &Events) {
        self.retry = events.parser.retry().or(self.retry);
        let Some(id) = events.parser.last_id() else {
            return;
        };
        if self.id.as_ref().is_some_and(|known| known == id) {
            return;
        }
        self.advanced = true;
        let is_usable = !id.is_empty() && id.len() <= MAX_ID;
        self.id = HeaderValue::from_bytes(id).ok().filter(|_| is_usable);
    }

    /// Takes note of an event, with or without an id.
    pub(super) fn advance(&mut self) {
        self.advanced = true;
    }

    /// Returns the id after which the stream goes on, if it can be asked for.
    pub(super) fn id(&self) -> Option<&HeaderValue> {
        self.id.as_ref()
    }

    /// Returns how long the server wants the client to wait.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Returns whether anything came since this was last asked.
    pub(super) fn take_advanced(&mut self) -> bool {
        std::mem::take(&mut self.advanced)
    }
}

/// How long a server may take from its answer to the end of the stream.
const GRACE: Duration = Duration::from_millis(10);
/// How many bytes of an id are sent back.
const MAX_ID: usize = 4096;
