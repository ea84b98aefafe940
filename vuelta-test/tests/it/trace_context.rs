//! Traces that go on in the peer.
//!
//! Source: [trace context](https://www.w3.org/TR/trace-context/), whose example is the one here.

use opentelemetry::trace::{SpanId, TraceId, TracerProvider as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use serde_json::json;
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;
use vuelta::{CallToolResult, Client, Context, Error, Mode, Server};

use crate::logs::Logs;

const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// What becomes of the spans of one thread.
struct Exported {
    spans: InMemorySpanExporter,
    provider: SdkTracerProvider,
    _default: tracing::subscriber::DefaultGuard,
}

impl Exported {
    fn start() -> Self {
        // No callsite is taken for one that nobody listens to.
        Logs::capture();
        opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
        let spans = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder()
            .with_simple_exporter(spans.clone())
            .build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("stories"));
        let subscriber = tracing_subscriber::registry().with(layer);
        Self {
            spans,
            provider,
            _default: tracing::subscriber::set_default(subscriber),
        }
    }

    /// Returns the span of the call that was served; the client may list the tools after it.
    fn served(&self) -> SpanData {
        self.provider.force_flush().unwrap();
        let spans = self.spans.get_finished_spans().unwrap();
        let mut requests = spans.into_iter().filter(|span| span.name == "request");
        requests.next().unwrap()
    }
}

/// A server whose tool tells the `traceparent` that it was called with.
fn server() -> Server {
    Server::builder("s", "1")
        .on_list_tools(|_: Context, _| async { Ok::<_, Error>(vuelta::ListToolsResult::new([])) })
        .on_call_tool(|cx: Context, _| async move {
            let parent = cx
                .meta()
                .get("traceparent")
                .map(|parent| parent.get().to_owned());
            Ok::<_, Error>(CallToolResult::text(parent.unwrap_or_default()))
        })
        .build()
        .unwrap()
}

async fn connect(mode: Mode) -> Client {
    Client::builder()
        .mode(mode)
        .connect(&server())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_call_belongs_to_the_trace_that_it_names() {
    for mode in [Mode::auto(), Mode::legacy()] {
        let client = connect(mode).await;
        let exported = Exported::start();
        let call = client.tool("t").meta("traceparent", json_raw(TRACEPARENT));
        let result = call.send().await.unwrap();
        // What the caller has named stays.
        assert_eq!(result.as_text(), format!("{TRACEPARENT:?}"));
        let span = exported.served();
        assert_eq!(
            span.span_context.trace_id(),
            TraceId::from_hex(TRACE).unwrap()
        );
        assert_eq!(span.parent_span_id, SpanId::from_hex(PARENT).unwrap());
    }
}

#[tokio::test]
async fn a_call_names_the_span_that_it_is_made_in() {
    for mode in [Mode::auto(), Mode::legacy()] {
        let client = connect(mode).await;
        let exported = Exported::start();
        let result = async { client.call_tool("t", ()).await.unwrap() }
            .instrument(tracing::info_span!("caller"))
            .await;
        let span = exported.served();
        // version, trace, span, flags: sampled
        let expected = format!(
            "\"00-{}-{}-01\"",
            span.span_context.trace_id(),
            span.parent_span_id
        );
        assert_eq!(result.as_text(), expected);
        assert!(span.parent_span_is_remote);
    }
}

#[tokio::test]
async fn a_context_that_is_none_is_ignored() {
    let client = connect(Mode::auto()).await;
    for odd in [json!("00-zz-b7ad6b7169203331-01"), json!(7), json!(null)] {
        let exported = Exported::start();
        let call = client
            .tool("t")
            .meta("traceparent", vuelta::Raw::encode(&odd).unwrap());
        call.send().await.unwrap();
        let span = exported.served();
        assert_eq!(span.parent_span_id, SpanId::INVALID, "{odd}");
    }
}

fn json_raw(text: &str) -> vuelta::Raw {
    vuelta::Raw::encode(&text).unwrap()
}
