//! The rounds of a call, over HTTP: each is a request of its own.

use serde_json::{Value, json};
use vuelta::seal::RequestStateSecurity;
use vuelta_http::Endpoint;
use vuelta_test::fixture;

use super::post::Post;

/// Two instances of one server, which share their keys.
fn instances() -> [Endpoint; 2] {
    [(); 2].map(|()| {
        let security = RequestStateSecurity::keys([[7_u8; 32]]).unwrap();
        Endpoint::new(fixture::server(Some(security)))
    })
}

fn form() -> Value {
    json!({ "elicitation": { "form": {} } })
}

/// A round of the provisioning flow.
fn provision(members: Value) -> Post {
    let mut params = json!({ "name": "provision", "arguments": { "name": "orders" } });
    for (name, value) in members.as_object().unwrap() {
        params[name] = value.clone();
    }
    Post::capable("tools/call", params, form())
}

async fn begin(endpoint: &Endpoint) -> String {
    let question = provision(json!({})).send(endpoint).await.result();
    assert_eq!(question["resultType"], "input_required");
    assert_eq!(
        question["inputRequests"]["region"]["method"],
        "elicitation/create"
    );
    question["requestState"].as_str().unwrap().to_owned()
}

fn accept(region: &str) -> Value {
    json!({ "region": { "action": "accept", "content": { "region": region } } })
}

#[tokio::test]
async fn another_instance_finishes_what_one_has_begun() {
    let [one, other] = instances();
    let state = begin(&one).await;
    let post = provision(json!({ "inputResponses": accept("eu-west-1"), "requestState": state }));
    let result = post
        .replace("\"id\":1", "\"id\":2")
        .send(&other)
        .await
        .result();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(
        result["content"][0]["text"],
        "Provisioned orders in eu-west-1."
    );
}

#[tokio::test]
async fn a_question_that_the_client_cannot_answer_is_400_with_the_capability() {
    let [endpoint, _] = instances();
    let table = [
        (
            "provision",
            json!({}),
            json!({ "elicitation": { "form": {} } }),
        ),
        (
            "provision",
            json!({ "sampling": {}, "roots": {} }),
            json!({ "elicitation": { "form": {} } }),
        ),
        (
            "provision",
            json!({ "elicitation": { "url": {} } }),
            json!({ "elicitation": { "form": {} } }),
        ),
        (
            "ask_url",
            json!({}),
            json!({ "elicitation": { "url": {} } }),
        ),
        (
            "ask_url",
            json!({ "elicitation": {} }),
            json!({ "elicitation": { "url": {} } }),
        ),
        ("ask_url", form(), json!({ "elicitation": { "url": {} } })),
        (
            "three_kinds",
            json!({ "elicitation": {}, "roots": {} }),
            json!({ "sampling": {} }),
        ),
        (
            "three_kinds",
            json!({ "elicitation": {}, "sampling": {} }),
            json!({ "roots": {} }),
        ),
    ];
    for (tool, capabilities, required) in table {
        let params = json!({ "name": tool, "arguments": { "name": "orders" } });
        let post = Post::capable("tools/call", params, capabilities.clone());
        let response = post.send(&endpoint).await;
        response.refused(400, &json!(1), -32021);
        let data = &response.message()["error"]["data"];
        assert_eq!(
            data["requiredCapabilities"], required,
            "{tool} {capabilities}"
        );
    }
}

#[tokio::test]
async fn an_empty_elicitation_capability_means_forms() {
    let [endpoint, _] = instances();
    let params = json!({ "name": "provision", "arguments": { "name": "orders" } });
    let post = Post::capable("tools/call", params, json!({ "elicitation": {} }));
    assert_eq!(
        post.send(&endpoint).await.result()["resultType"],
        "input_required"
    );

    let both = json!({ "elicitation": { "form": {}, "url": {} } });
    let post = Post::capable("tools/call", json!({ "name": "ask_url" }), both);
    let question = post.send(&endpoint).await.result();
    assert_eq!(question["inputRequests"]["auth"]["params"]["mode"], "url");
}

