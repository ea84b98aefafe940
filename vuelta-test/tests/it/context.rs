//! One request between its transport and its handler: the layers around it, what it knows,
//! what it sends on the way, and how it ends.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;
use vuelta::server::Incoming;
use vuelta::transport::Memory;
use vuelta::wire::{AcknowledgedParams, ListChangedParams, ListenResult};
use vuelta::{
    Call, CallToolParams, CallToolResult, Client, Context, Error, ErrorCode, Implementation, Inlet,
    ListToolsResult, LoggingLevel, Middleware, Next, Outcome, Outlet, Principal, ProgressUpdate,
    Raw, Reply, RequestId, Server, ServerNotification, SubscriptionFilter,
};

use crate::logs::Logs;
use crate::raw::{Peer, envelope, text, value};

/// What happened, in order.
#[derive(Clone, Default)]
struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    fn note(&self, what: impl Into<String>) {
        self.0
            .lock()
            .expect("nothing panics with the lock")
            .push(what.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("nothing panics with the lock"))
    }
}

/// A layer that notes when a request comes and goes.
struct Layer(&'static str, Trace);

impl Middleware for Layer {
    async fn handle(&self, call: Call, next: Next<'_>) -> Reply {
        let Self(name, trace) = self;
        trace.note(format!("{name} > {}", call.method()));
        let reply = next.run(call).await;
        trace.note(format!(
            "{name} < {}",
            if reply.is_ok() { "ok" } else { "error" }
        ));
        reply
    }
}

/// A server of one tool that does what `handle` does.
fn tool<F, Fut>(handle: F) -> vuelta::ServerBuilder
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<CallToolResult, Error>> + Send + 'static,
{
    Server::builder("s", "1").on_call_tool(move |cx: Context, _: CallToolParams| handle(cx))
}

async fn call(server: &Server) -> Result<Value, vuelta::ErrorObject> {
    Peer::new(server)
        .request("tools/call", json!({ "name": "t" }))
        .await
}

#[tokio::test]
async fn the_first_layer_is_outermost() {
    let trace = Trace::default();
    let inner = trace.clone();
    let server = tool(move |_| {
        inner.note("handler");
        async { Ok(CallToolResult::text("done")) }
    })
    .on_notification("notifications/own", {
        let trace = trace.clone();
        move |_| {
            trace.note("notification");
            async {}
        }
    })
    .layer(Layer("outer", trace.clone()))
    .layer(Layer("inner", trace.clone()))
    .build()
    .unwrap();

    call(&server).await.unwrap();
    assert_eq!(
        trace.take(),
        [
            "outer > tools/call",
            "inner > tools/call",
            "handler",
            "inner < ok",
            "outer < ok"
        ]
    );
    // Every request passes, one without a handler too; notifications pass by.
    assert!(
        Peer::new(&server)
            .request("example.com/nope", json!({}))
            .await
            .is_err()
    );
    assert_eq!(
        trace.take(),
        [
            "outer > example.com/nope",
            "inner > example.com/nope",
            "inner < error",
            "outer < error"
        ]
    );
    server.notify("notifications/own", None).await;
    assert_eq!(trace.take(), ["notification"]);
}

#[tokio::test]
async fn a_layer_may_answer_itself_or_change_the_reply() {
    /// Refuses some tools, answers for others, and marks what the handler gives.
    struct Gate;

    impl Middleware for Gate {
        async fn handle(&self, call: Call, next: Next<'_>) -> Reply {
            let name = call
                .params()
                .and_then(|params| params.parse::<CallToolParams>().ok());
            match name.as_ref().map(|params| params.name.as_str()) {
                Some("forbidden") => Err(Error::rpc(ErrorCode(-32000), "Forbidden")),
                Some("cached") => {
                    let kept = json!({ "content": [{ "type": "text", "text": "kept" }] });
                    Ok(Outcome::Complete(Raw::from(kept)))
                }
                _ => {
                    let Outcome::Complete(result) = next.run(call).await? else {
                        return Err(Error::rpc(ErrorCode::INTERNAL_ERROR, "asked"));
                    };
                    let mut result: Value = result.parse()?;
                    result["marked"] = true.into();
                    Ok(Outcome::Complete(Raw::from(result)))
                }
            }
        }
    }

    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let server = tool(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(CallToolResult::text("run")) }
    })
    .layer(Gate)
    .build()
    .unwrap();
    let peer = Peer::new(&server);
    let request = async |name: &str| peer.request("tools/call", json!({ "name": name })).await;
    assert_eq!(request("forbidden").await.unwrap_err().message, "Forbidden");
    assert_eq!(text(&request("cached").await.unwrap()), "kept");
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    let result = request("other").await.unwrap();
    assert_eq!((text(&result), &result["marked"]), ("run", &json!(true)));
}

