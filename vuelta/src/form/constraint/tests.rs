//! What the schema of a field says after each constraint.

use serde_json::{Value, json};
use vuelta_wire::{FormSchema, PrimitiveSchema, Raw, StringFormat};

use super::{
    default, description, format, max, max_items, max_length, min, min_items, min_length, read,
    read_or, title,
};
use crate::form::{Choice, Form, FormError, FormField, fields};

#[derive(Debug, PartialEq)]
enum Plan {
    Free,
    Paid,
}

impl FormField for Plan {
    fn schema() -> PrimitiveSchema {
        vuelta_wire::SingleSelectSchema::new(["free", "paid"].map(String::from)).into()
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        match value?.as_str()? {
            "free" => Some(Self::Free),
            "paid" => Some(Self::Paid),
            _ => None,
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Free => "free".into(),
            Self::Paid => "paid".into(),
        }
    }

    fn duplicate(&self) -> Self {
        match self {
            Self::Free => Self::Free,
            Self::Paid => Self::Paid,
        }
    }
}

impl Choice for Plan {}

fn check(schema: PrimitiveSchema, expected: &Value) {
    let written = serde_json::to_value(schema).expect("a schema is JSON");
    assert_eq!(written, *expected);
}

#[test]
fn every_kind_of_field_has_a_label_and_a_help_text() {
    for schema in [
        String::schema(),
        u8::schema(),
        f64::schema(),
        bool::schema(),
        Plan::schema(),
        Vec::<Plan>::schema(),
        Option::<Plan>::schema(),
    ] {
        let labelled = description(title(schema.clone(), "A label"), "A text.");
        let mut expected = serde_json::to_value(schema).expect("a schema is JSON");
        expected["title"] = json!("A label");
        expected["description"] = json!("A text.");
        check(labelled, &expected);
    }
}

#[test]
fn text_has_a_length_and_a_format() {
    let schema = min_length::<String>(String::schema(), 1);
    let schema = max_length::<Option<String>>(schema, 9);
    let schema = format::<String>(schema, StringFormat::Date);
    check(
        schema,
        &json!({ "type": "string", "minLength": 1, "maxLength": 9, "format": "date" }),
    );
}

#[test]
fn numbers_have_bounds() {
    check(
        max::<u8>(min::<u8>(u8::schema(), 1), 9),
        &json!({ "type": "integer", "minimum": 1, "maximum": 9 }),
    );
    check(
        max::<Option<f32>>(min::<f32>(f32::schema(), -0.5), 0.5),
        &json!({ "type": "number", "minimum": -0.5, "maximum": 0.5 }),
    );
    check(u64::schema(), &json!({ "type": "integer", "minimum": 0 }));
}

#[test]
fn choices_of_several_have_a_count() {
    let schema = Vec::<Plan>::schema();
    let schema = max_items::<Option<Vec<Plan>>>(min_items::<Vec<Plan>>(schema, 1), 2);
    check(
        schema,
        &json!({
            "type": "array", "items": { "type": "string", "enum": ["free", "paid"] },
            "minItems": 1, "maxItems": 2
        }),
    );
}

#[test]
fn defaults_are_written_as_their_fields_are_filled_in() {
    let of = |schema: PrimitiveSchema| {
        serde_json::to_value(schema).expect("a schema is JSON")["default"].clone()
    };
    assert_eq!(of(default(String::schema(), &"eu".to_owned())), json!("eu"));
    assert_eq!(of(default(i64::schema(), &-3)), json!(-3));
    assert_eq!(of(default(u64::schema(), &u64::MAX)), json!(u64::MAX));
    assert_eq!(of(default(f64::schema(), &0.5)), json!(0.5));
    assert_eq!(of(default(bool::schema(), &true)), json!(true));
    assert_eq!(of(default(Plan::schema(), &Plan::Paid)), json!("paid"));
    let both = vec![Plan::Free, Plan::Paid];
    assert_eq!(
        of(default(Vec::<Plan>::schema(), &both)),
        json!(["free", "paid"])
    );
    assert_eq!(of(default(Option::<u8>::schema(), &Some(3))), json!(3));
    assert_eq!(
        of(default(Option::<u8>::schema(), &None::<u8>)),
        Value::Null
    );
    assert_eq!(of(default(f64::schema(), &f64::NAN)), Value::Null);
}

#[derive(Debug)]
struct Answer {
    plan: Plan,
    count: u8,
}

impl Form for Answer {
    fn schema() -> FormSchema {
        FormSchema::new()
            .required("plan", Plan::schema())
            .optional("count", u8::schema())
    }

    fn read(content: &Raw) -> Result<Self, FormError> {
        let fields = fields::<Self>(content)?;
        Ok(Self {
            plan: read(&fields, "plan", Plan::read)?,
            count: read_or(&fields, "count", u8::read, || 7)?,
        })
    }

    fn duplicate(&self) -> Self {
        Self {
            plan: self.plan.duplicate(),
            count: self.count,
        }
    }
}

#[test]
fn a_field_that_is_left_empty_has_its_default() {
    let answer = |content: Value| Answer::read(&Raw::from(content));
    let given = answer(json!({ "plan": "paid", "count": 3 })).expect("it fits");
    assert_eq!((given.plan, given.count), (Plan::Paid, 3));
    for content in [
        json!({ "plan": "free" }),
        json!({ "plan": "free", "count": null }),
    ] {
        assert_eq!(answer(content).expect("it fits").count, 7);
    }
}

#[test]
fn a_field_of_another_kind_is_named() {
    let answer = |content: Value| Answer::read(&Raw::from(content)).expect_err("it does not fit");
    assert_eq!(answer(json!({})).to_string(), "plan: required, but missing");
    // The schema allows it, but the type does not hold it.
    let error = answer(json!({ "plan": "free", "count": 256 }));
    assert_eq!(error.to_string(), "count: missing, or of another kind");
}
