//! Where the messages of a connection with a handshake go, and the headers that all of them
//! carry.
//!
//! Source: [session
//! management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management),
//! [the protocol version
//! header](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header).

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::header::ACCEPT;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::{Response, Url};
use vuelta::wire::header;
use vuelta::{Error, ProtocolVersion, Result};

use super::remote::Remote;
use super::send::{of_message, send};

/// A URL that takes messages.
pub(super) struct Route {
    remote: Arc<Remote>,
    url: Url,
    /// The session, if the server has given it an id.
    session: Option<HeaderValue>,
    /// The revision, once it is agreed on: `initialize` goes without.
    version: OnceLock<HeaderValue>,
}

impl Route {
    pub(super) fn new(remote: &Arc<Remote>, url: Url, session: Option<HeaderValue>) -> Self {
        Self {
            remote: Arc::clone(remote),
            url,
            session,
            version: OnceLock::new(),
        }
    }

    pub(super) fn remote(&self) -> &Remote {
        &self.remote
    }

    pub(super) fn has_session(&self) -> bool {
        self.session.is_some()
    }

    /// Names the revision from now on.
    ///
    /// # Errors
    ///
    /// Returns an error if no header can hold it.
    pub(super) fn agree(&self, version: &ProtocolVersion) -> Result<()> {
        let value = HeaderValue::from_str(version.as_str()).map_err(|_| {
            Error::peer(format!(
                "the server chose {version:?}, which is no revision"
            ))
        })?;
        // It is agreed on once.
        let _ = self.version.set(value);
        Ok(())
    }

    /// Posts a message.
    pub(super) async fn post(&self, body: impl Into<Bytes>) -> Result<Response> {
        let mut headers = self.headers();
        of_message(&mut headers);
        self.send(Method::POST, headers, body.into()).await
    }

    /// Opens a stream of what the server sends of its own accord; or the stream again whose
    /// last event had this id.
    pub(super) async fn listen(&self, last_event_id: Option<&HeaderValue>) -> Result<Response> {
        let mut headers = self.headers();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(id) = last_event_id {
            headers.insert(LAST_EVENT_ID, id.clone());
        }
        self.send(Method::GET, headers, Bytes::new()).await
    }

    /// Ends the session.
    pub(super) async fn delete(&self) -> Result<Response> {
        self.send(Method::DELETE, self.headers(), Bytes::new())
            .await
    }

    async fn send(&self, method: Method, headers: HeaderMap, body: Bytes) -> Result<Response> {
        send(&self.remote, method, &self.url, headers, body).await
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = self.remote.headers.clone();
        if let Some(version) = self.version.get() {
            headers.insert(header::PROTOCOL_VERSION, version.clone());
        }
        if let Some(session) = &self.session {
            headers.insert(SESSION_ID, session.clone());
        }
        headers
    }
}

/// Returns the id that the server gives a session.
///
/// # Errors
///
/// Returns an error if it is more than visible ASCII.
pub(super) fn session_id(headers: &HeaderMap) -> Result<Option<HeaderValue>> {
    let Some(id) = headers.get(SESSION_ID).filter(|id| !id.is_empty()) else {
        return Ok(None);
    };
    if !id.as_bytes().iter().all(u8::is_ascii_graphic) {
        return Err(Error::peer(
            "the server gave the session an id that is not of visible ASCII characters",
        ));
    }
    let mut id = id.clone();
    // Who knows it can speak in the session.
    id.set_sensitive(true);
    Ok(Some(id))
}

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// The header that says where a stream was interrupted; the [HTML
/// standard](https://html.spec.whatwg.org/multipage/server-sent-events.html#the-last-event-id-header)
/// defines it.
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[cfg(test)]
mod tests;
