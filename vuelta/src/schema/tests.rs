#![allow(
    clippy::needless_pass_by_value,
    reason = "values are written where they are used"
)]

use serde_json::{Value, json};

use super::{Checker, kind, path};

fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let checker = Checker::new(schema).unwrap();
    checker
        .violations(value)
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn member(schema: Value, value: Value) -> Vec<String> {
    violations(
        &json!({ "type": "object", "properties": { "a": schema } }),
        &json!({ "a": value }),
    )
}

#[test]
fn what_fits_has_no_violations() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "required": ["a"] });
    assert!(violations(&schema, &json!({ "a": 3 })).is_empty());
    assert!(
        violations(&schema, &json!({ "a": 3.0, "b": null })).is_empty(),
        "3.0 is an integer"
    );
}

#[test]
fn a_violation_names_the_field_what_is_wanted_and_what_came() {
    for (schema, value, expected) in [
        (
            json!({ "type": "array" }),
            json!("[1,2]"),
            "a: expected array, got string",
        ),
        (
            json!({ "type": "boolean" }),
            json!("true"),
            "a: expected boolean, got string",
        ),
        (
            json!({ "type": "integer" }),
            json!(1.5),
            "a: expected integer, got number",
        ),
        (
            json!({ "type": "string" }),
            json!(7),
            "a: expected string, got integer",
        ),
        (
            json!({ "type": "object" }),
            json!(null),
            "a: expected object, got null",
        ),
        (
            json!({ "type": ["string", "integer"] }),
            json!([]),
            "a: expected integer or string, got array",
        ),
        (
            json!({ "enum": ["x", "y"] }),
            json!("z"),
            r#"a: expected one of ["x","y"], got string"#,
        ),
        (
            json!({ "const": "x" }),
            json!("z"),
            r#"a: expected "x", got string"#,
        ),
        (json!({ "minimum": 3 }), json!(1), "a: must be at least 3"),
        (json!({ "maximum": 3 }), json!(4), "a: must be at most 3"),
        (
            json!({ "exclusiveMinimum": 3 }),
            json!(3),
            "a: must be more than 3",
        ),
        (
            json!({ "exclusiveMaximum": 3 }),
            json!(3),
            "a: must be less than 3",
        ),
        (
            json!({ "minLength": 2 }),
            json!("x"),
            "a: must have at least 2 characters",
        ),
        (
            json!({ "maxLength": 2 }),
            json!("xyz"),
            "a: must have at most 2 characters",
        ),
        (
            json!({ "minItems": 1 }),
            json!([]),
            "a: must have at least 1 items",
        ),
        (
            json!({ "maxItems": 1 }),
            json!([1, 2]),
            "a: must have at most 1 items",
        ),
        (
            json!({ "pattern": "^x$" }),
            json!("y"),
            "a: must match the pattern ^x$",
        ),
        (
            json!({ "format": "email" }),
            json!("nobody"),
            "a: must be of the format email",
        ),
        (
            json!({ "format": "date" }),
            json!("2026-13-01"),
            "a: must be of the format date",
        ),
        (
            json!({ "format": "date-time" }),
            json!("yesterday"),
            "a: must be of the format date-time",
        ),
        (
            json!({ "format": "uri" }),
            json!("no uri"),
            "a: must be of the format uri",
        ),
    ] {
        assert_eq!(member(schema, value), [expected]);
    }
}

#[test]
fn all_violations_of_a_value_are_told() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": { "type": "integer" },
            "list": { "type": "array", "items": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] } },
        },
        "required": ["a", "b"],
        "additionalProperties": false,
    });
    let mut found = violations(
        &schema,
        &json!({ "a": "x", "list": [{ "name": 1 }, {}], "c": 1, "d": 2 }),
    );
    found.sort();
    assert_eq!(
        found,
        [
            "a: expected integer, got string",
            "b: required, but missing",
            "list[0].name: expected string, got integer",
            "list[1].name: required, but missing",
            "unknown member: c, d",
        ]
    );
}

#[test]
fn a_value_is_not_repeated() {
    let secret = "hunter2-hunter2";
    for schema in [
        json!({ "type": "integer" }),
        json!({ "enum": ["x"] }),
        json!({ "maxLength": 3 }),
        json!({ "format": "email" }),
        json!({ "not": { "type": "string" } }),
        json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }] }),
        json!({ "oneOf": [{ "type": "string" }, { "minLength": 1 }] }),
        json!(false),
    ] {
        let found = member(schema.clone(), json!(secret));
        assert_eq!(found.len(), 1, "{schema}");
        assert!(!found[0].contains("hunter2"), "{schema}: {found:?}");
    }
}

#[test]
fn nothing_is_fetched() {
    for reference in [
        "http://127.0.0.1:1/x.json",
        "file:///etc/passwd",
        "other.json",
    ] {
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": reference } } });
        assert!(Checker::new(&schema).is_err(), "{reference}");
    }
}

#[test]
fn references_inside_a_schema_work() {
    let schema = json!({
        "type": "object",
        "properties": { "next": { "$ref": "#/$defs/Node" } },
        "$defs": { "Node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" } } } },
    });
    assert!(violations(&schema, &json!({ "next": { "next": {} } })).is_empty());
    assert_eq!(
        violations(&schema, &json!({ "next": { "next": 3 } })),
        ["next.next: expected object, got integer"]
    );
}

#[test]
fn a_schema_that_is_none_is_an_error() {
    for schema in [
        json!({ "type": "text" }),
        json!({ "pattern": "(" }),
        json!(7),
    ] {
        assert!(Checker::new(&schema).is_err(), "{schema}");
    }
    // A pattern that would backtrack is refused, not run.
    assert!(Checker::new(&json!({ "pattern": "(?=a)" })).is_err());
}

#[test]
fn pointers_become_paths() {
    assert_eq!(path(""), "");
    assert_eq!(path("/a"), "a");
    assert_eq!(path("/a/0/b"), "a[0].b");
    assert_eq!(path("/0"), "[0]");
    assert_eq!(path("/a~1b/c~0d"), "a/b.c~d");
}

#[test]
fn kinds_are_those_of_json_schema() {
    for (value, expected) in [
        (json!(null), "null"),
        (json!(true), "boolean"),
        (json!(1), "integer"),
        (json!(-1), "integer"),
        (json!(1.5), "number"),
        (json!("x"), "string"),
        (json!([]), "array"),
        (json!({}), "object"),
    ] {
        assert_eq!(kind(&value), expected);
    }
}

#[test]
fn a_schema_is_of_the_dialect_that_it_names() {
    // An array under `items` is a tuple in draft-07, and no schema in 2020-12.
    let tuple = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{ "type": "integer" }],
    });
    assert_eq!(
        violations(&tuple, &json!(["x"])),
        ["[0]: expected integer, got string"]
    );
    let mut newest = tuple.clone();
    newest["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    assert!(Checker::new(&newest).is_err());
    let mut unnamed = tuple;
    unnamed.as_object_mut().unwrap().remove("$schema");
    assert!(Checker::new(&unnamed).is_err());

    let prefix = json!({ "prefixItems": [{ "type": "integer" }] });
    assert_eq!(
        violations(&prefix, &json!(["x"])),
        ["[0]: expected integer, got string"]
    );
}

#[test]
fn a_dialect_that_is_not_supported_is_named() {
    let schema = json!({ "$schema": "https://example.com/dialect", "type": "object" });
    assert_eq!(
        Checker::new(&schema).unwrap_err(),
        "the dialect \"https://example.com/dialect\" is not supported; use 2020-12, or leave \
         `$schema` out"
    );
}
