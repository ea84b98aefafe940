//! Requests in their wire form, for what no typed client would send.

use std::fmt::Debug;
use std::future::Future;

use serde_json::{Map, Value, json};
use vuelta::server::Incoming;
use vuelta::{ErrorObject, Outlet, Principal, Raw, Server};

/// Sends raw requests to a server: each with an envelope, as one client.
pub(crate) struct Peer<'a> {
    server: &'a Server,
    capabilities: Value,
    principal: Option<Principal>,
    meta: Map<String, Value>,
}

impl<'a> Peer<'a> {
    /// A client that can answer every kind of question, and is nobody in particular.
    pub(crate) fn new(server: &'a Server) -> Self {
        let capabilities = json!({
            "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {},
        });
        Self {
            server,
            capabilities,
            principal: None,
            meta: Map::new(),
        }
    }

    pub(crate) fn capabilities(self, capabilities: Value) -> Self {
        Self {
            capabilities,
            ..self
        }
    }

    pub(crate) fn principal(self, principal: Principal) -> Self {
        Self {
            principal: Some(principal),
            ..self
        }
    }

    /// Adds a member of `_meta`.
    pub(crate) fn meta(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.meta.insert(key.to_owned(), value.into());
        self
    }

    /// Sends a request; `params` is an object, to which the envelope is added.
    pub(crate) async fn request(&self, method: &str, params: Value) -> Result<Value, ErrorObject> {
        self.send(method, &params.to_string()).await
    }

    /// Sends a request whose params are given as text, for JSON that a [`Value`] cannot hold.
    pub(crate) fn send(
        &self,
        method: &str,
        params: &str,
    ) -> impl Future<Output = Result<Value, ErrorObject>> + use<'_> {
        let mut meta = envelope(&self.capabilities);
        for (key, value) in &self.meta {
            meta[key] = value.clone();
        }
        let rest = params.strip_prefix('{').expect("params are an object");
        let comma = if rest.trim_start().starts_with('}') {
            ""
        } else {
            ","
        };
        let params = Raw::from_json(format!(r#"{{"_meta":{meta}{comma}{rest}"#))
            .expect("the params are JSON");
        let mut extensions = http::Extensions::new();
        if let Some(principal) = &self.principal {
            extensions.insert(principal.clone());
        }
        let incoming = Incoming::new(1.into(), method, Some(params)).extensions(extensions);
        async {
            Ok(value(
                &self.server.dispatch(incoming, Outlet::closed()).await?,
            ))
        }
    }

    /// Begins the provisioning flow of the fixture; returns the state that it hands out.
    pub(crate) async fn begin(&self) -> String {
        let params = json!({ "name": "provision", "arguments": { "name": "orders" } });
        let question = self
            .request("tools/call", params)
            .await
            .expect("the server asks");
        question["requestState"]
            .as_str()
            .expect("the question carries a state")
            .to_owned()
    }

    /// Finishes the provisioning flow from `state`; returns the text of the result.
    pub(crate) async fn finish(&self, state: &str) -> Result<String, ErrorObject> {
        let params = json!({
            "name": "provision",
            "arguments": { "name": "orders" },
            "inputResponses": { "region": accept(json!({ "region": "eu-west-1" })) },
            "requestState": state,
        });
        let result = self.request("tools/call", params).await?;
        Ok(text(&result).to_owned())
    }
}

/// The result of the provisioning flow.
pub(crate) const PROVISIONED: &str = "Provisioned orders in eu-west-1.";

/// Asserts that a state was refused, with the one error that tells nothing.
#[track_caller]
pub(crate) fn check_refused<T: Debug>(answer: Result<T, ErrorObject>) {
    let error = answer.expect_err("the state is refused");
    assert_eq!(
        serde_json::to_string(&error).expect("an error encodes"),
        r#"{"code":-32602,"message":"Invalid or expired requestState","data":{"reason":"invalid_request_state"}}"#
    );
}

/// Returns the text of a result's first block.
#[track_caller]
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"]
        .as_str()
        .expect("the result is a text")
}

/// The envelope of a request of a client with these capabilities.
pub(crate) fn envelope(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// Decodes what the schema calls any.
pub(crate) fn value(raw: &Raw) -> Value {
    raw.parse().expect("raw JSON is JSON")
}

/// An accepted form.
pub(crate) fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}
