//! A server on its standard streams, and what becomes of these while they carry the protocol.
//!
//! Source: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio),
//! whose server writes nothing to its stdout but messages.

#[cfg(unix)]
mod blocking;
#[cfg(not(unix))]
mod plain;
#[cfg(unix)]
mod private;

use crate::error::{Error, Result};
use crate::server::IntoServer;
use crate::transport::StreamServer;

#[cfg(not(unix))]
use self::plain::take;
#[cfg(unix)]
use self::private::take;

/// Serves one client on stdin and stdout until it closes stdin.
///
/// What handlers print, and the processes that they start, reach neither: on Unix systems stdin
/// is empty and stdout is stderr for everybody else while the server runs.
///
/// # Errors
///
/// Returns an error if the server cannot be built or started, if the standard streams cannot be
/// used, or if one of them breaks.
///
/// # Example: the whole program
///
/// ```no_run
/// # async fn run() -> vuelta::Result<()> {
/// let server = vuelta::Server::builder("Calculator", "1.0.0").build()?;
/// vuelta::stdio::serve(server).await
/// # }
/// ```
pub async fn serve(server: impl IntoServer) -> Result<()> {
    serve_with(StreamServer::new(server)?).await
}

/// Serves one client on stdin and stdout, with limits of its own.
///
/// # Errors
///
/// As [`serve`].
pub async fn serve_with(options: StreamServer) -> Result<()> {
    let (stdin, stdout) = take().map_err(|error| {
        Error::transport("the standard streams cannot be used").caused_by(error)
    })?;
    let server = options.server().clone();
    let served = options.serve(stdin, stdout).await;
    server.stop().await;
    served
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
