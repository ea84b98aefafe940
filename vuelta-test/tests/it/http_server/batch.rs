//! Several messages in one body, at revision 2025-03-26.

use serde_json::{Value, json};

use super::dialogue::{Dialogue, Probe, Stream, check_taken};
use super::post::Post;

fn call(id: i64, tool: &str) -> Value {
    let params = json!({ "name": tool, "arguments": {}, "_meta": { "progressToken": id } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

async fn peer(probe: &Probe) -> Dialogue {
    Dialogue::open(&probe.endpoint(), "2025-03-26").await
}

/// Sends a batch and reads the array that answers it, ordered by id.
async fn answers(peer: &Dialogue, batch: &Value) -> Vec<Value> {
    let post = peer
        .post(batch.to_string())
        .set("Accept", "application/json");
    let response = post.send(&peer.endpoint).await;
    assert_eq!(response.status, 200, "{response:?}");
    let Value::Array(mut answers) = response.message() else {
        panic!("no array: {response:?}");
    };
    answers.sort_by_key(|answer| answer["id"].as_i64());
    answers
}

#[tokio::test]
async fn requests_of_a_batch_are_answered_together() {
    let peer = peer(&Probe::default()).await;
    let batch = json!([
        call(1, "echo"),
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": 2, "method": "ping" },
        call(3, "nope"),
        { "jsonrpc": "2.0", "id": 9, "result": {} },
    ]);
    let answers = answers(&peer, &batch).await;
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0]["result"]["content"][0]["text"], "done");
    assert_eq!(answers[1]["result"], json!({}));
    assert_eq!(answers[2]["error"]["code"], -32602);
}

#[tokio::test]
async fn requests_of_a_batch_share_a_stream() {
    let probe = Probe::default();
    let peer = peer(&probe).await;
    let batch = json!([call(1, "wait"), call(2, "roots"), call(3, "hang")]);
    let mut stream = Stream::open(peer.post(batch.to_string()), &peer.endpoint).await;
    let (mut texts, mut left) = (Vec::new(), 4);
    while left > 0 {
        let message = stream.message().await;
        match message["method"].as_str() {
            Some("roots/list") => peer.answer(&message["id"], json!({ "roots": [] })).await,
            Some(_) if message["params"]["progress"] == 1 => probe.go.notify_one(),
            Some(_) => {}
            None => {
                let text = message["result"]["content"][0]["text"].as_str().unwrap();
                texts.push((message["id"].as_i64().unwrap(), text.to_owned()));
                continue;
            }
        }
        left -= 1;
        if left == 1 {
            break;
        }
    }
    while texts.len() < 2 {
        let message = stream.message().await;
        let text = message["result"]["content"][0]["text"].as_str().unwrap();
        texts.push((message["id"].as_i64().unwrap(), text.to_owned()));
    }
    texts.sort();
    assert_eq!(texts, [(1, "done".to_owned()), (2, "0 roots".to_owned())]);
    // The last one ends the stream: this one without an answer.
    peer.cancel(3).await;
    stream.check_end().await;
}

#[tokio::test]
async fn a_batch_without_requests_is_taken() {
    let peer = peer(&Probe::default()).await;
    for batch in [
        json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]),
        json!([
            { "jsonrpc": "2.0", "id": 1, "result": {} },
            { "jsonrpc": "2.0", "id": 2, "error": { "code": 1, "message": "no" } },
        ]),
    ] {
        check_taken(peer.post(batch.to_string()).send(&peer.endpoint).await);
    }
}

#[tokio::test]
async fn what_is_wrong_in_a_batch_is_refused_by_itself() {
    let peer = peer(&Probe::default()).await;
    let handshake = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} });
    let batch = json!([1, handshake, call(2, "echo"), call(2, "echo")]);
    let answers = answers(&peer, &batch).await;
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[0]["id"], Value::Null);
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert_eq!(answers[1]["id"], 1);
    assert_eq!(answers[1]["error"]["code"], -32600);
    // One of two with the same id is served.
    let served = answers[2..]
        .iter()
        .filter(|answer| answer["error"].is_null());
    assert_eq!(served.count(), 1);

    let mut stream = Stream::open(peer.post(batch.to_string()), &peer.endpoint).await;
    let mut codes = Vec::new();
    while let Some(event) = stream.next().await {
        codes.push(event.message()["error"]["code"].as_i64());
    }
    codes.sort();
    assert_eq!(codes, [None, Some(-32600), Some(-32600), Some(-32600)]);
}

#[tokio::test]
async fn an_empty_batch_is_none_and_other_revisions_have_none() {
    let endpoint = Probe::default().endpoint();
    for (revision, body) in [
        ("2025-03-26", "[]".to_owned()),
        ("2025-06-18", json!([call(1, "echo")]).to_string()),
        ("2025-11-25", json!([call(1, "echo")]).to_string()),
        ("2024-11-05", json!([call(1, "echo")]).to_string()),
    ] {
        let peer = Dialogue::open(&endpoint, revision).await;
        let response = peer.post(body).send(&endpoint).await;
        response.refused(400, &Value::Null, -32600);
    }
    let modern = Post::bare(json!([call(1, "echo")]).to_string());
    modern
        .send(&endpoint)
        .await
        .refused(400, &Value::Null, -32600);
}
