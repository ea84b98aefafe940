use serde_json::{Value, json};

use super::*;
use crate::methods::{CallTool, Discover, GetPrompt, ListTools, ReadResource};
use crate::{
    CallToolParams, CallToolResult, ClientCapabilities, ElicitUrl, Implementation, ListRootsParams,
    ListToolsResult, ListenResult, Meta, ProtocolVersion,
};

const SERVER: &str = r#"{"name":"s","version":"1"}"#;

fn server() -> Raw {
    Raw::from_json(SERVER.to_owned()).unwrap()
}

fn value(raw: &Raw) -> Value {
    raw.parse().unwrap()
}

fn call(json: &str) -> Result<Decoded<CallToolResult>, ResultError> {
    decode_result::<CallTool>(json)
}

#[test]
fn a_result_without_a_type_is_complete() {
    for json in [
        r#"{"content":[]}"#,
        r#"{"resultType":null,"content":[]}"#,
        r#"{"resultType":"complete","content":[]}"#,
        r#"{"content":[],"resultType":"complete"}"#,
    ] {
        assert_eq!(
            call(json).unwrap(),
            Decoded::Complete(CallToolResult::new())
        );
    }
}

#[test]
fn an_unknown_type_is_named() {
    let error = call(r#"{"resultType":"later","content":[]}"#).unwrap_err();
    assert!(matches!(&error, ResultError::UnknownType(found) if found == "later"));
    assert!(error.to_string().contains("\"later\""), "{error}");
    let error = call(r#"{"resultType":5,"content":[]}"#).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("malformed result: resultType: "),
        "{error}"
    );
    let twice = r#"{"resultType":"complete","content":[],"resultType":"input_required"}"#;
    assert!(matches!(call(twice), Err(ResultError::Malformed(_))));
    for json in ["5", "null", "[]", r#"["complete"]"#, "{"] {
        assert!(
            matches!(call(json), Err(ResultError::Malformed(_))),
            "{json}"
        );
    }
}

#[test]
fn a_question_with_metadata_is_a_question() {
    let json = json!({
        "resultType": "input_required",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}},
        "inputRequests": {"k": {"method": "roots/list"}},
        "requestState": "x",
    });
    let text = json.to_string();
    let Decoded::InputRequired(question) = call(&text).unwrap() else {
        panic!("complete");
    };
    assert_eq!(question.requests().count(), 1);
    assert_eq!(question.request_state.as_deref(), Some("x"));
    assert_eq!(
        value(&encode_input_required(question, &server()).unwrap()),
        json
    );
}

#[test]
fn only_three_methods_may_be_answered_with_a_question() {
    let json = r#"{"resultType":"input_required","requestState":"x"}"#;
    assert!(matches!(
        decode_result::<CallTool>(json),
        Ok(Decoded::InputRequired(_))
    ));
    assert!(matches!(
        decode_result::<GetPrompt>(json),
        Ok(Decoded::InputRequired(_))
    ));
    assert!(matches!(
        decode_result::<ReadResource>(json),
        Ok(Decoded::InputRequired(_))
    ));
    assert!(matches!(
        decode_result::<ListTools>(json),
        Err(ResultError::UnexpectedQuestion)
    ));
    assert!(matches!(
        decode_result::<Discover>(json),
        Err(ResultError::UnexpectedQuestion)
    ));
    let asking: Vec<_> = methods::all(&ProtocolVersion::V2026_07_28)
        .filter(|info| info.may_ask)
        .map(|info| (info.name, info.target))
        .collect();
    assert_eq!(
        asking,
        [
            ("tools/call", Some("name")),
            ("prompts/get", Some("name")),
            ("resources/read", Some("uri"))
        ]
    );
    assert_eq!(
        methods::lookup("initialize", &ProtocolVersion::V2026_07_28),
        None
    );
}

#[test]
fn a_question_that_asks_nothing_is_refused_both_ways() {
    for json in [
        r#"{"resultType":"input_required"}"#,
        r#"{"resultType":"input_required","inputRequests":{}}"#,
    ] {
        assert!(
            matches!(call(json), Err(ResultError::EmptyQuestion)),
            "{json}"
        );
    }
    assert!(encode_input_required(InputRequired::new(), &server()).is_err());
    encode_input_required(InputRequired::new().state(""), &server()).unwrap();
}

#[test]
fn a_result_is_stamped_with_its_type_and_the_server() {
    let text = encode_result(CallToolResult::text("hi"), &server()).unwrap();
    assert_eq!(
        value(&text),
        json!({
            "resultType": "complete",
            "content": [{"type": "text", "text": "hi"}],
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}},
        })
    );
    let question = InputRequired::new().ask("k", ListRootsParams::new());
    assert_eq!(
        value(&encode_input_required(question, &server()).unwrap()),
        json!({
            "resultType": "input_required",
            "inputRequests": {"k": {"method": "roots/list"}},
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}},
        })
    );
}

