//! Our types, client and server against other SDKs, by the programs `oracle` and `interop` of
//! `vuelta-test`; and servers of others, by the program `vuelta`.

use std::process::Command;

use crate::repo::Repo;
use crate::steps::Step;
use crate::{peers, process, registry};

/// The part that needs every SDK.
const ERAS: &str = "eras";
/// The part that the program `vuelta` does.
const REGISTRY: &str = "registry";

/// Returns the step; the arguments go to the program as they are, but for `registry`.
pub(crate) fn step<'a>(repo: &'a Repo, arguments: &[String]) -> Step<'a> {
    let arguments = arguments.to_vec();
    let mut rerun = "cargo xtask interop".to_owned();
    for argument in &arguments {
        rerun.push(' ');
        rerun.push_str(argument);
    }
    Step::new("interop", rerun, move || run(repo, &arguments))
}

fn run(repo: &Repo, arguments: &[String]) -> Result<(), String> {
    if arguments.is_empty() || arguments.iter().any(|part| part == REGISTRY) {
        registry::run(repo)?;
    }
    let rest = arguments.iter().filter(|part| *part != REGISTRY);
    let rest: Vec<String> = rest.cloned().collect();
    // Without arguments all parts are run.
    if rest.is_empty() && !arguments.is_empty() {
        return Ok(());
    }
    peers_in_turn(repo, &rest)
}

fn peers_in_turn(repo: &Repo, arguments: &[String]) -> Result<(), String> {
    let python = peers::python_sdk(repo)?;
    process::run(repo.cargo().args([
        "build",
        "--locked",
        "-p",
        "vuelta-test",
        "-p",
        "examples",
        "--bins",
    ]))?;
    let program = |name: &str| {
        let mut command = Command::new(repo.built_program(name));
        command
            .current_dir(repo.root())
            .env("VUELTA_PYTHON", &python)
            .env("VUELTA_PEERS", peers::programs(repo));
        command
    };
    // The arguments choose cells of the matrix; without any, the types are checked too, at each
    // revision that the peer has models of.
    if arguments.is_empty() {
        process::run(&mut program("oracle"))?;
    }
    let mut interop = program("interop");
    if arguments.is_empty() || arguments.iter().any(|part| part == ERAS) {
        interop
            .env("VUELTA_PYTHON_V1", peers::python_sdk_v1(repo)?)
            .env("VUELTA_NODE", peers::node(repo)?)
            .env("VUELTA_TYPESCRIPT", peers::typescript(repo)?)
            .env("VUELTA_INSPECTOR", peers::inspector(repo)?)
            .env("VUELTA_RMCP", peers::rmcp(repo)?);
    }
    process::run(interop.args(arguments))
}
