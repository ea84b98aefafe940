//! The endpoint as the user described it, and what is known of the server behind it; all clones
//! of a transport share it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::HeaderMap;
use reqwest::Url;

/// An endpoint, and what bounds the exchanges with it.
pub(super) struct Remote {
    pub(super) http: reqwest::Client,
    pub(super) url: Url,
    /// The headers that the user wants on every request.
    pub(super) headers: HeaderMap,
    pub(super) max_response_size: usize,
    pub(super) max_redirects: usize,
    pub(super) max_reconnects: usize,
    pub(super) connect_timeout: Duration,
    pub(super) era: Era,
}

/// What connections have found out about the server: whether it begins with a handshake.
///
/// The revision is a property of the server, which clients should remember: see
/// [versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions).
#[derive(Debug, Default)]
pub(super) struct Era {
    is_legacy: AtomicBool,
}

impl Era {
    pub(super) fn is_legacy(&self) -> bool {
        self.is_legacy.load(Ordering::Relaxed)
    }

    pub(super) fn learn(&self, is_legacy: bool) {
        self.is_legacy.store(is_legacy, Ordering::Relaxed);
    }
}
