//! Which revision a request speaks, decided once, before anything of it is used.
//!
//! Pure: no clock, no socket. Source: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta),
//! [versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).

use http::{HeaderMap, HeaderValue};
use serde_json::value::RawValue;
use vuelta_wire::jsonrpc::Message;
use vuelta_wire::meta::{CLIENT_CAPABILITIES, PROTOCOL_VERSION};
use vuelta_wire::methods::{Initialize, Method as _};
use vuelta_wire::modern::{EnvelopeError, envelope, has_revision};
use vuelta_wire::{ErrorCode, ErrorObject, ProtocolVersion, header, methods};

use crate::error;

/// The envelope of a request of 2026-07-28: found, not yet checked.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Envelope<'a> {
    /// The raw `_meta`.
    meta: &'a str,
    /// The raw revision.
    version: &'a str,
}

impl<'a> Envelope<'a> {
    /// Finds the envelope in a request's params.
    ///
    /// # Errors
    ///
    /// Returns the error for the peer if `_meta` is no object, or lacks a required key.
    pub fn find(params: Option<&'a str>) -> Result<Self, ErrorObject> {
        let keys = envelope(params).map_err(|error| {
            let message = match error {
                EnvelopeError::MissingKeys(keys) => format!(
                    "params._meta is missing the required envelope key(s): {}",
                    keys.join(", ")
                ),
                _ => format!(
                    "params._meta must be an object carrying the required '{PROTOCOL_VERSION}' \
                     and '{CLIENT_CAPABILITIES}' envelope keys"
                ),
            };
            ErrorObject::new(ErrorCode::INVALID_PARAMS, message)
        })?;
        Ok(Self {
            meta: keys.meta,
            version: keys.protocol_version,
        })
    }

    /// Returns the raw `_meta` object.
    #[must_use]
    pub fn meta(&self) -> &'a str {
        self.meta
    }

    /// Returns the revision; `None` if it is no string.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        serde_json::from_str(self.version).ok()
    }

    /// Checks that the revision is one of `supported`.
    ///
    /// # Errors
    ///
    /// Returns the error for the peer: invalid params if the revision is no string, else
    /// `UnsupportedProtocolVersion` with both sides' revisions.
    pub fn check_version(&self, supported: &[ProtocolVersion]) -> Result<(), ErrorObject> {
        let Some(version) = self.version() else {
            let message = format!("params._meta['{PROTOCOL_VERSION}'] must be a string");
            return Err(ErrorObject::new(ErrorCode::INVALID_PARAMS, message));
        };
        check_supported(&version, supported)
    }
}

/// Which kind of revision a message is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a request brings its context, or a handshake did"
)]
pub enum Era {
    /// It brings its context: 2026-07-28, and what comes after.
    Modern,
    /// A handshake came before it, or it is one.
    Legacy,
}

/// Decides of which era an HTTP request is, on an endpoint that serves both: by its headers,
/// and by its message, if its body is a single one.
///
/// A handshake that names no revision in its `_meta` is one, whatever its headers say. Else a
/// header that names anything but a revision with a handshake tells of the new era, as does a
/// body that names its revision, and a method that only the new era has: a client that forgot
/// the header is told that, and not that it lacks a session.
#[must_use]
pub fn era(headers: &HeaderMap, message: Option<&Message<'_>>) -> Era {
    let (params, method) = match message {
        Some(Message::Request(request)) => (request.params, Some(&*request.method)),
        Some(Message::Notification(notification)) => (notification.params, None),
        Some(Message::Response(_)) | None => (None, None),
    };
    if has_revision(params.map(RawValue::get)) {
        return Era::Modern;
    }
    if method == Some(Initialize::NAME) {
        return Era::Legacy;
    }
    let has_handshake = |version: &HeaderValue| {
        let version = version.to_str().unwrap_or_default();
        ProtocolVersion::from(version).is_legacy()
    };
    let mut versions = headers.get_all(header::PROTOCOL_VERSION).iter();
    let is_new = |method: &str| {
        methods::find(method).is_some_and(|info| !info.is_in(&ProtocolVersion::V2025_11_25))
    };
    let in_session = headers.contains_key(header::SESSION_ID);
    if !versions.all(has_handshake) || (!in_session && method.is_some_and(is_new)) {
        return Era::Modern;
    }
    Era::Legacy
}

/// Returns the revision that a connection will speak whose client asked for `requested`: that
/// one, or else the newest with a handshake.
#[must_use]
pub fn negotiate(requested: &ProtocolVersion) -> ProtocolVersion {
    if requested.is_legacy() {
        return requested.clone();
    }
    ProtocolVersion::V2025_11_25
}

/// Checks that `version` is one of `supported`.
///
/// # Errors
///
/// Returns `UnsupportedProtocolVersion` with both sides' revisions.
pub fn check_supported(version: &str, supported: &[ProtocolVersion]) -> Result<(), ErrorObject> {
    if supported.contains(&ProtocolVersion::from(version)) {
        return Ok(());
    }
    Err(error::unsupported_version(supported, version))
}

#[cfg(test)]
mod tests;
