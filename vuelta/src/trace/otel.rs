//! Traces that go on in the peer: `traceparent`, `tracestate` and `baggage` in `_meta`.
//!
//! What is written and read is the global propagator's of OpenTelemetry; without one nothing is.
//!
//! Source: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta), [trace
//! context](https://www.w3.org/TR/trace-context/).

use std::collections::HashMap;

use opentelemetry::global;
use opentelemetry::propagation::{Extractor, Injector};
use serde_json::value::RawValue;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use vuelta_wire::{Extra, Raw};

/// Makes a span part of the trace that the params name, if they do.
pub(super) fn adopt(span: &Span, params: &Raw) {
    let Some(carried) = Carried::read(params) else {
        return;
    };
    let context = global::get_text_map_propagator(|propagator| propagator.extract(&carried));
    // Where nothing exports spans there is none to be made part of it.
    let _ = span.set_parent(context);
}

/// Names the current span in the `_meta` of a request; what the caller has put there stays.
pub(crate) fn give(meta: &mut Extra) {
    let context = Span::current().context();
    let mut given = Given(Vec::new());
    global::get_text_map_propagator(|propagator| propagator.inject_context(&context, &mut given));
    for (key, value) in given.0 {
        if meta.get(&key).is_none()
            && let Ok(value) = Raw::encode(&value)
        {
            meta.insert(key, value);
        }
    }
}

/// The keys of `_meta` that hold text.
struct Carried(HashMap<String, String>);

impl Carried {
    fn read(params: &Raw) -> Option<Self> {
        #[derive(serde::Deserialize)]
        struct Params<'a> {
            #[serde(borrow, rename = "_meta")]
            meta: HashMap<String, &'a RawValue>,
        }
        let params: Params<'_> = serde_json::from_str(params.get()).ok()?;
        let text = params.meta.into_iter().filter_map(|(key, value)| {
            let value = serde_json::from_str(value.get()).ok()?;
            Some((key, value))
        });
        Some(Self(text.collect()))
    }
}

impl Extractor for Carried {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

struct Given(Vec<(String, String)>);

impl Injector for Given {
    fn set(&mut self, key: &str, value: String) {
        self.0.push((key.to_owned(), value));
    }
}
