//! Questions that a handler returns itself: what leaves the server, what comes back, and what
//! the core refuses on everybody's behalf.

use serde_json::{Value, json};
use vuelta::wire::modern;
use vuelta::{
    Call, CallToolParams, CallToolResult, Client, ClientBuilder, Context, CreateMessageParams,
    CreateMessageResult, ElicitForm, ElicitParams, ElicitResult, Error, ErrorCode, InputRequest,
    InputRequired, ListRootsResult, Middleware, Next, Outcome, Raw, Reply, Root, SamplingMessage,
    Server, Step, Tool, wire,
};
use vuelta_test::fixture;

use crate::logs::Logs;
use crate::raw::{PROVISIONED, Peer, accept, text, value};

/// A client that answers everything that the fixture asks.
fn answering() -> ClientBuilder {
    Client::builder()
        .on_elicit(|form: ElicitForm| async move { ElicitResult::accept(answer_to(&form)) })
        .on_elicit_url(|_| async { ElicitResult::accept_url() })
        .on_sample(|_| async { CreateMessageResult::text("model", "Paris") })
        .on_list_roots(|_| async { ListRootsResult::new([Root::new("file:///work")]) })
}

fn answer_to(form: &ElicitForm) -> Value {
    match form.message.as_str() {
        "Which region should the database live in?" => json!({ "region": "eu-west-1" }),
        "How old?" => json!({ "age": 42 }),
        "First?" => json!({ "value": "one" }),
        "Second?" => json!({ "value": "two" }),
        "Who is the briefing for?" => json!({ "audience": "the board" }),
        "Which language?" => json!({ "lang": "Basque" }),
        other => panic!("the fixture asks {other:?}"),
    }
}

/// Answers a question by hand as [`answering`] does by callback.
fn by_hand(request: &InputRequest) -> Raw {
    let answer = match request {
        InputRequest::Elicit(ElicitParams::Form(form)) => accept(answer_to(form)),
        InputRequest::Elicit(_) => json!({ "action": "accept" }),
        InputRequest::Sample(_) => json!({
            "role": "assistant", "content": { "type": "text", "text": "Paris" }, "model": "model",
        }),
        _ => json!({ "roots": [{ "uri": "file:///work" }] }),
    };
    Raw::from(answer)
}

#[tokio::test]
async fn a_tool_asks_and_its_retry_completes() {
    let server = fixture::server(None);
    let client = answering().connect(&server).await.unwrap();
    let call = client
        .tool("provision")
        .arguments(json!({ "name": "orders" }));
    let Step::Asked(mut flow) = call.step().await.unwrap() else {
        panic!("it asks")
    };
    assert_eq!(
        flow.questions().map(|(key, _)| key).collect::<Vec<_>>(),
        ["region"]
    );
    let Some(InputRequest::Elicit(ElicitParams::Form(form))) = flow.question("region") else {
        panic!("a form")
    };
    assert_eq!(form.message, "Which region should the database live in?");
    assert!(form.requested_schema.is_required("region"));
    assert_eq!(flow.state(), Some("provision-v1"));

    flow.answer(
        "region",
        ElicitResult::accept(json!({ "region": "eu-west-1" })),
    );
    let Step::Done(result) = client.resume(flow).await.unwrap() else {
        panic!("it is done")
    };
    assert_eq!(result.as_text(), PROVISIONED);
}

#[tokio::test(start_paused = true)]
async fn the_loop_gives_what_the_hand_gives() {
    let server = fixture::server(None);
    let client = answering().connect(&server).await.unwrap();
    for (tool, arguments, expected, rounds) in [
        ("provision", json!({ "name": "orders" }), PROVISIONED, 2),
        ("three_kinds", json!({}), "42/Paris/1", 2),
        ("steps", json!({}), "one,two", 3),
        ("wait", json!({}), "waited 2", 3),
        ("ask_url", json!({}), "signed in", 2),
        ("add", json!({ "a": 1, "b": 2 }), "3", 1),
    ] {
        let looped = client.call_tool(tool, &arguments).await.unwrap();
        assert_eq!(looped.as_text(), expected);

        let mut step = client
            .tool(tool)
            .arguments(&arguments)
            .step()
            .await
            .unwrap();
        let mut sent = 1;
        let result = loop {
            match step {
                Step::Done(result) => break result,
                Step::Asked(mut flow) => {
                    let answers: Vec<(String, Raw)> = flow
                        .questions()
                        .map(|(key, request)| (key.to_owned(), by_hand(request)))
                        .collect();
                    for (key, answer) in answers {
                        flow.answer(key, answer);
                    }
                    step = client.resume(flow).await.unwrap();
                    sent += 1;
                }
            }
        };
        assert_eq!((result, sent), (looped, rounds), "{tool}");
    }
}

