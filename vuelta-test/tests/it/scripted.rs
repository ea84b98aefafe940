//! A server that answers by a script, and keeps what it was sent.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use vuelta::client::{Inbound, Outgoing, OutgoingNotification, Transport};
use vuelta::{
    Client, ClientBuilder, DiscoverResult, Error, Mode, NotificationFrame, ProtocolVersion, Raw,
    Result, ServerCapabilities,
};

use crate::raw::value;

/// A transport whose other end answers each request with the next line of the script.
///
/// A line with a `code` is an error; one with a `method` is a notification before the answer. A
/// request beyond the script fails the call.
#[derive(Clone)]
pub(crate) struct Scripted {
    script: Arc<Mutex<VecDeque<Value>>>,
    sent: Arc<Mutex<Vec<Outgoing>>>,
}

impl Scripted {
    pub(crate) fn new(script: impl IntoIterator<Item = Value>) -> Self {
        let script = Arc::new(Mutex::new(script.into_iter().collect()));
        Self {
            script,
            sent: Arc::default(),
        }
    }

    /// Connects a client that sends nothing on its own.
    pub(crate) async fn connect(&self, builder: ClientBuilder) -> Client {
        let pinned = builder.mode(Mode::pinned(ProtocolVersion::V2026_07_28));
        pinned
            .connect(self.clone())
            .await
            .expect("a pinned client needs no answer")
    }

    /// Connects a client that knows of a server with these capabilities.
    pub(crate) async fn connect_knowing(
        &self,
        capabilities: Value,
        builder: ClientBuilder,
    ) -> Client {
        let version = ProtocolVersion::V2026_07_28;
        let capabilities: ServerCapabilities =
            serde_json::from_value(capabilities).expect("a story declares what there is");
        let discovered = DiscoverResult::new([version.clone()], capabilities);
        builder
            .mode(Mode::pinned(version).discovered(discovered))
            .connect(self.clone())
            .await
            .expect("a pinned client needs no answer")
    }

    /// Returns the methods of the requests so far.
    pub(crate) fn methods(&self) -> Vec<String> {
        let sent = self.sent();
        sent.into_iter().map(|request| request.method).collect()
    }

    /// Returns the requests so far.
    pub(crate) fn sent(&self) -> Vec<Outgoing> {
        self.sent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns the params of the requests so far.
    pub(crate) fn params(&self) -> Vec<Value> {
        self.sent()
            .iter()
            .map(|request| value(&request.params))
            .collect()
    }
}

impl Transport for Scripted {
    async fn request(&self, request: Outgoing, inbound: Inbound) -> Result<Raw> {
        self.sent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request);
        loop {
            let line = self
                .script
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            let line = line.ok_or_else(|| Error::transport("the script is at its end"))?;
            if let Some(method) = line.get("method").and_then(Value::as_str) {
                let params = line.get("params").cloned().map(Raw::from);
                inbound.deliver(NotificationFrame::new(method, params));
                continue;
            }
            if line.get("code").is_some() {
                let error: vuelta::ErrorObject =
                    serde_json::from_value(line).expect("a line with a code is an error");
                return Err(error.into());
            }
            return Ok(Raw::from(line));
        }
    }

    async fn notify(&self, _: OutgoingNotification) -> Result<()> {
        Ok(())
    }
}
