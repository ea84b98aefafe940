//! Connections that begin with a handshake, through raw messages.

use serde_json::{Value, json};
use vuelta::server::{Incoming, Session};
use vuelta::{
    Client, ElicitForm, ElicitResult, Error, ErrorObject, Frame, Inlet, Mode, Outlet, Raw, Server,
    ServerNotification, Tool, wire,
};

use crate::raw::value;
use vuelta_test::fixture;

/// Sends one request over a session.
async fn send(session: &Session, method: &str, params: Value) -> Result<Value, ErrorObject> {
    let incoming = Incoming::new(1.into(), method, Some(Raw::from(params)));
    let answer = session.dispatch(incoming, Outlet::closed()).await?;
    Ok(value(&answer))
}

fn hello(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "probe", "version": "0" },
    })
}

async fn open(server: &Server, version: &str) -> (Session, Inlet) {
    let (session, inlet) = server.open_session();
    send(&session, "initialize", hello(version)).await.unwrap();
    (session, inlet)
}

#[tokio::test]
async fn a_handshake_settles_the_revision() {
    let server = fixture::server(None);
    for (asked, spoken) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        // A revision without a handshake, one that is none, and no text at all of either.
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let (session, _inlet) = server.open_session();
        let result = send(&session, "initialize", hello(asked)).await.unwrap();
        assert_eq!(
            result,
            json!({
                "protocolVersion": spoken,
                "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
                "serverInfo": { "name": fixture::NAME, "version": "1.2.3" },
            })
        );
        assert_eq!(session.protocol_version().unwrap().as_str(), spoken);
    }
}

#[tokio::test]
async fn nothing_but_ping_is_served_before_the_handshake() {
    let (session, _inlet) = fixture::server(None).open_session();
    assert_eq!(send(&session, "ping", json!({})).await.unwrap(), json!({}));
    let early = send(&session, "tools/list", json!({})).await.unwrap_err();
    assert_eq!(
        (early.code.0, &*early.message),
        (-32602, "Invalid request parameters")
    );
    for unknown in ["foo/bar", "server/discover", "subscriptions/listen"] {
        let error = send(&session, unknown, json!({})).await.unwrap_err();
        assert_eq!(
            (error.code.0, &*error.message),
            (-32601, "Method not found")
        );
    }
    for malformed in [json!({}), json!({ "protocolVersion": 1 })] {
        let error = send(&session, "initialize", malformed).await.unwrap_err();
        assert_eq!(error.code.0, -32602);
    }
    assert!(
        send(&session, "initialize", hello("2025-11-25"))
            .await
            .is_ok()
    );
    assert!(send(&session, "tools/list", json!({})).await.is_ok());
}

#[tokio::test]
async fn results_carry_nothing_that_only_2026_07_28_defines() {
    let server = fixture::server(None);
    let (session, _inlet) = open(&server, "2025-11-25").await;
    let calls = [
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "mem://a" })),
        (
            "tools/call",
            json!({ "name": "add", "arguments": { "a": 1, "b": 2 } }),
        ),
    ];
    for (method, params) in calls {
        let result = send(&session, method, params).await.unwrap();
        let text = result.to_string();
        for member in [
            "resultType",
            "ttlMs",
            "cacheScope",
            "io.modelcontextprotocol",
        ] {
            assert!(!text.contains(member), "{method}: {text}");
        }
    }
}

