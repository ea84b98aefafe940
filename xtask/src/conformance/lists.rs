//! The committed lists: which scenarios run, and which checks may be skipped, each with a reason.
//!
//! Both are lines of words; blank lines and lines that start with `#` say nothing.

use std::fmt;

/// A scenario of the suite at a revision of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) version: String,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} @ {}", self.name, self.version)
    }
}

/// A check that the suite may skip.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Skip {
    pub(super) scenario: Scenario,
    pub(super) check: String,
}

impl Skip {
    /// Tells whether the check belongs to this scenario.
    pub(super) fn is_of(&self, scenario: &Scenario) -> bool {
        self.scenario == *scenario
    }
}

/// Reads lines `scenario version`.
pub(super) fn scenarios(text: &str) -> Result<Vec<Scenario>, String> {
    let mut found: Vec<Scenario> = Vec::new();
    for (number, line) in lines(text) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, version] = words[..] else {
            return Err(format!(
                "scenarios.txt:{number}: expected `scenario version`, found `{line}`"
            ));
        };
        let scenario = Scenario {
            name: name.to_owned(),
            version: version.to_owned(),
        };
        if found.contains(&scenario) {
            return Err(format!(
                "scenarios.txt:{number}: {scenario} is listed twice"
            ));
        }
        found.push(scenario);
    }
    Ok(found)
}

/// Reads lines `scenario version check reason ..`.
pub(super) fn skips(text: &str) -> Result<Vec<Skip>, String> {
    lines(text)
        .map(|(number, line)| {
            let mut words = line.split_whitespace();
            let (Some(name), Some(version), Some(check), Some(_reason)) =
                (words.next(), words.next(), words.next(), words.next())
            else {
                return Err(format!(
                    "skipped.txt:{number}: expected `scenario version check reason ..`, found `{line}`"
                ));
            };
            Ok(Skip {
                scenario: Scenario {
                    name: name.to_owned(),
                    version: version.to_owned(),
                },
                check: check.to_owned(),
            })
        })
        .collect()
}

/// Refuses a skip whose scenario does not run any more.
pub(super) fn skips_belong_to(skips: &[Skip], listed: &[Scenario]) -> Result<(), String> {
    for skip in skips {
        if !listed.contains(&skip.scenario) {
            return Err(format!(
                "skipped.txt names {}, which scenarios.txt does not list",
                skip.scenario
            ));
        }
    }
    Ok(())
}

/// Keeps the scenarios with these names, at every listed version; all if there are no names.
pub(super) fn choose(listed: Vec<Scenario>, names: &[String]) -> Result<Vec<Scenario>, String> {
    for name in names {
        if !listed.iter().any(|scenario| scenario.name == *name) {
            return Err(format!("scenarios.txt does not list `{name}`"));
        }
    }
    Ok(listed
        .into_iter()
        .filter(|scenario| names.is_empty() || names.contains(&scenario.name))
        .collect())
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests;
