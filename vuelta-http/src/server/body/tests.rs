use std::collections::VecDeque;

use futures_util::FutureExt as _;
use http_body::Body as _;
use http_body_util::StreamBody;

use super::*;

/// A body of these chunks; `None` is a failure.
fn chunks(
    chunks: &[Option<&'static [u8]>],
) -> impl http_body::Body<Data = Bytes, Error = &'static str> {
    let frames: VecDeque<_> = chunks
        .iter()
        .map(|chunk| match chunk {
            Some(data) => Ok(Frame::data(Bytes::from_static(data))),
            None => Err("reset"),
        })
        .collect();
    StreamBody::new(futures_util::stream::iter(frames))
}

fn read_now(chunks: impl http_body::Body<Data = Bytes>, limit: usize) -> Result<Bytes, ReadError> {
    read(chunks, limit).now_or_never().unwrap()
}

#[test]
fn a_body_is_read_up_to_the_limit() {
    let two = || chunks(&[Some(b"abc"), Some(b""), Some(b"de")]);
    assert_eq!(read_now(two(), 5), Ok(Bytes::from_static(b"abcde")));
    assert_eq!(read_now(two(), 4), Err(ReadError::TooLarge));
    assert_eq!(read_now(chunks(&[Some(b"abc")]), 3).unwrap(), "abc");
    assert_eq!(
        read_now(chunks(&[Some(b"abc")]), 2),
        Err(ReadError::TooLarge)
    );
    assert_eq!(read_now(chunks(&[]), 0).unwrap(), "");
    assert_eq!(read_now(chunks(&[Some(b"")]), 0).unwrap(), "");
}

#[test]
fn reading_stops_at_the_limit() {
    // What follows the limit would fail, if it were read.
    let body = chunks(&[Some(b"abc"), Some(b"def"), None]);
    assert_eq!(read_now(body, 5), Err(ReadError::TooLarge));
}

#[test]
fn a_body_that_breaks_off_is_not_taken() {
    let body = chunks(&[Some(b"{}"), None]);
    assert_eq!(read_now(body, 5), Err(ReadError::Broken));
}

#[test]
fn a_declared_size_is_compared_with_the_limit() {
    let body = || Body::whole("abc");
    assert!(is_declared_larger(&body(), 2));
    assert!(!is_declared_larger(&body(), 3));
    assert!(!is_declared_larger(&chunks(&[Some(b"abc")]), 2));
}

#[test]
fn a_whole_body_declares_its_size() {
    let mut body = Body::whole("abc");
    assert_eq!(body.size_hint().exact(), Some(3));
    assert!(!body.is_end_stream());
    let frame = body.frame().now_or_never().unwrap().unwrap().unwrap();
    assert_eq!(frame.into_data().unwrap(), "abc");
    assert!(body.is_end_stream());
    assert!(body.frame().now_or_never().unwrap().is_none());
    assert!(Body::empty().is_end_stream());
}
