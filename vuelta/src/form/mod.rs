//! Forms: flat structs that a user fills in.

pub(crate) mod constraint;
mod field;
mod manual;
mod validate;

pub use self::constraint::{ListField, NumberField, TextField};
pub use self::field::{Choice, FormField};
pub use self::manual::{AskForm, ReadForm};

use std::fmt;

use vuelta_wire::{FormSchema, Raw};

/// A struct that a user can fill in: flat, its fields text, numbers, ticks or choices.
///
/// `#[derive(Form)]` writes it. By hand it is:
///
/// ```
/// use vuelta::form::{Form, FormError, fields};
/// use vuelta::{FormSchema, Raw, StringSchema};
///
/// struct Region {
///     region: String,
/// }
///
/// impl Form for Region {
///     fn schema() -> FormSchema {
///         FormSchema::new().required("region", StringSchema::new().description("AWS region"))
///     }
///
///     fn read(content: &Raw) -> Result<Self, FormError> {
///         let fields = fields::<Self>(content)?;
///         Ok(Self { region: fields.read("region")? })
///     }
///
///     fn duplicate(&self) -> Self {
///         Self { region: self.region.clone() }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a form",
    note = "derive `Form` on a struct whose fields are text, numbers, booleans or choices"
)]
pub trait Form: Sized + Send + Sync + 'static {
    /// Returns the fields, as the client is shown them.
    fn schema() -> FormSchema;

    /// Reads what the user filled in, checked against the schema.
    ///
    /// # Errors
    ///
    /// Returns an error that names the field and what it must be.
    fn read(content: &Raw) -> Result<Self, FormError>;

    /// Makes a copy for another consumer.
    #[must_use]
    fn duplicate(&self) -> Self;
}

/// The content of a form, checked against its schema.
#[derive(Debug)]
pub struct Fields(serde_json::Map<String, serde_json::Value>);

/// Checks `content` against the schema of `T`.
///
/// # Errors
///
/// Returns an error that names every field that does not fit.
pub fn fields<T: Form>(content: &Raw) -> Result<Fields, FormError> {
    let content: serde_json::Map<String, serde_json::Value> = content
        .parse()
        .map_err(|error| FormError(error.to_string()))?;
    validate::violations::<T>(content)
        .map(Fields)
        .map_err(|violations| {
            let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
            FormError(lines.join("; "))
        })
}

impl Fields {
    /// Reads one field.
    ///
    /// # Errors
    ///
    /// Returns an error that names the field if it is missing or of another kind.
    pub fn read<F: FormField>(&self, name: &str) -> Result<F, FormError> {
        F::read(self.get(name)).ok_or_else(|| FormError::kind(name))
    }

    /// Returns the value of a field; `None` if it was left empty.
    fn get(&self, name: &str) -> Option<&serde_json::Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }
}

/// Content that does not fit its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormError(String);

impl FormError {
    fn kind(name: &str) -> Self {
        Self(format!("{name}: missing, or of another kind"))
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FormError {}
