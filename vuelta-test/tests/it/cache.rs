//! Answers that the client keeps: when it asks the server, and when it need not.
//!
//! Source: [caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use vuelta::{
    Cache, CacheMode, CacheScope, CallToolParams, CallToolResult, Client, ClientBuilder, Context,
    ElicitResult, Error, ErrorCode, ListToolsResult, Outcome, PaginatedParams, ReadResourceParams,
    ReadResourceResult, Server, ServerNotification, Step, Tool,
};
use vuelta_http::Listener;

use crate::clock::Clock;
use crate::scripted::Scripted;

/// A page of tools that is fresh for a minute.
fn tools(name: &str) -> Value {
    json!({
        "resultType": "complete",
        "tools": [{ "name": name, "inputSchema": { "type": "object" }, "x-extra": [1.0, null] }],
        "ttlMs": 60_000,
        "cacheScope": "public",
    })
}

/// A resource that is fresh for a minute.
fn text(text: &str) -> Value {
    json!({
        "resultType": "complete",
        "contents": [{ "uri": "mem://a", "text": text }],
        "ttlMs": 60_000,
        "cacheScope": "private",
    })
}

fn question() -> Value {
    json!({
        "resultType": "input_required",
        "requestState": "s",
        "inputRequests": { "who": { "method": "elicitation/create", "params": {
            "message": "Who?", "requestedSchema": { "type": "object", "properties": {} },
        } } },
    })
}

fn builder(clock: &Clock) -> ClientBuilder {
    Client::builder()
        .cache(Cache::new().clock(clock.reader()))
        .on_elicit(|_| async { ElicitResult::decline() })
}

async fn client(server: &Scripted) -> (Client, Clock) {
    let clock = Clock::new();
    (server.connect(builder(&clock)).await, clock)
}

async fn read(client: &Client, uri: &str) -> String {
    first_text(&client.read_resource(uri).await.unwrap())
}

fn first_text(result: &ReadResourceResult) -> String {
    let contents = serde_json::to_value(&result.contents).unwrap();
    contents[0]["text"].as_str().unwrap_or_default().to_owned()
}

async fn listed(client: &Client) -> String {
    client.list_tools().await.unwrap().tools[0].name.clone()
}

#[tokio::test]
async fn an_answer_is_kept_as_long_as_the_server_says() {
    let server = Scripted::new([tools("a"), tools("b"), text("one"), text("two")]);
    let (client, clock) = client(&server).await;
    let first = client.list_tools().await.unwrap();
    clock.advance(Duration::from_millis(59_999));
    assert_eq!(client.list_tools().await.unwrap(), first, "all of it");
    clock.advance(Duration::from_millis(1));
    assert_eq!(listed(&client).await, "b");

    assert_eq!(read(&client, "mem://a").await, "one");
    clock.advance(Duration::from_millis(59_999));
    assert_eq!(read(&client, "mem://a").await, "one");
    clock.advance(Duration::from_millis(1));
    assert_eq!(read(&client, "mem://a").await, "two");
    assert_eq!(server.sent().len(), 4);
}

#[tokio::test]
async fn every_first_page_is_kept() {
    let page = |member: &str| json!({ "resultType": "complete", member: [], "ttlMs": 1000 });
    let server = Scripted::new([
        page("tools"),
        page("prompts"),
        page("resources"),
        page("resourceTemplates"),
    ]);
    let (client, _) = client(&server).await;
    for _ in 0..2 {
        client.list_tools().await.unwrap();
        client.list_prompts().await.unwrap();
        client.list_resources().await.unwrap();
        client.list_resource_templates().await.unwrap();
    }
    assert_eq!(client.tools().all().await.unwrap().len(), 0);
    assert_eq!(server.sent().len(), 4);
}

