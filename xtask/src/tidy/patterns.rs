//! What no file may contain: unfinished work, shortcuts, and names that only one machine knows.
//!
//! The patterns are put together from pieces, so that this file does not contain them.

use super::Finding;
use crate::repo::TextFile;

/// Looks at one file for everything that is forbidden there.
pub(super) fn check(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut report = |index: usize, text: String| {
        findings.push(Finding {
            line: index + 1,
            text,
        });
    };
    if is_lock_file(&file.path) {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(source) = foreign_source(line) {
                report(index, format!("`{source}` is not the canonical registry"));
            }
        }
        return findings;
    }

    let pauses_time = file.text.contains("start_paused") || file.text.contains("time::pause(");
    let mut previous = "";
    for (index, line) in file.text.lines().enumerate() {
        for text in in_any_text(line) {
            report(index, text);
        }
        if file.is_rust() {
            for text in in_rust(line, previous) {
                report(index, text);
            }
            let is_comment = line.trim_start().starts_with("//");
            if file.is_test() {
                if let Some(text) = sleep(line, pauses_time) {
                    report(index, text);
                }
            } else if !is_comment && line.contains(concat!(".unw", "rap()")) {
                report(
                    index,
                    "unwraps outside a test: return the error, or state the invariant in an `expect`"
                        .to_owned(),
                );
            }
        }
        previous = line;
    }
    findings
}

/// Finds what no text may contain, whatever its language.
fn in_any_text(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for marker in [concat!("FIX", "ME"), concat!("TO", "DO")] {
        // A marker in back quotes is spoken about, not left behind.
        if has_word(line, marker, |before| before == '`') {
            found.push(format!(
                "`{marker}` is left behind: finish the work or drop the note"
            ));
        }
    }
    for folder in ["home", "root", "tmp", "work", "Users"] {
        // Only the start of a path counts: the specification's own examples of root URIs are
        // allowed (`file:///...`), and so is a folder of the same name deeper in a path or URL.
        let path = format!("/{folder}/");
        let inside = |before: char| before.is_alphanumeric() || "/.-_~*})]>$".contains(before);
        if has(line, &path, inside) {
            found.push(format!("`{path}..` is a path of one machine"));
        }
    }
    if let Some(host) = registry_host(line) {
        found.push(format!("`{host}` is not a canonical registry"));
    }
    found
}

/// Finds what no Rust code may contain, tests included.
fn in_rust(line: &str, previous: &str) -> Vec<String> {
    let mut found = Vec::new();
    let part_of_word = |before: char| before.is_alphanumeric() || before == '_';
    for name in [
        concat!("to", "do!"),
        concat!("unimpl", "emented!"),
        concat!("db", "g!"),
    ] {
        if has(line, name, part_of_word) {
            found.push(format!("`{name}` must not be committed"));
        }
    }
    if line.contains(concat!("#[", "ignore")) {
        found.push("a test must run or be deleted".to_owned());
    }
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") && line.contains(concat!("```", "ignore")) {
        found.push("an example in the documentation must compile".to_owned());
    }
    let previous = previous.trim_start();
    let explained = previous.starts_with("//") && !previous.starts_with("///");
    if line.contains(concat!("serde(unt", "agged)")) && !explained {
        found.push(
            "an untagged enum: match the tag, or say in a `//` comment on the line before why there is none"
                .to_owned(),
        );
    }
    found
}

/// Finds a test that waits for time to pass.
fn sleep(line: &str, pauses_time: bool) -> Option<String> {
    let real = line.contains(concat!("thread::", "sleep"));
    let perhaps_real = line.contains(concat!("time::", "sleep("));
    (real || (perhaps_real && !pauses_time))
        .then(|| "a test must not sleep: pause tokio's time, or wait for the event".to_owned())
}

/// Finds the host of a URL that looks like a package registry but is none of the public ones.
fn registry_host(line: &str) -> Option<&str> {
    const CANONICAL: [&str; 8] = [
        "crates.io",
        "index.crates.io",
        "static.crates.io",
        "pypi.org",
        "npmjs.com",
        "registry.npmjs.org",
        // The registry of MCP servers, which the protocol's documentation links to.
        "registry.modelcontextprotocol.io",
        "files.pythonhosted.org",
    ];
    const TELLING: [&str; 9] = [
        "registry",
        "mirror",
        "mirrors",
        "artifactory",
        "nexus",
        "npm",
        "npmjs",
        "pypi",
        "crates",
    ];
    line.match_indices("://")
        .map(|(at, separator)| {
            let rest = &line[at + separator.len()..];
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || "-.@".contains(c)))
                .unwrap_or(rest.len());
            let authority = &rest[..end];
            let host = authority.rsplit('@').next().unwrap_or(authority);
            host.trim_start_matches("www.")
        })
        .find(|host| {
            host.split(['.', '-']).any(|label| TELLING.contains(&label))
                && !CANONICAL.contains(host)
        })
}

fn is_lock_file(path: &str) -> bool {
    path.ends_with("Cargo.lock") || path.ends_with("package-lock.json")
}

/// Finds in a lock file a source that only some machines can reach.
fn foreign_source(line: &str) -> Option<&str> {
    let line = line.trim();
    let (source, canonical) = if let Some(value) = line.strip_prefix("source = ") {
        (
            value,
            "registry+https://github.com/rust-lang/crates.io-index",
        )
    } else {
        let value = line.strip_prefix("\"resolved\": ")?;
        (value.trim_end_matches(','), "https://registry.npmjs.org/")
    };
    let source = source.trim_matches('"');
    (!source.starts_with(canonical)).then_some(source)
}

/// Tells whether `needle` occurs where the character before it is not refused by `refuse`.
fn has(line: &str, needle: &str, refuse: impl Fn(char) -> bool) -> bool {
    line.match_indices(needle)
        .any(|(at, _)| !line[..at].chars().next_back().is_some_and(&refuse))
}

/// Tells whether `needle` occurs as a word of its own; see [`has`].
fn has_word(line: &str, needle: &str, refuse: impl Fn(char) -> bool) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(needle).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + needle.len()..].chars().next();
        !before.is_some_and(|c| part_of_word(c) || refuse(c)) && !after.is_some_and(part_of_word)
    })
}

#[cfg(test)]
mod tests;
