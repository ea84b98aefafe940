//! Each request stands for itself: nothing of the ones before it on its connection counts, and
//! nothing of what the client says about itself.
//!
//! Source: [statelessness](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#statelessness).

use serde_json::{Value, json};
use vuelta::seal::RequestStateSecurity;
use vuelta::transport::StreamServer;
use vuelta_test::fixture;

use crate::raw::{PROVISIONED, Peer, envelope};
use crate::stream::End;

const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// Serves the fixture over one stream.
fn connect() -> End {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let server = StreamServer::new(fixture::server(None)).unwrap();
    tokio::spawn(server.serve(read, write));
    End::new(ours)
}

/// A call that needs a client which can show forms.
fn provision(id: u64, meta: Value) -> Value {
    let params = json!({ "name": "provision", "arguments": { "name": "orders" }, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn each_request_is_judged_by_its_own_envelope() {
    let forms = || envelope(&json!({ "elicitation": {} }));
    let unserved = || {
        let mut meta = forms();
        meta["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
        meta
    };
    let mut client = connect();
    for (id, meta, code) in [
        (1, forms(), None),
        // What was declared before is not declared now, and the other way round.
        (2, envelope(&json!({})), Some(-32021)),
        (3, forms(), None),
        (4, unserved(), Some(-32022)),
        (5, json!({}), Some(-32602)),
        (6, forms(), None),
    ] {
        client.send(&provision(id, meta)).await;
        let answer = client.expect().await;
        assert_eq!(answer["id"], id);
        match code {
            None => assert_eq!(answer["result"]["resultType"], "input_required", "{answer}"),
            Some(code) => assert_eq!(answer["error"]["code"], code, "{answer}"),
        }
    }
}

#[tokio::test]
async fn who_the_client_says_it_is_changes_nothing() {
    let server = fixture::server(Some(RequestStateSecurity::ephemeral().unwrap()));
    let named = |name: &str| {
        let info = json!({ "name": name, "version": "1" });
        Peer::new(&server).meta(CLIENT_INFO, info)
    };
    let list = async |peer: Peer<'_>| peer.request("tools/list", json!({})).await.unwrap();
    let anonymous = list(Peer::new(&server)).await;
    assert_eq!(list(named("one")).await, anonymous);
    assert_eq!(list(named("other")).await, anonymous);

    // A state belongs to who was authenticated, here nobody: another name is no other caller.
    let state = named("one").begin().await;
    assert_eq!(named("other").finish(&state).await.unwrap(), PROVISIONED);
    assert_eq!(
        Peer::new(&server).finish(&state).await.unwrap(),
        PROVISIONED
    );
}
