//! Questions that go to the client while their request is served: only the revisions with a
//! handshake have them.
//!
//! Source: [elicitation](https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation),
//! [sampling](https://modelcontextprotocol.io/specification/2025-11-25/client/sampling).

use std::sync::Arc;

use vuelta_wire::{CancelledParams, InputRequest, ProtocolVersion, Raw, RequestId, legacy};

use crate::error::{self, Error, Result};
use crate::peer::Inflight;
use crate::service::{Frame, NotificationFrame, Outlet, RequestFrame};

/// The way of a server's requests to its client, on the stream of one request.
#[derive(Clone, Debug)]
pub(crate) struct Backchannel {
    outlet: Outlet,
    inflight: Arc<Inflight>,
    revision: ProtocolVersion,
}

impl Backchannel {
    pub(crate) fn new(outlet: Outlet, inflight: Arc<Inflight>, revision: ProtocolVersion) -> Self {
        Self {
            outlet,
            inflight,
            revision,
        }
    }

    /// Puts a question to the client and waits for its answer.
    ///
    /// # Errors
    ///
    /// Returns the client's error, or that it cannot be reached.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future tells the client that the question is void.
    pub(crate) async fn ask(&self, question: &InputRequest) -> Result<Raw> {
        let method = question.method();
        let id = self.inflight.next_id();
        let elicitation = format!("elicitation-{id}");
        let params = legacy::encode_question(question, &self.revision, &elicitation)?;
        let mut waiting = self.inflight.begin(id.clone(), ())?;
        let frame = RequestFrame::new(id.clone(), method.clone(), params);
        if !self.outlet.send(Frame::Request(frame)).await {
            return Err(error::no_back_channel(&method).into());
        }
        let mut void = Void(Some((&self.outlet, id)));
        let answer = waiting.answer().await;
        void.0 = None;
        answer
    }
}

/// Tells the client that a question is void, unless it was answered.
struct Void<'a>(Option<(&'a Outlet, RequestId)>);

impl Drop for Void<'_> {
    fn drop(&mut self) {
        let Some((outlet, id)) = self.0.take() else {
            return;
        };
        let params = CancelledParams::new(id).reason("the request that asks was cancelled");
        let Ok(params) = Raw::encode(&params) else {
            return;
        };
        // A stream that is full is on its way out, or the client will see that it ends.
        let frame = NotificationFrame::new("notifications/cancelled", Some(params));
        outlet.try_send(Frame::Notification(frame));
    }
}

/// Returns the error of a transport on which nothing can be asked.
pub(crate) fn unreachable(question: &InputRequest) -> Error {
    error::no_back_channel(&question.method()).into()
}
