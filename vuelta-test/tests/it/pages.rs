//! Lists read to their end: by pages, by items, in memory and over HTTP.
//!
//! Source: [pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).

use std::future::{pending, ready};
use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use vuelta::{
    Client, Context, Error, ErrorCode, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedParams, Prompt, Resource, ResourceTemplate,
    Server, Tool,
};
use vuelta_http::Listener;

use crate::scripted::Scripted;

/// The name on a page, and where the next one begins. The cursors are those of the
/// specification's examples, and the empty one, which is no end.
fn page(cursor: Option<&str>) -> Result<(String, Option<&'static str>), Error> {
    match cursor {
        None => Ok(("a".to_owned(), Some("eyJwYWdlIjogMn0="))),
        Some("eyJwYWdlIjogMn0=") => Ok(("b".to_owned(), Some(""))),
        Some("") => Ok(("c".to_owned(), None)),
        Some(_) => Err(Error::rpc(ErrorCode::INVALID_PARAMS, "Invalid cursor")),
    }
}

fn paged() -> Server {
    Server::builder("pages", "1")
        .on_list_tools(async |_: Context, params: PaginatedParams| {
            let (name, next) = page(params.cursor.as_deref())?;
            let tool = Tool::new(name, json!({ "type": "object" }));
            let mut result = ListToolsResult::new([tool]);
            result.next_cursor = next.map(str::to_owned);
            Ok::<_, Error>(result)
        })
        .on_list_prompts(async |_: Context, params: PaginatedParams| {
            let (name, next) = page(params.cursor.as_deref())?;
            let mut result = ListPromptsResult::new([Prompt::new(name)]);
            result.next_cursor = next.map(str::to_owned);
            Ok::<_, Error>(result)
        })
        .on_list_resources(async |_: Context, params: PaginatedParams| {
            let (name, next) = page(params.cursor.as_deref())?;
            let mut result = ListResourcesResult::new([Resource::new("mem://x", name)]);
            result.next_cursor = next.map(str::to_owned);
            Ok::<_, Error>(result)
        })
        .on_list_resource_templates(async |_: Context, params: PaginatedParams| {
            let (name, next) = page(params.cursor.as_deref())?;
            let template = ResourceTemplate::new("mem://{x}", name);
            let mut result = ListResourceTemplatesResult::new([template]);
            result.next_cursor = next.map(str::to_owned);
            Ok::<_, Error>(result)
        })
        .build()
        .unwrap()
}

async fn check_all_lists(client: &Client) {
    let tools = client.tools().all().await.unwrap();
    let tools: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["a", "b", "c"]);
    let prompts = client.prompts().all().await.unwrap();
    let prompts: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(prompts, ["a", "b", "c"]);
    let found = client.resources().all().await.unwrap();
    let found: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(found, ["a", "b", "c"]);
    let found = client.resource_templates().all().await.unwrap();
    let found: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(found, ["a", "b", "c"]);

    let (second, last) = ("eyJwYWdlIjogMn0=", "");
    let page = client.list_tools_from(second).await.unwrap();
    assert_eq!(
        (&*page.tools[0].name, page.next_cursor.as_deref()),
        ("b", Some(last))
    );
    let page = client.list_prompts_from(second).await.unwrap();
    assert_eq!(
        (&*page.prompts[0].name, page.next_cursor.as_deref()),
        ("b", Some(last))
    );
    let page = client.list_resources_from(last).await.unwrap();
    assert_eq!((&*page.resources[0].name, page.next_cursor), ("c", None));
    let page = client.list_resource_templates_from(last).await.unwrap();
    assert_eq!(
        (&*page.resource_templates[0].name, page.next_cursor),
        ("c", None)
    );

    let error = client.list_prompts_from("none of yours").await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::INVALID_PARAMS));
}

#[tokio::test]
async fn every_list_is_read_to_its_end() {
    let server = paged();
    let client = Client::builder().connect(&server).await.unwrap();
    check_all_lists(&client).await;

    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let transport = vuelta_http::url(listener.url()).unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { listener.serve(server, pending()).await });
    let client = Client::builder().connect(transport).await.unwrap();
    check_all_lists(&client).await;
}

#[tokio::test]
async fn a_list_is_a_stream_of_items_or_of_pages() {
    let client = Client::builder().connect(&paged()).await.unwrap();
    let names: Vec<String> = client
        .tools()
        .map_ok(|tool| tool.name)
        .try_collect()
        .await
        .unwrap();
    assert_eq!(names, ["a", "b", "c"]);

    let cursors: Vec<Option<String>> = client
        .tools()
        .pages()
        .map_ok(|page| page.next_cursor)
        .try_collect()
        .await
        .unwrap();
    let expected = [Some("eyJwYWdlIjogMn0="), Some(""), None];
    assert_eq!(cursors, expected.map(|cursor| cursor.map(str::to_owned)));

    let mut tools = client.tools();
    let first = tools.next().await.unwrap().unwrap();
    assert_eq!(first.name, "a");
    assert_eq!(tools.count().await, 2, "a stream goes on where it was");
}

