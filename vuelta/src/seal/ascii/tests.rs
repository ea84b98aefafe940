use super::{push_char, push_float, push_text, push_unit};

#[track_caller]
fn check_float(value: f64, expected: &str) {
    let mut out = String::new();
    push_float(&mut out, value);
    assert_eq!(out, expected);
}

#[track_caller]
fn check_text(text: &str, expected: &str) {
    let mut out = String::new();
    push_text(&mut out, text);
    assert_eq!(out, expected);
    assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
}

// The expected spellings are those of Python's `repr`.

#[test]
fn a_whole_float_keeps_its_point() {
    check_float(0.0, "0.0");
    check_float(-0.0, "-0.0");
    check_float(1.0, "1.0");
    check_float(-10.0, "-10.0");
    check_float(1600.5, "1600.5");
    check_float(1_795_959_311.0, "1795959311.0");
}

#[test]
fn an_instant_has_the_shortest_digits_that_read_back() {
    check_float(1_795_959_311.081_764_5, "1795959311.0817645");
    check_float(1_795_959_890.955_492, "1795959890.955492");
    check_float(2_795_959_311.185_14, "2795959311.18514");
}

#[test]
fn an_exponent_appears_from_1e16_on() {
    check_float(1e15, "1000000000000000.0");
    check_float(9_999_999_999_999_998.0, "9999999999999998.0");
    check_float(1e16, "1e+16");
    check_float(-1.5e16, "-1.5e+16");
    check_float(1e22, "1e+22");
    check_float(f64::MAX, "1.7976931348623157e+308");
}

#[test]
fn an_exponent_appears_below_1e_minus_4() {
    check_float(0.1, "0.1");
    check_float(0.0001, "0.0001");
    check_float(0.000_123_4, "0.0001234");
    check_float(0.000_01, "1e-05");
    check_float(1e-7, "1e-07");
    check_float(-1.25e-10, "-1.25e-10");
    check_float(f64::MIN_POSITIVE, "2.2250738585072014e-308");
    check_float(5e-324, "5e-324");
}

#[test]
fn of_two_spellings_that_are_equally_near_the_even_one_is_taken() {
    check_float(2_244_501_093_943_011.0 + 0.25, "2244501093943011.2");
    check_float(2_244_501_093_943_011.0 + 0.75, "2244501093943011.8");
}

#[test]
fn a_value_that_is_no_number_has_a_name() {
    check_float(f64::INFINITY, "Infinity");
    check_float(f64::NEG_INFINITY, "-Infinity");
    check_float(f64::NAN, "NaN");
}

#[test]
fn printable_ascii_stands_for_itself() {
    check_text("", "\"\"");
    check_text("res://abc/data?x=1&y=<'>~", "\"res://abc/data?x=1&y=<'>~\"");
}

#[test]
fn quotes_backslashes_and_controls_are_escaped() {
    check_text("a/b\"\\\n\u{7f}\u{2028}", r#""a/b\"\\\n\u007f\u2028""#);
    check_text(
        "\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f}",
        r#""\u0000\b\t\n\u000b\f\r\u001f""#,
    );
}

#[test]
fn everything_else_is_escaped_by_utf16_unit() {
    check_text("\u{e9}e\u{301}", r#""\u00e9e\u0301""#);
    check_text("\u{1f600}", r#""\ud83d\ude00""#);
}

#[test]
fn a_lone_surrogate_is_escaped_as_itself() {
    let mut out = String::new();
    push_char(&mut out, 'a');
    push_unit(&mut out, 0xd800);
    assert_eq!(out, r"a\ud800");
}
