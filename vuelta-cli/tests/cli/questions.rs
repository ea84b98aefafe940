//! `vuelta call`: what the server asks, answered on the command line or not at all.

use serde_json::{Value, json};

use crate::program::call;

#[test]
fn a_form_is_answered_field_by_field() {
    call(&[
        "contact",
        "--answer",
        "contact.name=42",
        "--answer",
        "contact.age=42",
        "--answer",
        "contact.plan=Large",
        "--answer",
        "contact.days=mon, wed",
    ])
    .check(
        0,
        "{\"action\":\"accept\",\"content\":{\"name\":\"42\",\"age\":42,\"news\":true,\"plan\":\"l\",\
         \"days\":[\"mon\",\"wed\"]}}\n",
        "",
    );
    call(&["contact", "--answer", "contact=decline"]).check(0, "{\"action\":\"decline\"}\n", "");
    call(&["contact", "--answer", "contact=cancel"]).check(0, "{\"action\":\"cancel\"}\n", "");
}

#[test]
fn what_is_still_needed_is_named() {
    call(&["contact", "--answer", "contact.age=42"]).check(
        4,
        "",
        "error: input needed: add --answer contact.name=VALUE
  contact: Who are you?
    --answer contact.name=VALUE   text, at least 2 characters
    --answer contact=decline   to refuse
",
    );
}

#[test]
fn what_is_needed_can_be_json() {
    let run = call(&["contact", "--json"]);
    assert_eq!(run.code, 4);
    let needed: Value = serde_json::from_str(&run.out).unwrap();
    let request = &needed["inputRequests"]["contact"];
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(
        request["params"]["requestedSchema"]["properties"]["age"]["minimum"],
        18
    );
    assert_eq!(
        needed["unanswered"],
        json!([
            { "key": "contact", "field": "name", "answer": "--answer contact.name=VALUE" },
            { "key": "contact", "field": "age", "answer": "--answer contact.age=VALUE" },
        ])
    );
}

#[test]
fn an_answer_that_does_not_fit_is_named() {
    call(&["contact", "--answer", "contact.age=17"]).check(
        2,
        "",
        "error: --answer contact.age: it must be a whole number, at least 18\n",
    );
}

#[test]
fn a_url_needs_consent() {
    call(&["sign_in", "--answer", "auth=accept"]).check(0, "signed in\n", "");
    call(&["sign_in"]).check(
        4,
        "",
        "error: input needed: add --answer auth=accept
  auth: Sign in
    host: example.com
    --answer auth=accept   once you are willing to visit https://example.com/sign-in
    --answer auth=decline   to refuse
",
    );
}

#[test]
fn an_answer_that_was_not_taken_is_not_sent_again() {
    let run = call(&["sign_in", "--answer", "auth=decline"]);
    assert_eq!((run.code, &*run.out), (4, ""));
    let again = "asked again: the answer of the round before was not taken";
    assert!(run.err.contains(again), "{}", run.err);
}

#[test]
fn each_round_has_its_answers() {
    let first = ["steps", "--answer", "first=a"];
    let run = call(&first);
    assert_eq!(run.code, 4);
    assert!(
        run.err
            .starts_with("error: input needed: add --answer second=VALUE\n")
    );
    call(&["steps", "--answer", "first=a", "--answer", "second=b"]).check(0, "a,b\n", "");
}

#[test]
fn a_server_that_asks_forever_is_left() {
    call(&["moody", "--answer", "mood=fine"]).check(
        3,
        "",
        "error: the server still asks after 10 rounds\n",
    );
}

#[test]
fn an_answer_that_nobody_asked_for_is_named() {
    call(&["add", "a=1", "b=2", "--answer", "zone=x"]).check(
        0,
        "3\n",
        "note: --answer zone: the server did not ask that\n",
    );
}

#[test]
fn roots_are_declared_where_they_are_given() {
    call(&["roots", "--root", "file:///a", "--root", "file:///b"]).check(
        0,
        "file:///a file:///b\n",
        "",
    );
    let run = call(&["roots"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    assert!(run.err.contains("-32021"), "{}", run.err);
    assert!(
        run.err.ends_with("; name a directory with --root\n"),
        "{}",
        run.err
    );
}

#[test]
fn sampling_is_not_declared() {
    let run = call(&["sample"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    assert!(run.err.contains("-32021"), "{}", run.err);
    let end = "; this program has no model to sample\n";
    assert!(run.err.ends_with(end), "{}", run.err);
}
