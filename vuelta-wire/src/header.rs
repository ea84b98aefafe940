//! The names of the protocol's HTTP headers, and the values of those that mirror a request's
//! body.
//!
//! Source: [value
//! encoding](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding).

use std::borrow::Cow;

use data_encoding::BASE64;

/// The header that mirrors the revision.
pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The header that mirrors the method.
pub const METHOD: &str = "mcp-method";
/// The header that mirrors the name or URI of what is asked for.
pub const NAME: &str = "mcp-name";
/// What the names of the headers that mirror arguments begin with.
pub const PARAM_PREFIX: &str = "mcp-param-";
/// The header that names a session; only the revisions with a handshake have it.
pub const SESSION_ID: &str = "mcp-session-id";
/// The header that names the event after which a stream goes on; only the revisions with a
/// handshake have it.
pub const LAST_EVENT_ID: &str = "last-event-id";

const SENTINEL: &str = "=?base64?";
const SENTINEL_END: &str = "?=";

/// Encodes a text as a header value: as it is where that is safe, else in base64 between
/// `=?base64?` and `?=`.
///
/// # Example: plain and encoded
///
/// ```
/// use vuelta_wire::header::{decode, encode};
///
/// assert_eq!(encode("get_weather"), "get_weather");
/// assert_eq!(encode("naïve"), "=?base64?bmHDr3Zl?=");
/// assert_eq!(decode("=?base64?bmHDr3Zl?=").as_deref(), Some("naïve"));
/// ```
#[must_use]
pub fn encode(text: &str) -> Cow<'_, str> {
    let printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let padded = text.starts_with(' ') || text.ends_with(' ');
    let looks_encoded = text.starts_with(SENTINEL) && text.ends_with(SENTINEL_END);
    if printable && !padded && !looks_encoded {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!(
        "{SENTINEL}{}{SENTINEL_END}",
        BASE64.encode(text.as_bytes())
    ))
}

/// Decodes a header value; `None` if it holds characters that are invalid there, or claims to
/// be base64 and is not, canonically, that of a UTF-8 text.
///
/// Spaces and tabs around it are no part of it (RFC 9110, section 5.5).
#[must_use]
pub fn decode(value: &str) -> Option<Cow<'_, str>> {
    let value = value.trim_matches([' ', '\t']);
    if !value
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
    {
        return None;
    }
    let body = value
        .strip_prefix(SENTINEL)
        .and_then(|rest| rest.strip_suffix(SENTINEL_END));
    match body {
        Some(body) => {
            let bytes = BASE64.decode(body.as_bytes()).ok()?;
            String::from_utf8(bytes).ok().map(Cow::Owned)
        }
        None => Some(Cow::Borrowed(value)),
    }
}

#[cfg(test)]
mod tests;
