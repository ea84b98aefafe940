use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use tokio::io::ReadBuf;

use super::*;

/// A stream that arrives in these pieces.
struct Pieces(VecDeque<Vec<u8>>);

impl Pieces {
    fn new<T: AsRef<[u8]>>(pieces: impl IntoIterator<Item = T>) -> Self {
        Self(
            pieces
                .into_iter()
                .map(|piece| piece.as_ref().to_vec())
                .collect(),
        )
    }

    fn bytes(text: &[u8]) -> Self {
        Self::new(text.chunks(1))
    }
}

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(mut piece) = self.0.pop_front() {
            let rest = piece.split_off(piece.len().min(into.remaining()));
            into.put_slice(&piece);
            if !rest.is_empty() {
                self.0.push_front(rest);
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// Reads to the end; `None` stands for a line that is too long.
async fn read(pieces: Pieces, limit: usize) -> Vec<Option<String>> {
    let mut reader = LineReader::new(pieces).limit(limit);
    let mut lines = Vec::new();
    while let Some(line) = reader.next().await.unwrap() {
        lines.push(match line {
            Line::Message(message) => Some(String::from_utf8(message.to_vec()).unwrap()),
            Line::TooLong => None,
        });
    }
    assert_eq!(reader.next().await.unwrap(), None, "an end stays an end");
    lines
}

/// Reads a text whole and byte by byte, which must make no difference.
async fn messages(text: &[u8]) -> Vec<String> {
    let whole = read(Pieces::new([text]), 1024).await;
    assert_eq!(whole, read(Pieces::bytes(text), 1024).await);
    whole.into_iter().map(|line| line.expect("short")).collect()
}

#[tokio::test]
async fn a_line_ends_with_lf_or_crlf() {
    assert_eq!(
        messages(b"{\"a\":1}\n{\"b\":2}\r\n{}\n").await,
        ["{\"a\":1}", "{\"b\":2}", "{}"]
    );
    assert_eq!(messages(b"").await, [""; 0]);
}

#[tokio::test]
async fn the_last_line_may_lack_its_end() {
    assert_eq!(messages(b"1\n2").await, ["1", "2"]);
    assert_eq!(messages(b"1\n2\r").await, ["1", "2"]);
    assert_eq!(messages(b"1\n  ").await, ["1"]);
}

#[tokio::test]
async fn blank_lines_are_skipped() {
    assert_eq!(
        messages(b"\n\r\n  \n \t \r\n1\n\n   2\n \r").await,
        ["1", "   2"]
    );
}

#[tokio::test]
async fn a_byte_order_mark_counts_only_at_the_start() {
    assert_eq!(
        messages(b"\xEF\xBB\xBF{}\n\xEF\xBB\xBF{}\n").await,
        ["{}", "\u{feff}{}"]
    );
    assert_eq!(messages(b"\xEF\xBB\xBF\r\n{}\n").await, ["{}"]);
    assert_eq!(messages(b"\xEF\xBB\xBF").await, [""; 0]);
    let inside = "{\"value\":\"\u{feff}\"}";
    assert_eq!(messages(format!("{inside}\n").as_bytes()).await, [inside]);
}

#[tokio::test]
async fn only_a_newline_ends_a_line() {
    let message = "{\"value\":\"a\u{2028}b\u{2029}c\u{85}d \u{1F600}\"}";
    assert_eq!(
        messages(format!("{message}\n{message}").as_bytes()).await,
        [message, message]
    );
}

#[tokio::test]
async fn bytes_that_are_no_utf_8_are_handed_out() {
    let mut reader = LineReader::new(&b"\xff\xfe\n{}\n"[..]);
    assert_eq!(
        reader.next().await.unwrap(),
        Some(Line::Message(b"\xff\xfe"))
    );
    assert_eq!(reader.next().await.unwrap(), Some(Line::Message(b"{}")));
}

#[tokio::test]
async fn a_line_too_long_is_told_once_and_skipped() {
    let text = b"1234\n12345\n123456789012345\n12\n1234567890";
    let expected = [Some("1234"), None, None, Some("12"), None].map(|line| line.map(str::to_owned));
    assert_eq!(read(Pieces::new([text]), 4).await, expected);
    assert_eq!(read(Pieces::bytes(text), 4).await, expected);
    let halves = Pieces::new([&text[..18], &text[18..]]);
    assert_eq!(read(halves, 4).await, expected);
}

#[tokio::test]
async fn the_end_of_a_line_does_not_count() {
    let text = b"\xEF\xBB\xBF1234\r\n1234\r\n12345\r\n";
    let expected = [Some("1234".to_owned()), Some("1234".to_owned()), None];
    assert_eq!(read(Pieces::new([text]), 4).await, expected);
    assert_eq!(read(Pieces::bytes(text), 4).await, expected);
}

#[tokio::test]
async fn a_line_too_long_is_told_before_it_ends() {
    let (mut wire, source) = tokio::io::duplex(64);
    let mut reader = LineReader::new(source).limit(8);
    wire.write_all(&[b'x'; 32]).await.unwrap();
    assert_eq!(reader.next().await.unwrap(), Some(Line::TooLong));
    wire.write_all(b"xx\n{}\n").await.unwrap();
    assert_eq!(reader.next().await.unwrap(), Some(Line::Message(b"{}")));
}

#[tokio::test]
async fn memory_is_bounded_by_the_limit() {
    const LIMIT: usize = 512 * 1024;
    let endless = tokio::io::repeat(b'x').take(4 * 1024 * 1024);
    let mut reader = LineReader::new(endless.chain(&b"\n{}\n"[..])).limit(LIMIT);
    assert_eq!(reader.next().await.unwrap(), Some(Line::TooLong));
    assert!(reader.buffer.capacity() <= LIMIT + SLACK + READ);
    assert_eq!(reader.next().await.unwrap(), Some(Line::Message(b"{}")));
    assert!(reader.buffer.capacity() <= KEEP);

    let long = vec![b'x'; LIMIT];
    let mut reader = LineReader::new((&long[..]).chain(&b"\n"[..])).limit(LIMIT);
    assert_eq!(reader.next().await.unwrap(), Some(Line::Message(&long)));
    assert!(reader.buffer.capacity() <= LIMIT + SLACK + READ);
}

#[tokio::test]
async fn no_limit_is_a_limit_too() {
    assert_eq!(
        read(Pieces::new(["{}\n"]), usize::MAX).await,
        [Some("{}".to_owned())]
    );
    assert_eq!(read(Pieces::new(["{}\n"]), 0).await, [None]);
}

#[tokio::test]
async fn a_cancelled_read_loses_nothing() {
    let (mut wire, source) = tokio::io::duplex(64);
    let mut reader = LineReader::new(source);
    for byte in b"{\"a\":1}" {
        wire.write_all(&[*byte]).await.unwrap();
        assert!(reader.next().now_or_never().is_none());
    }
    wire.write_all(b"\n").await.unwrap();
    assert_eq!(
        reader.next().await.unwrap(),
        Some(Line::Message(b"{\"a\":1}"))
    );
}

#[tokio::test]
async fn an_error_of_the_stream_is_told() {
    let broken = broken_stream();
    let mut reader = LineReader::new((&b"1\n2"[..]).chain(broken));
    assert_eq!(reader.next().await.unwrap(), Some(Line::Message(b"1")));
    let error = reader.next().await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
}

/// A stream that fails.
fn broken_stream() -> impl AsyncRead + Unpin {
    struct Broken;
    impl AsyncRead for Broken {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
        }
    }
    Broken
}

#[tokio::test]
async fn a_message_is_one_line() {
    let mut writer = LineWriter::new(Vec::new());
    writer.write("{\"a\":1}").await.unwrap();
    writer
        .write("{\r\n\"b\":\n\"c\\n\\r\u{2028}\"\r}")
        .await
        .unwrap();
    writer.shutdown().await.unwrap();
    let expected = "{\"a\":1}\n{  \"b\": \"c\\n\\r\u{2028}\" }\n";
    assert_eq!(String::from_utf8(writer.target).unwrap(), expected);
}

#[tokio::test]
async fn a_cancelled_write_cuts_no_line_short() {
    let (target, mut wire) = tokio::io::duplex(4);
    let mut writer = LineWriter::new(target);
    assert!(writer.write("\"first\"").now_or_never().is_none());
    assert!(writer.write("\"never sent\"").now_or_never().is_none());
    let read = async {
        let mut text = String::new();
        wire.read_to_string(&mut text).await.unwrap();
        text
    };
    let write = async move {
        writer.write("\"second\"").await.unwrap();
        writer.shutdown().await.unwrap();
    };
    assert_eq!(tokio::join!(write, read).1, "\"first\"\n\"second\"\n");
}

#[tokio::test]
async fn a_closed_peer_is_an_error() {
    let (target, wire) = tokio::io::duplex(4);
    drop(wire);
    let mut writer = LineWriter::new(target);
    let error = writer.write("{}").await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert!(
        writer.shutdown().await.is_err(),
        "the message is still owed"
    );
}

#[tokio::test]
async fn memory_of_a_long_message_is_given_back() {
    let mut writer = LineWriter::new(tokio::io::sink());
    writer.write(&"x".repeat(1024 * 1024)).await.unwrap();
    assert!(writer.line.capacity() <= KEEP);
}