#[tokio::test]
async fn without_a_time_nothing_is_kept() {
    let mut script = Vec::new();
    for ttl in [json!({}), json!({ "ttlMs": 0 }), json!({ "ttlMs": -5 })] {
        let mut page = json!({ "resultType": "complete", "tools": [] });
        page.as_object_mut()
            .unwrap()
            .extend(ttl.as_object().unwrap().clone());
        script.extend([page.clone(), page]);
    }
    let server = Scripted::new(script);
    let (client, _) = client(&server).await;
    for _ in 0..6 {
        client.list_tools().await.unwrap();
    }
    assert_eq!(server.sent().len(), 6);
}

#[tokio::test]
async fn resources_are_kept_each_by_its_uri() {
    let server = Scripted::new([text("one"), text("two")]);
    let (client, _) = client(&server).await;
    for _ in 0..2 {
        assert_eq!(read(&client, "mem://a").await, "one");
        assert_eq!(read(&client, "mem://b").await, "two");
    }
    assert_eq!(server.sent().len(), 2);
}

#[tokio::test]
async fn calls_prompts_and_further_pages_are_never_kept() {
    let said = json!({ "resultType": "complete", "content": [], "messages": [], "ttlMs": 60_000 });
    let page = tools("b");
    let server = Scripted::new([
        said.clone(),
        said.clone(),
        said.clone(),
        said,
        page.clone(),
        page,
    ]);
    let (client, _) = client(&server).await;
    for _ in 0..2 {
        client.call_tool("t", ()).await.unwrap();
        client.get_prompt("p", ()).await.unwrap();
    }
    for _ in 0..2 {
        client.list_tools_from("2").await.unwrap();
    }
    assert_eq!(server.sent().len(), 6);
}

#[tokio::test]
async fn a_call_chooses_whether_the_cache_is_used() {
    let server = Scripted::new([
        text("one"),
        text("two"),
        text("three"),
        tools("a"),
        tools("b"),
    ]);
    let (client, _) = client(&server).await;
    let with = async |mode| {
        let call = client.resource("mem://a").cache_mode(mode);
        first_text(&call.send().await.unwrap())
    };
    assert_eq!(with(CacheMode::Use).await, "one");
    assert_eq!(with(CacheMode::Bypass).await, "two");
    assert_eq!(with(CacheMode::Use).await, "one");
    assert_eq!(with(CacheMode::Refresh).await, "three");
    assert_eq!(with(CacheMode::Use).await, "three");

    assert_eq!(listed(&client).await, "a");
    let fresh = client.tools().cache_mode(CacheMode::Refresh).all().await;
    assert_eq!(fresh.unwrap()[0].name, "b");
    assert_eq!(listed(&client).await, "b");
}

#[tokio::test]
async fn a_client_does_without_a_cache() {
    let server = Scripted::new([text("one"), text("two"), tools("a"), tools("b")]);
    let bypass = Client::builder().cache_mode(CacheMode::Bypass);
    let client = server.connect(bypass).await;
    assert_eq!(read(&client, "mem://a").await, "one");
    assert_eq!(read(&client, "mem://a").await, "two");
    assert_eq!(listed(&client).await, "a");
    assert_eq!(listed(&client).await, "b");
}

#[tokio::test]
async fn a_read_with_metadata_goes_to_the_server_and_is_kept() {
    let server = Scripted::new([text("one"), text("two")]);
    let (client, _) = client(&server).await;
    assert_eq!(read(&client, "mem://a").await, "one");
    let call = client.resource("mem://a").meta("example.com/trace", "x");
    assert_eq!(first_text(&call.send().await.unwrap()), "two");
    assert_eq!(read(&client, "mem://a").await, "two");
}

#[tokio::test]
async fn a_read_with_state_neither_takes_nor_leaves_an_answer() {
    let server = Scripted::new([text("one"), text("two"), text("three")]);
    let (client, _) = client(&server).await;
    assert_eq!(read(&client, "mem://a").await, "one");
    let seeded = client.resource("mem://a").state("kept");
    assert_eq!(first_text(&seeded.send().await.unwrap()), "two");
    let seeded = client
        .resource("mem://a")
        .answers(vuelta::InputResponses::new());
    assert_eq!(first_text(&seeded.send().await.unwrap()), "three");
    assert_eq!(read(&client, "mem://a").await, "one");
    assert_eq!(server.sent().len(), 3);
}

