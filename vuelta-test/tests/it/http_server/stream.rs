//! One JSON object or a stream of events, and what ends a request.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};
use vuelta::wire::AcknowledgedParams;
use vuelta::{
    CallToolParams, CallToolResult, Context, Error, ErrorCode, ListenParams, ListenResult,
    LoggingLevel, Outcome, Server, ServerNotification,
};
use vuelta_http::Endpoint;

use super::post::{Post, events, meta, next};
use super::socket::{Socket, listen};

const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What a test sees of the handlers.
#[derive(Clone, Default)]
struct Probe {
    started: Arc<Notify>,
    /// A handler was dropped before its end.
    dropped: Arc<Notify>,
    /// The cancellation of a request has reached what its handler had spawned.
    cancelled: Arc<Notify>,
    finished: Arc<AtomicUsize>,
}

struct Unfinished(Arc<Notify>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl Probe {
    fn endpoint(&self) -> Endpoint {
        let probe = self.clone();
        let server = Server::builder("s", "1")
            .logging()
            .on_call_tool(move |cx, params| probe.clone().call(cx, params))
            .on_listen(hear)
            .build()
            .unwrap();
        Endpoint::new(server)
    }

    async fn call(
        self,
        cx: Context,
        params: CallToolParams,
    ) -> Result<Outcome<CallToolResult>, Error> {
        let number = |name: &str| -> Option<u64> {
            params
                .arguments
                .as_ref()
                .and_then(|arguments| arguments.parse_one(name).unwrap())
        };
        self.started.notify_one();
        match params.name.as_str() {
            // Sleeps, and says how far it is.
            "slow" => {
                let unfinished = Unfinished(Arc::clone(&self.dropped));
                cx.progress(1).await?;
                sleep(Duration::from_millis(number("ms").unwrap())).await;
                cx.progress(2).await?;
                std::mem::forget(unfinished);
                self.finished.fetch_add(1, Ordering::SeqCst);
            }
            // Never ends; what it has spawned learns of the cancellation.
            "hang" => {
                let _unfinished = Unfinished(Arc::clone(&self.dropped));
                let (cancellation, cancelled) = (cx.cancellation(), self.cancelled);
                tokio::spawn(async move {
                    cancellation.cancelled().await;
                    cancelled.notify_one();
                });
                pending::<()>().await;
            }
            "fail" => {
                sleep(Duration::from_millis(number("ms").unwrap())).await;
                return Err(Error::rpc(ErrorCode::INVALID_PARAMS, "told"));
            }
            "notify_then_fail" => {
                cx.progress(1).await?;
                return Err(Error::rpc(ErrorCode::INVALID_PARAMS, "told"));
            }
            "notify_then_panic" => {
                cx.progress(1).await?;
                panic!("secret");
            }
            "burst" => {
                for step in 1..=number("steps").unwrap() {
                    cx.progress(i64::try_from(step).unwrap()).await?;
                }
            }
            // Tells something every 10 s, then nothing for 20 s.
            "beat" => {
                for step in 1..=3 {
                    cx.progress(step).await?;
                    sleep(Duration::from_secs(10)).await;
                }
                sleep(Duration::from_secs(10)).await;
            }
            "log" => {
                cx.log(LoggingLevel::Debug, "too low").await?;
                cx.log(LoggingLevel::Info, "hello").await?;
            }
            // Leaves a task behind that goes on telling.
            "late" => {
                let cx = cx.clone();
                tokio::spawn(async move {
                    cx.cancellation().cancelled().await;
                    cx.progress(9).await.unwrap();
                });
            }
            other => return Err(Error::unknown_tool(other)),
        }
        Ok(CallToolResult::text("done").into())
    }
}

/// Acknowledges, tells one change, then stays silent for 20 s.
async fn hear(cx: Context, params: ListenParams) -> Result<ListenResult, Error> {
    if params.notifications.tools_list_changed.is_none() {
        return Err(Error::rpc(ErrorCode::INVALID_PARAMS, "nothing to tell"));
    }
    let acknowledged = AcknowledgedParams::new(params.notifications);
    cx.notify(ServerNotification::Acknowledged(acknowledged))
        .await?;
    cx.notify(ServerNotification::ToolsListChanged(Default::default()))
        .await?;
    sleep(Duration::from_secs(20)).await;
    Ok(ListenResult::new())
}

fn call(tool: &str, arguments: Value) -> Post {
    Post::call(tool, arguments)
}

/// A call that asks for progress under `token`.
fn watched(tool: &str, arguments: Value, token: Value) -> Post {
    let mut meta = meta(json!({}));
    meta["progressToken"] = token;
    Post::with_meta(
        "tools/call",
        json!({ "name": tool, "arguments": arguments }),
        meta,
    )
}

/// Asserts that a response is a stream, by its headers.
#[track_caller]
fn check_stream<B>(response: &http::Response<B>) {
    let header = |name: &str| {
        response
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap())
    };
    assert_eq!(response.status(), 200);
    assert_eq!(header("content-type"), Some("text/event-stream"));
    assert_eq!(header("cache-control"), Some("no-cache, no-transform"));
    assert_eq!(header("x-accel-buffering"), Some("no"));
    assert_eq!(header("mcp-session-id"), None);
}