#[test]
fn a_server_that_is_named_already_stays() {
    let mut meta = Meta::new();
    meta.insert(meta::SERVER_INFO, json!({"name": "mine", "version": "2"}));
    meta.insert("com.example/x", json!(1));
    let text = encode_result(CallToolResult::new().meta(meta.clone()), &server()).unwrap();
    let Decoded::Complete(result) = call(text.get()).unwrap() else {
        panic!("question");
    };
    assert_eq!(result.meta, Some(meta));
    let found = meta::server_info(result.meta.as_ref());
    assert_eq!(found, Some(Implementation::new("mine", "2")));
    assert_eq!(meta::server_info(None), None);
}

#[test]
fn lists_carry_their_cache_hints() {
    let text = encode_result(ListToolsResult::new([]), &server()).unwrap();
    let members = value(&text);
    assert_eq!(members["ttlMs"], json!(0));
    assert_eq!(members["cacheScope"], json!("private"));
}

#[test]
fn the_end_of_a_subscription_names_it() {
    for (id, json) in [
        (RequestId::from(1), json!(1)),
        (RequestId::from("1"), json!("1")),
    ] {
        let text = encode_listen_result(ListenResult::new(), &id, &server()).unwrap();
        assert_eq!(
            value(&text),
            json!({
                "resultType": "complete",
                "_meta": {
                    "io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"},
                    "io.modelcontextprotocol/subscriptionId": json,
                },
            })
        );
    }
}

#[test]
fn a_custom_result_is_not_a_tool_result() {
    let json = json!({"resultType": "complete", "_meta": {"com.example/x": 1}, "skills": ["a"]});
    let result: Extra = decode_custom_result(&json.to_string()).unwrap();
    assert_eq!(result.get("skills").map(Raw::get), Some(r#"["a"]"#));
    let text = encode_custom_result(&result, &server()).unwrap();
    assert_eq!(
        value(&text),
        json!({
            "resultType": "complete",
            "_meta": {
                "com.example/x": 1,
                "io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"},
            },
            "skills": ["a"],
        })
    );
    let question = r#"{"resultType":"input_required","requestState":"x"}"#;
    assert!(matches!(
        decode_custom_result::<Extra>(question),
        Err(ResultError::UnexpectedQuestion)
    ));
    assert!(encode_custom_result(&json!({"resultType": "later"}), &server()).is_err());
    assert!(encode_custom_result(&json!([1]), &server()).is_err());
}

#[test]
fn params_carry_the_envelope() {
    let mut meta = RequestMeta::new(ProtocolVersion::V2026_07_28, ClientCapabilities::new())
        .client_info(Implementation::new("c", "1"));
    meta.extra.insert("traceparent", "00-01");
    let params = encode_params(&CallToolParams::new("add"), &meta).unwrap();
    let json = json!({
        "name": "add",
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
            "traceparent": "00-01",
        },
    });
    assert_eq!(value(&params), json);
    let keys = envelope(Some(params.get())).unwrap();
    assert_eq!(keys.protocol_version, r#""2026-07-28""#);
    assert_eq!(decode::<RequestMeta>(keys.meta).unwrap(), meta);
}

#[test]
fn params_without_metadata_have_no_envelope() {
    for params in [
        None,
        Some("{}"),
        Some(r#"{"_meta":null}"#),
        Some(r#"{"_meta":5}"#),
        Some(r#"{"_meta":["2026-07-28",{}]}"#),
        Some(r#"{"_meta":{},"_meta":{}}"#),
        Some("[]"),
    ] {
        assert_eq!(
            envelope(params).unwrap_err(),
            EnvelopeError::NoMeta,
            "{params:?}"
        );
    }
}

#[test]
fn missing_keys_are_named() {
    let missing = |meta: Value| envelope(Some(&json!({"_meta": meta}).to_string())).unwrap_err();
    assert_eq!(
        missing(json!({})),
        EnvelopeError::MissingKeys(vec![meta::PROTOCOL_VERSION, meta::CLIENT_CAPABILITIES])
    );
    let error = missing(json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"}));
    assert_eq!(
        error,
        EnvelopeError::MissingKeys(vec![meta::CLIENT_CAPABILITIES])
    );
    assert!(error.to_string().contains(meta::CLIENT_CAPABILITIES));
    assert_eq!(
        missing(json!({"io.modelcontextprotocol/clientCapabilities": {}})),
        EnvelopeError::MissingKeys(vec![meta::PROTOCOL_VERSION])
    );
}

#[test]
fn a_key_of_another_type_is_there() {
    let params = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": null,
        "io.modelcontextprotocol/clientCapabilities": 5,
    }})
    .to_string();
    assert_eq!(envelope(Some(&params)).unwrap().protocol_version, "null");
}

#[test]
fn a_url_has_no_id() {
    let url = ElicitUrl::new("m", "https://example.com").elicitation_id("e-1");
    let encoded = encode_input_required(InputRequired::new().ask("k", url), &server()).unwrap();
    assert_eq!(
        value(&encoded)["inputRequests"]["k"],
        json!({
            "method": "elicitation/create",
            "params": {"mode": "url", "message": "m", "url": "https://example.com"},
        })
    );
}
