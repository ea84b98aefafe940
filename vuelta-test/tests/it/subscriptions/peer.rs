//! A transport whose other end is the test itself.

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use vuelta::client::{Inbound, Outgoing, OutgoingNotification, Transport};
use vuelta::{
    Client, ClientBuilder, Error, Mode, NotificationFrame, ProtocolVersion, Raw, RequestId, Result,
};

use super::stream::{ACKNOWLEDGED, SUBSCRIPTION_ID};

struct Line(mpsc::UnboundedSender<Asked>);

/// The server's end: what the client asks arrives here.
pub(super) struct Peer(mpsc::UnboundedReceiver<Asked>);

/// A request that waits for its answer.
pub(super) struct Asked {
    pub(super) request: Outgoing,
    inbound: Inbound,
    answer: oneshot::Sender<Result<Raw>>,
}

/// Connects a client that sends nothing on its own.
pub(super) async fn connect(builder: ClientBuilder) -> (Client, Peer) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let builder = builder.mode(Mode::pinned(ProtocolVersion::V2026_07_28));
    (builder.connect(Line(sender)).await.unwrap(), Peer(receiver))
}

impl Transport for Line {
    async fn request(&self, request: Outgoing, inbound: Inbound) -> Result<Raw> {
        let (answer, answered) = oneshot::channel();
        let asked = Asked {
            request,
            inbound,
            answer,
        };
        self.0.send(asked).map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn notify(&self, _: OutgoingNotification) -> Result<()> {
        Ok(())
    }
}

fn gone() -> Error {
    Error::transport("the stream ended before the answer")
}

impl Peer {
    pub(super) async fn asked(&mut self) -> Asked {
        self.0.recv().await.unwrap()
    }

    /// Waits for a request and acknowledges it with these notifications.
    pub(super) async fn acknowledge(&mut self, honoured: Value) -> Asked {
        let asked = self.asked().await;
        asked.acknowledge(honoured);
        asked
    }
}

impl Asked {
    pub(super) fn id(&self) -> RequestId {
        self.request.id.clone()
    }

    /// Cancels the subscription, as a server may.
    pub(super) fn cancel(&self) {
        let params = json!({ "requestId": self.request.id });
        self.tell_raw("notifications/cancelled", params);
    }

    pub(super) fn acknowledge(&self, honoured: Value) {
        self.tell(ACKNOWLEDGED, json!({ "notifications": honoured }));
    }

    /// Tells something under the id of the subscription.
    pub(super) fn tell(&self, method: &str, mut params: Value) {
        params["_meta"] = json!({ SUBSCRIPTION_ID: self.request.id });
        self.tell_raw(method, params);
    }

    pub(super) fn tell_raw(&self, method: &str, params: Value) {
        let frame = NotificationFrame::new(method, Some(Raw::from(params)));
        self.inbound.deliver(frame);
    }

    /// Answers the request.
    pub(super) fn answer(self, answer: Result<Value>) {
        self.answer.send(answer.map(Raw::from)).unwrap();
    }

    /// Ends the subscription well.
    pub(super) fn end(self) {
        let meta = json!({ SUBSCRIPTION_ID: self.request.id });
        self.answer(Ok(json!({ "resultType": "complete", "_meta": meta })));
    }

    /// Waits until the client has given the request up.
    pub(super) async fn cancelled(mut self) {
        self.answer.closed().await;
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.answer.is_closed()
    }
}
