//! The HTTP endpoint, seen by a client that writes its requests by hand.

mod post;
mod socket;

mod envelope;
mod gate;
mod jsonrpc;
mod listener;
mod mount;
mod params;
mod rounds;
mod stream;
