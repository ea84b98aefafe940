//! The ids of sessions: not to be guessed, since who knows one may act in its session.
//!
//! Source: [session management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management).

use std::fmt::Write as _;
use std::sync::Arc;

use vuelta::{Error, Result};

/// Creates an id: 192 random bits from the operating system as hexadecimal digits.
///
/// # Errors
///
/// Returns an error if the operating system has no randomness to give.
pub(super) fn random() -> Result<Arc<str>> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::transport("the operating system gives no randomness").caused_by(error)
    })?;
    let mut id = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id.into())
}

#[cfg(test)]
mod tests;
