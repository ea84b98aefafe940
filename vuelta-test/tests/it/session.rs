//! A client and its server beyond the rounds: how they meet, what rides with every request,
//! and methods that the specification does not define.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::sleep;
use vuelta::wire::{Declared, RequestMeta, modern};
use vuelta::{
    CallToolParams, CallToolResult, Client, ClientBuilder, Context, CreateMessageResult,
    DiscoverResult, ElicitResult, Error, ErrorCode, Implementation, ListRootsResult,
    ListToolsResult, LoggingLevel, Mode, ProtocolVersion, Raw, Server, ServerNotification, wire,
};
use vuelta_test::fixture;

use crate::logs::Logs;
use crate::raw::{Peer, text, value};
use crate::scripted::Scripted;

fn discovered() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": { "listChanged": true } },
        "instructions": "Ask first.",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "peer", "version": "9" } },
    })
}

fn complete() -> Value {
    json!({ "content": [] })
}

#[tokio::test]
async fn a_client_discovers_its_server_with_one_request() {
    let server = Server::builder("Provisioner", "1.0.0")
        .instructions("Ask first.")
        .on_call_tool(async |_, _| Ok::<_, Error>(CallToolResult::text("x")))
        .build()
        .unwrap();
    let client = Client::builder().connect(&server).await.unwrap();
    assert_eq!(client.protocol_version(), &ProtocolVersion::V2026_07_28);
    let info = client.server_info().unwrap();
    assert_eq!(
        (info.name.as_str(), info.version.as_str()),
        ("Provisioner", "1.0.0")
    );
    assert_eq!(client.instructions(), Some("Ask first."));
    assert!(client.server_capabilities().tools.is_some());
    assert!(client.server_capabilities().prompts.is_none());
    assert_eq!(client.discover().await.unwrap(), *client.discovered());

    let scripted = Scripted::new([discovered()]);
    let client = Client::builder().connect(scripted.clone()).await.unwrap();
    assert_eq!(scripted.sent().len(), 1);
    assert_eq!(scripted.sent()[0].method, "server/discover");
    assert_eq!(client.server_info().unwrap().name, "peer");
}

#[tokio::test]
async fn a_server_that_lacks_a_common_revision_is_refused() {
    let mut older = discovered();
    older["supportedVersions"] = json!(["2030-01-01", "2031-01-01"]);
    let error = Client::builder()
        .connect(Scripted::new([older]))
        .await
        .unwrap_err();
    assert!(error.is_peer());
    assert_eq!(
        error.to_string(),
        "no revision in common: the server speaks [2030-01-01, 2031-01-01], this client \
         [2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05]"
    );
}

#[tokio::test]
async fn a_server_that_wants_a_revision_named_is_asked_once_more() {
    let unsupported = || {
        json!({
            "code": -32022,
            "message": "Unsupported protocol version",
            "data": { "supported": ["2026-07-28"], "requested": "2026-07-28" },
        })
    };
    let server = Scripted::new([unsupported(), discovered()]);
    assert!(Client::builder().connect(server.clone()).await.is_ok());
    assert_eq!(server.sent().len(), 2);
    let server = Scripted::new([unsupported(), unsupported(), discovered()]);
    let error = Client::builder().connect(server.clone()).await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION));
    assert_eq!(server.sent().len(), 2, "it does not loop");
}

#[tokio::test]
async fn a_misshapen_identity_is_none_and_optional_members_may_be_absent() {
    let mut bare = json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} });
    let client = Client::builder()
        .connect(Scripted::new([bare.clone()]))
        .await
        .unwrap();
    assert_eq!(client.server_info(), None);
    assert_eq!(client.instructions(), None);
    bare["_meta"] = json!({ "io.modelcontextprotocol/serverInfo": "peer" });
    let client = Client::builder()
        .connect(Scripted::new([bare]))
        .await
        .unwrap();
    assert_eq!(client.server_info(), None);
}

#[tokio::test]
async fn a_pinned_client_sends_nothing_before_its_first_call() {
    let server = Scripted::new([complete()]);
    let client = server.connect(Client::builder()).await;
    assert!(server.sent().is_empty());
    assert_eq!(client.server_info(), None);
    assert_eq!(
        client.server_capabilities(),
        &vuelta::ServerCapabilities::new()
    );
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(
        server.sent()[0].protocol_version,
        ProtocolVersion::V2026_07_28
    );
    assert_eq!(server.sent()[0].id, 1.into());
}

