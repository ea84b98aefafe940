//! The server's half: one endpoint for revision 2026-07-28, and a listener of its own.

mod annotations;
mod body;
mod endpoint;
mod guard;
mod linger;
mod listener;
mod mirror;
mod respond;
mod sse;
mod status;

pub use self::body::Body;
pub use self::endpoint::{Endpoint, IntoEndpoint};
pub use self::listener::{Listener, serve};