#[tokio::test]
async fn results_that_are_no_objects_lose_what_older_revisions_cannot_say() {
    let server = Server::builder("s", "1")
        .on_list_tools(|_, _| async {
            let input = json!({ "type": "object" });
            let number =
                Tool::new("number", input.clone()).output_schema(json!({ "type": "number" }));
            let object = Tool::new("object", input).output_schema(json!({ "type": "object" }));
            Ok::<_, Error>(wire::ListToolsResult::new([number, object]))
        })
        .on_call_tool(|_, params| async move {
            let content = match params.name.as_str() {
                "number" => json!(3),
                _ => json!({ "n": 3 }),
            };
            Ok::<_, Error>(wire::CallToolResult::text("3").structured_content(content))
        })
        .build()
        .unwrap();
    let (session, _inlet) = open(&server, "2025-11-25").await;
    let tools = send(&session, "tools/list", json!({})).await.unwrap();
    assert_eq!(tools["tools"][0].get("outputSchema"), None);
    assert_eq!(
        tools["tools"][1]["outputSchema"],
        json!({ "type": "object" })
    );
    let number = send(&session, "tools/call", json!({ "name": "number" }))
        .await
        .unwrap();
    assert_eq!(
        number,
        json!({ "content": [{ "type": "text", "text": "3" }] })
    );
    let object = send(&session, "tools/call", json!({ "name": "object" }))
        .await
        .unwrap();
    assert_eq!(object["structuredContent"], json!({ "n": 3 }));
}

#[tokio::test]
async fn content_that_a_revision_does_not_have_is_said_in_words() {
    let server = Server::builder("s", "1")
        .on_call_tool(|_, _| async {
            let link = wire::ResourceLink::new("file:///main.rs", "main.rs");
            let sound = wire::AudioContent::new("aGVsbG8=", "audio/wav");
            let result = wire::CallToolResult::new().content([link.into(), sound.into()]);
            Ok::<_, Error>(result)
        })
        .build()
        .unwrap();
    for (version, kinds) in [
        ("2024-11-05", ["text", "text"]),
        ("2025-03-26", ["text", "audio"]),
        ("2025-06-18", ["resource_link", "audio"]),
        ("2025-11-25", ["resource_link", "audio"]),
    ] {
        let (session, _inlet) = open(&server, version).await;
        let result = send(&session, "tools/call", json!({ "name": "x" }))
            .await
            .unwrap();
        let content = result["content"].as_array().unwrap();
        let found: Vec<_> = content.iter().map(|block| &block["type"]).collect();
        assert_eq!(found, kinds, "{version}");
        if kinds[0] == "text" {
            assert_eq!(content[0]["text"], "main.rs: file:///main.rs");
        }
    }
}

#[tokio::test]
async fn a_notification_that_is_passed_on_names_no_subscription() {
    let server = Server::builder("s", "1")
        .on_call_tool(|cx, _| async move {
            let mut meta = wire::Meta::new();
            meta.insert(wire::meta::SUBSCRIPTION_ID, "of another server");
            let changed = wire::ResourceUpdatedParams::new("mem://a").meta(meta);
            cx.notify(ServerNotification::ResourceUpdated(changed))
                .await?;
            Ok::<_, Error>(wire::CallToolResult::text("done"))
        })
        .build()
        .unwrap();
    let (session, _own) = open(&server, "2025-11-25").await;
    let (outlet, mut inlet) = Outlet::open();
    let params = Raw::from(json!({ "name": "x" }));
    let call = Incoming::new(2.into(), "tools/call", Some(params));
    session.dispatch(call, outlet).await.unwrap();
    let Some(Frame::Notification(frame)) = inlet.try_recv() else {
        panic!("no notification came")
    };
    assert_eq!(frame.method, "notifications/resources/updated");
    assert_eq!(value(&frame.params.unwrap()), json!({ "uri": "mem://a" }));
}

#[tokio::test]
async fn a_question_that_a_revision_cannot_put_is_not_pushed() {
    let server = Server::builder("s", "1")
        .on_call_tool(|cx, _| async move {
            let tags = wire::PlainItems::new(["a".to_owned(), "b".to_owned()]);
            let schema =
                wire::FormSchema::new().required("tags", wire::MultiSelectSchema::new(tags));
            cx.push(ElicitForm::new("Which?", schema)).await?;
            Ok::<_, Error>(wire::CallToolResult::text("asked"))
        })
        .build()
        .unwrap();
    let (session, _own) = open(&server, "2025-06-18").await;
    let (outlet, mut inlet) = Outlet::open();
    let params = Raw::from(json!({ "name": "x" }));
    let call = Incoming::new(2.into(), "tools/call", Some(params));
    let error = session.dispatch(call, outlet).await.unwrap_err();
    assert_eq!(error.code.0, -32603);
    assert!(inlet.try_recv().is_none());
}