#[tokio::test]
async fn prompts_and_resources_ask_like_tools() {
    let server = fixture::server(None);
    let client = answering().connect(&server).await.unwrap();

    let prompt = client.get_prompt("briefing", ()).await.unwrap();
    assert_eq!(
        prompt.messages[0].content.as_text(),
        Some("Write a briefing for the board.")
    );
    assert!(matches!(
        client.prompt("briefing").step().await.unwrap(),
        Step::Asked(_)
    ));

    let note = client.read_resource("note:///todo").await.unwrap();
    assert_eq!(
        serde_json::to_value(&note.contents).unwrap(),
        json!([{ "uri": "note:///todo", "text": "todo in Basque", "mimeType": "text/plain" }])
    );
    assert!(matches!(
        client.resource("note:///todo").step().await.unwrap(),
        Step::Asked(_)
    ));
    assert!(matches!(
        client.resource("mem://a").step().await.unwrap(),
        Step::Done(_)
    ));
}

#[tokio::test]
async fn a_question_stands_on_the_wire_as_the_specification_writes_it() {
    let server = fixture::server(None);
    let question = Peer::new(&server)
        .request("tools/call", json!({ "name": "three_kinds" }))
        .await;
    assert_eq!(
        question.unwrap(),
        json!({
            "resultType": "input_required",
            "inputRequests": {
                "age": {
                    "method": "elicitation/create",
                    "params": {
                        "mode": "form",
                        "message": "How old?",
                        "requestedSchema": {
                            "type": "object",
                            "properties": { "age": { "type": "integer" } },
                            "required": ["age"],
                        },
                    },
                },
                "capital": {
                    "method": "sampling/createMessage",
                    "params": {
                        "messages": [
                            { "role": "user", "content": { "type": "text", "text": "Capital of France?" } },
                        ],
                        "maxTokens": 16,
                    },
                },
                "roots": { "method": "roots/list" },
            },
            "requestState": "three",
            "_meta": {
                "io.modelcontextprotocol/serverInfo": { "name": "wire-server", "version": "1.2.3" },
            },
        })
    );
    let question = Peer::new(&server)
        .request("tools/call", json!({ "name": "ask_url" }))
        .await;
    assert_eq!(
        question.unwrap()["inputRequests"]["auth"]["params"],
        json!({ "mode": "url", "message": "Sign in", "url": "https://example.com/sign-in" })
    );
}

#[tokio::test]
async fn a_question_about_a_resource_carries_no_caching_hints() {
    let server = fixture::server(None);
    let params = json!({ "uri": "note:///todo" });
    let question = Peer::new(&server)
        .request("resources/read", params)
        .await
        .unwrap();
    assert_eq!(question["resultType"], "input_required");
    for absent in ["contents", "ttlMs", "cacheScope"] {
        assert_eq!(question.get(absent), None);
    }
    let read = Peer::new(&server)
        .request("resources/read", json!({ "uri": "mem://a" }))
        .await;
    assert_eq!(read.unwrap()["ttlMs"], 0);
}

#[test]
fn a_question_with_metadata_keeps_everything() {
    let wire = json!({
        "resultType": "input_required",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "s", "version": "1" } },
        "inputRequests": { "k": { "method": "roots/list" } },
        "requestState": "x",
    });
    let decoded = modern::decode_result::<wire::methods::CallTool>(&wire.to_string()).unwrap();
    let modern::Decoded::InputRequired(question) = decoded else {
        panic!("a question")
    };
    assert_eq!(question.requests().count(), 1);
    assert_eq!(question.request_state.as_deref(), Some("x"));
    let other_server = Raw::from(json!({ "name": "relay", "version": "2" }));
    assert_eq!(
        value(&modern::encode_input_required(question, &other_server).unwrap()),
        wire
    );
}

/// A server whose one tool asks what `question` builds.
fn asking(question: impl Fn() -> InputRequired + Send + Sync + 'static) -> Server {
    Server::builder("s", "1")
        .on_call_tool(move |_: Context, _: CallToolParams| {
            let asked = Outcome::<CallToolResult>::from(question());
            async { Ok::<_, Error>(asked) }
        })
        .build()
        .expect("no layer refuses")
}

