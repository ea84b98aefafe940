//! Servers that the program starts.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::program::{Run, vuelta};

const VUELTA: &str = env!("CARGO_BIN_EXE_vuelta");

/// Runs `vuelta call` against the server of the demo.
fn demo(arguments: &[&str]) -> Run {
    let line = [
        &["call", "provision", "name=orders"],
        arguments,
        &["--", VUELTA, "demo", "--stdio"],
    ];
    vuelta(&line.concat())
}

/// Lists what a script has, which is a server or not.
fn list(options: &[&str], script: &str) -> Run {
    vuelta(&[&["list"], options, &["--", "sh", "-c", script]].concat())
}

#[test]
fn a_started_server_asks() {
    let provisioned = "Provisioned \"orders\" in eu-west-1.\n";
    demo(&["--answer", "region=eu-west-1"]).check(0, provisioned, "");
    demo(&["--mode", "legacy", "--answer", "form.region=eu-west-1"]).check(0, provisioned, "");
    let refused = "Not provisioned: no region for \"orders\".\n";
    demo(&["--answer", "region=decline"]).check(1, refused, "");
    demo(&["--mode", "legacy", "--answer", "form=decline"]).check(1, refused, "");
    assert_eq!(demo(&[]).code, 4);
    assert_eq!(demo(&["--mode", "legacy"]).code, 4);
}

#[test]
fn a_started_server_is_listed() {
    vuelta(&["list", "--", VUELTA, "demo", "--stdio"]).check(
        0,
        "tools\n  provision  name  Provision a database. Asks which region to put it in.\n",
        "",
    );
}

#[test]
fn a_program_that_is_not_there_ends_with_3() {
    let run = vuelta(&["call", "add", "--", "vuelta-no-such-program"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    let start = "error: cannot start `vuelta-no-such-program`: it is not found in PATH; install \
                 it, or give its full path";
    assert!(run.err.starts_with(start), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
}

#[test]
fn a_server_that_ends_is_told_with_its_stderr() {
    for mode in ["auto", "legacy"] {
        list(
            &["--mode", mode],
            "echo no tapes >&2; echo none at all >&2; exit 7",
        )
        .check(
            3,
            "",
            "error: `sh` exited with code 7; its stderr ends with:\n  no tapes\n  none at all\n",
        );
    }
}

#[test]
fn what_a_server_writes_to_stderr_can_be_seen_as_it_comes() {
    list(
        &["--verbose", "--mode", "legacy"],
        "echo no tapes >&2; exit 7",
    )
    .check(
        3,
        "",
        "no tapes\nerror: `sh` exited with code 7: see what it wrote to stderr\n",
    );
}

#[test]
fn what_a_server_writes_to_stderr_cannot_steer_the_terminal() {
    let run = list(&[], "printf '\\033[2J\\r' >&2; exit 7");
    assert_eq!(run.code, 3);
    assert!(!run.err.contains(['\u{1b}', '\r']), "{}", run.err);
}

#[test]
fn a_server_sees_the_environment() {
    // Cargo sets it for tests.
    let run = list(&[], "echo $CARGO_PKG_NAME >&2; exit 1");
    assert!(run.err.ends_with("\n  vuelta-cli\n"), "{}", run.err);
}

/// Knows the handshake and ends at anything else.
const HANDSHAKE_ONLY: &str = r#"
while read -r line; do
  case $line in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"Old","version":"1"}}}' ;;
    *'"notifications/initialized"'*) ;;
    *) echo unknown >&2; exit 1 ;;
  esac
done
"#;

#[test]
fn a_server_that_ends_at_the_first_question_is_started_again() {
    let run = list(&["--verbose"], HANDSHAKE_ONLY);
    run.check(
        3,
        "",
        "unknown
the server ended: it is started again, with a handshake
connected to Old 1, revision 2025-06-18, with a handshake
unknown
error: `sh` exited with code 1: see what it wrote to stderr
",
    );
}

#[test]
fn a_server_that_has_nothing_is_no_failure() {
    let script = HANDSHAKE_ONLY.replace("\"tools\":{}", "");
    list(&[], &script).check(0, "", "note: the server lists nothing\n");
}

/// Lists nothing, answers no call, and says when its stdin is closed.
const SILENT: &str = r#"
while read -r line; do
  case $line in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"Silent","version":"1"}}}' ;;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}' ;;
  esac
done
echo closed >&2
"#;

#[test]
fn a_server_is_closed_in_order() {
    list(&["--verbose", "--mode", "legacy"], SILENT).check(
        0,
        "",
        "connected to Silent 1, revision 2025-06-18, with a handshake
note: the server lists nothing
closed
",
    );
}

#[test]
fn ctrl_c_closes_the_server_in_order() {
    let mut program = Command::new(VUELTA)
        .args([
            "call",
            "wait",
            "--verbose",
            "--mode",
            "legacy",
            "--",
            "sh",
            "-c",
            SILENT,
        ])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stderr.take().unwrap()).lines();
    let sent = "  -> tools/call wait {}   id 3";
    assert!(lines.any(|line| line.unwrap() == sent));
    let interrupt = ["-INT", &program.id().to_string()];
    assert!(
        Command::new("kill")
            .args(interrupt)
            .status()
            .unwrap()
            .success()
    );
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(rest, ["closed", "error: interrupted"]);
    assert_eq!(program.wait().unwrap().code(), Some(130));
}
