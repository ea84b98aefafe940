//! A server of the fixture in a process of its own, in either language.
//!
//! A server ends when its standard input does, and so never outlives this program, however it
//! ends.

use std::fmt::Display;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use vuelta::seal::RequestStateSecurity;
use vuelta::{Client, ClientBuilder, ClientCapabilities, Mode, ProtocolVersion};
use vuelta_http::Listener;

use super::Programs;
use super::check::Failure;
use crate::fixture;

/// The flag that makes the program a server.
pub const SERVE: &str = "--serve";

const ANNOUNCEMENT: &str = "listening on ";
/// How long a server may take until it listens, and for each answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves the fixture on a free port of this machine until standard input ends; the first key
/// seals, all of them open.
///
/// # Errors
///
/// Returns an error if the keys cannot be used, or the server cannot listen.
pub async fn serve(keys: &[String]) -> Result<(), Failure> {
    let server = fixture::server(Some(RequestStateSecurity::keys(keys)?));
    let listener = Listener::bind("127.0.0.1:0").await?;
    announce(listener.url());
    Ok(listener.serve(server, end_of_input()).await?)
}

/// Says where a server listens.
pub(super) fn announce(url: impl Display) {
    println!("{ANNOUNCEMENT}{url}");
}

/// Waits until standard input ends.
pub(super) async fn end_of_input() {
    let read = || io::copy(&mut io::stdin(), &mut io::sink());
    // Whatever ends the reading ends the server.
    let _ = tokio::task::spawn_blocking(read).await;
}

/// Which SDK a server is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sdk {
    Rust,
    Python,
}

/// A running server of the fixture; it ends when this value is dropped.
#[derive(Debug)]
pub(super) struct Server {
    url: String,
    _child: Child,
    _input: Option<ChildStdin>,
}

impl Server {
    /// Starts a server and waits until it listens.
    pub(super) async fn start(
        programs: &Programs,
        sdk: Sdk,
        keys: &[&str],
    ) -> Result<Self, Failure> {
        match sdk {
            Sdk::Rust => {
                let mut command = programs.own()?;
                command.arg(SERVE).args(keys);
                Self::spawn(command).await
            }
            Sdk::Python => Self::start_named(programs, fixture::NAME, keys).await,
        }
    }

    /// Starts a Python server of this name: the audience of its state.
    pub(super) async fn start_named(
        programs: &Programs,
        name: &str,
        keys: &[&str],
    ) -> Result<Self, Failure> {
        let mut command = programs.python("server.py")?;
        command.args(["--port", "0", "--name", name]);
        for key in keys {
            command.args(["--key", key]);
        }
        Self::spawn(command).await
    }

    /// Starts an example of a server, which stands beside this program.
    pub(super) async fn start_example(programs: &Programs, name: &str) -> Result<Self, Failure> {
        let mut command = programs.beside(name)?;
        command.arg("127.0.0.1:0");
        Self::spawn(command).await
    }

    /// Starts a server that says where it listens, as ours does, and waits until it has.
    pub(super) async fn spawn(mut command: Command) -> Result<Self, Failure> {
        let mut child = command
            .spawn()
            .map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("no standard output")?;
        let mut lines = BufReader::new(output).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line())
            .await
            .map_err(|_| format!("{command:?} does not listen after {PATIENCE:?}"))??
            .ok_or_else(|| format!("{command:?} ended before it listened"))?;
        let url = line
            .strip_prefix(ANNOUNCEMENT)
            .ok_or("a server did not say where it listens")?;
        Ok(Self {
            url: url.to_owned(),
            _child: child,
            _input: input,
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Connects to the server for rounds by hand: nothing is asked first, nothing is answered.
    pub(super) async fn by_hand(&self) -> Result<Client, Failure> {
        let builder = Client::builder().capabilities(ClientCapabilities::forms());
        let builder = builder.mode(Mode::pinned(ProtocolVersion::V2026_07_28));
        self.connect(builder).await
    }

    pub(super) async fn connect(&self, builder: ClientBuilder) -> Result<Client, Failure> {
        let transport = vuelta_http::url(&self.url)?;
        Ok(builder.timeout(PATIENCE).connect(transport).await?)
    }
}
