//! What a stream is told: the acknowledgement first, then what was asked for, and no more.

use std::sync::Arc;

use serde_json::{Value, json};
use vuelta::subscribe::{ChangeStream, LocalBus, SubscriptionBus};
use vuelta::{
    CallToolResult, ChangeEvent, Client, Context, Error, ListToolsResult, McpServer, Server,
    Subscriptions, prompt, resource, tool,
};

use super::stream::{
    ACKNOWLEDGED, PROMPTS, RESOURCES, SUBSCRIPTION_ID, Stream, TOOLS, Told, UPDATED,
};

fn functions() -> Server {
    McpServer::new("Shelf", "1.0.0").build().unwrap()
}

fn everything() -> Value {
    json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["mem://a"],
    })
}

fn publish_everything(server: &Server) {
    server.notify_tools_list_changed();
    server.notify_prompts_list_changed();
    server.notify_resources_list_changed();
    server.notify_resource_updated("mem://a");
    server.notify_resource_updated("mem://b");
    server.notify_resource_updated("mem://a/part");
}

#[tokio::test]
async fn every_frame_names_the_subscription_by_the_id_of_its_request() {
    let server = functions();
    for (id, shown) in [(7.into(), json!(7)), ("7".into(), json!("7"))] {
        let mut stream = Stream::of(&server, id, everything(), None);
        let meta = json!({ SUBSCRIPTION_ID: shown });
        let acknowledged = json!({ "notifications": everything(), "_meta": meta });
        assert_eq!(stream.next().await, told(ACKNOWLEDGED, acknowledged));
        publish_everything(&server);
        let expected = [
            told(TOOLS, json!({ "_meta": meta })),
            told(PROMPTS, json!({ "_meta": meta })),
            told(RESOURCES, json!({ "_meta": meta })),
            told(UPDATED, json!({ "uri": "mem://a", "_meta": meta })),
        ];
        assert_eq!(stream.ready().await, expected);
    }
}

fn told(method: &str, params: Value) -> Told {
    Told {
        method: method.to_owned(),
        params,
    }
}

#[tokio::test]
async fn only_what_was_asked_for_is_told() {
    let server = functions();
    let updated = format!("{UPDATED} mem://a");
    for (asked, expected) in [
        (json!({}), None),
        (json!({ "toolsListChanged": true }), Some(TOOLS)),
        (json!({ "promptsListChanged": true }), Some(PROMPTS)),
        (json!({ "resourcesListChanged": true }), Some(RESOURCES)),
        (
            json!({ "resourceSubscriptions": ["mem://a"] }),
            Some(&*updated),
        ),
        (
            json!({ "toolsListChanged": true, "promptsListChanged": false }),
            Some(TOOLS),
        ),
        (json!({ "resourceSubscriptions": ["mem://"] }), None),
    ] {
        let mut stream = Stream::open(&server, asked.clone());
        stream.acknowledged().await;
        publish_everything(&server);
        let expected: Vec<&str> = expected.into_iter().collect();
        assert_eq!(stream.told().await, expected, "{asked}");
    }
}

#[tokio::test]
async fn what_the_server_has_not_is_not_honoured() {
    let server = Server::builder("s", "1")
        .on_list_tools(async |_, _| Ok::<_, Error>(ListToolsResult::new([])))
        .subscriptions(Subscriptions::new())
        .build()
        .unwrap();
    let tools = &server.discover().capabilities.tools;
    assert_eq!(tools.as_ref().unwrap().list_changed, Some(true));

    let mut stream = Stream::open(&server, everything());
    let honoured = json!({ "toolsListChanged": true });
    assert_eq!(stream.acknowledged().await, honoured);
    publish_everything(&server);
    assert_eq!(stream.told().await, [TOOLS]);

    for nothing in [
        json!({ "toolsListChanged": false, "resourceSubscriptions": [] }),
        json!({ "weatherChanged": true }),
    ] {
        let mut stream = Stream::open(&server, nothing);
        assert_eq!(stream.acknowledged().await, json!({}));
    }
}

/// Publishes a change in the moment in which a stream subscribes.
struct Hasty(LocalBus);

impl SubscriptionBus for Hasty {
    fn publish(&self, event: ChangeEvent) {
        self.0.publish(event);
    }

    fn subscribe(&self) -> ChangeStream {
        let changes = self.0.subscribe();
        self.0.publish(ChangeEvent::ToolsListChanged);
        changes
    }
}

#[tokio::test]
async fn a_change_that_comes_before_the_acknowledgement_is_told_after_it() {
    let settings = Subscriptions::new().bus(Hasty(LocalBus::new()));
    let server = McpServer::new("Shelf", "1.0.0")
        .subscriptions(settings)
        .build()
        .unwrap();
    let mut stream = Stream::open(&server, everything());
    assert_eq!(stream.told().await, [ACKNOWLEDGED, TOOLS]);
}

