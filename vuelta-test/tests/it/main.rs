//! Stories through the public API: one binary, one module a subject.

#![expect(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    reason = "a story writes its JSON in place, and ends where a step fails"
)]

mod clock;
mod logs;
mod raw;
mod scripted;

mod arguments;
mod boundary;
mod cache;
mod cancellation;
mod client_loop;
mod context;
mod eras;
mod error_codes;
mod group;
mod http_client;
mod http_server;
mod interrupted;
#[cfg(target_os = "linux")]
mod leaks;
mod lifespan;
mod manual;
mod output_schema;
mod pages;
mod param_headers;
mod progress;
mod seal;
mod session;
mod stateless;
mod stream;
mod subscriptions;
mod tool_lists;
mod trace_context;
mod traces;
