//! Rounds and the probe over HTTP: each request is a POST of its own.

use std::time::Duration;

use serde_json::{Value, json};
use vuelta::{Client, ClientBuilder, ElicitForm, ElicitResult, Error, ErrorCode};

use super::peer::{Peer, Reply, event, response};
use super::pinned;

fn asks(state: &str) -> Value {
    json!({
        "resultType": "input_required",
        "requestState": state,
        "inputRequests": { "who": { "method": "elicitation/create", "params": {
            "message": "Who?", "mode": "form",
            "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } } },
        } } },
    })
}

fn waits(state: &str) -> Value {
    json!({ "resultType": "input_required", "requestState": state })
}

fn says(text: &str) -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] })
}

fn answering() -> ClientBuilder {
    Client::builder()
        .on_elicit(|_: ElicitForm| async { ElicitResult::accept(json!({ "name": "Ada" })) })
}

async fn connect(builder: ClientBuilder, peer: &Peer) -> Client {
    pinned(builder, vuelta_http::url(peer.url()).unwrap()).await
}

#[tokio::test]
async fn a_flow_is_one_post_a_round() {
    let state = "a+/=%25 \"q\" \\ \u{2028} \u{1f600}";
    let peer = Peer::script([
        Reply::stream([event(&response(&asks(state)).replace("$ID", "1"))]),
        Reply::result(&waits("")),
        Reply::result(&asks("last")),
        Reply::result(&says("done")),
    ])
    .await;
    let client = connect(answering(), &peer).await;
    let result = client
        .call_tool("t", json!({ "n": 9_007_199_254_740_993_i64 }))
        .await
        .unwrap();
    assert_eq!(result.as_text(), "done");

    let requests = peer.received();
    let ids: Vec<_> = requests
        .iter()
        .map(|request| request.body["id"].clone())
        .collect();
    assert_eq!(ids, [1, 2, 3, 4]);
    let call = json!({ "name": "t", "arguments": { "n": 9_007_199_254_740_993_i64 } });
    let with = |members: Value| {
        let mut params = call.clone();
        params
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        params
    };
    let answers = json!({ "who": { "action": "accept", "content": { "name": "Ada" } } });
    let params: Vec<_> = requests.iter().map(super::peer::Received::params).collect();
    assert_eq!(params[0], call);
    assert_eq!(
        params[1],
        with(json!({ "inputResponses": answers, "requestState": state }))
    );
    assert_eq!(params[2], with(json!({ "requestState": "" })));
    assert_eq!(
        params[3],
        with(json!({ "inputResponses": answers, "requestState": "last" }))
    );
    for request in &requests {
        assert_eq!(request.header("mcp-name"), Some("t"));
        let capabilities =
            &request.body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(*capabilities, json!({ "elicitation": { "form": {} } }));
    }
}

#[tokio::test]
async fn parallel_calls_stay_apart() {
    let peer = Peer::start(|request| {
        Reply::result(&match (
            request.body["params"]["name"].as_str(),
            request.body["params"].get("requestState"),
        ) {
            (Some("ask"), None) => asks("s1"),
            (Some("ask"), Some(_)) => says("hello"),
            _ => says("3"),
        })
    })
    .await;
    let client = connect(answering(), &peer).await;
    let (hello, three) = tokio::join!(
        client.call_tool("ask", ()),
        client.call_tool("add", json!({ "a": 1 }))
    );
    assert_eq!(
        (hello.unwrap().as_text(), three.unwrap().as_text()),
        ("hello".into(), "3".into())
    );
    let requests = peer.received();
    assert_eq!(requests.len(), 3);
    for request in requests {
        let params = request.params();
        let is_retry = params["name"] == "ask" && request.body["id"] == 3;
        assert_eq!(params.get("requestState").is_some(), is_retry, "{params}");
        assert_eq!(params.get("inputResponses").is_some(), is_retry, "{params}");
    }
}

