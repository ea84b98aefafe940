//! What a client makes of a subscription: its changes, and its end.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use vuelta::transport::{StreamServer, StreamTransport};
use vuelta::{
    ChangeEvent, Client, Error, ErrorCode, ListToolsResult, McpServer, Mode, Result, Server,
    Subscription, SubscriptionFilter, Subscriptions,
};
use vuelta_http::Listener;

use super::peer::{Asked, Peer, connect};
use super::stream::{PROMPTS, TOOLS, UPDATED};

const PATIENCE: Duration = Duration::from_secs(5);

const TRANSPORTS: [&str; 3] = ["memory", "pipe", "http"];

/// Connects a client to a server that is served until the test is over.
async fn over(transport: &str, server: &Server) -> Client {
    match transport {
        "memory" => Client::builder().connect(server).await,
        "pipe" => {
            let (ours, theirs) = tokio::io::duplex(4096);
            let (read, write) = tokio::io::split(theirs);
            tokio::spawn(StreamServer::new(server).unwrap().serve(read, write));
            let (read, write) = tokio::io::split(ours);
            let transport = StreamTransport::new(read, write);
            Client::builder().connect(transport).await
        }
        _ => {
            let listener = Listener::bind("127.0.0.1:0").await.unwrap();
            let url = vuelta_http::url(listener.url()).unwrap();
            tokio::spawn(listener.serve(server.clone(), pending()));
            Client::builder().connect(url).await
        }
    }
    .unwrap()
}

fn shelf(subscriptions: Subscriptions) -> Server {
    let server = McpServer::new("Shelf", "1.0.0").subscriptions(subscriptions);
    server.build().unwrap()
}

async fn next(subscription: &mut Subscription) -> ChangeEvent {
    let change = timeout(PATIENCE, subscription.next()).await;
    change.expect("nothing comes").unwrap().unwrap()
}

#[tokio::test]
async fn changes_come_typed_until_the_server_ends_the_subscription() {
    for transport in TRANSPORTS {
        let server = shelf(Subscriptions::new());
        let client = over(transport, &server).await;
        let listen = client.listen().tools().prompts().resources();
        let listen = listen.resource("mem://a").resource("mem://b");
        let mut changes = listen.open().await.unwrap();
        let honoured = SubscriptionFilter::new()
            .tools_list_changed(true)
            .prompts_list_changed(true)
            .resources_list_changed(true)
            .resource_subscriptions(["mem://a", "mem://b"].map(str::to_owned));
        assert_eq!(*changes.honoured(), honoured);

        server.notify_tools_list_changed();
        server.notify_prompts_list_changed();
        server.notify_resources_list_changed();
        server.notify_resource_updated("mem://c");
        server.notify_resource_updated("mem://b");
        for expected in [
            ChangeEvent::ToolsListChanged,
            ChangeEvent::PromptsListChanged,
            ChangeEvent::ResourcesListChanged,
            ChangeEvent::resource_updated("mem://b"),
        ] {
            assert_eq!(next(&mut changes).await, expected);
        }

        server.notify_tools_list_changed();
        server.close_streams();
        assert_eq!(next(&mut changes).await, ChangeEvent::ToolsListChanged);
        for _ in 0..2 {
            assert!(changes.next().await.is_none());
        }
    }
}

#[tokio::test]
async fn several_subscriptions_of_one_client_hear_each_their_own() {
    for transport in TRANSPORTS {
        let server = shelf(Subscriptions::new());
        let client = over(transport, &server).await;
        let mut tools = client.listen().tools().open().await.unwrap();
        let mut page = client.listen().resource("mem://a").open().await.unwrap();
        assert_ne!(tools.id(), page.id());
        server.notify_resource_updated("mem://a");
        server.notify_tools_list_changed();
        assert_eq!(next(&mut tools).await, ChangeEvent::ToolsListChanged);
        let updated = ChangeEvent::resource_updated("mem://a");
        assert_eq!(next(&mut page).await, updated);
    }
}

