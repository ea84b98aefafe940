//! What is started, with which environment, and what it means if it does not start.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::error::{Error, Result};

use super::child::{Child, ChildStdin, ChildStdout};
use super::stderr::{Stderr, Tail};
use super::supervise::{Process, Supervisor};

/// The variables that a server inherits: where programs and files are, who the user is, and in
/// which language and time zone. None of them is known to carry secrets.
#[cfg(not(windows))]
const INHERITED: &[&str] = &[
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ",
    "USER",
];
#[cfg(windows)]
const INHERITED: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// How much of stderr is kept if nothing else is said.
const TAIL: usize = 64 * 1024;

/// How long each step of the end takes if nothing else is said.
const GRACE: Duration = Duration::from_secs(2);

/// Names a server to run as a child process.
///
/// A name without a folder is looked for in `PATH`. On Windows a script is named with its ending,
/// as in `npx.cmd`.
///
/// # Example: a server that is installed
///
/// ```no_run
/// # fn main() -> Result<(), vuelta::Error> {
/// use vuelta::process;
///
/// let (child, stdin, stdout) = process::command("my-server")
///     .arg("--read-only")
///     .env("MY_SERVER_TOKEN", "...")
///     .spawn()?;
/// # Ok(()) }
/// ```
pub fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(std::process::Command::new(program), Environment::Listed)
}

/// A server to run as a child process.
///
/// The server gets pipes as its stdin and stdout, and a process group of its own: Ctrl-C in the
/// terminal reaches the client alone, and what the server has started in turn (as `npx` does) is
/// ended with it.
///
/// # Security
///
/// A server does not see the whole environment, in which other programs' secrets may be. It
/// inherits `HOME`, `LANG`, `LC_ALL`, `LC_CTYPE`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `TMPDIR`,
/// `TZ` and `USER`, or what corresponds to them on Windows, and what is given with
/// [`env`](Self::env); [`inherit_env`](Self::inherit_env) passes everything on. A
/// [`std::process::Command`] that becomes a `Command` keeps the environment that it has: all of
/// it, if nothing else was said.
#[must_use = "a command does nothing until it is connected to or spawned"]
pub struct Command {
    inner: std::process::Command,
    environment: Environment,
    stderr: Captured,
    grace: Duration,
}

/// Where the environment begins.
#[derive(Clone, Copy)]
enum Environment {
    /// With the variables on the list.
    Listed,
    /// As the standard library has it.
    Std,
}

/// What becomes of stderr.
#[derive(Clone, Copy)]
enum Captured {
    Tail { bytes: usize, logged: bool },
    Inherited,
}

impl Command {
    fn new(inner: std::process::Command, environment: Environment) -> Self {
        Self {
            inner,
            environment,
            stderr: Captured::Tail {
                bytes: TAIL,
                logged: false,
            },
            grace: GRACE,
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.inner.arg(arg);
        self
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.inner.args(args);
        self
    }

    /// Sets a variable of the environment, such as a credential that the server needs.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.inner.env(name, value);
        self
    }

    /// Sets variables of the environment.
    pub fn envs(
        mut self,
        variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
    ) -> Self {
        self.inner.envs(variables);
        self
    }

