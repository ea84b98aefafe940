use serde_json::{Value, json};

use super::*;
use crate::{
    CreateMessageResult, ElicitAction, ElicitResult, FormSchema, ListRootsResult, SamplingMessage,
    StringSchema, decode,
};

fn question(json: &Value) -> InputRequired {
    decode(&json.to_string()).unwrap()
}

#[test]
fn a_question_with_metadata_keeps_everything() {
    let json = json!({
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}},
        "inputRequests": {"k": {"method": "roots/list"}},
        "requestState": "x",
    });
    let decoded = question(&json);
    assert_eq!(
        decoded.requests().map(|(key, _)| key).collect::<Vec<_>>(),
        ["k"]
    );
    assert_eq!(decoded.request_state.as_deref(), Some("x"));
    assert_eq!(
        crate::meta::server_info(decoded.meta.as_ref())
            .unwrap()
            .name,
        "s"
    );
    assert_eq!(serde_json::to_value(&decoded).unwrap(), json);
}

#[test]
fn the_state_is_opaque_text() {
    let json = r#"{"requestState":"a+/=%25 \"q\" \\ \u2028 \ud83d\ude00"}"#;
    let state = decode::<InputRequired>(json)
        .unwrap()
        .request_state
        .unwrap();
    assert_eq!(state, "a+/=%25 \"q\" \\ \u{2028} \u{1f600}");
    let again = serde_json::to_string(&InputRequired::new().state(state.clone())).unwrap();
    assert_eq!(
        decode::<InputRequired>(&again).unwrap().request_state,
        Some(state)
    );
}

#[test]
fn questions_are_told_apart_by_their_method() {
    let form = json!({"mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}});
    let sample = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "t"}}], "maxTokens": 10});
    let json = json!({"inputRequests": {
        "z": {"method": "elicitation/create", "params": form},
        "a": {"method": "sampling/createMessage", "params": sample},
        "m": {"method": "roots/list"},
        "n": {"method": "roots/list", "params": {"_meta": {"x": 1}}},
        "o": {"method": "com.example/ask", "params": [1]},
    }});
    // Keys in the order in which they are to be asked, whatever order the map above has.
    let built = InputRequired::new()
        .ask(
            "z",
            ElicitForm::new("m", FormSchema::new().required("a", StringSchema::new())),
        )
        .ask(
            "a",
            CreateMessageParams::new([SamplingMessage::user("t")], 10_u64),
        )
        .ask("m", ListRootsParams::new())
        .ask("n", ListRootsParams::new().meta(meta()))
        .ask(
            "o",
            InputRequest::Other(json["inputRequests"]["o"].clone().into()),
        );
    assert_eq!(serde_json::to_value(&built).unwrap(), json);
    assert_eq!(
        built.requests().map(|(key, _)| key).collect::<Vec<_>>(),
        ["z", "a", "m", "n", "o"]
    );

    let again: InputRequired = decode(&serde_json::to_string(&built).unwrap()).unwrap();
    assert_eq!(again, built);
    let methods: Vec<_> = again
        .requests()
        .map(|(_, request)| request.method())
        .collect();
    assert_eq!(
        methods,
        [
            "elicitation/create",
            "sampling/createMessage",
            "roots/list",
            "roots/list",
            "com.example/ask"
        ]
    );
    let unknown: Vec<_> = again
        .requests()
        .filter(|(_, request)| !request.is_known())
        .map(|(key, _)| key)
        .collect();
    assert_eq!(unknown, ["o"]);
}

fn meta() -> Meta {
    let mut meta = Meta::new();
    meta.insert("x", json!(1));
    meta
}

#[test]
fn a_malformed_question_is_an_error_with_its_key() {
    for (request, message) in [
        ("5", "expected an object with a text under `method`"),
        ("{}", "expected an object with a text under `method`"),
        (
            r#"{"method":"elicitation/create"}"#,
            "missing field `params`",
        ),
        (
            r#"{"method":"sampling/createMessage","params":{"messages":[]}}"#,
            "params: missing field `maxTokens`",
        ),
    ] {
        let json = format!(r#"{{"inputRequests":{{"k":{request}}}}}"#);
        let error = decode::<InputRequired>(&json).unwrap_err().to_string();
        assert!(error.starts_with("inputRequests.k: "), "{error}");
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_result_needs_a_question_or_a_state() {
    for (json, is_empty) in [
        (json!({}), true),
        (json!({"inputRequests": {}}), true),
        (json!({"inputRequests": null, "requestState": null}), true),
        (json!({"requestState": ""}), false),
        (json!({"inputRequests": {}, "requestState": ""}), false),
        (
            json!({"inputRequests": {"k": {"method": "roots/list"}}}),
            false,
        ),
    ] {
        assert_eq!(question(&json).is_empty(), is_empty, "{json}");
    }
}

#[test]
fn asking_again_under_a_key_replaces_the_question() {
    let result = InputRequired::new()
        .ask("a", ListRootsParams::new())
        .ask("b", ListRootsParams::new())
        .ask("a", ElicitUrl::new("m", "https://example.com"));
    let methods: Vec<_> = result
        .requests()
        .map(|(key, request)| (key, request.method()))
        .collect();
    assert_eq!(
        methods,
        [
            ("a", "elicitation/create".to_owned()),
            ("b", "roots/list".to_owned())
        ]
    );
}

#[test]
fn answers_are_read_when_they_are_asked_for() {
    let json = json!({
        "form": {"action": "accept", "content": {"region": "eu-west-1"}},
        "sample": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "t"}},
        "roots": {"roots": [{"uri": "file:///a"}]},
        "nobody asked": 5,
    });
    let answers: InputResponses = decode(&json.to_string()).unwrap();
    assert_eq!(answers.len(), 4);
    let form: ElicitResult = answers.parse("form").unwrap().unwrap();
    assert_eq!(form.action, ElicitAction::Accept);
    let sample: CreateMessageResult = answers.parse("sample").unwrap().unwrap();
    assert_eq!(sample.content.as_text(), Some("t"));
    let roots: ListRootsResult = answers.parse("roots").unwrap().unwrap();
    assert_eq!(roots.roots[0].uri, "file:///a");
    assert!(answers.parse::<ElicitResult>("none").unwrap().is_none());
    assert!(answers.parse::<ElicitResult>("sample").is_err());
    assert_eq!(serde_json::to_value(&answers).unwrap(), json);
    assert!(decode::<InputResponses>("[1]").is_err());
}

#[test]
fn answers_are_put_under_the_keys_of_the_questions() {
    let mut answers = InputResponses::new();
    assert!(answers.is_empty());
    answers.insert("b", Raw::encode(&ElicitResult::decline()).unwrap());
    answers.insert("a", Raw::encode(&ElicitResult::cancel()).unwrap());
    assert_eq!(
        serde_json::to_string(&answers).unwrap(),
        r#"{"a":{"action":"cancel"},"b":{"action":"decline"}}"#
    );
    assert_eq!(
        answers.iter().map(|(key, _)| key).collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert_eq!(
        answers.get("a").map(Raw::get),
        Some(r#"{"action":"cancel"}"#)
    );
}
