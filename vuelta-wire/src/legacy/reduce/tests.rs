use serde_json::{Value, json};

use super::*;
use crate::legacy::{encode_answer, encode_question, encode_result};
use crate::{
    Annotations, ContentBlock, EmbeddedResource, ImageContent, InputRequest, Meta, PromptMessage,
    ResourceContents, Role, ToolResultContent, ToolUseContent,
};

const V2024_11_05: ProtocolVersion = ProtocolVersion::V2024_11_05;
const V2025_03_26: ProtocolVersion = ProtocolVersion::V2025_03_26;
const V2025_06_18: ProtocolVersion = ProtocolVersion::V2025_06_18;
const V2025_11_25: ProtocolVersion = ProtocolVersion::V2025_11_25;

fn called(result: CallToolResult, revision: &ProtocolVersion) -> Value {
    encode_result(result, revision).unwrap().parse().unwrap()
}

fn content(block: impl Into<ContentBlock>, revision: &ProtocolVersion) -> Value {
    let result = CallToolResult::new().content([block.into()]);
    called(result, revision)["content"][0].take()
}

fn sound() -> AudioContent {
    AudioContent::new("aGVsbG8=", "audio/wav").annotations(Annotations::new().priority(1))
}

#[test]
fn sound_is_content_since_2025_03_26() {
    let block = serde_json::to_value(sound()).unwrap();
    for revision in [V2025_03_26, V2025_06_18, V2025_11_25] {
        assert_eq!(content(sound(), &revision), block);
    }
    assert_eq!(
        content(sound(), &V2024_11_05),
        json!({
            "type": "text",
            "text": "[sound (audio/wav) left out: revision 2024-11-05 cannot carry it]",
            "annotations": {"priority": 1},
        })
    );
}

#[test]
fn links_are_content_since_2025_06_18() {
    let link = ResourceLink::new("file:///a.rs", "a.rs");
    let block = serde_json::to_value(&link).unwrap();
    for revision in [V2025_06_18, V2025_11_25] {
        assert_eq!(content(link.clone(), &revision), block);
    }
    let described = link.clone().title("Main").description("Where it starts");
    for revision in [V2024_11_05, V2025_03_26] {
        assert_eq!(
            content(link.clone(), &revision),
            json!({"type": "text", "text": "a.rs: file:///a.rs"})
        );
        assert_eq!(
            content(described.clone(), &revision),
            json!({"type": "text", "text": "Main: file:///a.rs\nWhere it starts"})
        );
    }
}

#[test]
fn other_blocks_are_the_same_in_every_revision() {
    let unknown = json!({"type": "hologram", "x": 1.0});
    for block in [
        ContentBlock::text("t"),
        ImageContent::new("aGVsbG8=", "image/png").into(),
        EmbeddedResource::new(ResourceContents::text("file:///a", "t")).into(),
        ContentBlock::Other(unknown.into()),
    ] {
        let sent = serde_json::to_value(&block).unwrap();
        for revision in ProtocolVersion::LEGACY {
            assert_eq!(content(block.clone(), &revision), sent);
        }
    }
}

#[test]
fn the_messages_of_a_prompt_are_reduced_too() {
    let prompt = || GetPromptResult::new([PromptMessage::new(Role::User, sound())]);
    let kind = |revision: &ProtocolVersion| -> Value {
        let result: Value = encode_result(prompt(), revision).unwrap().parse().unwrap();
        result["messages"][0]["content"]["type"].clone()
    };
    assert_eq!(kind(&V2024_11_05), "text");
    assert_eq!(kind(&V2025_03_26), "audio");
}

#[test]
fn structured_content_is_an_object() {
    let object = json!({"a": 1});
    for revision in ProtocolVersion::LEGACY {
        let result = CallToolResult::text("t").structured_content(object.clone());
        assert_eq!(
            called(result, &revision),
            json!({"content": [{"type": "text", "text": "t"}], "structuredContent": object})
        );
        for data in [json!([1]), json!("x"), json!(1), json!(true), json!(null)] {
            let result = CallToolResult::text("t").structured_content(data);
            assert_eq!(
                called(result, &revision),
                json!({"content": [{"type": "text", "text": "t"}]})
            );
        }
    }
}

/// "For backwards compatibility, a tool that returns structured content SHOULD also return the
/// serialized JSON in a TextContent block."
#[test]
fn data_that_would_be_lost_is_said_as_text() {
    for revision in ProtocolVersion::LEGACY {
        let data = Raw::from_json("[1.50]".to_owned()).unwrap();
        let result = CallToolResult::new().structured_content(data);
        assert_eq!(
            called(result, &revision),
            json!({"content": [{"type": "text", "text": "[1.50]"}]})
        );
    }
    let result = || CallToolResult::new().structured_content(json!({"a": 1}));
    for revision in [V2024_11_05, V2025_03_26] {
        assert_eq!(
            called(result(), &revision)["content"],
            json!([{"type": "text", "text": "{\"a\":1}"}])
        );
    }
    for revision in [V2025_06_18, V2025_11_25] {
        assert_eq!(called(result(), &revision)["content"], json!([]));
    }
}

fn listed(tool: &Tool) -> Value {
    let mut seen = ProtocolVersion::LEGACY.map(|revision| -> Value {
        let list = ListToolsResult::new([tool.clone()]);
        encode_result(list, &revision).unwrap().parse().unwrap()
    });
    let first = seen[0]["tools"][0].take();
    for other in &seen[1..] {
        assert_eq!(other["tools"][0], first);
    }
    first
}

