//! Servers on a socket of the file system, for clients on the same machine.
//!
//! The framing is that of [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio):
//! one message a line. Who may connect is decided by the permissions of the socket's folder.

use std::fmt;
use std::future::Future;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use crate::client::IntoTransport;
use crate::error::{Error, Result};
use crate::server::IntoServer;
use crate::transport::{StreamServer, StreamTransport};

/// Serves every client that connects to the socket at `path`, until Ctrl-C.
///
/// # Errors
///
/// Returns an error if the server cannot be built or started, or if the path cannot be
/// listened on.
///
/// # Example: a server for the programs of one user
///
/// ```no_run
/// # async fn run() -> vuelta::Result<()> {
/// let server = vuelta::Server::builder("Calculator", "1.0.0").build()?;
/// vuelta::unix::serve(server, "/run/user/1000/calculator.sock").await
/// # }
/// ```
pub async fn serve(server: impl IntoServer, path: impl AsRef<Path>) -> Result<()> {
    let listener = Listener::bind(path)?;
    let interrupt = async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "Ctrl-C cannot be heard: end the process instead");
            std::future::pending::<()>().await;
        }
    };
    listener.serve(StreamServer::new(server)?, interrupt).await
}

/// Names the socket of a server, for a client to connect to.
///
/// # Example: a client of a server on this machine
///
/// ```no_run
/// # async fn connect() -> vuelta::Result<()> {
/// let socket = vuelta::unix::path("/run/user/1000/calculator.sock");
/// let client = vuelta::Client::builder().connect(socket).await?;
/// # Ok(()) }
/// ```
#[must_use]
pub fn path(path: impl AsRef<Path>) -> SocketPath {
    SocketPath(path.as_ref().to_owned())
}

/// The socket of a server; made by [`path`].
#[derive(Clone, Debug)]
pub struct SocketPath(PathBuf);

impl IntoTransport for SocketPath {
    type Transport = StreamTransport;

    /// Connects to the socket.
    fn into_transport(self) -> Result<StreamTransport> {
        let connect = || {
            let stream = std::os::unix::net::UnixStream::connect(&self.0)?;
            stream.set_nonblocking(true)?;
            UnixStream::from_std(stream)
        };
        let (reader, writer) = connect()
            .map_err(|error| failed("connect to", &self.0, error))?
            .into_split();
        Ok(StreamTransport::new(reader, writer))
    }
}

/// A socket that is listened on; its file is removed when it is dropped.
///
/// Only the user whose process it is may connect. A connection serves one client.
pub struct Listener {
    listener: UnixListener,
    path: PathBuf,
    max_connections: usize,
}

impl Listener {
    /// Listens on a path; the file of a server that has ended without removing it is replaced.
    ///
    /// # Errors
    ///
    /// Returns an error if another server listens there, or the file cannot be created.
    pub fn bind(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let listener = match UnixListener::bind(&path) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_abandoned(&path) => {
                let removed = std::fs::remove_file(&path);
                removed.and_then(|()| UnixListener::bind(&path))
            }
            bound => bound,
        };
        let listener = listener.map_err(|error| failed("listen on", &path, error))?;
        let owner_only = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&path, owner_only)
            .map_err(|error| failed("keep others from", &path, error))?;
        Ok(Self {
            listener,
            path,
            max_connections: 1024,
        })
    }

    /// Sets how many clients are served at the same time; 1,024 if not set. More of them wait.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections.max(1);
        self
    }

    /// Serves every client that connects until `shutdown` is ready. Subscriptions are then told
    /// that they are over, and requests in flight have the grace of `options` to be answered.
    ///
    /// # Errors
    ///
    /// Returns an error if a start hook of the server failed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes all connections at once.
    pub async fn serve(
        self,
        options: StreamServer,
        shutdown: impl Future<Output = ()>,
    ) -> Result<()> {
        let server = options.server().clone();
        server.start().await?;
        let mut shutdown = std::pin::pin!(shutdown);
        let closing = tokio_util::sync::CancellationToken::new();
        let mut connections = JoinSet::new();
        loop {
            let has_room = connections.len() < self.max_connections;
            tokio::select! {
                () = &mut shutdown => break,
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept(), if has_room => match accepted {
                    Ok((stream, _)) => {
                        let closing = closing.clone();
                        connections.spawn(connection(stream, options.clone(), closing));
                    }
                    Err(error) => {
                        // The process lacks something, such as file descriptors; trying at once
                        // would spin.
                        tracing::error!(%error, "connections cannot be accepted");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        // First: connections cut the streams that do not end by themselves.
        server.close_streams();
        closing.cancel();
        while connections.join_next().await.is_some() {}
        server.stop().await;
        Ok(())
    }
}

async fn connection(
    stream: UnixStream,
    options: StreamServer,
    closing: tokio_util::sync::CancellationToken,
) {
    let (reader, writer) = stream.into_split();
    if let Err(error) = options
        .serve_until(reader, writer, closing.cancelled_owned())
        .await
    {
        tracing::debug!(%error, "connection ended");
    }
}

/// Returns whether a socket's file is left of a server that has ended.
fn is_abandoned(path: &Path) -> bool {
    let connected = std::os::unix::net::UnixStream::connect(path);
    connected.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn failed(action: &str, path: &Path, error: io::Error) -> Error {
    Error::transport(format!("cannot {action} {}: {error}", path.display())).caused_by(error)
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(%error, "the socket's file was not removed");
        }
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
