//! A client of the revisions with a handshake that writes its requests by hand, and a server
//! whose handlers do what it wants.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use vuelta::{
    CallToolParams, CallToolResult, Context, ElicitForm, Error, FormSchema, ListRootsParams,
    ListRootsResult, ListToolsResult, LoggingLevel, Outcome, Server, ServerBuilder, StringSchema,
    Tool,
};
use vuelta_http::{Body, Endpoint};

use super::post::{Post, Response, next};

/// Every revision with a handshake, oldest first.
pub(super) const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// A session, as its client knows it.
#[derive(Clone)]
pub(super) struct Dialogue {
    pub(super) endpoint: Endpoint,
    pub(super) session: String,
    pub(super) revision: &'static str,
}

impl Dialogue {
    /// Begins a session.
    pub(super) async fn open(endpoint: &Endpoint, revision: &'static str) -> Self {
        let response = initialize(revision).send(endpoint).await;
        assert_eq!(response.result()["protocolVersion"], revision);
        let session = response.header("mcp-session-id").expect("a session begins");
        Self {
            endpoint: endpoint.clone(),
            session: session.to_owned(),
            revision,
        }
    }

    /// A body within the session.
    pub(super) fn post(&self, body: impl Into<String>) -> Post {
        Post::bare(body)
            .set("MCP-Protocol-Version", self.revision)
            .set("Mcp-Session-Id", &self.session)
    }

    /// A request within the session.
    pub(super) fn request(&self, id: i64, method: &str, params: Value) -> Post {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.post(body.to_string())
    }

    /// A call to a tool.
    pub(super) fn call(&self, id: i64, tool: &str, arguments: Value) -> Post {
        let meta = json!({ "progressToken": id });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        self.request(id, "tools/call", params)
    }

    /// Calls a tool and begins to read its stream.
    pub(super) async fn stream(&self, id: i64, tool: &str) -> Stream {
        Stream::open(self.call(id, tool, json!({})), &self.endpoint).await
    }

    pub(super) fn get(&self) -> Post {
        self.post("").verb("GET").without("Content-Type")
    }

    /// Begins to read on where a stream broke.
    pub(super) async fn resume(&self, after: &str) -> Stream {
        Stream::open(self.get().set("Last-Event-ID", after), &self.endpoint).await
    }

    pub(super) fn delete(&self) -> Post {
        self.get().verb("DELETE")
    }

    /// Sends a notification.
    pub(super) async fn notify(&self, method: &str, params: Value) {
        let body = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        check_taken(self.post(body.to_string()).send(&self.endpoint).await);
    }

    pub(super) async fn cancel(&self, id: i64) {
        let params = json!({ "requestId": id });
        self.notify("notifications/cancelled", params).await;
    }

    /// Answers a question.
    pub(super) async fn answer(&self, id: &Value, result: Value) {
        let body = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        check_taken(self.post(body.to_string()).send(&self.endpoint).await);
    }
}

/// Asserts that a message was taken: it is not answered.
#[track_caller]
pub(super) fn check_taken(response: Response) {
    assert_eq!(response.status, 202, "{response:?}");
    assert_eq!(response.body, "");
    assert_eq!(response.header("content-type"), None);
}

/// A handshake of a client that can answer forms.
pub(super) fn initialize(revision: &str) -> Post {
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": revision,
        "capabilities": { "elicitation": {}, "roots": {} },
        "clientInfo": { "name": "probe", "version": "0" },
    } });
    Post::bare(body.to_string()).without("MCP-Protocol-Version")
}

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Event {
    pub(super) id: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) retry: Option<String>,
    pub(super) data: Option<String>,
}

impl Event {
    /// Reads a block of lines; `None` for one that is only a comment.
    pub(super) fn read(block: &str) -> Option<Self> {
        let mut event = Self::default();
        for line in block.lines().filter(|line| !line.starts_with(':')) {
            let (name, value) = line.split_once(": ").expect("a line is a field");
            let field = match name {
                "id" => &mut event.id,
                "event" => &mut event.kind,
                "retry" => &mut event.retry,
                "data" => &mut event.data,
                other => panic!("no field of an event: {other}"),
            };
            assert_eq!(field.replace(value.to_owned()), None, "{name} comes twice");
        }
        (event != Self::default()).then_some(event)
    }

    /// Returns the message that the event carries.
    #[track_caller]
    pub(super) fn message(&self) -> Value {
        assert_eq!(self.kind.as_deref(), Some("message"), "{self:?}");
        serde_json::from_str(self.data.as_deref().expect("a message is there")).unwrap()
    }

    /// Returns whether the event only says where the stream stands.
    pub(super) fn is_position(&self) -> bool {
        self.kind.is_none() && self.data.as_deref() == Some("") && self.id.is_some()
    }
}

/// A stream that is being read.
pub(super) struct Stream {
    body: Body,
    read: String,
    waiting: VecDeque<Event>,
    /// The id of the last event that had one.
    pub(super) last: Option<String>,
}

