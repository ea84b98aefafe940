//! Connections over byte streams: one message a line, both ends.
//!
//! Source: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).

mod client;
mod era;
mod serve;

pub use self::client::StreamTransport;
pub use self::serve::StreamServer;

/// How many messages wait for a slow peer before who sends them does.
const QUEUE: usize = 64;
