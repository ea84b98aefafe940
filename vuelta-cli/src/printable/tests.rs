use super::{block, line};

#[test]
fn an_escape_sequence_is_shown_and_does_nothing() {
    assert_eq!(line("a\u{1b}[2Jb"), r"a\u{1b}[2Jb");
    assert_eq!(
        block("a\u{1b}]8;;http://evil\u{7}b"),
        r"a\u{1b}]8;;http://evil\u{7}b"
    );
}

#[test]
fn a_turned_address_is_shown_as_it_is() {
    assert_eq!(
        line("https://\u{202e}moc.elpmaxe"),
        r"https://\u{202e}moc.elpmaxe"
    );
}

#[test]
fn a_line_has_no_breaks_and_a_block_keeps_them() {
    assert_eq!(line("one\r\n  two\n\nthree"), "one two three");
    assert_eq!(block("one\n\ttwo"), "one\n\ttwo");
    assert_eq!(block("one\rtwo"), r"one\u{d}two");
}

#[test]
fn letters_of_every_script_stay() {
    assert_eq!(line("Región: 東京, מזרח"), "Región: 東京, מזרח");
}
