//! JSON text that was sent in place of the value: which text is parsed, and into what.
//!
//! The schema decides. Text is parsed only where it takes no string, and only into a kind of
//! value that it names; a schema without a `type`, or with several shapes, is left alone.
//! What was parsed is taken as it is: text inside it is not parsed again, so that nesting
//! stays within the limit of one text.

use serde_json::Value;

/// How many references and choices may stand between a place and its type.
const DEPTH: u8 = 8;

/// Returns `value` with such text parsed; the caller checks it against the schema.
pub(super) fn repair(schema: &Value, value: Value) -> Value {
    place(schema, schema, value)
}

fn place(root: &Value, schema: &Value, value: Value) -> Value {
    let schema = target(root, schema);
    match value {
        Value::String(text) => parsed(schema, &text).unwrap_or(Value::String(text)),
        Value::Array(list) => match schema.get("items") {
            Some(items) => list
                .into_iter()
                .map(|item| place(root, items, item))
                .collect(),
            None => Value::Array(list),
        },
        Value::Object(members) => {
            let member = |(name, value): (String, Value)| {
                let properties = schema.get("properties");
                let wanted = properties
                    .and_then(|all| all.get(&name))
                    .or_else(|| schema.get("additionalProperties"));
                let value = match wanted {
                    Some(wanted) => place(root, wanted, value),
                    None => value,
                };
                (name, value)
            };
            members.into_iter().map(member).collect()
        }
        other => other,
    }
}

/// Follows references, and the one choice beside null.
fn target<'a>(root: &'a Value, mut schema: &'a Value) -> &'a Value {
    for _ in 0..DEPTH {
        let next = match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => reference
                .strip_prefix('#')
                .and_then(|path| root.pointer(path)),
            None => only_choice(schema),
        };
        match next {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

/// Returns what an optional member is when it is there.
fn only_choice(schema: &Value) -> Option<&Value> {
    let is_null = |choice: &&Value| choice.get("type").is_some_and(|kind| kind == "null");
    let choices = schema.get("anyOf")?.as_array()?;
    let mut choices = choices.iter().filter(|choice| !is_null(choice));
    choices.next().filter(|_| choices.next().is_none())
}

fn parsed(schema: &Value, text: &str) -> Option<Value> {
    let kinds = match schema.get("type")? {
        Value::Array(kinds) => kinds.as_slice(),
        kind => std::slice::from_ref(kind),
    };
    if kinds.iter().any(|kind| kind == "string") {
        return None;
    }
    let value = serde_json::from_str(text).ok()?;
    kinds.iter().any(|kind| is(kind, &value)).then_some(value)
}

/// Returns whether `value` is of a kind that text may stand for; null is none.
fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str() {
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        // JSON Schema takes 3.0 for an integer.
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