#[tokio::test]
async fn what_a_read_gives_after_a_question_is_not_kept() {
    let server = Scripted::new([
        question(),
        text("for Ada"),
        question(),
        text("for Eve"),
        question(),
        text("by hand"),
        text("one"),
    ]);
    let (client, _) = client(&server).await;
    assert_eq!(read(&client, "mem://ask").await, "for Ada");
    assert_eq!(read(&client, "mem://ask").await, "for Eve");
    let Step::Asked(mut flow) = client.resource("mem://ask").step().await.unwrap() else {
        panic!("it asks")
    };
    flow.answer("who", ElicitResult::decline());
    let Step::Done(result) = client.resume(flow).await.unwrap() else {
        panic!("it is done")
    };
    assert_eq!(first_text(&result), "by hand");
    assert_eq!(read(&client, "mem://ask").await, "one");
}

#[tokio::test]
async fn a_first_request_by_hand_uses_the_cache() {
    let server = Scripted::new([text("one")]);
    let (client, _) = client(&server).await;
    for _ in 0..2 {
        let Step::Done(result) = client.resource("mem://a").step().await.unwrap() else {
            panic!("it is done")
        };
        assert_eq!(first_text(&result), "one");
    }
}

#[tokio::test]
async fn a_refresh_that_ends_in_a_question_or_an_error_forgets() {
    for refusal in [
        question(),
        json!({ "code": -32602, "message": "Unknown resource" }),
    ] {
        let server = Scripted::new([text("one"), refusal, text("two")]);
        let (client, _) = client(&server).await;
        assert_eq!(read(&client, "mem://a").await, "one");
        let call = client.resource("mem://a").cache_mode(CacheMode::Refresh);
        assert!(!matches!(call.step().await, Ok(Step::Done(_))));
        assert_eq!(read(&client, "mem://a").await, "two");
    }
}

#[tokio::test]
async fn what_is_not_fresh_is_not_given_when_the_server_fails() {
    let failed = || json!({ "code": -32603, "message": "Internal server error" });
    let server = Scripted::new([text("one"), failed(), tools("a"), failed()]);
    let (client, clock) = client(&server).await;
    assert_eq!(read(&client, "mem://a").await, "one");
    clock.advance(Duration::from_secs(60));
    let error = client.read_resource("mem://a").await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::INTERNAL_ERROR));

    assert_eq!(listed(&client).await, "a");
    clock.advance(Duration::from_secs(60));
    assert!(client.list_tools().await.unwrap_err().as_rpc().is_some());
    // The connection is gone, too.
    assert!(client.list_tools().await.unwrap_err().is_transport());
}

#[tokio::test]
async fn a_cursor_that_leads_nowhere_makes_the_first_page_worthless() {
    let mut first = tools("a");
    first["nextCursor"] = "2".into();
    let gone = json!({ "code": -32602, "message": "Invalid cursor" });
    let busy = json!({ "code": -32603, "message": "Internal server error" });
    let server = Scripted::new([first.clone(), busy, gone, tools("b")]);
    let (client, _) = client(&server).await;
    assert!(client.tools().all().await.is_err());
    assert_eq!(
        listed(&client).await,
        "a",
        "another error says nothing of it"
    );
    assert!(client.tools().all().await.is_err());
    assert_eq!(listed(&client).await, "b");
    assert_eq!(server.sent().len(), 4);
}

