#![allow(
    clippy::needless_pass_by_value,
    reason = "a test writes its JSON in place"
)]

use serde_json::{Value, json};

use super::repair;

/// Asserts what `value` becomes in a place of `schema`, as a member of the arguments.
#[track_caller]
fn check(schema: Value, value: Value, expected: Value) {
    let schema = json!({ "type": "object", "properties": { "m": schema } });
    assert_eq!(
        repair(&schema, json!({ "m": value })),
        json!({ "m": expected }),
        "{schema}"
    );
}

/// Asserts that `value` stays as it is.
#[track_caller]
fn keeps(schema: Value, value: Value) {
    check(schema, value.clone(), value);
}

#[test]
fn text_is_parsed_into_the_kind_that_is_wanted() {
    let list = json!({ "type": "array", "items": { "type": "integer" } });
    check(list, json!("[1,2]"), json!([1, 2]));
    check(
        json!({ "type": "object" }),
        json!(r#"{"a":1}"#),
        json!({ "a": 1 }),
    );
    check(json!({ "type": "boolean" }), json!("true"), json!(true));
    check(json!({ "type": "boolean" }), json!("false"), json!(false));
    check(json!({ "type": "integer" }), json!("3"), json!(3));
    check(json!({ "type": "integer" }), json!("3.0"), json!(3.0));
    check(
        json!({ "type": "integer" }),
        json!("18446744073709551615"),
        json!(u64::MAX),
    );
    check(json!({ "type": "number" }), json!("1.5"), json!(1.5));
    check(json!({ "type": "number" }), json!("-2"), json!(-2));
    check(json!({ "type": ["integer", "null"] }), json!("3"), json!(3));
}

#[test]
fn a_place_that_takes_a_string_keeps_its_text() {
    for schema in [
        json!({ "type": "string" }),
        json!({ "type": ["string", "null"] }),
        json!({ "type": ["integer", "string"] }),
        json!({}),
        json!(true),
        json!({ "anyOf": [{ "type": "string" }, { "type": "array" }] }),
        json!({ "enum": ["3", 3] }),
    ] {
        for text in ["[1]", "{}", "3", "true", "null"] {
            keeps(schema.clone(), json!(text));
        }
    }
}

#[test]
fn text_that_is_something_else_stays() {
    let boolean = json!({ "type": "boolean" });
    for text in ["yes", "True", "1", "0", "", "null", "\"true\"", "[true]"] {
        keeps(boolean.clone(), json!(text));
    }
    for text in ["[1,", "1,2", "{\"0\":1}", "\"[1]\"", "[1] [2]"] {
        keeps(json!({ "type": "array" }), json!(text));
    }
    for text in ["3.5", "0x3", "+3", "03", "1e999", "NaN", "3 apples"] {
        keeps(json!({ "type": "integer" }), json!(text));
    }
    // Null is left out, or sent as null.
    keeps(json!({ "type": ["array", "null"] }), json!("null"));
    keeps(json!({ "type": "null" }), json!("null"));
}

#[test]
fn what_is_no_text_stays() {
    for value in [
        json!(1),
        json!(0),
        json!(null),
        json!([1]),
        json!({ "a": 1 }),
    ] {
        keeps(json!({ "type": "boolean" }), value);
    }
}

#[test]
fn places_inside_are_reached() {
    let row = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    check(
        json!({ "type": "array", "items": row }),
        json!([{ "n": "1" }, { "n": 2 }, { "other": "3" }]),
        json!([{ "n": 1 }, { "n": 2 }, { "other": "3" }]),
    );
    check(
        json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
        json!({ "a": "1", "b": "x" }),
        json!({ "a": 1, "b": "x" }),
    );
    keeps(
        json!({ "type": "object", "additionalProperties": false }),
        json!({ "a": "1" }),
    );
}

#[test]
fn references_and_optional_members_are_followed() {
    let schema = json!({
        "type": "object",
        "properties": {
            "node": { "anyOf": [{ "$ref": "#/$defs/Node" }, { "type": "null" }] },
        },
        "$defs": {
            "Node": {
                "type": "object",
                "properties": {
                    "value": { "type": "integer" },
                    "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } },
                },
            },
        },
    });
    assert_eq!(
        repair(
            &schema,
            json!({ "node": { "value": "1", "children": [{ "value": "2", "children": "[]" }] } })
        ),
        json!({ "node": { "value": 1, "children": [{ "value": 2, "children": [] }] } })
    );
    assert_eq!(
        repair(&schema, json!({ "node": "{\"value\":1}" })),
        json!({ "node": { "value": 1 } })
    );
}

#[test]
fn text_inside_of_parsed_text_stays() {
    let list = json!({ "type": "array", "items": { "type": "integer" } });
    check(list, json!(r#"["1"]"#), json!(["1"]));
}

#[test]
fn references_that_lead_nowhere_or_in_a_circle_end() {
    for reference in ["#/$defs/none", "https://example.com/x.json", "x"] {
        keeps(json!({ "$ref": reference }), json!("1"));
    }
    let circle = json!({
        "properties": { "m": { "$ref": "#/$defs/a" } },
        "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } },
    });
    let value = json!({ "m": "1" });
    assert_eq!(repair(&circle, value.clone()), value);
}

#[test]
fn text_nested_too_deeply_stays() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    keeps(json!({ "type": "array" }), json!(deep));
}
