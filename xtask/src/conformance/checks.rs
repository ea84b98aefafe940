//! What the suite wrote about each check, and whether that is good enough.

use std::fs;
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

/// The judgement on one scenario.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    succeeded: usize,
    failed: usize,
    warned: usize,
    skipped: usize,
    objections: Vec<String>,
}

impl Verdict {
    /// Judges the checks of a scenario, given those that it may skip.
    ///
    /// `finished` tells whether the suite ended with status 0.
    pub(super) fn of(checks: &[Check], allowed: &[&Skip], finished: bool) -> Self {
        let mut verdict = Self::default();
        for check in checks {
            verdict.add(check, allowed);
        }
        if verdict.succeeded + verdict.failed + verdict.warned + verdict.skipped == 0 {
            verdict.object("the suite checked nothing".to_owned());
        }
        for skip in allowed {
            let still_skipped = checks
                .iter()
                .any(|check| check.id == skip.check && check.status == "SKIPPED");
            if !still_skipped {
                verdict.object(format!(
                    "skipped.txt lists {}, which was not skipped: delete the line",
                    skip.check
                ));
            }
        }
        if !finished && verdict.passed() {
            verdict.object("the suite ended with an error, see suite.log".to_owned());
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

    /// Writes how many checks ended in which way.
    pub(super) fn counts(&self) -> String {
        format!(
            "{} succeeded, {} failed, {} warned, {} skipped",
            self.succeeded, self.failed, self.warned, self.skipped
        )
    }

    fn add(&mut self, check: &Check, allowed: &[&Skip]) {
        match check.status.as_str() {
            "SUCCESS" => self.succeeded += 1,
            "INFO" => {}
            "SKIPPED" => {
                self.skipped += 1;
                if !allowed.iter().any(|skip| skip.check == check.id) {
                    self.object(describe(check));
                }
            }
            "WARNING" => {
                self.warned += 1;
                self.object(describe(check));
            }
            // A status that a later suite may add is not a success.
            _ => {
                self.failed += 1;
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