#[tokio::test]
async fn what_was_discovered_once_can_be_kept() {
    let first = Client::builder()
        .connect(Scripted::new([discovered()]))
        .await
        .unwrap();
    let stored = serde_json::to_string(first.discovered()).unwrap();
    let kept: DiscoverResult = serde_json::from_str(&stored).unwrap();
    assert_eq!(kept, *first.discovered());

    let pinned = Mode::pinned(ProtocolVersion::V2026_07_28);
    for mode in [
        pinned.discovered(kept.clone()),
        Mode::auto().discovered(kept),
    ] {
        let server = Scripted::new([]);
        let client = Client::builder()
            .mode(mode)
            .connect(server.clone())
            .await
            .unwrap();
        assert!(server.sent().is_empty());
        assert_eq!(client.server_info().unwrap().name, "peer");
        assert_eq!(client.instructions(), Some("Ask first."));
        assert!(client.server_capabilities().tools.is_some());
    }
}

#[tokio::test]
async fn a_revision_with_a_handshake_cannot_be_pinned() {
    let old = ProtocolVersion::from("2025-11-25");
    let builder = Client::builder().mode(Mode::pinned(old));
    let error = builder.connect(Scripted::new([])).await.unwrap_err();
    assert!(error.is_misuse());
    assert_eq!(
        error.to_string(),
        "revision 2025-11-25 cannot be pinned: it begins with a handshake; pin 2026-07-28, or \
         use `Mode::legacy()`"
    );
}

/// Returns the `_meta` of a first call.
async fn meta_of(builder: ClientBuilder) -> Value {
    let server = Scripted::new([complete()]);
    server
        .connect(builder)
        .await
        .call_tool("t", ())
        .await
        .expect("a result");
    server.params()[0]["_meta"].clone()
}

#[tokio::test]
async fn capabilities_follow_the_callbacks() {
    let form = |builder: ClientBuilder| builder.on_elicit(|_| async { ElicitResult::decline() });
    let url = |builder: ClientBuilder| builder.on_elicit_url(|_| async { ElicitResult::cancel() });
    let sample = |builder: ClientBuilder| {
        builder.on_sample(|_| async { CreateMessageResult::text("model", "x") })
    };
    let roots =
        |builder: ClientBuilder| builder.on_list_roots(|_| async { ListRootsResult::new([]) });
    let check = async |builder: ClientBuilder, expected: Value| {
        let meta = meta_of(builder).await;
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], expected);
    };
    let none = Client::builder;
    check(none(), json!({})).await;
    check(form(none()), json!({ "elicitation": { "form": {} } })).await;
    check(url(none()), json!({ "elicitation": { "url": {} } })).await;
    check(sample(none()), json!({ "sampling": {} })).await;
    check(roots(none()), json!({ "roots": {} })).await;
    check(
        form(url(sample(roots(none())))),
        json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} }),
    )
    .await;
    let tools = wire::SamplingCapability::new().tools(Declared::new());
    check(
        sample(none()).sampling(tools.clone()),
        json!({ "sampling": { "tools": {} } }),
    )
    .await;
    // Without a callback there is nothing to declare.
    check(none().sampling(tools), json!({})).await;
}

#[tokio::test]
async fn a_client_says_who_it_is_and_which_logs_it_wants() {
    let version = env!("CARGO_PKG_VERSION");
    let meta = meta_of(Client::builder()).await;
    let own = json!({ "name": "vuelta", "version": version });
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"], own);
    assert_eq!(meta.get("io.modelcontextprotocol/logLevel"), None);
    assert_eq!(meta.get("progressToken"), None);

    let builder = Client::builder()
        .info(Implementation::new("host", "2"))
        .log_level(LoggingLevel::Warning);
    let meta = meta_of(builder).await;
    let host = json!({ "name": "host", "version": "2" });
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"], host);
    assert_eq!(meta["io.modelcontextprotocol/logLevel"], "warning");
}

