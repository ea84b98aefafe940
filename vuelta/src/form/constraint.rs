//! What a field of a form may be told beyond its type: its label, its bounds, its default.
//!
//! `#[derive(Form)]` calls these; by hand, `StringSchema` and its kin have setters.

use serde_json::Value;
use vuelta_wire::{Number, PrimitiveSchema, StringFormat};

use crate::form::{Choice, Fields, FormError, FormField};

/// A field of text: it may have a length and a format.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not text",
    label = "for fields of text only",
    note = "`min_length`, `max_length` and `format` are for `String` and `Option<String>`"
)]
pub trait TextField: FormField {}

impl TextField for String {}
impl<T: TextField> TextField for Option<T> {}

/// A field of a number: it may have bounds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "for fields of numbers only",
    note = "`min` and `max` are for integers and floats; text has `min_length` and `max_length`"
)]
pub trait NumberField: FormField {}

macro_rules! numbers {
    ($($ty:ty),+) => {
        $( impl NumberField for $ty {} )+
    };
}

numbers!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);
impl<T: NumberField> NumberField for Option<T> {}

/// A choice of several: it may say how many.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a choice of several",
    label = "for choices of several only",
    note = "`min_items` and `max_items` are for `Vec` of an enum that derives `Form`"
)]
pub trait ListField: FormField {}

impl<T: Choice> ListField for Vec<T> {}
impl<T: ListField> ListField for Option<T> {}

/// Sets a member that a field of every kind has.
macro_rules! set {
    ($schema:ident, $member:ident = $value:expr) => {
        match $schema {
            PrimitiveSchema::String(schema) => schema.$member = $value,
            PrimitiveSchema::Number(schema) => schema.$member = $value,
            PrimitiveSchema::Boolean(schema) => schema.$member = $value,
            PrimitiveSchema::SingleSelect(schema) => schema.$member = $value,
            PrimitiveSchema::TitledSingleSelect(schema) => schema.$member = $value,
            PrimitiveSchema::MultiSelect(schema) => schema.$member = $value,
            _ => {}
        }
    };
}

/// Sets the label.
#[must_use]
pub fn title(mut schema: PrimitiveSchema, text: impl Into<String>) -> PrimitiveSchema {
    let (target, text) = (&mut schema, Some(text.into()));
    set!(target, title = text);
    schema
}

/// Sets the help text.
#[must_use]
pub fn description(mut schema: PrimitiveSchema, text: impl Into<String>) -> PrimitiveSchema {
    let (target, text) = (&mut schema, Some(text.into()));
    set!(target, description = text);
    schema
}

/// Sets the least value.
#[must_use]
pub fn min<F: NumberField>(schema: PrimitiveSchema, least: impl Into<Number>) -> PrimitiveSchema {
    match schema {
        PrimitiveSchema::Number(schema) => schema.minimum(least).into(),
        other => other,
    }
}

/// Sets the greatest value.
#[must_use]
pub fn max<F: NumberField>(schema: PrimitiveSchema, most: impl Into<Number>) -> PrimitiveSchema {
    match schema {
        PrimitiveSchema::Number(schema) => schema.maximum(most).into(),
        other => other,
    }
}

/// Sets the least number of characters.
#[must_use]
pub fn min_length<F: TextField>(schema: PrimitiveSchema, least: u64) -> PrimitiveSchema {
    match schema {
        PrimitiveSchema::String(schema) => schema.min_length(least).into(),
        other => other,
    }
}

/// Sets the greatest number of characters.
#[must_use]
pub fn max_length<F: TextField>(schema: PrimitiveSchema, most: u64) -> PrimitiveSchema {
    match schema {
        PrimitiveSchema::String(schema) => schema.max_length(most).into(),
        other => other,
    }
}

/// Sets the kind of text.
#[must_use]
pub fn format<F: TextField>(schema: PrimitiveSchema, format: StringFormat) -> PrimitiveSchema {
    match schema {
        PrimitiveSchema::String(schema) => schema.format(format).into(),
        other => other,
    }
}

/// Sets the least number of choices.
#[must_use]
pub fn min_items<F: ListField>(schema: PrimitiveSchema, least: u64) -> PrimitiveSchema {
    match schema {
        PrimitiveSchema::MultiSelect(schema) => schema.min_items(least).into(),
        other => other,
    }
}

/// Sets the greatest number of choices.
#[must_use]
pub fn max_items<F: ListField>(schema: PrimitiveSchema, most: u64) -> PrimitiveSchema {
    match schema {
        PrimitiveSchema::MultiSelect(schema) => schema.max_items(most).into(),
        other => other,
    }
}

/// Sets what is filled in already.
#[must_use]
pub fn default<F: FormField>(mut schema: PrimitiveSchema, value: &F) -> PrimitiveSchema {
    let text = |value: Value| value.as_str().map(str::to_owned);
    let value = value.write();
    match &mut schema {
        PrimitiveSchema::String(schema) => schema.default = text(value),
        PrimitiveSchema::SingleSelect(schema) => schema.default = text(value),
        PrimitiveSchema::TitledSingleSelect(schema) => schema.default = text(value),
        PrimitiveSchema::Boolean(schema) => schema.default = value.as_bool(),
        PrimitiveSchema::Number(schema) => {
            schema.default = match (value.as_i64(), value.as_u64()) {
                (Some(integer), _) => Some(integer.into()),
                (None, Some(integer)) => Some(integer.into()),
                (None, None) => value.as_f64().map(Number::from),
            };
        }
        PrimitiveSchema::MultiSelect(schema) => {
            schema.default = value
                .as_array()
                .map(|chosen| chosen.iter().cloned().filter_map(text).collect());
        }
        _ => {}
    }
    schema
}

/// Reads one field.
///
/// # Errors
///
/// Returns an error that names the field if it is missing or of another kind.
pub fn read<F>(
    fields: &Fields,
    name: &str,
    read: fn(Option<&Value>) -> Option<F>,
) -> Result<F, FormError> {
    read(fields.get(name)).ok_or_else(|| FormError::kind(name))
}

/// Reads one field that has a default.
///
/// # Errors
///
/// Returns an error that names the field if it is of another kind.
pub fn read_or<F>(
    fields: &Fields,
    name: &str,
    read: fn(Option<&Value>) -> Option<F>,
    default: impl FnOnce() -> F,
) -> Result<F, FormError> {
    match fields.get(name) {
        None => Ok(default()),
        given => read(given).ok_or_else(|| FormError::kind(name)),
    }
}

#[cfg(test)]
mod tests;
