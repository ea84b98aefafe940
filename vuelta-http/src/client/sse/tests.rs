//! The examples are those of the [HTML
//! standard](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).

use super::*;

/// Reads a whole stream, given in pieces.
fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<(String, String)> {
    let mut parser = Parser::new(1024);
    let mut events = Vec::new();
    for mut piece in pieces {
        while let Some(event) = parser.next(&mut piece).unwrap() {
            let text = |bytes| String::from_utf8(bytes).unwrap();
            events.push((text(event.name), text(event.data)));
        }
        assert!(piece.is_empty());
    }
    events
}

#[track_caller]
fn check(stream: &str, expected: &[(&str, &str)]) {
    let events = read([stream.as_bytes()]);
    let events: Vec<_> = events
        .iter()
        .map(|(name, data)| (&**name, &**data))
        .collect();
    assert_eq!(events, expected, "{stream:?}");
}

#[test]
fn data_lines_are_joined() {
    check(
        "data: YHOO\ndata: +2\ndata: 10\n\n",
        &[("message", "YHOO\n+2\n10")],
    );
}

#[test]
fn comments_ids_and_one_leading_space_are_left_out() {
    check(
        ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        &[
            ("message", "first event"),
            ("message", "second event"),
            ("message", " third event"),
        ],
    );
}

#[test]
fn empty_data_is_an_event_and_the_cut_off_one_is_none() {
    check(
        "data\n\ndata\ndata\n\ndata:",
        &[("message", ""), ("message", "\n")],
    );
    check("data: cut off\n", &[]);
}

#[test]
fn the_space_after_the_colon_may_be_missing() {
    check(
        "data:test\n\ndata: test\n\n",
        &[("message", "test"), ("message", "test")],
    );
}

#[test]
fn events_have_types_of_their_own() {
    check(
        "event: add\ndata: 1\n\ndata: 2\n\nevent: remove\n\ndata: 3\n\nevent: a\nevent:\ndata: 4\n\n",
        &[
            ("add", "1"),
            ("message", "2"),
            ("message", "3"),
            ("message", "4"),
        ],
    );
}

#[test]
fn unknown_fields_are_ignored_and_names_are_exact() {
    check(
        "retry: 10\nDATA: 1\n data: 2\ndata : 3\nfuture: 4\ndata: 5\n\n",
        &[("message", "5")],
    );
}

#[test]
fn every_line_ending_ends_a_line() {
    let expected = [("message", "a\nb"), ("message", "c")];
    check("data: a\ndata: b\n\ndata: c\n\n", &expected);
    check("data: a\rdata: b\r\rdata: c\r\r", &expected);
    check("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", &expected);
    check("data: a\ndata: b\r\n\rdata: c\r\n\n", &expected);
}

#[test]
fn one_byte_order_mark_may_come_first() {
    check("\u{feff}data: a\n\n", &[("message", "a")]);
    check("\u{feff}\n\ndata: a\n\n", &[("message", "a")]);
    check(
        "\u{feff}\u{feff}data: a\n\ndata: b\n\n",
        &[("message", "b")],
    );
    check("data: a\n\n\u{feff}data: b\n\n", &[("message", "a")]);
    check("data: \u{feff}a\n\n", &[("message", "\u{feff}a")]);
}

#[test]
fn any_chunking_gives_the_same_events() {
    let stream = "\u{feff}: c\r\nevent: x\rdata: na\u{ef}ve \u{1f600}\ndata: b\r\n\r\ndata\r\rdata:\u{2028}\n\n"
        .as_bytes();
    let expected = read([stream]);
    let texts: Vec<_> = expected
        .iter()
        .map(|(name, data)| (&**name, &**data))
        .collect();
    assert_eq!(
        texts,
        [
            ("x", "na\u{ef}ve \u{1f600}\nb"),
            ("message", ""),
            ("message", "\u{2028}")
        ]
    );
    for size in 1..=stream.len() {
        assert_eq!(read(stream.chunks(size)), expected, "chunks of {size}");
    }
    for first in 0..stream.len() {
        for second in first..stream.len() {
            let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
            assert_eq!(read(pieces), expected, "cut at {first} and {second}");
        }
    }
}

#[test]
fn an_event_of_the_limit_passes_and_one_byte_more_does_not() {
    let read = |stream: &str| {
        let mut parser = Parser::new(16);
        parser
            .next(&mut stream.as_bytes())
            .map(|event| event.map(|event| event.data.len()))
    };
    assert_eq!(read("data:89abcdefghi\n\n"), Ok(Some(11)));
    assert_eq!(read("data:89abcdefghij\n\n"), Err(TooLarge));
    // Lines add up; what was dispatched does not.
    assert_eq!(
        read("data:\ndata:\ndata:\ndata:\ndata:\ndata:\n\n"),
        Ok(Some(5))
    );
    assert_eq!(read("data:12345\ndata:123456\n\n"), Err(TooLarge));
    assert_eq!(read(":23456789abcdefgh"), Err(TooLarge));
    let mut parser = Parser::new(16);
    let mut stream = "data:123456789\n\n".repeat(50).into_bytes();
    stream.extend_from_slice(b"data:1");
    let mut rest = stream.as_slice();
    for _ in 0..50 {
        assert!(parser.next(&mut rest).unwrap().is_some());
    }
    assert_eq!(parser.next(&mut rest), Ok(None));
}

/// Reads a whole stream; returns the last id and the retry time.
fn cursor(stream: &str) -> (Option<String>, Option<u64>) {
    let mut parser = Parser::new(1024);
    let mut rest = stream.as_bytes();
    while parser.next(&mut rest).unwrap().is_some() {}
    let id = parser
        .last_id()
        .map(|id| String::from_utf8_lossy(id).into_owned());
    let retry = parser
        .retry()
        .map(|retry| u64::try_from(retry.as_millis()).unwrap());
    (id, retry)
}

#[test]
fn an_id_counts_from_the_end_of_its_event() {
    for (stream, id) in [
        (
            "data: first event\nid: 1\n\ndata:second event\n\n",
            Some("1"),
        ),
        (
            "data: first event\nid: 1\n\ndata:second event\nid\n\n",
            Some(""),
        ),
        ("id: 1\n\nid: 2\n", Some("1")),
        ("id: 1\ndata:\n\n", Some("1")),
        ("id: 1\n\n", Some("1")),
        ("id: a:b c\n\n", Some("a:b c")),
        ("id: 1\n\nid: 2\u{0}\n\n", Some("1")),
        ("data: 1\n\n", None),
        ("ID: 1\n\n", None),
    ] {
        assert_eq!(cursor(stream).0.as_deref(), id, "{stream:?}");
    }
}

#[test]
fn a_retry_time_counts_at_once_and_is_digits_alone() {
    for (stream, retry) in [
        ("retry: 500\n", Some(500)),
        ("retry:0\n", Some(0)),
        ("retry: 500\nretry: 10s\n", Some(500)),
        ("retry: 500\nretry: -1\n", Some(500)),
        ("retry: 500\nretry:\n", Some(500)),
        ("retry: 500\nretry: 99999999999999999999\n", Some(500)),
        ("retry: \u{664}\n", None),
        ("retry: 1.5\n", None),
        ("retry: 1", None),
    ] {
        assert_eq!(cursor(stream).1, retry, "{stream:?}");
    }
}
