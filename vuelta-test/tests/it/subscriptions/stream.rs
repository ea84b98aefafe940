//! One stream of a server, read frame by frame.

use std::pin::Pin;

use serde_json::{Value, json};
use vuelta::server::Incoming;
use vuelta::{ErrorObject, Frame, Inlet, Outlet, Principal, Raw, RequestId, Server};

use crate::raw::{envelope, value};

pub(super) const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
pub(super) const TOOLS: &str = "notifications/tools/list_changed";
pub(super) const PROMPTS: &str = "notifications/prompts/list_changed";
pub(super) const RESOURCES: &str = "notifications/resources/list_changed";
pub(super) const UPDATED: &str = "notifications/resources/updated";

pub(super) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// A `subscriptions/listen` and what has come back.
pub(super) struct Stream {
    answer: Pin<Box<dyn Future<Output = Result<Raw, ErrorObject>> + Send>>,
    inlet: Inlet,
}

impl Stream {
    /// Sends the request under the id `sub`; nothing runs before something is waited for.
    pub(super) fn open(server: &Server, notifications: Value) -> Self {
        Self::of(server, "sub".into(), notifications, None)
    }

    pub(super) fn of(
        server: &Server,
        id: RequestId,
        notifications: Value,
        principal: Option<Principal>,
    ) -> Self {
        let params = json!({ "_meta": envelope(&json!({})), "notifications": notifications });
        let mut extensions = http::Extensions::new();
        if let Some(principal) = principal {
            extensions.insert(principal);
        }
        let incoming = Incoming::new(id, "subscriptions/listen", Some(Raw::from(params)));
        let incoming = incoming.extensions(extensions);
        let (outlet, inlet) = Outlet::open();
        let server = server.clone();
        let answer = async move { server.dispatch(incoming, outlet).await };
        Self {
            answer: Box::pin(answer),
            inlet,
        }
    }

    /// Waits for the next notification.
    pub(super) async fn next(&mut self) -> Told {
        tokio::select! {
            biased;
            Some(frame) = self.inlet.recv() => Told::new(frame),
            end = &mut self.answer => panic!("ended: {end:?}"),
        }
    }

    /// Lets the server run without reading what it sends, until it waits for something.
    pub(super) async fn stall(&mut self) {
        tokio::select! {
            biased;
            end = &mut self.answer => panic!("ended: {end:?}"),
            () = std::future::ready(()) => {}
        }
    }

    /// Waits for the acknowledgement; returns the filter in it.
    pub(super) async fn acknowledged(&mut self) -> Value {
        let Told { method, params } = self.next().await;
        assert_eq!(method, ACKNOWLEDGED, "{params}");
        params["notifications"].clone()
    }

    /// Returns the notifications that come before the server waits for something.
    pub(super) async fn ready(&mut self) -> Vec<Told> {
        let mut told = Vec::new();
        let mut idle = 0;
        // The runtime lets a task take in 128 changes at a time, of which none may be wanted.
        while idle < 16 {
            self.stall().await;
            tokio::task::yield_now().await;
            let before = told.len();
            told.extend(self.waiting());
            idle = if told.len() == before { idle + 1 } else { 0 };
        }
        told
    }

    /// Returns what the notifications tell that come before the server waits for something.
    pub(super) async fn told(&mut self) -> Vec<String> {
        self.ready().await.iter().map(Told::shown).collect()
    }

    /// Waits for the end; returns what was told before it, and the answer.
    pub(super) async fn end(mut self) -> (Vec<String>, Result<Value, ErrorObject>) {
        let mut told = Vec::new();
        let end = loop {
            tokio::select! {
                biased;
                Some(frame) = self.inlet.recv() => told.push(Told::new(frame)),
                end = &mut self.answer => break end,
            }
        };
        told.extend(self.waiting());
        let told = told.iter().map(Told::shown).collect();
        (told, end.map(|result| value(&result)))
    }

    /// Waits until the request is refused, before anything was told.
    pub(super) async fn refused(self) -> ErrorObject {
        let (told, end) = self.end().await;
        assert_eq!(told, [""; 0]);
        end.unwrap_err()
    }

    fn waiting(&mut self) -> impl Iterator<Item = Told> {
        std::iter::from_fn(|| self.inlet.try_recv().map(Told::new))
    }
}

/// A notification of a stream.
#[derive(Debug, PartialEq)]
pub(super) struct Told {
    pub(super) method: String,
    pub(super) params: Value,
}

impl Told {
    fn new(frame: Frame) -> Self {
        let Frame::Notification(frame) = frame else {
            panic!("not a notification: {frame:?}");
        };
        Self {
            method: frame.method,
            params: frame.params.as_ref().map(value).unwrap_or_default(),
        }
    }

    /// Shows the method and, if it names a resource, its URI.
    fn shown(&self) -> String {
        match self.params["uri"].as_str() {
            Some(uri) => format!("{} {uri}", self.method),
            None => self.method.clone(),
        }
    }
}
