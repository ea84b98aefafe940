//! The stream on which a server sends what belongs to no request.
//!
//! Source: [listening for
//! messages](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc;
use vuelta::{Client, ClientBuilder, ElicitForm, ElicitResult, ServerNotification};

use super::handshake::{SESSION, asks, by, connect, done, form, log, of, peer};
use super::peer::{Peer, Received, Reply, event, response};
use crate::logs::Logs;

/// Starts a peer that answers each GET with the next reply.
async fn listened(replies: impl IntoIterator<Item = Reply>) -> Peer {
    let mut replies: Vec<_> = replies.into_iter().collect();
    replies.reverse();
    peer(move |request| {
        (request.verb() == "GET").then(|| replies.pop().expect("a GET beyond the script"))
    })
    .await
}

/// A client that hands over each log notification.
fn observing() -> (ClientBuilder, mpsc::UnboundedReceiver<String>) {
    let (sender, seen) = mpsc::unbounded_channel();
    let builder = Client::builder().on_notification(move |notification| {
        if let ServerNotification::Message(log) = notification {
            let _ = sender.send(log.data.get().to_owned());
        }
    });
    (builder, seen)
}

fn listening(received: &[Received]) -> Vec<Received> {
    by(received, "GET")
}

#[tokio::test]
async fn the_stream_is_open_before_the_first_call() {
    let (live, reply) = Reply::live();
    let peer = listened([reply]).await;
    let (builder, mut seen) = observing();
    let client = connect(builder, &peer).await;
    let [request] = listening(&peer.received()).try_into().unwrap();
    assert_eq!(request.line, "GET /mcp HTTP/1.1");
    assert_eq!(request.header("accept"), Some("text/event-stream"));
    assert_eq!(request.header("mcp-session-id"), Some(SESSION));
    assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"));
    assert_eq!(request.header("last-event-id"), None);
    assert_eq!(request.header("content-type"), None);

    live.send("id: 1\ndata:\n\n");
    live.send(event("no message"));
    live.send(log(1));
    live.send(log(2));
    assert_eq!(seen.recv().await.as_deref(), Some("1"));
    assert_eq!(seen.recv().await.as_deref(), Some("2"));
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(listening(&peer.received()).len(), 1);
}

#[tokio::test]
async fn what_the_server_asks_on_it_is_answered() {
    let (live, reply) = Reply::live();
    let peer = listened([reply]).await;
    let builder = Client::builder()
        .on_elicit(async |_: ElicitForm| ElicitResult::accept(json!({ "name": "Ada" })));
    let _client = connect(builder, &peer).await;
    live.send(asks(json!("q"), "elicitation/create", form("Who?")));
    let is_answered = |received: &[Received]| received.last().unwrap().body["id"] == "q";
    let received = peer.until(is_answered).await;
    let answer = received.last().unwrap();
    assert_eq!(answer.body["result"]["content"], json!({ "name": "Ada" }));
    assert_eq!(answer.header("mcp-session-id"), Some(SESSION));
}

#[tokio::test]
async fn progress_finds_its_call_from_there_too() {
    let (live, reply) = Reply::live();
    let (call_stream, call_reply) = Reply::live();
    let mut replies = vec![call_reply, reply];
    let peer = peer(move |request| match (request.verb(), request.method()) {
        ("GET", _) | ("POST", "tools/call") => replies.pop(),
        _ => None,
    })
    .await;
    let client = connect(Client::builder(), &peer).await;
    let (sender, mut progress) = mpsc::unbounded_channel();
    let call = client.tool("t").on_progress(move |update| {
        let _ = sender.send(serde_json::to_string(&update.progress).unwrap());
    });
    let call = tokio::spawn(call.send());
    peer.until(|received| !of(received, "tools/call").is_empty())
        .await;
    for (token, number) in [(9, 7), (2, 1), (2, 2)] {
        let params = json!({ "progressToken": token, "progress": number });
        let message =
            json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
        live.send(event(&message.to_string()));
    }
    assert_eq!(progress.recv().await.as_deref(), Some("1"));
    assert_eq!(progress.recv().await.as_deref(), Some("2"));
    call_stream.send(done(2));
    call.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_server_need_not_have_one() {
    for reply in [
        Reply::empty(405),
        Reply::new(404, "text/html", "<html></html>"),
        Reply::new(400, "application/json", "{}"),
        Reply::empty(401),
        Reply::json("{}"),
        Reply::empty(204),
    ] {
        let logs = Logs::capture();
        let peer = listened([reply]).await;
        let client = connect(Client::builder(), &peer).await;
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(3600)).await;
        tokio::time::resume();
        client.call_tool("t", ()).await.unwrap();
        assert_eq!(listening(&peer.received()).len(), 1);
        assert!(logs.with("WARN").is_empty() && logs.with("ERROR").is_empty());
    }
}

/// Returns how long each GET came after the one before, in milliseconds.
fn waits(peer: &Peer) -> Vec<u128> {
    let requests = listening(&peer.received());
    let pairs = requests.windows(2);
    pairs
        .map(|pair| (pair[1].at - pair[0].at).as_millis())
        .collect()
}

