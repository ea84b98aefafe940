//! Discovery: what a server speaks and offers.
//!
//! Source: [discovery](https://modelcontextprotocol.io/specification/2026-07-28/server/discover).

use crate::ProtocolVersion;
use crate::cache::{CacheScope, Ttl};
use crate::capability::ServerCapabilities;
use crate::meta::Meta;

wire! {
    /// The result of `server/discover`.
    pub struct DiscoverResult {
        required {
            /// The revisions that the server serves.
            supported_versions: Vec<ProtocolVersion> = "supportedVersions",
            /// What it offers.
            capabilities: ServerCapabilities = "capabilities",
        }
        defaulted {
            /// How long it may be cached, in milliseconds; 0 if absent or negative.
            ttl_ms: Ttl = "ttlMs",
            /// Who may share a cached copy.
            cache_scope: CacheScope = "cacheScope",
        }
        optional {
            /// How to use the server, for the model.
            instructions: String = "instructions",
            /// Metadata; the server's identity is there.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}
