//! `cargo xtask`: which command was asked for, and nothing of how it works.

mod conformance;
mod interop;
mod peers;
mod process;
mod registry;
mod repo;
mod steps;
mod test;
mod tidy;

use std::env;
use std::process::ExitCode;

use repo::Repo;
use steps::{OnFailure, Step};

const USAGE: &str = "\
usage: cargo xtask <command>

commands:
  test                      run every check: tidy, tests, examples, peers, interop, conformance
  test --quick              run what needs no peer: fmt, clippy, tests
  tidy [PART ..]            run the checks of the source text, or only some of them:
                            fmt, clippy, sizes, patterns, links, spec, docs, typos
  peers                     install the pinned peers: other SDKs, Node, the conformance suite
  interop [ARG ..]          run our client and server against other SDKs;
                            the arguments go to the `interop` program of `vuelta-test`,
                            but `registry`: servers that npm has, by the program `vuelta`
  conformance [--server|--client] [--version VERSION] [--url URL] [SCENARIO ..]
                            run the official suite against `everything-server`, or the server at
                            URL, and against `everything-client`: all, or of one role, one
                            revision of the protocol, or the named scenarios
  help                      print this text

The checks need Rust, git and Python 3.11 or newer with `venv`. Peers are installed
under `target/peers` (or under CARGO_TARGET_DIR) at the first use, and again when
a pin changes.

exit status: 0 everything passed, 1 a check failed, 2 wrong usage
";

/// The exit status for a command line that cannot be understood.
const WRONG_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        return usage_error("a command is missing");
    };
    if matches!(command.as_str(), "help" | "--help" | "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let repo = match Repo::locate() {
        Ok(repo) => repo,
        Err(message) => return usage_error(&message),
    };
    match plan(&repo, command, rest) {
        Ok((steps, on_failure)) => steps::run(steps, on_failure),
        Err(message) => usage_error(&message),
    }
}

/// Turns a command line into the steps to run.
fn plan<'a>(
    repo: &'a Repo,
    command: &str,
    rest: &[String],
) -> Result<(Vec<Step<'a>>, OnFailure), String> {
    match command {
        "test" => match rest {
            [] => Ok((test::all(repo), OnFailure::Stop)),
            [flag] if flag == "--quick" => Ok((test::quick(repo), OnFailure::Stop)),
            _ => Err("`test` takes no argument but `--quick`".to_owned()),
        },
        "tidy" => Ok((tidy::steps(repo, rest)?, OnFailure::Continue)),
        "peers" if rest.is_empty() => Ok((vec![peers::step(repo)], OnFailure::Stop)),
        "peers" => Err("`peers` takes no argument".to_owned()),
        "interop" => Ok((vec![interop::step(repo, rest)], OnFailure::Stop)),
        "conformance" => Ok((vec![conformance::step(repo, rest)?], OnFailure::Stop)),
        unknown => Err(format!("there is no command `{unknown}`")),
    }
}

fn usage_error(message: &str) -> ExitCode {
    eprintln!("error: {message}\n\n{USAGE}");
    ExitCode::from(WRONG_USAGE)
}
