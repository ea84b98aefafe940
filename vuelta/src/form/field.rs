//! The types that a field of a form may have.

use serde_json::Value;
use vuelta_wire::{
    BooleanSchema, MultiSelectSchema, NumberSchema, PlainItems, PrimitiveSchema, SelectItems,
    SingleSelectSchema, StringSchema, TitledItems, TitledSingleSelectSchema,
};

/// A type that a field of a form may have: text, a number, a tick, or a choice.
///
/// A choice is an enum without data that derives [`Form`](derive@crate::Form); `Vec` of one
/// is a choice of several, `Option` a field that may be left empty.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a form",
    label = "not text, a number, a boolean, or a choice",
    note = "a form is flat: use String, an integer or float, bool, Option of these, an enum \
            without data that derives `Form`, or Vec of such an enum"
)]
pub trait FormField: Send + Sync + Sized + 'static {
    /// Whether the field must be filled in.
    const REQUIRED: bool = true;

    /// Returns the schema of the field.
    fn schema() -> PrimitiveSchema;

    /// Reads the field; `None` if the value is of another kind.
    fn read(value: Option<&Value>) -> Option<Self>;

    /// Returns the value as it is filled in.
    fn write(&self) -> Value;

    /// Makes a copy for another consumer.
    #[must_use]
    fn duplicate(&self) -> Self;
}

impl FormField for String {
    fn schema() -> PrimitiveSchema {
        StringSchema::new().into()
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_str().map(str::to_owned)
    }

    fn write(&self) -> Value {
        self.as_str().into()
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }
}

impl FormField for bool {
    fn schema() -> PrimitiveSchema {
        BooleanSchema::new().into()
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_bool()
    }

    fn write(&self) -> Value {
        (*self).into()
    }

    fn duplicate(&self) -> Self {
        *self
    }
}

macro_rules! integers {
    ($($ty:ty),+) => {
        $(
            impl FormField for $ty {
                fn schema() -> PrimitiveSchema {
                    let schema = NumberSchema::integer();
                    if <$ty>::MIN == 0 { schema.minimum(0_i64).into() } else { schema.into() }
                }

                fn read(value: Option<&Value>) -> Option<Self> {
                    let value = value?;
                    if let Some(integer) = value.as_i64() {
                        return integer.try_into().ok();
                    }
                    if let Some(integer) = value.as_u64() {
                        return integer.try_into().ok();
                    }
                    // JSON does not tell 3 from 3.0.
                    let float = value.as_f64().filter(|float| float.fract() == 0.0)?;
                    format!("{float:.0}").parse().ok()
                }

                fn write(&self) -> Value {
                    (*self).into()
                }

                fn duplicate(&self) -> Self {
                    *self
                }
            }
        )+
    };
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl FormField for f64 {
    fn schema() -> PrimitiveSchema {
        NumberSchema::number().into()
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_f64()
    }

    fn write(&self) -> Value {
        (*self).into()
    }

    fn duplicate(&self) -> Self {
        *self
    }
}

impl FormField for f32 {
    fn schema() -> PrimitiveSchema {
        NumberSchema::number().into()
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "what an f32 field asks for"
    )]
    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_f64().map(|value| value as Self)
    }

    fn write(&self) -> Value {
        (*self).into()
    }

    fn duplicate(&self) -> Self {
        *self
    }
}

impl<T: FormField> FormField for Option<T> {
    const REQUIRED: bool = false;

    fn schema() -> PrimitiveSchema {
        T::schema()
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        match value {
            None => Some(None),
            Some(value) => T::read(Some(value)).map(Some),
        }
    }

    fn write(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::write)
    }

    fn duplicate(&self) -> Self {
        self.as_ref().map(T::duplicate)
    }
}

/// A choice: an enum without data that derives [`Form`](derive@crate::Form).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a choice, so a list of it cannot be a field of a form",
    label = "not a list of choices",
    note = "a form is flat: derive `Form` on an enum without data to let the user choose several"
)]
pub trait Choice: FormField {}

impl<T: Choice> FormField for Vec<T> {
    fn schema() -> PrimitiveSchema {
        let items: SelectItems = match T::schema() {
            PrimitiveSchema::TitledSingleSelect(TitledSingleSelectSchema { options, .. }) => {
                TitledItems::new(options).into()
            }
            PrimitiveSchema::SingleSelect(SingleSelectSchema { values, .. }) => {
                PlainItems::new(values).into()
            }
            _ => PlainItems::new([]).into(),
        };
        MultiSelectSchema::new(items).into()
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        value?
            .as_array()?
            .iter()
            .map(|value| T::read(Some(value)))
            .collect()
    }

    fn write(&self) -> Value {
        self.iter().map(T::write).collect()
    }

    fn duplicate(&self) -> Self {
        self.iter().map(T::duplicate).collect()
    }
}