impl Stream {
    #[track_caller]
    pub(super) fn of(response: http::Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        assert_eq!(parts.status, 200);
        assert_eq!(parts.headers["content-type"], "text/event-stream");
        Self {
            body,
            read: String::new(),
            waiting: VecDeque::new(),
            last: None,
        }
    }

    pub(super) async fn open(post: Post, endpoint: &Endpoint) -> Self {
        Self::of(post.open(endpoint).await)
    }

    /// Reads the next event; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<Event> {
        while self.waiting.is_empty() {
            self.read.push_str(&next(&mut self.body).await?);
            while let Some((block, rest)) = self.read.split_once("\n\n") {
                self.waiting.extend(Event::read(block));
                self.read = rest.to_owned();
            }
        }
        let event = self.waiting.pop_front()?;
        if event.id.is_some() {
            self.last.clone_from(&event.id);
        }
        Some(event)
    }

    /// Reads the next message.
    pub(super) async fn message(&mut self) -> Value {
        loop {
            let event = self.next().await.expect("the stream goes on");
            if !event.is_position() {
                return event.message();
            }
        }
    }

    /// Reads the next notification of progress; returns how far it is.
    pub(super) async fn progress(&mut self) -> Value {
        let message = self.message().await;
        assert_eq!(message["method"], "notifications/progress", "{message}");
        message["params"]["progress"].clone()
    }

    /// Reads a question; returns its id.
    pub(super) async fn question(&mut self) -> Value {
        let message = self.message().await;
        assert_eq!(message["method"], "elicitation/create", "{message}");
        message["id"].clone()
    }

    /// Reads the answer of a tool; returns its text.
    pub(super) async fn text(&mut self, id: i64) -> String {
        let message = self.message().await;
        assert_eq!(message["id"], id, "{message}");
        let text = &message["result"]["content"][0]["text"];
        text.as_str().expect("a text").to_owned()
    }

    /// Reads to the end; nothing comes any more.
    pub(super) async fn check_end(&mut self) {
        assert_eq!(self.next().await, None);
    }
}

/// What a story sees of the handlers, and how it lets them go on.
#[derive(Clone, Default)]
pub(super) struct Probe {
    pub(super) started: Arc<Notify>,
    pub(super) go: Arc<Notify>,
    /// A handler was dropped before its end.
    pub(super) dropped: Arc<Notify>,
    pub(super) finished: Arc<AtomicUsize>,
}

struct Unfinished(Arc<Notify>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl Probe {
    pub(super) fn builder(&self) -> ServerBuilder {
        let probe = self.clone();
        Server::builder("s", "1")
            .logging()
            .on_list_tools(|_, _| async {
                let tools = [Tool::new("echo", json!({ "type": "object" }))];
                Ok::<_, Error>(ListToolsResult::new(tools))
            })
            .on_call_tool(move |cx, params| probe.clone().call(cx, params))
    }

    pub(super) fn endpoint(&self) -> Endpoint {
        Endpoint::new(self.builder().build().unwrap())
    }

    async fn call(
        self,
        cx: Context,
        params: CallToolParams,
    ) -> Result<Outcome<CallToolResult>, Error> {
        self.started.notify_one();
        let unfinished = Unfinished(Arc::clone(&self.dropped));
        let mut text = "done".to_owned();
        match params.name.as_str() {
            "echo" => {}
            // Tells how far it is on both sides of a wait.
            "wait" => {
                cx.progress(1).await?;
                self.go.notified().await;
                cx.progress(2).await?;
            }
            // Says so much that a stream does not hold it.
            "talk" => {
                for step in 1..=100 {
                    cx.progress(step).await?;
                }
            }
            "hang" => pending().await,
            "log" => cx.log(LoggingLevel::Info, "hello").await?,
            "ask" => text = ask(&cx).await?,
            // What could be asked before there were forms.
            "roots" => {
                let answer = cx.push(ListRootsParams::new()).await?;
                let ListRootsResult { roots, .. } = answer.parse()?;
                text = format!("{} roots", roots.len());
            }
            // Asks, but not for ever.
            "ask_briefly" => {
                let asked = tokio::time::timeout(Duration::from_secs(1), ask(&cx)).await;
                assert!(asked.is_err());
                pending::<()>().await;
            }
            // Sends the client away, and is done when nobody listens.
            "pause" => {
                cx.progress(1).await?;
                cx.pause_stream(Duration::from_millis(250)).await;
                cx.progress(2).await?;
                self.go.notified().await;
            }
            other => return Err(Error::unknown_tool(other)),
        }
        std::mem::forget(unfinished);
        self.finished.fetch_add(1, Ordering::SeqCst);
        Ok(CallToolResult::text(text).into())
    }
}

async fn ask(cx: &Context) -> Result<String, Error> {
    let schema = FormSchema::new().required("region", StringSchema::new());
    let answer = cx.push(ElicitForm::new("Where?", schema)).await?;
    let answer: Value = answer.parse()?;
    Ok(answer["content"]["region"]
        .as_str()
        .unwrap_or("nowhere")
        .to_owned())
}

/// The result of an accepted form.
pub(super) fn accepted(region: &str) -> Value {
    json!({ "action": "accept", "content": { "region": region } })
}