/// Checks how long each GET came after the one before, at least: paused time may run ahead
/// while the other end of a socket has work to do.
#[track_caller]
fn check_waits(peer: &Peer, expected: &[u128]) {
    let waits = waits(peer);
    assert_eq!(waits.len(), expected.len(), "{waits:?}");
    let mut both = waits.iter().zip(expected);
    assert!(both.all(|(waited, wait)| waited >= wait), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_brings_nothing_is_given_up() {
    for reply in [
        Reply::stream([""; 0]),
        Reply::stream([": comment\n\n"]).close(),
        Reply::empty(503),
        Reply::silence().close(),
    ] {
        // A GET beyond the script would fail.
        let peer = listened(vec![reply; 3]).await;
        let client = connect(Client::builder(), &peer).await;
        peer.until(|received| listening(received).len() == 3).await;
        tokio::time::advance(Duration::from_secs(3600)).await;
        client.call_tool("t", ()).await.unwrap();
        check_waits(&peer, &[1000, 2000]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ended_goes_on_at_the_servers_pace() {
    let piece = |id: u32| format!("id: {id}\nretry: 300\n{}", log(id));
    let (live, last) = Reply::live();
    let replies = [1, 2, 3, 4].map(|id| Reply::stream([piece(id)]));
    let peer = listened(replies.into_iter().chain([last])).await;
    let (builder, mut seen) = observing();
    let _client = connect(builder, &peer).await;
    for expected in ["1", "2", "3", "4"] {
        assert_eq!(seen.recv().await.as_deref(), Some(expected));
    }
    peer.until(|received| listening(received).len() == 5).await;
    check_waits(&peer, &[300; 4]);
    let ids: Vec<_> = listening(&peer.received())
        .iter()
        .map(|request| request.header("last-event-id").map(str::to_owned))
        .collect();
    let expected = [None, Some("1"), Some("2"), Some("3"), Some("4")];
    assert_eq!(ids, expected.map(|id| id.map(str::to_owned)));
    live.send(log(5));
    assert_eq!(seen.recv().await.as_deref(), Some("5"));
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_that_lasted_is_no_failure() {
    let (streams, replies): (Vec<_>, Vec<_>) = (0..6).map(|_| Reply::live()).unzip();
    let peer = listened(replies).await;
    let _client = connect(Client::builder(), &peer).await;
    let mut streams = streams.into_iter();
    for (count, live) in (1..6).zip(&mut streams) {
        peer.until(|received| listening(received).len() == count)
            .await;
        tokio::time::advance(Duration::from_secs(60)).await;
        drop(live);
    }
    peer.until(|received| listening(received).len() == 6).await;
    check_waits(&peer, &[60_000; 5]);
}

#[tokio::test]
async fn the_stream_ends_with_the_client() {
    for is_closed in [true, false] {
        let (_live, reply) = Reply::live();
        let peer = listened([reply]).await;
        let client = connect(Client::builder(), &peer).await;
        let kept = if is_closed {
            client.close().await;
            Some(client)
        } else {
            drop(client);
            None
        };
        peer.closed().await;
        drop(kept);
    }
}

#[tokio::test]
async fn a_new_session_has_a_stream_of_its_own() {
    let (first, first_reply) = Reply::live();
    let (second, second_reply) = Reply::live();
    let mut replies = vec![second_reply, first_reply];
    let mut is_forgotten = true;
    let peer = peer(move |request| match (request.verb(), request.method()) {
        ("GET", _) => replies.pop(),
        ("POST", "tools/call") => std::mem::take(&mut is_forgotten).then(|| Reply::empty(404)),
        _ => None,
    })
    .await;
    let (builder, mut seen) = observing();
    let client = connect(builder, &peer).await;
    client.call_tool("t", ()).await.unwrap();
    peer.closed().await;
    first.send(log(1));
    second.send(log(2));
    assert_eq!(seen.recv().await.as_deref(), Some("2"));
    assert_eq!(listening(&peer.received()).len(), 2);
}

#[tokio::test]
async fn a_response_on_it_answers_nothing() {
    let (live, reply) = Reply::live();
    let (call_stream, call_reply) = Reply::live();
    let mut replies = vec![call_reply, reply];
    let peer = peer(move |request| match (request.verb(), request.method()) {
        ("GET", _) | ("POST", "tools/call") => replies.pop(),
        _ => None,
    })
    .await;
    let (builder, mut seen) = observing();
    let client = connect(builder, &peer).await;
    let call = tokio::spawn(client.tool("t").send());
    peer.until(|received| !of(received, "tools/call").is_empty())
        .await;
    let wrong = response(&json!({ "content": [] })).replace("$ID", "2");
    live.send(event(&wrong));
    live.send(log(1));
    assert_eq!(seen.recv().await.as_deref(), Some("1"));
    call_stream.send(done(2));
    assert_eq!(call.await.unwrap().unwrap().as_text(), "done");
}

#[tokio::test]
async fn a_server_that_keeps_the_client_waiting_for_it_does_not_keep_calls_waiting() {
    let peer = listened([Reply::silence()]).await;
    // Silence would last forever.
    tokio::time::pause();
    let client = connect(Client::builder(), &peer).await;
    client.call_tool("t", ()).await.unwrap();
}

#[tokio::test]
async fn callbacks_on_it_end_with_the_client() {
    let (live, reply) = Reply::live();
    let peer = listened([reply]).await;
    let (sender, mut begun) = mpsc::unbounded_channel();
    let sender = Arc::new(Mutex::new(sender));
    let builder = Client::builder().on_elicit(move |_: ElicitForm| {
        let sender = Arc::clone(&sender);
        async move {
            let kept = sender.lock().unwrap().clone();
            kept.send(()).unwrap();
            std::future::pending::<()>().await;
            drop(kept);
            ElicitResult::accept(json!({}))
        }
    });
    let client = connect(builder, &peer).await;
    live.send(asks(json!(1), "elicitation/create", form("Who?")));
    begun.recv().await.unwrap();
    drop(client);
    assert_eq!(begun.recv().await, None, "nothing of the client is left");
}
