//! One message as one request: its headers, and where redirects may lead.
//!
//! Source: [request
//! metadata](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata).

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use reqwest::{Response, Url};
use vuelta::client::Outgoing;
use vuelta::wire::header;
use vuelta::{Error, ProtocolVersion, Result};

use super::remote::Remote;

/// Returns the headers of a request of a revision without a handshake, added to `base`.
pub(super) fn request_headers(base: &HeaderMap, request: &Outgoing) -> Result<HeaderMap> {
    let mut headers = message_headers(base, &request.method, &request.protocol_version)?;
    if let Some(target) = &request.target {
        let value = HeaderValue::from_str(&header::encode(target)).map_err(unsendable(target))?;
        headers.insert(header::NAME, value);
    }
    for (name, value) in &request.mirrored {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(unsendable(name))?;
        let value = HeaderValue::from_str(value).map_err(unsendable(value))?;
        headers.insert(name, value);
    }
    Ok(headers)
}

/// Returns the headers of any message of a revision without a handshake, added to `base`.
pub(super) fn message_headers(
    base: &HeaderMap,
    method: &str,
    version: &ProtocolVersion,
) -> Result<HeaderMap> {
    let mut headers = base.clone();
    of_message(&mut headers);
    let version = version.as_str();
    let value = HeaderValue::from_str(version).map_err(unsendable(version))?;
    headers.insert(header::PROTOCOL_VERSION, value);
    let value = HeaderValue::from_str(method).map_err(unsendable(method))?;
    headers.insert(header::METHOD, value);
    Ok(headers)
}

/// Sets the headers of any message of any revision.
pub(super) fn of_message(headers: &mut HeaderMap) {
    let both = HeaderValue::from_static("application/json, text/event-stream");
    headers.insert(ACCEPT, both);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
}

fn unsendable<E>(text: &str) -> impl FnOnce(E) -> Error {
    let message = format!("{text:?} cannot stand in an HTTP header");
    move |_| Error::misuse(message)
}

/// Sends a request; follows up to `max_redirects` redirects within the origin of `url`.
pub(super) async fn send(
    remote: &Remote,
    method: Method,
    url: &Url,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response> {
    let mut target = url.clone();
    let mut left = remote.max_redirects;
    loop {
        let mut request = remote.http.request(method.clone(), target.clone());
        request = request.headers(headers.clone());
        if method == Method::POST {
            request = request.body(body.clone());
        }
        let response = request.send().await.map_err(|error| lost(&target, error))?;
        let Some(next) = redirect(&response, &target) else {
            return Ok(response);
        };
        target = follow(response.status(), url, next, left)?;
        // None is followed when none is left.
        left -= 1;
    }
}

/// Returns where a response redirects to, if it does.
fn redirect(response: &Response, from: &Url) -> Option<Url> {
    if !response.status().is_redirection() {
        return None;
    }
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    from.join(location).ok()
}

/// Decides whether a redirect is followed: to the same origin only, and with the same method.
fn follow(status: StatusCode, origin: &Url, mut target: Url, left: usize) -> Result<Url> {
    let keeps_method = matches!(
        status,
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    );
    let reason = if target.origin() != origin.origin() {
        "another origin"
    } else if !keeps_method {
        "with another method"
    } else if left == 0 {
        "more often than `max_redirects`"
    } else {
        target.set_fragment(None);
        return Ok(target);
    };
    Err(Error::peer(format!(
        "the server redirects to {}, {reason}: connect to that URL if you trust it",
        shown(&target)
    ))
    .detail(format!("HTTP {}", status.as_u16())))
}

fn lost(url: &Url, error: reqwest::Error) -> Error {
    let message = if error.is_connect() || error.is_timeout() {
        format!("cannot connect to {}", shown(url))
    } else {
        format!("the connection to {} broke before the answer", shown(url))
    };
    Error::transport(message).caused_by(error.without_url())
}

/// Returns a URL without what may be secret in it.
pub(super) fn shown(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

#[cfg(test)]
mod tests;