#[tokio::test]
async fn notifications_of_changes_evict() {
    let said = json!({ "resultType": "complete", "content": [] });
    let changed = |what: &str| json!({ "method": format!("notifications/{what}/list_changed") });
    let updated = json!({
        "method": "notifications/resources/updated", "params": { "uri": "mem://a" },
    });
    let prompts = json!({ "resultType": "complete", "prompts": [], "ttlMs": 60_000 });
    let server = Scripted::new([
        tools("a"),
        prompts.clone(),
        text("one"),
        changed("tools"),
        said.clone(),
        tools("b"),
        changed("prompts"),
        updated,
        said,
        prompts,
        text("two"),
    ]);
    let (client, _) = client(&server).await;
    listed(&client).await;
    client.list_prompts().await.unwrap();
    read(&client, "mem://a").await;
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(listed(&client).await, "b");
    client.list_prompts().await.unwrap();
    assert_eq!(read(&client, "mem://a").await, "one");
    assert_eq!(server.sent().len(), 5);

    client.call_tool("t", ()).await.unwrap();
    assert_eq!(listed(&client).await, "b");
    client.list_prompts().await.unwrap();
    assert_eq!(read(&client, "mem://a").await, "two");
    assert_eq!(server.sent().len(), 8);
}

#[tokio::test]
async fn an_answer_that_was_on_its_way_when_the_list_changed_is_not_kept() {
    let gate = Arc::new(Notify::new());
    let (listings, opened) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&gate));
    let count = Arc::clone(&listings);
    let server = Server::builder("s", "1")
        .on_list_tools(move |_: Context, _: PaginatedParams| {
            let opened = Arc::clone(&opened);
            let number = count.fetch_add(1, Ordering::SeqCst);
            async move {
                if number == 0 {
                    opened.notified().await;
                }
                let tool = Tool::new(format!("t{number}"), json!({ "type": "object" }));
                Ok::<_, Error>(ListToolsResult::new([tool]).ttl_ms(Duration::from_secs(60)))
            }
        })
        .on_call_tool(async |cx: Context, _: CallToolParams| {
            let changed = ServerNotification::ToolsListChanged(Default::default());
            cx.notify(changed).await?;
            Ok::<Outcome<_>, Error>(CallToolResult::error("no list for this").into())
        })
        .build()
        .unwrap();
    let client = Client::builder().connect(&server).await.unwrap();
    let (first, ()) = tokio::join!(client.list_tools(), async {
        client.call_tool("change", ()).await.unwrap();
        gate.notify_one();
    });
    assert_eq!(first.unwrap().tools[0].name, "t0", "its caller has it");
    assert_eq!(listed(&client).await, "t1");
    assert_eq!(listed(&client).await, "t1");
    assert_eq!(listings.load(Ordering::SeqCst), 2);
}

