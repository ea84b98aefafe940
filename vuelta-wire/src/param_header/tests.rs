use serde_json::json;

use super::*;

fn parse(properties: &Value) -> Result<ParamHeaders, AnnotationError> {
    ParamHeaders::parse(&Raw::from(
        json!({"type": "object", "properties": properties}),
    ))
}

/// The headers of a tool with one mirrored argument of each type, and a nested one.
fn headers() -> ParamHeaders {
    parse(&json!({
        "region": {"type": "string", "x-mcp-header": "Region"},
        "n": {"type": "integer", "x-mcp-header": "Priority"},
        "verbose": {"type": "boolean", "x-mcp-header": "Verbose"},
        "query": {"type": "string"},
        "owner": {"type": "object", "properties": {
            "id": {"type": "string", "x-mcp-header": "Owner-Id"},
        }},
    }))
    .unwrap()
}

#[track_caller]
fn refused(schema: &Value, message: &str) {
    let error = ParamHeaders::parse(&Raw::from(schema.clone())).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn the_example_of_the_specification_is_valid() {
    let headers = parse(&json!({
        "region": {
            "type": "string",
            "description": "The region to execute the query in",
            "x-mcp-header": "Region",
        },
        "query": {"type": "string", "description": "The SQL query to execute"},
    }))
    .unwrap();
    let arguments = r#"{"region": "us-west1", "query": "SELECT * FROM users"}"#;
    assert_eq!(
        headers.render(Some(arguments)),
        [("Mcp-Param-Region", "us-west1".to_owned())]
    );
    assert!(!headers.is_empty());
}

#[test]
fn a_schema_without_annotations_has_no_headers() {
    for schema in [
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"x-mcp-header": {"type": "string"}}}),
        json!({"type": "object", "default": {"x-mcp-header": "A"}}),
        json!({"type": "object", "properties": {"a": {"enum": [{"x-mcp-header": "A"}]}}}),
        json!({"type": "object", "properties": {"a": {"const": {"x-mcp-header": "A"}}}}),
        json!({"type": "object", "$defs": {"x-mcp-header": {"type": "string"}}}),
        json!(true),
        json!(null),
        json!([1]),
    ] {
        let headers = ParamHeaders::parse(&Raw::from(schema.clone())).unwrap();
        assert!(headers.is_empty(), "{schema}");
    }
}

#[test]
fn an_annotation_is_a_header_name() {
    for name in [
        "",
        "My Region",
        "A:B",
        "Régión",
        "A\r\nB",
        "A\tB",
        "(A)",
        "A/B",
        "\u{7f}",
    ] {
        let properties = json!({"a": {"type": "string", "x-mcp-header": name}});
        let error = parse(&properties).unwrap_err();
        assert!(
            matches!(&error, AnnotationError::NotToken { path, .. } if path == "a"),
            "{name:?}"
        );
    }
    for name in ["A", "X-1", "!#$%&'*+-.^_`|~09az"] {
        parse(&json!({"a": {"type": "string", "x-mcp-header": name}})).unwrap();
    }
    for name in [json!(5), json!(null), json!(["A"]), json!({})] {
        let properties = json!({"a": {"type": "string", "x-mcp-header": name}});
        let error = parse(&properties).unwrap_err();
        assert!(matches!(error, AnnotationError::NotText { .. }), "{name}");
    }
}

#[test]
fn only_strings_integers_and_booleans_are_mirrored() {
    for kind in ["string", "integer", "boolean"] {
        parse(&json!({"a": {"type": kind, "x-mcp-header": "A"}})).unwrap();
    }
    for kind in [
        json!("number"),
        json!("object"),
        json!("array"),
        json!("null"),
        json!(["string", "null"]),
        json!(["integer"]),
        json!(null),
    ] {
        let error = parse(&json!({"a": {"type": kind, "x-mcp-header": "A"}})).unwrap_err();
        assert!(
            matches!(error, AnnotationError::NotPrimitive { .. }),
            "{kind}"
        );
    }
    refused(
        &json!({"properties": {"a": {"properties": {"b": {"x-mcp-header": "A"}}}}}),
        "`a.b`: `x-mcp-header` needs the type string, integer or boolean",
    );
}

