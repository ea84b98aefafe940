//! `vuelta call`: servers of older revisions, which ask while the call runs.

use serde_json::{Value, json};

use crate::program::{Run, vuelta};
use crate::server::{socket, url};

/// Runs `vuelta call` with a handshake against a server behind a URL, and against the same on a
/// socket: what it comes to is the same.
#[track_caller]
fn older(arguments: &[&str]) -> Run {
    let by_url = run(url(), arguments);
    let by_socket = run(socket().target(), arguments);
    assert_eq!(by_url, by_socket);
    by_url
}

fn run(target: &str, arguments: &[&str]) -> Run {
    vuelta(&[&["call", target, "--mode", "legacy"], arguments].concat())
}

#[test]
fn forms_are_asked_by_their_order() {
    older(&["steps", "--answer", "form=a", "--answer", "form2=b"]).check(0, "a,b\n", "");
    let answer = |value: &str| json!({ "action": "accept", "content": { "value": value } });
    let both = format!("{} {}\n", answer("1"), answer("2"));
    older(&["pair", "--answer", "form=1", "--answer", "form2=2"]).check(0, &both, "");
}

#[test]
fn a_refusal_is_an_answer() {
    older(&["contact", "--answer", "form=decline"]).check(0, "{\"action\":\"decline\"}\n", "");
}

#[test]
fn what_is_needed_while_the_call_runs_is_named() {
    older(&["contact", "--answer", "form.age=42"]).check(
        4,
        "",
        "error: input needed: add --answer form.name=VALUE
  form: Who are you?
    --answer form.name=VALUE   text, at least 2 characters
    --answer form=decline   to refuse
",
    );
    let run = older(&["steps", "--answer", "form=a"]);
    assert_eq!((run.code, &*run.out), (4, ""));
    let start = "error: input needed: add --answer form2=VALUE\n  form2: The second?\n";
    assert!(run.err.starts_with(start), "{}", run.err);
    let run = older(&["contact", "--json"]);
    assert_eq!(run.code, 4);
    let needed: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(
        needed["unanswered"][0]["answer"],
        "--answer form.name=VALUE"
    );
}

#[test]
fn a_wrong_answer_while_the_call_runs_is_named() {
    older(&["contact", "--answer", "form.age=17"]).check(
        2,
        "",
        "error: --answer form.age: it must be a whole number, at least 18\n",
    );
}

#[test]
fn urls_are_visited_with_consent() {
    older(&["sign_in", "--answer", "url=accept"]).check(0, "signed in\n", "");
    let run = older(&["sign_in"]);
    assert_eq!((run.code, &*run.out), (4, ""));
    let start = "error: input needed: add --answer url=accept\n";
    assert!(run.err.starts_with(start), "{}", run.err);
}

#[test]
fn a_url_that_an_error_names_is_visited_first() {
    let older = |arguments: &[&str]| run(socket().target(), arguments);
    older(&["sign_in_first", "id=1", "--answer", "url=accept"]).check(0, "signed in\n", "");
    let run = older(&["sign_in_first", "id=2", "--answer", "url=decline"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    assert!(run.err.contains("-32042"), "{}", run.err);
    let run = older(&["sign_in_first", "id=3"]);
    assert_eq!((run.code, &*run.out), (4, ""));
}

#[test]
fn roots_are_told_to_older_servers() {
    let roots = ["--root", "file:///a", "--root", "file:///b"];
    older(&[&["roots"], &roots[..]].concat()).check(0, "file:///a file:///b\n", "");
}

#[test]
fn verbose_tells_what_is_asked_while_the_call_runs() {
    older(&["steps", "--answer", "form=a", "--answer", "form2=b", "-v"]).check(
        0,
        "a,b\n",
        "connected to Test 1.0.0, revision 2025-11-25, with a handshake
round 1
  -> tools/call steps {}   id 4
  <- the server asks
     form: The first?
       value (text; required)
  == form: accept {\"value\":\"a\"}
  <- the server asks
     form2: The second?
       value (text; required)
  == form2: accept {\"value\":\"b\"}
  <- result
",
    );
}

#[test]
fn an_answer_that_an_older_server_did_not_ask_for_is_named() {
    older(&["add", "a=1", "b=2", "--answer", "form=x"]).check(
        0,
        "3\n",
        "note: --answer form: the server did not ask that\n",
    );
}