#[test]
fn a_layer_may_refuse_its_server() {
    struct Picky;

    impl Middleware for Picky {
        async fn handle(&self, call: Call, next: Next<'_>) -> Reply {
            next.run(call).await
        }

        fn attach(&mut self, server: &Implementation) -> vuelta::Result<()> {
            Err(Error::misuse(format!(
                "not with {} {}",
                server.name, server.version
            )))
        }
    }

    let error = Server::builder("s", "1").layer(Picky).build().unwrap_err();
    assert_eq!(error.to_string(), "not with s 1");
}

#[tokio::test]
async fn a_panic_is_an_error_that_tells_nothing_and_the_next_request_is_served() {
    struct Panics;

    impl Middleware for Panics {
        async fn handle(&self, _: Call, _: Next<'_>) -> Reply {
            panic!("layer: s3cret")
        }
    }

    let logs = Logs::capture();
    let calls = AtomicUsize::new(0);
    let handlers = tool(move |_| {
        let number = calls.fetch_add(1, Ordering::Relaxed);
        // Before there is a future, and inside it.
        assert!(number != 0, "early: s3cret");
        async move {
            assert!(number != 1, "late: s3cret {number}");
            Ok(CallToolResult::text("served"))
        }
    });
    let handlers = handlers.build().unwrap();
    let layers = tool(|_| async { Ok(CallToolResult::text("x")) })
        .layer(Panics)
        .build()
        .unwrap();
    for answer in [
        call(&handlers).await,
        call(&handlers).await,
        call(&layers).await,
    ] {
        assert_eq!(
            serde_json::to_value(answer.unwrap_err()).unwrap(),
            json!({ "code": -32603, "message": "Internal server error" })
        );
    }
    assert_eq!(text(&call(&handlers).await.unwrap()), "served");
    let logged = logs.with("a handler panicked");
    assert_eq!(logged.len(), 3, "{logged:#?}");
    assert!(logged[0].contains("early: s3cret") && logged[2].contains("layer: s3cret"));
}

#[tokio::test]
async fn a_notification_handler_may_panic_too() {
    let logs = Logs::capture();
    let server = tool(|_| async { Ok(CallToolResult::text("served")) })
        .on_notification("notifications/own", async |_| panic!("boom"))
        .build()
        .unwrap();
    server.notify("notifications/own", None).await;
    assert_eq!(logs.with("panic=boom").len(), 1);
    assert_eq!(text(&call(&server).await.unwrap()), "served");
}

