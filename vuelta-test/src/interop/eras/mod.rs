//! Both eras, both roles, HTTP and stdio: other SDKs' clients at our server, and ours at theirs.
//!
//! Each peer has a matrix. The rows are the stories, which every client tells in the same way;
//! the columns say what the peer is, over what, and in which era.

mod columns;
mod faults;
mod fixture;
mod inspector;
mod peers;
mod stories;
mod target;
mod tickets;

pub use self::fixture::{SERVE_HTTP, SERVE_STDIO, serve_http, serve_stdio};

use std::time::Duration;

use tokio::process::Command;

use super::Programs;
use super::check::{Checked, Failure, in_time};
use super::matrix::Matrix;
use super::printed;
use super::server::Server;

use self::columns::{Column, Era, Peer, Role, Wire};
use self::peers::Peers;
use self::stories::STORIES;
use self::target::{CommandLine, Session, Target};

/// How long one story may take; the clients of the peers give themselves as long.
const PATIENCE: Duration = Duration::from_secs(15);

/// Tells every story of every peer.
pub(super) async fn run(programs: &Programs) -> Result<Vec<Matrix>, Failure> {
    let peers = Peers::from_environment(programs)?;
    let serving = peers.server(Peer::Own);
    let server = Server::spawn(serving.http.owned(programs)?).await?;
    let ours = Servers {
        url: Ok(server.url().to_owned()),
        stdio: serving.stdio,
    };
    let mut matrices = Vec::new();
    for peer in Peer::ALL {
        matrices.push(matrix(programs, &peers, &ours, peer).await?);
    }
    matrices.push(inspector::run(programs, &peers, &ours).await?);
    Ok(matrices)
}

/// A server that is there over both.
struct Servers {
    /// Where it listens, or why it does not.
    url: Result<String, String>,
    stdio: CommandLine,
}

impl Servers {
    fn target(&self, wire: Wire) -> Result<Target, Failure> {
        Ok(match wire {
            Wire::Http => Target::Url(self.url.clone()?),
            Wire::Stdio => Target::Program(self.stdio.clone()),
        })
    }
}

async fn matrix(
    programs: &Programs,
    peers: &Peers,
    ours: &Servers,
    peer: Peer,
) -> Result<Matrix, Failure> {
    let columns = peer.columns();
    let mut matrix = Matrix::new(peer.title(), columns.iter().map(Column::to_string));
    let serving = peers.server(peer);
    let server = Server::spawn(serving.http.owned(programs)?).await;
    let theirs = Servers {
        url: match &server {
            Ok(server) => Ok(server.url().to_owned()),
            Err(failure) => Err(failure.to_string()),
        },
        stdio: serving.stdio,
    };
    for (index, column) in columns.iter().enumerate() {
        let told = match column.role {
            Role::Client => {
                let client = peers
                    .client(peer)
                    .ok_or("there is no client of this peer")?
                    .with(["--era", column.era.name()])
                    .with(ours.target(column.wire)?.arguments());
                listen_to(client.owned(programs)?).await
            }
            Role::Server => match theirs.target(column.wire) {
                Ok(target) => tell(&target, column.era).await,
                Err(failure) => stories::all_failed(&failure).collect(),
            },
        };
        for (story, checked) in told {
            matrix.set(&story, index, faults::judge(peer, *column, &story, checked));
        }
        for (story, _) in STORIES {
            if !matrix.has(story, index) {
                matrix.set(story, index, Err("the client has not told it".into()));
            }
        }
    }
    Ok(matrix)
}

/// Lets a peer's client tell the stories.
async fn listen_to(client: Command) -> Vec<(String, Checked)> {
    match in_time(printed::scenarios(client)).await {
        Ok(told) => told,
        Err(failure) => stories::all_failed(&failure).collect(),
    }
}

/// Tells the stories with our client, on one connection.
async fn tell(target: &Target, era: Era) -> Vec<(String, Checked)> {
    let connecting = tokio::time::timeout(PATIENCE, Session::connect(target, era)).await;
    let session = match connecting {
        Ok(Ok(session)) => session,
        Ok(Err(failure)) => return stories::all_failed(&failure).collect(),
        Err(_) => {
            let failure = format!("not connected after {PATIENCE:?}").into();
            return stories::all_failed(&failure).collect();
        }
    };
    let mut told = Vec::new();
    for (name, story) in STORIES {
        let checked = tokio::time::timeout(PATIENCE, story(&session, era))
            .await
            .unwrap_or_else(|_| Err(format!("not done after {PATIENCE:?}").into()));
        told.push(((*name).to_owned(), checked));
    }
    session.client.close().await;
    told
}