#[test]
fn names_are_unique_without_case() {
    let twice = |second: &str| {
        json!({"properties": {
            "a": {"type": "string", "x-mcp-header": "Region"},
            "b": {"properties": {"c": {"type": "string", "x-mcp-header": second}}},
        }})
    };
    refused(
        &twice("Region"),
        "`b.c`: `x-mcp-header` \"Region\" is taken by `a`",
    );
    refused(
        &twice("REGION"),
        "`b.c`: `x-mcp-header` \"REGION\" is taken by `a`",
    );
    ParamHeaders::parse(&Raw::from(twice("Region2"))).unwrap();
}

#[test]
fn only_properties_lead_to_an_annotation() {
    let annotated = json!({"type": "string", "x-mcp-header": "A"});
    let below = json!({"type": "object", "properties": {"b": annotated}});
    for keyword in SUBSCHEMAS {
        let schema = json!({"properties": {"a": {keyword: annotated}}});
        refused(
            &schema,
            &format!("`a.{keyword}`: `x-mcp-header` off the chain of `properties` from the root"),
        );
        let schema = json!({keyword: [{"type": "string"}, below]});
        refused(
            &schema,
            &format!("`{keyword}.b`: `x-mcp-header` off the chain of `properties` from the root"),
        );
    }
    for keyword in MAPS {
        let schema = json!({keyword: {"a": below}});
        refused(
            &schema,
            &format!("`{keyword}.a.b`: `x-mcp-header` off the chain of `properties` from the root"),
        );
    }
    refused(
        &annotated,
        "`x-mcp-header` at the root: move it to a property",
    );
}

#[test]
fn a_schema_that_cannot_be_read_is_refused() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let error = ParamHeaders::parse(&Raw::from_json(deep).unwrap()).unwrap_err();
    assert!(matches!(error, AnnotationError::Unreadable(_)));
}

#[track_caller]
fn renders(arguments: &str, expected: &[(&str, &str)]) {
    let headers = headers();
    let mut rendered = headers.render(Some(arguments));
    rendered.sort();
    let rendered: Vec<_> = rendered
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    assert_eq!(rendered, expected, "{arguments}");
}

#[test]
fn values_are_rendered_by_their_type() {
    renders(
        r#"{"region":"eu","n":42,"verbose":false,"query":"q","owner":{"id":"o"}}"#,
        &[
            ("Mcp-Param-Owner-Id", "o"),
            ("Mcp-Param-Priority", "42"),
            ("Mcp-Param-Region", "eu"),
            ("Mcp-Param-Verbose", "false"),
        ],
    );
    renders(
        r#"{"n":-7,"verbose":true,"region":"na\u00efve"}"#,
        &[
            ("Mcp-Param-Priority", "-7"),
            ("Mcp-Param-Region", "=?base64?bmHDr3Zl?="),
            ("Mcp-Param-Verbose", "true"),
        ],
    );
}

