//! The boundary where state is sealed and opened: what crosses it, and what does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use vuelta::seal::{
    Audience, InvalidRequestState, RequestStateBoundary, RequestStateSecurity, SealError,
    StateCodec,
};
use vuelta::{
    Call, CallToolParams, CallToolResult, Context, Error, ErrorCode, GetPromptParams,
    GetPromptResult, InputRequired, Middleware, Next, Outcome, Principal, Raw, Reply, Server,
    ServerBuilder,
};
use vuelta_test::fixture;

use crate::clock::Clock;
use crate::logs::Logs;
use crate::raw::{PROVISIONED, Peer, accept, check_refused, text};

const KEY: &[u8] = b"0123456789abcdef0123456789abcdef";

fn keys() -> RequestStateSecurity {
    RequestStateSecurity::keys([KEY]).expect("the key is good")
}

/// Lets everyone read and forge the claims: a token is the payload itself.
struct Clear;

impl StateCodec for Clear {
    fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
        String::from_utf8(payload.to_vec()).map_err(SealError::new)
    }

    fn open(&self, token: &str) -> Result<Vec<u8>, InvalidRequestState> {
        Ok(token.as_bytes().to_vec())
    }
}

fn clear() -> RequestStateSecurity {
    RequestStateSecurity::codec(Clear)
}

/// A server that counts how often its handlers run. Each hands out the state `plain`, and says
/// what it reads when a state comes back.
fn counting(security: RequestStateSecurity) -> (Server, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let call_tool = move |cx: Context, params: CallToolParams| {
        counted.fetch_add(1, Ordering::Relaxed);
        async move {
            // Both ways to the state are the same.
            assert_eq!(cx.state(), params.request_state.as_deref());
            Ok::<_, Error>(match cx.state() {
                Some(state) => CallToolResult::text(format!("read {state}")).into(),
                None => Outcome::from(InputRequired::new().state("plain")),
            })
        }
    };
    let get_prompt = async |_: Context, _: GetPromptParams| {
        Ok::<_, Error>(Outcome::<GetPromptResult>::from(
            InputRequired::new().state("plain"),
        ))
    };
    let server = Server::builder(fixture::NAME, "1")
        .on_call_tool(call_tool)
        .on_get_prompt(get_prompt)
        .layer(RequestStateBoundary::new(security, Audience::Server))
        .build()
        .expect("the policy is good");
    (server, runs)
}

/// Lets a handler ask, and returns the state.
async fn state_of(peer: &Peer<'_>, method: &str, params: Value) -> String {
    let question = peer.request(method, params).await.expect("the server asks");
    question["requestState"]
        .as_str()
        .expect("a question with a state")
        .to_owned()
}

/// Returns `params` with a state.
fn with_state(mut params: Value, state: impl Into<Value>) -> Value {
    params["requestState"] = state.into();
    params
}

const NAME_A: &str = r#"{"name":"a"}"#;

fn tool_a() -> Value {
    serde_json::from_str(NAME_A).expect("JSON")
}

/// One flow of the fixture.
struct Ask {
    method: &'static str,
    params: Value,
    key: &'static str,
    answer: Value,
    state: &'static str,
    result: &'static str,
}

/// A tool, a prompt and a template resource that ask.
fn asks() -> [Ask; 3] {
    [
        Ask {
            method: "tools/call",
            params: json!({ "name": "provision", "arguments": { "name": "orders" } }),
            key: "region",
            answer: json!({ "region": "eu-west-1" }),
            state: "provision-v1",
            result: PROVISIONED,
        },
        Ask {
            method: "prompts/get",
            params: json!({ "name": "briefing" }),
            key: "audience",
            answer: json!({ "audience": "the board" }),
            state: "briefing-v1",
            result: "Write a briefing for the board.",
        },
        Ask {
            method: "resources/read",
            params: json!({ "uri": "note:///todo" }),
            key: "lang",
            answer: json!({ "lang": "Basque" }),
            state: "note-v1",
            result: "todo in Basque",
        },
    ]
}

#[tokio::test]
async fn the_wire_carries_a_token_and_the_handler_reads_what_it_wrote() {
    let server = fixture::server(Some(keys()));
    let peer = Peer::new(&server);
    for Ask {
        method,
        params,
        key,
        answer,
        state,
        result,
    } in asks()
    {
        let question = peer.request(method, params.clone()).await.unwrap();
        let token = question["requestState"].as_str().unwrap();
        assert!(token.starts_with("v1."), "{token}");
        assert!(!question.to_string().contains(state), "{question}");

        let mut retry = with_state(params, token);
        retry["inputResponses"] = json!({ key: accept(answer) });
        let done = peer.request(method, retry).await.unwrap();
        assert_eq!(done["resultType"], "complete");
        assert!(done.to_string().contains(result), "{done}");
    }
}

