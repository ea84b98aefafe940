//! The official conformance suite against our server and our client, and what counts as passed.
//!
//! The suite's own exit status is not enough: it is 0 for a scenario that checked nothing and for
//! one whose checks were all skipped. What it wrote about each check decides.

mod checks;
mod lists;
mod plan;
mod report;
mod server;
mod suite;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use plan::{Choice, Role, Scenario};
use report::Report;
use server::Server;

use crate::peers::{self, Suite};
use crate::process;
use crate::repo::Repo;
use crate::steps::Step;

/// How many clients run at the same time.
const CLIENTS: usize = 2;

/// What the command line asks for.
#[derive(Default)]
struct Request {
    /// The server to test; without one, ours is started.
    url: Option<String>,
    choice: Choice,
}

/// Returns the step that runs every scenario.
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
        match argument.as_str() {
            "--url" => {
                let url = rest.next().ok_or("`--url` needs the URL of a server")?;
                request.url = Some(url.clone());
            }
            "--version" => {
                let version = rest.next().ok_or("`--version` needs a revision")?;
                request.choice.version = Some(version.clone());
            }
            "--server" | "--client" if request.choice.role.is_some() => {
                return Err("`--server` and `--client` are one or the other".to_owned());
            }
            "--server" => request.choice.role = Some(Role::Server),
            "--client" => request.choice.role = Some(Role::Client),
            option if option.starts_with('-') => {
                return Err(format!("`conformance` has no option `{option}`"));
            }
            name => request.choice.names.push(name.to_owned()),
        }
    }
    Ok(request)
}

fn run(repo: &Repo, request: Request) -> Result<(), String> {
    let folder = repo.root().join("conformance");
    let excluded = lists::exclusions(&read(&folder.join("excluded.txt"))?)?;
    let skips = lists::skips(&read(&folder.join("skipped.txt"))?)?;

    let suite = peers::conformance_suite(repo)?;
    let listed = plan::listed(&suite.list()?);
    plan::check(&listed, &excluded, &skips)?;
    let chosen = request.choice.of(&listed, &excluded)?;
    process::run(
        repo.cargo()
            .args(["build", "--locked", "-p", "conformance"]),
    )?;

    let out = empty_folder(&repo.target().join("conformance"))?;
    let mut report = Report::new(&skips);
    let (servers, clients): (Vec<Scenario>, Vec<Scenario>) = chosen
        .into_iter()
        .partition(|scenario| scenario.role == Role::Server);
    if !servers.is_empty() {
        // The server lives until the end of this block, which ends it.
        let (_server, url) = match request.url {
            Some(url) => (None, url),
            None => {
                let server = Server::start(repo, &out)?;
                let url = server.url().to_owned();
                (Some(server), url)
            }
        };
        let all = request.choice.names.is_empty();
        for scenarios in servers.chunk_by(|one, next| all && one.version == next.version) {
            report.add(&suite.run_server(&url, scenarios, all, &out)?);
        }
    }
    run_clients(repo, &suite, clients, &out, &mut report)?;
    println!(
        "{report}the suite and the server wrote to {}",
        out.display()
    );
    report.verdict()
}

/// Runs our client for each scenario, several at the same time.
fn run_clients(
    repo: &Repo,
    suite: &Suite,
    scenarios: Vec<Scenario>,
    out: &Path,
    report: &mut Report<'_>,
) -> Result<(), String> {
    let waiting = Mutex::new(VecDeque::from(scenarios));
    let next = || {
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.pop_front()
    };
    thread::scope(|scope| {
        let (done, runs) = mpsc::channel();
        for _ in 0..CLIENTS {
            let done = done.clone();
            scope.spawn(move || {
                while let Some(scenario) = next() {
                    // The receiver is gone once a run could not be made: nothing more to do.
                    if done.send(suite.run_client(repo, scenario, out)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        for run in runs {
            report.add(&run?);
        }
        Ok(())
    })
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
