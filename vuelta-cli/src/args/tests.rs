use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use super::{Args, Begin, CallArgs, Command};

fn call(typed: &[&str]) -> Result<CallArgs, clap::Error> {
    let line = ["vuelta", "call", "http://h/mcp", "tool"]
        .into_iter()
        .chain(typed.iter().copied());
    match Args::try_parse_from(line)?.command {
        Command::Call(args) => Ok(args),
        other => panic!("not a call: {other:?}"),
    }
}

#[test]
fn the_arguments_are_well_formed() {
    Args::command().debug_assert();
}

#[test]
fn options_and_arguments_mix() {
    let args = call(&[
        "a=1",
        "--timeout",
        "2.5",
        "b:=2",
        "--header",
        "X-Key:  a:b ",
        "-v",
    ])
    .unwrap();
    assert_eq!(args.words, ["http://h/mcp", "tool", "a=1", "b:=2"]);
    let args = args.options;
    assert_eq!(args.mode, Begin::Auto);
    assert_eq!(args.timeout, Some(Duration::from_millis(2500)));
    assert_eq!(
        (&*args.headers[0].name, &*args.headers[0].value),
        ("X-Key", "a:b")
    );
    assert!(args.verbose && !args.json);
}

#[test]
fn what_cannot_be_used_is_named_with_its_fix() {
    let cases: [(&[&str], &str); 7] = [
        (&["--arguments", "[]"], "write a JSON object"),
        (&["--arguments", "{"], "EOF"),
        (&["--answer", "yes"], "write KEY.FIELD=VALUE"),
        (&["--root", "project"], "write a file URI"),
        (&["--timeout", "0"], "write a number of seconds above 0"),
        (&["--timeout", "1e30"], "write a number of seconds above 0"),
        (&["--header", "secret"], "write 'Name: value'"),
    ];
    for (typed, fix) in cases {
        let error = call(typed).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ValueValidation);
        assert!(error.to_string().contains(fix), "{typed:?}: {error}");
    }
}

#[test]
fn a_command_stands_behind_two_dashes() {
    let args = call(&["--mode", "legacy", "--", "node", "--flag", "a=b", "--"]).unwrap();
    assert_eq!(args.words, ["http://h/mcp", "tool"]);
    assert_eq!(args.options.mode, Begin::Legacy);
    assert_eq!(args.options.command, ["node", "--flag", "a=b", "--"]);
}

#[test]
fn a_demo_serves_in_one_way() {
    for other in [&["--serve", "127.0.0.1:0"][..], &["--answer", "a=1"]] {
        let line = ["vuelta", "demo", "--stdio"].iter().chain(other);
        let error = Args::try_parse_from(line).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
    }
}
