//! Bodies: reading that of a request with a limit, and those of responses.

use std::convert::Infallible;
use std::fmt;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;

/// The body of a response.
///
/// It may hold the handler's future: dropping it cancels the request.
pub struct Body(Kind);

enum Kind {
    Whole(Bytes),
    Events(Pin<Box<dyn Stream<Item = Bytes> + Send>>),
}

impl Body {
    pub(super) fn empty() -> Self {
        Self::whole(Bytes::new())
    }

    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Kind::Whole(bytes.into()))
    }

    pub(super) fn events(stream: impl Stream<Item = Bytes> + Send + 'static) -> Self {
        Self(Kind::Events(Box::pin(stream)))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let chunk = match &mut self.0 {
            Kind::Whole(bytes) if bytes.is_empty() => None,
            Kind::Whole(bytes) => Some(std::mem::take(bytes)),
            Kind::Events(stream) => std::task::ready!(stream.as_mut().poll_next(cx)),
        };
        Poll::Ready(chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Kind::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Kind::Events(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Whole(bytes) => f.debug_tuple("Body").field(&bytes.len()).finish(),
            Kind::Events(_) => f.debug_tuple("Body").finish_non_exhaustive(),
        }
    }
}

/// Why a request's body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadError {
    /// It is larger than the limit.
    TooLarge,
    /// The peer stopped sending it.
    Broken,
}

/// Returns whether a body declares, before any of it is read, that it is larger than `limit`.
pub(super) fn is_declared_larger<B: http_body::Body>(body: &B, limit: usize) -> bool {
    usize::try_from(body.size_hint().lower()).map_or(true, |size| size > limit)
}

/// Reads a whole body; never holds more of it than `limit`.
pub(super) async fn read<B>(body: B, limit: usize) -> Result<Bytes, ReadError>
where
    B: http_body::Body<Data = Bytes>,
{
    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut joined = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(ReadError::Broken);
        };
        let Ok(data) = frame.into_data() else {
            // Trailers say nothing here.
            continue;
        };
        if data.len() > limit - first.len().max(joined.len()) {
            return Err(ReadError::TooLarge);
        }
        if first.is_empty() && joined.is_empty() {
            // Most bodies are one chunk, which is not copied.
            first = data;
        } else {
            // Chunks are joined as they come: each one that is kept holds the buffer that it
            // was read into, however small it is.
            if joined.is_empty() {
                joined.extend_from_slice(&std::mem::take(&mut first));
            }
            joined.extend_from_slice(&data);
        }
    }
    Ok(if joined.is_empty() {
        first
    } else {
        joined.into()
    })
}

#[cfg(test)]
mod tests;
