use serde_json::json;

use super::*;
use crate::{
    Arguments, CallToolParams, CallToolResult, Implementation, InputResponses, Meta, RequestMeta,
    Resource, TextContent, Tool, decode,
};

fn fails<T: serde::de::DeserializeOwned>(json: &str, with: &str) {
    let Err(error) = decode::<T>(json) else {
        panic!("{json} decodes");
    };
    assert!(error.to_string().contains(with), "{json}: {error}");
}

#[test]
fn a_member_given_twice_is_refused() {
    fails::<Implementation>(r#"{"name":"a","version":"1","name":"b"}"#, "name");
    fails::<TextContent>(r#"{"type":"text","type":"text","text":"a"}"#, "type");
    fails::<TextContent>(r#"{"type":"text","text":"a","x":1,"x":2}"#, "x");
    fails::<CallToolResult>(r#"{"content":[],"content":[]}"#, "content");
    fails::<CallToolResult>(r#"{"isError":null,"isError":true}"#, "isError");
    fails::<CallToolResult>(
        r#"{"structuredContent":null,"structuredContent":1}"#,
        "structuredContent",
    );
    fails::<Meta>(r#"{"a":1,"a":1}"#, "a");
    fails::<OrderedMap<Raw>>(r#"{"a":1,"b":2,"a":1}"#, "a");
    fails::<InputResponses>(r#"{"a":1,"a":2}"#, "a");
    // The same name, written in two ways.
    fails::<Implementation>(
        "{\"name\":\"a\",\"version\":\"1\",\"n\\u0061me\":\"b\"}",
        "name",
    );
}

#[test]
fn unknown_members_are_kept_and_written_back() {
    let json = r#"{"name":"a","version":"1","x":[1,{"y":null}],"z":1.50}"#;
    let value: Implementation = decode(json).unwrap();
    assert_eq!(
        value.extra.get("x").map(Raw::get),
        Some(r#"[1,{"y":null}]"#)
    );
    assert_eq!(value.extra.len(), 2);
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
}

#[test]
fn unknown_members_can_be_changed() {
    let mut value = Implementation::new("a", "1");
    assert!(value.extra.is_empty());
    value.extra.insert("x", 1.to_string().as_str());
    value.extra.insert("x", json!(2));
    assert_eq!(
        value
            .extra
            .iter()
            .map(|(name, raw)| (name, raw.get()))
            .collect::<Vec<_>>(),
        [("x", "2")]
    );
    assert_eq!(value.extra.remove("x"), Some(json!(2).into()));
    assert_eq!(value.extra, Extra::new());
}

#[test]
fn a_required_member_must_be_there_and_have_its_type() {
    fails::<Implementation>(r#"{"name":"a"}"#, "version");
    fails::<Implementation>(r#"{"name":null,"version":"1"}"#, "name");
    fails::<TextContent>(r#"{"text":"a"}"#, "type");
    fails::<TextContent>(r#"{"type":"image","text":"a"}"#, "expected \"text\"");
    fails::<Implementation>("[]", "an object (Implementation)");
}

#[test]
fn null_is_absent_unless_the_schema_says_any() {
    let value: Implementation =
        decode(r#"{"name":"a","version":"1","title":null,"icons":null}"#).unwrap();
    assert_eq!(value, Implementation::new("a", "1"));
    assert_eq!(
        serde_json::to_string(&value).unwrap(),
        r#"{"name":"a","version":"1"}"#
    );

    let null: CallToolResult = decode(r#"{"structuredContent":null}"#).unwrap();
    assert!(null.structured_content.as_ref().is_some_and(Raw::is_null));
    assert_eq!(
        serde_json::to_string(&null).unwrap(),
        r#"{"content":[],"structuredContent":null}"#
    );
    let absent: CallToolResult = decode("{}").unwrap();
    assert_eq!(absent.structured_content, None);
    assert_eq!(serde_json::to_string(&absent).unwrap(), r#"{"content":[]}"#);
}

#[test]
fn structured_content_is_any_value() {
    for value in ["[1]", r#""s""#, "3", "null", r#"{"x":1}"#, "0.10"] {
        let json = format!(r#"{{"content":[],"structuredContent":{value}}}"#);
        let result: CallToolResult = decode(&json).unwrap();
        assert_eq!(
            result.structured_content.as_ref().map(Raw::get),
            Some(value)
        );
        assert_eq!(serde_json::to_string(&result).unwrap(), json);
    }
}

#[test]
fn content_is_always_written() {
    for json in [
        "{}",
        r#"{"content":null}"#,
        r#"{"structuredContent":{"x":1}}"#,
    ] {
        let result: CallToolResult = decode(json).unwrap();
        assert_eq!(result.content, []);
        assert!(
            serde_json::to_string(&result)
                .unwrap()
                .contains(r#""content":[]"#)
        );
    }
}

#[test]
fn integers_keep_64_bits() {
    let json = r#"{"uri":"u","name":"n","size":9007199254740993}"#;
    let resource: Resource = decode(json).unwrap();
    assert_eq!(resource.size, Some(9_007_199_254_740_993));
    assert_eq!(serde_json::to_string(&resource).unwrap(), json);
}

#[test]
fn setters_and_constructors_build_what_decodes() {
    let tool = Tool::new("add", json!({"type": "object"}))
        .title("Add")
        .description("Adds.");
    let json =
        r#"{"name":"add","inputSchema":{"type":"object"},"title":"Add","description":"Adds."}"#;
    assert_eq!(serde_json::to_string(&tool).unwrap(), json);
    assert_eq!(decode::<Tool>(json).unwrap(), tool);
}

#[test]
fn decoding_does_not_depend_on_the_source() {
    let json = json!({"name": "add", "inputSchema": {"type": "object"}, "x": 1});
    let from_value: Tool = serde_json::from_value(json.clone()).unwrap();
    let from_reader: Tool = serde_json::from_reader(json.to_string().as_bytes()).unwrap();
    assert_eq!(from_value.extra.get("x").map(Raw::get), Some("1"));
    assert_eq!(from_reader, from_value);
}

#[test]
fn the_metadata_that_another_layer_owns_is_skipped() {
    let params: CallToolParams = decode(r#"{"name":"x","_meta":{"a":1},"y":1}"#).unwrap();
    assert_eq!(
        serde_json::to_string(&params).unwrap(),
        r#"{"name":"x","y":1}"#
    );
    let meta: RequestMeta = decode(concat!(
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
        r#""io.modelcontextprotocol/clientCapabilities":{},"traceparent":"00"}"#
    ))
    .unwrap();
    assert_eq!(meta.extra.get("traceparent").map(Raw::get), Some(r#""00""#));
}

#[test]
fn maps_keep_their_order() {
    let json = r#"{"z":1,"a":2,"m":3}"#;
    let mut map: OrderedMap<u8> = decode(json).unwrap();
    assert_eq!(map.keys().collect::<Vec<_>>(), ["z", "a", "m"]);
    assert_eq!(serde_json::to_string(&map).unwrap(), json);
    map.insert("a", 4);
    assert_eq!(
        map.iter().collect::<Vec<_>>(),
        [("z", &1), ("a", &4), ("m", &3)]
    );
    assert_eq!(map, OrderedMap::from([("z", 1), ("a", 4), ("m", 3)]));
    assert_eq!(
        (map.len(), map.is_empty(), map.contains_key("q")),
        (3, false, false)
    );
}

#[test]
fn arguments_are_an_object() {
    for json in ["[]", "1", "null", r#""{}""#] {
        assert!(decode::<Arguments>(json).is_err(), "{json}");
    }
    assert!(Arguments::encode(&[1]).is_err());
    assert_eq!(Arguments::encode(&()).unwrap(), None);
    let arguments = Arguments::encode(&json!({"n": 1, "s": "x"}))
        .unwrap()
        .unwrap();
    assert_eq!(arguments.parse_one::<u8>("n").unwrap(), Some(1));
    assert_eq!(arguments.parse_one::<u8>("m").unwrap(), None);
    let error = arguments.parse_one::<u8>("s").unwrap_err();
    assert_eq!(error.path(), "s");
    assert!(error.to_string().starts_with("s: invalid type"), "{error}");
    let twice: Arguments = decode(r#"{"n":1,"n":2}"#).unwrap();
    assert!(twice.parse_one::<u8>("n").is_err());
}
