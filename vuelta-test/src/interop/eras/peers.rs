//! The programs of the peers: with which command lines each is a client, or a server.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::interop::Programs;
use crate::interop::check::Failure;

use super::columns::Peer;
use super::fixture::{SERVE_HTTP, SERVE_STDIO};
use super::target::CommandLine;

/// What the programs run on.
#[derive(Debug)]
pub(super) struct Peers {
    own: PathBuf,
    python_v2: OsString,
    python_v1: OsString,
    python_programs: PathBuf,
    node: OsString,
    typescript_programs: PathBuf,
    inspector: OsString,
    rmcp: OsString,
}

/// How a server is started.
pub(super) struct Serving {
    pub(super) http: CommandLine,
    pub(super) stdio: CommandLine,
}

impl Peers {
    pub(super) fn from_environment(programs: &Programs) -> Result<Self, Failure> {
        let variable = |name: &str| {
            env::var_os(name).ok_or_else(|| format!("set {name}, or run `cargo xtask interop`"))
        };
        Ok(Self {
            own: programs.own.clone(),
            python_v2: programs.python.clone(),
            python_v1: variable("VUELTA_PYTHON_V1")?,
            python_programs: programs.peers.join("eras").join("python"),
            node: variable("VUELTA_NODE")?,
            typescript_programs: variable("VUELTA_TYPESCRIPT")?.into(),
            inspector: variable("VUELTA_INSPECTOR")?,
            rmcp: variable("VUELTA_RMCP")?,
        })
    }

    /// Returns the command line of a peer's client, without era and target; ours is no program.
    pub(super) fn client(&self, peer: Peer) -> Option<CommandLine> {
        Some(match peer {
            Peer::Own => return None,
            Peer::PythonV2 => self.python(&self.python_v2, "client_v2.py"),
            Peer::PythonV1 => self.python(&self.python_v1, "client_v1.py"),
            Peer::TypescriptV2 => self.javascript("client_v2.mjs"),
            Peer::TypescriptV1 => self.javascript("client_v1.mjs"),
            Peer::Rmcp => CommandLine::new([&self.rmcp]).with(["client"]),
        })
    }

    pub(super) fn server(&self, peer: Peer) -> Serving {
        let line = match peer {
            Peer::Own => {
                let own = CommandLine::new([&self.own]);
                return Serving {
                    http: own.with([SERVE_HTTP]),
                    stdio: own.with([SERVE_STDIO]),
                };
            }
            Peer::PythonV2 => self.python(&self.python_v2, "server_v2.py"),
            Peer::PythonV1 => self.python(&self.python_v1, "server_v1.py"),
            Peer::TypescriptV2 => self.javascript("server_v2.mjs"),
            Peer::TypescriptV1 => self.javascript("server_v1.mjs"),
            Peer::Rmcp => CommandLine::new([&self.rmcp]).with(["server"]),
        };
        Serving {
            stdio: line.with(["--stdio"]),
            http: line,
        }
    }

    /// Returns the command line of the Inspector without its web page, which prints one result.
    pub(super) fn inspector(&self) -> CommandLine {
        CommandLine::new([&self.node, &self.inspector])
            .with(["--cli", "--quiet", "--format", "json"])
    }

    fn python(&self, interpreter: &OsString, name: &str) -> CommandLine {
        CommandLine::new([interpreter]).with([self.python_programs.join(name)])
    }

    fn javascript(&self, name: &str) -> CommandLine {
        CommandLine::new([&self.node]).with([self.typescript_programs.join(name)])
    }
}
