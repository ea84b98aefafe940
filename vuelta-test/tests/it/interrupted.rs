//! Flows that time or the connection interrupts: what was asked and answered is not lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;
use vuelta::wire::methods::{CallTool, GetPrompt};
use vuelta::{
    CallToolParams, CallToolResult, Client, Context, ElicitForm, ElicitResult, Error, FormSchema,
    InputRequired, Outcome, Server, Step, StringSchema,
};

use crate::scripted::Scripted;

const SECOND: Duration = Duration::from_secs(1);

/// A server that asks, and needs this long for each round.
fn slow(first: Duration, second: Duration) -> Server {
    Server::builder("s", "1")
        .on_call_tool(move |cx: Context, params: CallToolParams| async move {
            match cx.state() {
                None => {
                    sleep(first).await;
                    let schema = FormSchema::new().optional("name", StringSchema::new());
                    let question = InputRequired::new().ask("who", ElicitForm::new("?", schema));
                    Ok::<Outcome<_>, Error>(question.state("s").into())
                }
                Some(_) => {
                    sleep(second).await;
                    let answer = serde_json::to_string(cx.answers())?;
                    let text = format!("{} {answer}", params.name);
                    Ok(CallToolResult::error(text).into())
                }
            }
        })
        .build()
        .unwrap()
}

/// A client whose user thinks this long, and how often the user was asked.
async fn client(server: &Server, thinks: Duration) -> (Client, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let builder = Client::builder().on_elicit(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            sleep(thinks).await;
            ElicitResult::accept(json!({ "name": "Ada" }))
        }
    });
    (builder.connect(server).await.unwrap(), asked)
}

const ANSWERED: &str = r#"t {"who":{"action":"accept","content":{"name":"Ada"}}}"#;

#[tokio::test(start_paused = true)]
async fn a_deadline_while_the_user_thinks_leaves_the_question() {
    let (client, asked) = client(&slow(SECOND, SECOND), 60 * SECOND).await;
    let call = client.tool("t").deadline(10 * SECOND);
    let error = call.send().await.unwrap_err();
    assert!(error.is_timeout());
    assert_eq!(error.to_string(), "all of tools/call took longer than 10s");
    let mut flow = error.into_flow::<CallTool>().expect("the server has asked");
    assert_eq!(flow.unanswered().collect::<Vec<_>>(), ["who"]);
    assert_eq!((flow.state(), flow.retries()), (Some("s"), 0));

    flow.answer("who", ElicitResult::accept(json!({ "name": "Ada" })));
    let Step::Done(result) = client.resume(flow).await.unwrap() else {
        panic!("it is done")
    };
    assert_eq!(result.as_text(), ANSWERED);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_after_the_answers_leaves_them_too() {
    let (client, asked) = client(&slow(SECOND, 60 * SECOND), SECOND).await;
    let call = client.tool("t").deadline(10 * SECOND);
    let flow = call.send().await.unwrap_err().into_flow::<CallTool>();
    let flow = flow.expect("the server has asked");
    assert_eq!(flow.unanswered().count(), 0);
    // It can be stored, and sent again as it is; a second deadline does not lose it either.
    let stored = serde_json::to_string(&flow).unwrap();
    let flow = serde_json::from_str(&stored).unwrap();
    let again = client.flow::<CallTool>(flow).deadline(10 * SECOND);
    let flow = again.send().await.unwrap_err().into_flow::<CallTool>();
    let flow = flow.expect("it is the same flow");
    assert_eq!(serde_json::to_string(&flow).unwrap(), stored);

    let result = client.flow(flow).send().await.unwrap();
    assert_eq!(result.as_text(), ANSWERED);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_before_the_first_question_leaves_nothing() {
    let (client, _) = client(&slow(60 * SECOND, SECOND), SECOND).await;
    for error in [
        client.tool("t").deadline(SECOND).send().await.unwrap_err(),
        client.tool("t").deadline(SECOND).step().await.unwrap_err(),
        client.tool("t").timeout(SECOND).send().await.unwrap_err(),
    ] {
        assert!(error.is_timeout());
        assert!(error.into_flow::<CallTool>().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_takes_too_long_leaves_the_flow() {
    let (client, _) = client(&slow(SECOND, 60 * SECOND), SECOND).await;
    let error = client
        .tool("t")
        .timeout(10 * SECOND)
        .send()
        .await
        .unwrap_err();
    assert!(error.is_timeout());
    let flow = error.into_flow::<CallTool>().expect("the server has asked");
    let by_hand = client.flow(flow).timeout(10 * SECOND).step().await;
    let error = by_hand.unwrap_err();
    assert!(error.is_timeout());
    assert!(error.into_flow::<CallTool>().is_some(), "by hand, too");
}

#[tokio::test]
async fn a_connection_that_is_lost_leaves_the_flow_of_its_method() {
    let question = || {
        json!({
            "resultType": "input_required",
            "requestState": "s",
            "inputRequests": { "who": { "method": "elicitation/create", "params": {
                "message": "?", "requestedSchema": { "type": "object", "properties": {} },
            } } },
        })
    };
    let builder = || Client::builder().on_elicit(|_| async { ElicitResult::decline() });
    let lost = async || {
        // The script ends where the answer is sent.
        let server = Scripted::new([question()]);
        let client = server.connect(builder()).await;
        client.call_tool("t", json!({ "x": 1 })).await.unwrap_err()
    };
    assert!(lost().await.is_transport());
    assert!(lost().await.into_flow::<GetPrompt>().is_none());
    let flow = lost().await.into_flow::<CallTool>().unwrap();
    assert_eq!(flow.unanswered().count(), 0);

    let done = json!({ "resultType": "complete", "content": [] });
    let server = Scripted::new([done]);
    server.connect(builder()).await.resume(flow).await.unwrap();
    let params = &server.params()[0];
    assert_eq!(params["arguments"], json!({ "x": 1 }));
    assert_eq!(params["requestState"], "s");
    assert_eq!(
        params["inputResponses"],
        json!({ "who": { "action": "decline" } })
    );

    // What the server has answered is its last word.
    let refused = json!({ "code": -32602, "message": "Invalid or expired requestState" });
    let server = Scripted::new([question(), refused]);
    let client = server.connect(builder()).await;
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.as_rpc().is_some());
    assert!(error.into_flow::<CallTool>().is_none());
}
