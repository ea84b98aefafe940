use proptest::prelude::*;

use super::*;

/// The table of the specification's section on value encoding.
const SPECIFICATION: [(&str, &str); 5] = [
    ("us-west1", "us-west1"),
    ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
    (" padded ", "=?base64?IHBhZGRlZCA=?="),
    ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
    ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
];

#[test]
fn values_of_the_specification_are_encoded_as_there() {
    for (text, value) in SPECIFICATION {
        assert_eq!(encode(text), value);
        assert_eq!(decode(value).as_deref(), Some(text));
    }
}

#[test]
fn only_what_is_unsafe_is_encoded() {
    for text in [
        "",
        "a b",
        "us west 1",
        "=?base64?",
        "x=?base64?eA==?=",
        "file:///path/to/file%20name.txt",
    ] {
        assert_eq!(encode(text), text);
    }
    for text in [
        "na\u{ef}ve",
        "\ttab",
        "a\tb",
        "a\r\nb",
        "\u{7f}",
        " us-west1",
        "us-west1 ",
        "=?base64?x?=",
    ] {
        assert!(encode(text).starts_with("=?base64?"), "{text:?}");
    }
    assert_eq!(encode("naïve"), "=?base64?bmHDr3Zl?=");
    assert_eq!(encode("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
}

#[test]
fn a_claim_of_base64_must_be_true() {
    for value in [
        "=?base64?@@?=",
        "=?base64?SGVs!!!bG8=?=",
        // Without its padding.
        "=?base64?SGVsbG8?=",
        // `QQ==` is the only encoding of `A`: here the unused bits are not zero.
        "=?base64?QR==?=",
        // The alphabet of URLs.
        "=?base64?_w==?=",
        // The byte 0xFF, which no UTF-8 text has.
        "=?base64?/w==?=",
        "=?base64?SGVs bG8=?=",
    ] {
        assert_eq!(decode(value), None, "{value}");
    }
    assert_eq!(decode("=?base64?QQ==?=").as_deref(), Some("A"));
    assert_eq!(decode("=?base64??=").as_deref(), Some(""));
}

#[test]
fn what_makes_no_such_claim_is_taken_as_it_is() {
    for value in [
        "SGVsbG8=",
        "=?base64?SGVsbG8=",
        "=?BASE64?SGVsbG8=?=",
        "=?Base64?SGVsbG8=?=",
        "=?base64?=",
    ] {
        assert_eq!(decode(value).as_deref(), Some(value));
    }
}

#[test]
fn whitespace_around_a_value_is_no_part_of_it() {
    assert_eq!(decode("  tools/call\t ").as_deref(), Some("tools/call"));
    assert_eq!(decode("  =?base64?IA==?= ").as_deref(), Some(" "));
}

#[test]
fn invalid_characters_are_refused() {
    for value in ["naïve", "a\nb", "a\u{7f}", "\0"] {
        assert_eq!(decode(value), None, "{value:?}");
    }
    assert_eq!(decode("a\tb").as_deref(), Some("a\tb"));
}

proptest! {
    #[test]
    fn every_text_survives(text in any::<String>()) {
        let value = encode(&text);
        prop_assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        let decoded = decode(&value);
        prop_assert_eq!(decoded.as_deref(), Some(text.as_str()));
    }

    #[test]
    fn every_text_near_the_sentinel_survives(text in r"[ =]{0,2}(\?base64\?)?[A-Za-z=?]{0,6}(\?=)?[ ]?") {
        let value = encode(&text);
        let decoded = decode(&value);
        prop_assert_eq!(decoded.as_deref(), Some(text.as_str()));
    }

    #[test]
    fn no_value_is_read_in_two_ways(value in "=\\?base64\\?[A-Za-z0-9+/=]{0,12}\\?=") {
        if let Some(text) = decode(&value) {
            let again = format!("=?base64?{}?=", BASE64.encode(text.as_bytes()));
            prop_assert_eq!(again, value);
        }
    }
}
