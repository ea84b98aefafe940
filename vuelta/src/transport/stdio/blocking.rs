//! A file or a terminal as a stream: a thread reads it.
//!
//! The thread waits for input and for the end of the stream alike, so that it ends with the
//! stream. A task that reads a terminal would keep the runtime from shutting down until somebody
//! presses Enter.

use std::fs::File;
use std::io;
use std::io::{PipeReader, PipeWriter, Read as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;

/// How much is read at a time.
const READ: usize = 8 * 1024;

/// What a thread reads from a file; dropping it ends the thread.
pub(super) struct Blocking {
    pieces: mpsc::Receiver<io::Result<Vec<u8>>>,
    /// The piece that is being handed out, and how much of it was.
    piece: Vec<u8>,
    taken: usize,
    /// Its end tells the thread.
    _end: PipeWriter,
}

impl Blocking {
    /// Starts the thread.
    pub(super) fn new(file: File) -> io::Result<Self> {
        let (ended, end) = io::pipe()?;
        let (sender, pieces) = mpsc::channel(1);
        thread::Builder::new()
            .name("stdin".to_owned())
            .spawn(move || read_all(&file, &ended, &sender))?;
        Ok(Self {
            pieces,
            piece: Vec::new(),
            taken: 0,
            _end: end,
        })
    }
}

impl AsyncRead for Blocking {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.taken == self.piece.len() {
            match ready!(self.pieces.poll_recv(cx)) {
                Some(piece) => {
                    self.piece = piece?;
                    self.taken = 0;
                }
                None => return Poll::Ready(Ok(())),
            }
        }
        let rest = &self.piece[self.taken..];
        let rest = &rest[..rest.len().min(into.remaining())];
        into.put_slice(rest);
        let taken = rest.len();
        self.taken += taken;
        Poll::Ready(Ok(()))
    }
}

/// Reads until the file or the stream ends.
fn read_all(file: &File, ended: &PipeReader, pieces: &mpsc::Sender<io::Result<Vec<u8>>>) {
    loop {
        let piece = match read_piece(file, ended) {
            Ok(piece) if piece.is_empty() => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece,
        };
        let failed = piece.is_err();
        if pieces.blocking_send(piece).is_err() || failed {
            return;
        }
    }
}

/// Reads what there is; nothing at the end of the file and of the stream.
fn read_piece(mut file: &File, ended: &PipeReader) -> io::Result<Vec<u8>> {
    let mut either = [
        PollFd::new(file, PollFlags::IN),
        PollFd::new(ended, PollFlags::IN),
    ];
    poll(&mut either, None)?;
    if !either[1].revents().is_empty() {
        return Ok(Vec::new());
    }
    let mut piece = vec![0; READ];
    let read = file.read(&mut piece)?;
    piece.truncate(read);
    Ok(piece)
}
