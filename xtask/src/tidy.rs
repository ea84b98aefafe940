//! Which checks of the source text there are, and how each one is run.

mod links;
mod patterns;
mod sizes;
mod spec;

use std::process::Command;

use crate::peers;
use crate::process;
use crate::repo::{Repo, TextFile};
use crate::steps::Step;

/// Something in a file that a check objects to.
struct Finding {
    line: usize,
    text: String,
}

/// Lists all checks of the source text.
pub(crate) fn all(repo: &Repo) -> Vec<Step<'_>> {
    vec![
        format(repo),
        clippy(repo),
        of_each_file(repo, "sizes", sizes::check),
        of_each_file(repo, "patterns", patterns::check),
        of_each_file(repo, "links", move |file| links::check(repo.root(), file)),
        of_each_file(repo, "spec", move |file| spec::check(repo.root(), file)),
        docs(repo),
        typos(repo),
    ]
}

/// Lists the checks with these names; all of them if there are no names.
pub(crate) fn steps<'a>(repo: &'a Repo, names: &[String]) -> Result<Vec<Step<'a>>, String> {
    let mut steps = all(repo);
    for name in names {
        if !steps.iter().any(|step| step.name() == name) {
            return Err(format!("`tidy` has no part `{name}`"));
        }
    }
    if !names.is_empty() {
        steps.retain(|step| names.iter().any(|name| step.name() == name));
    }
    Ok(steps)
}

/// Returns the check of the formatting.
pub(crate) fn format(repo: &Repo) -> Step<'_> {
    Step::new("fmt", "cargo xtask tidy fmt", move || {
        process::run(repo.cargo().args(["fmt", "--all", "--check"]))
            .map_err(|e| format!("{e}: format the code with `cargo fmt --all`"))
    })
}

/// Returns the check by clippy.
pub(crate) fn clippy(repo: &Repo) -> Step<'_> {
    Step::new("clippy", "cargo xtask tidy clippy", move || {
        process::run(
            repo.cargo()
                .args(["clippy", "--workspace", "--all-targets", "--locked"])
                .args(["--", "-D", "warnings"]),
        )
    })
}

fn docs(repo: &Repo) -> Step<'_> {
    Step::new("docs", "cargo xtask tidy docs", move || {
        process::run(
            repo.cargo()
                .args(["doc", "--workspace", "--no-deps", "--locked"])
                .env("RUSTDOCFLAGS", "-D warnings"),
        )
    })
}

fn typos(repo: &Repo) -> Step<'_> {
    Step::new("typos", "cargo xtask tidy typos", move || {
        let program = peers::typos(repo)?;
        process::run(Command::new(program).current_dir(repo.root()))
    })
}

/// Returns a check that judges the files of the repository one by one.
fn of_each_file<'a>(
    repo: &'a Repo,
    name: &'static str,
    check: impl Fn(&TextFile) -> Vec<Finding> + 'a,
) -> Step<'a> {
    Step::new(name, format!("cargo xtask tidy {name}"), move || {
        let files = repo.text_files()?;
        let mut count = 0_usize;
        for file in &files {
            for finding in check(file) {
                count += 1;
                println!("{}:{}: {}", file.path, finding.line, finding.text);
            }
        }
        println!("{} files read", files.len());
        match count {
            0 => Ok(()),
            1 => Err("1 finding".to_owned()),
            _ => Err(format!("{count} findings")),
        }
    })
}
