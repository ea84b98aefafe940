//! What a server is, told by its answer to `server/discover`.
//!
//! Pure. Source: [versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).

use serde::Deserialize;
use vuelta_wire::legacy::InitializeResult;
use vuelta_wire::{DiscoverResult, ErrorCode, ProtocolVersion};

use crate::error::{Error, Result};

/// What to do after an answer to `server/discover`.
#[derive(Debug)]
pub(super) enum Probe {
    /// Speak this revision.
    Adopt(ProtocolVersion, Box<DiscoverResult>),
    /// Ask again in this revision.
    Again(ProtocolVersion),
    /// The server knows no discovery: begin with a handshake.
    Handshake,
    /// There is no revision that both speak, or the server cannot be reached.
    Refuse(Error),
}

/// What to do after an answer to `initialize`.
#[derive(Debug)]
pub(super) enum Greeting {
    /// Speak what the server chose.
    Welcome(Box<InitializeResult>),
    /// The server speaks no revision with a handshake: ask it in this one.
    Probe(ProtocolVersion),
    /// There is no revision that both speak, or the server cannot be reached.
    Refuse(Error),
}

/// The newest revision without a handshake that this client speaks.
pub(super) const SPOKEN: ProtocolVersion = ProtocolVersion::V2026_07_28;

/// Decides by the server's answer; `again` says whether it was the second one.
///
/// Errors that only a server without handshakes knows never lead to one, unless they name a
/// revision that begins with it. What passes, and what the caller mends by presenting itself,
/// says nothing about the revision.
pub(super) fn decide(answer: Result<DiscoverResult>, again: bool) -> Probe {
    let error = match answer {
        Ok(result) => {
            let supported = &result.supported_versions;
            let is_older = supported.is_empty() || supported.iter().any(ProtocolVersion::is_legacy);
            return match newest_common(supported) {
                Some(version) => Probe::Adopt(version, Box::new(result)),
                None if is_older => Probe::Handshake,
                None => Probe::Refuse(no_common(supported)),
            };
        }
        Err(error) => error,
    };
    match error.code() {
        Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION) => {
            let Some(supported) = unsupported(&error) else {
                return Probe::Refuse(error);
            };
            match newest_common(&supported) {
                Some(version) if !again => Probe::Again(version),
                Some(_) => Probe::Refuse(error),
                None if supported.iter().any(ProtocolVersion::is_legacy) => Probe::Handshake,
                None => Probe::Refuse(no_common(&supported)),
            }
        }
        Some(ErrorCode::HEADER_MISMATCH | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY) => {
            Probe::Refuse(error)
        }
        Some(_) => Probe::Handshake,
        None if error.is_timeout() || error.is_peer() => Probe::Handshake,
        None => Probe::Refuse(error),
    }
}

/// Decides by the server's answer to `initialize`; `was_probed` says whether it refused a
/// probe before.
pub(super) fn greet(answer: Result<InitializeResult>, was_probed: bool) -> Greeting {
    match answer {
        Ok(result) if result.protocol_version.is_legacy() => Greeting::Welcome(Box::new(result)),
        Ok(result) => Greeting::Refuse(Error::peer(format!(
            "the server answered the handshake with revision {}, which has none: it must choose \
             one of {}",
            result.protocol_version,
            list(&ProtocolVersion::LEGACY)
        ))),
        Err(error) => match unsupported(&error).as_deref().and_then(newest_common) {
            Some(version) if !was_probed => Greeting::Probe(version),
            _ => Greeting::Refuse(error),
        },
    }
}

fn newest_common(supported: &[ProtocolVersion]) -> Option<ProtocolVersion> {
    supported.contains(&SPOKEN).then_some(SPOKEN)
}

fn no_common(supported: &[ProtocolVersion]) -> Error {
    Error::peer(format!(
        "no revision in common: the server speaks [{}], this client [{SPOKEN}, {}]",
        list(supported),
        list(&ProtocolVersion::LEGACY)
    ))
}

fn list(versions: &[ProtocolVersion]) -> String {
    let versions: Vec<_> = versions.iter().map(ProtocolVersion::as_str).collect();
    versions.join(", ")
}

/// Returns the revisions that an `UnsupportedProtocolVersion` error names.
fn unsupported(error: &Error) -> Option<Vec<ProtocolVersion>> {
    #[derive(Deserialize)]
    struct Data {
        supported: Vec<ProtocolVersion>,
        #[serde(rename = "requested")]
        _requested: String,
    }
    let object = error.as_rpc()?;
    if object.code != ErrorCode::UNSUPPORTED_PROTOCOL_VERSION {
        return None;
    }
    object
        .data
        .as_ref()?
        .parse::<Data>()
        .ok()
        .map(|data| data.supported)
}

#[cfg(test)]
mod tests;
