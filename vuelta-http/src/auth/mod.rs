//! Authorization over HTTP: the resource server, which validates tokens, and the client, which
//! gets them.
//!
//! Source: [authorization](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization).

pub mod resource;
