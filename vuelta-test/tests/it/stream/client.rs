//! What a client does with the lines of a server.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use vuelta::transport::StreamTransport;
use vuelta::wire::{Role, SamplingBlock, TextContent};
use vuelta::{Client, ClientBuilder, CreateMessageResult, ElicitResult, Mode, ProtocolVersion};

use super::End;

fn transport() -> (StreamTransport, End) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(ours);
    (StreamTransport::new(read, write), End::new(theirs))
}

/// Connects a client that sends nothing on its own.
async fn pinned(builder: ClientBuilder) -> (Client, End) {
    let (transport, server) = transport();
    let mode = Mode::pinned(ProtocolVersion::V2026_07_28);
    (builder.mode(mode).connect(transport).await.unwrap(), server)
}

/// Plays the server of a handshake.
async fn greet(server: &mut End) {
    let hello = server.expect().await;
    assert_eq!(hello["method"], "initialize");
    assert_eq!(hello["params"]["protocolVersion"], "2025-11-25");
    assert_eq!(hello["params"].get("_meta"), None);
    let result = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "older", "version": "1" },
        "instructions": "Ask first.",
    });
    server
        .send(&json!({ "jsonrpc": "2.0", "id": hello["id"], "result": result }))
        .await;
    let initialized = server.expect().await;
    assert_eq!(
        initialized,
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
    );
}

/// Connects a client to a server with a handshake.
async fn greeted(builder: ClientBuilder) -> (Client, End) {
    let (transport, mut server) = transport();
    let connecting = builder.mode(Mode::legacy()).connect(transport);
    let (client, ()) = tokio::join!(connecting, greet(&mut server));
    (client.unwrap(), server)
}