#[tokio::test]
async fn dropping_a_subscription_frees_its_place() {
    for transport in TRANSPORTS {
        let server = shelf(Subscriptions::new().max_streams(1));
        let client = over(transport, &server).await;
        let first = client.listen().tools().open().await.unwrap();
        let refused = client.listen().tools().open().await.unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::INTERNAL_ERROR));
        assert!(!refused.is_subscription_lost(), "it never was one");
        drop(first);
        // The server learns of it a moment later: by a message, or a closed connection.
        let opened = async { while client.listen().tools().open().await.is_err() {} };
        timeout(PATIENCE, opened)
            .await
            .expect("the place stays taken");
    }
}

#[tokio::test]
async fn a_server_without_subscriptions_says_so() {
    let server = Server::builder("s", "1").build().unwrap();
    for transport in TRANSPORTS {
        let client = over(transport, &server).await;
        let error = client.listen().tools().open().await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::METHOD_NOT_FOUND));
    }
}

#[tokio::test]
async fn what_is_cached_is_forgotten_when_it_changes_and_when_nobody_told_before() {
    let asked = Arc::new(AtomicUsize::new(0));
    let server = Server::builder("s", "1")
        .on_list_tools({
            let asked = Arc::clone(&asked);
            move |_, _| {
                asked.fetch_add(1, Ordering::Relaxed);
                let list = ListToolsResult::new([]).ttl_ms(Duration::from_secs(60));
                async { Ok::<_, Error>(list) }
            }
        })
        .subscriptions(Subscriptions::new())
        .build()
        .unwrap();
    let client = Client::builder().connect(&server).await.unwrap();
    let list = async || {
        client.list_tools().await.unwrap();
        asked.load(Ordering::Relaxed)
    };
    assert_eq!((list().await, list().await), (1, 1));
    let mut changes = client.listen().tools().prompts().open().await.unwrap();
    assert_eq!((list().await, list().await), (2, 2));
    server.notify_tools_list_changed();
    assert_eq!(next(&mut changes).await, ChangeEvent::ToolsListChanged);
    assert_eq!((list().await, list().await), (3, 3));
}

#[tokio::test]
async fn revisions_with_a_handshake_have_no_subscriptions() {
    let server = shelf(Subscriptions::new());
    let builder = Client::builder().mode(Mode::legacy());
    let client = builder.connect(&server).await.unwrap();
    let error = client.listen().tools().open().await.unwrap_err();
    assert!(error.is_misuse());
    assert!(error.to_string().contains("2025-11-25"), "{error}");
    let watched = client.listen().tools().watch().next().await;
    assert!(watched.unwrap().unwrap_err().is_misuse());
}

/// Opens a subscription to everything that a peer acknowledges.
async fn open(client: &Client, peer: &mut Peer, honoured: Value) -> (Subscription, Asked) {
    let listen = client.listen().tools().prompts().resource("mem://a");
    let (opened, asked) = tokio::join!(listen.open(), peer.acknowledge(honoured));
    (opened.unwrap(), asked)
}

fn tools() -> Value {
    json!({ "toolsListChanged": true })
}

#[tokio::test]
async fn the_request_asks_for_what_the_caller_asks_for() {
    let (client, mut peer) = connect(Client::builder()).await;
    let (_subscription, asked) = open(&client, &mut peer, json!({})).await;
    assert_eq!(asked.request.method, "subscriptions/listen");
    assert_eq!(asked.id(), "listen-1".into());
    let params: Value = asked.request.params.parse().unwrap();
    assert_eq!(
        params["notifications"],
        json!({
            "toolsListChanged": true,
            "promptsListChanged": true,
            "resourceSubscriptions": ["mem://a"],
        })
    );
    let version = &params["_meta"]["io.modelcontextprotocol/protocolVersion"];
    assert_eq!(version, "2026-07-28");
}

#[tokio::test]
async fn less_may_be_honoured_than_was_asked_for() {
    let (client, mut peer) = connect(Client::builder()).await;
    let (mut subscription, asked) = open(&client, &mut peer, tools()).await;
    let honoured = SubscriptionFilter::new().tools_list_changed(true);
    assert_eq!(*subscription.honoured(), honoured);
    asked.acknowledge(json!({ "promptsListChanged": true }));
    asked.tell(PROMPTS, json!({}));
    asked.tell(UPDATED, json!({ "uri": "mem://a" }));
    asked.tell(TOOLS, json!({}));
    assert_eq!(*subscription.honoured(), honoured);
    assert_eq!(next(&mut subscription).await, ChangeEvent::ToolsListChanged);
    asked.end();
    assert!(subscription.next().await.is_none());
}

