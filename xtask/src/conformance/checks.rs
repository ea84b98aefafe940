//! What the suite wrote about each check, and whether that is good enough.

use std::fmt;
use std::fs;
use std::ops::AddAssign;
use std::path::Path;

use serde::Deserialize;

use super::lists::Skip;

/// One entry of a `checks.json`.
#[derive(Debug, Deserialize)]
pub(super) struct Check {
    id: String,
    name: String,
    status: String,
    #[serde(rename = "errorMessage")]
    error_message: Option<String>,
}

/// Reads every `checks.json` below a folder.
pub(super) fn read_all(folder: &Path) -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    collect(folder, &mut checks)?;
    Ok(checks)
}

fn collect(folder: &Path, checks: &mut Vec<Check>) -> Result<(), String> {
    let fail = |e| format!("cannot read {}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_dir() {
            collect(&path, checks)?;
        } else if path.file_name().is_some_and(|name| name == "checks.json") {
            let text = fs::read_to_string(&path)
                .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            let found: Vec<Check> = serde_json::from_str(&text)
                .map_err(|e| format!("cannot understand {}: {e}", path.display()))?;
            checks.extend(found);
        }
    }
    Ok(())
}

/// How many checks ended in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) succeeded: usize,
    pub(super) failed: usize,
    pub(super) warned: usize,
    pub(super) skipped: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.warned += other.warned;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    /// Writes the successes, and of the others those that there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} succeeded", self.succeeded)?;
        for (count, what) in [
            (self.failed, "failed"),
            (self.warned, "warned"),
            (self.skipped, "skipped"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// The judgement on one scenario.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    tally: Tally,
    objections: Vec<String>,
}

impl Verdict {
    /// Judges the checks of a scenario, given those that it may skip.
    pub(super) fn of(checks: &[Check], allowed: &[&Skip]) -> Self {
        let mut verdict = Self::default();
        for check in checks {
            verdict.add(check, allowed);
        }
        if verdict.tally == Tally::default() {
            verdict.object("the suite checked nothing".to_owned());
        }
        for skip in allowed {
            let still_skipped = checks
                .iter()
                .any(|check| check.name == skip.check && check.status == "SKIPPED");
            if !still_skipped {
                verdict.object(format!(
                    "skipped.txt lists {}, which was not skipped: delete the line",
                    skip.check
                ));
            }
        }
        verdict
    }

    /// Tells whether nothing is to object.
    pub(super) fn passed(&self) -> bool {
        self.objections.is_empty()
    }

    /// Lists why the scenario failed.
    pub(super) fn objections(&self) -> &[String] {
        &self.objections
    }

    /// Returns how many checks ended in which way.
    pub(super) fn tally(&self) -> Tally {
        self.tally
    }

    fn add(&mut self, check: &Check, allowed: &[&Skip]) {
        match check.status.as_str() {
            "SUCCESS" => self.tally.succeeded += 1,
            "INFO" => {}
            "SKIPPED" => {
                self.tally.skipped += 1;
                if !allowed.iter().any(|skip| skip.check == check.name) {
                    self.object(describe(check));
                }
            }
            "WARNING" => {
                self.tally.warned += 1;
                self.object(describe(check));
            }
            // A status that a later suite may add is not a success.
            _ => {
                self.tally.failed += 1;
                self.object(describe(check));
            }
        }
    }

    fn object(&mut self, reason: String) {
        self.objections.push(reason);
    }
}

fn describe(check: &Check) -> String {
    let message = check.error_message.as_deref().unwrap_or("no message");
    format!("{} {} ({}): {message}", check.status, check.id, check.name)
}

#[cfg(test)]
mod tests;