#[tokio::test]
async fn a_state_that_was_changed_is_refused_with_one_error() {
    let [endpoint, _] = instances();
    let state = begin(&endpoint).await;
    let at = state.len() / 2;
    let other = if &state[at..=at] == "A" { "B" } else { "A" };
    let mut flipped = state.clone();
    flipped.replace_range(at..=at, other);
    for bad in [json!(flipped), json!("zzz"), json!(""), json!(state + "A")] {
        let members = json!({ "inputResponses": accept("eu-west-1"), "requestState": bad });
        let response = provision(members).send(&endpoint).await;
        assert_eq!(
            response.refused(400, &json!(1), -32602),
            "Invalid or expired requestState",
            "{bad}"
        );
        assert_eq!(
            response.message()["error"]["data"],
            json!({ "reason": "invalid_request_state" })
        );
    }
}

#[tokio::test]
async fn a_missing_answer_is_asked_for_again() {
    let [endpoint, _] = instances();
    let state = begin(&endpoint).await;
    for answers in [json!({}), json!({ "zzz": { "action": "accept" } })] {
        let post = provision(json!({ "inputResponses": answers, "requestState": state }));
        let question = post.send(&endpoint).await.result();
        assert_eq!(question["resultType"], "input_required", "{answers}");
        assert!(question["inputRequests"]["region"].is_object(), "{answers}");
    }
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_is_ignored() {
    let [endpoint, _] = instances();
    let state = begin(&endpoint).await;
    for extra in [json!({ "action": "accept" }), json!(5), json!({ "x": [] })] {
        let mut answers = accept("eu-west-1");
        answers["zzz"] = extra;
        let post = provision(json!({ "inputResponses": answers, "requestState": state }));
        let result = post.send(&endpoint).await.result();
        assert_eq!(
            result["content"][0]["text"],
            "Provisioned orders in eu-west-1."
        );
    }
}

#[tokio::test]
async fn answers_that_are_no_object_are_invalid_params() {
    let [endpoint, _] = instances();
    let state = begin(&endpoint).await;
    for answers in [json!([]), json!("x"), json!(5)] {
        let post = provision(json!({ "inputResponses": answers, "requestState": state }));
        let response = post.send(&endpoint).await;
        response.refused(400, &json!(1), -32602);
        // A bad state is told first.
        let post = provision(json!({ "inputResponses": answers, "requestState": "zzz" }));
        let message = post.send(&endpoint).await.refused(400, &json!(1), -32602);
        assert_eq!(message, "Invalid or expired requestState");
    }
}

#[tokio::test]
async fn declining_and_cancelling_end_the_call() {
    let [endpoint, _] = instances();
    for action in ["decline", "cancel"] {
        let state = begin(&endpoint).await;
        let answers = json!({ "region": { "action": action } });
        let post = provision(json!({ "inputResponses": answers, "requestState": state }));
        let result = post.send(&endpoint).await.result();
        assert_eq!(result["resultType"], "complete");
        assert_eq!(
            result["content"][0]["text"],
            format!("Not provisioned: {action}.")
        );
    }
}

#[tokio::test]
async fn prompts_and_resources_ask_without_caching_hints() {
    let [endpoint, _] = instances();
    let table = [
        ("prompts/get", json!({ "name": "briefing" }), "audience"),
        ("resources/read", json!({ "uri": "note:///a" }), "lang"),
    ];
    for (method, params, key) in table {
        let question = Post::capable(method, params, form())
            .send(&endpoint)
            .await
            .result();
        assert_eq!(question["resultType"], "input_required", "{method}");
        assert!(question["inputRequests"][key].is_object(), "{method}");
        for absent in ["ttlMs", "cacheScope", "contents", "messages"] {
            assert_eq!(question.get(absent), None, "{method} {absent}");
        }
    }
}

#[tokio::test]
async fn a_round_that_asks_nothing_carries_a_state_only() {
    let [one, other] = instances();
    let wait = |state: Option<&Value>| {
        let mut params = json!({ "name": "wait" });
        if let Some(state) = state {
            params["requestState"] = state.clone();
        }
        Post::new("tools/call", params)
    };
    let first = wait(None).send(&one).await.result();
    assert_eq!(first["resultType"], "input_required");
    assert_eq!(first.get("inputRequests"), None);
    let second = wait(Some(&first["requestState"]))
        .send(&other)
        .await
        .result();
    let third = wait(Some(&second["requestState"]))
        .send(&one)
        .await
        .result();
    assert_eq!(third["content"][0]["text"], "waited 2");
}