#[tokio::test]
async fn what_waits_is_yielded_once() {
    let (client, mut peer) = connect(Client::builder()).await;
    let watched = json!({ "toolsListChanged": true, "resourceSubscriptions": ["mem://a"] });
    let (mut subscription, asked) = open(&client, &mut peer, watched).await;
    for _ in 0..3 {
        asked.tell(UPDATED, json!({ "uri": "mem://a" }));
        asked.tell(TOOLS, json!({}));
    }
    let updated = ChangeEvent::resource_updated("mem://a");
    assert_eq!(next(&mut subscription).await, updated);
    asked.tell(UPDATED, json!({ "uri": "mem://a" }));
    assert_eq!(next(&mut subscription).await, ChangeEvent::ToolsListChanged);
    assert_eq!(next(&mut subscription).await, updated, "it changed anew");
    asked.end();
    assert!(subscription.next().await.is_none());
}

/// Asserts that a subscription ends with an error that tells why, and with nothing after it.
async fn check_lost(subscription: &mut Subscription, why: &str) {
    let error = subscription.next().await.unwrap().unwrap_err();
    assert!(error.is_subscription_lost(), "{error:?}");
    assert!(!error.is_transport(), "its cause is");
    let shown = format!("{error:?}");
    assert!(shown.starts_with("the subscription broke off"), "{shown}");
    assert!(shown.contains(why), "{shown}");
    for _ in 0..2 {
        assert!(subscription.next().await.is_none());
    }
}

#[tokio::test]
async fn whatever_is_no_result_is_a_loss() {
    let no_more = Error::rpc(ErrorCode::INTERNAL_ERROR, "Internal server error");
    let question = json!({ "resultType": "input_required", "requestState": "s" });
    for (answer, why) in [
        (None, "the stream ended before the answer"),
        (Some(Err(no_more)), "Internal server error"),
        (Some(Ok(question)), "may not ask"),
        (Some(Ok(json!({ "resultType": "later" }))), "later"),
        (Some(Ok(json!([]))), "subscriptions/listen"),
    ] {
        let (client, mut peer) = connect(Client::builder()).await;
        let (mut subscription, asked) = open(&client, &mut peer, tools()).await;
        asked.tell(TOOLS, json!({}));
        match answer {
            Some(answer) => asked.answer(answer),
            None => drop(asked),
        }
        // What came before is not lost with it.
        assert_eq!(next(&mut subscription).await, ChangeEvent::ToolsListChanged);
        check_lost(&mut subscription, why).await;
    }
}

#[tokio::test]
async fn a_subscription_that_the_server_cancels_is_lost() {
    let (client, mut peer) = connect(Client::builder()).await;
    let (mut subscription, asked) = open(&client, &mut peer, tools()).await;
    let another = json!({ "requestId": "listen-99" });
    asked.tell_raw("notifications/cancelled", another);
    asked.tell(TOOLS, json!({}));
    assert_eq!(next(&mut subscription).await, ChangeEvent::ToolsListChanged);
    asked.cancel();
    check_lost(&mut subscription, "cancelled").await;
    asked.cancelled().await;
}

#[tokio::test]
async fn a_server_that_floods_its_client_loses_the_subscription() {
    let (client, mut peer) = connect(Client::builder()).await;
    let watched = json!({ "resourceSubscriptions": ["mem://a"] });
    let (mut subscription, asked) = open(&client, &mut peer, watched).await;
    for number in 0..5000 {
        asked.tell(UPDATED, json!({ "uri": format!("mem://a/{number}") }));
    }
    for number in 0..1024 {
        let updated = ChangeEvent::resource_updated(format!("mem://a/{number}"));
        assert_eq!(next(&mut subscription).await, updated);
    }
    check_lost(&mut subscription, "1024").await;
    asked.cancelled().await;
}

