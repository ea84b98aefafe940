//! A peer of the revisions with a handshake, for what comes after it.

use serde_json::{Value, json};
use vuelta::{Client, ClientBuilder, Mode};

use super::peer::{Peer, Received, Reply, event, response};

/// The session that the peer begins.
pub(super) const SESSION: &str = "1868a90c";

/// Starts a peer that shakes hands, gives no stream to listen to, and lets its sessions be
/// ended; `answer` may answer anything before it does.
pub(super) async fn peer(
    mut answer: impl FnMut(&Received) -> Option<Reply> + Send + 'static,
) -> Peer {
    Peer::start(move |request| answer(request).unwrap_or_else(|| usual(request))).await
}

fn usual(request: &Received) -> Reply {
    match (request.verb(), request.method()) {
        ("POST", "initialize") => welcome("2025-11-25").header("mcp-session-id", SESSION),
        ("POST", "tools/call") => Reply::result(&says("done")),
        ("POST", "tools/list") => Reply::result(&json!({ "tools": [] })),
        // A notification, or an answer.
        ("POST", _) => Reply::empty(202),
        ("DELETE", _) => Reply::empty(200),
        _ => Reply::empty(405),
    }
}

/// The answer to `initialize`.
pub(super) fn welcome(version: &str) -> Reply {
    Reply::result(&hello(version))
}

pub(super) fn hello(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "peer", "version": "1" },
    })
}

/// The result of a tool.
pub(super) fn says(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// The response of a tool to the request `id`, as an event.
pub(super) fn done(id: u32) -> String {
    event(&response(&says("done")).replace("$ID", &id.to_string()))
}

/// A notification that shows a number.
pub(super) fn log(number: u32) -> String {
    let params = json!({ "level": "info", "data": number });
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
    event(&message.to_string())
}

/// A request of the server, as an event.
pub(super) fn asks(id: Value, method: &str, params: Value) -> String {
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    event(&message.to_string())
}

/// A form for one text.
pub(super) fn form(message: &str) -> Value {
    json!({
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": { "name": { "type": "string" } },
            "required": ["name"],
        },
    })
}

/// Connects by the handshake; nothing goes out on its own after that.
pub(super) async fn connect(builder: ClientBuilder, peer: &Peer) -> Client {
    let transport = vuelta_http::url(peer.url()).unwrap();
    builder
        .without_output_validation()
        .mode(Mode::legacy())
        .connect(transport)
        .await
        .unwrap()
}

/// Returns the requests that carry a message of this method.
pub(super) fn of(received: &[Received], method: &str) -> Vec<Received> {
    let found = received.iter().filter(|request| request.method() == method);
    found.cloned().collect()
}

/// Returns the requests of this method of HTTP.
pub(super) fn by(received: &[Received], verb: &str) -> Vec<Received> {
    let found = received.iter().filter(|request| request.verb() == verb);
    found.cloned().collect()
}
