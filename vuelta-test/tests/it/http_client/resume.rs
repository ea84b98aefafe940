//! The stream of one request in revisions with a handshake: what the server asks on it, and
//! where it goes on when it is interrupted.
//!
//! Source: [sending
//! messages](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server),
//! [resumability and
//! redelivery](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Barrier, oneshot};
use vuelta::{Client, ClientBuilder, ElicitForm, ElicitResult, Mode, ServerNotification};
use vuelta_http::HttpTransport;

use super::handshake::{SESSION, asks, by, connect, done, form, log, of, peer, welcome};
use super::peer::{Live, Peer, Received, Reply, event};

/// The messages that a client sees, in order.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// A client that notes log notifications.
    fn observing(&self) -> ClientBuilder {
        let seen = self.clone();
        Client::builder().on_notification(move |notification| {
            if let ServerNotification::Message(log) = notification {
                seen.note(log.data.get());
            }
        })
    }
}

/// Starts a peer that answers the first call with this stream.
async fn with_stream(reply: Reply) -> Peer {
    let mut reply = Some(reply);
    peer(move |request| {
        (request.method() == "tools/call")
            .then(|| reply.take())
            .flatten()
    })
    .await
}

/// Returns the messages that answer the server's requests.
fn answers(received: &[Received]) -> Vec<Value> {
    let bodies = received.iter().map(|request| &request.body);
    let answers = bodies
        .filter(|body| body.get("id").is_some() && body.get("method").is_none() && !body.is_null());
    answers.cloned().collect()
}

/// Begins a call whose stream the test writes.
async fn begin(
    builder: ClientBuilder,
) -> (
    Peer,
    Live,
    tokio::task::JoinHandle<vuelta::Result<vuelta::CallToolResult>>,
    Client,
) {
    let (live, reply) = Reply::live();
    let peer = with_stream(reply).await;
    let client = connect(builder, &peer).await;
    let call = tokio::spawn(client.tool("t").send());
    peer.until(|received| !of(received, "tools/call").is_empty())
        .await;
    (peer, live, call, client)
}

#[tokio::test]
async fn what_the_server_asks_is_answered_by_a_post() {
    let seen = Seen::default();
    let builder = seen.observing().on_elicit({
        let seen = seen.clone();
        move |form: ElicitForm| {
            seen.note(form.message);
            async { ElicitResult::accept(json!({ "name": "Ada" })) }
        }
    });
    let (peer, live, call, _client) = begin(builder).await;
    live.send(log(1));
    live.send(asks(json!(7), "elicitation/create", form("Who?")));
    live.send(log(2));
    let received = peer.until(|received| !answers(received).is_empty()).await;
    let answer = received.last().unwrap();
    assert_eq!(
        answer.body,
        json!({
            "jsonrpc": "2.0", "id": 7,
            "result": { "action": "accept", "content": { "name": "Ada" } },
        })
    );
    assert_eq!(answer.header("mcp-session-id"), Some(SESSION));
    assert_eq!(answer.header("mcp-protocol-version"), Some("2025-11-25"));
    assert_eq!(
        answer.header("accept"),
        Some("application/json, text/event-stream")
    );
    live.send(done(2));
    assert_eq!(call.await.unwrap().unwrap().as_text(), "done");
    let mut notes = seen.all();
    notes.sort_unstable();
    assert_eq!(notes, ["1", "2", "Who?"]);
}

#[tokio::test]
async fn questions_are_put_at_the_same_time_and_notifications_do_not_wait() {
    // Both callbacks wait for each other.
    let both = Arc::new(Barrier::new(2));
    let seen = Seen::default();
    let builder = seen.observing().on_elicit(move |form: ElicitForm| {
        let both = Arc::clone(&both);
        async move {
            both.wait().await;
            ElicitResult::accept(json!({ "name": form.message }))
        }
    });
    let (peer, live, call, _client) = begin(builder).await;
    live.send(asks(json!("a"), "elicitation/create", form("first")));
    live.send(log(1));
    live.send(log(2));
    live.send(asks(json!("b"), "elicitation/create", form("second")));
    let received = peer.until(|received| answers(received).len() == 2).await;
    let mut given: Vec<_> = answers(&received)
        .into_iter()
        .map(|answer| {
            let name = &answer["result"]["content"]["name"];
            (answer["id"].to_string(), name.to_string())
        })
        .collect();
    given.sort_unstable();
    let pair = |id: &str, name: &str| (format!("\"{id}\""), format!("\"{name}\""));
    assert_eq!(given, [pair("a", "first"), pair("b", "second")]);
    live.send(done(2));
    call.await.unwrap().unwrap();
    assert_eq!(seen.all(), ["1", "2"]);
}

