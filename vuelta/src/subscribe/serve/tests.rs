use futures_util::stream;
use serde_json::json;
use vuelta_wire::Raw;

use crate::server::Incoming;
use crate::subscribe::{ChangeEvent, ChangeStream, SubscriptionBus, Subscriptions};
use crate::{McpServer, Outlet};

/// Never runs out of changes.
struct Restless;

impl SubscriptionBus for Restless {
    fn publish(&self, _: ChangeEvent) {}

    fn subscribe(&self) -> ChangeStream {
        ChangeStream::new(stream::repeat(Ok(ChangeEvent::ToolsListChanged)))
    }
}

#[tokio::test]
async fn a_bus_that_never_rests_does_not_keep_a_stream_from_its_end() {
    let server = McpServer::new("Shelf", "1.0.0")
        .subscriptions(Subscriptions::new().bus(Restless))
        .build()
        .unwrap();
    server.close_streams();
    let params = json!({
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
        "notifications": { "toolsListChanged": true },
    });
    let (outlet, mut inlet) = Outlet::open();
    let incoming = Incoming::new(1.into(), "subscriptions/listen", Some(Raw::from(params)));
    let mut answer = std::pin::pin!(server.dispatch(incoming, outlet));
    let mut told = 0;
    let end = loop {
        tokio::select! {
            biased;
            Some(_) = inlet.recv() => told += 1,
            end = &mut answer => break end,
        }
    };
    end.unwrap();
    assert!((2..=1025).contains(&told), "{told}");
}
