//! Nothing is left behind: 1,000 connections of each transport come and go, with a farewell or
//! without, in the middle of a call, of a question and of a subscription, and the process holds
//! as many tasks, file descriptors, child processes and sessions as before.
//!
//! Each transport in a process of its own, which counts nothing else.

use std::process::Command;

fn leaves_nothing_behind(transport: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_leaks"))
        .arg(transport)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn memory_leaves_nothing_behind() {
    leaves_nothing_behind("memory");
}

#[test]
fn byte_streams_leave_nothing_behind() {
    leaves_nothing_behind("stream");
}

#[test]
fn child_processes_leave_nothing_behind() {
    leaves_nothing_behind("process");
}

#[test]
fn unix_sockets_leave_nothing_behind() {
    leaves_nothing_behind("unix");
}

#[test]
fn requests_over_http_leave_nothing_behind() {
    leaves_nothing_behind("http");
}

#[test]
fn sessions_over_http_leave_nothing_behind() {
    leaves_nothing_behind("http-session");
}

#[test]
fn http_with_sse_leaves_nothing_behind() {
    leaves_nothing_behind("http-sse");
}
