//! A server that runs: its streams, and what can be said about it.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::process::ExitStatus;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::error::{Error, Result};

use super::stderr::Tail;
use super::supervise::Supervisor;

/// How long a server whose stdout has ended may take to exit, before it is told without its
/// exit status.
const EXIT: Duration = Duration::from_secs(1);

/// A server that runs as a child process.
///
/// It is ended as the specification says: its stdin is closed and it has time to exit; then it
/// is sent SIGTERM and has time again; then SIGKILL, which it cannot refuse. The signals go to
/// its whole process group. A server that exits by itself is sent none, and what it may have
/// left running is left alone. On Windows there are no signals: a server that does not exit in
/// time is terminated, without what it has started.
///
/// Dropping a `Child` ends the server the same way in the background. When the tokio runtime
/// itself comes to its end, a server that still runs is killed at once: to give it time, call
/// [`stop`](Self::stop) first. The process is reaped in each case.
pub struct Child {
    program: String,
    id: Option<u32>,
    /// None if stderr is inherited.
    tail: Option<Tail>,
    supervisor: Supervisor,
}

impl Child {
    pub(super) fn new(
        program: String,
        id: Option<u32>,
        tail: Option<Tail>,
        supervisor: Supervisor,
    ) -> Self {
        Self {
            program,
            id,
            tail,
            supervisor,
        }
    }

    /// Returns the id that the process has, or had while it ran.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// Returns the last of what the server wrote to its stderr; empty if that is inherited.
    ///
    /// It need not be about errors: servers log there too. It is as the server wrote it, with
    /// whatever a terminal would obey.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.tail.as_ref().map(Tail::text).unwrap_or_default()
    }

    /// Returns how the server exited, if it has.
    #[must_use]
    pub fn try_exit_status(&self) -> Option<ExitStatus> {
        self.supervisor.try_status()
    }

    /// Waits until the server has exited, and returns how.
    ///
    /// # Errors
    ///
    /// Returns an error if that cannot be known.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn wait(&self) -> Result<ExitStatus> {
        self.supervisor.status().await.ok_or_else(|| {
            let program = &self.program;
            Error::transport(format!("it is not known how `{program}` exited"))
        })
    }

    /// Ends the server, and returns how it exited.
    ///
    /// Close its [`ChildStdin`] first, which asks it to exit; and go on reading its
    /// [`ChildStdout`] or drop that too, lest it waits for somebody to read.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be known how it exited.
    ///
    /// # Cancel safety
    ///
    /// The server is ended even if this is cancelled.
    pub async fn stop(&self) -> Result<ExitStatus> {
        self.supervisor.stop();
        self.wait().await
    }

    /// Returns the error for a connection whose server is gone: how it exited, and the last lines
    /// of its stderr.
    ///
    /// Call it when stdout has ended or stdin cannot be written. A server that has only closed
    /// its stream has a second to exit.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn lost(&self) -> Error {
        let ended = match tokio::time::timeout(EXIT, self.wait()).await {
            Ok(Ok(status)) => match status.code() {
                Some(code) => format!("exited with code {code}"),
                // Only a signal leaves no code; the text of the status names it.
                None => format!("was ended by {status}"),
            },
            Ok(Err(error)) => return error,
            Err(_) => "closed its stdout but has not exited".to_owned(),
        };
        let program = &self.program;
        Error::transport(match self.tail.as_ref().map(Tail::last_lines) {
            Some(lines) if lines.is_empty() => format!(
                "`{program}` {ended} and wrote nothing to stderr: run it in a terminal to see why"
            ),
            Some(lines) => format!("`{program}` {ended}; its stderr ends with:\n{lines}"),
            None => format!("`{program}` {ended}: see what it wrote to stderr"),
        })
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child")
            .field("program", &self.program)
            .field("id", &self.id)
            .field("exit_status", &self.try_exit_status())
            .finish_non_exhaustive()
    }
}

/// The stdin of a server; shutting it down or dropping it closes it.
#[derive(Debug)]
pub struct ChildStdin(Option<tokio::process::ChildStdin>);

impl ChildStdin {
    pub(super) fn new(pipe: tokio::process::ChildStdin) -> Self {
        Self(Some(pipe))
    }

    fn open(&mut self) -> io::Result<Pin<&mut tokio::process::ChildStdin>> {
        match &mut self.0 {
            Some(pipe) => Ok(Pin::new(pipe)),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl AsyncWrite for ChildStdin {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.open()?.poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.0 {
            Some(pipe) => Pin::new(pipe).poll_flush(cx),
            None => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = std::task::ready!(self.as_mut().poll_flush(cx));
        self.0 = None;
        Poll::Ready(flushed)
    }
}

/// The stdout of a server.
#[derive(Debug)]
pub struct ChildStdout(tokio::process::ChildStdout);

impl ChildStdout {
    pub(super) fn new(pipe: tokio::process::ChildStdout) -> Self {
        Self(pipe)
    }
}

impl AsyncRead for ChildStdout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, into)
    }
}
