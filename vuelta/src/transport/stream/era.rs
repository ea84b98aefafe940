//! What a connection over a byte stream speaks: the first request decides, for good.
//!
//! Pure. Source: [versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).

use serde::Deserialize;
use vuelta_wire::jsonrpc::Request;
use vuelta_wire::methods::{Initialize, Method as _};
use vuelta_wire::modern::has_revision;
use vuelta_wire::{ErrorCode, ErrorObject, ProtocolVersion};

/// What a connection speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// No request has come that decides.
    Open,
    /// Each request carries its context: 2026-07-28.
    Modern,
    /// A handshake comes first.
    Legacy,
}

/// Which eras a server serves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Served {
    pub(super) modern: bool,
    pub(super) legacy: bool,
}

/// Where a request goes.
#[derive(Debug, PartialEq)]
pub(super) enum Route {
    Modern,
    Legacy,
    /// It is answered with this error.
    Refused(ErrorObject),
}

impl Era {
    /// Decides where a request goes, and with the first one what the connection speaks.
    ///
    /// A request of an era that the server does not serve decides nothing: its error names what
    /// is served, and the client may begin anew.
    pub(super) fn route(&mut self, request: &Request<'_>, served: Served) -> Route {
        let params = request.params.map(serde_json::value::RawValue::get);
        let is_handshake = request.method == Initialize::NAME;
        let has_envelope = has_revision(params);
        let wants_modern = has_envelope && !is_handshake;
        match self {
            Self::Open if wants_modern => {
                if served.modern {
                    *self = Self::Modern;
                }
                Route::Modern
            }
            Self::Open => {
                if served.legacy {
                    *self = Self::Legacy;
                }
                Route::Legacy
            }
            Self::Modern if is_handshake => Route::Refused(no_handshake(params)),
            Self::Modern => Route::Modern,
            Self::Legacy if wants_modern => Route::Refused(ErrorObject::new(
                ErrorCode::INVALID_REQUEST,
                "this connection serves the handshake protocol era; requests carrying the \
                 2026-07-28 envelope are not accepted on it",
            )),
            Self::Legacy => Route::Legacy,
        }
    }
}

fn no_handshake(params: Option<&str>) -> ErrorObject {
    #[derive(Deserialize)]
    struct Handshake {
        #[serde(rename = "protocolVersion")]
        version: String,
    }
    let requested = serde_json::from_str::<Handshake>(params.unwrap_or("{}"));
    let mut data = serde_json::json!({ "supported": [ProtocolVersion::V2026_07_28] });
    if let Ok(Handshake { version }) = requested {
        data["requested"] = version.into();
    }
    ErrorObject::new(
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted",
    )
    .data(data)
}

#[cfg(test)]
mod tests;
