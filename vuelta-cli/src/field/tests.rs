use serde_json::json;
use vuelta::ElicitForm;

use super::{Field, Kind};

/// Returns the field of a form whose only property is `schema`.
fn field(schema: &serde_json::Value) -> Field {
    let form = json!({
        "message": "?",
        "requestedSchema": { "type": "object", "properties": { "f": schema }, "required": ["f"] },
    });
    let form: ElicitForm = serde_json::from_value(form).unwrap();
    Field::of(&form).remove(0)
}

fn check(schema: &serde_json::Value, hint: &str, good: &[(&str, &str)], bad: &[&str]) {
    let field = field(schema);
    assert_eq!(field.hint(), hint);
    for (text, value) in good {
        assert_eq!(
            field
                .parse(text)
                .map(|value| value.get().to_owned())
                .as_deref(),
            Ok(*value)
        );
    }
    for text in bad {
        let wanted = if field.kind == Kind::Json {
            "it must be JSON"
        } else {
            hint
        };
        let error = field.parse(text).unwrap_err();
        assert!(error.contains(wanted), "{text:?}: {error}");
    }
}

// The schemas of the specification, client/elicitation, "Requested Schema".

#[test]
fn text() {
    check(
        &json!({ "type": "string" }),
        "text",
        &[("eu-west-1", r#""eu-west-1""#), ("", r#""""#)],
        &[],
    );
    check(
        &json!({
            "type": "string", "title": "Display Name", "description": "Description text",
            "minLength": 3, "maxLength": 50, "format": "email", "default": "user@example.com",
        }),
        "an e-mail address, 3 to 50 characters",
        // Characters, not bytes.
        &[("añb", r#""añb""#)],
        &["ab", "é"],
    );
}

#[test]
fn numbers() {
    check(
        &json!({ "type": "number", "minimum": 0, "maximum": 100, "default": 50 }),
        "a number, 0 to 100",
        &[("0", "0"), ("99.5", "99.5"), (" 7 ", "7")],
        &["-1", "101", "many", "", "NaN", "1,5"],
    );
    check(
        &json!({ "type": "integer", "minimum": 18 }),
        "a whole number, at least 18",
        &[("18", "18"), ("9007199254740993", "9007199254740993")],
        &["17", "18.5", "\"18\""],
    );
}

#[test]
fn booleans() {
    check(
        &json!({ "type": "boolean", "default": false }),
        "yes or no",
        &[("true", "true"), ("Yes", "true"), ("n", "false")],
        &["1", "perhaps", ""],
    );
}

#[test]
fn one_of_several() {
    check(
        &json!({ "type": "string", "enum": ["Red", "Green", "Blue"], "default": "Red" }),
        "one of: Red, Green, Blue",
        &[("Green", r#""Green""#)],
        &["green", "Pink", ""],
    );
    let titled = json!([
        { "const": "#FF0000", "title": "Red" },
        { "const": "#00FF00", "title": "Green" },
    ]);
    check(
        &json!({ "type": "string", "oneOf": titled }),
        "one of: #FF0000 (Red), #00FF00 (Green)",
        &[("#00FF00", r##""#00FF00""##), ("Green", r##""#00FF00""##)],
        &["Blue"],
    );
    // The form of earlier revisions.
    check(
        &json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["Alpha"] }),
        "one of: a (Alpha), b",
        &[("Alpha", r#""a""#), ("b", r#""b""#)],
        &["Beta"],
    );
}

#[test]
fn several_of_many() {
    check(
        &json!({
            "type": "array", "minItems": 1, "maxItems": 2,
            "items": { "type": "string", "enum": ["Red", "Green", "Blue, pale"] },
        }),
        "1 to 2 of: Red, Green, Blue, pale; separated by commas",
        &[
            ("Red", r#"["Red"]"#),
            ("Red, Green", r#"["Red","Green"]"#),
            ("Blue, pale", r#"["Blue, pale"]"#),
        ],
        &["", "Red,Green,Red", "Red;Green"],
    );
    check(
        &json!({
            "type": "array",
            "items": { "anyOf": [{ "const": "#FF0000", "title": "Red" }] },
        }),
        "any of: #FF0000 (Red); separated by commas",
        &[("", "[]"), ("Red", r##"["#FF0000"]"##)],
        &["Blue"],
    );
}

#[test]
fn a_schema_that_forms_do_not_have_takes_json() {
    check(
        &json!({ "type": "object" }),
        "JSON",
        &[(r#"{"a":1}"#, r#"{"a":1}"#)],
        &["{", "yes"],
    );
}

#[test]
fn what_is_filled_in_already_is_known() {
    let default = |schema| field(&schema).default.map(|value| value.get().to_owned());
    assert_eq!(
        default(json!({ "type": "string", "default": "a" })).as_deref(),
        Some(r#""a""#)
    );
    assert_eq!(
        default(json!({ "type": "number", "default": 50 })).as_deref(),
        Some("50")
    );
    assert_eq!(
        default(json!({ "type": "boolean", "default": false })).as_deref(),
        Some("false")
    );
    let schema = json!({
        "type": "array", "items": { "type": "string", "enum": ["a"] }, "default": ["a"],
    });
    assert_eq!(default(schema).as_deref(), Some(r#"["a"]"#));
}

#[test]
fn a_label_cannot_steer_the_terminal() {
    let field = field(&json!({ "type": "string", "title": "a\u{1b}[31m\nb" }));
    assert_eq!(field.label(), r"a\u{1b}[31m b");
}

#[test]
fn a_value_is_shown_as_it_would_be_typed() {
    let text = field(&json!({ "type": "string" }));
    assert_eq!(text.show(&"eu-west-1".into()), "eu-west-1");
    assert_eq!(
        field(&json!({ "type": "integer" })).show(&json!(18).into()),
        "18"
    );
    assert_eq!(
        field(&json!({ "type": "boolean" })).show(&json!(false).into()),
        "no"
    );
    let many = json!({
        "type": "array",
        "items": { "anyOf": [{ "const": "#f00", "title": "Red" }, { "const": "b", "title": "b" }] },
    });
    assert_eq!(
        field(&many).show(&json!(["#f00", "b"]).into()),
        "#f00 (Red), b"
    );
    assert_eq!(
        field(&json!({})).show(&json!({ "a": 1 }).into()),
        r#"{"a":1}"#
    );
}