#[tokio::test]
async fn a_call_may_ask_for_other_logs_and_not_for_another_identity() {
    let server = Scripted::new([complete()]);
    let client = server
        .connect(Client::builder().log_level(LoggingLevel::Warning))
        .await;
    client
        .tool("t")
        .log_level(LoggingLevel::Debug)
        .meta("example.com/trace", "abc")
        .meta("io.modelcontextprotocol/protocolVersion", "1999-01-01")
        .meta("io.modelcontextprotocol/clientInfo", "nobody")
        .meta(
            "io.modelcontextprotocol/clientCapabilities",
            json!({ "roots": {} }),
        )
        .meta("progressToken", "mine")
        .send()
        .await
        .unwrap();
    let params = server.sent()[0].params.get().to_owned();
    for key in [
        "protocolVersion",
        "clientInfo",
        "clientCapabilities",
        "logLevel",
    ] {
        let key = format!("io.modelcontextprotocol/{key}");
        assert_eq!(params.matches(&key).count(), 1, "{params}");
    }
    let meta = server.params()[0]["_meta"].clone();
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "vuelta");
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({})
    );
    assert_eq!(meta["io.modelcontextprotocol/logLevel"], "debug");
    assert_eq!(meta["example.com/trace"], "abc");
    assert_eq!(meta.get("progressToken"), None);
}

#[tokio::test]
async fn a_result_is_read_by_its_type() {
    let server = Scripted::new([
        json!({ "resultType": "later", "content": [] }),
        json!({ "content": [] }),
        json!({ "resultType": "complete", "content": [{ "type": "text" }] }),
    ]);
    let client = server.connect(Client::builder()).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.is_peer());
    assert_eq!(
        error.to_string(),
        "tools/call: unknown `resultType` \"later\": expected \"complete\" or \"input_required\""
    );
    assert_eq!(
        client.call_tool("t", ()).await.unwrap(),
        CallToolResult::new()
    );
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.is_peer());
    assert!(error.to_string().contains("content[0]"), "{error}");
}

#[tokio::test]
async fn a_question_in_answer_to_a_list_is_a_fault_of_the_server() {
    let server = Scripted::new([
        json!({ "resultType": "input_required", "requestState": "x" }),
        json!({ "tools": [], "ttlMs": 0, "cacheScope": "private" }),
    ]);
    let client = server.connect(Client::builder()).await;
    let error = client.list_tools().await.unwrap_err();
    assert!(error.is_peer());
    assert_eq!(
        error.to_string(),
        "tools/list: `input_required` in answer to a method that may not ask"
    );
    assert_eq!(server.sent().len(), 1, "no retry");
    assert!(client.list_tools().await.is_ok());
}

#[tokio::test]
async fn a_negative_lifetime_is_none() {
    let server = Scripted::new([json!({ "tools": [], "ttlMs": -5, "cacheScope": "public" })]);
    let listed = server
        .connect(Client::builder())
        .await
        .list_tools()
        .await
        .unwrap();
    assert_eq!(serde_json::to_value(&listed).unwrap()["ttlMs"], 0);
}

#[derive(Deserialize, Serialize)]
struct Skills {
    level: u8,
}

/// A server with a method and a notification of its own.
fn own_methods(seen: Arc<Mutex<Vec<Option<Raw>>>>) -> Server {
    Server::builder("s", "1")
        .on_request(
            "example.com/skills",
            async |cx: Context, Skills { level }| {
                let trace = cx.meta().get("example.com/trace").cloned();
                Ok::<_, Error>(json!({ "skills": ["a"], "level": level, "trace": trace }))
            },
        )
        .on_request("example.com/list", async |_, _: Value| {
            Ok::<_, Error>(["no", "object"])
        })
        .on_request("example.com/ask", async |_, _: Value| {
            Ok::<_, Error>(json!({ "resultType": "input_required", "requestState": "x" }))
        })
        .on_notification("notifications/own", move |params| {
            seen.lock().expect("nothing panics").push(params);
            async {}
        })
        .build()
        .expect("no layers")
}

