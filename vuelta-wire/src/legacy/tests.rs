use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::{
    Arguments, CacheScope, CallToolParams, CallToolResult, ClientCapabilities, CreateMessageParams,
    Declared, ElicitForm, ElicitUrl, FormSchema, InputResponses, ListRootsParams, ListToolsResult,
    LogParams, LoggingLevel, NoParams, ProgressParams, ReadResourceResult, RequestId, Role,
    SamplingBlock, SamplingMessage, TextContent, Tool,
};

const NEWEST: ProtocolVersion = ProtocolVersion::V2025_11_25;

fn value(raw: &Raw) -> Value {
    raw.parse().unwrap()
}

/// Metadata with every key that 2026-07-28 defines, and one of somebody else.
fn modern_meta() -> Meta {
    let mut meta = Meta::new();
    for key in [
        "io.modelcontextprotocol/protocolVersion",
        "io.modelcontextprotocol/clientInfo",
        "io.modelcontextprotocol/clientCapabilities",
        "io.modelcontextprotocol/logLevel",
        "io.modelcontextprotocol/serverInfo",
        "io.modelcontextprotocol/subscriptionId",
    ] {
        meta.insert(key, "x");
    }
    // A key of 2025-11-25, which tasks are named by.
    meta.insert(
        "io.modelcontextprotocol/related-task",
        json!({"taskId": "t"}),
    );
    meta
}

#[test]
fn params_have_metadata_only_if_it_holds_something() {
    let encode = |progress: Option<&ProgressToken>, extra: &Extra| {
        value(&encode_params(&NoParams::new(), progress, extra).unwrap())
    };
    assert_eq!(encode(None, &Extra::new()), json!({}));
    let token = ProgressToken(RequestId::from(7));
    assert_eq!(
        encode(Some(&token), &Extra::new()),
        json!({"_meta": {"progressToken": 7}})
    );
    let mut extra = Extra::new();
    extra.insert("com.example/k", "v");
    assert_eq!(
        encode(None, &extra),
        json!({"_meta": {"com.example/k": "v"}})
    );
    extra.insert("progressToken", "another");
    assert_eq!(
        encode(Some(&token), &extra),
        json!({"_meta": {"com.example/k": "v", "progressToken": 7}})
    );
}

#[test]
fn params_lack_what_only_2026_07_28_defines() {
    let mut answers = InputResponses::new();
    answers.insert("k", json!({"action": "cancel"}));
    let params = CallToolParams::new("n")
        .arguments(
            Arguments::encode(&json!({"requestState": 1}))
                .unwrap()
                .unwrap(),
        )
        .input_responses(answers)
        .request_state("s");
    assert_eq!(
        value(&encode_params(&params, None, &modern_meta()).unwrap()),
        json!({
            "name": "n",
            "arguments": {"requestState": 1},
            "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t"}},
        })
    );
    let mut only_modern = modern_meta();
    only_modern.remove("io.modelcontextprotocol/related-task");
    assert_eq!(
        value(&encode_params(&NoParams::new(), None, &only_modern).unwrap()),
        json!({})
    );
}

#[test]
fn the_handshake_is_written_as_it_is() {
    let mut capabilities = ClientCapabilities::new().roots(Declared::new());
    let roots = capabilities.roots.as_mut().unwrap();
    roots.extra.insert("listChanged", json!(true));
    let params = InitializeParams::new(NEWEST, capabilities, Implementation::new("c", "1"));
    assert_eq!(
        value(&encode_params(&params, None, &Extra::new()).unwrap()),
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"roots": {"listChanged": true}},
            "clientInfo": {"name": "c", "version": "1"},
        })
    );
}

#[test]
fn results_lack_what_only_2026_07_28_defines() {
    for revision in ProtocolVersion::LEGACY {
        let read = ReadResourceResult::new([])
            .ttl_ms(Duration::from_secs(1))
            .cache_scope(CacheScope::Public)
            .meta(modern_meta());
        assert_eq!(
            value(&encode_result(read, &revision).unwrap()),
            json!({
                "contents": [],
                "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t"}},
            })
        );
        let mut done = EmptyResult::new().meta(Meta::new());
        done.extra.insert("resultType", "complete");
        assert_eq!(value(&encode_result(done, &revision).unwrap()), json!({}));
    }
}

#[test]
fn the_fields_of_a_tool_are_not_those_of_its_result() {
    let schema = json!({"type": "object", "properties": {"ttlMs": {}, "resultType": {}}});
    let listed = ListToolsResult::new([Tool::new("n", schema.clone())]);
    assert_eq!(
        value(&encode_result(listed, &NEWEST).unwrap()),
        json!({"tools": [{"name": "n", "inputSchema": schema}]})
    );
}

#[test]
fn custom_results_lack_it_too() {
    let mut meta = serde_json::to_value(modern_meta()).unwrap();
    let result = json!({"resultType": "complete", "ttlMs": 1, "cacheScope": "public",
        "answer": 42, "_meta": meta});
    assert_eq!(
        value(&encode_custom_result(&result).unwrap()),
        json!({
            "answer": 42,
            "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t"}},
        })
    );
    meta.as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/related-task");
    assert_eq!(
        value(&encode_custom_result(&json!({"_meta": meta})).unwrap()),
        json!({})
    );
    assert_eq!(
        value(&encode_custom_result(&json!({"_meta": null})).unwrap()),
        json!({})
    );
}

