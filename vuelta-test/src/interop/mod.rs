//! Our client and server across SDKs and processes: which parts there are, and what they share.

mod bookshop;
mod check;
pub mod eras;
mod matrix;
mod printed;
mod python;
mod rotation;
mod server;
mod stories;
mod tokens;
mod user;

pub use self::check::Failure;
pub use self::server::{SERVE, serve};

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use tokio::process::Command;

/// A part of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a program, not a library")]
pub enum Part {
    /// Every call of the fixture, in both directions.
    Calls,
    /// State that one SDK seals and the other opens.
    Tokens,
    /// New keys while flows are in progress.
    Rotation,
    /// Dependencies of the high-level server.
    Bookshop,
    /// Every SDK, in both roles and both eras.
    Eras,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 5] = [
        Self::Calls,
        Self::Tokens,
        Self::Rotation,
        Self::Bookshop,
        Self::Eras,
    ];

    /// Returns the part of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "calls" => Some(Self::Calls),
            "tokens" => Some(Self::Tokens),
            "rotation" => Some(Self::Rotation),
            "bookshop" => Some(Self::Bookshop),
            "eras" => Some(Self::Eras),
            _ => None,
        }
    }
}

/// The programs that the check starts; each of them ends with this one.
#[derive(Debug)]
struct Programs {
    /// The Python interpreter that has the SDK.
    python: OsString,
    /// The folder of the programs that it runs.
    peers: PathBuf,
    /// This program, which is also a server.
    own: PathBuf,
    /// What all of them complain of.
    log: PathBuf,
}

impl Programs {
    fn from_environment() -> Result<Self, Failure> {
        let variable = |name: &str| {
            env::var_os(name).ok_or_else(|| format!("set {name}, or run `cargo xtask interop`"))
        };
        let own = env::current_exe()?;
        let log = own.with_file_name("interop.log");
        File::create(&log)?;
        Ok(Self {
            python: variable("VUELTA_PYTHON")?,
            peers: variable("VUELTA_PEERS")?.into(),
            own,
            log,
        })
    }

    /// Returns the command line of a Python program.
    fn python(&self, name: &str) -> Result<Command, Failure> {
        let mut command = Command::new(&self.python);
        command.arg(self.peers.join(name));
        self.owned(command)
    }

    /// Returns the command line of this program.
    fn own(&self) -> Result<Command, Failure> {
        self.owned(Command::new(&self.own))
    }

    /// Returns the command line of a program that was built beside this one.
    fn beside(&self, name: &str) -> Result<Command, Failure> {
        self.owned(Command::new(self.own.with_file_name(name)))
    }

    fn owned(&self, mut command: Command) -> Result<Command, Failure> {
        let log = File::options().append(true).open(&self.log)?;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true);
        Ok(command)
    }
}

/// Runs the parts, prints a matrix of each, and tells whether everything passed.
///
/// # Errors
///
/// Returns an error if a program cannot be started, or no flow can be begun.
pub async fn run(parts: &[Part]) -> Result<bool, Failure> {
    let programs = Programs::from_environment()?;
    let start = Instant::now();
    let (mut passed, mut failed, mut excused) = (0, 0, 0);
    for part in parts {
        let matrices = match part {
            Part::Calls => vec![stories::run(&programs).await?],
            Part::Tokens => vec![tokens::run(&programs).await?],
            Part::Rotation => vec![rotation::run(&programs).await?],
            Part::Bookshop => vec![bookshop::run(&programs).await?],
            Part::Eras => eras::run(&programs).await?,
        };
        for matrix in matrices {
            println!("{matrix}");
            passed += matrix.passed();
            failed += matrix.failed();
            excused += matrix.excused();
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("interop: {passed} passed, {failed} failed, {excused} skipped ({seconds:.1} s)");
    if failed > 0 {
        println!("the programs wrote to {}", programs.log.display());
    }
    Ok(failed == 0)
}
