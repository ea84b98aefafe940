//! What the runs came to: a line for each scenario as it ends, and a table of all.

use std::fmt;

use super::checks::{Tally, Verdict};
use super::lists::Skip;
use super::plan::{Role, Scenario};
use super::suite::Run;

/// Judges the runs of the suite, and remembers how they ended.
pub(super) struct Report<'a> {
    skips: &'a [Skip],
    rows: Vec<Row>,
    failed: Vec<String>,
}

/// All scenarios of a role at a revision.
struct Row {
    role: Role,
    version: String,
    scenarios: usize,
    passed: usize,
    tally: Tally,
}

impl<'a> Report<'a> {
    pub(super) fn new(skips: &'a [Skip]) -> Self {
        Self {
            skips,
            rows: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// Judges a run, and prints what each of its scenarios came to.
    pub(super) fn add(&mut self, run: &Run) {
        let failed_before = self.failed.len();
        for (scenario, checks) in &run.scenarios {
            let skips = self.skips.iter();
            let allowed: Vec<&Skip> = skips.filter(|skip| skip.scenario == *scenario).collect();
            let verdict = Verdict::of(checks, &allowed);
            self.row(scenario).count(&verdict);
            println!(
                "{} {scenario}: {}",
                if verdict.passed() { "pass" } else { "FAIL" },
                verdict.tally()
            );
            for objection in verdict.objections() {
                println!("     {objection}");
            }
            if !verdict.passed() {
                self.failed.push(scenario.to_string());
            }
        }
        if !run.finished && self.failed.len() == failed_before {
            let scenarios = run
                .scenarios
                .iter()
                .map(|(scenario, _)| scenario.to_string());
            let scenarios: Vec<String> = scenarios.collect();
            println!("FAIL every check passed, and yet the suite ended with an error");
            self.failed.push(scenarios.join(", "));
        }
        if self.failed.len() > failed_before {
            println!("     see {}", run.folder.display());
        }
    }

    /// Returns an error that names the scenarios that did not pass.
    pub(super) fn verdict(&self) -> Result<(), String> {
        match self.failed.as_slice() {
            [] => Ok(()),
            failed => Err(format!("these scenarios failed: {}", failed.join(", "))),
        }
    }

    fn row(&mut self, scenario: &Scenario) -> &mut Row {
        let is_of = |row: &Row| row.role == scenario.role && row.version == scenario.version;
        let index = self.rows.iter().position(is_of).unwrap_or_else(|| {
            self.rows.push(Row {
                role: scenario.role,
                version: scenario.version.clone(),
                scenarios: 0,
                passed: 0,
                tally: Tally::default(),
            });
            self.rows.len() - 1
        });
        &mut self.rows[index]
    }
}

impl Row {
    fn count(&mut self, verdict: &Verdict) {
        self.scenarios += 1;
        self.passed += usize::from(verdict.passed());
        self.tally += verdict.tally();
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            writeln!(
                f,
                "{:<6} {}  {:>2} of {:>2} scenarios passed; checks: {}",
                row.role.word(),
                row.version,
                row.passed,
                row.scenarios,
                row.tally
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
