#![allow(
    clippy::needless_pass_by_value,
    reason = "values are written where they are used"
)]

use std::sync::Arc;

use serde_json::{Value, json};
use vuelta_wire::{CallToolResult, Raw, Tool};

use super::{KnownTools, MOST, Output, OutputSchema};

fn tool(name: &str, output: Option<Value>) -> Tool {
    let mut tool = Tool::new(name, json!({ "type": "object" }));
    tool.output_schema = output.map(Raw::from);
    tool
}

fn learned(tools: impl IntoIterator<Item = Tool>) -> KnownTools {
    let mut known = KnownTools::default();
    known.learn(&mut tools.into_iter().collect(), 0);
    known
}

fn check(schema: Value, result: Value) -> Result<(), String> {
    let result: CallToolResult = serde_json::from_value(result).expect("a result");
    OutputSchema::new(schema.into()).check(&result)
}

fn content(content: Value) -> Value {
    json!({ "content": [], "structuredContent": content })
}

#[test]
fn what_is_known_of_an_output_is_nothing_or_anything_or_a_schema() {
    let schema = json!({ "type": "object" });
    let known = learned([tool("free", None), tool("bound", Some(schema))]);
    assert!(matches!(known.output("free"), Output::Free));
    assert!(matches!(known.output("bound"), Output::Schema(_)));
    assert!(matches!(known.output("other"), Output::Unknown));
}

#[test]
fn the_same_schema_stays_compiled_and_another_takes_its_place() {
    let mut known = learned([tool("t", Some(json!({ "type": "object" })))]);
    let Output::Schema(first) = known.output("t") else {
        panic!("it has a schema")
    };
    known.learn(&mut vec![tool("t", Some(json!({ "type": "object" })))], 0);
    assert!(matches!(known.output("t"), Output::Schema(same) if Arc::ptr_eq(&same, &first)));
    known.learn(&mut vec![tool("t", Some(json!({ "type": "array" })))], 0);
    assert!(matches!(known.output("t"), Output::Schema(other) if !Arc::ptr_eq(&other, &first)));
}

#[test]
fn a_change_of_the_list_puts_its_outputs_in_doubt_and_keeps_its_headers() {
    let mut mirrored = tool("t", Some(json!({ "type": "object" })));
    mirrored.input_schema = Raw::from(json!({
        "type": "object",
        "properties": { "owner": { "type": "string", "x-mcp-header": "Owner" } },
    }));
    let mut known = learned([mirrored.clone()]);
    known.listed(0);
    assert!(known.is_listed());
    let before = known.generation();
    known.changed();
    assert!(!known.is_listed());
    assert!(matches!(known.output("t"), Output::Unknown));
    assert!(known.headers("t").is_some());

    // A page, and the end of a walk, that were asked for before the change.
    known.learn(&mut vec![mirrored.clone()], before);
    known.listed(before);
    assert!(matches!(known.output("t"), Output::Unknown));
    assert!(!known.is_listed());

    known.learn(&mut vec![mirrored], known.generation());
    assert!(matches!(known.output("t"), Output::Schema(_)));
}

#[test]
fn tools_with_invalid_annotations_are_left_out() {
    let mut invalid = tool("invalid", None);
    invalid.input_schema = Raw::from(json!({
        "type": "object",
        "properties": { "p": { "type": "number", "x-mcp-header": "P" } },
    }));
    let mut page = vec![tool("a", None), invalid, tool("b", None)];
    let mut known = KnownTools::default();
    known.learn(&mut page, 0);
    let names: Vec<&str> = page.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(matches!(known.output("invalid"), Output::Unknown));
}

#[test]
fn what_is_known_is_bounded() {
    let mut known = learned((0..MOST).map(|number| tool(&number.to_string(), None)));
    known.learn(&mut vec![tool("0", None)], 0);
    assert_eq!(known.tools.len(), MOST, "it was known");
    known.learn(&mut vec![tool("one more", None)], 0);
    assert!(known.tools.len() < MOST);
    assert!(matches!(known.output("one more"), Output::Free));
}

#[test]
fn content_fits_or_the_error_says_what_does_not() {
    let schema = json!({
        "type": "object",
        "properties": { "temperature": { "type": "number" }, "conditions": { "type": "string" } },
        "required": ["temperature", "conditions"],
    });
    let fits = content(json!({ "temperature": 22.5, "conditions": "Partly cloudy" }));
    assert_eq!(check(schema.clone(), fits), Ok(()));
    assert_eq!(
        check(schema.clone(), content(json!({ "temperature": "warm" }))).unwrap_err(),
        "its structured content does not fit its output schema: \
         conditions: required, but missing; temperature: expected number, got string"
    );
    assert_eq!(
        check(
            schema,
            json!({ "content": [{ "type": "text", "text": "{}" }] })
        )
        .unwrap_err(),
        "it has an output schema and returned no structured content"
    );
    let many = json!({ "items": { "type": "integer" } });
    let problem = check(many, content(json!(["a", "b", "c", "d", "e", "f", "g"]))).unwrap_err();
    assert!(
        problem.ends_with("[4]: expected integer, got string; 2 more"),
        "{problem}"
    );
}

#[test]
fn content_of_any_kind_fits_its_schema_and_null_is_a_value() {
    for (kind, value) in [
        ("array", json!([1])),
        ("string", json!("s")),
        ("integer", json!(3)),
        ("null", Value::Null),
    ] {
        assert_eq!(
            check(json!({ "type": kind }), content(value)),
            Ok(()),
            "{kind}"
        );
    }
    assert!(check(json!({ "type": "null" }), json!({ "content": [] })).is_err());
}

#[test]
fn a_schema_that_cannot_be_used_fits_nothing() {
    for schema in [
        json!({ "$ref": "http://127.0.0.1:1/x.json" }),
        json!({ "type": "colour" }),
        json!("object"),
    ] {
        let problem = check(schema.clone(), content(json!({}))).unwrap_err();
        assert!(
            problem.starts_with("its output schema cannot be used: "),
            "{schema}: {problem}"
        );
    }
}

#[test]
fn content_too_deep_to_be_read_fits_nothing() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let content = Raw::from_json(deep).expect("it is JSON");
    let result = CallToolResult::new().structured_content(content);
    let schema = OutputSchema::new(json!({ "type": "array" }).into());
    let problem = schema.check(&result).unwrap_err();
    assert!(
        problem.starts_with("its structured content cannot be read: "),
        "{problem}"
    );
}
