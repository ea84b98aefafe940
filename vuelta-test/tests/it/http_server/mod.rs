//! The HTTP endpoint, seen by a client that writes its requests by hand.

mod dialogue;
mod post;
mod socket;

mod batch;
mod envelope;
mod gate;
mod http_sse;
mod jsonrpc;
mod legacy_stream;
mod listener;
mod mount;
mod params;
mod resume;
mod rounds;
mod sessions;
mod stateless;
mod stream;
