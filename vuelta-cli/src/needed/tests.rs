use serde_json::json;
use vuelta::wire::{ElicitUrl, OrderedMap};
use vuelta::{ElicitForm, FormSchema, InputRequest, NumberSchema, Raw, StringFormat, StringSchema};

use super::Needed;

fn region() -> InputRequest {
    let schema = FormSchema::new().required("region", StringSchema::new());
    ElicitForm::new("Which region?", schema).into()
}

fn contact() -> InputRequest {
    let schema = FormSchema::new()
        .required("name", StringSchema::new())
        .required("mail", StringSchema::new().format(StringFormat::Email))
        .optional("age", NumberSchema::integer().minimum(18));
    ElicitForm::new("Who are\nyou?", schema).into()
}

fn values(values: &[(&str, &str)]) -> OrderedMap<Raw> {
    values
        .iter()
        .map(|&(name, value)| (name, Raw::from(value)))
        .collect()
}

#[test]
fn each_answer_to_add_is_named() {
    let mut needed = Needed::default();
    assert!(needed.is_nothing());
    needed.add("region", &region(), &values(&[]), false);
    needed.add("who is it", &contact(), &values(&[("name", "Ana")]), false);
    assert!(!needed.is_nothing());
    assert_eq!(
        needed.to_string(),
        "input needed: add --answer region=VALUE --answer 'who is it.mail=VALUE'
  region: Which region?
    --answer region=VALUE   text
    --answer region=decline   to refuse
  who is it: Who are you?
    --answer 'who is it.mail=VALUE'   an e-mail address
    --answer 'who is it=decline'   to refuse"
    );
}

#[test]
fn a_form_that_is_filled_in_is_accepted_as_it_is() {
    let schema = FormSchema::new()
        .required("size", NumberSchema::integer().default(3))
        .optional("note", StringSchema::new());
    let mut needed = Needed::default();
    needed.add(
        "disk",
        &ElicitForm::new("How big?", schema).into(),
        &values(&[]),
        false,
    );
    assert_eq!(
        needed.to_string(),
        "input needed: add --answer disk=accept
  disk: How big?
    --answer disk=accept   as it is: size=3
    --answer disk=decline   to refuse"
    );
}

#[test]
fn a_url_is_shown_before_it_is_accepted() {
    let mut needed = Needed::default();
    let url = ElicitUrl::new("Sign in", "https://me@example.com/\u{202e}in");
    needed.add("auth", &url.into(), &values(&[]), true);
    assert_eq!(
        needed.to_string(),
        r"input needed: add --answer auth=accept
  auth: Sign in
    host: example.com
    warning: what is before the @ is a user name, not the host
    asked again: the answer of the round before was not taken
    --answer auth=accept   once you are willing to visit https://me@example.com/\u{202e}in
    --answer auth=decline   to refuse"
    );
}

#[test]
fn programs_read_the_questions_as_they_came() {
    let mut needed = Needed::default();
    needed.add("region", &region(), &values(&[]), false);
    assert_eq!(
        needed.to_json(),
        json!({
            "inputRequests": {
                "region": {
                    "method": "elicitation/create",
                    "params": {
                        "mode": "form",
                        "message": "Which region?",
                        "requestedSchema": {
                            "type": "object",
                            "properties": { "region": { "type": "string" } },
                            "required": ["region"],
                        },
                    },
                },
            },
            "unanswered": [
                { "key": "region", "field": "region", "answer": "--answer region=VALUE" },
            ],
        })
    );
}
