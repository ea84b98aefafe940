//! Which revision a request speaks, decided once, before anything of it is used.
//!
//! Pure: no clock, no socket. Source: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta),
//! [versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).

use vuelta_wire::meta::{CLIENT_CAPABILITIES, PROTOCOL_VERSION};
use vuelta_wire::modern::{EnvelopeError, envelope};
use vuelta_wire::{ErrorCode, ErrorObject, ProtocolVersion};

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
