//! The standard streams set aside: the protocol has private descriptors, and what everybody else
//! knows as stdin and stdout leads nowhere and to stderr.
//!
//! So a handler that prints does not disturb the protocol, and a process that it starts neither
//! reads nor writes messages.

use std::fs::File;
use std::io;
use std::io::Write as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::stdio::{dup2_stdin, dup2_stdout};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use super::blocking::Blocking;

/// Whether the standard streams are taken: a process has them once.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes the standard streams until both are dropped.
///
/// Until then fd 0 is `/dev/null` and fd 1 is what fd 2 is. What [`std::io::stdin`] has already
/// read is lost to the protocol.
///
/// # Errors
///
/// Returns an error if they are taken already, and what went wrong with the system.
///
/// # Panics
///
/// Panics if this is not called from within a tokio runtime with I/O.
pub(crate) fn take() -> io::Result<(Stdin, Stdout)> {
    let guard = Arc::new(Guard::new()?);
    let stderr = File::from(io::stderr().as_fd().try_clone_to_owned()?);
    let stdin: Box<dyn AsyncRead + Send + Unpin> = match kind(&guard.stdin, &stderr)? {
        Kind::Pipe => Box::new(pipe::Receiver::from_file(guard.stdin.try_clone()?)?),
        Kind::Socket => Box::new(socket(&guard.stdin)?),
        Kind::Blocking => Box::new(Blocking::new(guard.stdin.try_clone()?)?),
    };
    let stdout: Box<dyn AsyncWrite + Send + Unpin> = match kind(&guard.stdout, &stderr)? {
        Kind::Pipe => Box::new(pipe::Sender::from_file(guard.stdout.try_clone()?)?),
        Kind::Socket => Box::new(socket(&guard.stdout)?),
        Kind::Blocking => Box::new(tokio::fs::File::from_std(guard.stdout.try_clone()?)),
    };
    guard.set_aside(&stderr)?;
    let stdin = Stdin {
        input: stdin,
        _guard: guard.clone(),
    };
    let stdout = Stdout {
        output: stdout,
        _guard: guard,
    };
    Ok((stdin, stdout))
}

/// How a stream is read or written.
enum Kind {
    Pipe,
    Socket,
    /// It cannot be polled, or must not be made not to block.
    Blocking,
}

/// Tells how to read or write a stream.
///
/// Not to block is a property of the pipe or socket, not of the descriptor: where stderr is the
/// same one, as after `2>&1`, writing logs would fail.
fn kind(file: &File, stderr: &File) -> io::Result<Kind> {
    let (file, stderr) = (file.metadata()?, stderr.metadata()?);
    let is_stderr = (file.dev(), file.ino()) == (stderr.dev(), stderr.ino());
    Ok(match file.file_type() {
        _ if is_stderr => Kind::Blocking,
        kind if kind.is_fifo() => Kind::Pipe,
        kind if kind.is_socket() => Kind::Socket,
        _ => Kind::Blocking,
    })
}

/// Opens a socket of any kind, of which nothing but reading and writing is asked.
fn socket(file: &File) -> io::Result<UnixStream> {
    let socket = std::os::unix::net::UnixStream::from(OwnedFd::from(file.try_clone()?));
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}

/// What gives the standard streams back.
struct Guard {
    stdin: File,
    stdout: File,
    /// Whether they block, as they came.
    flags: [OFlags; 2],
}

impl Guard {
    fn new() -> io::Result<Self> {
        if TAKEN.swap(true, Ordering::AcqRel) {
            return Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "stdin and stdout are taken: a process can serve them once at a time",
            ));
        }
        Self::duplicate().inspect_err(|_| TAKEN.store(false, Ordering::Release))
    }

    fn duplicate() -> io::Result<Self> {
        // Both are closed in processes that this one starts.
        let stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        // Both may be the same socket: its flags are read before any are changed.
        let flags = [fcntl_getfl(&stdin)?, fcntl_getfl(&stdout)?];
        Ok(Self {
            stdin,
            stdout,
            flags,
        })
    }

    /// Lets fd 0 and 1 lead elsewhere.
    fn set_aside(&self, stderr: &File) -> io::Result<()> {
        dup2_stdin(File::open("/dev/null")?)?;
        dup2_stdout(stderr)?;
        // What was printed without a newline must not be sent.
        let _ = io::stdout().flush();
        Ok(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // What was printed in the meantime must not be sent.
        let _ = io::stdout().flush();
        let restored = fcntl_setfl(&self.stdin, self.flags[0])
            .and(fcntl_setfl(&self.stdout, self.flags[1]))
            .and(dup2_stdin(&self.stdin))
            .and(dup2_stdout(&self.stdout));
        if let Err(error) = restored {
            tracing::warn!(%error, "stdin and stdout could not be given back");
        }
        TAKEN.store(false, Ordering::Release);
    }
}

/// The stdin of this process, for the protocol alone.
pub(crate) struct Stdin {
    input: Box<dyn AsyncRead + Send + Unpin>,
    _guard: Arc<Guard>,
}

impl AsyncRead for Stdin {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.input).poll_read(cx, into)
    }
}

/// The stdout of this process, for the protocol alone.
///
/// Shutting it down flushes it: it is closed with the process.
pub(crate) struct Stdout {
    output: Box<dyn AsyncWrite + Send + Unpin>,
    _guard: Arc<Guard>,
}

impl AsyncWrite for Stdout {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.output).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.output).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}
