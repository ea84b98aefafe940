use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use super::{Args, CallArgs, Command};

fn call(typed: &[&str]) -> Result<CallArgs, clap::Error> {
    let line = ["vuelta", "call", "http://h/mcp", "tool"]
        .into_iter()
        .chain(typed.iter().copied());
    match Args::try_parse_from(line)?.command {
        Command::Call(args) => Ok(args),
        Command::Demo(_) => panic!("not a call"),
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
    assert_eq!(
        args.pairs,
        ["a=1".parse().unwrap(), "b:=2".parse().unwrap()]
    );
    assert_eq!(args.timeout, Some(Duration::from_millis(2500)));
    assert_eq!(
        (&*args.headers[0].name, &*args.headers[0].value),
        ("X-Key", "a:b")
    );
    assert!(args.verbose && !args.json);
}

#[test]
fn what_cannot_be_used_is_named_with_its_fix() {
    let cases: [(&[&str], &str); 8] = [
        (&["orders"], "write orders=VALUE"),
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
fn arguments_are_given_in_one_way() {
    let error = call(&["a=1", "--arguments", "{}"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
}
