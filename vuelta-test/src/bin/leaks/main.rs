//! Opens and drops 1,000 connections of one transport, and compares what the process holds
//! before and after: tasks, file descriptors, child processes, sessions.
//!
//! `leaks TRANSPORT` exits with 0 if nothing is left behind, else it says what. A program of its
//! own, so that nothing else of a test run is counted.

mod held;
mod visits;

use std::future::pending;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::task::JoinSet;
use vuelta::transport::{StreamServer, StreamTransport};
use vuelta::{Mode, Result, Server};
use vuelta_http::{Endpoint, Listener};

use crate::held::Held;
use crate::visits::visit;

/// The transports, as the command line names them.
const TRANSPORTS: [&str; 7] = [
    "memory",
    "stream",
    "process",
    "unix",
    "http",
    "http-session",
    "http-sse",
];

const CONNECTIONS: usize = 1000;
/// How many of them there are at a time.
const AT_ONCE: usize = 16;

#[tokio::main]
async fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let outcome = if name == SERVE {
        vuelta::stdio::serve(visits::server()).await
    } else if TRANSPORTS.contains(&name.as_str()) {
        measure(&name).await
    } else {
        eprintln!("usage: leaks <{}>", TRANSPORTS.join("|"));
        return ExitCode::from(2);
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the connections, each by one [`visit`].
async fn measure(name: &str) -> Result<()> {
    let place = Arc::new(Place::open(name).await?);
    // What is made once for the whole process, such as the pipe that signals come by. The first
    // two visitors, one of each era, say farewell.
    for index in 0..2 {
        place.visit(index).await?;
    }
    let before = Held::settled(&place).await;
    let mut visitors = JoinSet::new();
    for index in 0..CONNECTIONS {
        if visitors.len() == AT_ONCE
            && let Some(visited) = visitors.join_next().await
        {
            visited.map_err(|error| vuelta::Error::transport(error.to_string()))??;
        }
        let place = Arc::clone(&place);
        visitors.spawn(async move { place.visit(index).await });
    }
    while let Some(visited) = visitors.join_next().await {
        visited.map_err(|error| vuelta::Error::transport(error.to_string()))??;
    }
    let after = Held::back_at(&before, &place).await;
    println!("{name}: {CONNECTIONS} connections; before {before}, after {after}");
    if after == before {
        Ok(())
    } else {
        Err(vuelta::Error::transport("something is left behind"))
    }
}

/// Where the connections lead.
pub(crate) struct Place {
    server: Server,
    way: Way,
}

enum Way {
    Memory,
    Stream,
    Process,
    Unix(PathBuf),
    Http {
        url: String,
        endpoint: Endpoint,
        mode: Mode,
    },
}

impl Place {
    async fn open(name: &str) -> Result<Self> {
        let server = visits::server();
        let way = match name {
            "memory" => Way::Memory,
            "stream" => Way::Stream,
            "process" => Way::Process,
            "unix" => {
                let path = std::env::temp_dir().join(format!("leaks-{}.sock", std::process::id()));
                let listener = vuelta::unix::Listener::bind(&path)?;
                let options = StreamServer::new(&server)?;
                tokio::spawn(listener.serve(options, pending()));
                Way::Unix(path)
            }
            _ => {
                let listener = Listener::bind("127.0.0.1:0").await?.http_sse();
                let endpoint = Endpoint::new(server.clone());
                let url = match name {
                    "http-sse" => format!("http://{}/sse", listener.local_addr()),
                    _ => listener.url(),
                };
                tokio::spawn(listener.serve(endpoint.clone(), pending()));
                let mode = match name {
                    "http" => Mode::auto(),
                    _ => Mode::legacy(),
                };
                Way::Http {
                    url,
                    endpoint,
                    mode,
                }
            }
        };
        Ok(Self { server, way })
    }

    /// Connects once, and leaves in one of several ways.
    async fn visit(&self, index: usize) -> Result<()> {
        // Of the transports that serve both eras each is visited by clients of both.
        let mode = if index.is_multiple_of(2) {
            Mode::auto()
        } else {
            Mode::legacy()
        };
        let manner = index / 2;
        match &self.way {
            Way::Memory => visit(&self.server, mode, manner).await,
            Way::Stream => {
                let (ours, theirs) = tokio::io::duplex(4096);
                let (read, write) = tokio::io::split(theirs);
                tokio::spawn(StreamServer::new(&self.server)?.serve(read, write));
                let (read, write) = tokio::io::split(ours);
                visit(StreamTransport::new(read, write), mode, manner).await
            }
            Way::Process => {
                let program = std::env::current_exe()
                    .map_err(|error| vuelta::Error::transport(error.to_string()))?;
                visit(vuelta::process::command(program).arg(SERVE), mode, manner).await
            }
            Way::Unix(path) => visit(vuelta::unix::path(path), mode, manner).await,
            Way::Http { url, mode, .. } => {
                visit(vuelta_http::url(url)?, mode.clone(), manner).await
            }
        }
    }

    /// Returns how many sessions the server has.
    pub(crate) fn sessions(&self) -> usize {
        match &self.way {
            Way::Http { endpoint, .. } => endpoint.sessions(),
            _ => 0,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Way::Unix(path) = &self.way {
            // Whoever looks for leaks finds no file either.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The word that makes this program the server of a child process.
const SERVE: &str = "serve";
