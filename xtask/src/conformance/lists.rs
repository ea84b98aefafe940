//! The committed lists: what of the suite does not run, and which checks may be skipped, each
//! with a reason.
//!
//! Both are lines of words; blank lines and lines that start with `#` say nothing.

use std::fmt;

use super::plan::{Role, Scenario};

/// Scenarios that do not run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exclusion {
    role: Role,
    pattern: String,
}

impl Exclusion {
    /// Tells whether the scenario of this name does not run.
    pub(super) fn covers(&self, role: Role, name: &str) -> bool {
        role == self.role
            && match self.pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == self.pattern,
            }
    }
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.role, self.pattern)
    }
}

/// A check that the suite may skip.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Skip {
    pub(super) scenario: Scenario,
    /// The check's name: many checks of a scenario share one id.
    pub(super) check: String,
}

/// Reads lines `role pattern reason ..`.
pub(super) fn exclusions(text: &str) -> Result<Vec<Exclusion>, String> {
    lines(text)
        .map(|(number, line)| {
            let mut words = line.split_whitespace();
            let (Some(role), Some(pattern), Some(_reason)) = (
                words.next().and_then(Role::parse),
                words.next(),
                words.next(),
            ) else {
                return Err(format!(
                    "excluded.txt:{number}: expected `role pattern reason ..`, found `{line}`"
                ));
            };
            Ok(Exclusion {
                role,
                pattern: pattern.to_owned(),
            })
        })
        .collect()
}

/// Reads lines `role scenario version check reason ..`.
pub(super) fn skips(text: &str) -> Result<Vec<Skip>, String> {
    lines(text)
        .map(|(number, line)| {
            let mut words = line.split_whitespace();
            let (Some(role), Some(name), Some(version), Some(check), Some(_reason)) = (
                words.next().and_then(Role::parse),
                words.next(),
                words.next(),
                words.next(),
                words.next(),
            ) else {
                return Err(format!(
                    "skipped.txt:{number}: expected `role scenario version check reason ..`, \
                     found `{line}`"
                ));
            };
            Ok(Skip {
                scenario: Scenario::new(role, name, version),
                check: check.to_owned(),
            })
        })
        .collect()
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests;