#[tokio::test(start_paused = true)]
async fn progress_carries_the_callers_token_and_stops_at_the_result() {
    for token in [json!(0), json!("t"), json!(9_007_199_254_740_993_u64)] {
        let post = watched("slow", json!({ "ms": 300 }), token.clone());
        let messages = post.send(&Probe::default().endpoint()).await.events();
        let (result, progress) = messages.split_last().unwrap();
        assert_eq!(result["id"], 1);
        assert_eq!(result["result"]["content"][0]["text"], "done");
        assert_eq!(progress.len(), 2);
        for (step, message) in progress.iter().enumerate() {
            assert_eq!(
                message,
                &json!({
                    "jsonrpc": "2.0",
                    "method": "notifications/progress",
                    "params": { "progressToken": token, "progress": step + 1 },
                })
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_who_did_not_ask_gets_progress() {
    let response = call("slow", json!({ "ms": 300 }))
        .send(&Probe::default().endpoint())
        .await;
    assert_eq!(response.result()["content"][0]["text"], "done");
}

#[tokio::test(start_paused = true)]
async fn the_first_notification_opens_the_stream() {
    let begin = Instant::now();
    let post = watched("slow", json!({ "ms": 3_000 }), json!(1));
    let mut response = post.open(&Probe::default().endpoint()).await;
    check_stream(&response);
    let first = next(response.body_mut()).await.unwrap();
    assert_eq!(events(&first)[0]["method"], "notifications/progress");
    assert_eq!(begin.elapsed(), Duration::ZERO);
    let second = next(response.body_mut()).await.unwrap();
    assert_eq!(events(&second)[0]["params"]["progress"], 2);
    assert_eq!(begin.elapsed(), Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn fifteen_seconds_of_silence_open_the_stream_and_fill_it_with_comments() {
    let begin = Instant::now();
    let post = call("slow", json!({ "ms": 40_000 }));
    let mut response = post.open(&Probe::default().endpoint()).await;
    assert_eq!(begin.elapsed(), KEEP_ALIVE);
    check_stream(&response);
    for seconds in [15, 30] {
        assert_eq!(
            next(response.body_mut()).await.as_deref(),
            Some(": ping\n\n")
        );
        assert_eq!(begin.elapsed(), Duration::from_secs(seconds));
    }
    let last = next(response.body_mut()).await.unwrap();
    assert_eq!(begin.elapsed(), Duration::from_secs(40));
    assert_eq!(events(&last)[0]["result"]["content"][0]["text"], "done");
    assert_eq!(next(response.body_mut()).await, None);
}

#[tokio::test(start_paused = true)]
async fn who_takes_streams_only_has_its_headers_at_once() {
    let begin = Instant::now();
    let post = call("slow", json!({ "ms": 40_000 })).set("Accept", "text/event-stream");
    let mut response = post.open(&Probe::default().endpoint()).await;
    assert_eq!(begin.elapsed(), Duration::ZERO);
    check_stream(&response);
    assert_eq!(
        next(response.body_mut()).await.as_deref(),
        Some(": ping\n\n")
    );
    assert_eq!(begin.elapsed(), KEEP_ALIVE);
}

#[tokio::test(start_paused = true)]
async fn an_answer_within_the_silence_is_json_and_the_silence_can_be_set() {
    let begin = Instant::now();
    let just_in_time = call("slow", json!({ "ms": 14_999 }));
    just_in_time
        .send(&Probe::default().endpoint())
        .await
        .result();
    assert_eq!(begin.elapsed(), Duration::from_millis(14_999));

    let endpoint = Probe::default()
        .endpoint()
        .keep_alive(Duration::from_secs(2));
    let begin = Instant::now();
    let mut response = call("slow", json!({ "ms": 3_000 })).open(&endpoint).await;
    check_stream(&response);
    assert_eq!(begin.elapsed(), Duration::from_secs(2));
    assert_eq!(
        next(response.body_mut()).await.as_deref(),
        Some(": ping\n\n")
    );
}

#[tokio::test(start_paused = true)]
async fn a_notification_puts_the_next_comment_off() {
    let begin = Instant::now();
    let post = watched("beat", json!({}), json!(1));
    let mut response = post.open(&Probe::default().endpoint()).await;
    let mut chunks = Vec::new();
    while let Some(chunk) = next(response.body_mut()).await {
        chunks.push((begin.elapsed().as_secs(), chunk.starts_with(": ping")));
    }
    assert_eq!(
        chunks,
        [
            (0, false),
            (10, false),
            (20, false),
            (35, true),
            (40, false)
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_before_anything_else_has_its_status() {
    let endpoint = Probe::default().endpoint();
    let response = call("fail", json!({ "ms": 10_000 })).send(&endpoint).await;
    assert_eq!(response.refused(400, &json!(1), -32602), "told");

    // Even to who takes streams only, as long as the handler did not wait.
    let only = |post: Post| post.set("Accept", "text/event-stream");
    let unknown = only(call("nope", json!({}))).send(&endpoint).await;
    unknown.refused(400, &json!(1), -32602);
    let no_method = only(Post::new("foo/bar", json!({}))).send(&endpoint).await;
    no_method.refused(404, &json!(1), -32601);
}

#[tokio::test(start_paused = true)]
async fn an_error_after_the_stream_was_opened_is_its_last_event() {
    let endpoint = Probe::default().endpoint();
    let told = watched("notify_then_fail", json!({}), json!(1))
        .send(&endpoint)
        .await
        .events();
    assert_eq!(told.len(), 2);
    assert_eq!(
        told[1]["error"],
        json!({ "code": -32602, "message": "told" })
    );

    let panicked = watched("notify_then_panic", json!({}), json!(1))
        .send(&endpoint)
        .await;
    assert_eq!(
        panicked.events()[1]["error"],
        json!({ "code": -32603, "message": "Internal server error" })
    );
    let late = call("fail", json!({ "ms": 16_000 }))
        .send(&endpoint)
        .await
        .events();
    assert_eq!(late[0]["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_notifications_keeps_its_order() {
    let post = watched("burst", json!({ "steps": 500 }), json!("t"));
    let messages = post.send(&Probe::default().endpoint()).await.events();
    assert_eq!(messages.len(), 501);
    let steps: Vec<u64> = messages[..500]
        .iter()
        .map(|message| message["params"]["progress"].as_u64().unwrap())
        .collect();
    assert!(steps.iter().copied().eq(1..=500));
    assert!(messages[500]["result"].is_object());
}

#[tokio::test(start_paused = true)]
async fn log_notifications_come_before_the_result_to_who_opted_in() {
    let endpoint = Probe::default().endpoint();
    let mut meta = meta(json!({}));
    meta["io.modelcontextprotocol/logLevel"] = json!("info");
    let opted_in = Post::with_meta("tools/call", json!({ "name": "log" }), meta);
    let messages = opted_in.send(&endpoint).await.events();
    assert_eq!(messages.len(), 2);
    assert_eq!(
        messages[0],
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/message",
            "params": { "level": "info", "data": "hello" },
        })
    );
    assert!(messages[1]["result"].is_object());
    call("log", json!({})).send(&endpoint).await.result();
}

#[tokio::test(start_paused = true)]
async fn json_mode_drops_notifications_and_waits() {
    let begin = Instant::now();
    let post = watched("slow", json!({ "ms": 40_000 }), json!(1));
    let endpoint = Probe::default().endpoint();
    let response = post.clone().send(&endpoint.clone().json_responses()).await;
    assert_eq!(response.result()["content"][0]["text"], "done");
    assert_eq!(begin.elapsed(), Duration::from_secs(40));
    // So does a request that takes nothing else.
    let response = post.set("Accept", "application/json").send(&endpoint).await;
    assert_eq!(response.result()["content"][0]["text"], "done");
}

#[tokio::test(start_paused = true)]
async fn a_subscription_is_a_stream_in_every_mode() {
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    for endpoint in [
        Probe::default().endpoint(),
        Probe::default().endpoint().json_responses(),
    ] {
        for id in [json!(5), json!("sub-1")] {
            let begin = Instant::now();
            let post = Post::new("subscriptions/listen", filter.clone());
            let post = post.replace("\"id\":1", &format!("\"id\":{id}"));
            let mut response = post.open(&endpoint).await;
            check_stream(&response);
            assert_eq!(begin.elapsed(), Duration::ZERO);
            let mut stream = String::new();
            while let Some(chunk) = next(response.body_mut()).await {
                stream.push_str(&chunk);
            }
            assert_eq!(begin.elapsed(), Duration::from_secs(20));
            assert_eq!(stream.matches(": ping\n\n").count(), 1);
            let messages = events(&stream);
            let methods: Vec<&Value> = messages.iter().map(|message| &message["method"]).collect();
            assert_eq!(
                methods,
                [
                    &json!("notifications/subscriptions/acknowledged"),
                    &json!("notifications/tools/list_changed"),
                    &Value::Null,
                ]
            );
            let key = "io.modelcontextprotocol/subscriptionId";
            for message in &messages[..2] {
                assert_eq!(message["params"]["_meta"][key], id);
            }
            assert_eq!(messages[2]["id"], id);
            assert_eq!(messages[2]["result"]["_meta"][key], id);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_refused_at_once_has_its_status() {
    let endpoint = Probe::default().endpoint();
    let no_filter = Post::new("subscriptions/listen", json!({}))
        .send(&endpoint)
        .await;
    let message = no_filter.refused(400, &json!(1), -32602);
    assert_eq!(message, "Invalid request parameters");
    let empty = Post::new("subscriptions/listen", json!({ "notifications": {} }));
    empty.send(&endpoint).await.refused(400, &json!(1), -32602);
}

#[tokio::test(start_paused = true)]
async fn what_is_told_after_the_result_is_dropped() {
    let endpoint = Probe::default().endpoint();
    let response = watched("late", json!({}), json!(1)).send(&endpoint).await;
    response.result();
    let post = watched("late", json!({}), json!(1)).set("Accept", "text/event-stream");
    assert_eq!(post.send(&endpoint).await.events().len(), 1);
}

/// The ways of leaving: `json_responses` or not, and whether the stream is open by then.
#[tokio::test]
async fn a_client_that_leaves_cancels_its_handler() {
    for (json_mode, is_open) in [(false, false), (false, true), (true, false)] {
        let probe = Probe::default();
        let endpoint = probe.endpoint().keep_alive(Duration::from_millis(20));
        let endpoint = if json_mode {
            endpoint.json_responses()
        } else {
            endpoint
        };
        let endpoint = if is_open || json_mode {
            endpoint
        } else {
            endpoint.keep_alive(KEEP_ALIVE)
        };
        let addr = listen(endpoint).await;

        let mut socket = Socket::open(addr).await;
        socket.post(&call("hang", json!({}))).await;
        probe.started.notified().await;
        if is_open {
            socket.read_until(": ping").await;
        }
        drop(socket);
        let gone = async {
            probe.dropped.notified().await;
            probe.cancelled.notified().await;
        };
        let within = Duration::from_secs(1);
        assert!(
            timeout(within, gone).await.is_ok(),
            "json {json_mode}, open {is_open}"
        );

        let mut socket = Socket::open(addr).await;
        socket.post(&call("slow", json!({ "ms": 60_000 }))).await;
        probe.started.notified().await;
        drop(socket);
        assert!(timeout(within, probe.dropped.notified()).await.is_ok());
        assert_eq!(probe.finished.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn headers_and_comments_leave_at_once_on_a_real_connection() {
    let endpoint = Probe::default()
        .endpoint()
        .keep_alive(Duration::from_millis(50));
    let addr = listen(endpoint).await;
    let mut socket = Socket::open(addr).await;
    let post = call("hang", json!({})).set("Accept", "text/event-stream");
    socket.post(&post).await;
    let begin = Instant::now();
    let (status, headers) = socket.head().await;
    assert!(
        begin.elapsed() < Duration::from_millis(100),
        "{:?}",
        begin.elapsed()
    );
    assert_eq!(status, 200);
    assert_eq!(headers["x-accel-buffering"], "no");
    socket.read_until(": ping\n\n").await;
    socket.read_until(": ping\n\n").await;
}