#[tokio::test]
async fn a_method_of_ones_own_is_typed_on_the_server_and_raw_on_the_client() {
    let server = own_methods(Arc::default());
    let client = Client::builder().connect(&server).await.unwrap();
    let result = client
        .request("example.com/skills", Skills { level: 3 })
        .await
        .unwrap();
    assert_eq!(
        value(&result),
        json!({
            "resultType": "complete",
            "skills": ["a"],
            "level": 3,
            "trace": null,
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "s", "version": "1" } },
        })
    );
    assert_eq!(
        modern::decode_custom_result::<Skills>(result.get())
            .unwrap()
            .level,
        3
    );

    // Its `_meta` is kept, and stands there once.
    let params = json!({ "level": 1, "_meta": { "example.com/trace": "abc", "progressToken": 1 } });
    let result = client
        .request("example.com/skills", params.clone())
        .await
        .unwrap();
    assert_eq!(value(&result)["trace"], "abc");
    let scripted = Scripted::new([json!({})]);
    scripted
        .connect(Client::builder())
        .await
        .request("example.com/x", params)
        .await
        .unwrap();
    let sent = scripted.sent()[0].params.get().to_owned();
    assert_eq!(sent.matches("_meta").count(), 1, "{sent}");
    assert_eq!(scripted.params()[0]["_meta"].get("progressToken"), None);
}

#[tokio::test]
async fn a_method_of_ones_own_keeps_the_rules() {
    let logs = Logs::capture();
    let server = own_methods(Arc::default());
    let peer = Peer::new(&server);
    let error = peer
        .request("example.com/skills", json!({ "level": "high" }))
        .await
        .unwrap_err();
    assert_eq!(
        serde_json::to_value(error).unwrap(),
        json!({ "code": -32602, "message": "Invalid request parameters", "data": "" })
    );
    for method in ["example.com/list", "example.com/ask"] {
        let error = peer.request(method, json!({})).await.unwrap_err();
        let invalid = "Handler returned an invalid result";
        assert_eq!(
            (error.code, &*error.message),
            (ErrorCode::INTERNAL_ERROR, invalid),
            "{method}"
        );
    }
    assert_eq!(
        logs.with("a custom handler returned an invalid result")
            .len(),
        2
    );

    let client = Client::builder().connect(&server).await.unwrap();
    for params in [json!([1]), json!("x"), json!({ "_meta": 5 })] {
        assert!(
            client
                .request("example.com/skills", params)
                .await
                .unwrap_err()
                .is_misuse()
        );
    }
}

