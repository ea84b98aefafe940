//! How long a result may be cached, and for whom.
//!
//! Source: [caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use crate::Number;

/// How long a result may be cached, in milliseconds; 0, the default, is not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Ttl(u64);

impl Ttl {
    /// Returns the time in milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }
}

impl From<Duration> for Ttl {
    fn from(time: Duration) -> Self {
        Self(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }
}

impl From<Ttl> for Duration {
    fn from(ttl: Ttl) -> Self {
        Self::from_millis(ttl.0)
    }
}

impl<'de> Deserialize<'de> for Ttl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The specification: a negative time reads as 0. A cast of a float saturates.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates"
        )]
        let millis = match Number::deserialize(deserializer)? {
            Number::Integer(value) => u64::try_from(value).unwrap_or(0),
            Number::Unsigned(value) => value,
            Number::Float(value) => value as u64,
        };
        Ok(Self(millis))
    }
}

wire_enum! {
    /// Who may share a cached result.
    pub enum CacheScope {
        /// Everyone.
        Public = "public",
        /// Only who asked.
        Private = "private",
    }
}

impl Default for CacheScope {
    /// Returns `Private`: a copy that is shared by mistake cannot be taken back.
    fn default() -> Self {
        Self::Private
    }
}

#[cfg(test)]
mod tests;
