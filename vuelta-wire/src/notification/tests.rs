use serde_json::{Value, json};

use super::*;

fn kept(method: &str, params: &Value) -> ServerNotification {
    let text = params.to_string();
    let decoded = ServerNotification::decode(method, Some(&text)).unwrap();
    assert_eq!(decoded.method(), method);
    let encoded = decoded.encode_params().unwrap().unwrap();
    assert_eq!(encoded.parse::<Value>().unwrap(), *params, "{method}");
    decoded
}

#[test]
fn notifications_are_told_apart_by_their_method() {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": 1});
    let progress = kept(
        "notifications/progress",
        &json!({"progressToken": "t", "progress": 1, "total": 2.5, "message": "m"}),
    );
    assert!(
        matches!(progress, ServerNotification::Progress(params) if params.progress == 1.into())
    );
    kept(
        "notifications/message",
        &json!({"level": "info", "data": null}),
    );
    kept(
        "notifications/cancelled",
        &json!({"requestId": "a", "reason": "r"}),
    );
    kept(
        "notifications/subscriptions/acknowledged",
        &json!({"notifications": {"toolsListChanged": true}, "_meta": meta}),
    );
    kept("notifications/tools/list_changed", &json!({"_meta": meta}));
    kept("notifications/prompts/list_changed", &json!({}));
    kept("notifications/resources/list_changed", &json!({}));
    kept(
        "notifications/resources/updated",
        &json!({"uri": "file:///a", "_meta": meta}),
    );
    let custom = kept("com.example/told", &json!({"a": [1]}));
    assert!(matches!(custom, ServerNotification::Custom { .. }));
}

#[test]
fn params_may_be_left_out_where_nothing_is_required() {
    let method = "notifications/tools/list_changed";
    let decoded = ServerNotification::decode(method, None).unwrap();
    assert_eq!(
        decoded,
        ServerNotification::ToolsListChanged(ListChangedParams::new())
    );
    assert!(ServerNotification::decode("notifications/progress", None).is_err());
    let custom = ServerNotification::decode("com.example/told", None).unwrap();
    assert_eq!(custom.encode_params().unwrap(), None);
}

#[test]
fn metadata_can_be_filled_in() {
    let mut told = ServerNotification::ResourceUpdated(ResourceUpdatedParams::new("file:///a"));
    told.meta_mut()
        .unwrap()
        .get_or_insert_default()
        .insert(crate::meta::SUBSCRIPTION_ID, json!(7));
    assert_eq!(
        told.encode_params().unwrap().unwrap().get(),
        r#"{"uri":"file:///a","_meta":{"io.modelcontextprotocol/subscriptionId":7}}"#
    );
    let mut custom = ServerNotification::decode("com.example/told", None).unwrap();
    assert_eq!(custom.meta_mut(), None);
}

#[test]
fn levels_are_ordered_by_severity() {
    let names = [
        "debug",
        "info",
        "notice",
        "warning",
        "error",
        "critical",
        "alert",
        "emergency",
    ];
    let levels: Vec<LoggingLevel> = names
        .iter()
        .map(|name| decode(&format!("\"{name}\"")).unwrap())
        .collect();
    assert!(levels.is_sorted());
    assert!(decode::<LoggingLevel>("\"trace\"").is_err());
}

#[test]
fn a_progress_token_is_text_or_an_integer() {
    for token in [r#""t""#, "1", "9007199254740993"] {
        let json = format!(r#"{{"progressToken":{token},"progress":0.5}}"#);
        let params: ProgressParams = decode(&json).unwrap();
        assert_eq!(serde_json::to_string(&params).unwrap(), json);
    }
    for token in ["null", "1.5", "true"] {
        let json = format!(r#"{{"progressToken":{token},"progress":0.5}}"#);
        assert!(decode::<ProgressParams>(&json).is_err(), "{json}");
    }
    let endless = ServerNotification::Progress(ProgressParams::new(RequestId::from(1), f64::NAN));
    assert!(endless.encode_params().is_err());
}
