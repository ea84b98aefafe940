use serde_json::{Value, json};
use vuelta_wire::{ServerCapabilities, SubscriptionFilter};

use super::{Interest, Offered, common};
use crate::subscribe::ChangeEvent;

fn filter(json: Value) -> SubscriptionFilter {
    serde_json::from_value(json).unwrap()
}

fn offered(capabilities: Value) -> Offered {
    let capabilities: ServerCapabilities = serde_json::from_value(capabilities).unwrap();
    Offered::by(&capabilities)
}

fn everything() -> Value {
    json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["mem://a"],
    })
}

#[test]
fn what_the_server_does_not_offer_is_not_honoured() {
    let changes = json!({ "listChanged": true });
    for (capabilities, honoured) in [
        (json!({}), json!({})),
        (json!({ "tools": {} }), json!({})),
        (
            json!({ "tools": changes }),
            json!({ "toolsListChanged": true }),
        ),
        (
            json!({ "prompts": changes }),
            json!({ "promptsListChanged": true }),
        ),
        (
            json!({ "resources": changes }),
            json!({ "resourcesListChanged": true }),
        ),
        (
            json!({ "resources": { "subscribe": true } }),
            json!({ "resourceSubscriptions": ["mem://a"] }),
        ),
        (
            json!({
                "tools": changes,
                "prompts": changes,
                "resources": { "listChanged": true, "subscribe": true },
            }),
            everything(),
        ),
    ] {
        let narrowed = offered(capabilities).narrow(filter(everything()));
        assert_eq!(serde_json::to_value(narrowed).unwrap(), honoured);
    }
}

#[test]
fn what_asks_for_nothing_is_dropped() {
    let changes = json!({ "listChanged": true, "subscribe": true });
    let all = offered(json!({ "tools": changes, "prompts": changes, "resources": changes }));
    for asked in [
        json!({}),
        json!({ "toolsListChanged": false, "promptsListChanged": null }),
        json!({ "resourceSubscriptions": [] }),
        json!({ "weatherChanged": true }),
    ] {
        assert_eq!(all.narrow(filter(asked)), SubscriptionFilter::new());
    }
}

#[test]
fn what_two_filters_have_in_common_is_in_both() {
    let asked = filter(json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourceSubscriptions": ["mem://b", "mem://a", "mem://c"],
    }));
    let granted = filter(json!({
        "toolsListChanged": true,
        "promptsListChanged": false,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["mem://a", "mem://b", "mem://z"],
        "weatherChanged": true,
    }));
    let both = json!({ "toolsListChanged": true, "resourceSubscriptions": ["mem://b", "mem://a"] });
    assert_eq!(common(&asked, &granted), filter(both));
    let none = filter(json!({ "resourceSubscriptions": ["mem://z"] }));
    assert_eq!(common(&asked, &none), SubscriptionFilter::new());
}

#[test]
fn a_change_is_wanted_by_its_kind_and_its_exact_uri() {
    let lists = [
        ("toolsListChanged", ChangeEvent::ToolsListChanged),
        ("promptsListChanged", ChangeEvent::PromptsListChanged),
        ("resourcesListChanged", ChangeEvent::ResourcesListChanged),
    ];
    for (flag, wanted) in &lists {
        let interest = Interest::new(&filter(json!({ *flag: true })));
        for (_, event) in &lists {
            assert_eq!(interest.wants(event), event == wanted);
            assert_eq!(interest.admits(event), event == wanted);
        }
        let updated = ChangeEvent::resource_updated("mem://a");
        assert!(!interest.wants(&updated) && !interest.admits(&updated));
        assert!(interest.all().eq([wanted.clone()]));
    }

    let watched = json!({ "toolsListChanged": false, "resourceSubscriptions": ["mem://a"] });
    let interest = Interest::new(&filter(watched));
    let [a, part] = ["mem://a", "mem://a/1"].map(ChangeEvent::resource_updated);
    assert!(interest.wants(&a));
    assert!(!interest.wants(&part));
    assert!(!interest.wants(&ChangeEvent::ResourcesListChanged));
    assert!(interest.admits(&part), "a server may name a part of it");
    assert_eq!(interest.all().collect::<Vec<_>>(), [a]);
}