#[tokio::test]
async fn the_peer_reads_the_protocols_errors_and_no_others() {
    #[derive(Debug)]
    struct Outer(std::io::Error);

    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("cannot read the database")
        }
    }

    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    let logs = Logs::capture();
    let check = async |error: fn() -> Error, expected: Value| {
        let server = tool(move |_| async move { Err(error()) }).build().unwrap();
        let answer = call(&server).await.unwrap_err();
        assert_eq!(serde_json::to_value(answer).unwrap(), expected);
    };
    let internal = || json!({ "code": -32603, "message": "Internal server error" });
    check(
        || {
            vuelta::ErrorObject::new(ErrorCode(-32001), "own")
                .data(json!({ "n": 1 }))
                .into()
        },
        json!({ "code": -32001, "message": "own", "data": { "n": 1 } }),
    )
    .await;
    check(
        || Raw::from("x").parse::<i64>().unwrap_err().into(),
        json!({ "code": -32602, "message": "Invalid request parameters", "data": "" }),
    )
    .await;
    assert!(logs.all().iter().all(|record| !record.starts_with("ERROR")));

    check(|| std::io::Error::other("disk").into(), internal()).await;
    check(
        || Error::handler(Outer(std::io::Error::other("disk s3cret"))),
        internal(),
    )
    .await;
    check(
        || Error::transport("the upstream server is gone"),
        internal(),
    )
    .await;
    check(
        || Error::peer("the upstream server broke the protocol"),
        internal(),
    )
    .await;
    check(|| Error::misuse("wrong call"), internal()).await;
    let whole = "handler failed: cannot read the database: disk s3cret";
    assert_eq!(
        logs.with(whole).len(),
        1,
        "the log has every cause: {:#?}",
        logs.all()
    );
    assert_eq!(logs.with("ERROR message=request failed").len(), 5);
}

#[tokio::test]
async fn what_the_request_carries_reaches_the_handler() {
    #[derive(Clone, Debug, PartialEq)]
    struct Tenant(u32);

    let server = tool(async |cx| {
        assert_eq!(cx.request_id(), &RequestId::from("r-1"));
        assert_eq!(cx.protocol_version().as_str(), "2026-07-28");
        let client = cx.client_info().expect("the client says who it is");
        assert_eq!(
            (client.name.as_str(), client.version.as_str()),
            ("probe", "0")
        );
        assert!(cx.client_capabilities().roots.is_some());
        assert_eq!(
            cx.meta().get("example.com/trace").map(Raw::get),
            Some("\"abc\"")
        );
        assert!(cx.answers().is_empty());
        assert_eq!(cx.state(), None);
        let headers = cx.headers().expect("the transport gives headers");
        assert_eq!(headers["x-forwarded-for"], "192.0.2.1");
        assert_eq!(cx.extensions().get::<Tenant>(), Some(&Tenant(7)));
        assert_eq!(cx.extensions().get::<u32>(), None);
        let principal = cx.principal().expect("the layer in front knows the caller");
        assert_eq!(principal.subject.as_deref(), Some("alice"));
        // What is shown of it is for the log.
        let shown = format!("{cx:?}");
        assert!(
            shown.contains("r-1") && !shown.contains("s3cret"),
            "{shown}"
        );
        Ok(CallToolResult::text("seen"))
    })
    .build()
    .unwrap();

    let mut meta = envelope(&json!({ "roots": {} }));
    meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "probe", "version": "0" });
    meta["example.com/trace"] = "abc".into();
    let params = Raw::from(json!({ "_meta": meta, "name": "t" }));
    let mut extensions = http::Extensions::new();
    extensions.insert(Tenant(7));
    extensions.insert(Principal::new("client").subject("alice"));
    let mut headers = http::HeaderMap::new();
    headers.insert("x-forwarded-for", "192.0.2.1".parse().unwrap());
    headers.insert("authorization", "Bearer s3cret".parse().unwrap());
    let incoming = Incoming::new("r-1".into(), "tools/call", Some(params))
        .headers(headers)
        .extensions(extensions);
    // No log line of a transport gives the content away.
    assert_eq!(
        format!("{incoming:?}"),
        r#"Incoming { id: String("r-1"), method: "tools/call", .. }"#
    );
    let result = server.dispatch(incoming, Outlet::closed()).await.unwrap();
    assert_eq!(text(&value(&result)), "seen");
}

