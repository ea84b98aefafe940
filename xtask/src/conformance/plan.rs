//! Which scenarios run: what the suite lists, less what is excluded, as the command line chooses.

use std::fmt;

use super::lists::{Exclusion, Skip};

/// The revisions whose scenarios run by default.
const SERVED: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// A revision, and how many scenarios the suite has for it.
struct Revision {
    version: &'static str,
    server: usize,
    client: usize,
}

/// What the pinned suite has: a scenario that goes missing must not go unnoticed.
const REVISIONS: [Revision; 4] = [
    Revision {
        version: "2025-03-26",
        server: 1,
        client: 2,
    },
    Revision {
        version: "2025-06-18",
        server: 27,
        client: 5,
    },
    Revision {
        version: "2025-11-25",
        server: 33,
        client: 19,
    },
    Revision {
        version: "2026-07-28",
        server: 40,
        client: 33,
    },
];

/// Which side of a connection is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Server,
    Client,
}

impl Role {
    /// Reads the word that the suite has for it.
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "server" => Some(Self::Server),
            "client" => Some(Self::Client),
            _ => None,
        }
    }

    /// Returns the word that the suite has for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A scenario of the suite at a revision of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scenario {
    pub(super) role: Role,
    pub(super) name: String,
    pub(super) version: String,
}

impl Scenario {
    pub(super) fn new(role: Role, name: &str, version: &str) -> Self {
        Self {
            role,
            name: name.to_owned(),
            version: version.to_owned(),
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} @ {}", self.role, self.name, self.version)
    }
}

/// A scenario as the suite lists it: with all the revisions that it is for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listed {
    role: Role,
    name: String,
    versions: Vec<String>,
}

impl Listed {
    fn is_of(&self, version: &str) -> bool {
        self.versions.iter().any(|own| own == version)
    }

    fn is_excluded(&self, excluded: &[Exclusion]) -> bool {
        excluded.iter().any(|no| no.covers(self.role, &self.name))
    }
}

/// Reads the suite's list: lines `- name [version,version]` below a heading for each role.
pub(super) fn listed(text: &str) -> Vec<Listed> {
    let mut role = None;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        let Some(entry) = line.strip_prefix("- ") else {
            if !line.is_empty() {
                // A heading: `Server scenarios (..):`, or of something that is not tested.
                let word = line.split_whitespace().next().unwrap_or_default();
                role = Role::parse(&word.to_lowercase());
            }
            continue;
        };
        let versions = entry.split_once(" [");
        let versions = versions.and_then(|(name, rest)| Some((name, rest.strip_suffix(']')?)));
        if let (Some(role), Some((name, versions))) = (role, versions) {
            found.push(Listed {
                role,
                name: name.to_owned(),
                versions: versions.split(',').map(str::to_owned).collect(),
            });
        }
    }
    found
}

/// Checks that the suite has what it should, and that the committed lists speak of it.
pub(super) fn check(
    listed: &[Listed],
    excluded: &[Exclusion],
    skips: &[Skip],
) -> Result<(), String> {
    for Revision {
        version,
        server,
        client,
    } in REVISIONS
    {
        for (role, wanted) in [(Role::Server, server), (Role::Client, client)] {
            let found = listed
                .iter()
                .filter(|entry| entry.role == role && entry.is_of(version));
            let found = found.count();
            if found != wanted {
                return Err(format!(
                    "the suite lists {found} {role} scenarios of {version}, not {wanted}"
                ));
            }
        }
    }
    for entry in listed {
        let known = REVISIONS.iter().any(|known| entry.is_of(known.version));
        if !known && !entry.is_excluded(excluded) {
            return Err(format!(
                "the {} scenario {} is of no revision that is known: say in excluded.txt why it \
                 does not run",
                entry.role, entry.name
            ));
        }
    }
    for exclusion in excluded {
        if !listed
            .iter()
            .any(|entry| exclusion.covers(entry.role, &entry.name))
        {
            return Err(format!(
                "excluded.txt names {exclusion}, which the suite does not have: delete the line"
            ));
        }
    }
    for Skip { scenario, check } in skips {
        let exists = listed.iter().any(|entry| {
            entry.role == scenario.role
                && entry.name == scenario.name
                && entry.is_of(&scenario.version)
                && !entry.is_excluded(excluded)
        });
        if !exists {
            return Err(format!(
                "skipped.txt names {check} of {scenario}, which does not run: delete the line"
            ));
        }
    }
    Ok(())
}

/// What the command line chooses; everything if it is empty.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub(super) role: Option<Role>,
    pub(super) version: Option<String>,
    pub(super) names: Vec<String>,
}

impl Choice {
    /// Returns the chosen scenarios, those of a role and revision together.
    pub(super) fn of(
        &self,
        listed: &[Listed],
        excluded: &[Exclusion],
    ) -> Result<Vec<Scenario>, String> {
        let mut chosen = Vec::new();
        for role in [Role::Server, Role::Client] {
            for version in self.versions()? {
                for entry in listed {
                    if entry.role == role
                        && entry.is_of(version)
                        && !entry.is_excluded(excluded)
                        && self.role.is_none_or(|wanted| wanted == role)
                        && (self.names.is_empty() || self.names.contains(&entry.name))
                    {
                        chosen.push(Scenario::new(role, &entry.name, version));
                    }
                }
            }
        }
        let runs = |name: &&String| chosen.iter().any(|scenario| scenario.name == **name);
        if let Some(name) = self.names.iter().find(|name| !runs(name)) {
            return Err(format!("no scenario that would run is called `{name}`"));
        }
        Ok(chosen)
    }

    fn versions(&self) -> Result<Vec<&'static str>, String> {
        let Some(version) = &self.version else {
            return Ok(SERVED.to_vec());
        };
        let known = REVISIONS.iter().find(|known| known.version == version);
        known.map(|known| vec![known.version]).ok_or_else(|| {
            let all = REVISIONS.map(|known| known.version);
            format!("`--version` is one of {}", all.join(", "))
        })
    }
}

#[cfg(test)]
mod tests;
