//! When a stream is asked for again, and when it is given up.
//!
//! Pure. Source: [sending
//! messages](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server),
//! point 6.

use std::time::Duration;

/// The attempts to have a stream again.
#[derive(Debug)]
pub(super) struct Reconnect {
    /// How many attempts in a row may fail.
    limit: usize,
    /// How many were made since one went well.
    attempts: usize,
}

impl Reconnect {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, attempts: 0 }
    }

    /// Returns how long to wait before the next attempt; `None` if there are to be no more.
    ///
    /// `went_well` says whether the stream that ended has brought anything: a server may close
    /// it as often as it likes, and is asked again at its own pace. `retry` is that pace.
    pub(super) fn next(&mut self, went_well: bool, retry: Option<Duration>) -> Option<Duration> {
        if went_well {
            self.attempts = 0;
        }
        if self.attempts >= self.limit {
            return None;
        }
        let pace = retry.unwrap_or(PACE).max(FASTEST);
        let doublings = u32::try_from(self.attempts).unwrap_or(u32::MAX);
        let grown = pace.saturating_mul(2_u32.saturating_pow(doublings));
        self.attempts += 1;
        // The server may want more time, never less.
        Some(grown.min(SLOWEST.max(pace)))
    }
}

/// How long to wait where the server does not say.
const PACE: Duration = Duration::from_secs(1);
/// How long to wait at least, whatever the server says.
const FASTEST: Duration = Duration::from_millis(100);
/// How far the time grows by itself.
pub(super) const SLOWEST: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests;
