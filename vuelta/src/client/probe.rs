//! What a server is, told by its answer to `server/discover`.
//!
//! Pure. Source: [versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).

use serde::Deserialize;
use vuelta_wire::{DiscoverResult, ErrorCode, ProtocolVersion};

use crate::error::{Error, Result};

/// What to do after an answer to `server/discover`.
#[derive(Debug)]
pub(super) enum Probe {
    /// Speak this revision.
    Adopt(ProtocolVersion, Box<DiscoverResult>),
    /// Ask again in this revision.
    Again(ProtocolVersion),
    /// There is no revision that both speak.
    Refuse(Error),
}

/// The revisions that this client speaks, newest first.
pub(super) const SPOKEN: [ProtocolVersion; 1] = [ProtocolVersion::V2026_07_28];

/// Decides by the server's answer; `again` says whether it was the second one.
pub(super) fn decide(answer: Result<DiscoverResult>, again: bool) -> Probe {
    match answer {
        Ok(result) => match newest_common(&result.supported_versions) {
            Some(version) => Probe::Adopt(version, Box::new(result)),
            None => Probe::Refuse(no_common(&result.supported_versions)),
        },
        Err(error) => match unsupported(&error) {
            Some(supported) => match newest_common(&supported) {
                Some(version) if !again => Probe::Again(version),
                Some(_) => Probe::Refuse(error),
                None => Probe::Refuse(no_common(&supported)),
            },
            None => Probe::Refuse(error),
        },
    }
}

fn newest_common(supported: &[ProtocolVersion]) -> Option<ProtocolVersion> {
    SPOKEN
        .into_iter()
        .find(|version| supported.contains(version))
}

fn no_common(supported: &[ProtocolVersion]) -> Error {
    let list = |versions: &[ProtocolVersion]| {
        versions
            .iter()
            .map(ProtocolVersion::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    Error::peer(format!(
        "no revision in common: the server speaks [{}], this client [{}]",
        list(supported),
        list(&SPOKEN)
    ))
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
