//! Whether the headers that mirror a request say what its body says. Pure.
//!
//! Intermediaries route by these headers, so a request whose headers and body differ is
//! refused. Source: [server
//! validation](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation).

use std::borrow::Cow;

use http::HeaderMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use vuelta::server::classify::Envelope;
use vuelta::wire::jsonrpc::Request;
use vuelta::wire::{header, methods};
use vuelta::{ErrorCode, ErrorObject};

/// The members of a request's params that headers mirror; null is as absent.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Mirrored<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

impl<'a> Mirrored<'a> {
    /// Finds the members.
    ///
    /// # Errors
    ///
    /// Returns the error for the peer if one is there twice: one reader would see the first
    /// and another the last.
    pub(super) fn find(params: Option<&'a str>) -> Result<Self, ErrorObject> {
        serde_json::from_str(params.unwrap_or("{}"))
            .map_err(|error| mismatch(format!("params cannot be compared with headers: {error}")))
    }

    /// Returns the JSON of a tool's arguments.
    pub(super) fn arguments(&self) -> Option<&'a str> {
        self.arguments.map(RawValue::get)
    }

    fn target(&self, member: &str) -> Option<&'a RawValue> {
        match member {
            "name" => self.name,
            "uri" => self.uri,
            _ => None,
        }
    }

    /// Returns the name of the tool, prompt or other thing that is asked for.
    pub(super) fn name(&self) -> Option<Cow<'a, str>> {
        self.name.and_then(text)
    }
}

/// Checks that each routing header is there at most once: intermediaries differ in which of
/// two they read.
///
/// # Errors
///
/// Returns the error for the peer.
pub(super) fn check_single(headers: &HeaderMap) -> Result<(), ErrorObject> {
    for name in [header::PROTOCOL_VERSION, header::METHOD, header::NAME] {
        if headers.get_all(name).iter().nth(1).is_some() {
            return Err(mismatch(format!("{name} header appears more than once")));
        }
    }
    Ok(())
}

/// Checks the routing headers against the body.
///
/// # Errors
///
/// Returns the error for the peer.
pub(super) fn check_routing(
    headers: &HeaderMap,
    request: &Request<'_>,
    envelope: &Envelope<'_>,
) -> Result<(), ErrorObject> {
    let Some(version) = headers.get(header::PROTOCOL_VERSION) else {
        let name = header::PROTOCOL_VERSION;
        return Err(mismatch(format!(
            "{name} header is missing: it must carry the request envelope's protocol version"
        )));
    };
    if envelope.version().as_deref().map(str::as_bytes) != Some(version.as_bytes()) {
        let name = header::PROTOCOL_VERSION;
        return Err(mismatch(format!(
            "{name} header does not match the request envelope's protocol version"
        )));
    }
    let method = headers.get(header::METHOD);
    if method.is_none_or(|method| method.as_bytes() != request.method.as_bytes()) {
        let name = header::METHOD;
        return Err(mismatch(format!(
            "{name} header does not match the request body's method"
        )));
    }
    let Some(member) = methods::find(&request.method).and_then(|info| info.target) else {
        return Ok(());
    };
    let mirrored = Mirrored::find(request.params.map(RawValue::get))?;
    // What the body does not name, the handler's params will miss.
    if let Some(target) = mirrored.target(member) {
        let said = headers
            .get(header::NAME)
            .and_then(|value| value.to_str().ok())
            .and_then(header::decode);
        if said.is_none() || said != text(target) {
            let name = header::NAME;
            return Err(mismatch(format!(
                "{name} header does not match the request body's '{member}' parameter"
            )));
        }
    }
    Ok(())
}

/// Returns the error of a header that disagrees with the body.
pub(super) fn mismatch(message: impl Into<Cow<'static, str>>) -> ErrorObject {
    ErrorObject::new(ErrorCode::HEADER_MISMATCH, message)
}

fn text(value: &RawValue) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

    serde_json::from_str(value.get())
        .ok()
        .map(|Text(text)| text)
}

#[cfg(test)]
mod tests;
