//! Requests with exact headers, and an endpoint called without a socket.

use std::pin::Pin;

use http_body::Body as _;
use http_body_util::Full;
use serde_json::{Value, json};
use tower_service::Service as _;
use vuelta::Principal;
use vuelta_http::{Body, Endpoint};

/// A request; by default what a well-behaved client sends.
#[derive(Clone)]
pub(super) struct Post {
    pub(super) verb: &'static str,
    pub(super) path: &'static str,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
    /// Who a layer in front has found to be calling; only where there is no socket.
    pub(super) principal: Option<Principal>,
}

impl Post {
    /// A request of `method`; `params` is an object, to which the envelope is added.
    pub(super) fn new(method: &str, params: Value) -> Self {
        Self::with_meta(method, params, meta(json!({})))
    }

    /// A request of a client with these capabilities.
    pub(super) fn capable(method: &str, params: Value, capabilities: Value) -> Self {
        Self::with_meta(method, params, meta(capabilities))
    }

    /// A request with this `_meta`.
    pub(super) fn with_meta(method: &str, mut params: Value, meta: Value) -> Self {
        let target = ["name", "uri"].map(|member| params[member].as_str().map(str::to_owned));
        params["_meta"] = meta;
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut post = Self::bare(body.to_string()).set("Mcp-Method", method);
        if let Some(target) = target.into_iter().flatten().next() {
            post = post.set("Mcp-Name", &target);
        }
        post
    }

    /// A call to a tool.
    pub(super) fn call(tool: &str, arguments: Value) -> Self {
        Self::new(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// A body as it is, with the headers that every message has.
    pub(super) fn bare(body: impl Into<String>) -> Self {
        let headers = [
            ("Host", "localhost"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
        ];
        Self {
            verb: "POST",
            path: "/mcp",
            headers: headers.map(|(name, value)| (name, value.to_owned())).into(),
            body: body.into(),
            principal: None,
        }
    }

    /// Sets a header, in place of one of the same name.
    pub(super) fn set(self, name: &'static str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// Adds a header, beside one of the same name.
    pub(super) fn and(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Leaves a header out.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    pub(super) fn by(mut self, client: &str) -> Self {
        self.principal = Some(Principal::new(client));
        self
    }

    pub(super) fn verb(mut self, verb: &'static str) -> Self {
        self.verb = verb;
        self
    }

    pub(super) fn path(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// Replaces a part of the body.
    pub(super) fn replace(mut self, part: &str, other: &str) -> Self {
        assert!(self.body.contains(part), "no {part} in {}", self.body);
        self.body = self.body.replace(part, other);
        self
    }

    /// Hands the request to an endpoint; the response's body is still to be read.
    pub(super) async fn open(self, endpoint: &Endpoint) -> http::Response<Body> {
        let mut request = http::Request::new(Full::from(self.body));
        *request.method_mut() = self.verb.parse().unwrap();
        *request.uri_mut() = self.path.parse().unwrap();
        for (name, value) in self.headers {
            let name = http::HeaderName::from_bytes(name.as_bytes()).unwrap();
            request.headers_mut().append(name, value.parse().unwrap());
        }
        if let Some(principal) = self.principal {
            request.extensions_mut().insert(principal);
        }
        let Ok(response) = endpoint.clone().call(request).await;
        response
    }

    /// Hands the request to an endpoint and reads the response.
    pub(super) async fn send(self, endpoint: &Endpoint) -> Response {
        let (parts, mut body) = self.open(endpoint).await.into_parts();
        let mut text = String::new();
        while let Some(chunk) = next(&mut body).await {
            text.push_str(&chunk);
        }
        Response {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: text,
        }
    }
}

/// Reads the next chunk of a response.
pub(super) async fn next(body: &mut Body) -> Option<String> {
    let frame = std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await?;
    let Ok(frame) = frame;
    let data = frame.into_data().expect("there are no trailers");
    Some(String::from_utf8(data.into()).expect("messages are UTF-8"))
}

/// The envelope of a client with these capabilities.
pub(super) fn meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "probe", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// A response that has been read.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: http::HeaderMap,
    pub(super) body: String,
}

impl Response {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the JSON-RPC message of a response that is one.
    #[track_caller]
    pub(super) fn message(&self) -> Value {
        assert_eq!(
            self.header("content-type"),
            Some("application/json"),
            "{self:?}"
        );
        serde_json::from_str(&self.body).unwrap()
    }

    /// Returns the result of a response that is one JSON object.
    #[track_caller]
    pub(super) fn result(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        let message = self.message();
        assert_eq!(message["jsonrpc"], "2.0");
        message
            .get("result")
            .cloned()
            .unwrap_or_else(|| panic!("no result: {self:?}"))
    }

    /// Asserts that the response is a JSON-RPC error of this code under this status; returns
    /// its message.
    #[track_caller]
    pub(super) fn refused(&self, status: u16, id: &Value, code: i64) -> String {
        assert_eq!(self.status, status, "{self:?}");
        let message = self.message();
        assert_eq!(message["jsonrpc"], "2.0", "{self:?}");
        assert_eq!(&message["id"], id, "{self:?}");
        assert_eq!(message["error"]["code"], code, "{self:?}");
        message["error"]["message"].as_str().unwrap().to_owned()
    }

    /// Returns the messages of a response that is a stream of events.
    #[track_caller]
    pub(super) fn events(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{self:?}");
        assert_eq!(
            self.header("content-type"),
            Some("text/event-stream"),
            "{self:?}"
        );
        events(&self.body)
    }
}

/// Reads events: each is `event: message` and one line of data.
#[track_caller]
pub(super) fn events(stream: &str) -> Vec<Value> {
    let blocks = stream
        .split_terminator("\n\n")
        .filter(|block| !block.starts_with(':'));
    blocks
        .map(|block| {
            let data = block.strip_prefix("event: message\ndata: ");
            let data = data.unwrap_or_else(|| panic!("no event: {block:?}"));
            serde_json::from_str(data).unwrap()
        })
        .collect()
}
