//! How long a Rust file may be: long files hold more than one subject.

use super::Finding;
use crate::repo::TextFile;

/// More lines of code than this are worth a look.
const LISTED: usize = 600;
/// More lines of code than this are refused.
const REFUSED: usize = 900;

/// Refuses a file that is too long, and prints the name of one that is nearly so.
pub(super) fn check(file: &TextFile) -> Vec<Finding> {
    if !file.is_rust() || file.is_test() {
        return Vec::new();
    }
    let lines = lines_of_code(&file.text);
    if lines > REFUSED {
        return vec![Finding {
            line: 1,
            text: format!("{lines} lines of code, at most {REFUSED} are allowed: split the file"),
        }];
    }
    if lines > LISTED {
        println!("note: {}: {lines} lines of code", file.path);
    }
    Vec::new()
}

/// Counts the lines that are neither blank nor only a comment.
fn lines_of_code(text: &str) -> usize {
    let mut in_block_comment = false;
    let mut count = 0;
    for line in text.lines().map(str::trim) {
        if in_block_comment || line.starts_with("/*") {
            in_block_comment = !line.contains("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests;
