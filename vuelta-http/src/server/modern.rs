//! Messages of revision 2026-07-28: each stands alone, and its headers say what its body says.
//!
//! Source: [streamable
//! HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).

use std::borrow::Cow;
use std::sync::Arc;

use http::{HeaderMap, Response};
use serde::Deserialize;
use serde_json::value::RawValue;
use vuelta::server::Incoming;
use vuelta::server::classify::{self, Envelope, Era};
use vuelta::wire::header;
use vuelta::wire::jsonrpc::{Message, Request};
use vuelta::wire::methods::{Initialize, Listen, Method as _};
use vuelta::{ErrorObject, Outlet};

use super::body::Body;
use super::endpoint::Inner;
use super::guard::Accepted;
use super::mirror;
use super::respond::{self, Answer, Form, Reply};
use super::serve::{Head, no_single_message, not_acceptable};

impl Inner {
    pub(super) async fn modern(
        self: Arc<Self>,
        message: Message<'_>,
        head: Head,
    ) -> Response<Body> {
        match message {
            Message::Request(request) => self.request(request, head).await,
            Message::Notification(_) => self.notification(&head.headers),
            Message::Response(_) => no_single_message(),
        }
    }

    /// Accepts a notification. The revision defines none for this transport, so that what
    /// comes is dropped.
    fn notification(&self, headers: &HeaderMap) -> Response<Body> {
        for version in headers.get_all(header::PROTOCOL_VERSION) {
            let version = String::from_utf8_lossy(version.as_bytes());
            let supported = self.server.supported_versions();
            if let Err(error) = classify::check_supported(&version, supported) {
                return respond::error(None, &error);
            }
        }
        respond::accepted()
    }

    async fn request(self: Arc<Self>, request: Request<'_>, head: Head) -> Response<Body> {
        let form = match self.form_of(&request.method, head.accepted) {
            Ok(form) => form,
            Err(needed) => return not_acceptable(Some(&request.id), needed),
        };
        if let Err(error) = self.check(&request, &head.headers) {
            return respond::error(Some(&request.id), &error);
        }
        let reply = Reply {
            id: request.id.clone(),
            era: Era::Modern,
            form,
            keep_alive: self.keep_alive,
        };
        let incoming = head.incoming(request);
        reply.send(|outlet| self.answer(incoming, outlet)).await
    }

    /// Decides the form of an answer; the error is what the client should accept.
    fn form_of(&self, method: &str, accepted: Accepted) -> Result<Form, &'static str> {
        match accepted {
            Accepted { events: false, .. } if method == Listen::NAME => Err("text/event-stream"),
            _ if method == Listen::NAME => Ok(Form::Stream),
            _ => self.form(accepted),
        }
    }

    /// Checks a request's envelope, then its routing headers, then its revision.
    fn check(&self, request: &Request<'_>, headers: &HeaderMap) -> Result<(), ErrorObject> {
        mirror::check_single(headers)?;
        let params = request.params.map(RawValue::get);
        let envelope = Envelope::find(params)
            .map_err(|error| self.check_handshake(request).err().unwrap_or(error))?;
        mirror::check_routing(headers, request, &envelope)?;
        envelope.check_version(self.server.supported_versions())
    }

    /// Tells a client of an older revision which ones are served here: it may have no other
    /// way to learn that.
    fn check_handshake(&self, request: &Request<'_>) -> Result<(), ErrorObject> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Handshake<'a> {
            #[serde(borrow)]
            protocol_version: Cow<'a, str>,
        }

        if request.method != Initialize::NAME {
            return Ok(());
        }
        let params = request.params.map_or("{}", RawValue::get);
        serde_json::from_str(params).map_or(Ok(()), |Handshake { protocol_version }| {
            classify::check_supported(&protocol_version, self.server.supported_versions())
        })
    }

    fn answer(self: Arc<Self>, incoming: Incoming, outlet: Outlet) -> Answer {
        Box::pin(async move {
            self.annotations.check(&self.server, &incoming).await?;
            self.server.dispatch(incoming, outlet).await
        })
    }
}
