//! What the stories and the interop programs share: the fixture server.

pub mod fixture;
pub mod interop;
