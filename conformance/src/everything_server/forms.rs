//! The forms: each kind of field that there is, with and without defaults.

use serde_json::Value;
use vuelta::form::FormField;
use vuelta::{Form, PrimitiveSchema, SingleSelectSchema};

#[derive(Form)]
pub(crate) struct Name {
    pub(crate) name: String,
}

#[derive(Form)]
pub(crate) struct Color {
    pub(crate) color: String,
}

#[derive(Form)]
pub(crate) struct Confirmation {
    pub(crate) ok: bool,
}

#[derive(Form)]
pub(crate) struct UserContext {
    pub(crate) context: String,
}

#[derive(Form)]
pub(crate) struct Contact {
    /// User's response
    pub(crate) username: String,
    /// User's email address
    #[form(format = "email")]
    pub(crate) email: String,
}

/// Every primitive, filled in already (SEP-1034).
#[derive(Form)]
pub(crate) struct Defaults {
    #[form(default = "John Doe")]
    name: String,
    #[form(default = 30)]
    age: i64,
    #[form(default = 95.5)]
    score: f64,
    #[form(default = Status::Active)]
    status: Status,
    #[form(default = true)]
    verified: bool,
}

#[derive(Clone, Copy, Debug, Form)]
enum Status {
    #[form(rename = "active")]
    Active,
    #[form(rename = "inactive")]
    Inactive,
    #[form(rename = "pending")]
    Pending,
}

impl Defaults {
    pub(crate) fn summary(self) -> String {
        let Self {
            name,
            age,
            score,
            status,
            verified,
        } = self;
        format!("{name}, {age}, {score}, {status:?}, {verified}")
    }
}

/// Every kind of choice (SEP-1330).
#[derive(Form)]
pub(crate) struct Enums {
    #[form(rename = "untitledSingle")]
    untitled_single: Plain,
    #[form(rename = "titledSingle")]
    titled_single: Titled,
    #[form(rename = "legacyEnum")]
    legacy: Legacy,
    #[form(rename = "untitledMulti")]
    untitled_multi: Vec<Plain>,
    #[form(rename = "titledMulti")]
    titled_multi: Vec<Titled>,
}

#[derive(Clone, Copy, Debug, Form)]
enum Plain {
    #[form(rename = "option1")]
    One,
    #[form(rename = "option2")]
    Two,
    #[form(rename = "option3")]
    Three,
}

#[derive(Clone, Copy, Debug, Form)]
enum Titled {
    #[form(rename = "value1", title = "First Option")]
    First,
    #[form(rename = "value2", title = "Second Option")]
    Second,
    #[form(rename = "value3", title = "Third Option")]
    Third,
}

/// A choice in the form that came before titles: values and, beside them, their names.
///
/// The derive writes the newer form; a field of any other is written by hand.
#[derive(Clone, Debug)]
struct Legacy(String);

impl Legacy {
    const OPTIONS: [(&str, &str); 3] = [
        ("opt1", "Option One"),
        ("opt2", "Option Two"),
        ("opt3", "Option Three"),
    ];
}

impl FormField for Legacy {
    fn schema() -> PrimitiveSchema {
        let (values, names): (Vec<_>, Vec<_>) = Self::OPTIONS
            .map(|(value, name)| (value.to_owned(), name.to_owned()))
            .into_iter()
            .unzip();
        SingleSelectSchema::new(values).names(names).into()
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_str().map(|value| Self(value.to_owned()))
    }

    fn write(&self) -> Value {
        self.0.as_str().into()
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }
}

impl Enums {
    pub(crate) fn summary(self) -> String {
        let Self {
            untitled_single,
            titled_single,
            legacy: Legacy(legacy),
            untitled_multi,
            titled_multi,
        } = self;
        format!(
            "{untitled_single:?}, {titled_single:?}, {legacy}, {untitled_multi:?}, {titled_multi:?}"
        )
    }
}
