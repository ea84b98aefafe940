use serde_json::{Value, json};

use super::*;
use crate::{CallToolResult, CreateMessageResult, ReadResourceResult, SamplingBlock, decode};

/// Asserts that decoding and encoding changes nothing.
fn kept<T: serde::de::DeserializeOwned + Serialize>(json: &Value) -> T {
    let decoded: T = decode(&json.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&decoded).unwrap(), *json);
    decoded
}

#[test]
fn blocks_are_chosen_by_their_type() {
    let result: CallToolResult = kept(&json!({"content": [
        {"type": "text", "text": "a"},
        {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
        {"type": "audio", "data": "aGVsbG8=", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a", "name": "a", "size": 1},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "a"}},
        {"type": "resource", "resource": {"uri": "file:///a", "blob": "aGVsbG8="}},
    ]}));
    assert!(matches!(
        result.content[..],
        [
            ContentBlock::Text(_),
            ContentBlock::Image(_),
            ContentBlock::Audio(_),
            ContentBlock::ResourceLink(_),
            ContentBlock::Resource(EmbeddedResource {
                resource: ResourceContents::Text(_),
                ..
            }),
            ContentBlock::Resource(EmbeddedResource {
                resource: ResourceContents::Blob(_),
                ..
            }),
        ]
    ));
    assert_eq!(result.as_text(), "a");
}

#[test]
fn an_odd_block_does_not_lose_the_result() {
    let odd = json!({"type": "hologram", "data": {"x": [1, null]}});
    let result: CallToolResult = kept(&json!({"content": [odd, {"type": "text", "text": "a"}]}));
    assert_eq!(result.content[0], ContentBlock::Other(odd.into()));
    assert_eq!(result.as_text(), "a");
}

#[test]
fn an_unknown_role_is_kept() {
    let text: TextContent = kept(&json!({
        "type": "text",
        "text": "a",
        "annotations": {"audience": ["user", "system"], "priority": 0.6},
    }));
    let annotations = text.annotations.unwrap();
    assert_eq!(
        annotations.audience.unwrap(),
        [Role::User, Role::from("system")]
    );
    assert_eq!(annotations.priority, Some(0.6.into()));
    assert_eq!(Role::from("system").as_str(), "system");
    let message: PromptMessage =
        kept(&json!({"role": "tool", "content": {"type": "text", "text": "a"}}));
    assert_eq!(message.role.to_string(), "tool");
}

#[test]
fn contents_of_neither_kind_are_kept() {
    let result: ReadResourceResult = kept(&json!({
        "contents": [{"uri": "file:///a", "chunks": ["a"]}, {"uri": "file:///b", "text": "b"}],
        "ttlMs": 0,
        "cacheScope": "private",
    }));
    assert!(matches!(result.contents[0], ResourceContents::Other(_)));
    assert_eq!(result.contents[1], ResourceContents::text("file:///b", "b"));
}

#[test]
fn sampled_content_is_one_block_or_several() {
    let one: CreateMessageResult = kept(&json!({
        "role": "assistant", "model": "m", "content": {"type": "text", "text": "a"},
    }));
    assert_eq!(one, CreateMessageResult::text("m", "a"));
    assert_eq!(one.content.as_text(), Some("a"));
    let many: CreateMessageResult = kept(&json!({
        "role": "assistant", "model": "m", "stopReason": "toolUse",
        "content": [
            {"type": "tool_use", "id": "1", "name": "add", "input": {}},
            {"type": "tool_result", "toolUseId": "1", "content": [], "structuredContent": null},
            {"type": "thought"},
        ],
    }));
    assert!(matches!(
        many.content.blocks(),
        [
            SamplingBlock::ToolUse(_),
            SamplingBlock::ToolResult(_),
            SamplingBlock::Other(_)
        ]
    ));
}

#[test]
fn an_error_names_the_path() {
    for (block, message) in [
        (
            r#"{"type":"text","text":5}"#,
            "text: invalid type: integer `5`, expected a string",
        ),
        (r#"{"type":"text"}"#, "missing field `text`"),
        (
            r#"{"text":"a"}"#,
            "expected an object with a text under `type`",
        ),
        (
            r#"{"type":5}"#,
            "expected an object with a text under `type`",
        ),
        (r#""hello""#, "expected an object with a text under `type`"),
        (
            r#"{"type":"image","type":"text","text":"a"}"#,
            "expected an object with a text under `type`",
        ),
        (
            r#"{"type":"resource","resource":{"uri":"u","text":1}}"#,
            "resource: text: invalid type",
        ),
    ] {
        let json = format!(r#"{{"content":[{{"type":"text","text":"a"}},{block}]}}"#);
        let error = decode::<CallToolResult>(&json).unwrap_err();
        assert_eq!(error.path(), "content[1]");
        let expected = format!("content[1]: {message}");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
    let error = decode::<CallToolResult>("[]").unwrap_err();
    assert_eq!(error.path(), "");
    let error = decode::<CallToolResult>("{} {}").unwrap_err();
    assert!(error.to_string().contains("trailing characters"), "{error}");
}
