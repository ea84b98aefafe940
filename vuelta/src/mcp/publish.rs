//! The schemas that are published: clean for every host, and the same bytes in every run.
//!
//! The root of arguments is an object; members are not boolean schemas; numbers have no
//! `format` (hosts reject those they do not know); optional members are not `required`;
//! references lead to the root's `$defs`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Returns the schema of arguments: always of an object.
pub(crate) fn input_schema<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_deserialize()
        .into_generator();
    let mut schema = publish(generator, T::json_schema_root);
    schema.insert("type".to_owned(), json!("object"));
    Value::Object(schema)
}

/// Returns the schema of a structured result: of any value, as revision 2026-07-28 has it.
pub(crate) fn output_schema<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    Value::Object(publish(generator, T::json_schema_root))
}

trait Root {
    fn json_schema_root(generator: SchemaGenerator) -> Value;
}

impl<T: JsonSchema> Root for T {
    fn json_schema_root(generator: SchemaGenerator) -> Value {
        generator.into_root_schema_for::<T>().to_value()
    }
}

fn publish(generator: SchemaGenerator, root: fn(SchemaGenerator) -> Value) -> Map<String, Value> {
    let mut schema = root(generator);
    clean(&mut schema);
    let Value::Object(mut schema) = schema else {
        // `true`: whatever it is.
        return Map::new();
    };
    // Which dialect it is the revision says; the name of a Rust type says nothing to a model.
    schema.remove("$schema");
    schema.remove("title");
    schema
}

/// Cleans a schema and all schemas inside it.
fn clean(schema: &mut Value) {
    let Value::Object(object) = schema else {
        return;
    };
    if is_numeric(object) {
        object.remove("format");
    }
    if object.get("type") == Some(&json!("array")) {
        object.entry("items").or_insert_with(|| json!({}));
    }
    for (keyword, inner) in object.iter_mut() {
        match (keyword.as_str(), inner) {
            (
                "properties" | "$defs" | "patternProperties" | "dependentSchemas",
                Value::Object(map),
            ) => {
                for (_, inner) in map.iter_mut() {
                    clean_member(inner);
                }
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().for_each(clean);
            }
            ("items", inner) => clean_member(inner),
            (
                "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames",
                inner,
            ) => {
                clean(inner);
            }
            _ => {}
        }
    }
}

/// A member that may be anything is `{}`: many hosts know no boolean schemas there.
fn clean_member(schema: &mut Value) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
    clean(schema);
}

fn is_numeric(object: &Map<String, Value>) -> bool {
    let numeric = |kind: &Value| *kind == json!("integer") || *kind == json!("number");
    match object.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(numeric),
        Some(kind) => numeric(kind),
        None => false,
    }
}

#[cfg(test)]
mod tests;
