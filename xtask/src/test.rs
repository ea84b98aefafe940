//! Which checks make up `cargo xtask test`, and in which order: the cheap ones first.

use crate::repo::Repo;
use crate::steps::Step;
use crate::{conformance, interop, peers, process, tidy};

const TESTS: &[&str] = &["test", "--workspace", "--locked", "--exclude", "examples"];
// Other crates of a build may turn these features on for everyone.
const WIRE: &[&str] = &[
    "test",
    "--locked",
    "-p",
    "vuelta-wire",
    "--features",
    "serde_json/arbitrary_precision,serde_json/preserve_order",
];
const EXAMPLES: &[&str] = &["test", "--locked", "-p", "examples"];
const QUICK: &[&str] = &["test", "--workspace", "--locked"];

/// Lists every check.
pub(crate) fn all(repo: &Repo) -> Vec<Step<'_>> {
    let mut steps = tidy::all(repo);
    steps.push(cargo_step(repo, "tests", TESTS));
    steps.push(cargo_step(repo, "wire", WIRE));
    // The tests of this package run each example as a user would.
    steps.push(cargo_step(repo, "examples", EXAMPLES));
    steps.push(peers::step(repo));
    steps.push(interop::step(repo, &[]));
    steps.push(conformance::every_scenario(repo));
    steps
}

/// Lists the checks of the inner loop, none of which needs a peer.
pub(crate) fn quick(repo: &Repo) -> Vec<Step<'_>> {
    vec![
        tidy::format(repo),
        tidy::clippy(repo),
        cargo_step(repo, "tests", QUICK),
    ]
}

fn cargo_step<'a>(
    repo: &'a Repo,
    name: &'static str,
    arguments: &'static [&'static str],
) -> Step<'a> {
    let rerun = format!("cargo {}", arguments.join(" "));
    Step::new(name, rerun, move || {
        process::run(repo.cargo().args(arguments))
    })
}