/// A server that tells everyone who asks, and counts them.
fn counting(asked: &Arc<AtomicUsize>) -> Server {
    let (list, read) = (Arc::clone(asked), Arc::clone(asked));
    let minute = Duration::from_secs(60);
    Server::builder("s", "1")
        .on_list_tools(move |_: Context, _: PaginatedParams| {
            list.fetch_add(1, Ordering::SeqCst);
            let tool = Tool::new("a", json!({ "type": "object" }));
            let page = ListToolsResult::new([tool]).ttl_ms(minute);
            async move { Ok::<_, Error>(page.cache_scope(CacheScope::Public)) }
        })
        .on_read_resource(move |_: Context, _: ReadResourceParams| {
            read.fetch_add(1, Ordering::SeqCst);
            async move {
                let result = ReadResourceResult::new([]).ttl_ms(minute);
                Ok::<Outcome<_>, Error>(result.cache_scope(CacheScope::Private).into())
            }
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn clients_of_one_endpoint_share_a_cache_by_partition() {
    let asked = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    let mut urls = Vec::new();
    for _ in 0..2 {
        let listener = Listener::bind("127.0.0.1:0").await.unwrap();
        urls.push(listener.url());
        let server = counting(&asked);
        tasks.spawn(async move { listener.serve(server, pending()).await });
    }
    let shy = Cache::new();
    let open = shy.clone().share_public();
    // How many requests it takes a client to list the tools and to read a resource.
    let requests = async |cache: &Cache, url: &str, partition: Option<&str>| {
        let mut builder = Client::builder().cache(cache.clone());
        if let Some(partition) = partition {
            builder = builder.cache_partition(partition);
        }
        let client = builder
            .connect(vuelta_http::url(url).unwrap())
            .await
            .unwrap();
        let before = asked.load(Ordering::SeqCst);
        client.list_tools().await.unwrap();
        client.read_resource("mem://a").await.unwrap();
        asked.load(Ordering::SeqCst) - before
    };
    let (url, other) = (&*urls[0], &*urls[1]);
    assert_eq!(requests(&shy, url, Some("ada")).await, 2);
    assert_eq!(requests(&shy, url, Some("ada")).await, 0);
    assert_eq!(requests(&shy, url, Some("eve")).await, 2);
    assert_eq!(requests(&shy, url, None).await, 2);
    assert_eq!(requests(&shy, url, None).await, 2, "nobody's are not one's");
    assert_eq!(requests(&shy, other, Some("ada")).await, 2);

    shy.clear();
    assert_eq!(requests(&open, url, Some("ada")).await, 2);
    assert_eq!(
        requests(&open, url, Some("eve")).await,
        1,
        "the list is public"
    );
    assert_eq!(requests(&open, url, None).await, 1);
    assert_eq!(requests(&open, other, None).await, 2);
    assert_eq!(requests(&shy, url, Some("mallory")).await, 2);
}

#[tokio::test]
async fn clients_in_memory_share_nothing() {
    let asked = Arc::new(AtomicUsize::new(0));
    let server = counting(&asked);
    let cache = Cache::new().share_public();
    for number in 1..=2 {
        let builder = Client::builder()
            .cache(cache.clone())
            .cache_partition("ada");
        let client = builder.connect(&server).await.unwrap();
        for _ in 0..2 {
            client.list_tools().await.unwrap();
        }
        assert_eq!(asked.load(Ordering::SeqCst), number);
    }
}

#[tokio::test]
async fn what_another_client_listed_teaches_headers_and_schemas() {
    let schema = json!({
        "type": "object",
        "properties": { "owner": { "type": "string", "x-mcp-header": "Owner" } },
    });
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let server = Server::builder("s", "1")
        .on_list_tools(move |_: Context, _: PaginatedParams| {
            let tool = Tool::new("t", schema.clone()).output_schema(json!({ "type": "string" }));
            let page = ListToolsResult::new([tool]).ttl_ms(Duration::from_secs(60));
            async move { Ok::<_, Error>(page) }
        })
        .on_call_tool(move |cx: Context, _: CallToolParams| {
            counted.fetch_add(1, Ordering::SeqCst);
            let owner = cx
                .headers()
                .and_then(|headers| headers.get("mcp-param-owner").cloned());
            async move {
                let is_there = owner.is_some_and(|owner| owner == "octo");
                Ok::<Outcome<_>, Error>(
                    CallToolResult::new()
                        .structured_content(json!(is_there))
                        .into(),
                )
            }
        })
        .build()
        .unwrap();
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let url = listener.url();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { listener.serve(server, pending()).await });
    let cache = Cache::new();
    let connect = async || {
        let builder = Client::builder()
            .cache(cache.clone())
            .cache_partition("ada");
        builder
            .connect(vuelta_http::url(&url).unwrap())
            .await
            .unwrap()
    };
    connect().await.list_tools().await.unwrap();
    let client = connect().await;
    client.list_tools().await.unwrap();
    let error = client
        .call_tool("t", json!({ "owner": "octo" }))
        .await
        .unwrap_err();
    let result = error.into_tool_result().expect("true is no string");
    assert_eq!(result.structured_content.unwrap().get(), "true");
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}
