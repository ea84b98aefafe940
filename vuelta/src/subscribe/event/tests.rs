use serde_json::json;
use vuelta_wire::{AcknowledgedParams, ServerNotification, SubscriptionFilter};

use super::ChangeEvent;

fn all() -> [ChangeEvent; 4] {
    [
        ChangeEvent::ToolsListChanged,
        ChangeEvent::PromptsListChanged,
        ChangeEvent::ResourcesListChanged,
        ChangeEvent::resource_updated("mem://a"),
    ]
}

#[test]
fn a_change_has_the_notification_of_the_specification() {
    let methods = [
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    ];
    for (event, method) in all().into_iter().zip(methods) {
        let notification = event.clone().into_notification();
        assert_eq!(notification.method(), method);
        let decoded = ServerNotification::decode(method, Some(r#"{"uri":"mem://a"}"#)).unwrap();
        assert_eq!(ChangeEvent::of(&decoded), Some(event));
    }
    let other = AcknowledgedParams::new(SubscriptionFilter::new());
    assert_eq!(
        ChangeEvent::of(&ServerNotification::Acknowledged(other)),
        None
    );
}

#[test]
fn a_change_survives_a_bus_that_sends_json() {
    let forms = [
        json!({ "type": "toolsListChanged" }),
        json!({ "type": "promptsListChanged" }),
        json!({ "type": "resourcesListChanged" }),
        json!({ "type": "resourceUpdated", "uri": "mem://a" }),
    ];
    for (event, form) in all().into_iter().zip(forms) {
        assert_eq!(serde_json::to_value(&event).unwrap(), form);
        assert_eq!(serde_json::from_value::<ChangeEvent>(form).unwrap(), event);
    }
    let later = json!({ "type": "somethingNew" });
    assert!(serde_json::from_value::<ChangeEvent>(later).is_err());
}
