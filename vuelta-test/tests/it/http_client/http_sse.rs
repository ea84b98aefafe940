//! The transport of 2024-11-05: what a client makes of a server that has no other.
//!
//! Source: [HTTP with
//! SSE](https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse),
//! [backwards
//! compatibility](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility).

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use vuelta::{Client, ClientBuilder, ElicitForm, ElicitResult, Error, Mode, ServerNotification};

use super::handshake::{asks, by, form, hello, log, of, says};
use super::peer::{Live, Peer, Received, Reply, event};
use crate::logs::Logs;

/// A server of this transport: its stream, which the test may write to as well.
struct Older {
    peer: Peer,
    stream: Arc<Mutex<Option<Live>>>,
}

impl Older {
    /// Starts a server that answers what `answer` does not.
    async fn start(
        mut answer: impl FnMut(&Received, &Live) -> Option<Reply> + Send + 'static,
    ) -> Self {
        let stream = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&stream);
        let peer = Peer::start(move |request| {
            let mut stream = kept.lock().unwrap();
            match (request.verb(), &*stream) {
                ("GET", None) => {
                    let (live, reply) = Reply::live();
                    live.send("event: endpoint\ndata: /messages?sessionId=x\n\n");
                    *stream = Some(live);
                    reply
                }
                ("POST", Some(live)) if request.line.contains(" /messages?sessionId=x ") => {
                    answer(request, live).unwrap_or_else(|| usual(request, live))
                }
                _ => Reply::empty(405),
            }
        })
        .await;
        Self { peer, stream }
    }

    fn send(&self, event: impl Into<String>) {
        let stream = self.stream.lock().unwrap();
        stream.as_ref().expect("the stream is open").send(event);
    }

    /// Ends the stream.
    fn end(&self) {
        self.stream.lock().unwrap().take();
    }

    async fn connect(&self, builder: ClientBuilder) -> Client {
        let transport = vuelta_http::url(self.peer.url()).unwrap();
        let builder = builder.without_output_validation();
        builder.connect(transport).await.unwrap()
    }
}

fn usual(request: &Received, live: &Live) -> Reply {
    let result = match request.method() {
        "initialize" => hello("2024-11-05"),
        "tools/call" => says("done"),
        "tools/list" => json!({ "tools": [] }),
        _ => return Reply::empty(202),
    };
    answer(live, &request.body["id"], result);
    Reply::empty(202)
}

fn answer(live: &Live, id: &Value, result: Value) {
    let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    live.send(event(&message.to_string()));
}

#[tokio::test]
async fn a_server_of_2024_11_05_is_found_and_spoken_to() {
    let older = Older::start(|_, _| None).await;
    let client = older.connect(Client::builder()).await;
    assert_eq!(client.protocol_version().as_str(), "2024-11-05");
    assert_eq!(client.call_tool("t", ()).await.unwrap().as_text(), "done");

    let received = older.peer.received();
    let sent: Vec<_> = received
        .iter()
        .map(|request| (request.line.as_str(), request.method()))
        .collect();
    assert_eq!(
        sent,
        [
            ("POST /mcp HTTP/1.1", "server/discover"),
            ("POST /mcp HTTP/1.1", "initialize"),
            ("GET /mcp HTTP/1.1", ""),
            ("POST /messages?sessionId=x HTTP/1.1", "initialize"),
            (
                "POST /messages?sessionId=x HTTP/1.1",
                "notifications/initialized"
            ),
            ("POST /messages?sessionId=x HTTP/1.1", "tools/call"),
        ]
    );
    assert_eq!(received[1].body, received[3].body);
    for request in &received[1..] {
        assert_eq!(request.header("mcp-session-id"), None);
        assert_eq!(request.header("mcp-method"), None);
    }
    client.close().await;
    older.peer.closed().await;
    assert_eq!(by(&older.peer.received(), "DELETE").len(), 0);
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert_eq!(error.to_string(), "the connection was closed");
}

