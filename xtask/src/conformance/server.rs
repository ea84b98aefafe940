//! Our `everything-server` as a child process: started on a free port, ended.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use crate::repo::Repo;

/// What the server prints before its URL.
const ANNOUNCEMENT: &str = "listening on ";
/// How long the server may take to print it.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server; it ends when this value is dropped.
pub(super) struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts the server, which must have been built, and waits until it listens.
    pub(super) fn start(repo: &Repo, logs: &Path) -> Result<Self, String> {
        let log = create(&logs.join("server.stdout.log"))?;
        let errors = create(&logs.join("server.stderr.log"))?;
        let mut child = Command::new(repo.built_program("everything-server"))
            .current_dir(repo.root())
            .args(["--port", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|e| format!("cannot start the server: {e}"))?;
        let stdout = child.stdout.take();
        // From here on, an early return ends the child.
        let mut server = Self {
            child,
            url: String::new(),
        };

        let (announce, announced) = mpsc::channel();
        if let Some(stdout) = stdout {
            // The thread ends with the pipe, that is with the child.
            thread::spawn(move || follow(stdout, log, &announce));
        }
        server.url = announced.recv_timeout(PATIENCE).map_err(|e| {
            let problem = match e {
                RecvTimeoutError::Timeout => "did not print its address in time",
                RecvTimeoutError::Disconnected => "ended before it printed its address",
            };
            format!("the server {problem}, see {}", logs.display())
        })?;
        Ok(server)
    }

    /// Returns the URL of the endpoint.
    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only for a child that has already ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Copies what the server prints into the log, so that it never waits for a reader.
fn follow(stdout: ChildStdout, mut log: File, announce: &Sender<String>) {
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        if let Some(url) = line.strip_prefix(ANNOUNCEMENT) {
            // The receiver is gone once it has the first URL.
            let _ = announce.send(url.trim().to_owned());
        }
        // A log that cannot be written must not stop the server.
        let _ = writeln!(log, "{line}");
    }
}

fn create(path: &Path) -> Result<File, String> {
    File::create(path).map_err(|e| format!("cannot create {}: {e}", path.display()))
}
