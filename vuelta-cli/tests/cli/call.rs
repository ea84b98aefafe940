//! `vuelta call`: arguments, results and failures.

use std::net::TcpListener;

use crate::program::{call, vuelta};
use crate::server::url;

#[test]
fn arguments_are_typed_by_the_schema() {
    call(&["add", "a=1", "b=2"]).check(0, "3\n", "");
    call(&["add", "a=-9007199254740993", "b:=0"]).check(0, "-9007199254740993\n", "");
    call(&["add", "--arguments", r#"{"a": 1, "b": 2}"#]).check(0, "3\n", "");
    call(&["echo", "a=1", "b:=2"]).check(0, "{\"a\":\"1\",\"b\":2}\n", "");
    call(&["echo"]).check(0, "{}\n", "");
}

#[test]
fn an_argument_of_the_wrong_type_is_named() {
    call(&["add", "a=one", "b=2"]).check(
        2,
        "",
        "error: argument `a`: the tool wants integer, not `one`; write a:=JSON to send it as it \
         is\n",
    );
}

#[test]
fn a_result_can_be_json() {
    let run = call(&["add", "a=1", "b=2", "--json"]);
    assert_eq!((run.code, &*run.err), (0, ""));
    let result: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(result["structuredContent"]["sum"], 3);
    assert_eq!(result["content"][0]["text"], "3");
}

#[test]
fn a_tool_that_failed_ends_with_1() {
    call(&["fail"]).check(1, "no disk\nleft\n", "");
    let run = call(&["fail", "--json"]);
    assert_eq!((run.code, &*run.err), (1, ""));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&run.out).unwrap()["isError"],
        true
    );
}

#[test]
fn what_is_no_text_is_named() {
    let note = "note: image (image/png) not shown; --json shows all\n";
    call(&["picture"]).check(0, "", note);
}

#[test]
fn a_tool_that_is_not_listed_can_be_called() {
    call(&["hidden", "a=1"]).check(0, "{\"a\":\"1\"}\n", "");
}

#[test]
fn an_unknown_tool_is_the_servers_error_and_names_those_there_are() {
    let run = call(&["ad"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    assert!(
        run.err.starts_with("error: Unknown tool: ad (-32602)"),
        "{}",
        run.err
    );
    assert!(
        run.err.ends_with("; the server lists: echo, fail, add\n"),
        "{}",
        run.err
    );
    let run = call(&["ad", "--json"]);
    assert_eq!((run.code, &*run.out), (3, ""));
}

#[test]
fn a_server_that_is_not_there_ends_with_3() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let run = vuelta(&["call", &format!("http://127.0.0.1:{port}/mcp"), "add"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    assert!(run.err.starts_with("error: "), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1);
}

#[test]
fn a_place_without_a_server_ends_with_3() {
    let run = vuelta(&["call", &url().replace("/mcp", "/other"), "add"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    assert!(run.err.contains("404"), "{}", run.err);
}

#[test]
fn a_target_that_is_no_url_is_a_usage_error() {
    for target in ["127.0.0.1:8000", "ftp://127.0.0.1/mcp", "add"] {
        let run = vuelta(&["call", target, "add"]);
        assert_eq!((run.code, &*run.out), (2, ""));
        assert!(run.err.starts_with("error: "), "{}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    }
}

#[test]
fn what_is_typed_wrongly_is_a_usage_error() {
    assert_eq!(vuelta(&["call"]).code, 2);
    assert_eq!(vuelta(&["cal"]).code, 2);
    call(&[]).check(
        2,
        "",
        "error: which tool? write its name; `vuelta list` tells the names\n",
    );
    call(&["add", "a"]).check(
        2,
        "",
        "error: `a` is no argument: write a=VALUE, or a:=JSON\n",
    );
    call(&["add", "a=1", "--arguments", "{}"]).check(
        2,
        "",
        "error: --arguments has all arguments: leave out KEY=VALUE, or --arguments\n",
    );
    assert_eq!(call(&["add", "--timeout", "soon"]).code, 2);
    call(&["add", "--answer", "a=1", "--answer", "a=2"]).check(
        2,
        "",
        "error: --answer a is given twice; keep one\n",
    );
}

#[test]
fn two_servers_are_too_many() {
    let run = call(&["add", "--", "sh"]);
    assert_eq!((run.code, &*run.out), (2, ""));
    let end = "and the command behind `--` are two servers: keep one\n";
    assert!(run.err.ends_with(end), "{}", run.err);
}

#[test]
fn headers_are_for_urls() {
    vuelta(&["call", "add", "--header", "X-Key: a", "--", "sh"]).check(
        2,
        "",
        "error: --header is for a server behind a URL; one that is started sees the environment: \
         NAME=VALUE vuelta ..\n",
    );
    vuelta(&["call", "unix:/none", "add", "--header", "X-Key: a"]).check(
        2,
        "",
        "error: --header is for a server behind a URL; leave it out\n",
    );
}

#[test]
fn headers_are_sent() {
    call(&["header"]).check(0, "none\n", "");
    call(&["header", "--header", "X-Key: a:b"]).check(0, "a:b\n", "");
    let run = call(&["header", "--header", "bad name: x"]);
    assert_eq!((run.code, &*run.out), (2, ""));
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
}

#[test]
fn a_server_that_takes_too_long_is_left() {
    call(&["never", "--timeout", "0.2"]).check(3, "", "error: tools/call took longer than 200ms\n");
}

#[test]
fn verbose_tells_the_rounds_beside_the_result() {
    let run = call(&["wait", "--verbose"]);
    run.check(
        0,
        "waited\n",
        "connected to Test 1.0.0, revision 2026-07-28
round 1
  -> tools/call wait {}   id 4
  <- input required
     requestState 1 (1 characters)
round 2
  -> tools/call wait {}   id 5
     with requestState 1 (1 characters)
  <- input required
     requestState 2 (1 characters)
round 3
  -> tools/call wait {}   id 6
     with requestState 2 (1 characters)
  <- result
",
    );
}

#[test]
fn help_and_version() {
    let run = vuelta(&["--version"]);
    run.check(0, concat!("vuelta ", env!("CARGO_PKG_VERSION"), "\n"), "");
    for command in ["", "demo", "call", "list", "read", "prompt"] {
        let line: Vec<&str> = [command, "--help"]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect();
        let run = vuelta(&line);
        assert_eq!((run.code, &*run.err), (0, ""));
        let widest = run.out.lines().map(str::len).max();
        assert!(widest <= Some(100), "{widest:?}");
    }
    assert!(vuelta(&["call", "--help"]).out.contains("Examples:"));
}