#[tokio::test]
async fn nothing_is_asked_that_the_client_did_not_declare() {
    let fixture = fixture::server(None);
    let with_tools = asking(|| {
        let tool = Tool::new("t", json!({ "type": "object" }));
        let sample = CreateMessageParams::new([SamplingMessage::user("hi")], 1_u64).tools([tool]);
        InputRequired::new().ask("k", sample)
    });
    let check =
        async |server: &Server, tool: &str, declared: Value, missing: Option<(Value, &str)>| {
            let peer = Peer::new(server).capabilities(declared.clone());
            let params = json!({ "name": tool, "arguments": { "name": "orders" } });
            let answer = peer.request("tools/call", params).await;
            match missing {
                None => assert_eq!(
                    answer.unwrap()["resultType"],
                    "input_required",
                    "{tool} {declared}"
                ),
                Some((required, message)) => assert_eq!(
                    serde_json::to_value(answer.unwrap_err()).unwrap(),
                    json!({
                        "code": -32021,
                        "message": format!("Client did not declare the {message}"),
                        "data": { "requiredCapabilities": required },
                    }),
                    "{tool} {declared}"
                ),
            }
        };
    let form = || {
        let required = json!({ "elicitation": { "form": {} } });
        Some((
            required,
            "form elicitation capability required to ask \"region\"",
        ))
    };
    let url = || {
        let required = json!({ "elicitation": { "url": {} } });
        Some((
            required,
            "URL elicitation capability required to ask \"auth\"",
        ))
    };
    check(&fixture, "provision", json!({}), form()).await;
    check(
        &fixture,
        "provision",
        json!({ "elicitation": { "url": {} } }),
        form(),
    )
    .await;
    check(
        &fixture,
        "provision",
        json!({ "sampling": {}, "roots": {} }),
        form(),
    )
    .await;
    // An empty object stands for forms.
    check(&fixture, "provision", json!({ "elicitation": {} }), None).await;
    check(
        &fixture,
        "provision",
        json!({ "elicitation": { "form": {} } }),
        None,
    )
    .await;

    check(&fixture, "ask_url", json!({}), url()).await;
    check(&fixture, "ask_url", json!({ "elicitation": {} }), url()).await;
    check(
        &fixture,
        "ask_url",
        json!({ "elicitation": { "form": {} } }),
        url(),
    )
    .await;
    check(
        &fixture,
        "ask_url",
        json!({ "elicitation": { "url": {} } }),
        None,
    )
    .await;

    let sampling = Some((
        json!({ "sampling": {} }),
        "sampling capability required to ask \"capital\"",
    ));
    check(
        &fixture,
        "three_kinds",
        json!({ "elicitation": {}, "roots": {} }),
        sampling,
    )
    .await;
    let roots = Some((
        json!({ "roots": {} }),
        "roots capability required to ask \"roots\"",
    ));
    check(
        &fixture,
        "three_kinds",
        json!({ "elicitation": {}, "sampling": {} }),
        roots,
    )
    .await;
    let all = json!({ "elicitation": {}, "sampling": {}, "roots": { "listChanged": true } });
    check(&fixture, "three_kinds", all, None).await;

    let tools = json!({ "sampling": { "tools": {} } });
    let required = Some((
        tools.clone(),
        "sampling.tools capability required to ask \"k\"",
    ));
    check(&with_tools, "t", json!({ "sampling": {} }), required).await;
    check(&with_tools, "t", tools, None).await;

    // State alone needs nothing.
    check(&fixture, "wait", json!({}), None).await;
}

#[tokio::test]
async fn a_question_that_the_specification_forbids_never_leaves() {
    let logs = Logs::capture();
    let other = |request: Value| -> InputRequest { serde_json::from_value(request).unwrap() };
    let servers = [
        asking(InputRequired::new),
        asking(|| {
            let mut question = InputRequired::new();
            question.input_requests = Some(wire::OrderedMap::new());
            question
        }),
        asking(move || {
            let request = other(json!({ "method": "example.com/ask", "params": {} }));
            InputRequired::new().ask("k", request)
        }),
        asking(move || {
            let params = json!({ "mode": "telepathy", "message": "?" });
            let request = other(json!({ "method": "elicitation/create", "params": params }));
            InputRequired::new().ask("k", request).state("s")
        }),
    ];
    for server in &servers {
        let answer = Peer::new(server)
            .request("tools/call", json!({ "name": "t" }))
            .await;
        let error = serde_json::to_value(answer.unwrap_err()).unwrap();
        assert_eq!(
            error,
            json!({ "code": -32603, "message": "Handler returned an invalid result" })
        );
    }
    assert_eq!(
        logs.with("needs at least one of `inputRequests` and `requestState`")
            .len(),
        2
    );
    assert_eq!(
        logs.with("must be a form, a URL, a sampling or a list of roots")
            .len(),
        2
    );
}

