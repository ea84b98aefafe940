//! Requests of a session: what they say, what they ask, and what ends them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use vuelta_http::Endpoint;

use super::dialogue::{Dialogue, Probe, REVISIONS, Stream, accepted, initialize};
use super::post::{Post, next};

#[tokio::test]
async fn what_a_request_says_comes_before_its_answer_and_then_the_end() {
    for revision in REVISIONS {
        let probe = Probe::default();
        let peer = Dialogue::open(&probe.endpoint(), revision).await;
        let mut stream = peer.stream(1, "wait").await;
        assert_eq!(stream.progress().await, 1);
        probe.go.notify_one();
        assert_eq!(stream.progress().await, 2);
        assert_eq!(stream.text(1).await, "done");
        stream.check_end().await;
        let mut stream = peer.stream(2, "log").await;
        let logged = stream.message().await;
        assert_eq!(logged["method"], "notifications/message");
        assert_eq!(logged["params"]["data"], "hello");
        assert_eq!(stream.text(2).await, "done");
    }
}

#[tokio::test]
async fn a_stream_tells_at_once_how_to_go_on_with_it() {
    let peer = Dialogue::open(&Probe::default().endpoint(), "2025-11-25").await;
    let mut seen = Vec::new();
    for id in 1..=2 {
        let response = peer.call(id, "echo", json!({})).open(&peer.endpoint).await;
        assert_eq!(
            response.headers()["cache-control"],
            "no-cache, no-transform"
        );
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        let mut stream = Stream::of(response);
        let first = stream.next().await.unwrap();
        assert!(first.is_position(), "{first:?}");
        assert_eq!(first.retry.as_deref(), Some("1000"));
        let second = stream.next().await.unwrap();
        assert_eq!(second.message()["id"], id);
        seen.extend([first.id.unwrap(), second.id.unwrap()]);
    }
    let mut standing = Stream::open(peer.get(), &peer.endpoint).await;
    let first = standing.next().await.unwrap();
    assert!(first.is_position());
    seen.push(first.id.unwrap());
    let mut distinct = seen.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), seen.len(), "{seen:?}");
}

#[tokio::test]
async fn clients_of_older_revisions_get_no_event_without_a_message() {
    for revision in &REVISIONS[..3] {
        let peer = Dialogue::open(&Probe::default().endpoint(), revision).await;
        let mut stream = peer.stream(1, "echo").await;
        let first = stream.next().await.unwrap();
        assert_eq!(first.message()["id"], 1, "{revision}");
        assert!(first.id.is_some() && first.retry.is_none());
    }
}

#[tokio::test]
async fn a_question_is_answered_by_a_request_of_the_client() {
    for revision in &REVISIONS[2..] {
        let peer = Dialogue::open(&Probe::default().endpoint(), revision).await;
        let mut streams = [peer.stream(1, "ask").await, peer.stream(2, "ask").await];
        let first = streams[0].question().await;
        let second = streams[1].question().await;
        assert_ne!(first, second);
        peer.answer(&second, accepted("two")).await;
        peer.answer(&first, accepted("one")).await;
        // The second answer to a question is none.
        peer.answer(&first, accepted("three")).await;
        assert_eq!(streams[0].text(1).await, "one");
        assert_eq!(streams[1].text(2).await, "two");
    }
}

#[tokio::test]
async fn an_answer_counts_only_in_its_session() {
    let endpoint = Probe::default().endpoint();
    let asked = Dialogue::open(&endpoint, "2025-11-25").await;
    let other = Dialogue::open(&endpoint, "2025-11-25").await;
    let mut stream = asked.stream(1, "ask").await;
    let question = stream.question().await;
    other.answer(&question, accepted("not mine")).await;
    asked.answer(&question, accepted("mine")).await;
    assert_eq!(stream.text(1).await, "mine");
}

