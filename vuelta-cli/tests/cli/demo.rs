//! `vuelta demo`.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::program::vuelta;

/// Replaces what differs from run to run: the port, and the sealed token with its length.
fn steady(out: &str) -> String {
    let mut steady = String::new();
    for line in out.lines() {
        let line = match (line.split_once("http://"), line.split_once("requestState ")) {
            (Some((before, _)), _) => format!("{before}URL"),
            (_, Some((before, token))) => {
                let (shown, length) = token.split_once(" (").unwrap();
                let length: usize = length
                    .strip_suffix(" characters)")
                    .unwrap()
                    .parse()
                    .unwrap();
                assert!(shown.starts_with("v1.") && shown.len() < length, "{token}");
                format!("{before}requestState TOKEN")
            }
            _ => line.to_owned(),
        };
        steady = steady + &line + "\n";
    }
    steady
}

#[test]
fn the_rounds_are_told() {
    let run = vuelta(&["demo", "--answer", "region=eu-west-1"]);
    assert_eq!((run.code, &*run.err), (0, ""));
    assert_eq!(
        steady(&run.out),
        r#"server: URL
round 1
  -> tools/call provision {"name":"orders"}   id 2
  <- input required
     region: Which region should the database live in?
       region (text; required)
     requestState TOKEN
  == region: accept {"region":"eu-west-1"}
round 2
  -> tools/call provision {"name":"orders"}   id 3
     with answers to region and requestState TOKEN
  <- result
Provisioned "orders" in eu-west-1.
"#
    );
}

#[test]
fn the_same_token_comes_back() {
    let run = vuelta(&["demo", "--answer", "region=eu-west-1"]);
    let tokens: Vec<&str> = run
        .out
        .lines()
        .filter_map(|line| line.split_once("requestState ").map(|(_, token)| token))
        .collect();
    assert_eq!(tokens.len(), 2);
    assert_eq!(tokens[0], tokens[1]);
}

#[test]
fn without_an_answer_it_says_which_one_is_needed() {
    let run = vuelta(&["demo"]);
    assert_eq!(run.code, 4);
    assert!(run.out.ends_with("characters)\n"), "{}", run.out);
    assert_eq!(
        run.err,
        "error: input needed: add --answer region=VALUE
  region: Which region should the database live in?
    --answer region=VALUE   text
    --answer region=decline   to refuse
"
    );
}

#[test]
fn a_refusal_is_an_answer() {
    let run = vuelta(&["demo", "--answer", "region=decline"]);
    assert_eq!((run.code, &*run.err), (1, ""));
    let end = "  <- the tool failed\nNot provisioned: no region for \"orders\".\n";
    assert!(run.out.ends_with(end), "{}", run.out);
}

#[test]
fn an_answer_that_does_not_fit_is_named() {
    let run = vuelta(&["demo", "--answer", "region.zone=1"]);
    assert_eq!(run.code, 2);
    assert_eq!(
        run.err,
        "error: --answer region.zone: the form has no such field; it has region\n"
    );
}

#[test]
fn it_serves_other_clients() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_vuelta"))
        .args(["demo", "--serve", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut line = || lines.next().unwrap().unwrap();
    assert!(line().starts_with("Provisioner serves http://127.0.0.1:"));
    // The line to try, as it was printed.
    let line = line();
    let words: Vec<&str> = line.split_whitespace().collect();
    let run = vuelta(&words[1..]);
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(words[0], "vuelta");
    run.check(0, "Provisioned \"orders\" in eu-west-1.\n", "");
}

#[test]
fn an_address_that_cannot_be_served_is_named() {
    let run = vuelta(&["demo", "--serve", "nowhere"]);
    assert_eq!((run.code, &*run.out), (2, ""));
    assert!(
        run.err
            .starts_with("error: --serve nowhere: cannot listen: "),
        "{}",
        run.err
    );
    assert!(run.err.ends_with("; give another address\n"), "{}", run.err);
}
