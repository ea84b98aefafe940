//! One field of a form: what may be put in, and how typed text becomes its value.
//!
//! Pure. The command line and the terminal read answers by the same rules.

use serde_json::Value;
use vuelta::wire::{NumberKind, SelectItems};
use vuelta::{ElicitForm, Number, PrimitiveSchema, Raw};

use crate::printable;

/// A field as it is shown and read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// The label, where the server gave one beside the name.
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) required: bool,
    pub(crate) kind: Kind,
    /// What is filled in already.
    pub(crate) default: Option<Raw>,
}

/// What may be put into a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Text {
        min: Option<u64>,
        max: Option<u64>,
        format: Option<String>,
    },
    Number {
        whole: bool,
        min: Option<Number>,
        max: Option<Number>,
    },
    Boolean,
    One(Vec<Choice>),
    Many {
        choices: Vec<Choice>,
        min: Option<u64>,
        max: Option<u64>,
    },
    /// A schema that forms do not have: any JSON, for the server to judge.
    Json,
}

/// A value to choose and what to show for it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) title: String,
}

impl Choice {
    fn plain(values: &[String]) -> Vec<Self> {
        values
            .iter()
            .map(|value| Self {
                value: value.clone(),
                title: value.clone(),
            })
            .collect()
    }

    fn titled(options: &[vuelta::EnumOption]) -> Vec<Self> {
        options
            .iter()
            .map(|option| Self {
                value: option.value.clone(),
                title: option.title.clone(),
            })
            .collect()
    }
}

impl Field {
    /// Returns the fields of a form, in its order.
    pub(crate) fn of(form: &ElicitForm) -> Vec<Self> {
        let schema = &form.requested_schema;
        schema
            .properties
            .iter()
            .map(|(name, field)| Self::new(name, field, schema.is_required(name)))
            .collect()
    }

    fn new(name: &str, schema: &PrimitiveSchema, required: bool) -> Self {
        let (title, description, kind, default) = match schema {
            PrimitiveSchema::String(s) => (
                &s.title,
                &s.description,
                Kind::Text {
                    min: s.min_length,
                    max: s.max_length,
                    format: s.format.as_ref().map(ToString::to_string),
                },
                s.default.as_deref().map(Raw::from),
            ),
            PrimitiveSchema::Number(s) => (
                &s.title,
                &s.description,
                Kind::Number {
                    whole: s.kind == NumberKind::Integer,
                    min: s.minimum,
                    max: s.maximum,
                },
                s.default.and_then(|default| Raw::encode(&default).ok()),
            ),
            PrimitiveSchema::Boolean(s) => (
                &s.title,
                &s.description,
                Kind::Boolean,
                s.default.map(|default| Raw::from(Value::from(default))),
            ),
            PrimitiveSchema::SingleSelect(s) => {
                let mut choices = Choice::plain(&s.values);
                for (choice, name) in choices.iter_mut().zip(s.names.iter().flatten()) {
                    choice.title.clone_from(name);
                }
                let default = s.default.as_deref().map(Raw::from);
                (&s.title, &s.description, Kind::One(choices), default)
            }
            PrimitiveSchema::TitledSingleSelect(s) => {
                let default = s.default.as_deref().map(Raw::from);
                (
                    &s.title,
                    &s.description,
                    Kind::One(Choice::titled(&s.options)),
                    default,
                )
            }
            PrimitiveSchema::MultiSelect(s) => {
                let choices = match &s.items {
                    SelectItems::Plain(items) => Choice::plain(&items.values),
                    SelectItems::Titled(items) => Choice::titled(&items.options),
                    _ => Vec::new(),
                };
                (
                    &s.title,
                    &s.description,
                    Kind::Many {
                        choices,
                        min: s.min_items,
                        max: s.max_items,
                    },
                    s.default
                        .clone()
                        .map(|default| Raw::from(Value::from(default))),
                )
            }
            _ => (&None, &None, Kind::Json, None),
        };
        Self {
            name: name.to_owned(),
            title: title.clone(),
            description: description.clone(),
            required,
            kind,
            default,
        }
    }

    /// Returns what the field is called to people.
    pub(crate) fn label(&self) -> String {
        printable::line(self.title.as_ref().unwrap_or(&self.name))
    }

    /// Returns what may be put in, such as `a whole number, at least 1`.
    pub(crate) fn hint(&self) -> String {
        let choices = |choices: &[Choice]| {
            let shown: Vec<String> = choices.iter().map(Choice::to_string).collect();
            shown.join(", ")
        };
        match &self.kind {
            Kind::Text { min, max, format } => {
                let mut hint = match format.as_deref() {
                    Some("date") => "a date: YYYY-MM-DD".to_owned(),
                    Some("date-time") => "a date and time: YYYY-MM-DDThh:mm:ssZ".to_owned(),
                    Some("email") => "an e-mail address".to_owned(),
                    Some("uri") => "a URI".to_owned(),
                    Some(format) => format!("text ({})", printable::line(format)),
                    None => "text".to_owned(),
                };
                if let Some(range) = range(*min, *max) {
                    hint = format!("{hint}, {range} characters");
                }
                hint
            }
            Kind::Number { whole, min, max } => {
                let number = if *whole { "a whole number" } else { "a number" };
                match range(min.map(shown), max.map(shown)) {
                    Some(range) => format!("{number}, {range}"),
                    None => number.to_owned(),
                }
            }
            Kind::Boolean => "yes or no".to_owned(),
            Kind::One(options) => format!("one of: {}", choices(options)),
            Kind::Many {
                choices: options,
                min,
                max,
            } => {
                let any = match range(*min, *max) {
                    Some(range) => format!("{range} of"),
                    None => "any of".to_owned(),
                };
                format!("{any}: {}; separated by commas", choices(options))
            }
            Kind::Json => "JSON".to_owned(),
        }
    }