#[tokio::test]
async fn only_three_methods_may_ask() {
    /// Asks, whatever the method is.
    struct AskAlways;

    impl Middleware for AskAlways {
        async fn handle(&self, _: Call, _: Next<'_>) -> Reply {
            Ok(InputRequired::new().state("s").into())
        }
    }

    let logs = Logs::capture();
    let server = Server::builder("s", "1").layer(AskAlways).build().unwrap();
    let revision = vuelta::ProtocolVersion::V2026_07_28;
    for info in wire::methods::all(&revision) {
        let params = json!({ "name": "x", "uri": "x" });
        let answer = Peer::new(&server).request(info.name, params).await;
        if ["tools/call", "prompts/get", "resources/read"].contains(&info.name) {
            assert_eq!(answer.unwrap()["requestState"], "s");
        } else {
            let error = answer.unwrap_err();
            assert_eq!(error.code, ErrorCode::INTERNAL_ERROR);
            assert_eq!(error.message, "Handler returned an invalid result");
        }
    }
    let answer = Peer::new(&server)
        .request("example.com/own", json!({}))
        .await;
    assert_eq!(answer.unwrap_err().code, ErrorCode::INTERNAL_ERROR);
    let refused = logs.with("only tools/call, prompts/get and resources/read may answer");
    assert_eq!(refused.len(), wire::methods::all(&revision).count() - 3 + 1);
}

/// Sends the second round of `provision` with these answers.
async fn retry(server: &Server, answers: Value) -> Result<Value, vuelta::ErrorObject> {
    let params = json!({
        "name": "provision",
        "arguments": { "name": "orders" },
        "inputResponses": answers,
        "requestState": "provision-v1",
    });
    Peer::new(server).request("tools/call", params).await
}

#[tokio::test]
async fn a_missing_answer_is_asked_for_again() {
    let server = fixture::server(None);
    for answers in [
        json!({}),
        Value::Null,
        json!({ "other": accept(json!({ "region": "x" })) }),
        // No answers to a form.
        json!({ "region": null }),
        json!({ "region": 5 }),
        json!({ "region": { "action": "later" } }),
        json!({ "region": { "roots": [] } }),
        json!({ "region": accept(json!({ "region": 5 })) }),
        json!({ "region": { "action": "accept" } }),
    ] {
        let question = retry(&server, answers.clone()).await.unwrap();
        assert_eq!(question["resultType"], "input_required", "{answers}");
        assert!(question["inputRequests"].get("region").is_some());
    }
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_is_ignored() {
    let server = fixture::server(None);
    let region = accept(json!({ "region": "eu-west-1" }));
    for other in [
        json!({ "action": "accept" }),
        json!(5),
        Value::Null,
        json!(["x"]),
    ] {
        let done = retry(&server, json!({ "region": region, "zzz": other }))
            .await
            .unwrap();
        assert_eq!(text(&done), PROVISIONED);
    }
}

#[tokio::test]
async fn answers_that_are_no_object_are_invalid_params() {
    let server = fixture::server(None);
    for answers in [json!([]), json!("x"), json!(5)] {
        let error = retry(&server, answers).await.unwrap_err();
        assert_eq!(
            serde_json::to_value(error).unwrap(),
            json!({ "code": -32602, "message": "Invalid request parameters", "data": "" })
        );
    }
    let done = retry(
        &server,
        json!({ "region": accept(json!({ "region": "eu-west-1" })) }),
    )
    .await;
    assert_eq!(
        text(&done.unwrap()),
        PROVISIONED,
        "the next request is served"
    );
}

#[tokio::test]
async fn decline_and_cancel_are_final() {
    let server = fixture::server(None);
    for (action, expected) in [
        ("decline", "Not provisioned: decline."),
        ("cancel", "Not provisioned: cancel."),
    ] {
        let done = retry(&server, json!({ "region": { "action": action } }))
            .await
            .unwrap();
        assert_eq!(
            (&done["resultType"], text(&done)),
            (&json!("complete"), expected)
        );
    }
}

#[tokio::test]
async fn a_result_passes_exactly_as_the_handler_built_it() {
    let server = Server::builder("s", "1")
        .on_call_tool(async |_, _| {
            Ok::<_, Error>(CallToolResult::error("boom").structured_content(json!({ "n": 1 })))
        })
        .build()
        .unwrap();
    let result = Peer::new(&server)
        .request("tools/call", json!({ "name": "t" }))
        .await
        .unwrap();
    assert_eq!(
        result,
        json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": "boom" }],
            "isError": true,
            "structuredContent": { "n": 1 },
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "s", "version": "1" } },
        })
    );
}
