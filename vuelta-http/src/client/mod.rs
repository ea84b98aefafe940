//! The client's half: one POST for each message; and what revisions with a handshake have
//! besides, sessions and streams that the server opens of its own accord.
//!
//! Source: [streamable
//! HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http),
//! [its earlier
//! form](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http).

mod transport;

mod builder;
mod remote;
mod send;

mod events;
mod message;
mod response;
mod sse;

mod asked;
mod connection;
mod courtesies;
mod exchange;
mod http_sse;
mod link;
mod reconnect;
mod route;
mod standing;

pub use self::builder::HttpTransportBuilder;
pub use self::transport::{HttpTransport, url};
