//! The standard streams as they are, where they cannot be set aside: a handler that prints
//! disturbs the protocol.

use std::io;

pub(crate) use tokio::io::{Stdin, Stdout};

/// Takes the standard streams.
///
/// # Errors
///
/// Returns no error: other systems do.
pub(crate) fn take() -> io::Result<(Stdin, Stdout)> {
    Ok((tokio::io::stdin(), tokio::io::stdout()))
}