#[tokio::test]
async fn without_a_boundary_state_crosses_as_it_is() {
    let server = fixture::server(None);
    let peer = Peer::new(&server);
    for Ask {
        method,
        params,
        key,
        answer,
        state,
        result,
    } in asks()
    {
        assert_eq!(state_of(&peer, method, params.clone()).await, state);
        let mut retry = with_state(params, state);
        retry["inputResponses"] = json!({ key: accept(answer) });
        let done = peer.request(method, retry).await.unwrap();
        assert!(done.to_string().contains(result), "{done}");
    }
}

#[tokio::test]
async fn the_claims_are_those_of_the_format_in_its_order() {
    let clock = Clock::new();
    let server = fixture::server(Some(clear().clock(clock.reader())));
    let alice = Principal::new("client").subject("alice");
    let (nobody, alice) = (Peer::new(&server), Peer::new(&server).principal(alice));

    let [tool, prompt, resource] = asks();
    assert_eq!(
        state_of(&nobody, tool.method, tool.params.clone()).await,
        r#"{"v":1,"iat":1785196800.25,"exp":1785197400.25,"m":"tools/call","t":"provision","a":"cpW1mcFtGeM0ZPdUOr4a0A","s":"provision-v1","aud":"wire-server"}"#
    );
    assert_eq!(
        state_of(&nobody, prompt.method, prompt.params).await,
        r#"{"v":1,"iat":1785196800.25,"exp":1785197400.25,"m":"prompts/get","t":"briefing","a":"RBNvo1WzZ4oRRq0W9-hkng","s":"briefing-v1","aud":"wire-server"}"#
    );
    assert_eq!(
        state_of(&nobody, resource.method, resource.params).await,
        r#"{"v":1,"iat":1785196800.25,"exp":1785197400.25,"m":"resources/read","t":"note:///todo","a":"RBNvo1WzZ4oRRq0W9-hkng","s":"note-v1","aud":"wire-server"}"#
    );

    let one = state_of(&alice, tool.method, tool.params.clone()).await;
    let two = state_of(&alice, tool.method, tool.params).await;
    let claim = |state: &str| {
        state
            .split_once(r#""aud":"wire-server","p":"#)
            .unwrap()
            .1
            .to_owned()
    };
    assert!(!one.contains("alice") && !one.contains("client"), "{one}");
    assert_ne!(
        claim(&one),
        claim(&two),
        "two tokens of one caller can be linked"
    );
}

#[tokio::test]
async fn an_empty_state_is_sealed_like_any_other() {
    let server = Server::builder("s", "1")
        .on_call_tool(async |cx: Context, _| {
            Ok::<Outcome<CallToolResult>, Error>(match cx.state() {
                Some(state) => CallToolResult::text(format!("{} bytes", state.len())).into(),
                None => InputRequired::new().state("").into(),
            })
        })
        .layer(RequestStateBoundary::new(keys(), Audience::Server))
        .build()
        .unwrap();
    let peer = Peer::new(&server);
    let state = state_of(&peer, "tools/call", tool_a()).await;
    assert!(state.starts_with("v1."));
    let done = peer
        .request("tools/call", with_state(tool_a(), state))
        .await
        .unwrap();
    assert_eq!(text(&done), "0 bytes");
}

#[tokio::test]
async fn every_round_is_sealed_anew_and_has_the_full_time() {
    let clock = Clock::new();
    let server = fixture::server(Some(clear().clock(clock.reader())));
    let peer = Peer::new(&server);
    let params = json!({ "name": "wait" });
    let first = state_of(&peer, "tools/call", params.clone()).await;
    clock.advance(Duration::from_secs(599));
    let second = state_of(&peer, "tools/call", with_state(params.clone(), first)).await;
    assert!(
        second.contains(r#""iat":1785197399.25,"exp":1785197999.25"#),
        "{second}"
    );
    assert!(second.contains(r#""s":"w2""#), "{second}");
    clock.advance(Duration::from_secs(599));
    let done = peer
        .request("tools/call", with_state(params, second))
        .await
        .unwrap();
    assert_eq!(text(&done), "waited 2");
}

#[tokio::test]
async fn state_expires_with_its_ttl_and_not_a_second_earlier() {
    for (age, good) in [(599, true), (600, false), (601, false)] {
        let clock = Clock::new();
        let server = fixture::server(Some(keys().clock(clock.reader())));
        let state = Peer::new(&server).begin().await;
        clock.advance(Duration::from_secs(age));
        let answer = Peer::new(&server).finish(&state).await;
        if good {
            assert_eq!(answer.unwrap(), PROVISIONED);
        } else {
            check_refused(answer);
        }
    }
}

#[tokio::test]
async fn another_instance_may_be_half_a_minute_ahead_and_not_two() {
    for (ahead, good) in [(30, true), (120, false)] {
        let (clock, fast) = (Clock::new(), Clock::new());
        fast.advance(Duration::from_secs(ahead));
        let server = fixture::server(Some(keys().clock(clock.reader())));
        let other = fixture::server(Some(keys().clock(fast.reader())));
        let state = Peer::new(&other).begin().await;
        let answer = Peer::new(&server).finish(&state).await;
        if good {
            assert_eq!(answer.unwrap(), PROVISIONED);
        } else {
            check_refused(answer);
        }
    }
}

#[tokio::test]
async fn a_state_serves_again_until_it_expires() {
    let server = fixture::server(Some(keys()));
    let peer = Peer::new(&server);
    let state = peer.begin().await;
    assert_eq!(peer.finish(&state).await.unwrap(), PROVISIONED);
    assert_eq!(peer.finish(&state).await.unwrap(), PROVISIONED);
}

#[tokio::test]
async fn a_changed_token_never_reaches_the_handler() {
    let (server, runs) = counting(keys());
    let peer = Peer::new(&server);
    let token = state_of(&peer, "tools/call", tool_a()).await;
    for position in 0..token.len() {
        let replacement = if token.as_bytes()[position] == b'A' {
            "B"
        } else {
            "A"
        };
        let mut changed = token.clone();
        changed.replace_range(position..=position, replacement);
        check_refused(
            peer.request("tools/call", with_state(tool_a(), changed))
                .await,
        );
    }
    for changed in [
        format!("{token}="),
        format!("{token}\n"),
        format!(" {token}"),
        token[3..].into(),
    ] {
        check_refused(
            peer.request("tools/call", with_state(tool_a(), changed))
                .await,
        );
    }
    assert_eq!(runs.load(Ordering::Relaxed), 1, "the first round only");
    let done = peer
        .request("tools/call", with_state(tool_a(), token))
        .await
        .unwrap();
    assert_eq!(text(&done), "read plain");
}

#[tokio::test]
async fn a_state_belongs_to_its_method_target_and_arguments() {
    let (server, runs) = counting(keys());
    let peer = Peer::new(&server);
    let own = json!({ "name": "a", "arguments": { "x": 1, "y": [true] } });
    let token = state_of(&peer, "tools/call", own.clone()).await;
    let others = [
        (
            "tools/call",
            json!({ "name": "b", "arguments": { "x": 1, "y": [true] } }),
        ),
        (
            "tools/call",
            json!({ "name": "a", "arguments": { "x": 2, "y": [true] } }),
        ),
        (
            "tools/call",
            json!({ "name": "a", "arguments": { "x": 1.0, "y": [true] } }),
        ),
        (
            "tools/call",
            json!({ "name": "a", "arguments": { "x": 1, "y": [true], "z": null } }),
        ),
        ("tools/call", json!({ "name": "a" })),
        ("prompts/get", own.clone()),
        ("resources/read", json!({ "uri": "a" })),
    ];
    for (method, params) in others {
        check_refused(
            peer.request(method, with_state(params, token.as_str()))
                .await,
        );
    }
    assert_eq!(runs.load(Ordering::Relaxed), 1);

    // The order of arguments and what rides beside them are not bound.
    let retry = format!(
        r#"{{"inputResponses":{{"k":1}},"other":true,"requestState":"{token}","arguments":{{"y":[true],"x":1}},"name":"a"}}"#
    );
    assert_eq!(
        text(&peer.send("tools/call", &retry).await.unwrap()),
        "read plain"
    );
}

#[tokio::test]
async fn no_arguments_are_the_same_as_none_and_null() {
    let (server, _) = counting(keys());
    let peer = Peer::new(&server);
    let token = state_of(&peer, "tools/call", tool_a()).await;
    for arguments in [json!({}), Value::Null] {
        let retry = with_state(
            json!({ "name": "a", "arguments": arguments }),
            token.as_str(),
        );
        assert_eq!(
            text(&peer.request("tools/call", retry).await.unwrap()),
            "read plain"
        );
    }
}

#[tokio::test]
async fn lone_surrogates_in_arguments_still_discriminate() {
    let (server, _) = counting(keys());
    let peer = Peer::new(&server);
    let params = |argument: &str, state: &str| {
        format!(r#"{{"name":"a","arguments":{{"x":"{argument}"}},"requestState":{state}}}"#)
    };
    let question = peer
        .send("tools/call", &params(r"\ud800", "null"))
        .await
        .unwrap();
    let state = question["requestState"].to_string();
    check_refused(peer.send("tools/call", &params(r"\ud801", &state)).await);
    let done = peer
        .send("tools/call", &params(r"\uD800", &state))
        .await
        .unwrap();
    assert_eq!(text(&done), "read plain");
    check_refused(
        peer.send("tools/call", &params(r"\ud800", r#""\ud800""#))
            .await,
    );
}

#[tokio::test]
async fn a_state_belongs_to_its_caller() {
    let server = fixture::server(Some(keys()));
    let shared_client = || Principal::new("client");
    let callers = [
        None,
        Some(shared_client()),
        Some(shared_client().subject("alice")),
        Some(shared_client().subject("bob")),
        Some(Principal::new("other").subject("alice")),
        Some(
            shared_client()
                .issuer("https://issuer.example")
                .subject("alice"),
        ),
    ];
    let peer = |caller: &Option<Principal>| match caller {
        Some(principal) => Peer::new(&server).principal(principal.clone()),
        None => Peer::new(&server),
    };
    for owner in &callers {
        let state = peer(owner).begin().await;
        for other in callers.iter().filter(|other| *other != owner) {
            check_refused(peer(other).finish(&state).await);
        }
        // Nobody's attempt has cost the owner anything.
        assert_eq!(peer(owner).finish(&state).await.unwrap(), PROVISIONED);
    }
}

#[tokio::test]
async fn an_identity_of_ones_own_takes_the_principals_place() {
    let tenant = |cx: &Context| {
        let tenant = cx
            .meta()
            .get("example.com/tenant")
            .map(Raw::parse::<String>);
        tenant.transpose()
    };
    let server = fixture::server(Some(keys().bind_principal(tenant)));
    let params = |tenant: &str, state: Option<&str>| {
        let peer = Peer::new(&server).meta("example.com/tenant", tenant);
        let mut params = json!({ "name": "wait" });
        if let Some(state) = state {
            params["requestState"] = state.into();
        }
        async move { peer.request("tools/call", params).await }
    };
    let question = params("one", None).await.unwrap();
    let state = question["requestState"].as_str().unwrap();
    check_refused(params("two", Some(state)).await);
    assert!(params("one", Some(state)).await.is_ok());

    let none = fixture::server(Some(
        keys().bind_principal(|_: &Context| Ok::<_, Error>(None)),
    ));
    let state = Peer::new(&none)
        .principal(Principal::new("one"))
        .begin()
        .await;
    let done = Peer::new(&none)
        .principal(Principal::new("two"))
        .finish(&state)
        .await;
    assert_eq!(done.unwrap(), PROVISIONED);
}

/// Asserts that sealing failed without telling how.
#[track_caller]
fn check_not_sealed(answer: Result<Value, vuelta::ErrorObject>) {
    let error = serde_json::to_value(answer.unwrap_err()).unwrap();
    assert_eq!(
        error,
        json!({ "code": -32603, "message": "Internal error" })
    );
}

#[tokio::test]
async fn who_the_caller_is_may_fail_to_be_known() {
    let logs = Logs::capture();
    let good = fixture::server(Some(keys()));
    let state = Peer::new(&good).begin().await;

    let failing = |_: &Context| Err::<Option<String>, _>("directory is down: s3cret-detail");
    let panicking = |_: &Context| -> Result<Option<String>, Error> { panic!("no directory") };
    let servers = [
        fixture::server(Some(keys().bind_principal(failing))),
        fixture::server(Some(keys().bind_principal(panicking))),
    ];
    for server in &servers {
        let peer = Peer::new(server);
        check_not_sealed(peer.request("tools/call", json!({ "name": "wait" })).await);
        check_refused(peer.finish(&state).await);
    }
    let text = "principal binding error: directory is down: s3cret-detail";
    assert_eq!(logs.with(text).len(), 2, "{:#?}", logs.all());
    assert_eq!(
        logs.with("principal binding error: panic").len(),
        2,
        "{:#?}",
        logs.all()
    );
}

#[tokio::test]
async fn nobody_is_identified_for_a_token_that_is_not_authentic() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let bind = move |_: &Context| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Error>(None)
    };
    let server = fixture::server(Some(keys().bind_principal(bind)));
    let peer = Peer::new(&server);
    check_refused(peer.finish("v1.forged").await);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    // Once a round, whether it opens, seals or both.
    let state = state_of(&peer, "tools/call", json!({ "name": "wait" })).await;
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    state_of(
        &peer,
        "tools/call",
        with_state(json!({ "name": "wait" }), state),
    )
    .await;
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn servers_that_share_a_key_accept_only_their_own_audience() {
    let server = |name: &str, security, audience| {
        Server::builder(name, "1")
            .on_call_tool(async |cx: Context, _| {
                Ok::<Outcome<CallToolResult>, Error>(match cx.state() {
                    Some(_) => CallToolResult::text("accepted").into(),
                    None => InputRequired::new().state("s").into(),
                })
            })
            .layer(RequestStateBoundary::new(security, audience))
            .build()
            .unwrap()
    };
    let audiences = [
        [
            server("one", keys(), Audience::Server),
            server("two", keys().audience("one"), Audience::Server),
        ],
        [
            server("two", keys(), Audience::Server),
            server("one", keys().audience("two"), Audience::Shared),
        ],
        [
            server("one", keys(), Audience::Shared),
            server("two", keys(), Audience::Shared),
        ],
        [
            server("one", keys().audience(""), Audience::Server),
            server("two", keys().audience(""), Audience::Server),
        ],
    ];
    for (group, minting) in audiences.iter().enumerate() {
        for minter in minting {
            let state = state_of(&Peer::new(minter), "tools/call", tool_a()).await;
            for (other, verifying) in audiences.iter().enumerate() {
                for verifier in verifying {
                    let params = with_state(tool_a(), state.as_str());
                    let answer = Peer::new(verifier).request("tools/call", params).await;
                    if group == other {
                        assert_eq!(text(&answer.unwrap()), "accepted");
                    } else {
                        check_refused(answer);
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn what_is_no_text_is_no_state_and_null_is_none() {
    let (sealing, runs) = counting(keys());
    let peer = Peer::new(&sealing);
    for state in [
        json!(5),
        json!(true),
        json!(["s"]),
        json!({ "s": 1 }),
        json!(""),
    ] {
        check_refused(
            peer.request("tools/call", with_state(tool_a(), state))
                .await,
        );
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    let question = peer
        .request("tools/call", with_state(tool_a(), Value::Null))
        .await
        .unwrap();
    assert_eq!(question["resultType"], "input_required");

    let bare = fixture::server(None);
    let peer = Peer::new(&bare);
    let wait = json!({ "name": "wait" });
    let error = peer
        .request("tools/call", with_state(wait.clone(), 5))
        .await
        .unwrap_err();
    assert_eq!(
        (error.code, &*error.message),
        (ErrorCode::INVALID_PARAMS, "Invalid request parameters")
    );
    assert_eq!(
        state_of(&peer, "tools/call", with_state(wait, Value::Null)).await,
        "w1"
    );
}

#[tokio::test]
async fn a_member_given_twice_has_no_meaning() {
    let (server, runs) = counting(keys());
    let peer = Peer::new(&server);
    let token = state_of(&peer, "tools/call", tool_a()).await;
    for params in [
        format!(r#"{{"name":"a","requestState":"{token}","requestState":"x"}}"#),
        format!(r#"{{"name":"a","requestState":"{token}","requestStat\u0065":"x"}}"#),
        format!(r#"{{"name":"b","name":"a","requestState":"{token}"}}"#),
        r#"{"name":"a","arguments":{},"arguments":{"x":1}}"#.to_owned(),
    ] {
        let error = peer.send("tools/call", &params).await.unwrap_err();
        let error = serde_json::to_value(error).unwrap();
        let expected =
            json!({ "code": -32602, "message": "Invalid request parameters", "data": "" });
        assert_eq!(error, expected, "{params}");
    }
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_state_is_checked_where_none_is_ever_given() {
    let server = fixture::server(Some(keys()));
    let peer = Peer::new(&server);
    let add = json!({ "name": "add", "arguments": { "a": 1, "b": 2 } });
    for (method, params) in [
        ("tools/call", add),
        ("tools/call", json!({ "name": "nope" })),
        ("prompts/get", json!({ "name": "nope" })),
        ("resources/read", json!({ "uri": "mem://a" })),
        ("resources/read", json!({ "uri": "mem://nope" })),
        // Before the params are looked at.
        ("tools/call", json!({ "name": 5 })),
        ("tools/call", json!({})),
    ] {
        check_refused(peer.request(method, with_state(params, "plain")).await);
    }
    // And where there is no handler at all.
    let none = Server::builder("s", "1")
        .layer(RequestStateBoundary::new(keys(), Audience::Server))
        .build()
        .unwrap();
    check_refused(
        Peer::new(&none)
            .request("tools/call", with_state(tool_a(), "plain"))
            .await,
    );
}

#[tokio::test]
async fn other_methods_pass_untouched() {
    let server = Server::builder("s", "1")
        .on_list_tools(async |_, _| Ok::<_, Error>(vuelta::ListToolsResult::new([])))
        .on_request("example.com/state", async |_, params: Value| {
            let state = params["requestState"].clone();
            Ok::<_, Error>(json!({ "read": state, "requestState": "plain" }))
        })
        .layer(RequestStateBoundary::new(keys(), Audience::Server))
        .build()
        .unwrap();
    let peer = Peer::new(&server);
    let params = json!({ "requestState": "plain" });
    let listed = peer.request("tools/list", params.clone()).await.unwrap();
    assert_eq!(listed["tools"], json!([]));
    let own = peer.request("example.com/state", params).await.unwrap();
    assert_eq!(
        (&own["read"], &own["requestState"]),
        (&json!("plain"), &json!("plain"))
    );
    assert!(peer.request("server/discover", json!({})).await.is_ok());
}

#[tokio::test]
async fn a_question_without_state_and_a_result_pass_unchanged() {
    let calls = [
        ("tools/call", json!({ "name": "ask_url" })),
        (
            "tools/call",
            json!({ "name": "add", "arguments": { "a": 1, "b": 2 } }),
        ),
        (
            "tools/call",
            json!({ "name": "add", "arguments": { "a": "x" } }),
        ),
        ("tools/call", json!({ "name": "nope" })),
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/read", json!({ "uri": "mem://a" })),
        ("example.com/nope", json!({})),
    ];
    let (sealing, bare) = (fixture::server(Some(keys())), fixture::server(None));
    for (method, params) in calls {
        let sealed = Peer::new(&sealing).request(method, params.clone()).await;
        assert_eq!(
            sealed,
            Peer::new(&bare).request(method, params).await,
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_codec_that_fails_tells_the_client_nothing() {
    /// Fails in every way that a codec can.
    struct Broken(bool);

    impl StateCodec for Broken {
        fn seal(&self, _: &[u8]) -> Result<String, SealError> {
            assert!(!self.0, "exploded");
            Err(SealError::new("the key service is down"))
        }

        fn open(&self, _: &str) -> Result<Vec<u8>, InvalidRequestState> {
            assert!(!self.0, "exploded");
            Err(InvalidRequestState::new("not in the key service"))
        }
    }

    let logs = Logs::capture();
    for explodes in [false, true] {
        let server = fixture::server(Some(RequestStateSecurity::codec(Broken(explodes))));
        let peer = Peer::new(&server);
        check_refused(peer.finish("token").await);
        check_not_sealed(peer.request("tools/call", json!({ "name": "wait" })).await);
        // A call that needs no state is served all the same.
        assert!(peer.request("tools/list", json!({})).await.is_ok());
    }
    assert_eq!(logs.with("reason=not in the key service").len(), 1);
    assert_eq!(
        logs.with("could not seal the request state: the key service is down")
            .len(),
        1
    );
    assert_eq!(
        logs.with("codec error: panic").len(),
        2,
        "{:#?}",
        logs.all()
    );
}

#[tokio::test]
async fn an_authentic_payload_that_is_no_envelope_is_refused() {
    let clock = Clock::new();
    let server = fixture::server(Some(clear().clock(clock.reader())));
    let peer = Peer::new(&server);
    let good = peer.begin().await;
    assert_eq!(peer.finish(&good).await.unwrap(), PROVISIONED);
    let forgeries = [
        ("", ""),
        (r#"{"v":1"#, "not JSON"),
        (r#""v":1"#, r#""v":2"#),
        (r#""v":1"#, r#""v":true"#),
        (r#""v":1"#, r#""v":1.0"#),
        (r#""v":1,"#, ""),
        (r#""iat":1785196800.25"#, r#""iat":"1785196800.25""#),
        (r#""exp":1785197400.25"#, r#""exp":null"#),
        (r#""exp":1785197400.25"#, r#""exp":1e999"#),
        (r#","s":"provision-v1""#, ""),
        (r#""s":"provision-v1""#, r#""s":5"#),
        (
            r#""a":"cpW1mcFtGeM0ZPdUOr4a0A""#,
            r#""a":"RBNvo1WzZ4oRRq0W9-hkng""#,
        ),
        (r#""aud":"wire-server""#, r#""aud":null"#),
        (r#","aud":"wire-server""#, ""),
        (r#""aud":"wire-server""#, r#""aud":"wire-server","p":null"#),
        (
            r#""aud":"wire-server""#,
            r#""aud":"wire-server","p":"AAECAwQFBgc""#,
        ),
    ];
    for (from, to) in forgeries {
        let forged = if from.is_empty() {
            String::new()
        } else {
            good.replace(from, to)
        };
        assert_ne!(forged, good);
        check_refused(peer.finish(&forged).await);
    }
}

#[tokio::test]
async fn a_forged_caller_is_refused() {
    let server = fixture::server(Some(clear()));
    let alice = || Peer::new(&server).principal(Principal::new("client").subject("alice"));
    let good = alice().begin().await;
    let (rest, claim) = good.split_once(r#","p":"#).unwrap();
    assert_eq!(alice().finish(&good).await.unwrap(), PROVISIONED);
    let bare = format!("{rest}}}");
    check_refused(alice().finish(&bare).await);
    for forged in [
        "5",
        "{}",
        "null",
        "\"\"",
        "\"!\"",
        "\"AAECAwQFBgc\"",
        &claim.replace('"', ""),
    ] {
        check_refused(alice().finish(&format!(r#"{rest},"p":{forged}}}"#)).await);
    }
}

#[tokio::test]
async fn the_log_knows_the_reason_and_nobody_the_content() {
    let logs = Logs::capture();
    let clock = Clock::new();
    let server = fixture::server(Some(keys().clock(clock.reader())));
    let alice = || Peer::new(&server).principal(Principal::new("client-7").subject("alice"));
    let state = alice().begin().await;
    let bob = Peer::new(&server).principal(Principal::new("client-7").subject("bob"));
    let nobody = Peer::new(&server);
    let (foreign, other_tool) = (
        fixture::server(Some(RequestStateSecurity::keys([[9; 32]]).unwrap())),
        with_state(json!({ "name": "wait" }), state.as_str()),
    );

    let foreign = Peer::new(&foreign).begin().await;
    let mut tampered = state.clone();
    tampered.replace_range(40..41, if &state[40..41] == "A" { "B" } else { "A" });
    check_refused(alice().finish("v0.").await);
    check_refused(alice().finish(&foreign).await);
    check_refused(alice().finish(&tampered).await);
    check_refused(alice().request("tools/call", other_tool).await);
    check_refused(nobody.finish(&state).await);
    check_refused(bob.finish(&state).await);
    clock.advance(Duration::from_secs(600));
    check_refused(alice().finish(&state).await);
    check_refused(
        alice()
            .request("tools/call", with_state(json!({ "name": "wait" }), 5))
            .await,
    );

    let reasons: Vec<String> = logs.with("requestState rejected");
    let expected = [
        "malformed",
        "unknown key",
        "seal",
        "request binding",
        "principal drift",
        "principal",
        "expired",
        "not a string",
    ];
    let expected = expected.map(|reason| {
        format!("WARN message=requestState rejected method=tools/call reason={reason}")
    });
    assert_eq!(reasons, expected);
    for secret in [
        &state,
        &foreign,
        &tampered,
        "provision-v1",
        "alice",
        "bob",
        "client-7",
    ] {
        logs.never_say(secret);
    }
}

#[tokio::test]
async fn a_layer_inside_asks_and_its_question_is_sealed() {
    /// Asks before a call is allowed through, and reads its own state back.
    struct Confirm;

    impl Middleware for Confirm {
        async fn handle(&self, call: Call, next: Next<'_>) -> Reply {
            match call.state().as_deref() {
                Some("confirm-v1") => next.run(call).await,
                Some(_) => Err(Error::rpc(ErrorCode::INVALID_PARAMS, "not my state")),
                None => Ok(InputRequired::new().state("confirm-v1").into()),
            }
        }
    }

    let build = |security: Option<RequestStateSecurity>| {
        let mut builder: ServerBuilder = Server::builder("s", "1")
            .on_call_tool(async |_, _| Ok::<_, Error>(CallToolResult::text("confirmed")));
        if let Some(security) = security {
            builder = builder.layer(RequestStateBoundary::new(security, Audience::Server));
        }
        builder.layer(Confirm).build().unwrap()
    };
    for (server, is_sealed) in [(build(Some(keys())), true), (build(None), false)] {
        let peer = Peer::new(&server);
        let state = state_of(&peer, "tools/call", tool_a()).await;
        assert_eq!(state.starts_with("v1."), is_sealed);
        let done = peer
            .request("tools/call", with_state(tool_a(), state))
            .await
            .unwrap();
        assert_eq!(text(&done), "confirmed");
    }
}

#[tokio::test]
async fn state_has_a_size_budget_in_both_directions() {
    /// A tool whose state is as large as its argument says.
    fn sized(security: RequestStateSecurity) -> Server {
        Server::builder("s", "1")
            .on_call_tool(async |cx: Context, params: CallToolParams| {
                let bytes = params
                    .arguments
                    .map(|arguments| arguments.parse_one("bytes"));
                let bytes: usize = bytes.transpose()?.flatten().unwrap_or_default();
                Ok::<Outcome<CallToolResult>, Error>(match cx.state() {
                    Some(state) => CallToolResult::text(state.len().to_string()).into(),
                    None => InputRequired::new().state("s".repeat(bytes)).into(),
                })
            })
            .layer(RequestStateBoundary::new(security, Audience::Server))
            .build()
            .expect("the policy is good")
    }
    let params = |bytes: usize| json!({ "name": "a", "arguments": { "bytes": bytes } });

    let logs = Logs::capture();
    let (small, server) = (sized(keys().warn_size(1000).max_size(2000)), sized(keys()));
    let small = Peer::new(&small);
    state_of(&small, "tools/call", params(400)).await;
    assert!(logs.all().iter().all(|record| !record.starts_with("WARN")));
    let state = state_of(&small, "tools/call", params(800)).await;
    assert!(state.len() > 1000 && state.len() < 2000);
    assert_eq!(
        logs.with("WARN message=requestState is large method=tools/call size=")
            .len(),
        1
    );
    let done = small
        .request("tools/call", with_state(params(800), state))
        .await
        .unwrap();
    assert_eq!(text(&done), "800");

    check_not_sealed(small.request("tools/call", params(1500)).await);
    assert_eq!(logs.with("bytes, over the limit of 2000").len(), 1);
    // Another instance allows more: what it sealed is refused here before it is decoded.
    let state = state_of(&Peer::new(&server), "tools/call", params(1500)).await;
    check_refused(
        small
            .request("tools/call", with_state(params(1500), state.as_str()))
            .await,
    );
    assert_eq!(logs.with("reason=over the size limit").len(), 1);
    let done = Peer::new(&server)
        .request("tools/call", with_state(params(1500), state))
        .await;
    assert_eq!(text(&done.unwrap()), "1500");

    // The limits as they are if nobody sets them: 64 KiB and 1 MiB of token.
    state_of(
        &Peer::new(&server),
        "tools/call",
        params(64 * 1024 * 3 / 4 - 300),
    )
    .await;
    assert_eq!(logs.with("requestState is large").len(), 1);
    state_of(&Peer::new(&server), "tools/call", params(64 * 1024 * 3 / 4)).await;
    assert_eq!(logs.with("requestState is large").len(), 2);
    state_of(
        &Peer::new(&server),
        "tools/call",
        params(1024 * 1024 * 3 / 4 - 300),
    )
    .await;
    check_not_sealed(
        Peer::new(&server)
            .request("tools/call", params(1024 * 1024 * 3 / 4))
            .await,
    );
    let huge = "v1.".to_owned() + &"A".repeat(1024 * 1024);
    check_refused(
        Peer::new(&server)
            .request("tools/call", with_state(params(1), huge))
            .await,
    );
    assert_eq!(logs.with("reason=over the size limit").len(), 2);
}

#[tokio::test]
async fn arguments_too_deep_for_a_digest_get_no_state() {
    let (server, runs) = counting(keys());
    let peer = Peer::new(&server);
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let params = format!(r#"{{"name":"a","arguments":{{"x":{deep}}}}}"#);
    check_not_sealed(peer.send("tools/call", &params).await);
    let token = state_of(&peer, "tools/call", tool_a()).await;
    let params = format!(r#"{{"name":"a","requestState":"{token}","arguments":{{"x":{deep}}}}}"#);
    check_refused(peer.send("tools/call", &params).await);
    assert_eq!(runs.load(Ordering::Relaxed), 2);
}
