//! Subscriptions: what a server tells to whom, and what a client makes of it.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, beside those that clippy knows as tests"
)]

mod client;
mod gate;
mod one_stream;
mod peer;
mod server;
mod shutdown;
mod stream;
mod watch;
