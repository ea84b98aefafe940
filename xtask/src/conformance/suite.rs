//! How the suite is called: for a list, for a server, for a client; and where it writes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::checks::{self, Check};
use super::plan::Scenario;
use crate::peers::Suite;
use crate::process;
use crate::repo::Repo;

/// A baseline without entries: with one, the suite counts a warning as a failure.
const EMPTY_BASELINE: &str = "server: []\n";

/// One run of the suite.
pub(super) struct Run {
    /// Its scenarios, and what the suite wrote about each.
    pub(super) scenarios: Vec<(Scenario, Vec<Check>)>,
    /// Whether the suite ended with status 0.
    pub(super) finished: bool,
    /// Where it has written.
    pub(super) folder: PathBuf,
}

impl Suite {
    /// Lists the scenarios.
    pub(super) fn list(&self) -> Result<String, String> {
        process::capture(self.command().arg("list"))
    }

    /// Runs scenarios of one revision against the server at `url`: `all` of the revision, one
    /// after the other, or else the first one only.
    pub(super) fn run_server(
        &self,
        url: &str,
        scenarios: &[Scenario],
        all: bool,
        out: &Path,
    ) -> Result<Run, String> {
        let [first, ..] = scenarios else {
            return Err("there is no scenario to run".to_owned());
        };
        let mut folder = out.join("server").join(&first.version);
        let mut command = self.command();
        command.args(["server", "--url", url]);
        if all {
            command.args(["--suite", "all"]);
        } else {
            folder.push(&first.name);
            command.args(["--scenario", &first.name]);
        }
        create_folder(&folder)?;
        let baseline = folder.join("no-expected-failures.yml");
        fs::write(&baseline, EMPTY_BASELINE)
            .map_err(|e| format!("cannot write {}: {e}", baseline.display()))?;
        command
            .args(["--spec-version", &first.version])
            .arg("--expected-failures")
            .arg(&baseline);
        let finished = run(&mut command, &folder)?;
        let results = |scenario: &Scenario| {
            let checks = server_checks(&folder, &scenario.name)?;
            Ok((scenario.clone(), checks))
        };
        Ok(Run {
            scenarios: scenarios
                .iter()
                .map(results)
                .collect::<Result<_, String>>()?,
            finished,
            folder,
        })
    }

    /// Runs a scenario against our client, which must have been built.
    ///
    /// The suite's status tells of the client's too: it is not 0 if the client failed.
    pub(super) fn run_client(
        &self,
        repo: &Repo,
        scenario: Scenario,
        out: &Path,
    ) -> Result<Run, String> {
        let folder = out
            .join("client")
            .join(&scenario.version)
            .join(&scenario.name);
        create_folder(&folder)?;
        let client = repo.built_program("everything-client");
        let (Some(home), Some(program)) = (client.parent(), client.file_name()) else {
            return Err(format!("{} is no program", client.display()));
        };
        let mut command = self.command();
        // The suite splits the command at blanks: the program is named without its folder.
        command
            .current_dir(home)
            .arg("client")
            .arg("--command")
            .arg(Path::new(".").join(program))
            .args(["--scenario", &scenario.name])
            .args(["--spec-version", &scenario.version]);
        let finished = run(&mut command, &folder)?;
        let checks = checks::read_all(&folder)?;
        Ok(Run {
            scenarios: vec![(scenario, checks)],
            finished,
            folder,
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.node);
        command
            .args(["--no-deprecation", "--require"])
            .arg(&self.loopback)
            .arg(&self.script);
        command
    }
}

/// Runs a command that writes its results below `folder`, and its output into a file there;
/// tells whether it ended with status 0.
fn run(command: &mut Command, folder: &Path) -> Result<bool, String> {
    let log = folder.join("suite.log");
    let fail = |e| format!("cannot write {}: {e}", log.display());
    let output = File::create(&log).map_err(fail)?;
    let errors = output.try_clone().map_err(fail)?;
    let status = command
        .arg("-o")
        .arg(folder)
        .stdout(output)
        .stderr(errors)
        .status()
        .map_err(|e| format!("cannot start `{}`: {e}", process::describe(command)))?;
    Ok(status.success())
}

/// Reads what a run against a server wrote about one of its scenarios.
fn server_checks(folder: &Path, scenario: &str) -> Result<Vec<Check>, String> {
    let mut found = Vec::new();
    let fail = |e| format!("cannot read {}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.and_then(scenario_of) == Some(scenario) {
            found.extend(checks::read_all(&path)?);
        }
    }
    Ok(found)
}

/// Returns the scenario of a folder that the suite calls `server-<scenario>-<time>`.
fn scenario_of(folder: &str) -> Option<&str> {
    const TIME: usize = "-2026-07-28T12-00-00-000Z".len();
    let name = folder.strip_prefix("server-")?;
    name.get(..name.len().checked_sub(TIME)?)
}

fn create_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|e| format!("cannot create {}: {e}", path.display()))
}

#[cfg(test)]
mod tests;
