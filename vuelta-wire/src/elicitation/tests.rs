use serde_json::{Value, json};

use super::*;
use crate::{
    BooleanSchema, EnumOption, MultiSelectSchema, NumberSchema, PlainItems, SingleSelectSchema,
    StringFormat, StringSchema, TitledItems, TitledSingleSelectSchema, decode,
};

fn params(json: &Value) -> ElicitParams {
    decode(&json.to_string()).unwrap()
}

#[test]
fn a_request_without_a_mode_is_a_form() {
    let schema = json!({"type": "object", "properties": {}});
    let form = ElicitForm::new("m", FormSchema::new());
    for mode in [json!({}), json!({"mode": "form"}), json!({"mode": null})] {
        let mut json = json!({"message": "m", "requestedSchema": schema});
        json.as_object_mut()
            .unwrap()
            .extend(mode.as_object().unwrap().clone());
        let decoded = params(&json);
        assert_eq!(decoded, ElicitParams::Form(form.clone()));
        assert_eq!(
            serde_json::to_value(decoded).unwrap(),
            json!({"mode": "form", "message": "m", "requestedSchema": schema})
        );
    }
}

#[test]
fn a_url_is_told_by_its_mode() {
    let json =
        json!({"mode": "url", "message": "m", "url": "https://example.com", "elicitationId": "e"});
    let decoded = params(&json);
    assert!(matches!(&decoded, ElicitParams::Url(url) if url.url == "https://example.com"));
    assert_eq!(decoded.message(), "m");
    assert_eq!(serde_json::to_value(decoded).unwrap(), json);
    assert!(decode::<ElicitParams>(r#"{"mode":"url","message":"m"}"#).is_err());
    assert!(decode::<ElicitParams>(r#"{"message":"m","url":"u"}"#).is_err());
    assert!(decode::<ElicitParams>(r#"{"mode":1,"message":"m"}"#).is_err());
}

#[test]
fn another_mode_is_kept() {
    let json = json!({"mode": "voice", "message": "m", "x": 1});
    let decoded = params(&json);
    assert_eq!(decoded, ElicitParams::Other(json.into()));
    assert_eq!(decoded.message(), "m");
}

#[test]
fn each_kind_of_field_is_told_apart() {
    let options = || [EnumOption::new("#FF0000", "Red")];
    let fields: [(Value, PrimitiveSchema); 10] = [
        (
            json!({"type": "string", "title": "Name", "minLength": 1, "maxLength": 9, "format": "email", "default": "a"}),
            StringSchema::new()
                .title("Name")
                .min_length(1_u64)
                .max_length(9_u64)
                .format(StringFormat::Email)
                .default("a")
                .into(),
        ),
        (
            json!({"type": "number", "minimum": 0, "maximum": 1.5, "default": 1}),
            NumberSchema::number()
                .minimum(0)
                .maximum(1.5)
                .default(1)
                .into(),
        ),
        (json!({"type": "integer"}), NumberSchema::integer().into()),
        (
            json!({"type": "boolean", "default": false}),
            BooleanSchema::new().default(false).into(),
        ),
        (
            json!({"type": "string", "enum": ["a", "b"], "default": "a"}),
            SingleSelectSchema::new(["a", "b"].map(String::from))
                .default("a")
                .into(),
        ),
        (
            json!({"type": "string", "enum": ["a"], "enumNames": ["A"]}),
            SingleSelectSchema::new(["a".to_owned()])
                .names(["A".to_owned()])
                .into(),
        ),
        (
            json!({"type": "string", "oneOf": [{"const": "#FF0000", "title": "Red"}]}),
            TitledSingleSelectSchema::new(options()).into(),
        ),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 1}),
            MultiSelectSchema::new(PlainItems::new(["a".to_owned()]))
                .min_items(1_u64)
                .into(),
        ),
        (
            json!({"type": "array", "items": {"anyOf": [{"const": "#FF0000", "title": "Red"}]}, "maxItems": 2, "default": ["#FF0000"]}),
            MultiSelectSchema::new(TitledItems::new(options()))
                .max_items(2_u64)
                .default(["#FF0000".to_owned()])
                .into(),
        ),
        (
            json!({"type": "object", "properties": {}}),
            PrimitiveSchema::Other(json!({"type": "object", "properties": {}}).into()),
        ),
    ];
    for (json, schema) in fields {
        assert_eq!(
            decode::<PrimitiveSchema>(&json.to_string()).unwrap(),
            schema
        );
        assert_eq!(serde_json::to_value(schema).unwrap(), json);
    }
}

#[test]
fn a_field_without_a_type_is_kept() {
    for json in [
        "{}",
        r#"{"type":["string","null"]}"#,
        "true",
        r#"{"type":"array"}"#,
    ] {
        let field: PrimitiveSchema = decode(json).unwrap();
        assert!(matches!(field, PrimitiveSchema::Other(_)), "{json}");
        assert_eq!(serde_json::to_string(&field).unwrap(), json);
    }
}

#[test]
fn fields_keep_their_order_and_say_whether_they_are_required() {
    let schema = FormSchema::new()
        .required("zone", StringSchema::new())
        .optional("age", NumberSchema::integer())
        .required("name", StringSchema::new())
        .required("zone", StringSchema::new().title("Zone"));
    assert_eq!(
        serde_json::to_string(&schema).unwrap(),
        concat!(
            r#"{"type":"object","properties":{"zone":{"type":"string","title":"Zone"},"#,
            r#""age":{"type":"integer"},"name":{"type":"string"}},"required":["zone","name"]}"#
        )
    );
    assert!(schema.is_required("zone") && !schema.is_required("age"));
    assert!(!FormSchema::new().is_required("zone"));
}

#[test]
fn an_answer_says_what_the_user_did() {
    for (answer, json) in [
        (
            ElicitResult::accept(json!({"a": 1})),
            r#"{"action":"accept","content":{"a":1}}"#,
        ),
        (ElicitResult::accept_url(), r#"{"action":"accept"}"#),
        (ElicitResult::decline(), r#"{"action":"decline"}"#),
        (ElicitResult::cancel(), r#"{"action":"cancel"}"#),
    ] {
        assert_eq!(serde_json::to_string(&answer).unwrap(), json);
        assert_eq!(decode::<ElicitResult>(json).unwrap(), answer);
    }
    assert!(decode::<ElicitResult>(r#"{"action":"maybe"}"#).is_err());
    assert!(decode::<ElicitResult>("{}").is_err());
}

#[test]
fn content_counts_only_when_accepted() {
    let parse = |json| decode::<ElicitResult>(json).unwrap().accepted::<Value>();
    let content = json!({"a": 1});
    assert_eq!(
        parse(r#"{"action":"accept","content":{"a":1}}"#).unwrap(),
        Some(content)
    );
    assert_eq!(parse(r#"{"action":"accept"}"#).unwrap(), None);
    assert_eq!(
        parse(r#"{"action":"accept","content":null}"#).unwrap(),
        None
    );
    assert_eq!(
        parse(r#"{"action":"decline","content":{"a":1}}"#).unwrap(),
        None
    );
}

/// Defaults of every kind (SEP-1034), and fields without one.
#[test]
fn the_defaults_are_the_content_of_an_untouched_form() {
    let schema: FormSchema = decode(
        &json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {"type": "string", "enum": ["active", "idle"], "default": "active"},
                "plan": {"type": "string", "oneOf": [{"const": "p", "title": "P"}], "default": "p"},
                "colours": {
                    "type": "array",
                    "items": {"type": "string", "enum": ["red", "blue"]},
                    "default": ["red", "blue"],
                },
                "verified": {"type": "boolean", "default": false},
                "empty": {"type": "string"},
                "unknown": {"type": "colour", "default": "red"},
            },
            "required": ["empty"],
        })
        .to_string(),
    )
    .unwrap();
    assert_eq!(
        schema.defaults(),
        json!({
            "name": "John Doe",
            "age": 30,
            "score": 95.5,
            "status": "active",
            "plan": "p",
            "colours": ["red", "blue"],
            "verified": false,
        })
    );
    assert_eq!(FormSchema::new().defaults(), json!({}));
}

#[test]
fn a_default_that_json_cannot_write_is_none() {
    let field = NumberSchema::number().default(f64::NAN);
    let schema = FormSchema::new().optional("n", field);
    assert_eq!(schema.defaults(), json!({}));
}
