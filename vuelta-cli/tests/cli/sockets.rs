//! Servers on a socket.

use serde_json::json;

use crate::program::vuelta;
use crate::server::socket;

#[test]
fn a_socket_is_a_server() {
    let socket = socket();
    vuelta(&["call", socket.target(), "add", "a=1", "b=2"]).check(0, "3\n", "");
    let answers = ["--answer", "left=1", "--answer", "right=2"];
    let line = [&["call", socket.target(), "pair"], &answers[..]].concat();
    let answer = |value: &str| json!({ "action": "accept", "content": { "value": value } });
    let both = format!("{} {}\n", answer("1"), answer("2"));
    vuelta(&line).check(0, &both, "");
}

#[test]
fn a_socket_that_is_not_there_ends_with_3() {
    let run = vuelta(&["call", "unix:/no/such.sock", "add"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    let start = "error: cannot connect to /no/such.sock: ";
    assert!(run.err.starts_with(start), "{}", run.err);
    vuelta(&["call", "unix:", "add"]).check(
        2,
        "",
        "error: `unix:` has no path: write unix:/run/user/1000/server.sock\n",
    );
}