fn done(id: &Value) -> Value {
    let result = json!({ "content": [{ "type": "text", "text": "done" }] });
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

#[tokio::test]
async fn a_server_that_knows_no_discovery_is_greeted_on_the_same_stream() {
    for refusal in [
        json!({ "code": -32601, "message": "Method not found" }),
        json!({ "code": -32602, "message": "Invalid request parameters" }),
        json!({ "code": 0, "message": "no" }),
        json!({ "code": -32000, "message": "Server not initialized" }),
    ] {
        let (transport, mut server) = transport();
        let connecting = Client::builder().connect(transport);
        let serving = async {
            let probe = server.expect().await;
            assert_eq!(probe["method"], "server/discover");
            server
                .send(&json!({ "jsonrpc": "2.0", "id": probe["id"], "error": refusal }))
                .await;
            greet(&mut server).await;
        };
        let (client, ()) = tokio::join!(connecting, serving);
        let client = client.unwrap();
        assert_eq!(client.protocol_version().as_str(), "2025-06-18");
        assert_eq!(client.server_info().unwrap().name, "older");
        assert_eq!(client.instructions(), Some("Ask first."));
        assert!(client.server_capabilities().tools.is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_is_greeted_when_the_probe_has_had_its_time() {
    let (transport, mut server) = transport();
    let builder = Client::builder().probe_timeout(Duration::from_secs(3));
    let connecting = builder.connect(transport);
    let serving = async {
        let asked = tokio::time::Instant::now();
        assert_eq!(server.expect().await["method"], "server/discover");
        // The next line is the handshake: a probe is not cancelled by a message.
        greet(&mut server).await;
        assert_eq!(asked.elapsed().as_secs(), 3);
    };
    let (client, ()) = tokio::join!(connecting, serving);
    assert!(client.unwrap().is_legacy());
}

#[tokio::test]
async fn older_requests_carry_only_what_older_servers_know() {
    let (client, mut server) =
        greeted(Client::builder().on_list_roots(|_| async { vuelta::ListRootsResult::new([]) }))
            .await;
    let call = client
        .tool("x")
        .arguments(json!({ "a": 1 }))
        .meta("example.com/k", "v");
    let serving = async {
        let request = server.expect().await;
        assert_eq!(
            request["params"],
            json!({ "name": "x", "arguments": { "a": 1 }, "_meta": { "example.com/k": "v" } })
        );
        server.send(&done(&request["id"])).await;
    };
    let (result, ()) = tokio::join!(call.send(), serving);
    assert_eq!(result.unwrap().as_text(), "done");
}

#[tokio::test]
async fn an_older_server_hears_of_a_model_in_one_block() {
    let builder = Client::builder().on_sample(|_| async {
        let text = |text: &str| SamplingBlock::from(TextContent::new(text));
        CreateMessageResult::new(Role::Assistant, vec![text("one"), text("two")], "a-model")
    });
    let (_client, mut server) = greeted(builder).await;
    let params = json!({ "messages": [], "maxTokens": 9 });
    let question = json!({
        "jsonrpc": "2.0", "id": "q", "method": "sampling/createMessage", "params": params,
    });
    server.send(&question).await;
    assert_eq!(
        server.expect().await,
        json!({ "jsonrpc": "2.0", "id": "q", "result": {
            "role": "assistant",
            "content": { "type": "text", "text": "one\ntwo" },
            "model": "a-model",
        } })
    );
}

#[tokio::test]
async fn crossed_marked_and_padded_lines_reach_their_requests() {
    let (client, mut server) = pinned(Client::builder()).await;
    let (first, second) = (client.call_tool("a", ()), client.call_tool("b", ()));
    let serving = async {
        let one = server.expect().await;
        let two = server.expect().await;
        assert_ne!(one["id"], two["id"]);
        let line = |request: &Value| {
            let text = request["params"]["name"].clone();
            let result = json!({ "content": [{ "type": "text", "text": text }] });
            json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
        };
        server
            .write("a program that prints\n{\"level\":\"info\"}\n")
            .await;
        server
            .write(format!("\n  \n{}\r\n{}\r\n", line(&two), line(&one)))
            .await;
    };
    let (one, two, ()) = tokio::join!(first, second, serving);
    assert_eq!(
        (one.unwrap().as_text(), two.unwrap().as_text()),
        ("a".into(), "b".into())
    );
}

#[tokio::test]
async fn an_answer_under_an_id_of_another_type_fails_at_once_and_the_connection_stays() {
    let (client, mut server) = pinned(Client::builder()).await;
    let serving = async {
        let request = server.expect().await;
        let text = request["id"].to_string();
        server.send(&done(&json!(999))).await;
        server.send(&done(&json!(text))).await;
    };
    let (error, ()) = tokio::join!(client.call_tool("x", ()), serving);
    let error = error.unwrap_err();
    assert!(
        error.is_peer() && error.to_string().contains("uncorrelated response"),
        "{error}"
    );
    let serving = async {
        let request = server.expect().await;
        server.send(&done(&request["id"])).await;
    };
    let (result, ()) = tokio::join!(client.call_tool("x", ()), serving);
    assert_eq!(result.unwrap().as_text(), "done");
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_by_one_message_and_its_answer_is_ignored() {
    for is_legacy in [false, true] {
        let (client, mut server) = if is_legacy {
            greeted(Client::builder()).await
        } else {
            pinned(Client::builder()).await
        };
        let mut call = Box::pin(client.call_tool("slow", ()));
        let request = tokio::select! {
            _ = &mut call => panic!("nobody answered"),
            request = server.expect() => request,
        };
        drop(call);
        let cancelled = server.expect().await;
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert_eq!(cancelled["params"]["requestId"], request["id"]);
        server.send(&done(&request["id"])).await;
        let serving = async {
            let request = server.expect().await;
            assert_eq!(request["method"], "tools/call", "nothing else was sent");
            server.send(&done(&request["id"])).await;
        };
        let (result, ()) = tokio::join!(client.call_tool("x", ()), serving);
        assert_eq!(result.unwrap().as_text(), "done");
    }
}

#[tokio::test]
async fn questions_of_an_older_server_are_answered_beside_the_call() {
    let builder =
        Client::builder().on_elicit(|_| async { ElicitResult::accept(json!({ "name": "Ada" })) });
    let (client, mut server) = greeted(builder).await;
    let serving = async {
        let call = server.expect().await;
        let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        for (id, method, params) in [
            (json!(1), "ping", json!({})),
            // No mode is a form, as before 2025-11-25.
            (
                json!("q"),
                "elicitation/create",
                json!({ "message": "Who?", "requestedSchema": schema }),
            ),
            (json!(2), "roots/list", json!({})),
            (json!(3), "elicitation/create", json!({ "message": 7 })),
            (json!(4), "foo/bar", json!({})),
        ] {
            server
                .send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
                .await;
            let answer = server.expect().await;
            assert_eq!(answer["id"], id);
            match method {
                "ping" => assert_eq!(answer["result"], json!({})),
                "elicitation/create" if id == "q" => assert_eq!(
                    answer["result"],
                    json!({ "action": "accept", "content": { "name": "Ada" } })
                ),
                "elicitation/create" => assert_eq!(answer["error"]["code"], -32602),
                // Not declared, or not known.
                _ => assert_eq!(answer["error"]["code"], -32601),
            }
        }
        server.send(&done(&call["id"])).await;
    };
    let (result, ()) = tokio::join!(client.call_tool("x", ()), serving);
    assert_eq!(result.unwrap().as_text(), "done");
}

#[tokio::test]
async fn a_question_that_the_server_takes_back_is_dropped() {
    let asked = Arc::new(Notify::new());
    let notify = Arc::clone(&asked);
    let builder = Client::builder().on_elicit(move |_| {
        notify.notify_one();
        std::future::pending::<ElicitResult>()
    });
    let (client, mut server) = greeted(builder).await;
    let serving = async {
        let call = server.expect().await;
        let schema = json!({ "type": "object", "properties": {} });
        let params = json!({ "message": "Who?", "requestedSchema": schema });
        server
            .send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": params }))
            .await;
        asked.notified().await;
        let params = json!({ "requestId": 1 });
        server
            .send(
                &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
            )
            .await;
        server
            .send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }))
            .await;
        assert_eq!(
            server.expect().await["id"],
            2,
            "the question is not answered"
        );
        server.send(&done(&call["id"])).await;
    };
    let (result, ()) = tokio::join!(client.call_tool("x", ()), serving);
    assert_eq!(result.unwrap().as_text(), "done");
}

#[tokio::test]
async fn a_server_of_2026_07_28_may_not_ask() {
    let (client, mut server) = pinned(Client::builder()).await;
    let serving = async {
        let call = server.expect().await;
        server
            .send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "roots/list" }))
            .await;
        assert_eq!(server.expect().await["error"]["code"], -32601);
        server.send(&done(&call["id"])).await;
    };
    let (result, ()) = tokio::join!(client.call_tool("x", ()), serving);
    assert_eq!(result.unwrap().as_text(), "done");
}

#[tokio::test]
async fn the_end_of_the_stream_fails_what_waits_and_what_comes() {
    let (client, mut server) = pinned(Client::builder()).await;
    let serving = async {
        server.expect().await;
        server.close().await;
    };
    let (error, ()) = tokio::join!(client.call_tool("x", ()), serving);
    let error = error.unwrap_err();
    assert!(error.is_transport(), "{error}");
    assert_eq!(error.to_string(), "the server closed the connection");
    let error = client.call_tool("x", ()).await.unwrap_err();
    assert!(error.is_transport(), "{error}");
    // A notification to nobody is no error.
    client.notify("notifications/whatever", ()).await.unwrap();
}

#[tokio::test]
async fn closing_the_client_closes_the_stream() {
    let (client, mut server) = pinned(Client::builder()).await;
    client.close().await;
    assert_eq!(server.next().await, None);
    assert!(client.call_tool("x", ()).await.unwrap_err().is_transport());

    let (client, mut server) = pinned(Client::builder()).await;
    drop(client);
    assert_eq!(server.next().await, None, "so does dropping it");
}