#[tokio::test]
async fn what_cannot_be_answered_is_refused() {
    let (peer, live, call, _client) = begin(Client::builder()).await;
    live.send(asks(json!(1), "ping", json!({})));
    live.send(asks(json!(2), "elicitation/create", form("Who?")));
    live.send(asks(json!(3), "foo/bar", json!({})));
    let received = peer.until(|received| answers(received).len() == 3).await;
    let mut given = answers(&received);
    given.sort_unstable_by_key(|answer| answer["id"].as_i64());
    let [ping, question, unknown] = given.try_into().unwrap();
    assert_eq!(ping, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    assert_eq!(question["error"]["code"], -32601);
    assert_eq!(unknown["error"]["code"], -32601);
    live.send(done(2));
    call.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_question_that_the_server_takes_back_is_not_answered() {
    struct Told(Option<oneshot::Sender<()>>);
    impl Drop for Told {
        fn drop(&mut self) {
            let _ = self.0.take().map(|dropped| dropped.send(()));
        }
    }
    let (dropped, is_dropped) = oneshot::channel();
    let told = Mutex::new(Some(Told(Some(dropped))));
    let builder = Client::builder().on_elicit(move |_: ElicitForm| {
        let told = told.lock().unwrap().take();
        async move {
            let _told = told;
            std::future::pending::<ElicitResult>().await
        }
    });
    let (peer, live, call, _client) = begin(builder).await;
    live.send(asks(json!(7), "elicitation/create", form("Who?")));
    live.send(event(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
    ));
    is_dropped.await.unwrap();
    live.send(done(2));
    call.await.unwrap().unwrap();
    assert!(answers(&peer.received()).is_empty());
}

#[tokio::test]
async fn the_end_of_a_call_is_the_end_of_its_questions() {
    let (dropped, mut is_dropped) = oneshot::channel::<()>();
    let dropped = Mutex::new(Some(dropped));
    let (begun, has_begun) = oneshot::channel();
    let begun = Mutex::new(Some(begun));
    let builder = Client::builder().on_elicit(move |_: ElicitForm| {
        let kept = dropped.lock().unwrap().take();
        let begun = begun.lock().unwrap().take();
        async move {
            let _kept = kept;
            let _ = begun.map(|begun| begun.send(()));
            std::future::pending::<ElicitResult>().await
        }
    });
    let (peer, live, call, _client) = begin(builder).await;
    live.send(asks(json!(7), "elicitation/create", form("Who?")));
    has_begun.await.unwrap();
    assert!(
        is_dropped
            .try_recv()
            .is_err_and(|error| error == oneshot::error::TryRecvError::Empty)
    );
    live.send(done(2));
    call.await.unwrap().unwrap();
    assert!(is_dropped.await.is_err(), "the callback was dropped");
    assert!(answers(&peer.received()).is_empty());
}

/// Starts a peer that answers the first call with `first` and each GET after that with the
/// next of `rest`.
async fn interrupted(first: Reply, rest: impl IntoIterator<Item = Reply>) -> Peer {
    let mut first = Some(first);
    let mut rest: Vec<_> = rest.into_iter().collect();
    rest.reverse();
    peer(move |request| match (request.verb(), request.method()) {
        ("POST", "tools/call") => first.take(),
        // The first GET listens to what belongs to no request.
        ("GET", _) if first.is_none() => Some(rest.pop().expect("a GET beyond the script")),
        _ => None,
    })
    .await
}

/// Calls a tool once in paused time; returns how it ended, and the requests for the rest of its
/// stream with how long they came after the request before.
async fn resume(client: &Client, peer: &Peer) -> (vuelta::Result<String>, Vec<(String, u128)>) {
    tokio::time::pause();
    let result = client.call_tool("t", ()).await;
    tokio::time::resume();
    let received = peer.received();
    let call = received
        .iter()
        .position(|request| request.method() == "tools/call")
        .unwrap();
    let resumed = received[call..].windows(2).filter_map(|pair| {
        let [before, request] = pair else { return None };
        let id = request.header("last-event-id")?;
        Some((id.to_owned(), (request.at - before.at).as_millis()))
    });
    (result.map(|result| result.as_text()), resumed.collect())
}

/// Checks how long each request came after the one before, at least: paused time may run ahead
/// while the other end of a socket has work to do.
#[track_caller]
fn check_waits(resumed: &[(String, u128)], expected: &[(&str, u128)]) {
    assert_eq!(resumed.len(), expected.len(), "{resumed:?}");
    for ((id, waited), (expected_id, wait)) in resumed.iter().zip(expected) {
        assert_eq!(id, expected_id);
        assert!(waited >= wait, "{resumed:?}");
    }
}

#[tokio::test]
async fn an_interrupted_stream_goes_on_in_another() {
    let first = Reply::stream(["id: event-1\nretry: 500\ndata: \n\n"]);
    let second = ["id: event-2\nretry: 500\ndata:\n\n".to_owned(), done(2)];
    let peer = interrupted(first, [Reply::stream(second).hold()]).await;
    let client = connect(Client::builder(), &peer).await;
    let (answer, resumed) = resume(&client, &peer).await;
    assert_eq!(answer.unwrap(), "done");
    check_waits(&resumed, &[("event-1", 500)]);
    let request = peer.received().pop().unwrap();
    assert_eq!(request.line, "GET /mcp HTTP/1.1");
    assert_eq!(request.header("accept"), Some("text/event-stream"));
    assert_eq!(request.header("mcp-session-id"), Some(SESSION));
    assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"));
}

#[tokio::test]
async fn nothing_follows_after_the_answer() {
    let first = ["id: 1\nretry: 1\ndata:\n\n".to_owned(), done(2)];
    for first in [
        Reply::stream(first.clone()),
        Reply::stream(first.clone()).close(),
        Reply::stream(first).hold(),
    ] {
        let peer = interrupted(first, []).await;
        let client = connect(Client::builder(), &peer).await;
        client.call_tool("t", ()).await.unwrap();
        let sent = peer.received().len();
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(3600)).await;
        tokio::time::resume();
        assert_eq!(peer.received().len(), sent);
    }
}

#[tokio::test]
async fn messages_and_questions_span_streams() {
    let seen = Seen::default();
    let (ask, answer) = oneshot::channel::<()>();
    let answer = Mutex::new(Some(answer));
    let builder = seen.observing().on_elicit(move |_: ElicitForm| {
        let answer = answer.lock().unwrap().take();
        async move {
            // Answered when the first stream is long gone.
            answer.unwrap().await.unwrap();
            ElicitResult::accept(json!({ "name": "Ada" }))
        }
    });
    let question = asks(json!(7), "elicitation/create", form("Who?"));
    let first = [format!("id: 1\nretry: 100\n{}", log(1)), question];
    let (live, second) = Reply::live();
    let peer = interrupted(Reply::stream(first), [second]).await;
    let client = connect(builder, &peer).await;
    let call = tokio::spawn(client.tool("t").send());
    let is_resumed = |received: &[Received]| {
        let resumed = by(received, "GET");
        resumed
            .iter()
            .any(|request| request.header("last-event-id") == Some("1"))
    };
    peer.until(is_resumed).await;
    live.send(log(2));
    ask.send(()).unwrap();
    let received = peer.until(|received| !answers(received).is_empty()).await;
    assert_eq!(answers(&received)[0]["id"], 7);
    live.send(done(2));
    assert_eq!(call.await.unwrap().unwrap().as_text(), "done");
    assert_eq!(seen.all(), ["1", "2"]);
}

#[tokio::test]
async fn a_server_may_interrupt_as_often_as_it_brings_something() {
    let piece = |number: u32| format!("id: {number}\nretry: 200\ndata:\n\n");
    let rest = (2..=6).map(|number| Reply::stream([piece(number)]));
    let last = Reply::stream([done(2)]);
    let peer = interrupted(Reply::stream([piece(1)]), rest.chain([last])).await;
    let client = connect(Client::builder(), &peer).await;
    let (answer, resumed) = resume(&client, &peer).await;
    assert_eq!(answer.unwrap(), "done");
    let expected = ["1", "2", "3", "4", "5", "6"].map(|id| (id, 200));
    check_waits(&resumed, &expected);
}

#[tokio::test]
async fn a_stream_that_brings_nothing_is_given_up() {
    let empty = || Reply::stream([": nothing\n\n"]);
    for (rest, error) in [
        (empty(), "the stream ended before the answer"),
        (empty().close(), "the connection broke before the answer"),
        (Reply::empty(503), "the server failed [HTTP 503]"),
    ] {
        let first = Reply::stream(["id: 1\ndata:\n\n"]);
        let peer = interrupted(first, [rest.clone(), rest]).await;
        let client = connect(Client::builder(), &peer).await;
        let (answer, resumed) = resume(&client, &peer).await;
        let answer = answer.unwrap_err();
        assert!(answer.is_transport());
        assert_eq!(answer.to_string(), error);
        check_waits(&resumed, &[("1", 1000), ("1", 2000)]);
        // The connection is none the worse.
        client.call_tool("t", ()).await.unwrap();
    }
}

#[tokio::test]
async fn how_often_it_is_asked_in_vain_can_be_set() {
    for (reconnects, expected) in [(0, 0), (1, 1), (4, 4)] {
        let first = Reply::stream(["id: 1\ndata:\n\n"]);
        let rest = vec![Reply::stream([""; 0]); expected];
        let peer = interrupted(first, rest).await;
        let transport = HttpTransport::builder(peer.url())
            .max_reconnects(reconnects)
            .build()
            .unwrap();
        let client = Client::builder()
            .mode(Mode::legacy())
            .connect(transport)
            .await
            .unwrap();
        let (answer, resumed) = resume(&client, &peer).await;
        assert!(answer.unwrap_err().is_transport());
        assert_eq!(resumed.len(), expected);
    }
}

#[tokio::test]
async fn a_server_that_does_not_resume_is_asked_once() {
    for rest in [
        Reply::empty(405),
        Reply::empty(404),
        Reply::new(400, "text/plain", "no"),
        Reply::json("{}"),
    ] {
        let first = Reply::stream(["id: 1\ndata:\n\n"]);
        let peer = interrupted(first, [rest]).await;
        let client = connect(Client::builder(), &peer).await;
        let (answer, resumed) = resume(&client, &peer).await;
        let error = answer.unwrap_err();
        assert!(error.is_transport());
        assert!(error.to_string().contains("does not resume it"), "{error}");
        assert_eq!(resumed.len(), 1);
    }
}

#[tokio::test]
async fn a_stream_without_ids_is_lost_when_it_ends() {
    for first in [
        Reply::stream([log(1)]),
        Reply::stream([log(1)]).close(),
        // The id belongs to an event that never ended, or was taken back.
        Reply::stream(["id: 1\ndata:\n"]),
        Reply::stream(["id: 1\ndata:\n\n", "id:\ndata:\n\n"]),
    ] {
        let peer = interrupted(first, []).await;
        let client = connect(Client::builder(), &peer).await;
        let (answer, resumed) = resume(&client, &peer).await;
        assert!(answer.unwrap_err().is_transport());
        assert!(resumed.is_empty());
    }
}

#[tokio::test]
async fn what_breaks_the_protocol_is_not_asked_for_again() {
    let broken = format!("id: 1\n{}", event("nothing"));
    let peer = interrupted(Reply::stream([broken]), []).await;
    let client = connect(Client::builder(), &peer).await;
    let (answer, resumed) = resume(&client, &peer).await;
    assert!(answer.unwrap_err().is_peer());
    assert!(resumed.is_empty());
}

#[tokio::test]
async fn batches_are_read_in_the_revision_that_has_them() {
    let log =
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
    let answer = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#;
    let batch = format!("[{log},{answer}]");
    for (version, is_read) in [("2025-03-26", true), ("2025-06-18", false)] {
        for reply in [Reply::json(&batch), Reply::stream([event(&batch)])] {
            let seen = Seen::default();
            let peer = peer(move |request| match request.method() {
                "initialize" => Some(welcome(version)),
                "tools/call" => Some(reply.clone()),
                _ => None,
            })
            .await;
            let client = connect(seen.observing(), &peer).await;
            assert_eq!(client.call_tool("t", ()).await.is_ok(), is_read);
            assert_eq!(seen.all().len(), usize::from(is_read));
        }
    }
}

#[tokio::test]
async fn a_greeting_may_come_on_a_stream_as_well() {
    let hello = super::handshake::hello("2025-11-25");
    let greeting = event(&super::peer::response(&hello).replace("$ID", "1"));
    let ping = asks(json!(1), "ping", json!({}));
    let stream = ["id: 1\ndata:\n\n".to_owned(), ping, greeting];
    let peer = peer(move |request| {
        let is_greeting = request.method() == "initialize";
        is_greeting.then(|| Reply::stream(stream.clone()).header("mcp-session-id", SESSION))
    })
    .await;
    let client = connect(Client::builder(), &peer).await;
    client.call_tool("t", ()).await.unwrap();
    let call = &of(&peer.received(), "tools/call")[0];
    assert_eq!(call.header("mcp-session-id"), Some(SESSION));
}
