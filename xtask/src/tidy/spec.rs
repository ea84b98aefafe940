//! Whether `docs/SPEC.md` says of each demand of the specification how it holds, and whether the
//! tests that it names exist.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Finding;
use crate::repo::TextFile;

const PAGE: &str = "docs/SPEC.md";

/// How many cells a row has: its name, what is demanded, the level, how it holds.
const CELLS: usize = 4;

/// The words of RFC 2119 that the specification uses.
const LEVELS: [&str; 5] = ["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"];

/// What a row begins with that names no test.
const INSTEAD: [&str; 6] = [
    BY_CONSTRUCTION,
    "host's: ",
    "another's: ",
    "declined: ",
    "not yet: ",
    "authorization: not served yet",
];

/// Needs a file that sees to it.
const BY_CONSTRUCTION: &str = "by construction: ";

/// Objects to rows that do not say how they hold, and to tests and files that are not there.
pub(super) fn check(root: &Path, file: &TextFile) -> Vec<Finding> {
    if file.path != PAGE {
        return Vec::new();
    }
    let read = |path: &Path| fs::read_to_string(root.join(path)).ok();
    let mut findings = Vec::new();
    let mut names = Names::default();
    for (index, line) in file.text.lines().enumerate() {
        for text in in_line(line, &mut names, &read) {
            findings.push(Finding {
                line: index + 1,
                text,
            });
        }
    }
    findings
}

/// Finds what is wrong with a line; one that is no row of a table is as good as any.
fn in_line(line: &str, names: &mut Names, read: &impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let Some(cells) = row(line) else {
        return Vec::new();
    };
    let [name, demand, level, how] = cells[..] else {
        return vec![format!("a row has {CELLS} cells, not {}", cells.len())];
    };
    let mut found = Vec::new();
    found.extend(names.refuse(name));
    if demand.is_empty() {
        found.push(format!("{name} demands nothing"));
    }
    for level in level.split(", ").filter(|level| !LEVELS.contains(level)) {
        found.push(format!("{name}: `{level}` is no level"));
    }
    found.extend(in_last_cell(how, read).map(|text| format!("{name}: {text}")));
    found
}

/// Returns the cells of a row; the head of a table, which has no name, is none.
fn row(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
    let is_head = cells[0].is_empty() || cells[0].starts_with("---");
    (!is_head).then_some(cells)
}

/// The names of rows, which count from 1 on each page.
#[derive(Default)]
struct Names {
    pages: Vec<String>,
    number: u32,
}

impl Names {
    /// Takes the name of the next row; returns what it should be if it is another one.
    fn refuse(&mut self, name: &str) -> Option<String> {
        let page = name.rsplit_once('-').map_or(name, |(page, _)| page);
        if self.pages.last().is_none_or(|current| current != page) {
            if self.pages.iter().any(|known| known == page) {
                return Some(format!("{name}: the rows of a page stand together"));
            }
            self.pages.push(page.to_owned());
            self.number = 0;
        }
        self.number += 1;
        let expected = format!("{page}-{}", self.number);
        (name != expected).then(|| format!("this row is {expected}, not {name}"))
    }
}

/// Finds what is wrong with what a row says of how it holds.
fn in_last_cell(
    how: &str,
    read: &impl Fn(&Path) -> Option<String>,
) -> impl Iterator<Item = String> {
    let mut found = Vec::new();
    let (mut tests, mut files) = (0, 0);
    for Link { text, target } in links(how) {
        let Some(path) = in_repository(target) else {
            continue;
        };
        files += 1;
        let Some(source) = read(&path) else {
            found.push(format!("there is no file `{}`", path.display()));
            continue;
        };
        let Some(test) = as_test(text) else {
            continue;
        };
        tests += 1;
        if !has_test(&source, test) {
            found.push(format!("there is no test `{test}` in `{}`", path.display()));
        }
    }
    let instead = INSTEAD.iter().find(|words| how.starts_with(**words));
    match instead {
        None if tests == 0 => found.push(format!(
            "name a test, or begin with one of: {}",
            INSTEAD.map(str::trim).join(" ")
        )),
        Some(&BY_CONSTRUCTION) if files == 0 => {
            found.push("name the file that sees to it".to_owned());
        }
        _ => {}
    }
    found.into_iter()
}

#[derive(Debug, PartialEq, Eq)]
struct Link<'a> {
    text: &'a str,
    target: &'a str,
}

/// Lists the inline links of a text.
fn links(text: &str) -> impl Iterator<Item = Link<'_>> {
    text.match_indices("](").filter_map(|(at, open)| {
        let start = text[..at].rfind('[')? + 1;
        let rest = &text[at + open.len()..];
        let end = rest.find(')')?;
        Some(Link {
            text: &text[start..at],
            target: &rest[..end],
        })
    })
}

/// Returns the path from the root of what a link of the page leads to; none for a link to
/// elsewhere or within the page.
fn in_repository(target: &str) -> Option<PathBuf> {
    if target.contains("://") || target.starts_with('#') {
        return None;
    }
    let mut path = PathBuf::new();
    for part in Path::new(PAGE).parent()?.join(target).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    Some(path)
}

/// Returns the name of a test if a link is to one: an identifier in back quotes.
fn as_test(text: &str) -> Option<&str> {
    let name = text.strip_prefix('`')?.strip_suffix('`')?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.bytes().all(plain).then_some(name)
}

/// Tells whether a Rust file has a test function of this name.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let declaration = format!("fn {name}(");
    lines.iter().enumerate().any(|(index, line)| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.starts_with(&declaration)
            && lines[..index]
                .iter()
                .rev()
                .take_while(|line| !line.is_empty())
                .any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
    })
}

#[cfg(test)]
mod tests;