#[tokio::test]
async fn in_memory_a_layer_in_front_is_an_extension() {
    let server = tool(async |cx| {
        assert!(cx.headers().is_none());
        let caller = cx.principal().map(|principal| principal.client_id.clone());
        let extension = cx.extensions().get::<&str>().copied();
        Ok(CallToolResult::text(format!("{caller:?} {extension:?}")))
    })
    .build()
    .unwrap();
    let memory = Memory::new(&server)
        .extension(Principal::new("client"))
        .extension("tenant");
    let client = Client::builder().connect(memory).await.unwrap();
    let result = client.call_tool("t", ()).await.unwrap();
    assert_eq!(result.as_text(), r#"Some("client") Some("tenant")"#);
    let client = Client::builder().connect(&server).await.unwrap();
    assert_eq!(
        client.call_tool("t", ()).await.unwrap().as_text(),
        "None None"
    );
}

#[tokio::test]
async fn ids_keep_their_value_and_their_type() {
    let server = tool(async |cx| {
        Ok(CallToolResult::text("").structured_content(Raw::encode(cx.request_id())?))
    })
    .build()
    .unwrap();
    for id in [
        r#""1""#,
        "1",
        "0",
        "-1",
        r#""""#,
        r#""a\u0000b""#,
        "9007199254740993",
    ] {
        let params = Raw::from(json!({ "_meta": envelope(&json!({})), "name": "t" }));
        let incoming = Incoming::new(
            serde_json::from_str(id).unwrap(),
            "tools/call",
            Some(params),
        );
        let result = server.dispatch(incoming, Outlet::closed()).await.unwrap();
        assert!(
            result
                .get()
                .contains(&format!(r#""structuredContent":{id}"#)),
            "{}",
            result.get()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_a_request_drops_its_handler_and_fires_its_token() {
    struct Guard(Trace);

    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.note("handler dropped");
        }
    }

    let (trace, started) = (Trace::default(), Arc::new(Notify::new()));
    let (noted, begin) = (trace.clone(), Arc::clone(&started));
    let (fired, over) = oneshot::channel();
    let fired = Mutex::new(Some(fired));
    let server = tool(move |cx| {
        let (guard, begin) = (Guard(noted.clone()), Arc::clone(&begin));
        let fired = fired.lock().unwrap().take().expect("one call");
        async move {
            let cancellation = cx.cancellation();
            assert!(!cancellation.is_cancelled());
            tokio::spawn(async move {
                cancellation.cancelled().await;
                fired
                    .send(cancellation.is_cancelled())
                    .expect("the test waits");
            });
            begin.notify_one();
            std::future::pending::<()>().await;
            drop(guard);
            Ok(CallToolResult::text("never"))
        }
    })
    .build()
    .unwrap();
    tokio::select! {
        _ = call(&server) => panic!("it never ends"),
        () = started.notified() => {}
    }
    assert_eq!(trace.take(), ["handler dropped"]);
    let fired = timeout(Duration::from_secs(1), over).await;
    assert!(fired.expect("the token fires").unwrap());
}

#[tokio::test(start_paused = true)]
async fn work_that_outlives_its_request_is_told() {
    let (sender, spawned) = oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let server = tool(move |cx| {
        let sender = sender.lock().unwrap().take().expect("one call");
        let cancellation = cx.cancellation();
        let work = tokio::spawn(async move { cancellation.cancelled().await });
        assert!(sender.send(work).is_ok());
        async { Ok(CallToolResult::text("answered")) }
    })
    .build()
    .unwrap();
    call(&server).await.unwrap();
    let work = timeout(Duration::from_secs(1), spawned.await.unwrap()).await;
    work.expect("the token fires").unwrap();
}

/// Calls the tool with these members of `_meta`; returns the answer and what was sent before.
async fn streamed(server: &Server, meta: Value) -> (Value, Vec<Value>) {
    let mut params = json!({ "_meta": envelope(&json!({})), "name": "t" });
    params["_meta"]
        .as_object_mut()
        .unwrap()
        .extend(meta.as_object().unwrap().clone());
    let (outlet, mut inlet) = Outlet::open();
    let incoming = Incoming::new(5.into(), "tools/call", Some(Raw::from(params)));
    let answer = server.dispatch(incoming, outlet).await.unwrap();
    (value(&answer), drain(&mut inlet))
}

/// Returns what waits in a stream.
fn drain(inlet: &mut Inlet) -> Vec<Value> {
    let frames = std::iter::from_fn(|| inlet.try_recv());
    let frame = |frame: vuelta::Frame| {
        let vuelta::Frame::Notification(frame) = frame else {
            panic!("no notification: {frame:?}")
        };
        let params = frame.params.as_ref().map(value);
        json!({ "method": frame.method, "params": params })
    };
    frames.map(frame).collect()
}

#[tokio::test]
async fn progress_is_told_under_the_token_that_was_given_and_only_then() {
    let server = tool(async |cx| {
        cx.progress(1).await?;
        cx.progress(1.5).await?;
        cx.report(ProgressUpdate::new(2_u64).total(3).message("nearly"))
            .await?;
        Ok(CallToolResult::text("done"))
    })
    .build()
    .unwrap();
    for token in [json!(0), json!("t"), json!(9_007_199_254_740_993_i64)] {
        let (answer, frames) = streamed(&server, json!({ "progressToken": token })).await;
        assert_eq!(text(&answer), "done");
        let expected = [
            json!({ "progressToken": token, "progress": 1 }),
            json!({ "progressToken": token, "progress": 1.5 }),
            json!({ "progressToken": token, "progress": 2, "total": 3, "message": "nearly" }),
        ]
        .map(|params| json!({ "method": "notifications/progress", "params": params }));
        assert_eq!(frames, expected);
    }
    let (answer, frames) = streamed(&server, json!({})).await;
    assert_eq!((text(&answer), frames), ("done", vec![]));
}

#[tokio::test]
async fn a_progress_that_is_no_number_is_the_handlers_mistake() {
    let server = tool(async |cx| {
        let error = cx.progress(f64::NAN).await.unwrap_err();
        assert!(error.is_misuse());
        Ok(CallToolResult::text(error.to_string()))
    })
    .build()
    .unwrap();
    let (answer, frames) = streamed(&server, json!({ "progressToken": 1 })).await;
    assert_eq!(
        text(&answer),
        "cannot encode a notification: JSON has no infinity and no NaN"
    );
    assert_eq!(frames, Vec::<Value>::new());
}

#[tokio::test]
async fn a_log_is_sent_from_the_level_that_the_request_opted_in_to() {
    let logging = async |cx: Context| {
        cx.log(LoggingLevel::Info, "low").await?;
        cx.log(LoggingLevel::Warning, json!({ "n": 1 })).await?;
        cx.log(LoggingLevel::Emergency, "high").await?;
        Ok(CallToolResult::text("done"))
    };
    const LEVEL: &str = "io.modelcontextprotocol/logLevel";
    let server = tool(logging).logging().build().unwrap();
    let (_, frames) = streamed(&server, json!({ LEVEL: "warning" })).await;
    assert_eq!(
        frames,
        [
            json!({
                "method": "notifications/message",
                "params": { "level": "warning", "data": { "n": 1 } },
            }),
            json!({
                "method": "notifications/message",
                "params": { "level": "emergency", "data": "high" },
            }),
        ]
    );
    assert_eq!(
        streamed(&server, json!({ LEVEL: "debug" })).await.1.len(),
        3
    );
    assert_eq!(streamed(&server, json!({})).await.1, Vec::<Value>::new());

    // A server that did not declare it sends none, and says so to its own log.
    let logs = Logs::capture();
    let silent = tool(logging).build().unwrap();
    assert_eq!(
        streamed(&silent, json!({ LEVEL: "debug" })).await.1,
        Vec::<Value>::new()
    );
    assert_eq!(
        logs.with("declare it with `ServerBuilder::logging`").len(),
        3
    );
    assert!(silent.discover().capabilities.logging.is_none());
    assert!(server.discover().capabilities.logging.is_some());
}

#[tokio::test]
async fn a_notification_after_the_response_is_dropped() {
    let late = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&late);
    let server = tool(move |cx| {
        *kept.lock().unwrap() = Some(cx.clone());
        async move {
            cx.progress(1).await?;
            Ok(CallToolResult::text("done"))
        }
    })
    .build()
    .unwrap();
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    let client = Client::builder().connect(&server).await.unwrap();
    let call = client.tool("t").on_progress(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    call.send().await.unwrap();
    let cx = late.lock().unwrap().take().unwrap();
    let logs = Logs::capture();
    cx.progress(2).await.unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 1);
    assert_eq!(logs.with("message dropped: its request is over").len(), 1);
}

#[tokio::test]
async fn many_notifications_arrive_in_order_before_the_answer() {
    let server = tool(async |cx| {
        // More than a stream holds: the handler waits for a slow peer.
        for n in 1..=200 {
            cx.progress(n).await?;
        }
        Ok(CallToolResult::text("done"))
    })
    .build()
    .unwrap();
    let seen = Trace::default();
    let noted = seen.clone();
    let client = Client::builder().connect(&server).await.unwrap();
    let call = client.tool("t").on_progress(move |params| {
        noted.note(params.progress.as_f64().to_string());
    });
    call.send().await.unwrap();
    assert_eq!(
        seen.take(),
        (1..=200).map(|n| n.to_string()).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_peer_that_has_left_stops_no_handler() {
    let server = tool(async |cx| {
        for n in 1..=200 {
            cx.progress(n).await?;
        }
        Ok(CallToolResult::text("done"))
    })
    .build()
    .unwrap();
    let (outlet, inlet) = Outlet::open();
    drop(inlet);
    let mut meta = envelope(&json!({}));
    meta["progressToken"] = 1.into();
    let params = Raw::from(json!({ "_meta": meta, "name": "t" }));
    let incoming = Incoming::new(1.into(), "tools/call", Some(params));
    assert_eq!(
        text(&value(&server.dispatch(incoming, outlet).await.unwrap())),
        "done"
    );
}

#[tokio::test]
async fn what_is_sent_on_a_subscription_names_it() {
    let server = Server::builder("s", "1")
        .on_list_tools(async |_, _| Ok::<_, Error>(ListToolsResult::new([])))
        .on_listen(async |cx, params| {
            let granted = AcknowledgedParams::new(params.notifications);
            cx.notify(ServerNotification::Acknowledged(granted)).await?;
            cx.notify(ServerNotification::ToolsListChanged(
                ListChangedParams::new(),
            ))
            .await?;
            // A log has no place on this stream, whatever the request opted in to.
            cx.log(LoggingLevel::Emergency, "x").await?;
            Ok::<_, Error>(ListenResult::new())
        })
        .logging()
        .build()
        .unwrap();
    let capabilities = &server.discover().capabilities;
    assert_eq!(
        capabilities.tools.as_ref().unwrap().list_changed,
        Some(true)
    );

    let filter = SubscriptionFilter::new().tools_list_changed(true);
    let mut meta = envelope(&json!({}));
    meta["io.modelcontextprotocol/logLevel"] = "debug".into();
    let params = Raw::from(json!({ "_meta": meta, "notifications": filter }));
    let (outlet, mut inlet) = Outlet::open();
    let incoming = Incoming::new("sub".into(), "subscriptions/listen", Some(params));
    let end = server.dispatch(incoming, outlet).await.unwrap();
    let named = json!({ "io.modelcontextprotocol/subscriptionId": "sub" });
    assert_eq!(
        drain(&mut inlet),
        [
            json!({
                "method": "notifications/subscriptions/acknowledged",
                "params": { "notifications": { "toolsListChanged": true }, "_meta": named },
            }),
            json!({ "method": "notifications/tools/list_changed", "params": { "_meta": named } }),
        ]
    );
    let end = value(&end);
    assert_eq!(end["resultType"], "complete");
    assert_eq!(
        end["_meta"]["io.modelcontextprotocol/subscriptionId"],
        "sub"
    );
}
