//! The official conformance suite against our server: which scenarios, and what counts as passed.
//!
//! The suite's own exit status is not enough: it is 0 for a scenario that checked nothing and for
//! one whose checks were all skipped. What it wrote about each check decides.

mod checks;
mod lists;
mod server;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use checks::Verdict;
use lists::{Scenario, Skip};
use server::Server;

use crate::peers::{self, Suite};
use crate::repo::Repo;
use crate::steps::Step;

/// A baseline without entries: with one, the suite counts a warning as a failure.
const EMPTY_BASELINE: &str = "server: []\n";

/// What the command line asks for.
#[derive(Default)]
struct Request {
    /// The server to test; without one, ours is built and started.
    url: Option<String>,
    /// The scenarios to run; all that are listed if there are none.
    names: Vec<String>,
}

/// Returns the step that runs every listed scenario against our server.
pub(crate) fn every_scenario(repo: &Repo) -> Step<'_> {
    Step::new("conformance", "cargo xtask conformance", move || {
        run(repo, Request::default())
    })
}

/// Returns the step that a command line asks for.
pub(crate) fn step<'a>(repo: &'a Repo, arguments: &[String]) -> Result<Step<'a>, String> {
    let request = parse(arguments)?;
    let rerun = format!("cargo xtask conformance {}", arguments.join(" "));
    Ok(Step::new("conformance", rerun.trim_end(), move || {
        run(repo, request)
    }))
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut request = Request::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--url" {
            let url = rest.next().ok_or("`--url` needs the URL of a server")?;
            request.url = Some(url.clone());
        } else if argument.starts_with('-') {
            return Err(format!("`conformance` has no option `{argument}`"));
        } else {
            request.names.push(argument.clone());
        }
    }
    Ok(request)
}

fn run(repo: &Repo, request: Request) -> Result<(), String> {
    let folder = repo.root().join("conformance");
    let listed = lists::scenarios(&read(&folder.join("scenarios.txt"))?)?;
    let skips = lists::skips(&read(&folder.join("skipped.txt"))?)?;
    lists::skips_belong_to(&skips, &listed)?;
    let chosen = lists::choose(listed, &request.names)?;

    let suite = peers::conformance_suite(repo)?;
    let out = empty_folder(&repo.target().join("conformance"))?;
    let baseline = out.join("no-expected-failures.yml");
    fs::write(&baseline, EMPTY_BASELINE)
        .map_err(|e| format!("cannot write {}: {e}", baseline.display()))?;

    // The server lives until the end of this function, which ends it.
    let (_server, url) = match request.url {
        Some(url) => (None, url),
        None => {
            let server = Server::start(repo, &out)?;
            let url = server.url().to_owned();
            (Some(server), url)
        }
    };

    let mut failed: Vec<&str> = Vec::new();
    for scenario in &chosen {
        let start = Instant::now();
        let folder = out.join(&scenario.name).join(&scenario.version);
        let finished = run_suite(&suite, &url, scenario, &baseline, &folder)?;
        let allowed: Vec<&Skip> = skips.iter().filter(|skip| skip.is_of(scenario)).collect();
        let verdict = Verdict::of(&checks::read_all(&folder)?, &allowed, finished);
        println!(
            "{} {scenario}: {} ({:.1} s)",
            if verdict.passed() { "pass" } else { "FAIL" },
            verdict.counts(),
            start.elapsed().as_secs_f64()
        );
        if !verdict.passed() {
            failed.push(&scenario.name);
            for objection in verdict.objections() {
                println!("     {objection}");
            }
            println!("     see {}", folder.display());
        }
    }
    println!(
        "{} of {} scenarios passed; the suite and the server wrote to {}",
        chosen.len() - failed.len(),
        chosen.len(),
        out.display()
    );
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("these scenarios failed: {}", failed.join(" ")))
    }
}

/// Runs one scenario; tells whether the suite itself was content.
fn run_suite(
    suite: &Suite,
    url: &str,
    scenario: &Scenario,
    baseline: &Path,
    folder: &Path,
) -> Result<bool, String> {
    fs::create_dir_all(folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
    let log = folder.join("suite.log");
    let output = File::create(&log).map_err(|e| format!("cannot create {}: {e}", log.display()))?;
    let errors = output
        .try_clone()
        .map_err(|e| format!("cannot write {}: {e}", log.display()))?;
    let status = Command::new(&suite.node)
        .arg(&suite.script)
        .args(["server", "--url", url])
        .args(["--scenario", &scenario.name])
        .args(["--spec-version", &scenario.version])
        .arg("--expected-failures")
        .arg(baseline)
        .arg("-o")
        .arg(folder)
        .stdout(output)
        .stderr(errors)
        .status()
        .map_err(|e| format!("cannot start {}: {e}", suite.node.display()))?;
    Ok(status.success())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

fn empty_folder(path: &Path) -> Result<PathBuf, String> {
    if path.exists() {
        fs::remove_dir_all(path).map_err(|e| format!("cannot remove {}: {e}", path.display()))?;
    }
    fs::create_dir_all(path).map_err(|e| format!("cannot create {}: {e}", path.display()))?;
    Ok(path.to_owned())
}
