use super::*;

fn tail(limit: usize, pushes: &[&str]) -> Tail {
    let tail = Tail::new(limit);
    for push in pushes {
        tail.push(push.as_bytes());
    }
    tail
}

#[test]
fn the_last_bytes_are_kept() {
    assert_eq!(tail(8, &[]).text(), "");
    assert_eq!(tail(8, &["12345678"]).text(), "12345678");
    assert_eq!(tail(8, &["123456", "789", "0"]).text(), "34567890");
    assert_eq!(tail(8, &["1", "abcdefghijklmnop"]).text(), "ijklmnop");
    assert_eq!(tail(0, &["abc"]).text(), "");
}

#[test]
fn memory_is_bounded() {
    let tail = Tail::new(1000);
    for _ in 0..10_000 {
        tail.push(&[b'x'; 700]);
    }
    assert_eq!(tail.text().len(), 1000);
    assert!(tail.lock().capacity() <= 2048);
}

#[test]
fn a_character_that_was_cut_is_left_out() {
    assert_eq!(tail(4, &["a\u{1F600}b"]).text(), "b");
    assert_eq!(tail(5, &["a\u{1F600}b"]).text(), "\u{1F600}b");
    assert_eq!(tail(3, &["\u{20ac}\u{e9}"]).text(), "\u{e9}");
    let broken = Tail::new(8);
    broken.push(b"ok\xff\xfe");
    assert_eq!(broken.text(), "ok\u{fffd}\u{fffd}");
}

#[test]
fn an_error_quotes_the_last_lines() {
    let text = (1..=12)
        .map(|line| format!("line {line}\r\n\n"))
        .collect::<String>();
    let expected = (3..=12)
        .map(|line| format!("  line {line}"))
        .collect::<Vec<_>>();
    assert_eq!(tail(1024, &[&text]).last_lines(), expected.join("\n"));
    assert_eq!(tail(1024, &["\n  \n"]).last_lines(), "");
    assert_eq!(tail(1024, &["no end"]).last_lines(), "  no end");
    assert_eq!(tail(1024, &[&"x".repeat(1000)]).last_lines().len(), 2 + 300);
}

#[test]
fn an_error_quotes_nothing_that_a_terminal_would_obey() {
    let tail = tail(1024, &["\u{1b}]0;title\u{7}\ta\u{9b}31m\n"]);
    assert_eq!(tail.last_lines(), "  \u{fffd}]0;title\u{fffd} a\u{fffd}31m");
}

#[test]
fn the_log_gets_whole_lines() {
    let mut logged = Vec::new();
    let mut log = |line: &str| logged.push(line.to_owned());
    let mut lines = Lines::default();
    for piece in ["on", "e\ntwo\r\n\n", "  \nthr", "ee \u{20}", "\u{e9}"] {
        lines.push(piece.as_bytes(), &mut log);
    }
    lines.end(&mut log);
    lines.end(&mut log);
    assert_eq!(logged, ["one", "two", "three  \u{e9}"]);
}

#[test]
fn a_line_without_end_is_logged_in_pieces() {
    let mut logged = Vec::new();
    let mut log = |line: &str| logged.push(line.len());
    let mut lines = Lines::default();
    lines.push(&[b'x'; 3 * LOGGED_LINE + 1], &mut log);
    lines.push(&[b'x'; LOGGED_LINE], &mut log);
    assert!(lines.0.len() <= LOGGED_LINE);
    lines.end(&mut log);
    assert_eq!(
        logged,
        [LOGGED_LINE, LOGGED_LINE, LOGGED_LINE, 1, LOGGED_LINE]
    );
}