#[test]
fn text_that_is_unsafe_is_encoded() {
    for (json, value) in [
        (r#""""#, ""),
        (r#""us west 1""#, "us west 1"),
        (r#"" padded ""#, "=?base64?IHBhZGRlZCA=?="),
        (r#""line1\nline2""#, "=?base64?bGluZTEKbGluZTI=?="),
        (r#""line1\r\nline2""#, "=?base64?bGluZTENCmxpbmUy?="),
        (r#""\tindented""#, "=?base64?CWluZGVudGVk?="),
        (
            r#""Hello, \u4e16\u754c""#,
            "=?base64?SGVsbG8sIOS4lueVjA==?=",
        ),
    ] {
        renders(
            &format!(r#"{{"region":{json}}}"#),
            &[("Mcp-Param-Region", value)],
        );
    }
}

#[test]
fn what_has_no_value_has_no_header() {
    for arguments in [
        "{}",
        r#"{"region":null}"#,
        r#"{"region":{"a":1}}"#,
        r#"{"region":["a"]}"#,
        r#"{"owner":null}"#,
        r#"{"owner":5}"#,
        r#"{"owner":["id"]}"#,
        r#"{"owner":{"id":{}}}"#,
        r#"{"region":"a","region":"b"}"#,
        r#"{"region":"\ud800"}"#,
        "[]",
        "null",
    ] {
        renders(arguments, &[]);
    }
    assert_eq!(headers().render(None), []);
}

#[test]
fn only_integers_that_every_reader_keeps_are_rendered() {
    for (json, value) in [
        ("9007199254740991", "9007199254740991"),
        ("-9007199254740991", "-9007199254740991"),
        ("42.0", "42"),
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1.5", "1.5"),
    ] {
        renders(
            &format!(r#"{{"n":{json}}}"#),
            &[("Mcp-Param-Priority", value)],
        );
    }
    for json in [
        "9007199254740992",
        "-9007199254740992",
        "18446744073709551616",
        "123456789012345678901234567890",
    ] {
        renders(&format!(r#"{{"n":{json}}}"#), &[]);
    }
}

fn check(arguments: &str, given: &[(&str, &str)]) -> Result<(), String> {
    let given: Vec<_> = given
        .iter()
        .map(|(name, value)| (*name, value.as_bytes()))
        .collect();
    validate(Some(arguments), &given).map_err(|error| error.to_string())
}

fn validate(arguments: Option<&str>, given: &[(&str, &[u8])]) -> Result<(), ParamMismatch> {
    headers().validate(arguments, |name| {
        let matching = given
            .iter()
            .filter(|(given, _)| given.eq_ignore_ascii_case(name));
        matching.map(|(_, value)| *value).collect::<Vec<_>>()
    })
}

#[track_caller]
fn mismatch(arguments: &str, given: &[(&str, &str)], message: &str) {
    assert_eq!(
        check(arguments, given).unwrap_err(),
        message,
        "{arguments} {given:?}"
    );
}

#[test]
fn a_header_that_agrees_is_accepted() {
    for (arguments, value) in [
        (r#"{"region": "eu"}"#, "eu"),
        (r#"{"region": "eu"}"#, "  eu  "),
        (r#"{"region": "eu"}"#, "=?base64?ZXU=?="),
        (r#"{"region": "Hello"}"#, "=?base64?SGVsbG8=?="),
        (r#"{"region": "SGVsbG8="}"#, "SGVsbG8="),
        (r#"{"region": "=?base64?SGVsbG8="}"#, "=?base64?SGVsbG8="),
        (r#"{"region": ""}"#, ""),
        // Of another type than the schema wants: whoever checks arguments says so.
        (r#"{"region": 5}"#, "5"),
        (r#"{"region": true}"#, "true"),
    ] {
        check(arguments, &[("Mcp-Param-Region", value)]).unwrap();
        check(arguments, &[("mcp-param-region", value)]).unwrap();
        check(arguments, &[("MCP-PARAM-REGION", value)]).unwrap();
    }
}

#[test]
fn what_has_no_value_needs_no_header() {
    for arguments in [
        "{}",
        r#"{"region": null}"#,
        r#"{"region": {"a": 1}}"#,
        r#"{"n": 9007199254740993}"#,
    ] {
        check(arguments, &[]).unwrap();
    }
    validate(None, &[]).unwrap();
}

#[test]
fn headers_that_no_annotation_declares_are_not_looked_at() {
    let given = [
        ("Mcp-Param-Region", "eu"),
        ("Mcp-Param-Zzz", "1"),
        ("Mcp-Param-Query", "x"),
    ];
    check(r#"{"region": "eu", "query": "q"}"#, &given).unwrap();
}

#[test]
fn a_value_needs_its_header() {
    mismatch(
        r#"{"region": "eu"}"#,
        &[],
        "header Mcp-Param-Region is missing: argument `region` has a value",
    );
    mismatch(
        r#"{"owner": {"id": "o"}}"#,
        &[],
        "header Mcp-Param-Owner-Id is missing: argument `owner.id` has a value",
    );
}

#[test]
fn a_header_needs_its_value() {
    for arguments in ["{}", r#"{"region": null}"#] {
        mismatch(
            arguments,
            &[("Mcp-Param-Region", "us")],
            "header Mcp-Param-Region must be left out: argument `region` has no value",
        );
    }
    let error = validate(None, &[("Mcp-Param-Region", b"us")]).unwrap_err();
    assert_eq!(
        (error.header(), error.argument()),
        ("Mcp-Param-Region", "region")
    );
}

#[test]
fn another_value_does_not_agree() {
    for (arguments, value) in [
        (r#"{"region": "eu"}"#, "us"),
        (r#"{"region": "eu"}"#, "EU"),
        (r#"{"region": "eu"}"#, "=?BASE64?ZXU=?="),
        (r#"{"region": {"a": 1}}"#, r#"{"a": 1}"#),
        (r#"{"region": ["eu"]}"#, "eu"),
        (r#"{"region": "42"}"#, "42.0"),
        (r#"{"region": true}"#, "True"),
    ] {
        mismatch(
            arguments,
            &[("Mcp-Param-Region", value)],
            "header Mcp-Param-Region does not match argument `region`",
        );
    }
}

#[test]
fn integers_are_compared_as_numbers() {
    for (json, value) in [
        ("42", "42"),
        ("42", "42.0"),
        ("42.0", "42"),
        ("42.00", "42.0"),
        ("-7", "-7"),
        ("0", "-0"),
        ("-0.0", "0"),
        ("42", "042"),
        ("9007199254740993", "9007199254740993"),
        (
            "123456789012345678901234567890",
            "123456789012345678901234567890",
        ),
        ("1.5", "1.5"),
    ] {
        check(
            &format!(r#"{{"n": {json}}}"#),
            &[("Mcp-Param-Priority", value)],
        )
        .unwrap();
    }
    for (json, value) in [
        ("42", "43"),
        ("42", "-42"),
        ("42", "42.5"),
        ("42", "42."),
        ("42", ".42"),
        ("42", "4.2e1"),
        ("42", "+42"),
        ("42", ""),
        ("42", "0x2a"),
        ("9007199254740993", "9007199254740992"),
        ("9007199254740993", "9007199254740993.5"),
    ] {
        mismatch(
            &format!(r#"{{"n": {json}}}"#),
            &[("Mcp-Param-Priority", value)],
            "header Mcp-Param-Priority does not match argument `n`",
        );
    }
}

#[test]
fn a_malformed_value_is_refused() {
    for value in [
        "=?base64?@@?=",
        "=?base64?SGVsbG8?=",
        "=?base64?SGVs!!!bG8=?=",
        "a\u{1}b",
    ] {
        mismatch(
            r#"{"region": "Hello"}"#,
            &[("Mcp-Param-Region", value)],
            "header Mcp-Param-Region holds invalid characters or malformed base64",
        );
    }
    for value in [&b"na\xefve"[..], "naïve".as_bytes()] {
        let given = [("Mcp-Param-Region", value)];
        validate(Some(r#"{"region": "na\u00efve"}"#), &given).unwrap_err();
    }
}

#[test]
fn what_is_given_twice_is_refused() {
    mismatch(
        r#"{"region": "eu"}"#,
        &[("Mcp-Param-Region", "eu"), ("mcp-param-region", "eu")],
        "header Mcp-Param-Region is given more than once",
    );
    for given in [
        &[][..],
        &[("Mcp-Param-Region", "eu")],
        &[("Mcp-Param-Region", "us")],
    ] {
        mismatch(
            r#"{"region": "eu", "region": "us"}"#,
            given,
            "header Mcp-Param-Region mirrors argument `region`, which is given more than once",
        );
    }
}

#[test]
fn what_is_rendered_is_accepted() {
    for arguments in [
        r#"{"region":" \u4e16 ","n":42,"verbose":true,"owner":{"id":"=?base64?x?="}}"#,
        r#"{"region":"","n":1e2}"#,
        r#"{"n":-0.0,"owner":{"id":"42.0"}}"#,
        r#"{"n":1e-7}"#,
        "{}",
    ] {
        let headers = headers();
        let rendered = headers.render(Some(arguments));
        let given: Vec<_> = rendered
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        check(arguments, &given).unwrap();
    }
}
