//! Calls whose headers are refused: the client lists tools anew and sends them once more.
//!
//! Source: [custom
//! headers](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).

use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use vuelta::{
    Call, CallToolParams, CallToolResult, Client, Context, ElicitResult, Error, ErrorCode,
    ListToolsResult, Middleware, Next, Outcome, PaginatedParams, Reply, Round, Server, Tool,
};
use vuelta_http::Listener;

use crate::scripted::Scripted;

/// A page with a tool whose argument has a header of this name.
fn page(tool: &str, header: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": { "owner": { "type": "string", "x-mcp-header": header } },
    });
    json!({
        "resultType": "complete",
        "tools": [{ "name": tool, "inputSchema": schema }],
        "ttlMs": 60_000,
        "cacheScope": "public",
    })
}

fn mismatch(text: &str) -> Value {
    json!({ "code": -32020, "message": format!("Header mismatch: {text}") })
}

fn done() -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": "done" }] })
}

fn owner() -> Value {
    json!({ "owner": "octo" })
}

/// What was sent: the methods with the ids, and the headers.
fn sent(server: &Scripted) -> Vec<(String, Vec<(String, String)>)> {
    let sent = server.sent();
    sent.into_iter()
        .map(|request| {
            (
                format!("{} {}", request.id, request.method),
                request.mirrored,
            )
        })
        .collect()
}

fn header(name: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), "octo".to_owned())]
}

#[tokio::test]
async fn a_tool_that_was_not_listed_is_listed_and_called_again() {
    let server = Scripted::new([mismatch("missing"), page("t", "Owner"), done()]);
    let client = server.connect(Client::builder()).await;
    assert_eq!(
        client.call_tool("t", owner()).await.unwrap().as_text(),
        "done"
    );
    assert_eq!(
        sent(&server),
        [
            ("1 tools/call".to_owned(), vec![]),
            ("2 tools/list".to_owned(), vec![]),
            ("3 tools/call".to_owned(), header("Mcp-Param-Owner")),
        ]
    );
    let params = server.params();
    assert_eq!(params[0]["arguments"], params[2]["arguments"]);
}

#[tokio::test]
async fn a_tool_that_has_changed_is_listed_past_the_cache() {
    let server = Scripted::new([
        page("t", "Old"),
        mismatch("changed"),
        page("t", "New"),
        done(),
    ]);
    let client = server.connect(Client::builder()).await;
    client.list_tools().await.unwrap();
    client.call_tool("t", owner()).await.unwrap();
    let sent = sent(&server);
    assert_eq!(
        sent[1],
        ("2 tools/call".to_owned(), header("Mcp-Param-Old"))
    );
    assert_eq!(
        sent[3],
        ("4 tools/call".to_owned(), header("Mcp-Param-New"))
    );
    // What was listed is kept.
    assert_eq!(client.tools().all().await.unwrap().len(), 1);
    assert_eq!(server.sent().len(), 4);
}

#[tokio::test]
async fn pages_are_read_until_the_tool_shows_up() {
    let leads_on = |tool: &str, next: &str| {
        let mut page = page(tool, "Owner");
        page["nextCursor"] = next.into();
        page
    };
    let server = Scripted::new([
        mismatch("missing"),
        leads_on("a", "2"),
        leads_on("t", "3"),
        done(),
    ]);
    let client = server.connect(Client::builder()).await;
    client.call_tool("t", owner()).await.unwrap();
    assert_eq!(
        server.methods(),
        ["tools/call", "tools/list", "tools/list", "tools/call"]
    );
    assert_eq!(server.params()[2]["cursor"], "2");
}

#[tokio::test]
async fn the_first_refusal_is_the_error_if_nothing_helps() {
    let mut circle = page("a", "Owner");
    circle["nextCursor"] = "again".into();
    for (script, requests) in [
        (vec![page("t", "Owner"), mismatch("second")], 3),
        (vec![page("other", "Owner")], 2),
        (
            vec![json!({ "code": -32603, "message": "Internal server error" })],
            2,
        ),
        (vec![], 2),
        (vec![circle.clone(), circle.clone()], 3),
    ] {
        let server = Scripted::new([mismatch("first")].into_iter().chain(script));
        let client = server.connect(Client::builder()).await;
        let error = client.call_tool("t", owner()).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::HEADER_MISMATCH));
        assert!(
            error.to_string().contains("Header mismatch: first"),
            "{error}"
        );
        assert_eq!(server.sent().len(), requests);
    }
}

#[tokio::test]
async fn another_error_after_the_list_is_the_callers() {
    let refused = json!({ "code": -32602, "message": "Unknown tool: t" });
    let server = Scripted::new([mismatch("first"), page("t", "Owner"), refused]);
    let client = server.connect(Client::builder()).await;
    let error = client.call_tool("t", owner()).await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::INVALID_PARAMS));
}

