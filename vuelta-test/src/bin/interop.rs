//! Checks our client and server against the Python SDK's, over HTTP.
//!
//! ```console
//! $ cargo xtask interop            # everything
//! $ cargo xtask interop tokens     # one part
//! ```
//!
//! `VUELTA_PYTHON` is the interpreter that has the SDK, `VUELTA_PEERS` the folder of the programs
//! that it runs. With `--serve` this program is itself a server of the fixture.

use std::process::ExitCode;

use vuelta_test::interop::{self, Part};

const USAGE: &str = "\
usage: interop [PART ..]           the parts: calls, tokens, rotation, bookshop; all by default
       interop --serve KEY [..]    a server that seals with the first key and opens with all
";

/// The exit status for a command line that cannot be understood.
const WRONG_USAGE: u8 = 2;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((flag, keys)) = arguments.split_first()
        && flag == interop::SERVE
    {
        return report(interop::serve(keys).await.map(|()| true));
    }
    let parts: Option<Vec<Part>> = arguments.iter().map(|name| Part::from_name(name)).collect();
    match parts {
        Some(parts) if parts.is_empty() => report(interop::run(&Part::ALL).await),
        Some(parts) => report(interop::run(&parts).await),
        None => {
            eprint!("{USAGE}");
            ExitCode::from(WRONG_USAGE)
        }
    }
}

fn report(outcome: Result<bool, interop::Failure>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
