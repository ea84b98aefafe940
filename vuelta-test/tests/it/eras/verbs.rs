//! The verbs of a client that read more than one answer, with and without a handshake.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use vuelta::{
    CallToolParams, CallToolResult, Client, Context, Error, ListToolsResult, Outcome,
    PaginatedParams, ReadResourceParams, ReadResourceResult, Server, Tool,
};

use super::{connect, everywhere};

/// Two pages of tools and a resource, both fresh for a minute, and how often they were asked for.
fn server() -> (Server, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let (listed, read) = (Arc::clone(&asked), Arc::clone(&asked));
    let minute = Duration::from_secs(60);
    let server = Server::builder("s", "1")
        .on_list_tools(move |_: Context, params: PaginatedParams| {
            listed.fetch_add(1, Ordering::SeqCst);
            let output = json!({
                "type": "object",
                "properties": { "sum": { "type": "integer" } },
                "required": ["sum"],
            });
            let tool = |name: &str| {
                Tool::new(name, json!({ "type": "object" })).output_schema(output.clone())
            };
            let page = match params.cursor.as_deref() {
                None => ListToolsResult::new([tool("good")]).next_cursor("2"),
                Some(_) => ListToolsResult::new([tool("bad")]),
            };
            async move { Ok::<_, Error>(page.ttl_ms(minute)) }
        })
        .on_call_tool(async |_: Context, params: CallToolParams| {
            let content = match params.name.as_str() {
                "good" => json!({ "sum": 3 }),
                _ => json!({ "sum": "three" }),
            };
            let result = CallToolResult::text("said").structured_content(content);
            Ok::<Outcome<_>, Error>(result.into())
        })
        .on_read_resource(move |_: Context, _: ReadResourceParams| {
            read.fetch_add(1, Ordering::SeqCst);
            async move {
                let result = ReadResourceResult::new([]).ttl_ms(minute);
                Ok::<Outcome<_>, Error>(result.into())
            }
        })
        .build()
        .unwrap();
    (server, asked)
}

#[derive(Debug, PartialEq, Deserialize)]
struct Sum {
    sum: i64,
}

#[tokio::test]
async fn lists_are_read_whole_and_content_is_checked_in_both_eras() {
    for (way, mode) in everywhere() {
        let (server, _) = server();
        let builder = Client::builder().mode(mode);
        let client = connect(way, builder, &server).await.unwrap();
        let sum: Sum = client.call_tool_as("good", ()).await.unwrap();
        assert_eq!(sum, Sum { sum: 3 });
        let error = client.call_tool("bad", ()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "tool \"bad\": its structured content does not fit its output schema: sum: expected \
             integer, got string"
        );
        assert_eq!(error.into_tool_result().unwrap().as_text(), "said");
        assert_eq!(client.tools().all().await.unwrap().len(), 2);
    }
}

#[tokio::test]
async fn answers_are_kept_only_where_servers_say_how_long() {
    for (way, mode) in everywhere() {
        let (server, asked) = server();
        let builder = Client::builder().mode(mode);
        let client = connect(way, builder, &server).await.unwrap();
        for _ in 0..2 {
            client.list_tools().await.unwrap();
            client.read_resource("mem://a").await.unwrap();
        }
        // A session with a handshake knows no caching hints.
        let requests = if client.is_legacy() { 4 } else { 2 };
        assert_eq!(asked.load(Ordering::SeqCst), requests);
    }
}