#[tokio::test]
async fn what_another_task_delivers_wakes_whoever_waits() {
    let (client, mut peer) = connect(Client::builder()).await;
    let (mut subscription, asked) = open(&client, &mut peer, tools()).await;
    let telling = async {
        // Until the other side waits.
        tokio::task::yield_now().await;
        asked.tell(TOOLS, json!({}));
        asked
    };
    let (change, asked) = tokio::join!(next(&mut subscription), telling);
    assert_eq!(change, ChangeEvent::ToolsListChanged);
    let cancelling = async {
        tokio::task::yield_now().await;
        asked.cancel();
    };
    let ((), ()) = tokio::join!(check_lost(&mut subscription, "cancelled"), cancelling);
}

#[tokio::test]
async fn a_wait_that_is_given_up_loses_no_change() {
    let (client, mut peer) = connect(Client::builder()).await;
    let (mut subscription, asked) = open(&client, &mut peer, tools()).await;
    for _ in 0..3 {
        tokio::select! {
            biased;
            change = subscription.next() => panic!("{change:?}"),
            () = std::future::ready(()) => {}
        }
    }
    asked.tell(TOOLS, json!({}));
    assert_eq!(next(&mut subscription).await, ChangeEvent::ToolsListChanged);
}

#[tokio::test]
async fn dropping_a_subscription_cancels_its_request() {
    let (client, mut peer) = connect(Client::builder()).await;
    let (subscription, asked) = open(&client, &mut peer, tools()).await;
    assert!(!asked.is_cancelled());
    drop(subscription);
    asked.cancelled().await;
}

async fn never_opened(answer: Option<Result<Value>>) -> Result<Subscription> {
    let (client, mut peer) = connect(Client::builder()).await;
    let peer = async {
        let asked = peer.asked().await;
        asked.tell(TOOLS, json!({}));
        match answer {
            Some(answer) => asked.answer(answer),
            None => {
                asked.cancel();
                asked.cancelled().await;
            }
        }
    };
    let listen = client.listen().tools();
    tokio::join!(listen.open(), peer).0
}

#[tokio::test]
async fn a_subscription_that_ends_before_its_acknowledgement() {
    let refused = Error::rpc(ErrorCode::INVALID_PARAMS, "Too many resourceSubscriptions");
    let refused = never_opened(Some(Err(refused))).await.unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::INVALID_PARAMS));

    let lost = never_opened(Some(Err(Error::transport("gone")))).await;
    assert!(lost.unwrap_err().is_transport());

    let cancelled = never_opened(None).await.unwrap_err();
    assert!(cancelled.to_string().contains("cancelled"), "{cancelled}");

    // A result means that the server ended it, so that there is nothing to hear.
    let over = never_opened(Some(Ok(json!({ "resultType": "complete" })))).await;
    let mut over = over.unwrap();
    assert_eq!(*over.honoured(), SubscriptionFilter::new());
    assert!(over.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn time_runs_until_the_acknowledgement_and_not_after_it() {
    let limit = Duration::from_secs(3);
    let (client, mut peer) = connect(Client::builder().timeout(limit)).await;
    let late = client.listen().tools().open().await.unwrap_err();
    assert!(late.is_timeout(), "{late}");
    assert_eq!(late.to_string(), "subscriptions/listen took longer than 3s");
    peer.asked().await.cancelled().await;
    let later = client.listen().tools().timeout(Duration::from_secs(9));
    assert!(later.open().await.unwrap_err().to_string().ends_with("9s"));
    peer.asked().await.cancelled().await;

    let (mut subscription, asked) = open(&client, &mut peer, tools()).await;
    let day = Duration::from_secs(24 * 3600);
    assert!(timeout(day, subscription.next()).await.is_err());
    asked.tell(TOOLS, json!({}));
    assert_eq!(next(&mut subscription).await, ChangeEvent::ToolsListChanged);
}

#[tokio::test]
async fn the_observer_of_the_client_sees_all_of_it() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let builder = Client::builder().on_notification({
        let seen = Arc::clone(&seen);
        move |notification| seen.lock().unwrap().push(notification.method().to_owned())
    });
    let (client, mut peer) = connect(builder).await;
    let (_subscription, asked) = open(&client, &mut peer, tools()).await;
    asked.tell(PROMPTS, json!({}));
    asked.tell_raw("notifications/vendor", json!({}));
    let expected = [
        "notifications/subscriptions/acknowledged",
        PROMPTS,
        "notifications/vendor",
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}