#[tokio::test]
async fn a_client_that_takes_no_stream_gets_one_object_and_cannot_be_asked() {
    let endpoint = Probe::default().endpoint();
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    let only_json = Dialogue::open(&endpoint.clone().json_responses(), "2025-11-25").await;
    let narrow = |tool: &str| {
        peer.call(1, tool, json!({}))
            .set("Accept", "application/json")
    };
    let table = [
        (narrow("talk"), narrow("ask"), &endpoint),
        (
            only_json.call(1, "talk", json!({})),
            only_json.call(1, "ask", json!({})),
            &only_json.endpoint,
        ),
    ];
    for (talk, ask, endpoint) in table {
        let result = talk.send(endpoint).await.result();
        assert_eq!(result["content"][0]["text"], "done");
        let message = ask.send(endpoint).await.refused(200, &json!(1), -32600);
        assert!(message.contains("elicitation/create"), "{message}");
    }
    let response = only_json.get().send(&only_json.endpoint).await;
    assert_eq!(response.status, 405);
    assert_eq!(response.header("allow"), Some("POST, DELETE"));
    let events = only_json
        .call(1, "echo", json!({}))
        .set("Accept", "text/event-stream");
    events
        .send(&only_json.endpoint)
        .await
        .refused(406, &json!(1), -32600);
    let events = initialize("2025-11-25").set("Accept", "text/event-stream");
    events
        .send(&only_json.endpoint)
        .await
        .refused(406, &json!(0), -32600);
    assert_eq!(
        only_json.delete().send(&only_json.endpoint).await.status,
        204
    );
}

#[tokio::test]
async fn an_error_of_a_request_is_an_answer_like_any_other() {
    let peer = Dialogue::open(&Probe::default().endpoint(), "2025-11-25").await;
    let unknown = || peer.request(3, "foo/bar", json!({}));
    let response = unknown()
        .set("Accept", "application/json")
        .send(&peer.endpoint)
        .await;
    assert_eq!(response.refused(200, &json!(3), -32601), "Method not found");
    for (post, code) in [
        (unknown(), -32601),
        (peer.call(3, "nope", json!({})), -32602),
        (peer.request(3, "tools/call", json!({})), -32602),
    ] {
        let mut stream = Stream::open(post, &peer.endpoint).await;
        let message = stream.message().await;
        assert_eq!(
            (&message["id"], &message["error"]["code"]),
            (&json!(3), &json!(code))
        );
        stream.check_end().await;
    }
}

