use serde_json::{Value, json};

use super::*;
use crate::legacy::encode_question;
use crate::{
    BooleanSchema, EnumOption, FormSchema, InputRequest, MultiSelectSchema, NumberSchema,
    PlainItems, StringSchema, TitledItems,
};

const V2025_06_18: ProtocolVersion = ProtocolVersion::V2025_06_18;
const V2025_11_25: ProtocolVersion = ProtocolVersion::V2025_11_25;

fn ask(
    question: impl Into<InputRequest>,
    revision: &ProtocolVersion,
) -> Result<Value, serde_json::Error> {
    let params = encode_question(&question.into(), revision, "elicitation-1")?;
    Ok(params.parse().unwrap())
}

fn fields(schema: FormSchema, revision: &ProtocolVersion) -> Value {
    ask(ElicitForm::new("m", schema), revision).unwrap()["requestedSchema"].take()
}

fn titled() -> TitledSingleSelectSchema {
    TitledSingleSelectSchema::new([
        EnumOption::new("#f00", "Red"),
        EnumOption::new("#0f0", "Green"),
    ])
    .title("Colour")
    .description("Of the paint")
    .default("#f00")
}

#[test]
fn a_form_has_a_mode_since_2025_11_25() {
    let form = || ElicitForm::new("m", FormSchema::new().required("a", StringSchema::new()));
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    assert_eq!(
        ask(form(), &V2025_11_25).unwrap(),
        json!({"message": "m", "mode": "form", "requestedSchema": schema})
    );
    assert_eq!(
        ask(form(), &V2025_06_18).unwrap(),
        json!({"message": "m", "requestedSchema": schema})
    );
}

#[test]
fn nothing_is_asked_before_2025_06_18() {
    for revision in [ProtocolVersion::V2024_11_05, ProtocolVersion::V2025_03_26] {
        let error = ask(ElicitForm::new("m", FormSchema::new()), &revision).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("revision {revision} cannot ask the user")
        );
    }
}

#[test]
fn a_choice_with_titles_is_a_list_with_names_before_2025_11_25() {
    let schema = || FormSchema::new().optional("c", titled());
    assert_eq!(
        fields(schema(), &V2025_06_18)["properties"]["c"],
        json!({
            "type": "string",
            "enum": ["#f00", "#0f0"],
            "enumNames": ["Red", "Green"],
            "title": "Colour",
            "description": "Of the paint",
            "default": "#f00",
        })
    );
    assert_eq!(
        fields(schema(), &V2025_11_25)["properties"]["c"],
        serde_json::to_value(titled()).unwrap()
    );
}

#[test]
fn several_values_are_asked_for_since_2025_11_25() {
    let plain = MultiSelectSchema::new(PlainItems::new(["a".to_owned()]));
    let titled = MultiSelectSchema::new(TitledItems::new([EnumOption::new("a", "A")]));
    for choice in [plain, titled] {
        let sent = serde_json::to_value(&choice).unwrap();
        let optional = FormSchema::new()
            .required("name", StringSchema::new())
            .optional("tags", choice.clone());
        assert_eq!(
            fields(optional.clone(), &V2025_11_25)["properties"]["tags"],
            sent
        );
        assert_eq!(
            fields(optional, &V2025_06_18),
            json!({
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            })
        );

        let required = FormSchema::new().required("tags", choice.clone());
        let error = ask(ElicitForm::new("m", required), &V2025_06_18).unwrap_err();
        assert_eq!(
            error.to_string(),
            "revision 2025-06-18 cannot ask for several values: \"tags\""
        );
        let alone = FormSchema::new().optional("tags", choice);
        let error = ask(ElicitForm::new("m", alone), &V2025_06_18).unwrap_err();
        assert_eq!(
            error.to_string(),
            "revision 2025-06-18 can ask for none of the fields of this form"
        );
    }
}

#[test]
fn other_fields_are_the_same_and_in_their_order() {
    let schema = FormSchema::new()
        .required("z", StringSchema::new())
        .optional("y", NumberSchema::integer())
        .optional("x", BooleanSchema::new())
        .optional("w", SingleSelectSchema::new(["a".to_owned()]))
        .optional(
            "v",
            PrimitiveSchema::Other(json!({"type": "colour"}).into()),
        );
    let form = ElicitForm::new("m", schema);
    let newer = encode_form(&form, &V2025_11_25).unwrap();
    let older = encode_form(&form, &V2025_06_18).unwrap();
    let rest = r#""requestedSchema":{"type":"object","properties":{"z":{"type":"string"},"y":{"type":"integer"},"x":{"type":"boolean"},"w":{"type":"string","enum":["a"]},"v":{"type":"colour"}},"required":["z"]}"#;
    assert_eq!(older.get(), format!(r#"{{"message":"m",{rest}}}"#));
    assert_eq!(
        newer.get(),
        format!(r#"{{"message":"m",{rest},"mode":"form"}}"#)
    );
}

#[test]
fn a_url_has_an_id_and_is_asked_for_since_2025_11_25() {
    let url = || ElicitUrl::new("m", "https://example.com");
    let sent = |id: &str| {
        json!({
            "mode": "url", "message": "m", "url": "https://example.com", "elicitationId": id,
        })
    };
    assert_eq!(ask(url(), &V2025_11_25).unwrap(), sent("elicitation-1"));
    assert_eq!(
        ask(url().elicitation_id("mine"), &V2025_11_25).unwrap(),
        sent("mine")
    );
    for revision in &ProtocolVersion::LEGACY[1..] {
        let error = ask(url(), revision).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("revision {revision} cannot ask for a visit to a URL")
        );
    }
}
