//! The client's half: one POST for each message.
//!
//! Source: [streamable
//! HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).

mod message;
mod response;
mod send;
mod sse;
mod transport;

pub use self::transport::{HttpTransport, HttpTransportBuilder, url};
