//! Streamable HTTP for [`vuelta`]: servers as a `tower` service, and the client's transport.
//!
//! Source: [streamable
//! HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http),
//! and [its earlier
//! form](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http),
//! which begins with a handshake.

pub mod auth;
mod client;
mod server;

// The public interface is:
pub use crate::client::{HttpTransport, HttpTransportBuilder, url};
pub use crate::server::{
    Body, Endpoint, EventId, EventStore, IntoEndpoint, InvalidEventId, Listener, MemoryEventStore,
    Replay, SseEndpoint, serve,
};
