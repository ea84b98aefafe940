//! Messages of the revisions with a handshake where there are no sessions: each stands alone.
//!
//! Nobody could resume a stream or cancel a request, so a request lives as long as the
//! connection that brought it.

use http::{HeaderMap, Response};
use serde::Deserialize;
use serde_json::value::RawValue;
use vuelta::server::Session;
use vuelta::server::classify::{self, Era};
use vuelta::wire::header;
use vuelta::wire::jsonrpc::{Message, Request};
use vuelta::wire::methods::{Initialize, Method as _};
use vuelta::{ProtocolVersion, Raw};

use super::body::Body;
use super::endpoint::Inner;
use super::respond::{self, Reply};
use super::serve::{Head, not_acceptable};

impl Inner {
    /// Serves a message.
    pub(super) async fn alone(&self, message: Message<'_>, head: Head) -> Response<Body> {
        let revision = match &message {
            Message::Request(request) => asked_for(request),
            _ => None,
        };
        let revision = revision.unwrap_or_else(|| revision_of(&head.headers));
        let session = self.server.stateless_session(revision);
        let request = match message {
            Message::Request(request) => request,
            other => {
                take(&session, other).await;
                return respond::accepted();
            }
        };
        let form = match self.form(head.accepted) {
            Ok(form) => form,
            Err(needed) => return not_acceptable(Some(&request.id), needed),
        };
        let reply = Reply {
            id: request.id.clone(),
            era: Era::Legacy,
            form,
            keep_alive: self.keep_alive,
        };
        let incoming = head.incoming(request);
        let run = |outlet| Box::pin(async move { session.dispatch(incoming, outlet).await }) as _;
        reply.send(run).await
    }
}

/// Returns the revision that a handshake comes to; `None` for what is none.
fn asked_for(request: &Request<'_>) -> Option<ProtocolVersion> {
    #[derive(Deserialize)]
    struct Handshake {
        #[serde(rename = "protocolVersion")]
        version: ProtocolVersion,
    }
    if request.method != Initialize::NAME {
        return None;
    }
    let params = request.params.map_or("{}", RawValue::get);
    let Handshake { version } = serde_json::from_str(params).ok()?;
    Some(classify::negotiate(&version))
}

/// Returns the revision that a request speaks which stands alone.
///
/// Source: [protocol version header](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header).
pub(super) fn revision_of(headers: &HeaderMap) -> ProtocolVersion {
    let said = headers.get(header::PROTOCOL_VERSION);
    said.and_then(|said| said.to_str().ok())
        .map(ProtocolVersion::from)
        .filter(ProtocolVersion::is_legacy)
        .unwrap_or(ProtocolVersion::V2025_03_26)
}

/// Takes a message that is not answered; nothing runs that it could be for.
pub(super) async fn take(session: &Session, message: Message<'_>) {
    match message {
        Message::Notification(notification) => {
            let params = notification.params.map(Raw::from);
            session.notify(&notification.method, params).await;
        }
        Message::Response(_) => tracing::debug!("response ignored: nothing was asked"),
        Message::Request(_) => {}
    }
}