#[tokio::test]
async fn notifications_reach_their_handler_and_others_are_ignored() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let server = own_methods(Arc::clone(&seen));
    let client = Client::builder().connect(&server).await.unwrap();
    client
        .notify("notifications/own", json!({ "n": 1 }))
        .await
        .unwrap();
    client.notify("notifications/own", ()).await.unwrap();
    client.notify("notifications/unknown", ()).await.unwrap();
    assert_eq!(
        *seen.lock().unwrap(),
        [Some(Raw::from(json!({ "n": 1 }))), None]
    );
    for params in [json!([1]), json!("x")] {
        let error = client
            .notify("notifications/own", params)
            .await
            .unwrap_err();
        assert!(error.is_misuse());
    }
    assert!(
        client
            .request("example.com/skills", Skills { level: 1 })
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn what_the_server_does_not_have_is_named() {
    let server = fixture::server(None);
    let peer = Peer::new(&server);
    let check = async |method: &str, params: Value, expected: Value| {
        let error = peer.request(method, params).await.unwrap_err();
        assert_eq!(serde_json::to_value(error).unwrap(), expected);
    };
    check(
        "tools/call",
        json!({ "name": "nope" }),
        json!({ "code": -32602, "message": "Unknown tool: nope" }),
    )
    .await;
    check(
        "prompts/get",
        json!({ "name": "nope" }),
        json!({ "code": -32602, "message": "Unknown prompt: nope" }),
    )
    .await;
    check(
        "resources/read",
        json!({ "uri": "mem://nope" }),
        json!({
            "code": -32602,
            "message": "Unknown resource: mem://nope",
            "data": { "uri": "mem://nope" },
        }),
    )
    .await;
    for method in ["foo/bar", "completion/complete", "initialize", "ping", ""] {
        let expected = json!({ "code": -32601, "message": "Method not found", "data": method });
        check(method, json!({}), expected).await;
    }
}

#[tokio::test]
async fn a_request_without_its_envelope_is_refused() {
    let server = fixture::server(None);
    let send = async |params: Option<Value>| {
        let params = params.map(Raw::from);
        let incoming = vuelta::server::Incoming::new(1.into(), "tools/list", params);
        let error = server
            .dispatch(incoming, vuelta::Outlet::closed())
            .await
            .unwrap_err();
        serde_json::to_value(error).unwrap()
    };
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    let no_meta = json!({
        "code": -32602,
        "message": format!(
            "params._meta must be an object carrying the required '{VERSION}' and \
             '{CAPABILITIES}' envelope keys"
        ),
    });
    for params in [
        None,
        Some(json!([])),
        Some(json!({})),
        Some(json!({ "_meta": 5 })),
    ] {
        assert_eq!(send(params).await, no_meta);
    }
    assert_eq!(
        send(Some(json!({ "_meta": { VERSION: "2026-07-28" } }))).await["message"],
        format!("params._meta is missing the required envelope key(s): {CAPABILITIES}")
    );
    let version = |version: Value| json!({ "_meta": { VERSION: version, CAPABILITIES: {} } });
    assert_eq!(
        send(Some(version(json!(5)))).await["message"],
        format!("params._meta['{VERSION}'] must be a string")
    );
    assert_eq!(
        send(Some(version(json!("2025-11-25")))).await,
        json!({
            "code": -32022,
            "message": "Unsupported protocol version",
            "data": { "supported": ["2026-07-28"], "requested": "2025-11-25" },
        })
    );
    let capabilities = json!({ "_meta": { VERSION: "2026-07-28", CAPABILITIES: 5 } });
    assert_eq!(
        send(Some(capabilities)).await,
        json!({ "code": -32602, "message": "Invalid request parameters", "data": "" })
    );
}

#[tokio::test]
async fn absent_empty_and_null_arguments_are_the_same_to_a_tool() {
    let server = Server::builder("s", "1")
        .on_call_tool(async |_, params: CallToolParams| {
            let arguments = params.arguments.map(|arguments| arguments.get().to_owned());
            Ok::<_, Error>(CallToolResult::text(arguments.as_deref().unwrap_or("none")))
        })
        .build()
        .unwrap();
    let peer = Peer::new(&server);
    for (params, expected) in [
        (json!({ "name": "noargs" }), "none"),
        (json!({ "name": "noargs", "arguments": null }), "none"),
        (json!({ "name": "noargs", "arguments": {} }), "{}"),
    ] {
        assert_eq!(
            text(&peer.request("tools/call", params).await.unwrap()),
            expected
        );
    }
    for arguments in [json!([]), json!(""), json!(5)] {
        let params = json!({ "name": "noargs", "arguments": arguments });
        let error = peer.request("tools/call", params).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    }
    // Arguments that do not fit are for the model to read.
    let fixture = fixture::server(None);
    for (arguments, argument) in [
        (json!({ "a": 1 }), "b"),
        (json!({ "a": "x", "b": 2 }), "a"),
        (json!({}), "a"),
        (json!({ "a": 1, "b": 2.5 }), "b"),
    ] {
        let params = json!({ "name": "add", "arguments": arguments });
        let result = Peer::new(&fixture)
            .request("tools/call", params)
            .await
            .unwrap();
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains(argument), "{result}");
    }
}

#[tokio::test(start_paused = true)]
async fn progress_starts_the_time_of_a_request_anew() {
    let server = Server::builder("s", "1")
        .on_call_tool(async |cx: Context, _| {
            for n in 1..=5 {
                sleep(Duration::from_millis(80)).await;
                cx.progress(n).await?;
            }
            sleep(Duration::from_millis(80)).await;
            Ok::<_, Error>(CallToolResult::text("done"))
        })
        .build()
        .unwrap();
    let client = Client::builder()
        .timeout(Duration::from_millis(100))
        .connect(&server)
        .await
        .unwrap();
    let call = || client.tool("slow").on_progress(|_| ());
    assert_eq!(call().send().await.unwrap().as_text(), "done");
    // Nobody asked for progress: the server is just slow.
    assert!(client.call_tool("slow", ()).await.unwrap_err().is_timeout());
    // A deadline ends the call all the same.
    let error = call()
        .deadline(Duration::from_millis(300))
        .send()
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "all of tools/call took longer than 300ms"
    );
}