#[tokio::test]
async fn each_refusal_that_may_mean_it_is_followed_up() {
    for status in [400, 404, 405] {
        let mut stream = None;
        let mut is_refused = false;
        let peer = Peer::start(move |request| match request.verb() {
            "GET" => {
                let (live, reply) = Reply::live();
                live.send("event: endpoint\ndata: messages\n\n");
                stream = Some(live);
                reply
            }
            _ if !std::mem::replace(&mut is_refused, true) => Reply::empty(status),
            _ => usual(request, stream.as_ref().unwrap()),
        })
        .await;
        let transport = vuelta_http::url(peer.url()).unwrap();
        let client = Client::builder().mode(Mode::legacy());
        let client = client.connect(transport).await.unwrap();
        client.call_tool("t", ()).await.unwrap();
        assert_eq!(peer.received()[2].line, "POST /messages HTTP/1.1");
    }
}

#[tokio::test]
async fn messages_find_the_calls_that_they_belong_to() {
    let older = Older::start(|request, live| {
        (request.method() == "tools/call").then(|| {
            let id = &request.body["id"];
            for number in [1, 2] {
                let params = json!({ "progressToken": id, "progress": number });
                let message = json!({
                    "jsonrpc": "2.0", "method": "notifications/progress", "params": params,
                });
                live.send(event(&message.to_string()));
            }
            live.send(event("no message"));
            live.send("data:\n\n");
            answer(live, &json!(999), json!({}));
            answer(live, id, says(&id.to_string()));
            Reply::empty(202)
        })
    })
    .await;
    let client = older.connect(Client::builder()).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&seen);
        let call = client.tool("t").on_progress(move |progress| {
            let number = serde_json::to_string(&progress.progress).unwrap();
            keep.lock().unwrap().push(number);
        });
        calls.spawn(async move {
            let answer = call.send().await.unwrap().as_text();
            (answer, seen.lock().unwrap().clone())
        });
    }
    let mut answers = std::collections::BTreeSet::new();
    for (answer, progress) in calls.join_all().await {
        assert_eq!(progress, ["1", "2"]);
        answers.insert(answer);
    }
    assert_eq!(answers.len(), 4);
}

#[tokio::test]
async fn the_server_may_ask_and_tell() {
    let older = Older::start(|_, _| None).await;
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let builder = Client::builder()
        .on_elicit(async |_: ElicitForm| ElicitResult::accept(json!({ "name": "Ada" })))
        .on_notification(move |notification| {
            if let ServerNotification::Message(log) = notification {
                let _ = sender.send(log.data.get().to_owned());
            }
        });
    let _client = older.connect(builder).await;
    older.send(log(1));
    older.send(asks(json!(7), "elicitation/create", form("Who?")));
    assert_eq!(seen.recv().await.as_deref(), Some("1"));
    let is_answered = |received: &[Received]| received.last().unwrap().body["id"] == 7;
    let received = older.peer.until(is_answered).await;
    let answer = received.last().unwrap();
    assert_eq!(answer.line, "POST /messages?sessionId=x HTTP/1.1");
    assert_eq!(answer.body["result"]["content"], json!({ "name": "Ada" }));
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled() {
    let older =
        Older::start(|request, _| (request.method() == "tools/call").then(|| Reply::empty(202)))
            .await;
    let client = older.connect(Client::builder()).await;
    let call = tokio::spawn(client.tool("t").send());
    let is_called = |received: &[Received]| !of(received, "tools/call").is_empty();
    older.peer.until(is_called).await;
    call.abort();
    let is_cancelled = |received: &[Received]| !of(received, "notifications/cancelled").is_empty();
    let received = older.peer.until(is_cancelled).await;
    let cancelled = received.last().unwrap();
    assert_eq!(cancelled.line, "POST /messages?sessionId=x HTTP/1.1");
    let id = &of(&received, "tools/call")[0].body["id"];
    assert_eq!(cancelled.body["params"], json!({ "requestId": id }));
}

#[tokio::test]
async fn an_answer_may_come_before_its_request_is_accepted() {
    let older = Older::start(|request, live| {
        (request.method() == "tools/call").then(|| {
            answer(live, &request.body["id"], says("early"));
            Reply::silence()
        })
    })
    .await;
    let client = older.connect(Client::builder()).await;
    assert_eq!(client.call_tool("t", ()).await.unwrap().as_text(), "early");
}

#[tokio::test]
async fn a_refused_message_fails_its_call_alone() {
    let mut calls = 0;
    let older = Older::start(move |request, _| {
        if request.method() != "tools/call" {
            return None;
        }
        calls += 1;
        (calls == 1).then(|| Reply::new(400, "text/plain", "Could not parse message"))
    })
    .await;
    let client = older.connect(Client::builder()).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    let expected = "the server refused the message: \"Could not parse message\" [HTTP 400]";
    assert_eq!(error.to_string(), expected);
    client.call_tool("t", ()).await.unwrap();
}

#[tokio::test]
async fn an_answer_under_an_id_of_another_type_fails_at_once() {
    let older = Older::start(|request, live| {
        (request.method() == "tools/call").then(|| {
            let id = request.body["id"].to_string();
            answer(live, &json!(id), json!({}));
            Reply::empty(202)
        })
    })
    .await;
    let client = older.connect(Client::builder()).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.is_peer());
    assert!(
        error.to_string().starts_with("uncorrelated response"),
        "{error}"
    );
}