#[tokio::test]
async fn a_client_that_leaves_cancels_nothing() {
    let probe = Probe::default();
    let endpoint = probe.endpoint();
    let peer = Dialogue::open(&endpoint, "2025-11-25").await;
    let mut stream = peer.stream(1, "wait").await;
    stream.progress().await;
    drop(stream);
    // One that waits for an object leaves, too.
    let json = peer
        .call(2, "wait", json!({}))
        .set("Accept", "application/json");
    tokio::select! {
        biased;
        _ = json.send(&endpoint) => panic!("nobody lets it go"),
        () = async {
            // The first request has notified as well.
            probe.started.notified().await;
            probe.started.notified().await;
        } => {}
    }
    for _ in 0..2 {
        probe.go.notify_one();
        tokio::task::yield_now().await;
        while probe.finished.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    }
    while probe.finished.load(Ordering::SeqCst) < 2 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_cancelled_request_is_not_answered() {
    let probe = Probe::default();
    let endpoint = probe.endpoint();
    let peer = Dialogue::open(&endpoint, "2025-06-18").await;
    let mut stream = peer.stream(1, "wait").await;
    stream.progress().await;
    peer.cancel(1).await;
    stream.check_end().await;
    probe.dropped.notified().await;
    // It is over: there is nothing to cancel any more.
    peer.cancel(1).await;

    let mut asking = peer.stream(2, "ask").await;
    let question = asking.question().await;
    peer.cancel(2).await;
    asking.check_end().await;
    peer.answer(&question, accepted("too late")).await;

    probe.started.notified().await;
    let json = peer
        .call(3, "hang", json!({}))
        .set("Accept", "application/json");
    let (response, ()) = tokio::join!(json.send(&endpoint), async {
        probe.started.notified().await;
        peer.cancel(3).await;
    });
    assert_eq!((response.status, &*response.body), (204, ""));
    assert_eq!(probe.finished.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_id_that_is_still_served_is_refused() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint(), "2025-11-25").await;
    let mut first = peer.stream(1, "wait").await;
    first.progress().await;
    let second = || peer.call(1, "echo", json!({}));
    let message = second()
        .send(&peer.endpoint)
        .await
        .refused(400, &json!(1), -32600);
    assert!(message.contains("still served"), "{message}");
    probe.go.notify_one();
    assert_eq!(first.progress().await, 2);
    assert_eq!(first.text(1).await, "done");
    first.check_end().await;
    let mut again = Stream::open(second(), &peer.endpoint).await;
    assert_eq!(again.text(1).await, "done");
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_is_kept_alive_by_comments() {
    let endpoint = Probe::default()
        .endpoint()
        .keep_alive(Duration::from_secs(15));
    let peer = Dialogue::open(&endpoint, "2025-06-18").await;
    let call = peer.call(1, "hang", json!({}));
    for post in [call, peer.get()] {
        let mut body = post.open(&endpoint).await.into_body();
        let begin = Instant::now();
        for round in 1..=3 {
            assert_eq!(next(&mut body).await.unwrap(), ": ping\n\n");
            assert_eq!(begin.elapsed().as_secs(), 15 * round);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_is_slow_makes_its_request_wait() {
    let probe = Probe::default();
    let peer = Dialogue::open(&probe.endpoint(), "2025-11-25").await;
    let mut stream = peer.stream(1, "talk").await;
    sleep(Duration::from_secs(60)).await;
    // Sixty-four wait in the stream, and as many for it.
    assert_eq!(stream.progress().await, 1);
    for step in 2..=100 {
        assert_eq!(stream.progress().await, step);
    }
    assert_eq!(stream.text(1).await, "done");
}

#[tokio::test]
async fn the_standing_stream_has_one_reader() {
    for revision in REVISIONS {
        let peer = Dialogue::open(&Probe::default().endpoint(), revision).await;
        let standing = Stream::open(peer.get(), &peer.endpoint).await;
        let second = peer.get().send(&peer.endpoint).await;
        second.refused(409, &Value::Null, -32600);
        // Requests have streams of their own beside it.
        assert_eq!(peer.stream(1, "echo").await.text(1).await, "done");
        drop(standing);
        Stream::open(peer.get(), &peer.endpoint).await;
    }
}

#[tokio::test]
async fn bodies_that_are_no_message_are_refused_within_a_session_too() {
    let peer = Dialogue::open(&Probe::default().endpoint(), "2025-11-25").await;
    let table = [
        ("{", -32700),
        ("[]", -32600),
        ("1", -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
    ];
    for (body, code) in table {
        let response = peer.post(body).send(&peer.endpoint).await;
        response.refused(400, &Value::Null, code);
    }
    let text = peer
        .request(1, "ping", json!({}))
        .set("Content-Type", "text/plain");
    text.send(&peer.endpoint)
        .await
        .refused(400, &Value::Null, -32600);
    let small = peer.endpoint.clone().body_limit(10);
    assert_eq!(
        peer.request(1, "ping", json!({})).send(&small).await.status,
        413
    );
}

#[tokio::test]
async fn a_session_serves_so_many_requests_and_no_more() {
    let peer = Dialogue::open(&Probe::default().endpoint(), "2025-11-25").await;
    let mut streams = Vec::new();
    for id in 1..=1024 {
        streams.push(peer.stream(id, "hang").await);
    }
    let one_more = peer.call(1025, "echo", json!({}));
    one_more
        .send(&peer.endpoint)
        .await
        .refused(503, &json!(1025), -32603);
    peer.cancel(1).await;
    while streams[0]
        .next()
        .await
        .is_some_and(|event| event.is_position())
    {}
    assert_eq!(peer.stream(1026, "echo").await.text(1026).await, "done");
    let endpoint: &Endpoint = &peer.endpoint;
    assert_eq!(
        Post::call("echo", json!({})).send(endpoint).await.status,
        200
    );
}
