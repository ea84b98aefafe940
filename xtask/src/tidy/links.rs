//! Whether the relative links of the Markdown pages lead to a file.

use std::path::Path;

use super::Finding;
use crate::repo::TextFile;

/// Refuses a link to a file that is not there.
pub(super) fn check(root: &Path, file: &TextFile) -> Vec<Finding> {
    if !file.is_markdown() {
        return Vec::new();
    }
    let page = root.join(&file.path);
    let folder = page.parent().unwrap_or(root);
    relative_links(&file.text)
        .into_iter()
        .filter(|link| !leads_somewhere(folder, link.target))
        .map(|link| Finding {
            line: link.line,
            text: format!("the link `{}` leads nowhere", link.target),
        })
        .collect()
}

/// Tells whether a link ends at a file; one from the root of some site never does.
fn leads_somewhere(folder: &Path, target: &str) -> bool {
    !target.starts_with('/') && folder.join(target).exists()
}

#[derive(Debug, PartialEq, Eq)]
struct Link<'a> {
    line: usize,
    target: &'a str,
}

/// Lists the targets of inline links, images and link definitions that name a file.
fn relative_links(page: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    let mut in_code_block = false;
    for (index, line) in page.lines().enumerate() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code_block = !in_code_block;
            continue;
        }
        if in_code_block {
            continue;
        }
        let destinations = inline_destinations(line)
            .into_iter()
            .chain(definition(line));
        for destination in destinations {
            if let Some(target) = file_part(destination) {
                links.push(Link {
                    line: index + 1,
                    target,
                });
            }
        }
    }
    links
}

/// Lists what stands in the parentheses of `[text](destination)`, outside code spans.
fn inline_destinations(line: &str) -> Vec<&str> {
    // Between two back quotes there is code: only every other piece is text.
    let text = |at: usize| line[..at].matches('`').count().is_multiple_of(2);
    line.match_indices("](")
        .filter(|(at, _)| text(*at))
        .filter_map(|(at, open)| {
            let rest = &line[at + open.len()..];
            rest.find(')').map(|end| &rest[..end])
        })
        .collect()
}

/// Returns the destination of a line `[label]: destination`.
fn definition(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('[')?;
    let (label, destination) = rest.split_once("]: ")?;
    (!label.starts_with('^')).then_some(destination)
}

/// Drops title and fragment; nothing is left of a link to elsewhere or within the page.
fn file_part(destination: &str) -> Option<&str> {
    let target = destination.split_whitespace().next()?;
    let target = target.trim_start_matches('<').trim_end_matches('>');
    let target = target.split('#').next().unwrap_or(target);
    let elsewhere = target.contains("://") || target.starts_with("mailto:");
    (!elsewhere && !target.is_empty()).then_some(target)
}

#[cfg(test)]
mod tests;
