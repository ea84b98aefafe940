//! How streams end when their server does.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use vuelta::transport::{StreamServer, StreamTransport};
use vuelta::{ChangeEvent, Client, McpServer, Server};
use vuelta_http::Listener;

use super::stream::{ACKNOWLEDGED, SUBSCRIPTION_ID, Stream, TOOLS};

fn server() -> Server {
    McpServer::new("Shelf", "1.0.0").build().unwrap()
}

fn tools() -> Value {
    json!({ "toolsListChanged": true })
}

fn check_end(end: &Value) {
    assert_eq!(end["resultType"], "complete");
    assert_eq!(end["_meta"][SUBSCRIPTION_ID], "sub");
}

#[tokio::test]
async fn what_was_published_before_the_end_is_told_and_then_the_result() {
    let server = server();
    let mut stream = Stream::open(&server, tools());
    stream.acknowledged().await;
    server.notify_tools_list_changed();
    server.close_streams();
    let (told, end) = stream.end().await;
    assert_eq!(told, [TOOLS]);
    check_end(&end.unwrap());
}

#[tokio::test]
async fn a_stream_that_is_opened_after_the_end_is_over_at_once() {
    let server = server();
    server.close_streams();
    server.notify_tools_list_changed();
    let (told, end) = Stream::open(&server, tools()).end().await;
    assert_eq!(told, [ACKNOWLEDGED]);
    check_end(&end.unwrap());
}

#[tokio::test]
async fn stopping_a_server_ends_its_streams() {
    let server = server();
    let mut stream = Stream::open(&server, tools());
    stream.acknowledged().await;
    server.stop().await;
    check_end(&stream.end().await.1.unwrap());
}

#[tokio::test]
async fn a_listener_that_shuts_down_ends_subscriptions_and_does_not_wait_for_their_clients() {
    let server = server();
    let listener = Listener::bind("127.0.0.1:0").await.unwrap();
    let url = vuelta_http::url(listener.url()).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(listener.serve(server.clone(), async {
        let _ = stopped.await;
    }));
    let client = Client::builder().connect(url).await.unwrap();
    let mut followed = client.listen().tools().open().await.unwrap();
    // Nobody reads this one.
    let _ignored = client.listen().tools().open().await.unwrap();

    server.notify_tools_list_changed();
    let begin = Instant::now();
    stop.send(()).unwrap();
    let served = timeout(Duration::from_secs(5), serving).await;
    served.expect("the listener waits").unwrap().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(5));
    let change = followed.next().await.unwrap().unwrap();
    assert_eq!(change, ChangeEvent::ToolsListChanged);
    assert!(followed.next().await.is_none(), "it ended well");
}

#[tokio::test]
async fn a_server_at_the_end_of_a_pipe_ends_subscriptions_when_it_is_told_to_close() {
    let server = server();
    let (ours, theirs) = tokio::io::duplex(4096);
    let (read, write) = tokio::io::split(theirs);
    let (stop, stopped) = oneshot::channel::<()>();
    let options = StreamServer::new(&server).unwrap();
    let serving = tokio::spawn(options.serve_until(read, write, async {
        let _ = stopped.await;
    }));
    let (read, write) = tokio::io::split(ours);
    let transport = StreamTransport::new(read, write);
    let client = Client::builder().connect(transport).await.unwrap();
    let mut followed = client.listen().tools().open().await.unwrap();

    server.notify_tools_list_changed();
    server.close_streams();
    stop.send(()).unwrap();
    let served = timeout(Duration::from_secs(5), serving).await;
    served.expect("the server waits").unwrap().unwrap();
    let change = followed.next().await.unwrap().unwrap();
    assert_eq!(change, ChangeEvent::ToolsListChanged);
    assert!(followed.next().await.is_none(), "it ended well");
}

#[tokio::test]
async fn a_connection_that_closes_alone_loses_its_subscriptions() {
    let server = server();
    let (ours, theirs) = tokio::io::duplex(4096);
    let (read, write) = tokio::io::split(theirs);
    let (stop, stopped) = oneshot::channel::<()>();
    let options = StreamServer::new(&server).unwrap();
    let serving = tokio::spawn(options.serve_until(read, write, async {
        let _ = stopped.await;
    }));
    let (read, write) = tokio::io::split(ours);
    let transport = StreamTransport::new(read, write);
    let client = Client::builder().connect(transport).await.unwrap();
    let mut followed = client.listen().tools().open().await.unwrap();
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
    let error = followed.next().await.unwrap().unwrap_err();
    assert!(error.is_subscription_lost(), "{error:?}");
}