#[tokio::test]
async fn a_level_filters_log_notifications_and_none_lets_all_through() {
    let server = Server::builder("s", "1")
        .logging()
        .on_call_tool(|cx, _| async move {
            cx.log(wire::LoggingLevel::Debug, "debug").await?;
            cx.log(wire::LoggingLevel::Error, "error").await?;
            Ok::<_, Error>(wire::CallToolResult::text("done"))
        })
        .build()
        .unwrap();
    let (session, _inlet) = open(&server, "2025-11-25").await;
    for (level, expected) in [(None, 2), (Some("error"), 1), (Some("emergency"), 0)] {
        if let Some(level) = level {
            let set = send(&session, "logging/setLevel", json!({ "level": level })).await;
            assert_eq!(set.unwrap(), json!({}));
        }
        let (outlet, mut inlet) = Outlet::open();
        let call = Incoming::new(
            2.into(),
            "tools/call",
            Some(Raw::from(json!({ "name": "x" }))),
        );
        session.dispatch(call, outlet).await.unwrap();
        let mut frames = 0;
        while inlet.try_recv().is_some() {
            frames += 1;
        }
        assert_eq!(frames, expected, "{level:?}");
    }
    let error = send(&session, "logging/setLevel", json!({ "level": "loud" })).await;
    assert_eq!(error.unwrap_err().code.0, -32602);
}

#[tokio::test]
async fn a_pushed_form_has_the_shape_of_its_revision() {
    let server = Server::builder("s", "1")
        .on_call_tool(|cx, _| async move {
            let schema = wire::FormSchema::new().required("name", wire::StringSchema::new());
            let answer = cx.push(ElicitForm::new("Who?", schema)).await?;
            let answer: ElicitResult = answer.parse()?;
            let name: Option<Value> = answer.accepted()?;
            Ok::<_, Error>(wire::CallToolResult::text(
                name.unwrap()["name"].to_string(),
            ))
        })
        .build()
        .unwrap();
    for (version, mode) in [("2025-06-18", None), ("2025-11-25", Some("form"))] {
        let (session, _own) = open(&server, version).await;
        let (outlet, mut inlet) = Outlet::open();
        let call = Incoming::new(
            2.into(),
            "tools/call",
            Some(Raw::from(json!({ "name": "x" }))),
        );
        let answer = async {
            let Some(Frame::Request(frame)) = inlet.recv().await else {
                panic!("no question came")
            };
            assert_eq!(frame.method, "elicitation/create");
            let params = value(&frame.params);
            assert_eq!(params.get("mode").and_then(Value::as_str), mode);
            assert_eq!(params["requestedSchema"]["required"], json!(["name"]));
            let accepted = json!({ "action": "accept", "content": { "name": "Ada" } });
            assert!(session.settle(&frame.id, Ok(Raw::from(accepted))));
        };
        let (result, ()) = tokio::join!(session.dispatch(call, outlet), answer);
        assert_eq!(value(&result.unwrap())["content"][0]["text"], "\"Ada\"");
    }
}