#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_connection() {
    let older =
        Older::start(|request, _| (request.method() == "tools/call").then(|| Reply::empty(202)))
            .await;
    let client = older.connect(Client::builder()).await;
    let call = tokio::spawn(client.tool("t").send());
    let is_called = |received: &[Received]| !of(received, "tools/call").is_empty();
    older.peer.until(is_called).await;
    older.end();
    let expected = "the server ended the stream: connect again";
    let error = call.await.unwrap().unwrap_err();
    assert!(error.is_transport());
    assert_eq!(error.to_string(), expected);
    let sent = older.peer.received().len();
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert_eq!(error.to_string(), expected);
    let logs = Logs::capture();
    client.notify("notifications/x", ()).await.unwrap();
    assert_eq!(logs.with("notification dropped").len(), 1);
    assert_eq!(older.peer.received().len(), sent);
}

/// Connects to a peer that refuses `initialize` and answers GET so.
async fn fallen_back(stream: Reply) -> (Error, Vec<Received>) {
    let peer = Peer::start(move |request| match request.verb() {
        "GET" => stream.clone(),
        _ => Reply::empty(405),
    })
    .await;
    let transport = vuelta_http::url(peer.url()).unwrap();
    let client = Client::builder().mode(Mode::legacy()).connect(transport);
    (client.await.unwrap_err(), peer.received())
}

#[tokio::test]
async fn a_server_of_neither_transport_is_refused_by_its_first_answer() {
    // Silence would last forever.
    tokio::time::pause();
    let other = Peer::script([]).await;
    let endpoint = |url: &str| Reply::stream([format!("event: endpoint\ndata: {url}\n\n")]);
    for stream in [
        Reply::empty(405),
        Reply::json("{}"),
        Reply::stream([""; 0]),
        Reply::stream([": waiting\n\n"]).hold(),
        Reply::stream(["data: \n\n"]).hold(),
        Reply::stream([log(1)]).hold(),
        Reply::silence(),
        Reply::empty(500),
        endpoint(&other.url()).hold(),
        endpoint("http://["),
    ] {
        let (error, received) = fallen_back(stream).await;
        assert!(error.is_peer());
        assert_eq!(
            error.to_string(),
            "there is no MCP endpoint at this URL; check its path [HTTP 405]"
        );
        assert_eq!(received.len(), 2);
    }
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn other_refusals_are_not_followed_up() {
    for status in [401, 403, 406, 410, 429, 500] {
        let peer = Peer::script([Reply::empty(status)]).await;
        let transport = vuelta_http::url(peer.url()).unwrap();
        let client = Client::builder().mode(Mode::legacy()).connect(transport);
        let error = client.await.unwrap_err();
        assert_eq!(
            error.transport_detail(),
            Some(&*format!("HTTP {status}")),
            "{error}"
        );
    }
}
