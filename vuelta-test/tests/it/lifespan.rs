//! What runs before a server's first request and after its last; and which keys it says it has.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::sync::oneshot;
use vuelta::seal::RequestStateSecurity;
use vuelta::{Client, Error, ErrorCode, McpServer, Result, tool};
use vuelta_http::Listener;

use crate::logs::Logs;

/// Answers.
#[tool]
fn hello() -> &'static str {
    "hello"
}

/// What has happened, in its order.
#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<&'static str>>>);

impl Events {
    fn push(&self, event: &'static str) {
        self.0.lock().unwrap().push(event);
    }

    fn all(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }

    /// Returns a hook that says that it runs.
    fn hook(&self, event: &'static str) -> impl Future<Output = Result<()>> + Send + use<> {
        let events = self.clone();
        async move {
            events.push(event);
            Ok(())
        }
    }
}

fn watched(events: &Events) -> McpServer {
    let hooks = ["open a", "open b", "close a", "close b"].map(|event| events.hook(event));
    let [open_a, open_b, close_a, close_b] = hooks;
    McpServer::new("Watched", "1.0.0")
        .tool::<hello>()
        .on_start(|| open_a)
        .on_start(|| open_b)
        .on_stop(|| close_a)
        .on_stop(|| close_b)
}

#[tokio::test]
async fn hooks_run_once_and_close_in_reverse() {
    let events = Events::default();
    let server = watched(&events).build().unwrap();
    assert_eq!(events.all(), [""; 0], "nothing runs before it is served");
    for _ in 0..2 {
        let client = Client::builder().connect(&server).await.unwrap();
        client.call_tool("hello", json!({})).await.unwrap();
    }
    server.stop().await;
    server.stop().await;
    assert_eq!(events.all(), ["open a", "open b", "close b", "close a"]);
}

#[tokio::test]
async fn a_listener_starts_and_stops_its_server() {
    let events = Events::default();
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let url = listener.url();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(listener.serve(watched(&events), async {
        let _ = stopped.await;
    }));
    let client = Client::builder()
        .connect(vuelta_http::url(&url).unwrap())
        .await
        .unwrap();
    let result = client.call_tool("hello", json!({})).await.unwrap();
    assert_eq!(result.as_text(), "hello");
    assert_eq!(events.all(), ["open a", "open b"]);
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
    assert_eq!(events.all(), ["open a", "open b", "close b", "close a"]);
}

#[tokio::test]
async fn a_server_that_does_not_start_serves_nothing() {
    let logs = Logs::capture();
    let server = McpServer::new("Broken", "1.0.0")
        .tool::<hello>()
        .on_start(|| async { Err(Error::handler("the database is down")) });
    let server = server.build().unwrap();
    for _ in 0..2 {
        let error = Client::builder().connect(&server).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::INTERNAL_ERROR), "{error}");
    }
    assert_eq!(
        logs.with("the database is down").len(),
        1,
        "{:#?}",
        logs.all()
    );

    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let served = listener.serve(&server, std::future::pending()).await;
    assert!(served.unwrap_err().is_misuse());
}

#[tokio::test]
async fn a_server_says_once_that_its_key_is_of_this_process() {
    let logs = Logs::capture();
    let server = McpServer::new("Default", "1.0.0")
        .tool::<hello>()
        .build()
        .unwrap();
    server.start().await.unwrap();
    server.start().await.unwrap();
    let told = logs.with("sealed with a key of this process");
    assert_eq!(told.len(), 1, "{:#?}", logs.all());

    let security = RequestStateSecurity::keys([[7; 32]]).unwrap();
    let server = McpServer::new("Shared", "1.0.0")
        .request_state(security)
        .build()
        .unwrap();
    server.start().await.unwrap();
    assert_eq!(logs.with("sealed with a key of this process").len(), 1);
}

#[tokio::test]
async fn a_server_with_keys_and_no_name_is_refused() {
    let security = || RequestStateSecurity::keys([[7; 32]]).unwrap();
    let unnamed = |security| McpServer::new("", "1.0.0").request_state(security).build();
    assert!(unnamed(security()).unwrap_err().is_misuse());
    assert!(unnamed(security().audience("fleet")).is_ok());
    assert!(
        McpServer::new("", "1.0.0").build().is_ok(),
        "its key never leaves the process"
    );
}
