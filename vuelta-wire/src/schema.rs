//! The fields of a form: the flat subset of JSON Schema that every client can show.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::{Number, Raw, tag};

wire! {
    /// A field of text.
    pub struct StringSchema {
        tag "type" = "string";
        optional {
            /// The label.
            title: String = "title",
            /// The help text.
            description: String = "description",
            /// The least number of characters.
            min_length: u64 = "minLength",
            /// The greatest number of characters.
            max_length: u64 = "maxLength",
            /// The kind of text.
            format: StringFormat = "format",
            /// What is filled in already.
            default: String = "default",
        }
    }
}

wire_enum! {
    /// The kind of text that a field wants.
    pub enum StringFormat {
        /// An e-mail address.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A date: `2026-07-28`.
        Date = "date",
        /// A date and time: `2026-07-28T12:00:00Z`.
        DateTime = "date-time",
    }
}

/// Whether a number may have a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "JSON Schema has these two")]
pub enum NumberKind {
    /// Any number.
    Number,
    /// A whole number.
    Integer,
}

wire! {
    /// A field of a number.
    pub struct NumberSchema {
        required {
            /// Whether it may have a fraction.
            kind: NumberKind = "type",
        }
        optional {
            /// The label.
            title: String = "title",
            /// The help text.
            description: String = "description",
            /// The least value.
            minimum: Number = "minimum",
            /// The greatest value.
            maximum: Number = "maximum",
            /// What is filled in already.
            default: Number = "default",
        }
    }
}

impl NumberSchema {
    /// Creates a field of a whole number.
    #[must_use]
    pub fn integer() -> Self {
        Self::new(NumberKind::Integer)
    }

    /// Creates a field of any number.
    #[must_use]
    pub fn number() -> Self {
        Self::new(NumberKind::Number)
    }
}

wire! {
    /// A field to tick.
    pub struct BooleanSchema {
        tag "type" = "boolean";
        optional {
            /// The label.
            title: String = "title",
            /// The help text.
            description: String = "description",
            /// What is ticked already.
            default: bool = "default",
        }
    }
}

wire! {
    /// A choice of one value.
    pub struct SingleSelectSchema {
        tag "type" = "string";
        required {
            /// The values.
            values: Vec<String> = "enum",
        }
        optional {
            /// The label.
            title: String = "title",
            /// The help text.
            description: String = "description",
            /// What to show for each value; an older form of [`TitledSingleSelectSchema`].
            names: Vec<String> = "enumNames",
            /// What is chosen already.
            default: String = "default",
        }
    }
}

wire! {
    /// A choice of one value, each with a title.
    pub struct TitledSingleSelectSchema {
        tag "type" = "string";
        required {
            /// The values and their titles.
            options: Vec<EnumOption> = "oneOf",
        }
        optional {
            /// The label.
            title: String = "title",
            /// The help text.
            description: String = "description",
            /// What is chosen already.
            default: String = "default",
        }
    }
}

wire! {
    /// A value to choose and what to show for it.
    pub struct EnumOption {
        required {
            /// The value.
            value: String = "const",
            /// What to show.
            title: String = "title",
        }
    }
}

wire! {
    /// A choice of any number of values.
    pub struct MultiSelectSchema {
        tag "type" = "array";
        required {
            /// The values.
            items: SelectItems = "items",
        }
        optional {
            /// The label.
            title: String = "title",
            /// The help text.
            description: String = "description",
            /// The least number of choices.
            min_items: u64 = "minItems",
            /// The greatest number of choices.
            max_items: u64 = "maxItems",
            /// What is chosen already.
            default: Vec<String> = "default",
        }
    }
}

wire! {
    /// The values of a choice without titles.
    pub struct PlainItems {
        tag "type" = "string";
        required {
            /// The values.
            values: Vec<String> = "enum",
        }
    }
}

wire! {
    /// The values of a choice with titles.
    pub struct TitledItems {
        required {
            /// The values and their titles.
            options: Vec<EnumOption> = "anyOf",
        }
    }
}

/// The values of a choice of any number.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SelectItems {
    /// Values alone.
    Plain(PlainItems),
    /// Values with titles.
    Titled(TitledItems),
}

impl Serialize for SelectItems {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(items) => items.serialize(serializer),
            Self::Titled(items) => items.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SelectItems {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        if tag::has_member(&raw, "anyOf") {
            tag::parse(&raw).map(Self::Titled)
        } else {
            tag::parse(&raw).map(Self::Plain)
        }
    }
}

impl From<PlainItems> for SelectItems {
    fn from(items: PlainItems) -> Self {
        Self::Plain(items)
    }
}

impl From<TitledItems> for SelectItems {
    fn from(items: TitledItems) -> Self {
        Self::Titled(items)
    }
}

/// The schema of one field of a form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveSchema {
    /// Text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// A field to tick.
    Boolean(BooleanSchema),
    /// A choice of one value.
    SingleSelect(SingleSelectSchema),
    /// A choice of one value, with titles.
    TitledSingleSelect(TitledSingleSelectSchema),
    /// A choice of any number of values.
    MultiSelect(MultiSelectSchema),
    /// Something else, kept as it was sent; a client cannot show it.
    Other(Raw),
}

macro_rules! fields {
    ($($variant:ident($ty:ty)),+ $(,)?) => {
        $(
            impl From<$ty> for PrimitiveSchema {
                fn from(schema: $ty) -> Self {
                    Self::$variant(schema)
                }
            }
        )+

        impl Serialize for PrimitiveSchema {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(schema) => schema.serialize(serializer), )+
                    Self::Other(raw) => raw.serialize(serializer),
                }
            }
        }
    };
}

impl PrimitiveSchema {
    /// Returns what is filled in already; `None` if nothing is, or if the field is of no kind
    /// that a client can show.
    #[must_use]
    pub fn default_value(&self) -> Option<Value> {
        match self {
            Self::String(schema) => schema.default.clone().map(Value::from),
            Self::Number(schema) => serde_json::to_value(schema.default?).ok(),
            Self::Boolean(schema) => schema.default.map(Value::from),
            Self::SingleSelect(schema) => schema.default.clone().map(Value::from),
            Self::TitledSingleSelect(schema) => schema.default.clone().map(Value::from),
            Self::MultiSelect(schema) => schema.default.clone().map(Value::from),
            Self::Other(_) => None,
        }
    }
}

fields! {
    String(StringSchema),
    Number(NumberSchema),
    Boolean(BooleanSchema),
    SingleSelect(SingleSelectSchema),
    TitledSingleSelect(TitledSingleSelectSchema),
    MultiSelect(MultiSelectSchema),
}

impl<'de> Deserialize<'de> for PrimitiveSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        match tag::text_member(&raw, "type").as_deref() {
            Some("string") if tag::has_member(&raw, "enum") => {
                tag::parse(&raw).map(Self::SingleSelect)
            }
            Some("string") if tag::has_member(&raw, "oneOf") => {
                tag::parse(&raw).map(Self::TitledSingleSelect)
            }
            Some("string") => tag::parse(&raw).map(Self::String),
            Some("number" | "integer") => tag::parse(&raw).map(Self::Number),
            Some("boolean") => tag::parse(&raw).map(Self::Boolean),
            Some("array") if tag::has_member(&raw, "items") => {
                tag::parse(&raw).map(Self::MultiSelect)
            }
            _ => Ok(Self::Other(raw)),
        }
    }
}
