use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{input_schema, output_schema};

#[derive(Serialize, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema is looked at")]
struct All {
    text: String,
    maybe: Option<String>,
    id: u64,
    small: Option<u8>,
    float: f64,
    /// Whatever it is.
    any: Value,
    plain: Value,
    list: Vec<Value>,
    numbers: Vec<i32>,
    pair: (u16, String),
    map: BTreeMap<String, Value>,
    color: Color,
    shape: Shape,
    node: Node,
    #[serde(default)]
    deep: bool,
    #[schemars(range(min = 1, max = 9))]
    dice: u8,
    #[schemars(length(min = 1), regex(pattern = "^a"))]
    word: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is looked at")]
enum Color {
    Red,
    Green,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code, reason = "only its schema is looked at")]
enum Shape {
    Circle { radius: f32 },
    Square { side: u32 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Node {
    value: u32,
    children: Vec<Node>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Unit;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {}

/// Calls `see` with every schema inside `schema`, and where it stands.
fn walk(schema: &Value, place: &str, see: &mut dyn FnMut(&Value, &str)) {
    see(schema, place);
    let Value::Object(object) = schema else {
        return;
    };
    for (keyword, inner) in object {
        let place = format!("{place}/{keyword}");
        match (keyword.as_str(), inner) {
            ("properties" | "$defs", Value::Object(map)) => {
                for (name, inner) in map {
                    walk(inner, &format!("{place}/{name}"), see);
                }
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                list.iter().for_each(|inner| walk(inner, &place, see));
            }
            ("items" | "additionalProperties" | "not", inner) => walk(inner, &place, see),
            _ => {}
        }
    }
}

#[test]
fn published_schemas_are_clean_for_every_host() {
    let schema = input_schema::<All>();
    assert_eq!(schema["type"], "object");
    assert!(schema.get("$schema").is_none() && schema.get("title").is_none());
    let defs = schema["$defs"].as_object().unwrap();
    walk(&schema, "", &mut |inner, place| {
        let under_a_name = place.rsplit('/').nth(1) == Some("properties");
        assert!(inner.is_object() || !under_a_name, "{place} is {inner}");
        assert!(inner.get("nullable").is_none(), "{place}");
        let kinds = match inner.get("type") {
            Some(Value::Array(kinds)) => kinds.clone(),
            Some(kind) => vec![kind.clone()],
            None => Vec::new(),
        };
        if kinds.contains(&json!("integer")) || kinds.contains(&json!("number")) {
            assert!(inner.get("format").is_none(), "{place}: {inner}");
        }
        if kinds.contains(&json!("array")) {
            assert!(inner["items"].is_object(), "{place}: {inner}");
        }
        if let Some(reference) = inner.get("$ref").and_then(Value::as_str) {
            let name = reference
                .strip_prefix("#/$defs/")
                .expect("leads to the root");
            assert!(defs.contains_key(name), "{reference}");
        }
        if let Some(required) = inner.get("required") {
            assert!(required.is_array(), "{place}");
        }
    });
    let required: Vec<&str> = schema["required"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    for optional in ["maybe", "small", "deep"] {
        assert!(!required.contains(&optional), "{optional}");
    }
    for name in ["text", "id", "any", "plain", "list", "node"] {
        assert!(required.contains(&name), "{name}");
    }
    let properties = &schema["properties"];
    assert_eq!(properties["plain"], json!({}));
    assert_eq!(
        properties["any"],
        json!({ "description": "Whatever it is." })
    );
    assert_eq!(properties["id"], json!({ "type": "integer", "minimum": 0 }));
    assert_eq!(properties["list"], json!({ "type": "array", "items": {} }));
    assert_eq!(properties["dice"]["maximum"], 9);
    assert_eq!(properties["word"]["pattern"], "^a");
    assert_eq!(
        properties["deep"],
        json!({ "type": "boolean", "default": false })
    );
}

#[test]
fn the_bytes_are_the_same_every_time() {
    let first = input_schema::<All>().to_string();
    for _ in 0..8 {
        assert_eq!(input_schema::<All>().to_string(), first);
    }
}

#[test]
fn no_arguments_are_an_empty_object() {
    assert_eq!(input_schema::<Unit>(), json!({ "type": "object" }));
    assert_eq!(input_schema::<()>(), json!({ "type": "object" }));
    let closed = input_schema::<Closed>();
    assert_eq!(
        closed,
        json!({ "type": "object", "additionalProperties": false })
    );
}

#[test]
fn a_recursive_root_is_an_object_with_its_own_members() {
    let schema = input_schema::<Node>();
    assert_eq!(schema["type"], "object");
    let children = &schema["properties"]["children"];
    assert_eq!(children["type"], "array");
    let reference = children["items"]["$ref"].as_str().unwrap();
    assert!(
        schema
            .pointer(reference.strip_prefix('#').unwrap())
            .is_some(),
        "{reference}"
    );
}

#[test]
fn arguments_that_are_one_of_several_shapes_are_still_an_object() {
    let schema = input_schema::<Shape>();
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["oneOf"].as_array().unwrap().len(), 2);
}

#[test]
fn a_result_may_be_any_value() {
    assert_eq!(output_schema::<Vec<u32>>()["type"], "array");
    assert_eq!(
        output_schema::<Vec<u32>>()["items"],
        json!({ "type": "integer", "minimum": 0 })
    );
    assert_eq!(output_schema::<String>(), json!({ "type": "string" }));
    assert_eq!(output_schema::<Value>(), json!({}));
    assert_eq!(output_schema::<Node>()["type"], "object");
    assert_eq!(
        output_schema::<Color>(),
        json!({ "type": "string", "enum": ["red", "green"] })
    );
}
