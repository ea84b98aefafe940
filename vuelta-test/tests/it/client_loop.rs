//! The rounds of a call as the client drives them: by itself, by hand, and across processes.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Barrier, Notify};
use tokio::time::{Instant, sleep, timeout};
use vuelta::seal::RequestStateSecurity;
use vuelta::transport::Memory;
use vuelta::wire::methods::{CallTool, GetPrompt, ReadResource};
use vuelta::{
    Call, CallToolResult, Client, ClientBuilder, ClientCapabilities, Context, ElicitForm,
    ElicitResult, Error, ErrorCode, Flow, FormSchema, InputRequired, InputResponses, LoggingLevel,
    Middleware, Next, Outcome, Reply, RequestId, Round, Server, Step, StringSchema,
};
use vuelta_test::fixture;

use crate::raw::{PROVISIONED, value};
use crate::scripted::Scripted;

/// A question with a form under each key.
fn question(keys: &[&str], state: Option<&str>) -> Value {
    let form = json!({
        "method": "elicitation/create",
        "params": { "message": "?", "requestedSchema": { "type": "object", "properties": {} } },
    });
    let mut question = json!({ "resultType": "input_required" });
    for key in keys {
        question["inputRequests"][key] = form.clone();
    }
    if let Some(state) = state {
        question["requestState"] = state.into();
    }
    question
}

fn done() -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": "done" }] })
}

/// A client that declines every form, and counts them.
fn declining() -> (ClientBuilder, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let builder = Client::builder().on_elicit(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { ElicitResult::decline() }
    });
    (builder, asked)
}

/// The params without their `_meta`.
fn without_meta(mut params: Value) -> Value {
    params
        .as_object_mut()
        .expect("params are an object")
        .remove("_meta");
    params
}

#[tokio::test]
async fn one_round_is_one_question_and_one_retry() {
    let server = Scripted::new([question(&["a"], Some("s1")), done()]);
    let (builder, asked) = declining();
    let client = server.connect(builder).await;
    let result = client.call_tool("t", json!({ "x": 1 })).await.unwrap();
    assert_eq!(result.as_text(), "done");
    assert_eq!(asked.load(Ordering::Relaxed), 1);

    let params: Vec<Value> = server.params().into_iter().map(without_meta).collect();
    assert_eq!(
        params,
        [
            json!({ "name": "t", "arguments": { "x": 1 } }),
            json!({
                "name": "t",
                "arguments": { "x": 1 },
                "inputResponses": { "a": { "action": "decline" } },
                "requestState": "s1",
            }),
        ]
    );
}

#[tokio::test]
async fn a_retry_is_the_same_request_under_a_new_id() {
    let server = Scripted::new([question(&["a"], Some("s1")), question(&["b"], None), done()]);
    let client = server.connect(declining().0).await;
    let call = client
        .tool("t")
        .arguments(json!({ "x": 1 }))
        .meta("example.com/trace", "abc");
    call.on_progress(|_| ()).send().await.unwrap();

    let sent = server.sent();
    let ids: Vec<String> = sent.iter().map(|request| request.id.to_string()).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    for (request, id) in sent.iter().zip(1..) {
        assert_eq!(request.method, "tools/call");
        assert_eq!(request.target.as_deref(), Some("t"));
        let params = value(&request.params);
        assert_eq!(params["arguments"], json!({ "x": 1 }));
        let mut meta = params["_meta"].clone();
        assert_eq!(
            meta["progressToken"].take(),
            id,
            "progress is asked for under each id"
        );
        meta.as_object_mut().unwrap().remove("progressToken");
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            meta,
            json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "vuelta", "version": version },
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
                "example.com/trace": "abc",
            })
        );
    }
}

