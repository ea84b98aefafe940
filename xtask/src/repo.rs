//! Where things are: the repository, the target directory, the files that git would commit.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;

/// The repository that the checks look at.
#[derive(Debug)]
pub(crate) struct Repo {
    root: PathBuf,
    target: PathBuf,
}

impl Repo {
    /// Finds the repository from what `cargo run` says about this package.
    pub(crate) fn locate() -> Result<Self, String> {
        let package = env::var_os("CARGO_MANIFEST_DIR")
            .map(PathBuf::from)
            .ok_or("start this program as `cargo xtask <command>`")?;
        let root = package
            .parent()
            .ok_or("the package `xtask` must be a folder of the repository")?
            .to_owned();
        let target = match env::var_os("CARGO_TARGET_DIR") {
            // Cargo resolves a relative value against the current directory, and the checks change directory.
            Some(dir) => env::current_dir()
                .map_err(|e| format!("cannot tell the current directory: {e}"))?
                .join(dir),
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// Returns the folder of the workspace manifest.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the target directory, as an absolute path.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the path of a program that a debug build leaves in the target directory.
    pub(crate) fn built_program(&self, name: &str) -> PathBuf {
        self.target
            .join("debug")
            .join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// Starts a cargo command line in the repository.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target);
        // `cargo run` describes this package in variables. Build scripts that watch them would
        // run again, and with them everything above, each time xtask and cargo take turns.
        for (name, _) in env::vars_os() {
            let of_this_package = name.to_str().is_some_and(|name| {
                name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
            });
            if of_this_package {
                command.env_remove(name);
            }
        }
        command
    }

    /// Reads every text file that is committed or would be, in the order of its path.
    pub(crate) fn text_files(&self) -> Result<Vec<TextFile>, String> {
        let listing = process::capture(
            Command::new("git")
                .current_dir(&self.root)
                .args(["ls-files", "-z", "--cached", "--others"])
                .args(["--exclude-standard", "--deduplicate"]),
        )?;
        let mut files = Vec::new();
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            let full = self.root.join(path);
            // A deleted file is still listed until its deletion is committed.
            if !full.is_file() {
                continue;
            }
            let bytes = fs::read(&full).map_err(|e| format!("cannot read {path}: {e}"))?;
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(TextFile {
                    path: path.to_owned(),
                    text,
                });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}

/// One file of the repository, with its path from the root.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    /// Tells whether this is a file of Rust code.
    pub(crate) fn is_rust(&self) -> bool {
        self.extension() == Some("rs")
    }

    /// Tells whether this is a Markdown page.
    pub(crate) fn is_markdown(&self) -> bool {
        self.extension() == Some("md")
    }

    /// Tells whether the file only serves tests or benchmarks.
    pub(crate) fn is_test(&self) -> bool {
        let path = Path::new(&self.path);
        path.starts_with("vuelta-test")
            || path.file_name().is_some_and(|name| name == "tests.rs")
            || path
                .components()
                .any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "benches")))
    }

    fn extension(&self) -> Option<&str> {
        Path::new(&self.path).extension()?.to_str()
    }
}
