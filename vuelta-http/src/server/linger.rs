//! Closing a connection so that its last response arrives.
//!
//! A server that closes while the client still sends makes the client's system discard what
//! it has received: the refusal of a body that is too large would be lost. So the sending
//! side is closed first, and what still comes is discarded for a while. Source: [RFC 9112,
//! section 9.6](https://www.rfc-editor.org/rfc/rfc9112#section-9.6).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// A connection that is closed in stages.
pub(super) struct Linger {
    tcp: TcpStream,
    /// Runs since the sending side was closed.
    patience: Option<Pin<Box<Sleep>>>,
}

impl Linger {
    pub(super) fn new(tcp: TcpStream) -> Self {
        Self {
            tcp,
            patience: None,
        }
    }
}

impl AsyncRead for Linger {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(cx, buf)
    }
}

impl AsyncWrite for Linger {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { tcp, patience } = &mut *self;
        if patience.is_none() {
            ready!(Pin::new(&mut *tcp).poll_shutdown(cx))?;
        }
        let patience = patience.get_or_insert_with(|| Box::pin(tokio::time::sleep(PATIENCE)));
        let mut discarded = [0; 4096];
        loop {
            if patience.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut buf = ReadBuf::new(&mut discarded);
            let read = ready!(Pin::new(&mut *tcp).poll_read(cx, &mut buf));
            if read.is_err() || buf.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

/// How long a client may go on sending.
const PATIENCE: Duration = Duration::from_secs(1);
