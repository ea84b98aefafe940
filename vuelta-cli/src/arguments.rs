//! The arguments of a tool as they are typed, and their JSON types by the tool's schema.
//!
//! Pure.

use std::str::FromStr;

use serde_json::Value;
use vuelta::Raw;
use vuelta::wire::OrderedMap;

/// One argument, as it was typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// `key=value`: what the value is, the schema says.
    Text { name: String, text: String },
    /// `key:=JSON`.
    Json { name: String, json: Raw },
}

impl FromStr for Argument {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let (name, text) = typed
            .split_once('=')
            .ok_or_else(|| format!("write {typed}=VALUE, or {typed}:=JSON"))?;
        let argument = match name.strip_suffix(':') {
            None => Self::Text {
                name: name.to_owned(),
                text: text.to_owned(),
            },
            Some(name) => {
                let json = Raw::from_json(text.to_owned()).map_err(|error| {
                    format!("`{text}` is no JSON ({error}); write {name}={text} for text")
                })?;
                Self::Json {
                    name: name.to_owned(),
                    json,
                }
            }
        };
        if argument.name().is_empty() {
            return Err("write KEY=VALUE: the key is empty".to_owned());
        }
        Ok(argument)
    }
}

impl Argument {
    fn name(&self) -> &str {
        match self {
            Self::Text { name, .. } | Self::Json { name, .. } => name,
        }
    }
}

/// Reads arguments as they were typed.
///
/// # Errors
///
/// Returns an error that names the word which is no argument, and the fix.
pub(crate) fn parse(words: &[String]) -> Result<Vec<Argument>, String> {
    let parse = |word: &String| {
        let argument = word.parse::<Argument>();
        argument.map_err(|fix| format!("`{word}` is no argument: {fix}"))
    };
    words.iter().map(parse).collect()
}

/// Returns the arguments of a prompt, all of which are text.
///
/// # Errors
///
/// Returns an error that names the argument which is given twice or is no text, and the fix.
pub(crate) fn texts(arguments: Vec<Argument>) -> Result<OrderedMap<String>, String> {
    let mut object = OrderedMap::new();
    for argument in arguments {
        once(&object, &argument)?;
        match argument {
            Argument::Text { name, text } => object.insert(name, text),
            Argument::Json { name, json } => {
                let text = json.get();
                return Err(format!(
                    "argument `{name}`: a prompt takes text; write {name}={text}"
                ));
            }
        }
    }
    Ok(object)
}

/// Returns the arguments as an object, typed by the tool's input schema if it is known.
///
/// # Errors
///
/// Returns an error that names the argument which is given twice or does not fit, and the fix.
pub(crate) fn encode(
    arguments: Vec<Argument>,
    schema: Option<&Raw>,
) -> Result<OrderedMap<Raw>, String> {
    let schema = schema
        .and_then(|schema| schema.parse::<Value>().ok())
        .unwrap_or_default();
    let mut object = OrderedMap::new();
    for argument in arguments {
        once(&object, &argument)?;
        match argument {
            Argument::Json { name, json } => object.insert(name, json),
            Argument::Text { name, text } => {
                let types = types(&schema, &schema["properties"][&name], 0);
                let value = typed(&text, &types).ok_or_else(|| {
                    let types = types.join(" or ");
                    format!(
                        "argument `{name}`: the tool wants {types}, not `{text}`; write \
                         {name}:=JSON to send it as it is"
                    )
                })?;
                object.insert(name, value);
            }
        }
    }
    Ok(object)
}

fn once<T>(object: &OrderedMap<T>, argument: &Argument) -> Result<(), String> {
    let name = argument.name();
    if object.contains_key(name) {
        return Err(format!("argument `{name}` is given twice; keep one"));
    }
    Ok(())
}

/// Types a value: as it is where the schema allows a string or says nothing, else as JSON.
fn typed(text: &str, types: &[&str]) -> Option<Raw> {
    if types.is_empty() || types.contains(&"string") {
        return Some(Raw::from(text));
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let fits = types.iter().any(|name| match *name {
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    });
    // The text itself, as numbers wider than 64 bits are changed by a `Value`.
    if fits {
        Raw::from_json(text.to_owned()).ok()
    } else {
        None
    }
}

/// How far references and alternatives are followed; they may go round in circles.
const DEPTH: usize = 8;

/// Returns the names of the JSON types that a property allows; none if the schema does not say.
fn types<'a>(root: &'a Value, property: &'a Value, depth: usize) -> Vec<&'a str> {
    if depth > DEPTH {
        return Vec::new();
    }
    match &property["type"] {
        Value::String(name) => return vec![name],
        Value::Array(names) => return names.iter().filter_map(Value::as_str).collect(),
        _ => {}
    }
    if let Some(pointer) = property["$ref"]
        .as_str()
        .and_then(|to| to.strip_prefix('#'))
    {
        let target = root.pointer(pointer).unwrap_or(&Value::Null);
        return types(root, target, depth + 1);
    }
    let alternatives = property["anyOf"]
        .as_array()
        .or_else(|| property["oneOf"].as_array());
    let mut found = Vec::new();
    for alternative in alternatives.into_iter().flatten() {
        let named = types(root, alternative, depth + 1);
        if named.is_empty() {
            // One of them allows anything.
            return Vec::new();
        }
        found.extend(named);
    }
    found
}

#[cfg(test)]
mod tests;