    /// Keeps a variable from being inherited.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.inner.env_remove(name);
        self
    }

    /// Passes the whole environment on; only for a server that is trusted with every secret in
    /// it.
    pub fn inherit_env(mut self) -> Self {
        self.environment = Environment::Std;
        self
    }

    /// Sets the folder in which the server runs; that of the client if not set.
    pub fn current_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.inner.current_dir(folder);
        self
    }

    /// Sets how many bytes of the end of stderr are kept; 64 KiB if not set.
    pub fn stderr_tail(mut self, bytes: usize) -> Self {
        let logged = matches!(self.stderr, Captured::Tail { logged: true, .. });
        self.stderr = Captured::Tail { bytes, logged };
        self
    }

    /// Writes the lines of stderr to the log as well, at the level `debug`.
    pub fn log_stderr(mut self) -> Self {
        let bytes = match self.stderr {
            Captured::Tail { bytes, .. } => bytes,
            Captured::Inherited => TAIL,
        };
        self.stderr = Captured::Tail {
            bytes,
            logged: true,
        };
        self
    }

    /// Lets the server write to the client's own stderr; nothing of it is kept.
    pub fn inherit_stderr(mut self) -> Self {
        self.stderr = Captured::Inherited;
        self
    }

    /// Sets how long the server may take to exit once its stdin is closed, and again once it was
    /// sent SIGTERM; 2 seconds if not set.
    pub fn grace(mut self, time: Duration) -> Self {
        self.grace = time;
        self
    }

    /// Starts the server; the caller gets its stdin and stdout.
    ///
    /// Stdin, stdout and stderr that a [`std::process::Command`] came with are replaced.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be started, and if this is not called from within
    /// a tokio runtime.
    ///
    /// # Panics
    ///
    /// Panics if the tokio runtime was built without I/O.
    pub fn spawn(mut self) -> Result<(Child, ChildStdin, ChildStdout)> {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return Err(Error::misuse(
                "a child process needs a tokio runtime: start it from within one",
            ));
        };
        if let Environment::Listed = self.environment {
            restrict(&mut self.inner);
        }
        let program = self.inner.get_program().to_string_lossy().into_owned();
        let mut command = tokio::process::Command::from(self.inner);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(match self.stderr {
                Captured::Tail { .. } => Stdio::piped(),
                Captured::Inherited => Stdio::inherit(),
            })
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        // A client without a console would else open one for each server:
        // https://learn.microsoft.com/windows/win32/procthread/process-creation-flags
        #[cfg(windows)]
        command.creation_flags(0x0800_0000);
        let mut child = command
            .spawn()
            .map_err(|error| not_started(&program, command.as_std(), error))?;
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let tail = match self.stderr {
            Captured::Tail { bytes, .. } => Some(Tail::new(bytes)),
            Captured::Inherited => None,
        };
        let stderr = Stderr {
            pipe: child.stderr.take(),
            tail: tail.clone(),
            program: match self.stderr {
                Captured::Tail { logged: true, .. } => Some(program.clone()),
                _ => None,
            },
        };
        let id = child.id();
        let supervisor = Supervisor::start(&runtime, Process::new(child), stderr, self.grace);
        let child = Child::new(program, id, tail, supervisor);
        Ok((child, ChildStdin::new(stdin), ChildStdout::new(stdout)))
    }
}

impl From<std::process::Command> for Command {
    /// Takes the program with its arguments, folder and environment.
    fn from(inner: std::process::Command) -> Self {
        Self::new(inner, Environment::Std)
    }
}

impl From<tokio::process::Command> for Command {
    /// Takes the program with its arguments, folder and environment.
    fn from(inner: tokio::process::Command) -> Self {
        Self::from(inner.into_std())
    }
}

impl fmt::Debug for Command {
    /// Shows the program alone: arguments and environment may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.inner.get_program())
            .finish_non_exhaustive()
    }
}

/// Leaves the command the variables on the list and those that were set.
fn restrict(command: &mut std::process::Command) {
    let set: Vec<(OsString, Option<OsString>)> = command
        .get_envs()
        .map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)))
        .collect();
    command.env_clear();
    for name in INHERITED {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
    for (name, value) in set {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Says why a program was not started, and what to do.
fn not_started(program: &str, command: &std::process::Command, error: io::Error) -> Error {
    let message = match (error.kind(), command.get_current_dir()) {
        (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, Some(folder))
            if !folder.is_dir() =>
        {
            format!(
                "cannot start `{program}` in `{}`: there is no such folder",
                folder.display()
            )
        }
        (io::ErrorKind::NotFound, _) if Path::new(program).components().count() > 1 => format!(
            "cannot start `{program}`: there is no such file, or it is a script whose \
             interpreter is missing"
        ),
        (io::ErrorKind::NotFound, _) => format!(
            "cannot start `{program}`: it is not found in PATH; install it, or give its full path"
        ),
        (io::ErrorKind::PermissionDenied, _) => {
            format!("cannot start `{program}`: it may not be executed; check its permissions")
        }
        _ => format!("cannot start `{program}`"),
    };
    Error::transport(message).caused_by(error)
}
