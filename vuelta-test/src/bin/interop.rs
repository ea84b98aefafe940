//! Checks our client and server against those of other SDKs.
//!
//! ```console
//! $ cargo xtask interop            # everything
//! $ cargo xtask interop tokens     # one part
//! ```
//!
//! `VUELTA_PYTHON` is the interpreter that has the Python SDK, `VUELTA_PEERS` the folder of the
//! programs that peers run; the part `eras` needs more of them, which `cargo xtask interop`
//! installs. With `--serve` and its like this program is itself a server of a fixture.

use std::process::ExitCode;

use vuelta_test::interop::{self, Part, eras};

const USAGE: &str = "\
usage: interop [PART ..]           the parts: calls, tokens, rotation, bookshop, eras; all by default
       interop --serve KEY [..]    a server that seals with the first key and opens with all
       interop --serve-http        a server of the fixture of the eras
       interop --serve-stdio       the same on standard streams
";

/// The exit status for a command line that cannot be understood.
const WRONG_USAGE: u8 = 2;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((flag, keys)) = arguments.split_first() {
        let served = match flag.as_str() {
            interop::SERVE => Some(interop::serve(keys).await),
            eras::SERVE_HTTP => Some(eras::serve_http().await),
            eras::SERVE_STDIO => Some(eras::serve_stdio().await),
            _ => None,
        };
        if let Some(served) = served {
            return report(served.map(|()| true));
        }
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
