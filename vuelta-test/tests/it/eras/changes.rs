//! Changes that a session is told on its own stream.

use serde_json::json;
use tokio::sync::mpsc;
use vuelta::{
    CallToolResult, Client, Context, Error, ErrorCode, ListResourcesResult, ListToolsResult, Mode,
    ReadResourceResult, Server, ServerNotification, Subscriptions, wire,
};

use super::{Way, connect};

/// A server whose tool `touch` says that the tools, `mem://a` and `mem://b` have changed.
fn server(subscriptions: Subscriptions) -> Server {
    Server::builder("s", "1")
        .on_list_tools(|_, _| async { Ok::<_, Error>(ListToolsResult::new([])) })
        .on_call_tool(|cx: Context, _| async move {
            cx.notify_resource_updated("mem://b");
            cx.notify_tools_list_changed();
            cx.notify_prompts_list_changed();
            cx.notify_resource_updated("mem://a");
            Ok::<_, Error>(CallToolResult::text("done"))
        })
        .on_list_resources(|_, _| async { Ok::<_, Error>(ListResourcesResult::new([])) })
        .on_read_resource(|_, _| async { Ok::<_, Error>(ReadResourceResult::new([])) })
        .subscriptions(subscriptions)
        .build()
        .unwrap()
}

/// Connects a client that sends on what it is told.
async fn listening(way: Way, server: &Server) -> (Client, mpsc::UnboundedReceiver<String>) {
    let (tell, told) = mpsc::unbounded_channel();
    let builder = Client::builder()
        .mode(Mode::legacy())
        .on_notification(move |notification| {
            let told = match &notification {
                ServerNotification::ResourceUpdated(params) => params.uri.clone(),
                other => other.method().to_owned(),
            };
            tell.send(told).unwrap();
        });
    (connect(way, builder, server).await.unwrap(), told)
}

#[tokio::test]
async fn changes_of_lists_and_of_watched_resources_are_told() {
    for way in [Way::Memory, Way::Stream, Way::Http] {
        let server = server(Subscriptions::new());
        let (client, mut told) = listening(way, &server).await;
        let capabilities = client.server_capabilities();
        assert_eq!(
            capabilities.tools.as_ref().unwrap().list_changed,
            Some(true)
        );
        assert_eq!(
            capabilities.resources.as_ref().unwrap().subscribe,
            Some(true)
        );

        client.subscribe("mem://a").await.unwrap();
        client.call_tool("touch", ()).await.unwrap();
        // There are no prompts, and nobody watches `mem://b`.
        assert_eq!(
            told.recv().await.unwrap(),
            "notifications/tools/list_changed"
        );
        assert_eq!(told.recv().await.unwrap(), "mem://a");

        client.unsubscribe("mem://a").await.unwrap();
        // From outside of any request.
        server.notify_resource_updated("mem://a");
        server.notify_resources_list_changed();
        assert_eq!(
            told.recv().await.unwrap(),
            "notifications/resources/list_changed"
        );
    }
}

#[tokio::test]
async fn who_may_not_watch_is_told_nothing() {
    let gate = |_: Context, mut filter: wire::SubscriptionFilter| async move {
        filter.tools_list_changed = None;
        filter.resource_subscriptions = None;
        Ok::<_, Error>(filter)
    };
    for way in [Way::Memory, Way::Stream, Way::Http] {
        let server = server(Subscriptions::new().allow(gate));
        let (client, mut told) = listening(way, &server).await;
        let refused = client.subscribe("mem://a").await.unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::INVALID_PARAMS));
        assert!(refused.to_string().contains("mem://a"), "{refused}");
        client.call_tool("touch", ()).await.unwrap();
        server.notify_resources_list_changed();
        assert_eq!(
            told.recv().await.unwrap(),
            "notifications/resources/list_changed"
        );
    }
}

#[tokio::test]
async fn nothing_is_told_before_the_handshake_has_ended() {
    let server = server(Subscriptions::new());
    let (session, mut inlet) = server.open_session();
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "probe", "version": "0" },
    });
    let hello = vuelta::server::Incoming::new(0.into(), "initialize", Some(hello.into()));
    session
        .dispatch(hello, vuelta::Outlet::closed())
        .await
        .unwrap();
    server.notify_tools_list_changed();
    tokio::task::yield_now().await;
    assert!(inlet.try_recv().is_none());
    session.notify("notifications/initialized", None).await;
    let vuelta::Frame::Notification(frame) = inlet.recv().await.unwrap() else {
        panic!("no notification")
    };
    assert_eq!(
        frame.method, "notifications/tools/list_changed",
        "it was not lost"
    );
}
