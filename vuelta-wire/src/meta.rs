//! `_meta`: what rides beside params and results.
//!
//! Source: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta).

use serde::{Deserialize, Serialize};

use crate::capability::ClientCapabilities;
use crate::notification::LoggingLevel;
use crate::{Extra, Implementation, ProtocolVersion, Raw, RequestId};

/// The key of the protocol revision in a request's `_meta`.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of the client's identity in a request's `_meta`.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The key of the client's capabilities in a request's `_meta`.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of the log level that a request opts in to.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The key of the server's identity in a result's `_meta`.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The key of the subscription in the `_meta` of a frame on a listen stream.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The key of the progress token in a request's `_meta`.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// A `_meta` object of a result, a notification or a definition.
pub type Meta = Extra;

/// What a request's progress notifications are marked with: text or an integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "a newtype")]
pub struct ProgressToken(pub RequestId);

impl From<RequestId> for ProgressToken {
    fn from(id: RequestId) -> Self {
        Self(id)
    }
}

wire! {
    /// The `_meta` of a request of 2026-07-28: the context that a handshake once set up.
    ///
    /// Keys of others are in `extra`.
    pub struct RequestMeta {
        required {
            /// The revision that the request speaks.
            protocol_version: ProtocolVersion = "io.modelcontextprotocol/protocolVersion",
            /// What the client can do for this request.
            client_capabilities: ClientCapabilities = "io.modelcontextprotocol/clientCapabilities",
        }
        optional {
            /// Who the client is.
            client_info: Implementation = "io.modelcontextprotocol/clientInfo",
            /// The lowest level at which the request wants log notifications; none if absent.
            log_level: LoggingLevel = "io.modelcontextprotocol/logLevel",
            /// The token under which the request wants progress notifications.
            progress_token: ProgressToken = "progressToken",
        }
    }
}

/// Returns the server's identity from a result's `_meta`; none if absent or misshapen.
#[must_use]
pub fn server_info(meta: Option<&Meta>) -> Option<Implementation> {
    meta?.get(SERVER_INFO).map(Raw::parse)?.ok()
}
