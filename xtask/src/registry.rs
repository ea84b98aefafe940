//! Servers of others as they are published, started and called by the program `vuelta`.
//!
//! What is expected of their output is loose: that the call arrived, not how it is worded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::repo::Repo;
use crate::{peers, process};

/// One use of the program.
struct Use {
    server: Server,
    /// What is typed in front of `--` and the server.
    typed: Vec<String>,
    status: i32,
    /// What standard output has in it, among other things.
    out: &'static [&'static str],
    /// What standard error has in it, among other things.
    err: &'static [&'static str],
}

#[derive(Clone, Copy)]
enum Server {
    /// Has one of everything.
    Everything,
    /// Works with the files of a folder.
    Filesystem,
    /// The same, for a folder that is not there.
    Nowhere,
}

/// Installs the servers and runs all uses.
pub(crate) fn run(repo: &Repo) -> Result<(), String> {
    let node = peers::node(repo)?;
    let servers = peers::registry_servers(repo)?;
    process::run(
        repo.cargo()
            .args(["build", "--locked", "-p", "vuelta-cli", "--bins"]),
    )?;
    let folder = folder(repo)?;
    let mut failed = 0;
    let uses = uses(&folder);
    for wanted in &uses {
        let start = Instant::now();
        let mut command = Command::new(repo.built_program("vuelta"));
        command
            .args(&wanted.typed)
            .arg("--")
            .arg(&node)
            .args(wanted.server.command(&servers, &folder))
            .stdin(Stdio::null());
        let output = command
            .output()
            .map_err(|e| format!("cannot start `{}`: {e}", process::describe(&command)))?;
        let objections = wanted.objections(
            output.status.code(),
            &String::from_utf8_lossy(&output.stdout),
            &String::from_utf8_lossy(&output.stderr),
        );
        println!(
            "{} {}: {} ({:.1} s)",
            if objections.is_empty() {
                "pass"
            } else {
                "FAIL"
            },
            wanted.server.name(),
            wanted.typed.join(" "),
            start.elapsed().as_secs_f64()
        );
        for objection in &objections {
            println!("     {objection}");
        }
        failed += usize::from(!objections.is_empty());
    }
    if failed == 0 {
        Ok(())
    } else {
        Err(format!("{failed} of {} uses failed", uses.len()))
    }
}

/// Returns an empty folder with one file in it.
fn folder(repo: &Repo) -> Result<PathBuf, String> {
    let folder = repo.target().join("registry");
    let fail = |e| format!("cannot prepare {}: {e}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(fail)?;
    }
    fs::create_dir_all(&folder).map_err(fail)?;
    fs::write(folder.join("notes.txt"), "first line\nsecond line\n").map_err(fail)?;
    Ok(folder)
}

impl Server {
    fn name(self) -> &'static str {
        match self {
            Self::Everything => "server-everything",
            Self::Filesystem | Self::Nowhere => "server-filesystem",
        }
    }

    /// Returns the script of the server and its arguments.
    fn command(self, servers: &Path, folder: &Path) -> Vec<PathBuf> {
        let mut command = vec![servers.join(self.name()).join("dist").join("index.js")];
        match self {
            Self::Everything => {}
            Self::Filesystem => command.push(folder.to_owned()),
            Self::Nowhere => command.push(folder.join("nowhere")),
        }
        command
    }

    /// Expects a success that prints these texts.
    fn prints(self, typed: &[&str], out: &'static [&'static str]) -> Use {
        self.ends(0, typed, out, &[])
    }

    fn ends(
        self,
        status: i32,
        typed: &[&str],
        out: &'static [&'static str],
        err: &'static [&'static str],
    ) -> Use {
        Use {
            server: self,
            typed: typed.iter().map(ToString::to_string).collect(),
            status,
            out,
            err,
        }
    }
}