#[tokio::test]
async fn the_time_of_people_is_not_the_time_of_requests() {
    let peer = Peer::script([Reply::result(&asks("s")), Reply::result(&says("done"))]).await;
    let builder = Client::builder()
        .timeout(Duration::from_secs(60))
        .on_elicit(async |_: ElicitForm| {
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(3600)).await;
            tokio::time::resume();
            ElicitResult::accept(json!({ "name": "Ada" }))
        });
    let client = connect(builder, &peer).await;
    assert_eq!(client.call_tool("t", ()).await.unwrap().as_text(), "done");
}

#[tokio::test]
async fn a_question_that_nobody_can_answer_ends_the_call() {
    let peer = Peer::script([Reply::result(&asks("s"))]).await;
    let client = connect(Client::builder(), &peer).await;
    let error = client.call_tool("t", ()).await.unwrap_err().to_string();
    assert!(
        error.contains("\"who\"") && error.contains("elicitation/create"),
        "{error}"
    );
    let [request] = peer.received().try_into().unwrap();
    let meta = &request.body["params"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({})
    );
}

#[tokio::test]
async fn results_are_read_by_their_type() {
    let peer = Peer::script([
        Reply::result(&json!({ "resultType": "later", "content": [] })),
        Reply::result(&json!({ "content": [] })),
        Reply::result(&waits("x")),
        Reply::result(&json!({ "tools": [], "ttlMs": -5 })),
    ])
    .await;
    let client = connect(answering(), &peer).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(
        error.is_peer() && error.to_string().contains("\"later\""),
        "{error}"
    );
    assert!(client.call_tool("t", ()).await.unwrap().content.is_empty());
    assert!(client.list_tools().await.unwrap_err().is_peer());
    assert!(client.list_tools().await.unwrap().tools.is_empty());
    assert_eq!(peer.received().len(), 4);
}

fn discovered(versions: &[&str]) -> Value {
    json!({
        "resultType": "complete", "supportedVersions": versions, "capabilities": {},
        "serverInfo": { "name": "s", "version": "1" },
    })
}

fn unsupported(supported: &[&str]) -> Reply {
    let error = json!({
        "code": -32022, "message": "Unsupported protocol version",
        "data": { "supported": supported, "requested": "2026-07-28" },
    });
    let body = format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{error}}}"#);
    Reply::new(400, "application/json", &body)
}

/// Connects by discovery; returns how it ended and how many requests that took.
async fn probe(replies: impl IntoIterator<Item = Reply>) -> (Result<Client, Error>, usize) {
    let peer = Peer::script(replies).await;
    let outcome = Client::builder()
        .connect(vuelta_http::url(peer.url()).unwrap())
        .await;
    for request in peer.received() {
        assert_eq!(request.header("mcp-method"), Some("server/discover"));
        assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(request.header("mcp-name"), None);
    }
    (outcome, peer.received().len())
}

#[tokio::test]
async fn one_discovery_finds_the_revision() {
    let (client, requests) =
        probe([Reply::result(&discovered(&["2025-11-25", "2026-07-28"]))]).await;
    assert_eq!(client.unwrap().protocol_version().as_str(), "2026-07-28");
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn an_unsupported_version_is_asked_about_once_more() {
    let common = || unsupported(&["2026-07-28"]);
    let (client, requests) = probe([common(), Reply::result(&discovered(&["2026-07-28"]))]).await;
    assert!(client.is_ok());
    assert_eq!(requests, 2);
    let (client, requests) = probe([common(), common()]).await;
    assert_eq!(
        client.unwrap_err().code(),
        Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION)
    );
    assert_eq!(requests, 2);
    let (client, requests) = probe([unsupported(&["2099-01-01"])]).await;
    assert!(client.unwrap_err().to_string().contains("2099-01-01"));
    assert_eq!(requests, 1);
}

#[tokio::test]
async fn a_pinned_client_sends_nothing_before_its_first_call() {
    let peer = Peer::script([Reply::result(&says("done"))]).await;
    let client = connect(Client::builder(), &peer).await;
    assert_eq!(peer.connections(), 0);
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(peer.received()[0].body["id"], 1);
}
