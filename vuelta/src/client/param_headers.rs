//! What a client does when the headers of a call are refused: its list of tools is missing or
//! old, so it lists anew.
//!
//! Source: [custom
//! headers](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).

use std::time::Duration;

use vuelta_wire::ErrorCode;
use vuelta_wire::methods::{CallTool, Method};

use crate::error::{Error, Result};

use super::calls::Options;
use super::{CacheMode, Client};

impl Client {
    /// Returns whether the headers of a call were refused and the list now says how they must
    /// be: the call is worth another try.
    pub(super) async fn relists<M: Method>(
        &self,
        error: &Error,
        tool: &str,
        options: &Options,
    ) -> bool {
        if M::NAME != CallTool::NAME
            || error.code() != Some(ErrorCode::HEADER_MISMATCH)
            || self.is_legacy()
        {
            return false;
        }
        // All pages together may take what one request may.
        let limit = options.timeout.or(self.0.limits.timeout);
        let found = self.relist(tool);
        let found = tokio::time::timeout(limit.unwrap_or(Duration::MAX), found).await;
        match found {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::debug!(%error, "tools cannot be listed anew");
                false
            }
            Err(_) => false,
        }
    }

    /// Lists tools page by page, past the cache, until one shows up.
    async fn relist(&self, tool: &str) -> Result<bool> {
        let mut tools = self.tools().cache_mode(CacheMode::Refresh);
        while let Some(found) = tools.next().await {
            if found?.name == tool {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