fn uses(folder: &Path) -> Vec<Use> {
    let file = |name: &str| format!("path={}", folder.join(name).display());
    let (notes, added) = (file("notes.txt"), file("added.txt"));
    let (all, outside) = (file(""), file("../outside.txt"));
    let all = all.trim_end_matches('/');
    let root = format!("file://{}", folder.display());
    let url = "url=https://example.com/";
    let (everything, filesystem) = (Server::Everything, Server::Filesystem);
    vec![
        everything.ends(
            0,
            &["list", "--verbose"],
            &[
                "get-sum",
                "args-prompt",
                "demo://resource/static/",
                "{resourceId}",
            ],
            &["revision 2025-11-25, with a handshake"],
        ),
        everything.prints(
            &["list", "--json", "--mode", "legacy"],
            &["\"resourceTemplates\":[{"],
        ),
        everything.prints(&["call", "get-sum", "a=2", "b=40"], &["42"]),
        everything.prints(
            &["call", "get-sum", "a=2", "b=40", "--json"],
            &["\"content\":["],
        ),
        everything.prints(
            &["call", "get-structured-content", "location=New York"],
            &["\"temperature\""],
        ),
        everything.ends(
            0,
            &["call", "get-tiny-image"],
            &[],
            &["image (image/png) not shown"],
        ),
        everything.prints(
            &[
                "call",
                "trigger-long-running-operation",
                "duration=1",
                "steps=2",
            ],
            &["completed"],
        ),
        // Forms, answered and not.
        everything.prints(
            &[
                "call",
                "trigger-elicitation-request",
                "--answer",
                "form.name=Ana Paz",
            ],
            &["Ana Paz", "\"accept\""],
        ),
        everything.prints(
            &[
                "call",
                "trigger-elicitation-request",
                "--answer",
                "form=decline",
            ],
            &["\"decline\""],
        ),
        everything.ends(
            4,
            &["call", "trigger-elicitation-request"],
            &[],
            &["--answer form.name=VALUE"],
        ),
        // URLs, asked for while the call runs and by an error.
        everything.prints(
            &[
                "call",
                "trigger-url-elicitation",
                url,
                "--answer",
                "url=accept",
            ],
            &["\"accept\""],
        ),
        everything.ends(
            0,
            &[
                "call",
                "trigger-url-elicitation",
                url,
                "errorPath=true",
                "--answer",
                "url=accept",
                "--answer",
                "url2=decline",
                "--verbose",
            ],
            &["\"decline\""],
            &["round 2"],
        ),
        // What this client does not declare is not there.
        everything.ends(
            1,
            &["call", "trigger-sampling-request", "prompt=hello"],
            &["not found"],
            &["no model"],
        ),
        everything.prints(
            &["call", "get-roots-list", "--root", "file:///srv"],
            &["file:///srv"],
        ),
        everything.prints(
            &["read", "demo://resource/static/document/features.md"],
            &["# Everything Server"],
        ),
        everything.ends(3, &["read", "demo://resource/nothing"], &[], &["-32602"]),
        everything.prints(&["prompt", "args-prompt", "city=Lima"], &["user:", "Lima"]),
        everything.ends(
            3,
            &["prompt", "args"],
            &[],
            &["the server lists:", "args-prompt"],
        ),
        filesystem.prints(&["list"], &["read_text_file", "list_directory"]),
        filesystem.prints(&["call", "list_directory", all], &["notes.txt"]),
        filesystem.prints(
            &["call", "read_text_file", &notes, "head=1"],
            &["first line"],
        ),
        filesystem.prints(
            &["call", "write_file", &added, "content=new"],
            &["added.txt"],
        ),
        filesystem.prints(&["call", "read_text_file", &added], &["new"]),
        filesystem.ends(1, &["call", "read_text_file", &outside], &["denied"], &[]),
        filesystem.prints(
            &["call", "list_directory", all, "--root", &root],
            &["notes.txt"],
        ),
        Server::Nowhere.ends(3, &["list"], &[], &["exited with code 1", "nowhere"]),
    ]
}

impl Use {
    /// Returns what is not as expected.
    fn objections(&self, status: Option<i32>, out: &str, err: &str) -> Vec<String> {
        let mut objections = Vec::new();
        if status != Some(self.status) {
            objections.push(format!("exit status {status:?}, expected {}", self.status));
        }
        for (stream, text, wanted) in [("output", out, self.out), ("error", err, self.err)] {
            for wanted in wanted.iter().filter(|wanted| !text.contains(**wanted)) {
                objections.push(format!("no {wanted:?} on standard {stream}"));
            }
        }
        if !objections.is_empty() {
            objections.push(format!("standard output: {out:?}"));
            objections.push(format!("standard error: {err:?}"));
        }
        objections
    }
}