#[tokio::test]
async fn a_list_without_end_is_given_up() {
    let endless = (1..200).map(|number| {
        let mut page = page("a", "Owner");
        page["nextCursor"] = number.to_string().into();
        page
    });
    let server = Scripted::new([mismatch("first")].into_iter().chain(endless));
    let client = server.connect(Client::builder()).await;
    assert!(client.call_tool("t", owner()).await.is_err());
    assert_eq!(server.sent().len(), 101);
}

#[tokio::test]
async fn only_calls_of_tools_are_sent_again() {
    let server = Scripted::new([mismatch("a"), mismatch("b"), mismatch("c")]);
    let client = server.connect(Client::builder()).await;
    assert!(client.get_prompt("p", ()).await.is_err());
    assert!(client.read_resource("mem://a").await.is_err());
    assert!(client.list_prompts().await.is_err());
    assert_eq!(server.sent().len(), 3);
}

#[tokio::test]
async fn every_round_may_be_refused_once() {
    let question = json!({
        "resultType": "input_required",
        "requestState": "s1",
        "inputRequests": { "k": { "method": "elicitation/create", "params": {
            "message": "?", "requestedSchema": { "type": "object", "properties": {} },
        } } },
    });
    let server = Scripted::new([
        mismatch("first round"),
        page("t", "Old"),
        question,
        mismatch("second round"),
        page("t", "New"),
        done(),
    ]);
    let builder = Client::builder().on_elicit(|_| async { ElicitResult::decline() });
    let client = server.connect(builder).await;
    let rounds = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&rounds);
    let call = client.tool("t").arguments(owner()).on_round(move |round| {
        if let Round::Sent { number, id } = round {
            seen.lock().unwrap().push(format!("{number} as {id}"));
        }
    });
    assert_eq!(call.send().await.unwrap().as_text(), "done");
    let sent = sent(&server);
    assert_eq!(
        sent[2],
        ("3 tools/call".to_owned(), header("Mcp-Param-Old"))
    );
    assert_eq!(
        sent[3],
        ("4 tools/call".to_owned(), header("Mcp-Param-Old"))
    );
    assert_eq!(
        sent[5],
        ("6 tools/call".to_owned(), header("Mcp-Param-New"))
    );
    let params = server.params();
    for member in ["inputResponses", "requestState", "arguments"] {
        assert_eq!(params[3][member], params[5][member], "{member}");
    }
    assert_eq!(
        *rounds.lock().unwrap(),
        ["1 as 1", "1 as 3", "2 as 4", "2 as 6"],
        "an observer sees each request"
    );
}

#[tokio::test(start_paused = true)]
async fn the_list_may_take_as_long_as_the_call() {
    let server = Server::builder("s", "1")
        .on_call_tool(async |_: Context, _: CallToolParams| {
            Err::<Outcome<CallToolResult>, _>(Error::rpc(ErrorCode::HEADER_MISMATCH, "first"))
        })
        .on_list_tools(|_: Context, _: PaginatedParams| pending::<Result<ListToolsResult, Error>>())
        .build()
        .unwrap();
    let client = Client::builder().connect(&server).await.unwrap();
    let start = tokio::time::Instant::now();
    let call = client.tool("t").timeout(Duration::from_secs(3));
    let error = call.send().await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::HEADER_MISMATCH));
    assert_eq!(start.elapsed(), Duration::from_secs(3));
}

#[tokio::test]
async fn a_server_that_checks_its_headers_is_called_without_being_listed_first() {
    /// Keeps the methods of the requests that pass the checks.
    #[derive(Clone, Default)]
    struct Methods(Arc<Mutex<Vec<String>>>);

    impl Middleware for Methods {
        async fn handle(&self, call: Call, next: Next<'_>) -> Reply {
            let method = call.method().to_owned();
            self.0.lock().expect("nothing panics").push(method);
            next.run(call).await
        }
    }

    let methods = Methods::default();
    let server = Server::builder("s", "1")
        .on_list_tools(async |_: Context, _: PaginatedParams| {
            let schema = json!({
                "type": "object",
                "properties": { "owner": { "type": "string", "x-mcp-header": "Owner" } },
            });
            Ok::<_, Error>(ListToolsResult::new([Tool::new("t", schema)]))
        })
        .on_call_tool(async |cx: Context, _: CallToolParams| {
            let owner = cx
                .headers()
                .and_then(|headers| headers.get("mcp-param-owner"));
            let owner = owner
                .and_then(|owner| owner.to_str().ok())
                .unwrap_or("nobody");
            Ok::<Outcome<_>, Error>(CallToolResult::text(owner).into())
        })
        .layer(methods.clone())
        .build()
        .unwrap();
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let transport = vuelta_http::url(listener.url()).unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { listener.serve(server, pending()).await });
    let client = Client::builder().connect(transport).await.unwrap();
    assert_eq!(
        client.call_tool("t", owner()).await.unwrap().as_text(),
        "octo"
    );
    assert_eq!(
        client.call_tool("t", json!({})).await.unwrap().as_text(),
        "nobody"
    );
    let calls = methods.0.lock().unwrap();
    let calls = calls
        .iter()
        .filter(|method| *method == "tools/call")
        .count();
    assert_eq!(calls, 2, "the refused call was not run");
}
