//! The resource server: who is calling, and what they may do.
//!
//! Source: [authorization](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization).
