use vuelta::{Error, ErrorCode};

use super::{Failure, with_causes};

#[test]
fn an_error_is_one_line_with_its_causes() {
    let error =
        Error::transport("cannot connect").caused_by(std::io::Error::other("connection\nrefused"));
    assert_eq!(
        Failure::from(error).to_string(),
        "cannot connect: connection refused"
    );
}

#[test]
fn the_stderr_of_a_server_keeps_its_lines() {
    let error = Error::transport("`node` exited with code 1; its stderr ends with:\n  a\r\n  b");
    assert_eq!(
        Failure::from(error).to_string(),
        "`node` exited with code 1; its stderr ends with:\n  a\\u{d}\n  b"
    );
}

#[test]
fn a_cause_that_is_said_already_is_not_said_again() {
    let error = Error::handler(std::io::Error::other("disk full"));
    assert_eq!(with_causes(&error), "handler failed: disk full");
}

#[test]
fn the_servers_error_has_its_code() {
    let error = Error::rpc(ErrorCode::INVALID_PARAMS, "Unknown tool: n\u{1b}ope");
    assert_eq!(
        Failure::from(error).to_string(),
        r"Unknown tool: n\u{1b}ope (-32602)"
    );
}