#[test]
fn an_output_schema_is_of_objects() {
    let tool = Tool::new("n", json!({"type": "object"}));
    let bare = json!({"name": "n", "inputSchema": {"type": "object"}});
    for schema in [
        json!({"type": "array"}),
        json!({"type": ["object", "null"]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}),
        json!({}),
        json!(true),
    ] {
        assert_eq!(listed(&tool.clone().output_schema(schema)), bare);
    }
    let schema = json!({"properties": {"b": {}}, "type": "object", "$comment": "c"});
    assert_eq!(
        listed(&tool.output_schema(schema.clone()))["outputSchema"],
        schema
    );
}

#[test]
fn properties_of_schemas_are_objects() {
    let schema = r#"{"type":"object","properties":{"z":true,"a":false,"m":{"properties":{"x":true}}},"maximum":1.50}"#;
    let schema = Raw::from_json(schema.to_owned()).unwrap();
    let mut tool = Tool::new("n", schema.clone()).output_schema(schema);
    reduce_tool(&mut tool);
    let reduced = r#"{"type":"object","properties":{"z":{},"a":{"not":{}},"m":{"properties":{"x":true}}},"maximum":1.50}"#;
    assert_eq!(tool.input_schema.get(), reduced);
    assert_eq!(tool.output_schema.unwrap().get(), reduced);
}

#[test]
fn schemas_that_need_it_not_stay_as_they_were_written() {
    for schema in [
        r#"{ "type" : "object" }"#,
        r#"{ "type": "object", "properties": {} }"#,
        r#"{ "type": "object", "properties": { "a": {} } }"#,
        r#"{ "properties": true }"#,
        r#"{ "properties": [true] }"#,
        r#"{"properties":{},"properties":{"a":true}}"#,
        "true",
        "[]",
    ] {
        let mut raw = Raw::from_json(schema.to_owned()).unwrap();
        reduce_schema(&mut raw);
        assert_eq!(raw.get(), schema);
    }
}

fn asked(params: CreateMessageParams, revision: &ProtocolVersion) -> Result<Value, String> {
    let question = InputRequest::from(params);
    let encoded = encode_question(&question, revision, "e").map_err(|error| error.to_string())?;
    Ok(encoded.parse().unwrap())
}

fn text(text: &str) -> SamplingBlock {
    TextContent::new(text).into()
}

#[test]
fn a_sampled_message_has_one_block_before_2025_11_25() {
    let mut meta = Meta::new();
    meta.insert("com.example/k", json!(1));
    let several =
        SamplingMessage::new(Role::Assistant, vec![text("one"), text("two")]).meta(meta.clone());
    let none = SamplingMessage::new(Role::User, Vec::new());
    let params = CreateMessageParams::new([several, none], 1_u64);

    let message = |text| json!({"role": "assistant", "content": {"type": "text", "text": text}, "_meta": meta});
    for revision in [V2024_11_05, V2025_03_26, V2025_06_18] {
        let asked = asked(params.clone(), &revision).unwrap();
        assert_eq!(asked["messages"], json!([message("one"), message("two")]));
    }
    assert_eq!(
        asked(params.clone(), &V2025_11_25).unwrap(),
        serde_json::to_value(params).unwrap()
    );
}

#[test]
fn a_sampled_message_has_sound_since_2025_03_26() {
    let message = SamplingMessage::new(Role::User, SamplingBlock::from(sound()));
    let params = CreateMessageParams::new([message], 1_u64);
    let kind = |revision| {
        let mut asked = asked(params.clone(), revision).unwrap();
        asked["messages"][0]["content"]["type"].take()
    };
    assert_eq!(kind(&V2024_11_05), "text");
    assert_eq!(kind(&V2025_03_26), "audio");
    assert_eq!(kind(&V2025_06_18), "audio");
}

#[test]
fn tools_are_in_sampled_messages_since_2025_11_25() {
    let question = InputRequest::from(CreateMessageParams::new([], 1_u64));
    for block in [
        SamplingBlock::from(ToolUseContent::new("i", "n", json!({}))),
        ToolResultContent::new("i").into(),
    ] {
        let message = SamplingMessage::new(Role::User, vec![text("t"), block.clone()]);
        let params = CreateMessageParams::new([message], 1_u64);
        let answer = CreateMessageResult::new(Role::Assistant, block, "m");
        let answer = Raw::encode(&answer).unwrap();
        assert!(asked(params.clone(), &V2025_11_25).is_ok());
        assert_eq!(
            encode_answer(&question, &answer, &V2025_11_25).unwrap(),
            answer
        );
        for revision in [V2024_11_05, V2025_03_26, V2025_06_18] {
            let refusal = format!("revision {revision} has no tools in sampled messages");
            assert_eq!(asked(params.clone(), &revision).unwrap_err(), refusal);
            let error = encode_answer(&question, &answer, &revision).unwrap_err();
            assert_eq!(error.to_string(), refusal);
        }
    }
}

#[test]
fn what_a_model_is_shown_of_tools_is_reduced_too() {
    let result = ToolResultContent::new("i").structured_content(json!([1]));
    let message = SamplingMessage::new(Role::User, SamplingBlock::from(result));
    let schema = json!({"type": "object", "properties": {"a": true}});
    let tool = Tool::new("n", schema).output_schema(json!({"type": "array"}));
    let params = CreateMessageParams::new([message], 1_u64).tools([tool]);
    assert_eq!(
        asked(params, &V2025_11_25).unwrap(),
        json!({
            "messages": [{"role": "user", "content": {
                "type": "tool_result", "toolUseId": "i", "content": [{"type": "text", "text": "[1]"}],
            }}],
            "maxTokens": 1,
            "tools": [{"name": "n", "inputSchema": {"type": "object", "properties": {"a": {}}}}],
        })
    );
}
