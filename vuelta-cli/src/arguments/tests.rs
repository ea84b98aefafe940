use serde_json::json;
use vuelta::Raw;

use super::{Argument, encode, parse, texts};

/// Encodes typed arguments by a schema and returns the JSON, or the error.
fn check(schema: Option<serde_json::Value>, typed: &[&str], expected: &str) {
    let typed: Vec<Argument> = typed.iter().map(|typed| typed.parse().unwrap()).collect();
    let schema = schema.map(Raw::from);
    let found = encode(typed, schema.as_ref()).map_or_else(
        |error| error,
        |object| serde_json::to_string(&object).unwrap(),
    );
    assert_eq!(found, expected);
}

fn schema() -> Option<serde_json::Value> {
    Some(json!({
        "type": "object",
        "$defs": { "Tags": { "type": "array" }, "Loop": { "$ref": "#/$defs/Loop" } },
        "properties": {
            "name": { "type": "string" },
            "count": { "type": "integer" },
            "ratio": { "type": "number" },
            "dry": { "type": "boolean" },
            "tags": { "$ref": "#/$defs/Tags" },
            "filter": { "type": "object" },
            "limit": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            "id": { "type": ["string", "integer"] },
            "loop": { "$ref": "#/$defs/Loop" },
        },
    }))
}

#[test]
fn values_are_typed_by_the_schema() {
    check(
        schema(),
        &["name=1", "count=1", "ratio=1.5"],
        r#"{"name":"1","count":1,"ratio":1.5}"#,
    );
    check(
        schema(),
        &["dry=true", "tags=[1]"],
        r#"{"dry":true,"tags":[1]}"#,
    );
    check(schema(), &[r#"filter={"a": 1}"#], r#"{"filter":{"a": 1}}"#);
    check(
        schema(),
        &["limit=null", "count=-3"],
        r#"{"limit":null,"count":-3}"#,
    );
}

#[test]
fn numbers_keep_their_digits() {
    let digits = "123456789012345678901234567890";
    check(
        schema(),
        &[&format!("count={digits}")],
        &format!(r#"{{"count":{digits}}}"#),
    );
}

#[test]
fn text_stays_text_where_the_schema_allows_it_or_is_silent() {
    check(
        schema(),
        &["id=1", "other=2", "loop=3"],
        r#"{"id":"1","other":"2","loop":"3"}"#,
    );
    check(
        None,
        &["count=1", "equation=a=b"],
        r#"{"count":"1","equation":"a=b"}"#,
    );
    check(Some(json!(true)), &["count=1"], r#"{"count":"1"}"#);
}

#[test]
fn json_is_sent_as_it_is() {
    check(
        schema(),
        &["count:=\"three\"", "x:=[true]"],
        r#"{"count":"three","x":[true]}"#,
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let wants = |types: &str, name: &str, text: &str| {
        format!(
            "argument `{name}`: the tool wants {types}, not `{text}`; write {name}:=JSON to send \
             it as it is"
        )
    };
    check(
        schema(),
        &["count=three"],
        &wants("integer", "count", "three"),
    );
    check(schema(), &["count=1.5"], &wants("integer", "count", "1.5"));
    check(
        schema(),
        &["limit=\"1\""],
        &wants("integer or null", "limit", "\"1\""),
    );
    check(schema(), &["tags={}"], &wants("array", "tags", "{}"));
    check(
        schema(),
        &["name=a", "name:=1"],
        "argument `name` is given twice; keep one",
    );
}

#[test]
fn what_is_no_argument_is_refused() {
    let error = |typed: &str| typed.parse::<Argument>().unwrap_err();
    assert_eq!(error("orders"), "write orders=VALUE, or orders:=JSON");
    assert_eq!(error("=1"), "write KEY=VALUE: the key is empty");
    assert!(error("a:={").starts_with("`{` is no JSON ("));
    assert!(error("a:={").ends_with("; write a={ for text"));
}

#[test]
fn the_word_that_is_no_argument_is_named() {
    let words = ["a=1", "orders"].map(str::to_owned);
    assert_eq!(
        parse(&words).unwrap_err(),
        "`orders` is no argument: write orders=VALUE, or orders:=JSON"
    );
    assert_eq!(parse(&words[..1]).unwrap(), ["a=1".parse().unwrap()]);
}

#[test]
fn a_prompt_takes_text() {
    let texts = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        texts(parse(&words).unwrap())
    };
    let given = texts(&["who=Ana", "count=2"]).unwrap();
    let given: Vec<(&str, &str)> = given.iter().map(|(k, v)| (k, v.as_str())).collect();
    assert_eq!(given, [("who", "Ana"), ("count", "2")]);
    assert_eq!(
        texts(&["count:=2"]).unwrap_err(),
        "argument `count`: a prompt takes text; write count=2"
    );
    assert_eq!(
        texts(&["who=a", "who=b"]).unwrap_err(),
        "argument `who` is given twice; keep one"
    );
}
