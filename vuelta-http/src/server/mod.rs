//! The server's half: one endpoint for all revisions, that of the transport before, and a
//! listener of its own.

mod annotations;
mod batch;
mod body;
mod endpoint;
mod guard;
mod http_sse;
mod legacy;
mod linger;
mod listener;
mod mirror;
mod modern;
mod respond;
mod serve;
mod session;
mod sse;
mod stateless;
mod status;
mod stream;

pub use self::body::Body;
pub use self::endpoint::{Endpoint, IntoEndpoint};
pub use self::http_sse::SseEndpoint;
pub use self::listener::{Listener, serve};
pub use self::session::{EventId, EventStore, InvalidEventId, MemoryEventStore, Replay};
