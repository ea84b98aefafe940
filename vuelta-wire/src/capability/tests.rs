use serde_json::{Value, json};

use super::*;
use crate::{
    CreateMessageParams, ElicitForm, ElicitParams, ElicitUrl, FormSchema, ListRootsParams,
    ToolChoice,
};

fn form() -> InputRequest {
    ElicitForm::new("m", FormSchema::new()).into()
}

fn url() -> InputRequest {
    ElicitUrl::new("m", "https://example.com").into()
}

fn sample() -> CreateMessageParams {
    CreateMessageParams::new([], 1_u64)
}

/// Asserts what each client lacks to be asked `request`: the members of a
/// `MissingRequiredClientCapability` error's `requiredCapabilities`, or nothing.
fn lacks(request: &InputRequest, required: &Value, lacking: &[Value], able: &[Value]) {
    for declared in lacking {
        let declared: ClientCapabilities = serde_json::from_value(declared.clone()).unwrap();
        let missing = declared.missing_for(request);
        assert_eq!(
            serde_json::to_value(missing).unwrap(),
            *required,
            "{declared:?}"
        );
    }
    for declared in able {
        let declared: ClientCapabilities = serde_json::from_value(declared.clone()).unwrap();
        assert_eq!(declared.missing_for(request), None, "{declared:?}");
    }
}

#[test]
fn a_form_needs_form_elicitation_which_a_bare_object_declares() {
    lacks(
        &form(),
        &json!({"elicitation": {"form": {}}}),
        &[
            json!({}),
            json!({"elicitation": null}),
            json!({"elicitation": {"url": {}}}),
            json!({"sampling": {}, "roots": {}}),
        ],
        &[
            json!({"elicitation": {}}),
            json!({"elicitation": {"form": {}}}),
            json!({"elicitation": {"form": {}, "url": {}}}),
            json!({"elicitation": {"future": {}}}),
        ],
    );
}

#[test]
fn a_url_needs_url_elicitation() {
    lacks(
        &url(),
        &json!({"elicitation": {"url": {}}}),
        &[
            json!({}),
            json!({"elicitation": {}}),
            json!({"elicitation": {"form": {}}}),
        ],
        &[
            json!({"elicitation": {"url": {}}}),
            json!({"elicitation": {"form": {}, "url": {}}}),
        ],
    );
}

#[test]
fn sampling_needs_sampling_and_tools_need_more() {
    lacks(
        &sample().into(),
        &json!({"sampling": {}}),
        &[json!({}), json!({"elicitation": {}})],
        &[json!({"sampling": {}}), json!({"sampling": {"tools": {}}})],
    );
    for request in [sample().tools([]), sample().tool_choice(ToolChoice::new())] {
        lacks(
            &request.into(),
            &json!({"sampling": {"tools": {}}}),
            &[
                json!({}),
                json!({"sampling": {}}),
                json!({"sampling": {"context": {}}}),
            ],
            &[json!({"sampling": {"tools": {}}})],
        );
    }
}

#[test]
fn roots_need_roots() {
    lacks(
        &ListRootsParams::new().into(),
        &json!({"roots": {}}),
        &[json!({}), json!({"elicitation": {}, "sampling": {}})],
        &[
            json!({"roots": {}}),
            json!({"roots": {"listChanged": true}}),
        ],
    );
}

#[test]
fn nothing_covers_what_is_unknown() {
    let everything = json!({
        "elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {},
    });
    let other = InputRequest::Other(json!({"method": "com.example/ask"}).into());
    lacks(&other, &json!({}), std::slice::from_ref(&everything), &[]);
    let mode = json!({"mode": "voice", "message": "m"});
    let mode: ElicitParams = serde_json::from_value(mode).unwrap();
    lacks(&mode.into(), &json!({}), &[everything], &[]);
}

#[test]
fn what_is_declared_is_kept() {
    let json = json!({
        "experimental": {"com.example/x": {"a": 1}},
        "roots": {"listChanged": true},
        "sampling": {"context": {}, "tools": {"a": 1}},
        "elicitation": {"form": {}, "url": {}},
        "extensions": {"com.example/y": {}},
        "com.example/z": {},
    });
    let capabilities: ClientCapabilities = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(capabilities).unwrap(), json);
}