#[test]
fn a_custom_result_is_an_object_that_is_complete() {
    for result in [
        json!(1),
        json!(null),
        json!([]),
        json!({"resultType": "input_required", "requestState": "s"}),
        json!({"_meta": 1}),
    ] {
        assert!(encode_custom_result(&result).is_err(), "{result}");
    }
}

#[test]
fn notifications_lack_it_too() {
    let told = ProgressParams::new(RequestId::from(1), 0.5).meta(modern_meta());
    let encoded = encode_notification(ServerNotification::Progress(told)).unwrap();
    assert_eq!(
        value(&encoded.unwrap()),
        json!({
            "progressToken": 1,
            "progress": 0.5,
            "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t"}},
        })
    );
    let told = LogParams::new(LoggingLevel::Info, "text").meta(Meta::new());
    let encoded = encode_notification(ServerNotification::Message(told)).unwrap();
    assert_eq!(
        value(&encoded.unwrap()),
        json!({"level": "info", "data": "text"})
    );
    let custom = ServerNotification::Custom {
        method: "com.example/told".to_owned(),
        params: None,
    };
    assert_eq!(encode_notification(custom).unwrap(), None);
}

#[test]
fn members_of_2026_07_28_mean_nothing_in_a_result_whatever_their_form() {
    let expected = ReadResourceResult::new([]);
    for odd in [
        json!({}),
        json!({"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"}),
        json!({"resultType": "input_required", "ttlMs": "soon", "cacheScope": 1}),
        json!({"resultType": 1, "ttlMs": null}),
    ] {
        let mut result = odd;
        result["contents"] = json!([]);
        let decoded: ReadResourceResult = decode_result(&result.to_string()).unwrap();
        assert_eq!(decoded, expected, "{result}");
    }
    let decoded: CallToolResult =
        decode_result(r#"{"resultType":"complete","content":[],"isError":true}"#).unwrap();
    assert!(decoded.failed());
}

#[test]
fn a_result_that_is_none_is_an_error_that_says_where() {
    for json in ["", "1", "[]", "null", r#"{"content":1}"#] {
        assert!(decode_result::<CallToolResult>(json).is_err(), "{json}");
    }
    for json in [
        r#"{"content":[{"type":"text","text":5}]}"#,
        r#"{"ttlMs":1,"content":[{"type":"text","text":5}]}"#,
    ] {
        let error = decode_result::<CallToolResult>(json).unwrap_err();
        assert_eq!(error.path(), "content[0]", "{json}");
    }
    let twice = r#"{"contents":[],"contents":[]}"#;
    assert!(decode_result::<ReadResourceResult>(twice).is_err());
}

fn ask(
    question: impl Into<InputRequest>,
    revision: &ProtocolVersion,
) -> Result<Value, serde_json::Error> {
    encode_question(&question.into(), revision, "elicitation-1").map(|params| value(&params))
}

#[test]
fn a_question_for_roots_is_the_same_in_every_revision() {
    for revision in ProtocolVersion::LEGACY {
        assert_eq!(ask(ListRootsParams::new(), &revision).unwrap(), json!({}));
    }
}

#[test]
fn questions_of_unknown_kinds_are_not_asked() {
    let method = InputRequest::Other(json!({"method": "x/y"}).into());
    let mode: ElicitParams = decode(r#"{"mode":"voice","message":"m"}"#).unwrap();
    for question in [method, mode.into()] {
        for revision in ProtocolVersion::LEGACY {
            let error = ask(question.clone(), &revision).unwrap_err();
            assert_eq!(error.to_string(), "a question of an unknown kind");
        }
    }
}

#[test]
fn an_answer_is_left_as_it_is_unless_a_model_gave_it() {
    let odd = Raw::from_json(r#"{ "x": 1.50, "action": "accept" }"#.to_owned()).unwrap();
    for question in [
        InputRequest::from(ElicitForm::new("m", FormSchema::new())),
        ElicitUrl::new("m", "https://example.com").into(),
        ListRootsParams::new().into(),
    ] {
        for revision in ProtocolVersion::LEGACY {
            let answer = encode_answer(&question, &odd, &revision).unwrap();
            assert_eq!(answer, odd);
        }
    }
    let sampling = CreateMessageParams::new([], 1_u64).into();
    assert!(encode_answer(&sampling, &odd, &NEWEST).is_err());
}

#[test]
fn a_model_that_said_several_things_said_them_in_one_block_before_2025_11_25() {
    let question = CreateMessageParams::new([SamplingMessage::user("?")], 1_u64).into();
    let text = |text: &str| SamplingBlock::from(TextContent::new(text));
    let answer = |blocks: Vec<SamplingBlock>, revision: &ProtocolVersion| {
        let answer = CreateMessageResult::new(Role::Assistant, blocks, "m").stop_reason("endTurn");
        let answer = Raw::encode(&answer).unwrap();
        value(&encode_answer(&question, &answer, revision).unwrap())["content"].take()
    };
    let said = vec![text("one"), text("two")];
    assert_eq!(
        answer(said.clone(), &NEWEST),
        json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
    );
    for revision in &ProtocolVersion::LEGACY[1..] {
        assert_eq!(
            answer(said.clone(), revision),
            json!({"type": "text", "text": "one\ntwo"})
        );
        assert_eq!(
            answer(vec![text("one")], revision),
            json!({"type": "text", "text": "one"})
        );
        assert_eq!(
            answer(Vec::new(), revision),
            json!({"type": "text", "text": ""})
        );
    }
}