#[tokio::test(start_paused = true)]
async fn progress_of_nobodys_request_is_not_shown_and_buys_no_time() {
    let server = Server::builder("s", "1")
        .on_call_tool(async |cx: Context, _| {
            for n in 1..=5 {
                sleep(Duration::from_millis(80)).await;
                let stranger = wire::ProgressToken("somebody else's".into());
                let params = wire::ProgressParams::new(stranger, n);
                cx.notify(ServerNotification::Progress(params)).await?;
            }
            Ok::<_, Error>(CallToolResult::text("done"))
        })
        .build()
        .unwrap();
    let client = Client::builder().connect(&server).await.unwrap();
    let call = || {
        client
            .tool("slow")
            .on_progress(|_| panic!("not this request's"))
    };
    assert_eq!(call().send().await.unwrap().as_text(), "done");
    assert!(
        call()
            .timeout(Duration::from_millis(100))
            .send()
            .await
            .unwrap_err()
            .is_timeout()
    );
}

#[tokio::test]
async fn an_observer_sees_every_notification_in_order() {
    let server = Server::builder("s", "1")
        .on_call_tool(async |cx: Context, _| {
            cx.progress(1).await?;
            cx.log(LoggingLevel::Info, "half way").await?;
            let params = Some(Raw::from(json!({ "n": 1 })));
            let custom = ServerNotification::Custom {
                method: "notifications/own".into(),
                params,
            };
            cx.notify(custom).await?;
            // Params that are not those of the method.
            let method = "notifications/progress".into();
            let malformed = ServerNotification::Custom {
                method,
                params: Some(Raw::from("x")),
            };
            cx.notify(malformed).await?;
            cx.progress(2).await?;
            Ok::<_, Error>(CallToolResult::text("done"))
        })
        .logging()
        .build()
        .unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let client = Client::builder()
        .log_level(LoggingLevel::Info)
        .on_notification(move |notification| {
            noted.lock().unwrap().push(notification.method().to_owned());
        })
        .connect(&server)
        .await
        .unwrap();
    client.tool("t").on_progress(|_| ()).send().await.unwrap();
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "notifications/progress",
            "notifications/message",
            "notifications/own",
            "notifications/progress",
        ]
    );
}

#[tokio::test]
async fn capabilities_of_a_server_follow_its_handlers() {
    let capabilities =
        |server: Server| serde_json::to_value(&server.discover().capabilities).unwrap();
    assert_eq!(
        capabilities(Server::builder("s", "1").build().unwrap()),
        json!({})
    );
    assert_eq!(
        capabilities(fixture::server(None)),
        json!({ "tools": {}, "prompts": {}, "resources": {} })
    );
    let server = Server::builder("s", "1")
        .on_list_tools(async |_, _| Ok::<_, Error>(ListToolsResult::new([])))
        .on_complete(async |_, _| Err::<vuelta::CompleteResult, _>(Error::misuse("not called")))
        .logging()
        .extension("example.com/skills", json!({ "levels": 3 }))
        .build()
        .unwrap();
    assert!(server.serves("tools/list") && !server.serves("tools/call"));
    assert_eq!(
        capabilities(server),
        json!({
            "tools": {},
            "completions": {},
            "logging": {},
            "extensions": { "example.com/skills": { "levels": 3 } },
        })
    );
}

#[tokio::test]
async fn discovery_can_be_answered_by_a_handler() {
    let server = Server::builder("s", "1")
        .on_discover(async |cx: Context, _| {
            let name = cx
                .client_info()
                .map(|info| info.name.clone())
                .unwrap_or_default();
            let capabilities = vuelta::ServerCapabilities::new();
            let result = DiscoverResult::new([ProtocolVersion::V2026_07_28], capabilities);
            Ok::<_, Error>(result.instructions(format!("Hello, {name}.")))
        })
        .build()
        .unwrap();
    let client = Client::builder()
        .info(Implementation::new("host", "1"))
        .connect(&server)
        .await
        .unwrap();
    assert_eq!(client.instructions(), Some("Hello, host."));
}

#[test]
fn the_envelope_is_written_once_whatever_the_params_say() {
    let meta = RequestMeta::new(
        ProtocolVersion::V2026_07_28,
        vuelta::ClientCapabilities::new(),
    );
    let params: CallToolParams =
        serde_json::from_value(json!({ "name": "t", "_meta": { "x": 1 } })).unwrap();
    let encoded = modern::encode_params(&params, &meta).unwrap();
    assert_eq!(encoded.get().matches("_meta").count(), 1);
}
