//! The built program against servers in this process, over HTTP and sockets, and against servers
//! that it starts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
// The program reaches sockets, and the tests scripts, on Unix systems only.
#![cfg(unix)]

mod call;
mod demo;
mod lists;
mod older;
mod processes;
mod program;
mod questions;
mod server;
mod sockets;