#[tokio::test]
async fn nothing_is_pushed_where_there_is_no_way() {
    let server = Server::builder("s", "1")
        .on_call_tool(|cx, _| async move {
            cx.push(wire::ListRootsParams::new()).await?;
            Ok::<_, Error>(wire::CallToolResult::text("asked"))
        })
        .build()
        .unwrap();
    // At 2026-07-28, without a session, and on a session whose request has no stream.
    let modern = Client::builder().connect(&server).await.unwrap();
    let modern = modern.call_tool("x", ()).await.unwrap_err();
    let stateless = server.stateless_session("2025-03-26".into());
    let stateless = send(&stateless, "tools/call", json!({ "name": "x" }))
        .await
        .unwrap_err();
    let (session, _inlet) = open(&server, "2025-11-25").await;
    let closed = send(&session, "tools/call", json!({ "name": "x" }))
        .await
        .unwrap_err();
    for error in [modern.as_rpc().unwrap(), &stateless, &closed] {
        assert_eq!(error.code.0, -32600);
        assert_eq!(
            error.message,
            "Cannot send 'roots/list': this transport context has no back-channel for \
             server-initiated requests."
        );
    }
}

#[tokio::test]
async fn a_hand_built_question_fails_without_a_bridge_and_goes_over_it_with_one() {
    let answering = || {
        Client::builder()
            .mode(Mode::legacy())
            .on_elicit(|_| async { ElicitResult::accept(json!({ "region": "eu-west-1" })) })
    };
    let bare = answering().connect(&fixture::server(None)).await.unwrap();
    let arguments = json!({ "name": "orders" });
    let error = bare
        .call_tool("provision", arguments.clone())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "Handler returned an invalid result (-32603)"
    );

    for security in [
        None,
        Some(vuelta::seal::RequestStateSecurity::ephemeral().unwrap()),
    ] {
        let server = fixture::bridged(security);
        let client = answering().connect(&server).await.unwrap();
        let result = client
            .call_tool("provision", arguments.clone())
            .await
            .unwrap();
        assert_eq!(result.as_text(), "Provisioned orders in eu-west-1.");
    }
}

#[tokio::test]
async fn answers_and_state_of_an_older_client_mean_nothing() {
    let server = fixture::bridged(None);
    let (session, _inlet) = open(&server, "2025-11-25").await;
    let (outlet, mut inlet) = Outlet::open();
    let params = json!({
        "name": "provision",
        "arguments": { "name": "orders" },
        "inputResponses": { "region": { "action": "accept", "content": { "region": "x" } } },
        "requestState": "provision-v1",
    });
    let call = Incoming::new(2.into(), "tools/call", Some(Raw::from(params)));
    let mut call = std::pin::pin!(session.dispatch(call, outlet));
    let frame = tokio::select! {
        frame = inlet.recv() => frame,
        answer = &mut call => panic!("answered without a question: {answer:?}"),
    };
    assert!(matches!(frame, Some(Frame::Request(_))));
}

#[tokio::test]
async fn a_server_of_one_era_says_which_one_it_speaks() {
    let modern = Server::builder("s", "1").modern_only().build().unwrap();
    let (session, _inlet) = modern.open_session();
    let error = send(&session, "initialize", hello("2025-11-25"))
        .await
        .unwrap_err();
    assert_eq!(error.code.0, -32022);
    assert_eq!(
        value(&error.data.unwrap()),
        json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" })
    );
    let refused = Client::builder()
        .mode(Mode::legacy())
        .connect(&modern)
        .await
        .unwrap_err();
    assert_eq!(refused.code().unwrap().0, -32022);

    let legacy = Server::builder("s", "1").legacy_only().build().unwrap();
    let client = Client::builder().connect(&legacy).await.unwrap();
    assert_eq!(client.protocol_version().as_str(), "2025-11-25");
    assert_eq!(client.server_info().unwrap().name, "s");
    let pinned = Mode::pinned(vuelta::ProtocolVersion::V2026_07_28);
    let client = Client::builder()
        .mode(pinned)
        .connect(&legacy)
        .await
        .unwrap();
    let error = client.discover().await.unwrap_err();
    assert_eq!(error.code().unwrap().0, -32022);
    let named = value(&error.as_rpc().unwrap().data.clone().unwrap());
    assert_eq!(
        named["supported"],
        json!(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
    );
}
