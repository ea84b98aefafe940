//! When two values mean the same on the wire.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Returns whether two values are equal: numbers by value, and a member that is null like one
/// that is absent, for the peer writes no such members. `params` that are `{}` are left out
/// by one side and written by the other; the schema lets both.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64() && (left.is_f64() || right.is_f64())
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let names: BTreeSet<_> = left.keys().chain(right.keys()).collect();
            names
                .into_iter()
                .all(|name| match (present(left, name), present(right, name)) {
                    (Some(left), Some(right)) => same(left, right),
                    (left, right) => left == right,
                })
        }
        _ => left == right,
    }
}

fn present<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| {
        let is_empty_params = name == "params"
            && object.contains_key("method")
            && value.as_object().is_some_and(Map::is_empty);
        !value.is_null() && !is_empty_params
    })
}

/// Returns the names of an object's members, but those that only show that it is open.
pub(crate) fn members(value: &Value) -> BTreeSet<String> {
    let members = value.as_object().into_iter().flat_map(Map::keys);
    members
        .filter(|name| *name != "com.example/extra")
        .cloned()
        .collect()
}
