//! What a client does with messages that the server sends of its own accord: notifications are
//! seen, and questions go to the same callbacks as those that come as results.
//!
//! Source: [elicitation](https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation),
//! [sampling](https://modelcontextprotocol.io/specification/2025-11-25/client/sampling),
//! [roots](https://modelcontextprotocol.io/specification/2025-11-25/client/roots).

use std::sync::{Arc, OnceLock};

use tokio::sync::watch;
use vuelta_wire::legacy::{self, EmptyResult};
use vuelta_wire::methods::{Method, Ping};
use vuelta_wire::{ErrorObject, InputRequest, ProtocolVersion, Raw};

use crate::error::{self, Error};
use crate::service::{NotificationFrame, RequestFrame};

use super::Client;
use super::answers::Callbacks;
use super::transport::Inbound;

impl Client {
    /// Takes what belongs to no request, for as long as the client is used.
    pub(super) fn attach(&self) {
        // Weak: the transport is part of the client, and must not keep it alive; nor may what
        // is being answered.
        let notified = Arc::downgrade(&self.0);
        let inbound = Inbound::new(move |frame| {
            if let Some(inner) = notified.upgrade() {
                Self(inner).observe(&frame);
            }
        });
        self.0.transport.attach(self.answering(inbound));
    }

    /// Takes what the server sends with a request that has no more to see.
    pub(super) fn inbound(&self) -> Inbound {
        let client = self.clone();
        self.answering(Inbound::new(move |frame| client.observe(&frame)))
    }

    /// Adds that the callbacks answer the server's requests.
    pub(super) fn answering(&self, inbound: Inbound) -> Inbound {
        let desk = self.0.desk.clone();
        inbound.answering(move |frame| {
            let desk = desk.clone();
            async move { desk.serve(frame).await }
        })
    }

    fn observe(&self, frame: &NotificationFrame) {
        self.see(frame, |_| None::<()>);
    }
}

/// Where the server's questions are put: what of a client a question needs, and no more.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) callbacks: Arc<Callbacks>,
    /// How many questions are with the callbacks: their time is nobody's fault.
    pub(super) asking: watch::Sender<usize>,
    /// The revision that both sides agreed on.
    pub(super) revision: Arc<OnceLock<ProtocolVersion>>,
}

impl Desk {
    pub(super) fn new(callbacks: Callbacks) -> Self {
        Self {
            callbacks: Arc::new(callbacks),
            asking: watch::Sender::new(0),
            revision: Arc::default(),
        }
    }

    /// Answers a request of the server.
    async fn serve(&self, frame: RequestFrame) -> Result<Raw, ErrorObject> {
        if frame.method == Ping::NAME {
            return Raw::encode(&EmptyResult::new()).map_err(|_| error::internal());
        }
        let question = question(&frame)?;
        if !self.callbacks.can_answer(&question) {
            return Err(error::method_not_found(&frame.method));
        }
        let _asking = Asking::begin(&self.asking);
        let answer = self.callbacks.answer_one(&frame.method, &question).await;
        let answer = answer.and_then(|answer| {
            // A server may ask while the handshake is under way, though it should not.
            let revision = self.revision.get().unwrap_or(&ProtocolVersion::V2025_11_25);
            Ok(legacy::encode_answer(&question, &answer, revision)?)
        });
        answer.map_err(|error| {
            if error.as_rpc().is_none() {
                tracing::error!(error = %error::with_causes(&error), "a callback failed");
            }
            error.to_object()
        })
    }
}

/// Reads a question that came as a request.
fn question(frame: &RequestFrame) -> Result<InputRequest, ErrorObject> {
    let wrapped = serde_json::json!({ "method": frame.method });
    let read = || -> Result<InputRequest, Error> {
        let mut members: vuelta_wire::Extra = Raw::from(wrapped).parse()?;
        members.insert("params", frame.params.clone());
        Ok(Raw::encode(&members)?.parse()?)
    };
    match read() {
        Ok(InputRequest::Other(_)) => Err(error::method_not_found(&frame.method)),
        Ok(question) => Ok(question),
        Err(error) => {
            tracing::debug!(method = frame.method, %error, "malformed request of the server");
            Err(error::invalid_params())
        }
    }
}

/// A question that is with the callbacks: while there is one, no request runs out of time.
struct Asking<'a>(&'a watch::Sender<usize>);

impl<'a> Asking<'a> {
    fn begin(asking: &'a watch::Sender<usize>) -> Self {
        asking.send_modify(|asking| *asking += 1);
        Self(asking)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|asking| *asking -= 1);
    }
}
