//! JSON Schema: whether a value fits, and what to say if it does not.
//!
//! The dialect is 2020-12 unless a schema names another: 2019-09, draft-07, draft-06 or
//! draft-04. Nothing is fetched: a reference that leads out of the schema is an error when the
//! schema is compiled, and so is another dialect. Source: [JSON Schema
//! usage](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#json-schema-usage).

use std::fmt;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, JsonType, PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// A place in a value that does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The path of the place, such as `items[0].name`; empty at the root.
    pub(crate) field: String,
    /// What is wrong, such as `expected array, got string`.
    pub(crate) problem: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.field, self.problem)
        }
    }
}

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Checker(Validator);

impl Checker {
    /// Compiles a schema; the error says what is wrong with it.
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        if Draft::Draft202012.detect(schema) == Draft::Unknown {
            let dialect = &schema["$schema"];
            return Err(format!(
                "the dialect {dialect} is not supported; use 2020-12, or leave `$schema` out"
            ));
        }
        jsonschema::options()
            .should_validate_formats(true)
            .should_ignore_unknown_formats(true)
            // Patterns of a schema may come from a peer: no backtracking.
            .with_pattern_options(PatternOptions::regex())
            .offline()
            .build(schema)
            .map(Self)
            .map_err(|error| error.to_string())
    }

    /// Returns every place of `value` that does not fit.
    pub(crate) fn violations(&self, value: &Value) -> Vec<Violation> {
        self.0
            .iter_errors(value)
            .map(|error| violation(&error))
            .collect()
    }
}

fn violation(error: &ValidationError<'_>) -> Violation {
    let mut field = path(error.instance_path().as_str());
    let got = kind(error.instance());
    let problem = match error.kind() {
        ValidationErrorKind::Type { kind } => format!("expected {}, got {got}", types(kind)),
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            field = if field.is_empty() {
                name.to_owned()
            } else {
                format!("{field}.{name}")
            };
            "required, but missing".to_owned()
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            format!("unknown member: {}", unexpected.join(", "))
        }
        ValidationErrorKind::Enum { options } => format!("expected one of {options}, got {got}"),
        ValidationErrorKind::Constant { expected_value } => {
            format!("expected {expected_value}, got {got}")
        }
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        ValidationErrorKind::MinLength { limit } => {
            format!("must have at least {limit} characters")
        }
        ValidationErrorKind::MaxLength { limit } => format!("must have at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("must have at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} items"),
        ValidationErrorKind::Format { format } => format!("must be of the format {format}"),
        ValidationErrorKind::Pattern { pattern } => format!("must match the pattern {pattern}"),
        // The value itself is not repeated: it may be long, or not for a log.
        _ => error.masked().to_string(),
    };
    Violation { field, problem }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(set) => set
            .iter()
            .map(|one: JsonType| one.to_string())
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Turns a JSON pointer into a path as people write it.
fn path(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push('[');
            path.push_str(&part);
            path.push(']');
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&part);
        }
    }
    path
}

#[cfg(test)]
mod tests;