#[tokio::test]
async fn a_slow_client_is_told_once_what_changed_many_times() {
    let server = functions();
    let mut stream = Stream::open(&server, everything());
    stream.acknowledged().await;
    // More than wait on the way of a request: from then on changes are put together.
    for _ in 0..100 {
        server.notify_tools_list_changed();
        stream.stall().await;
    }
    for _ in 0..10 {
        server.notify_resource_updated("mem://a");
        server.notify_tools_list_changed();
        stream.stall().await;
    }
    let told = stream.told().await;
    assert!(told.len() < 70, "{}", told.len());
    let updated = format!("{UPDATED} mem://a");
    assert_eq!(told.iter().filter(|told| **told == updated).count(), 1);
    assert_eq!(told.last(), Some(&updated));

    server.notify_tools_list_changed();
    assert_eq!(stream.told().await, [TOOLS]);
}

#[tokio::test]
async fn a_client_that_missed_changes_is_told_that_all_it_watches_has_changed() {
    let server = functions();
    let asked = json!({
        "toolsListChanged": true,
        "resourceSubscriptions": ["mem://a", "mem://c"],
    });
    let mut stream = Stream::open(&server, asked);
    stream.acknowledged().await;
    // What was missed is nothing that is watched: nobody can know.
    for _ in 0..1025 {
        server.notify_prompts_list_changed();
    }
    server.notify_resource_updated("mem://a");
    let mut told = stream.told().await;
    told.sort_unstable();
    assert_eq!(
        told,
        [
            format!("{UPDATED} mem://a"),
            format!("{UPDATED} mem://a"),
            format!("{UPDATED} mem://c"),
            TOOLS.to_owned(),
        ]
    );
}

#[tokio::test]
async fn a_stream_ends_with_its_bus() {
    /// Has one change to tell.
    struct Brief;

    impl SubscriptionBus for Brief {
        fn publish(&self, _: ChangeEvent) {}

        fn subscribe(&self) -> ChangeStream {
            let bus = LocalBus::new();
            let changes = bus.subscribe();
            bus.publish(ChangeEvent::ToolsListChanged);
            changes
        }
    }

    let server = McpServer::new("Shelf", "1.0.0")
        .subscriptions(Subscriptions::new().bus(Brief))
        .build()
        .unwrap();
    let (told, end) = Stream::open(&server, everything()).end().await;
    assert_eq!(told, [ACKNOWLEDGED, TOOLS]);
    assert_eq!(end.unwrap()["resultType"], "complete");
}

/// Renames the page.
#[tool]
fn rename(cx: &Context) -> &'static str {
    cx.notify_resource_updated("mem://a");
    cx.publish(ChangeEvent::ResourcesListChanged);
    "renamed"
}

/// Comes later.
#[tool]
fn later() -> &'static str {
    "later"
}

/// Greets.
#[prompt]
fn greet() -> &'static str {
    "hello"
}

/// A page.
#[resource("mem://a")]
fn page() -> &'static str {
    "a"
}

#[tokio::test]
async fn handlers_and_registries_publish_to_every_server_on_the_bus() {
    // Two instances behind one address.
    let bus = Arc::new(LocalBus::new());
    let instance = || {
        McpServer::new("Shelf", "1.0.0")
            .subscriptions(Subscriptions::new().bus(Arc::clone(&bus)))
            .tool::<rename>()
            .prompt::<greet>()
            .resource::<page>()
    };
    let (first, second) = (instance(), instance());
    let (tools, prompts) = (first.tools(), first.prompts());
    let (first, second) = (first.build().unwrap(), second.build().unwrap());
    let mut streams = [&first, &second].map(|server| Stream::open(server, everything()));
    for stream in &mut streams {
        assert_eq!(stream.told().await, [ACKNOWLEDGED]);
    }

    let client = Client::builder().connect(&first).await.unwrap();
    client.call_tool("rename", json!({})).await.unwrap();
    tools.add::<later>().unwrap();
    prompts.disable("greet");
    for stream in &mut streams {
        let updated = format!("{UPDATED} mem://a");
        assert_eq!(stream.told().await, [&*updated, RESOURCES, TOOLS, PROMPTS]);
    }
}

#[tokio::test]
async fn a_server_without_subscriptions_tells_nobody() {
    let server = Server::builder("s", "1")
        .on_call_tool(async |cx: Context, _| {
            cx.notify_tools_list_changed();
            Ok::<_, Error>(CallToolResult::text("done"))
        })
        .build()
        .unwrap();
    server.notify_tools_list_changed();
    let client = Client::builder().connect(&server).await.unwrap();
    client.call_tool("any", json!({})).await.unwrap();
    let tools = &server.discover().capabilities.tools;
    assert_eq!(tools.as_ref().unwrap().list_changed, None);
    let error = Stream::open(&server, everything()).refused().await;
    assert_eq!(error.code, vuelta::ErrorCode::METHOD_NOT_FOUND);
}
