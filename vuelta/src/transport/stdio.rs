//! The standard streams of a server, while they carry the protocol.
//!
//! Source: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio),
//! whose server writes nothing to its stdout but messages.

#[cfg(unix)]
mod blocking;
#[cfg(not(unix))]
mod plain;
#[cfg(unix)]
mod private;

#[cfg(not(unix))]
pub(crate) use self::plain::{Stdin, Stdout, take};
#[cfg(unix)]
pub(crate) use self::private::{Stdin, Stdout, take};

#[cfg(unix)]
#[cfg(test)]
mod tests;
