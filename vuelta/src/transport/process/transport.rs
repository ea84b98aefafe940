//! A client of a server that is a child process.

use std::fmt;
use std::sync::Arc;

use vuelta_wire::Raw;

use crate::client::{Inbound, IntoTransport, Outgoing, OutgoingNotification, Transport};
use crate::error::Result;
use crate::transport::StreamTransport;

use super::{Child, Command};

/// A connection to a server that runs as a child process; it ends with the connection.
///
/// Closing the connection closes the server's stdin and waits for it to end, then asks it to,
/// then kills it; see [`Command::grace`]. Dropping it does the same in the background.
pub struct ProcessTransport {
    stream: StreamTransport,
    child: Arc<Child>,
}

impl ProcessTransport {
    /// Returns the process.
    #[must_use]
    pub fn child(&self) -> &Child {
        &self.child
    }
}

impl IntoTransport for Command {
    type Transport = ProcessTransport;

    /// Starts the server.
    fn into_transport(self) -> Result<ProcessTransport> {
        let (child, stdin, stdout) = self.spawn()?;
        let child = Arc::new(child);
        let lost = Arc::clone(&child);
        let ending = || async move { lost.lost().await };
        Ok(ProcessTransport {
            stream: StreamTransport::ending(stdout, stdin, ending),
            child,
        })
    }
}

impl Transport for ProcessTransport {
    fn request(
        &self,
        request: Outgoing,
        inbound: Inbound,
    ) -> impl Future<Output = Result<Raw>> + Send {
        Transport::request(&self.stream, request, inbound)
    }

    fn notify(
        &self,
        notification: OutgoingNotification,
    ) -> impl Future<Output = Result<()>> + Send {
        Transport::notify(&self.stream, notification)
    }

    fn attach(&self, inbound: Inbound) {
        Transport::attach(&self.stream, inbound);
    }

    async fn close(&self) {
        Transport::close(&self.stream).await;
        if let Err(error) = self.child.stop().await {
            tracing::warn!(%error, "the server's process did not end well");
        }
    }
}

impl fmt::Debug for ProcessTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessTransport")
            .field("id", &self.child.id())
            .finish_non_exhaustive()
    }
}
