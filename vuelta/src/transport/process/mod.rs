//! A server as a child process: how it is started, what is kept of its stderr, and how it ends.
//!
//! But for [`ProcessTransport`], it hands out two streams of bytes and knows nothing of what
//! they carry. Source:
//! [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).
//!
//! [`command`] starts a [`Command`]; a [`Child`] is what runs; [`Restarts`] decides when to start
//! it anew.

mod child;
mod command;
mod restarts;
mod stderr;
mod supervise;
mod transport;

pub use self::child::{Child, ChildStdin, ChildStdout};
pub use self::command::{Command, command};
pub use self::restarts::Restarts;
pub use self::transport::ProcessTransport;

#[cfg(unix)]
#[cfg(test)]
mod tests;