    /// Returns how a value is shown to people: as it would be typed.
    pub(crate) fn show(&self, value: &Raw) -> String {
        let json = || printable::line(value.get());
        let choice = |choices: &[Choice], text: &str| match chosen(choices, text) {
            Some(choice) => choice.to_string(),
            None => printable::line(text),
        };
        match &self.kind {
            Kind::Text { .. } => value
                .parse::<String>()
                .map_or_else(|_| json(), |text| printable::line(&text)),
            Kind::Boolean => match value.parse() {
                Ok(true) => "yes".to_owned(),
                Ok(false) => "no".to_owned(),
                Err(_) => json(),
            },
            Kind::One(choices) => value
                .parse::<String>()
                .map_or_else(|_| json(), |text| choice(choices, &text)),
            Kind::Many { choices, .. } => match value.parse::<Vec<String>>() {
                Ok(texts) => {
                    let shown: Vec<String> =
                        texts.iter().map(|text| choice(choices, text)).collect();
                    shown.join(", ")
                }
                Err(_) => json(),
            },
            Kind::Number { .. } | Kind::Json => json(),
        }
    }

    /// Reads the value from what was typed.
    ///
    /// # Errors
    ///
    /// Returns what the field wants instead.
    pub(crate) fn parse(&self, text: &str) -> Result<Raw, String> {
        let wants = || format!("it must be {}", self.hint());
        match &self.kind {
            Kind::Text { min, max, .. } => {
                if within(text.chars().count(), *min, *max) {
                    Ok(Raw::from(text))
                } else {
                    Err(wants())
                }
            }
            Kind::Number { whole, min, max } => {
                let number: Number = serde_json::from_str(text.trim()).map_err(|_| wants())?;
                let fits = min.is_none_or(|min| number.as_f64() >= min.as_f64())
                    && max.is_none_or(|max| number.as_f64() <= max.as_f64())
                    && !(*whole && matches!(number, Number::Float(_)));
                if fits {
                    Raw::encode(&number).map_err(|_| wants())
                } else {
                    Err(wants())
                }
            }
            Kind::Boolean => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "y" => Ok(Value::from(true).into()),
                "false" | "no" | "n" => Ok(Value::from(false).into()),
                _ => Err(wants()),
            },
            Kind::One(choices) => match chosen(choices, text) {
                Some(choice) => Ok(Raw::from(choice.value.as_str())),
                None => Err(wants()),
            },
            Kind::Many { choices, min, max } => {
                let parts: Vec<&str> = match chosen(choices, text) {
                    // A value may have a comma in it.
                    Some(_) => vec![text],
                    None if text.trim().is_empty() => Vec::new(),
                    None => text.split(',').map(str::trim).collect(),
                };
                let values: Option<Vec<String>> = parts
                    .into_iter()
                    .map(|part| Some(chosen(choices, part)?.value.clone()))
                    .collect();
                match values {
                    Some(values) if within(values.len(), *min, *max) => {
                        Ok(Value::from(values).into())
                    }
                    _ => Err(wants()),
                }
            }
            Kind::Json => {
                Raw::from_json(text.to_owned()).map_err(|error| format!("it must be JSON: {error}"))
            }
        }
    }
}

impl std::fmt::Display for Choice {
    /// Shows the value, and the title where it says more.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&printable::line(&self.value))?;
        if self.title != self.value {
            write!(f, " ({})", printable::line(&self.title))?;
        }
        Ok(())
    }
}

fn chosen<'a>(choices: &'a [Choice], text: &str) -> Option<&'a Choice> {
    let by_value = choices.iter().find(|choice| choice.value == text);
    by_value.or_else(|| choices.iter().find(|choice| choice.title == text))
}

/// Returns whether a count is in a range.
pub(crate) fn within(count: usize, min: Option<u64>, max: Option<u64>) -> bool {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    min.is_none_or(|min| count >= min) && max.is_none_or(|max| count <= max)
}

fn range<T: std::fmt::Display>(min: Option<T>, max: Option<T>) -> Option<String> {
    match (min, max) {
        (Some(min), Some(max)) => Some(format!("{min} to {max}")),
        (Some(min), None) => Some(format!("at least {min}")),
        (None, Some(max)) => Some(format!("at most {max}")),
        (None, None) => None,
    }
}

fn shown(number: Number) -> String {
    serde_json::to_string(&number).unwrap_or_else(|_| number.as_f64().to_string())
}

#[cfg(test)]
mod tests;