fn tools(names: &[&str], next: Option<&str>) -> Value {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }))
        .collect();
    let mut page = json!({ "resultType": "complete", "tools": tools });
    if let Some(next) = next {
        page["nextCursor"] = next.into();
    }
    page
}

#[tokio::test]
async fn a_page_is_asked_for_when_the_one_before_is_used_up() {
    let server = Scripted::new([tools(&["a", "b"], Some("2")), tools(&["c"], None)]);
    let client = server.connect(Client::builder()).await;
    let mut stream = client.tools();
    assert_eq!(server.sent().len(), 0);
    for (name, sent) in [("a", 1), ("b", 1), ("c", 2)] {
        assert_eq!(stream.next().await.unwrap().unwrap().name, name);
        assert_eq!(server.sent().len(), sent);
    }
    assert!(stream.next().await.is_none());
    assert!(stream.next().await.is_none());
    let cursors: Vec<Value> = server
        .params()
        .into_iter()
        .map(|params| params["cursor"].clone())
        .collect();
    assert_eq!(cursors, [Value::Null, "2".into()]);
    assert!(
        !server.params()[0]
            .as_object()
            .unwrap()
            .contains_key("cursor")
    );
}

#[tokio::test]
async fn an_empty_page_is_not_the_end() {
    let server = Scripted::new([tools(&[], Some("2")), tools(&["a"], None)]);
    let client = server.connect(Client::builder()).await;
    assert_eq!(client.tools().all().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_list_that_goes_in_a_circle_is_read_once() {
    let server = Scripted::new([
        tools(&["a"], Some("x")),
        tools(&["b"], Some("y")),
        tools(&["c"], Some("x")),
    ]);
    let client = server.connect(Client::builder()).await;
    let mut stream = client.tools();
    for name in ["a", "b", "c"] {
        assert_eq!(stream.next().await.unwrap().unwrap().name, name);
    }
    let error = stream.next().await.unwrap().unwrap_err();
    assert!(error.is_peer());
    assert_eq!(
        error.to_string(),
        r#"tools/list: the list goes in a circle: the cursor "x" came before"#
    );
    assert!(stream.next().await.is_none(), "an error is the end");
    assert_eq!(server.sent().len(), 3);
}

#[tokio::test]
async fn a_list_without_end_is_read_for_a_hundred_pages() {
    let endless = || (1..).map(|number| tools(&["a"], Some(&number.to_string())));
    let server = Scripted::new(endless().take(200));
    let client = server.connect(Client::builder()).await;
    let error = client.tools().all().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "tools/list: more than 100 pages: raise `max_pages`, if the list is that long"
    );
    assert_eq!(server.sent().len(), 100);

    let server = Scripted::new(endless().take(149).chain([tools(&["z"], None)]));
    let client = server.connect(Client::builder()).await;
    assert_eq!(
        client.tools().max_pages(150).all().await.unwrap().len(),
        150
    );
}

#[tokio::test]
async fn an_error_ends_the_stream_and_what_came_before_is_good() {
    let gone = json!({ "code": -32602, "message": "Invalid cursor" });
    let server = Scripted::new([tools(&["a"], Some("x")), gone]);
    let client = server.connect(Client::builder()).await;
    let mut pages = client.tools().pages();
    assert!(pages.next().await.unwrap().is_ok());
    let error = pages.next().await.unwrap().unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::INVALID_PARAMS));
    assert!(pages.next().await.is_none());
}

#[tokio::test]
async fn a_dropped_wait_for_an_item_loses_nothing() {
    let gate = Arc::new(Notify::new());
    let opened = Arc::clone(&gate);
    let server = Server::builder("slow", "1")
        .on_list_tools(move |_: Context, _: PaginatedParams| {
            let opened = Arc::clone(&opened);
            async move {
                opened.notified().await;
                let tool = Tool::new("a", json!({ "type": "object" }));
                Ok::<_, Error>(ListToolsResult::new([tool]))
            }
        })
        .build()
        .unwrap();
    let client = Client::builder().connect(&server).await.unwrap();
    let mut stream = client.tools();
    tokio::select! {
        biased;
        _ = stream.next() => panic!("the gate is closed"),
        () = ready(()) => {}
    }
    gate.notify_one();
    assert_eq!(stream.next().await.unwrap().unwrap().name, "a");
    assert!(stream.next().await.is_none());
}
