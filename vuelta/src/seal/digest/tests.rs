use super::*;

#[track_caller]
fn check(json: &str, expected: &str) {
    assert_eq!(canonical(json).as_deref(), Ok(expected));
}

#[track_caller]
fn check_refused(json: &str) {
    assert_eq!(
        arguments_digest(Some(json)),
        Err(DigestError::NotJson),
        "{json:?}"
    );
}

fn of(json: &str) -> String {
    arguments_digest(Some(json)).unwrap()
}

/// Arguments, their canonical form and its digest, as a Python implementation computed them.
const ARGUMENTS: &[(&str, &str, &str)] = &[
    (r#"{}"#, r#"{}"#, "RBNvo1WzZ4oRRq0W9-hkng"),
    (
        r#"{"name": "orders"}"#,
        r#"{"name":"orders"}"#,
        "cpW1mcFtGeM0ZPdUOr4a0A",
    ),
    (
        r#"{"b": {"d": 2, "c": 1}, "a": 1}"#,
        r#"{"a":1,"b":{"c":1,"d":2}}"#,
        "52rFrmSQmWttypc9crvXQQ",
    ),
    (r#"{"x": 1}"#, r#"{"x":1}"#, "UEG_H3E98gR4Q1PoL2pKUw"),
    (r#"{"x": 1.0}"#, r#"{"x":1.0}"#, "vzL1YjaJnhPvVNuHXRNsbA"),
    (r#"{"x": true}"#, r#"{"x":true}"#, "nk8Ym_QHnRtutkRoeYZs1Q"),
    (r#"{"x": null}"#, r#"{"x":null}"#, "xrjfWrozo5y97kb_r3f66Q"),
    (
        r#"{"s": "\u00e9"}"#,
        r#"{"s":"\u00e9"}"#,
        "oqhylYBfSuwiIrXxKZz2tQ",
    ),
    (
        r#"{"s": "e\u0301"}"#,
        r#"{"s":"e\u0301"}"#,
        "xON-0CuGVQrn6ftCtS2GrA",
    ),
    (
        r#"{"s": "\ud83d\ude00"}"#,
        r#"{"s":"\ud83d\ude00"}"#,
        "EdceP7f_z1LjjggpttREyg",
    ),
    (
        r#"{"s": "\ud800"}"#,
        r#"{"s":"\ud800"}"#,
        "0GpwocpNOsQJnNXzXsu1UQ",
    ),
    (
        r#"{"s": "a/b\"\\\n\u007f\u2028"}"#,
        r#"{"s":"a/b\"\\\n\u007f\u2028"}"#,
        "6alevJYOYZ6WTk2X6l_Dtg",
    ),
    (
        r#"{"n": 1e+22}"#,
        r#"{"n":1e+22}"#,
        "miIRKKf6Q86KHSUB-QlJoQ",
    ),
    (
        r#"{"n": 1e+21}"#,
        r#"{"n":1e+21}"#,
        "8e4rYO6VoxcP3Aeld-XzUQ",
    ),
    (
        r#"{"n": 1e+16}"#,
        r#"{"n":1e+16}"#,
        "OyyxEuBQgS0D7kKwyDiXKQ",
    ),
    (
        r#"{"n": 1000000000000000.0}"#,
        r#"{"n":1000000000000000.0}"#,
        "qV4sw9hoSoZfQedcJMhtIw",
    ),
    (r#"{"n": 0.1}"#, r#"{"n":0.1}"#, "wgw07RbIN-hrTc2zP5jCdA"),
    (
        r#"{"n": 1e-07}"#,
        r#"{"n":1e-07}"#,
        "_3oTFSmSYGF_5AQZnlTm2Q",
    ),
    (r#"{"n": -0.0}"#, r#"{"n":-0.0}"#, "qKMTyt4FAB5p99212wHh4g"),
    (
        r#"{"n": 123456789012345678901234567890}"#,
        r#"{"n":123456789012345678901234567890}"#,
        "A7j3jvXoowX0zagpQtsMag",
    ),
    (
        r#"{"n": 5e-324}"#,
        r#"{"n":5e-324}"#,
        "z0330oNBmNKElHEz0-x6Zg",
    ),
    (
        r#"{"\u00e9": 1, "z": 2, "\ud83d\ude00": 3}"#,
        r#"{"z":2,"\u00e9":1,"\ud83d\ude00":3}"#,
        "Qzso0g-0IzMj2RNcDlX12A",
    ),
    (
        r#"{"l": [1, "a", {"k": []}]}"#,
        r#"{"l":[1,"a",{"k":[]}]}"#,
        "tWdXlulACU0rYwy_TLMJqg",
    ),
];

/// Questions and the hashes of their texts, as a Python implementation computed them.
const QUESTIONS: &[(&str, &str)] = &[
    (
        r#"{"mode":"form","message":"Deploy to prod?","requestedSchema":{"properties":{"ok":{"title":"Ok","type":"boolean"}},"required":["ok"],"title":"Confirm","type":"object"}}"#,
        "kUTje1CwndeL5HH7aWZyyQ",
    ),
    (
        r#"{"mode":"form","message":"How old?","requestedSchema":{"properties":{"age":{"title":"Age","type":"integer"}},"required":["age"],"title":"Age","type":"object"}}"#,
        "ewQeC-kSio0ERIfi0f_Z3w",
    ),
    ("null", "dCNOmK_nSY-12vHzasLXig"),
    (
        r#"{"messages":[{"role":"user","content":{"type":"text","text":"Capital of France?"}}],"maxTokens":16}"#,
        "6bBMEYbBg8MsCM51DCIajA",
    ),
];

#[test]
fn known_arguments_have_the_known_digests() {
    for (json, expected, digest) in ARGUMENTS {
        check(json, expected);
        assert_eq!(of(json), *digest, "{json}");
    }
}

#[test]
fn known_questions_have_the_known_hashes() {
    for (question, hash) in QUESTIONS {
        assert_eq!(short_hash(question), *hash, "{question}");
    }
}

#[test]
fn absent_null_and_empty_arguments_are_the_same() {
    let empty = "RBNvo1WzZ4oRRq0W9-hkng";
    assert_eq!(arguments_digest(None).unwrap(), empty);
    assert_eq!(of("null"), empty);
    assert_eq!(of(" null\n"), empty);
    assert_eq!(of("{}"), empty);
    assert_eq!(of(" { } "), empty);
    assert_ne!(of("[]"), empty);
    assert_ne!(of("\"null\""), empty);
}

#[test]
fn the_order_of_members_and_the_space_between_them_do_not_matter() {
    let digest = "52rFrmSQmWttypc9crvXQQ";
    assert_eq!(of(r#"{"a":1,"b":{"c":1,"d":2}}"#), digest);
    assert_eq!(of(r#"{"b":{"d":2,"c":1},"a":1}"#), digest);
    assert_eq!(
        of("\t{\r\n \"b\" : { \"d\" : 2 , \"c\" : 1 } , \"a\" : 1 }\n"),
        digest
    );
}

#[test]
fn the_order_of_elements_matters() {
    assert_ne!(of(r#"{"l":[1,2]}"#), of(r#"{"l":[2,1]}"#));
}

#[test]
fn values_that_compare_equal_but_are_spelt_differently_stay_apart() {
    assert_ne!(of(r#"{"x":1}"#), of(r#"{"x":1.0}"#));
    assert_ne!(of(r#"{"x":1}"#), of(r#"{"x":true}"#));
    assert_ne!(of(r#"{"x":0}"#), of(r#"{"x":-0.0}"#));
    assert_ne!(of(r#"{"x":1}"#), of(r#"{"x":"1"}"#));
}

#[test]
fn an_argument_that_nobody_knows_changes_the_digest() {
    assert_ne!(of(r#"{"x":1}"#), of(r#"{"x":1,"unknown":null}"#));
}

#[test]
fn text_is_not_normalised() {
    assert_eq!(of("{\"s\":\"\u{e9}\"}"), of(r#"{"s":"\u00E9"}"#));
    assert_ne!(of("{\"s\":\"\u{e9}\"}"), of("{\"s\":\"e\u{301}\"}"));
}

#[test]
fn the_spelling_of_a_string_does_not_matter() {
    check(r#""\u0041\/\u0022\u005C\u000a\u0008""#, r#""A/\"\\\n\b""#);
    check("\"\u{1f600}\"", r#""\ud83d\ude00""#);
    check(r#""\uD83D\uDE00""#, r#""\ud83d\ude00""#);
    check("\"\u{7f}\"", r#""\u007f""#);
    check(r#"{"\u0061":1}"#, r#"{"a":1}"#);
}

#[test]
fn lone_surrogates_survive_and_discriminate() {
    check(r#"{"s":"\uD800"}"#, r#"{"s":"\ud800"}"#);
    check(r#"{"s":"\udc00\ud800"}"#, r#"{"s":"\udc00\ud800"}"#);
    check(
        r#"{"s":"\ud800\ud83d\ude00"}"#,
        r#"{"s":"\ud800\ud83d\ude00"}"#,
    );
    assert_ne!(of(r#"{"s":"\ud800"}"#), of(r#"{"s":"\ud801"}"#));
    assert_ne!(of(r#"{"s":"\ud800"}"#), of(r#"{"s":"\ufffd"}"#));
}

#[test]
fn names_are_sorted_by_code_point_and_not_by_spelling() {
    // Escapes are spelt with a backslash, which sorts after capital letters; the line break and
    // the quote that they stand for sort before.
    check(
        r#"{"B":1,"\"":2,"\n":3,"\u00e9":4,"z":5}"#,
        r#"{"\n":3,"\"":2,"B":1,"z":5,"\u00e9":4}"#,
    );
    // A prefix comes first, whatever follows it.
    check(
        r#"{"ab":1,"a":2,"a b":3,"a\n":4}"#,
        r#"{"a":2,"a\n":4,"a b":3,"ab":1}"#,
    );
    // Above U+FFFF the order of UTF-16 units is another one.
    check(
        "{\"\u{1f600}\":1,\"\u{ffff}\":2,\"\u{e000}\":3,\"\\udfff\":4,\"\u{d7ff}\":5}",
        r#"{"\ud7ff":5,"\udfff":4,"\ue000":3,"\uffff":2,"\ud83d\ude00":1}"#,
    );
}

#[test]
fn names_are_sorted_at_every_level() {
    check(
        r#"[{"b":[{"d":1,"c":{"f":1,"e":2}}],"a":0}]"#,
        r#"[{"a":0,"b":[{"c":{"e":2,"f":1},"d":1}]}]"#,
    );
}

#[test]
fn the_last_of_equal_names_is_kept() {
    check(r#"{"a":1,"a":2}"#, r#"{"a":2}"#);
    check(
        r#"{"b":1,"a":2,"b":{"y":1,"x":2,"y":3},"\u0061":4}"#,
        r#"{"a":4,"b":{"x":2,"y":3}}"#,
    );
}

#[test]
fn integers_keep_all_their_digits() {
    check(
        "123456789012345678901234567890",
        "123456789012345678901234567890",
    );
    check("-9007199254740993", "-9007199254740993");
    check("18446744073709551616", "18446744073709551616");
    check("0", "0");
    check("-0", "0");
    let long = "7".repeat(5000);
    check(&long, &long);
}

#[test]
fn floats_have_the_shortest_digits_that_read_back() {
    check("1E5", "100000.0");
    check("1e+5", "100000.0");
    check("100.0", "100.0");
    check("1.10", "1.1");
    check("-0.0", "-0.0");
    check("-0e7", "-0.0");
    check("0.30000000000000004", "0.30000000000000004");
    check("0.1000000000000000055511151231257827", "0.1");
    check("9007199254740993.0", "9007199254740992.0");
    check("0.0001", "0.0001");
    check("0.00001", "1e-05");
    check("1e15", "1000000000000000.0");
    check("1e16", "1e+16");
    check("123456789012345678.0", "1.2345678901234568e+17");
    check("4.9e-324", "5e-324");
    check("1e-400", "0.0");
}

#[test]
fn floats_too_large_for_a_double_are_infinite() {
    check("1e400", "Infinity");
    check("-1e400", "-Infinity");
    check("1e99999999999999999999", "Infinity");
}

#[test]
fn nesting_is_followed_to_the_limit_and_not_beyond() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    check(&nested(MAX_DEPTH), &nested(MAX_DEPTH));
    for hostile in [
        nested(MAX_DEPTH + 1),
        "[".repeat(4_000_000),
        "{\"a\":".repeat(1_000_000),
    ] {
        assert_eq!(arguments_digest(Some(&hostile)), Err(DigestError::TooDeep));
    }
    // Neighbours are not nested.
    let row = format!("[{}[]]", "[],".repeat(1000));
    check(&row, &row);
}

#[test]
fn text_that_is_not_json_is_refused() {
    let documents = [
        "",
        " ",
        "{}{}",
        "{} x",
        "nul",
        "nulls",
        "True",
        "NaN",
        "Infinity",
        "-Infinity",
    ];
    let brackets = [
        "{", "[", "[1,]", "[,1]", "[1 2]", "[}", "{]", "{,}", "[1", "{\"a\":1",
    ];
    let members = [
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "{\"a\":1 \"b\":2}",
    ];
    let numbers = [
        "01", "-", "-01", "+1", "1.", ".5", "1e", "1e+", "0x1", "1.e5", "1_0", "--1",
    ];
    let strings = [
        "\"",
        "'a'",
        "\"\n\"",
        "\"\0\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u+123\"",
    ];
    let others = ["\"\\u00g0\"", "\"\\u123\u{e9}\"", "\u{feff}{}", "\u{a0}{}"];
    for text in [
        &documents[..],
        &brackets,
        &members,
        &numbers,
        &strings,
        &others,
    ]
    .concat()
    {
        check_refused(text);
    }
}

#[test]
fn an_error_says_what_is_wrong() {
    assert_eq!(
        DigestError::NotJson.to_string(),
        "the arguments are not JSON"
    );
    assert_eq!(
        DigestError::TooDeep.to_string(),
        "the arguments nest deeper than 128 levels"
    );
}
