//! The built program against servers in this process, over HTTP.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod call;
mod demo;
mod program;
mod questions;
mod server;