#[tokio::test]
async fn answers_and_state_of_earlier_rounds_are_not_sent_again() {
    let rounds = [
        question(&["a"], Some("s1")),
        question(&["b"], Some("s2")),
        question(&["c"], None),
    ];
    let server = Scripted::new(rounds.into_iter().chain([done()]));
    let client = server.connect(declining().0).await;
    client.call_tool("t", ()).await.unwrap();
    let params: Vec<Value> = server.params().into_iter().map(without_meta).collect();
    let answer = json!({ "action": "decline" });
    assert_eq!(
        params,
        [
            json!({ "name": "t" }),
            json!({ "name": "t", "inputResponses": { "a": answer }, "requestState": "s1" }),
            json!({ "name": "t", "inputResponses": { "b": answer }, "requestState": "s2" }),
            // The last question had no state, so the retry has none.
            json!({ "name": "t", "inputResponses": { "c": answer } }),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_round_of_state_alone_asks_nobody_and_sends_no_answers() {
    let server = Scripted::new([question(&[], Some("s1")), question(&[], Some("")), done()]);
    let (builder, asked) = declining();
    let client = server.connect(builder).await;
    client.call_tool("wait_state", ()).await.unwrap();
    let params: Vec<Value> = server.params().into_iter().map(without_meta).collect();
    assert_eq!(
        params[1],
        json!({ "name": "wait_state", "requestState": "s1" })
    );
    assert_eq!(
        params[2],
        json!({ "name": "wait_state", "requestState": "" })
    );
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn state_comes_back_code_point_by_code_point() {
    let line = r#"{"resultType":"input_required","requestState":" a+/=%25 \"q\" \\ \u2028 \ud83d\ude00\t","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}}"#;
    let server = Scripted::new([serde_json::from_str(line).unwrap(), done()]);
    let client = server.connect(declining().0).await;
    client.call_tool("t", ()).await.unwrap();
    let expected = " a+/=%25 \"q\" \\ \u{2028} \u{1f600}\t";
    assert_eq!(server.params()[1]["requestState"], expected);
}

/// A server that asks nothing `rounds` times, and notes when it was called.
fn busy(rounds: usize) -> (Server, Arc<Mutex<Vec<Instant>>>) {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&calls);
    let call_tool = move |_: Context, _| {
        let mut calls = noted.lock().expect("no handler panics");
        calls.push(Instant::now());
        let outcome = match calls.len() {
            n if n <= rounds => Outcome::from(InputRequired::new().state("busy")),
            _ => CallToolResult::text("done").into(),
        };
        async { Ok::<_, Error>(outcome) }
    };
    (
        Server::builder("s", "1")
            .on_call_tool(call_tool)
            .build()
            .expect("no layers"),
        calls,
    )
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_less_and_less_often() {
    let (server, calls) = busy(6);
    let client = Client::builder().connect(&server).await.unwrap();
    client.call_tool("t", ()).await.unwrap();
    let calls = calls.lock().unwrap();
    let waits: Vec<u128> = calls
        .windows(2)
        .map(|two| (two[1] - two[0]).as_millis())
        .collect();
    // The timer of the runtime counts whole milliseconds and never fires early.
    for (wait, expected) in waits.iter().zip([50, 100, 200, 250, 250, 250]) {
        assert!((expected..=expected + 1).contains(wait), "{waits:?}");
    }
    assert_eq!(waits.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_question_is_never_put_to_the_user_when_no_retry_is_left() {
    for (max, asked_before) in [(0, 0), (1, 1), (3, 3)] {
        let server = Scripted::new((0..=max).map(|_| question(&["a"], Some("s"))));
        let (builder, asked) = declining();
        let client = server.connect(builder.max_rounds(max)).await;
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert!(error.is_rounds_exceeded());
        assert_eq!(
            error.to_string(),
            format!(
                "the server still asks after {max} rounds: raise `max_rounds`, or take the flow \
                 from this error and go on by hand"
            )
        );
        assert_eq!(asked.load(Ordering::Relaxed), asked_before);
        assert_eq!(server.sent().len(), usize::try_from(max).unwrap() + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn ten_rounds_are_the_limit_if_nobody_sets_one() {
    let client = async |busy_rounds| {
        let (server, calls) = busy(busy_rounds);
        let client = Client::builder().connect(&server).await.unwrap();
        (client.call_tool("t", ()).await, calls.lock().unwrap().len())
    };
    let (result, calls) = client(10).await;
    assert_eq!((result.unwrap().as_text(), calls), ("done".to_owned(), 11));
    let (result, calls) = client(11).await;
    assert!(result.unwrap_err().is_rounds_exceeded());
    assert_eq!(calls, 11);
}

#[tokio::test]
async fn the_limit_of_a_call_takes_the_place_of_the_clients() {
    let server = Scripted::new([question(&["a"], None), question(&["a"], None), done()]);
    let client = server.connect(declining().0.max_rounds(1)).await;
    let result = client.tool("t").max_rounds(2).send().await.unwrap();
    assert_eq!(result.as_text(), "done");
}

#[tokio::test]
async fn a_call_that_ran_out_of_rounds_goes_on_by_hand() {
    let server = Scripted::new([
        question(&["a"], Some("s1")),
        question(&["b"], Some("s2")),
        done(),
    ]);
    let (builder, asked) = declining();
    let client = server.connect(builder.max_rounds(1)).await;
    let error = client.call_tool("t", json!({ "x": 1 })).await.unwrap_err();
    let mut flow = error
        .into_flow::<CallTool>()
        .expect("the error carries the flow");
    assert_eq!(flow.unanswered().collect::<Vec<_>>(), ["b"]);
    assert_eq!((flow.state(), flow.retries()), (Some("s2"), 1));

    flow.answer("b", ElicitResult::cancel());
    let Step::Done(result) = client.resume(flow).await.unwrap() else {
        panic!("it is done")
    };
    assert_eq!(result.as_text(), "done");
    assert_eq!(
        asked.load(Ordering::Relaxed),
        1,
        "the user was asked by the loop once"
    );
    assert_eq!(
        without_meta(server.params()[2].clone()),
        json!({
            "name": "t",
            "arguments": { "x": 1 },
            "inputResponses": { "b": { "action": "cancel" } },
            "requestState": "s2",
        })
    );
}

#[tokio::test]
async fn the_flow_of_an_error_is_of_its_own_method_only() {
    let exceeded = async || {
        let server = Scripted::new([question(&["a"], None)]);
        let client = server.connect(declining().0.max_rounds(0)).await;
        client.read_resource("mem://a").await.unwrap_err()
    };
    assert!(exceeded().await.into_flow::<CallTool>().is_none());
    assert!(exceeded().await.into_flow::<ReadResource>().is_some());
    assert!(Error::misuse("x").into_flow::<ReadResource>().is_none());
}

#[tokio::test]
async fn the_questions_of_a_round_are_put_at_the_same_time() {
    let server = Scripted::new([question(&["a", "b", "c"], None), done()]);
    // Nobody answers before all three are asked.
    let gate = Arc::new(Barrier::new(3));
    let builder = Client::builder().on_elicit(move |_| {
        let gate = Arc::clone(&gate);
        async move {
            gate.wait().await;
            ElicitResult::decline()
        }
    });
    let client = server.connect(builder).await;
    client.call_tool("t", ()).await.unwrap();
    let answers = &server.params()[1]["inputResponses"];
    let answer = json!({ "action": "decline" });
    assert_eq!(*answers, json!({ "a": answer, "b": answer, "c": answer }));
}

#[tokio::test(start_paused = true)]
async fn no_more_questions_are_put_at_a_time_than_allowed() {
    let keys: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    for (limit, expected) in [(None, 8), (Some(3), 3), (Some(0), 1)] {
        let server = Scripted::new([question(&keys, None), done()]);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let seen = Arc::clone(&most);
        let mut builder = Client::builder().on_elicit(move |_| {
            let running = Arc::clone(&running);
            seen.fetch_max(
                running.fetch_add(1, Ordering::Relaxed) + 1,
                Ordering::Relaxed,
            );
            async move {
                sleep(Duration::from_secs(1)).await;
                running.fetch_sub(1, Ordering::Relaxed);
                ElicitResult::decline()
            }
        });
        if let Some(limit) = limit {
            builder = builder.concurrent_callbacks(limit);
        }
        server
            .connect(builder)
            .await
            .call_tool("t", ())
            .await
            .unwrap();
        assert_eq!(most.load(Ordering::Relaxed), expected);
        assert_eq!(
            server.params()[1]["inputResponses"]
                .as_object()
                .unwrap()
                .len(),
            20
        );
    }
}

#[tokio::test]
async fn the_first_error_of_a_callback_ends_the_call_and_drops_the_others() {
    struct Dropped(Arc<AtomicUsize>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    let server = Scripted::new([question(&["a", "b", "c"], Some("s")), done()]);
    let (dropped, finished) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (watched, counted) = (Arc::clone(&dropped), Arc::clone(&finished));
    let (order, all_asked) = (AtomicUsize::new(0), Arc::new(Barrier::new(3)));
    let builder = Client::builder().on_elicit(move |_| {
        let guard = Dropped(Arc::clone(&watched));
        let (counted, all_asked) = (Arc::clone(&counted), Arc::clone(&all_asked));
        let number = order.fetch_add(1, Ordering::Relaxed);
        async move {
            all_asked.wait().await;
            if number == 1 {
                return Err(Error::rpc(ErrorCode(-1), "User rejected the question"));
            }
            std::future::pending::<()>().await;
            counted.fetch_add(1, Ordering::Relaxed);
            drop(guard);
            Ok(ElicitResult::decline())
        }
    });
    let client = server.connect(builder).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode(-1)), "the error itself");
    assert_eq!(
        error.as_rpc().unwrap().message,
        "User rejected the question"
    );
    assert_eq!(server.sent().len(), 1, "nothing is sent");
    assert_eq!(
        (
            dropped.load(Ordering::Relaxed),
            finished.load(Ordering::Relaxed)
        ),
        (3, 0)
    );
}

#[tokio::test]
async fn any_error_of_a_callback_is_kept_as_its_cause() {
    let server = Scripted::new([question(&["a"], None)]);
    let builder = Client::builder().on_elicit(|_| async {
        Err::<ElicitResult, _>(std::io::Error::other("the terminal is gone"))
    });
    let error = server
        .connect(builder)
        .await
        .call_tool("t", ())
        .await
        .unwrap_err();
    let cause = std::error::Error::source(&error).expect("a cause");
    assert_eq!(cause.to_string(), "the terminal is gone");
}

#[tokio::test]
async fn a_question_that_nobody_can_answer_fails_the_call_at_once() {
    let check = async |builder: ClientBuilder, request: Value, capability: &str, expected: &str| {
        let mut asked = question(&["a"], Some("s"));
        asked["inputRequests"]["k"] = request;
        let server = Scripted::new([asked]);
        let client = server.connect(builder).await;
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert!(error.is_peer());
        assert_eq!(error.to_string(), expected);
        let declared = &server.params()[0]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(declared.pointer(capability), None);
        assert_eq!(server.sent().len(), 1, "no retry");
    };
    let nobody = |key: &str, method: &str, fix: &str| {
        format!(
            "the server asks {key:?} by {method}, which this client did not declare: {fix}, or \
             drive the rounds by hand"
        )
    };
    let sample = |more: Value| {
        let mut params = json!({ "messages": [], "maxTokens": 1 });
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({ "method": "sampling/createMessage", "params": params })
    };
    let sampling = || declining().0.on_sample(|_| async { unreachable_sample() });

    let expected = nobody("a", "elicitation/create", "give the client `on_elicit`");
    let roots = || json!({ "method": "roots/list" });
    check(Client::builder(), roots(), "/elicitation", &expected).await;
    let url = json!({ "mode": "url", "message": "?", "url": "https://example.com" });
    let url = json!({ "method": "elicitation/create", "params": url });
    let expected = nobody("k", "elicitation/create", "give the client `on_elicit_url`");
    check(declining().0, url, "/elicitation/url", &expected).await;
    let expected = nobody("k", "sampling/createMessage", "give the client `on_sample`");
    check(declining().0, sample(json!({})), "/sampling", &expected).await;
    let expected = nobody("k", "roots/list", "give the client `on_list_roots`");
    check(declining().0, roots(), "/roots", &expected).await;

    // Sampling with tools is a capability of its own.
    let fix = "give the client `on_sample`, and declare tools with `sampling`";
    let expected = nobody("k", "sampling/createMessage", fix);
    check(
        sampling(),
        sample(json!({ "tools": [] })),
        "/sampling/tools",
        &expected,
    )
    .await;

    let expected = nobody("k", "example.com/ask", "this client knows no such question");
    let other = json!({ "method": "example.com/ask", "params": {} });
    check(declining().0, other, "/example", &expected).await;
    let expected = nobody(
        "k",
        "elicitation/create",
        "this client knows no such question",
    );
    let mode = json!({ "mode": "telepathy", "message": "?" });
    let mode = json!({ "method": "elicitation/create", "params": mode });
    check(declining().0, mode, "/example", &expected).await;
}

fn unreachable_sample() -> vuelta::CreateMessageResult {
    panic!("the model is not to be asked")
}

#[tokio::test]
async fn nobody_answers_for_nothing() {
    let mut asked = question(&["first"], None);
    asked["inputRequests"]["k"] = json!({ "method": "roots/list" });
    let (builder, asked_users) = declining();
    let client = Scripted::new([asked]).connect(builder).await;
    assert!(client.call_tool("t", ()).await.is_err());
    assert_eq!(
        asked_users.load(Ordering::Relaxed),
        0,
        "the round could not be completed"
    );
}

#[tokio::test]
async fn a_question_with_nothing_in_it_is_a_fault_of_the_server() {
    for empty in [
        json!({}),
        json!({ "inputRequests": {} }),
        json!({ "requestState": null }),
    ] {
        let mut line = empty;
        line["resultType"] = "input_required".into();
        let server = Scripted::new([line]);
        let error = server
            .connect(declining().0)
            .await
            .call_tool("t", ())
            .await
            .unwrap_err();
        assert!(error.is_peer());
        assert_eq!(
            error.to_string(),
            "tools/call: `input_required` without `inputRequests` and `requestState`"
        );
    }
}

#[tokio::test]
async fn a_round_has_limits() {
    let server = Scripted::new([question(&["a", "b", "c"], None)]);
    let client = server.connect(declining().0.max_questions(2)).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.is_peer());
    assert_eq!(
        error.to_string(),
        "tools/call: 3 questions in one round, more than `max_questions` (2)"
    );

    let server = Scripted::new([question(&["a"], Some("12345"))]);
    let client = server.connect(declining().0.max_state_size(4)).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "tools/call: 5 bytes of state, more than `max_state_size` (4)"
    );

    // By hand the same limits hold.
    let server = Scripted::new([question(&["a", "b", "c"], None)]);
    let client = server.connect(declining().0.max_questions(2)).await;
    assert!(client.tool("t").step().await.unwrap_err().is_peer());
}

#[tokio::test]
async fn a_result_that_failed_and_an_error_end_the_loop() {
    let failed =
        json!({ "content": [{ "type": "text", "text": "no such region" }], "isError": true });
    let server = Scripted::new([question(&["a"], None), failed]);
    let result = server
        .connect(declining().0)
        .await
        .call_tool("t", ())
        .await
        .unwrap();
    assert!(result.failed());
    assert_eq!(result.as_text(), "no such region");

    let frozen = json!({
        "code": -32602,
        "message": "Invalid or expired requestState",
        "data": { "reason": "invalid_request_state" },
    });
    let server = Scripted::new([question(&["a"], None), frozen]);
    let error = server
        .connect(declining().0)
        .await
        .call_tool("t", ())
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some(ErrorCode::INVALID_PARAMS));
    assert_eq!(
        error.as_rpc().unwrap().message,
        "Invalid or expired requestState"
    );
}

/// Keeps the raw params of every call.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Value>>>);

impl Middleware for Recorder {
    async fn handle(&self, call: Call, next: Next<'_>) -> Reply {
        let params = call.params().map(value).unwrap_or_default();
        self.0.lock().expect("nothing panics").push(params);
        next.run(call).await
    }
}

#[tokio::test]
async fn a_call_in_parallel_carries_nothing_of_another_ones_rounds() {
    // `add` is answered only after `ask` has been asked, while both are in flight.
    let asked = Arc::new(Notify::new());
    let gate = Arc::clone(&asked);
    let recorder = Recorder::default();
    let server = Server::builder("s", "1")
        .on_call_tool(move |cx: Context, params: vuelta::CallToolParams| {
            let gate = Arc::clone(&gate);
            async move {
                Ok::<Outcome<CallToolResult>, Error>(match (params.name.as_str(), cx.state()) {
                    ("ask", None) => {
                        let form = ElicitForm::new("?", FormSchema::new());
                        InputRequired::new().ask("k", form).state("s1").into()
                    }
                    ("ask", Some(state)) => CallToolResult::text(state).into(),
                    _ => {
                        gate.notified().await;
                        CallToolResult::text("3").into()
                    }
                })
            }
        })
        .layer(recorder.clone())
        .build()
        .unwrap();
    let builder = Client::builder().on_elicit(move |_| {
        asked.notify_one();
        async { ElicitResult::decline() }
    });
    let client = builder.connect(&server).await.unwrap();
    let (one, two) = tokio::join!(client.call_tool("ask", ()), client.call_tool("add", ()));
    assert_eq!(
        (one.unwrap().as_text(), two.unwrap().as_text()),
        ("s1".into(), "3".into())
    );

    let calls: Vec<Value> = recorder
        .0
        .lock()
        .unwrap()
        .iter()
        .cloned()
        .map(without_meta)
        .collect();
    let calls: Vec<&Value> = calls
        .iter()
        .filter(|params| params.get("name").is_some())
        .collect();
    assert_eq!(
        calls
            .iter()
            .filter(|params| ***params == json!({ "name": "add" }))
            .count(),
        1
    );
    assert_eq!(calls.len(), 3);
}

#[tokio::test]
async fn many_calls_at_once_have_ids_of_their_own() {
    /// Keeps the id of every request.
    #[derive(Clone, Default)]
    struct Ids(Arc<Mutex<Vec<RequestId>>>);

    impl Middleware for Ids {
        async fn handle(&self, call: Call, next: Next<'_>) -> Reply {
            self.0
                .lock()
                .expect("nothing panics")
                .push(call.context().request_id().clone());
            next.run(call).await
        }
    }

    let ids = Ids::default();
    let server = Server::builder("s", "1")
        .on_call_tool(async |cx: Context, _| {
            Ok::<Outcome<CallToolResult>, Error>(match cx.state() {
                Some(_) => CallToolResult::text("done").into(),
                None => {
                    let form = ElicitForm::new("?", FormSchema::new());
                    InputRequired::new().ask("k", form).state("s").into()
                }
            })
        })
        .layer(ids.clone())
        .build()
        .unwrap();
    // Every call is asked before any is answered.
    let gate = Arc::new(Barrier::new(20));
    let builder = Client::builder().on_elicit(move |_| {
        let gate = Arc::clone(&gate);
        async move {
            gate.wait().await;
            ElicitResult::decline()
        }
    });
    let client = builder.connect(&server).await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let client = client.clone();
        calls.spawn(async move { client.call_tool("t", ()).await });
    }
    for result in calls.join_all().await {
        assert_eq!(result.unwrap().as_text(), "done");
    }
    let sent = ids.0.lock().unwrap();
    let different: HashSet<&RequestId> = sent.iter().collect();
    assert_eq!(
        (sent.len(), different.len()),
        (42, 42),
        "two for each, one to discover, and one to list for all"
    );
}

#[tokio::test(start_paused = true)]
async fn human_time_is_not_request_time() {
    // Each reply takes 40 ms, the user a second, and a request may take 200 ms.
    let server = Server::builder("s", "1")
        .on_call_tool(async |cx: Context, _| {
            sleep(Duration::from_millis(40)).await;
            Ok::<Outcome<CallToolResult>, Error>(match cx.state() {
                Some(_) => CallToolResult::text("done").into(),
                None => {
                    let schema = FormSchema::new().optional("name", StringSchema::new());
                    InputRequired::new()
                        .ask("who", ElicitForm::new("?", schema))
                        .state("s")
                        .into()
                }
            })
        })
        .build()
        .unwrap();
    let client = Client::builder()
        .timeout(Duration::from_millis(200))
        .on_elicit(|_| async {
            sleep(Duration::from_secs(1)).await;
            ElicitResult::decline()
        })
        .connect(&server)
        .await
        .unwrap();
    assert_eq!(client.call_tool("ask", ()).await.unwrap().as_text(), "done");

    // A deadline counts the user's time too.
    let error = client
        .tool("ask")
        .deadline(Duration::from_millis(900))
        .send()
        .await
        .unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(
        error.to_string(),
        "all of tools/call took longer than 900ms"
    );
    let result = client
        .tool("ask")
        .deadline(Duration::from_millis(1100))
        .send()
        .await;
    assert_eq!(result.unwrap().as_text(), "done");

    // A request that takes too long fails on its own account.
    let error = client
        .tool("ask")
        .timeout(Duration::from_millis(30))
        .send()
        .await
        .unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(error.to_string(), "tools/call took longer than 30ms");
    let call = client.tool("ask").deadline(Duration::from_millis(20));
    assert!(call.step().await.unwrap_err().is_timeout());
}

#[tokio::test]
async fn an_observer_sees_every_round_in_order() {
    let server = Scripted::new([
        question(&["a"], Some("s1")),
        question(&["b", "c"], Some("s2")),
        done(),
    ]);
    let client = server.connect(declining().0).await;
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let see = move |round: Round<'_>| {
        seen.lock().unwrap().push(match round {
            Round::Sent { number, id } => format!("{number} sent as {id}"),
            Round::Asked { number, question } => {
                let keys: Vec<&str> = question.requests().map(|(key, _)| key).collect();
                format!(
                    "{number} asked {keys:?} {:?}",
                    question.request_state.as_deref()
                )
            }
            Round::Answered { number, answers } => format!("{number} answered {}", answers.len()),
            other => format!("{other:?}"),
        });
    };
    client.tool("t").on_round(see).send().await.unwrap();
    assert_eq!(
        *events.lock().unwrap(),
        [
            "1 sent as 1",
            r#"1 asked ["a"] Some("s1")"#,
            "1 answered 1",
            "2 sent as 2",
            r#"2 asked ["b", "c"] Some("s2")"#,
            "2 answered 2",
            "3 sent as 3",
        ]
    );
}

#[tokio::test]
async fn answers_and_state_can_be_given_to_the_first_request() {
    let server = Scripted::new([done(), done(), done()]);
    let client = server.connect(declining().0).await;
    let mut answers = InputResponses::new();
    answers.insert("a", json!({ "action": "cancel" }));
    client
        .tool("t")
        .answers(answers)
        .state("kept")
        .send()
        .await
        .unwrap();
    client.tool("t").state("kept").send().await.unwrap();
    client.tool("t").send().await.unwrap();
    let params: Vec<Value> = server.params().into_iter().map(without_meta).collect();
    assert_eq!(
        params,
        [
            json!({
                "name": "t",
                "inputResponses": { "a": { "action": "cancel" } },
                "requestState": "kept",
            }),
            json!({ "name": "t", "requestState": "kept" }),
            json!({ "name": "t" }),
        ]
    );
}

#[tokio::test]
async fn arguments_are_an_object_or_not_sent() {
    let server = Scripted::new([done(), done(), done()]);
    let client = server.connect(Client::builder()).await;
    client.call_tool("noargs", json!({})).await.unwrap();
    client.call_tool("noargs", ()).await.unwrap();
    client.tool("noargs").send().await.unwrap();
    let arguments: Vec<Option<Value>> = server
        .params()
        .iter()
        .map(|params| params.get("arguments").cloned())
        .collect();
    assert_eq!(arguments, [Some(json!({})), None, None]);

    for bad in [json!([1]), json!("x"), json!(5)] {
        let error = client.call_tool("t", bad).await.unwrap_err();
        assert!(error.is_misuse());
        assert_eq!(
            error.to_string(),
            "cannot encode the params: arguments must be a JSON object"
        );
    }
    let error = client.get_prompt("p", json!({ "n": 1 })).await.unwrap_err();
    assert!(error.is_misuse(), "{error}");
    assert_eq!(server.sent().len(), 3, "nothing is sent");
}

#[tokio::test]
async fn a_flow_is_stored_and_finished_by_another_process() {
    // Two instances with one key; two clients that share nothing but a file.
    let instance = || fixture::server(Some(RequestStateSecurity::keys([[7; 32]]).unwrap()));
    let declared: ClientCapabilities =
        serde_json::from_value(json!({ "elicitation": { "form": {} } })).unwrap();
    let begin = Client::builder()
        .capabilities(declared.clone())
        .connect(&instance())
        .await
        .unwrap();
    let call = begin
        .tool("provision")
        .arguments(json!({ "name": "orders" }));
    let Step::Asked(flow) = call.step().await.unwrap() else {
        panic!("it asks")
    };
    let stored = serde_json::to_string(&flow).unwrap();
    drop((begin, flow));

    let mut flow: Flow<CallTool> = serde_json::from_str(&stored).unwrap();
    assert_eq!(flow.unanswered().collect::<Vec<_>>(), ["region"]);
    flow.answer(
        "region",
        ElicitResult::accept(json!({ "region": "nowhere" })),
    );
    flow.answer(
        "region",
        ElicitResult::accept(json!({ "region": "eu-west-1" })),
    );
    assert_eq!(flow.unanswered().count(), 0);
    let stored = serde_json::to_string(&flow).unwrap();

    let flow: Flow<CallTool> = serde_json::from_str(&stored).unwrap();
    let end = Client::builder()
        .capabilities(declared)
        .connect(&instance())
        .await
        .unwrap();
    let Step::Done(result) = end.resume(flow).await.unwrap() else {
        panic!("it is done")
    };
    assert_eq!(result.as_text(), PROVISIONED);
}

#[tokio::test]
async fn a_stored_flow_is_versioned_json() {
    let server = Scripted::new([question(&["a"], Some("s1"))]);
    let client = server.connect(declining().0).await;
    let call = client
        .tool("t")
        .arguments(json!({ "x": 9_007_199_254_740_993_i64 }));
    let Step::Asked(mut flow) = call.step().await.unwrap() else {
        panic!("it asks")
    };
    flow.answer("a", ElicitResult::decline());
    let stored = serde_json::to_value(&flow).unwrap();
    assert_eq!(
        stored,
        json!({
            "version": 1,
            "method": "tools/call",
            "params": { "name": "t", "arguments": { "x": 9_007_199_254_740_993_i64 } },
            "questions": {
                "a": {
                    "method": "elicitation/create",
                    "params": {
                        "mode": "form",
                        "message": "?",
                        "requestedSchema": { "type": "object", "properties": {} },
                    },
                },
            },
            "state": "s1",
            "answers": { "a": { "action": "decline" } },
            "retries": 0,
        })
    );
    let text = serde_json::to_string(&flow).unwrap();
    assert_eq!(serde_json::from_str::<Flow<CallTool>>(&text).unwrap(), flow);
    // What is shown of it says what is asked, and nothing of what is secret.
    let shown = format!("{flow:?}");
    assert!(shown.contains(r#"["a"]"#), "{shown}");
    for secret in ["s1", "9007199254740993", "decline"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[tokio::test]
async fn a_flow_of_another_version_or_method_is_refused_with_a_reason() {
    let flow = |json: Value| serde_json::from_value::<Flow<GetPrompt>>(json);
    // A later version may have any other form.
    let error = flow(json!({ "version": 2, "rounds": [] })).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a flow of version 2; this release reads version 1"
    );
    let stored = json!({
        "version": 1, "method": "tools/call", "params": { "name": "t" }, "state": "s", "retries": 0,
    });
    let error = flow(stored.clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a flow of tools/call, expected one of prompts/get"
    );
    assert!(
        flow(json!({ "method": "prompts/get" }))
            .unwrap_err()
            .to_string()
            .contains("version")
    );
    for damaged in [json!("text"), json!([]), Value::Null] {
        assert!(flow(damaged).is_err());
    }

    let mut damaged = stored;
    damaged["params"] = json!({ "name": 5 });
    let flow: Flow<CallTool> = serde_json::from_value(damaged).unwrap();
    let client = Scripted::new([]).connect(Client::builder()).await;
    let error = client.resume(flow).await.unwrap_err();
    assert!(error.is_misuse(), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("the flow holds no params of tools/call: name"),
        "{error}"
    );
}

#[tokio::test]
async fn a_flow_with_open_questions_is_not_sent() {
    let server = Scripted::new([question(&["a", "b", "c"], None), done()]);
    let client = server.connect(declining().0).await;
    let Step::Asked(mut flow) = client.tool("t").step().await.unwrap() else {
        panic!("it asks")
    };
    flow.answer("b", ElicitResult::decline());
    let error = client.resume(flow.clone()).await.unwrap_err();
    assert!(error.is_misuse());
    assert_eq!(
        error.to_string(),
        "questions without an answer: a, c; answer them with `Flow::answer`, with \
         `ElicitResult::decline()` if there is none"
    );
    assert_eq!(server.sent().len(), 1);

    flow.answer("a", ElicitResult::decline())
        .answer("c", ElicitResult::decline());
    flow.answer("nobody asked", "anything");
    client.resume(flow).await.unwrap();
    let answers = server.params()[1]["inputResponses"].clone();
    assert_eq!(
        answers.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["a", "b", "c"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_flow_goes_on_by_itself_with_options_of_its_own() {
    let server = Scripted::new([
        question(&["a"], Some("s1")),
        question(&["b"], Some("s2")),
        question(&[], Some("s3")),
        done(),
    ]);
    let (builder, asked) = declining();
    let client = server.connect(builder).await;
    let Step::Asked(mut flow) = client.tool("t").step().await.unwrap() else {
        panic!("it asks")
    };
    flow.answer("a", ElicitResult::decline());
    let call = client.flow(flow).log_level(LoggingLevel::Warning);
    assert_eq!(call.send().await.unwrap().as_text(), "done");
    assert_eq!(
        asked.load(Ordering::Relaxed),
        1,
        "the loop asked the second question"
    );
    let params = server.params();
    let states: Vec<&Value> = params
        .iter()
        .map(|params| &params["requestState"])
        .collect();
    assert_eq!(
        states,
        [&Value::Null, &json!("s1"), &json!("s2"), &json!("s3")]
    );
    assert_eq!(
        params[3]["_meta"]["io.modelcontextprotocol/logLevel"],
        "warning"
    );
}

#[tokio::test]
async fn rounds_count_on_when_a_flow_goes_on() {
    let server = Scripted::new((0..3).map(|_| question(&["a"], None)));
    let client = server.connect(declining().0.max_rounds(2)).await;
    let Step::Asked(mut flow) = client.tool("t").step().await.unwrap() else {
        panic!("it asks")
    };
    flow.answer("a", ElicitResult::decline());
    let error = client.flow(flow).send().await.unwrap_err();
    let flow = error.into_flow::<CallTool>().expect("no rounds left");
    assert_eq!(flow.retries(), 2);
    assert_eq!(server.sent().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_ends_its_request_on_the_server() {
    let (started, over) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begin, end) = (Arc::clone(&started), Arc::clone(&over));
    let server = Server::builder("s", "1")
        .on_call_tool(move |cx: Context, _| {
            let (begin, end) = (Arc::clone(&begin), Arc::clone(&end));
            async move {
                let cancellation = cx.cancellation();
                tokio::spawn(async move {
                    cancellation.cancelled().await;
                    end.notify_one();
                });
                begin.notify_one();
                std::future::pending::<()>().await;
                Ok::<_, Error>(CallToolResult::text("never"))
            }
        })
        .build()
        .unwrap();
    let client = Client::builder()
        .connect(Memory::new(&server))
        .await
        .unwrap();
    tokio::select! {
        _ = client.call_tool("slow", ()) => panic!("it never ends"),
        () = started.notified() => {}
    }
    let told = timeout(Duration::from_secs(1), over.notified()).await;
    told.expect("the request is over");
    assert!(
        client.list_tools().await.is_err(),
        "the connection serves on"
    );
}
