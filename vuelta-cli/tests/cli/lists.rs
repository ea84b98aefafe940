//! `vuelta list`, `vuelta read` and `vuelta prompt`.

use serde_json::Value;

use crate::program::vuelta;
use crate::server::{socket, url};

#[test]
fn what_a_server_has_is_a_table() {
    vuelta(&["list", url()]).check(
        0,
        "tools
  echo
  fail
  add   [a] [b]
prompts
  greet  who [style]  Greets somebody.
resources
  file:///readme  readme  text/plain
  file:///logo    logo                A picture.
",
        "",
    );
}

#[test]
fn what_a_server_has_can_be_json() {
    let socket = socket();
    for line in [
        &["list", url(), "--json"][..],
        &["list", socket.target(), "--json", "--mode", "legacy"],
    ] {
        let run = vuelta(line);
        assert_eq!((run.code, &*run.err), (0, ""));
        let listed: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(listed["tools"][2]["name"], "add");
        assert_eq!(listed["prompts"][0]["arguments"][0]["required"], true);
        assert_eq!(listed["resources"][1]["uri"], "file:///logo");
        assert_eq!(listed["resourceTemplates"], Value::Array(Vec::new()));
    }
}

#[test]
fn a_resource_is_read() {
    vuelta(&["read", url(), "file:///readme"]).check(0, "Read\nme.\n", "");
    let note = "note: bytes (image/png) not shown; --json shows all\n";
    vuelta(&["read", url(), "file:///logo"]).check(0, "", note);
    let run = vuelta(&["read", url(), "file:///logo", "--json"]);
    assert_eq!((run.code, &*run.err), (0, ""));
    let read: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(read["contents"][0]["blob"], "AAAA");
    let run = vuelta(&["read", url(), "file:///none"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    assert!(run.err.contains("-32602"), "{}", run.err);
}

#[test]
fn a_prompt_is_got() {
    let (who, style) = ("who=Ana", "style=brief");
    let messages = "user:\n  Greet Ana.\n  Be brief.\nassistant:\n  Hello!\nuser:\n";
    let note = "note: image (image/png) not shown; --json shows all\n";
    vuelta(&["prompt", url(), "greet", who, style]).check(0, messages, note);
    vuelta(&["prompt", url(), "greet", who, "--answer", style]).check(0, messages, note);
    let run = vuelta(&["prompt", url(), "greet", who, style, "--json"]);
    assert_eq!((run.code, &*run.err), (0, ""));
    let got: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(got["messages"][1]["role"], "assistant");
}

#[test]
fn a_prompt_asks_like_a_tool() {
    let run = vuelta(&["prompt", url(), "greet"]);
    assert_eq!((run.code, &*run.out), (4, ""));
    let start = "error: input needed: add --answer style=VALUE\n";
    assert!(run.err.starts_with(start), "{}", run.err);
    let socket = socket();
    let older = ["prompt", socket.target(), "greet", "--mode", "legacy"];
    let run = vuelta(&[&older[..], &["--answer", "form=brief"]].concat());
    assert_eq!(run.code, 0);
    assert!(
        run.out.starts_with("user:\n  Greet nobody.\n  Be brief.\n"),
        "{}",
        run.out
    );
}

#[test]
fn an_unknown_prompt_names_those_there_are() {
    let run = vuelta(&["prompt", url(), "great"]);
    assert_eq!((run.code, &*run.out), (3, ""));
    assert!(
        run.err.starts_with("error: Unknown prompt: great (-32602)"),
        "{}",
        run.err
    );
    assert!(
        run.err.ends_with("; the server lists: greet\n"),
        "{}",
        run.err
    );
}

#[test]
fn what_is_typed_wrongly_names_the_fix() {
    let cases: [(&[&str], &str); 6] = [
        (&["list"], "no server is given: give a URL"),
        (&["list", url(), "tools"], "`tools` is too much"),
        (&["read", url()], "which resource? write one URI"),
        (
            &["read", url(), "a:b", "c:d"],
            "which resource? write one URI",
        ),
        (&["prompt", url()], "which prompt? write its name"),
        (
            &["prompt", url(), "greet", "who:=1"],
            "a prompt takes text; write who=1",
        ),
    ];
    for (line, fix) in cases {
        let run = vuelta(line);
        assert_eq!((run.code, &*run.out), (2, ""), "{line:?}");
        assert!(run.err.contains(fix), "{line:?}: {}", run.err);
    }
}
