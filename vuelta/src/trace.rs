//! The spans of messages: which request, in which revision, in which round of which flow.
//!
//! Never what is asked, answered or given: a span holds names, ids and numbers.

use serde_json::value::RawValue;
use tracing::Span;
use tracing::field::{Empty, display};
use vuelta_wire::{ProtocolVersion, Raw, RequestId, methods};

#[cfg(feature = "otel")]
pub(crate) mod otel;

/// Begins the span of a request that is served.
pub(crate) fn served(method: &str, id: &RequestId, params: Option<&Raw>) -> Span {
    let span = tracing::debug_span!(
        "request",
        method,
        %id,
        target = Empty,
        revision = Empty,
        round = Empty,
        flow = Empty
    );
    // Only who listens pays for finding it.
    if !span.is_disabled()
        && let Some(target) = params.and_then(|params| target(method, params))
    {
        span.record("target", target);
    }
    #[cfg(feature = "otel")]
    if let Some(params) = params
        && !span.is_disabled()
    {
        otel::adopt(&span, params);
    }
    span
}

/// Adds the revision, once it is known.
pub(crate) fn speaks(span: &Span, revision: &ProtocolVersion) {
    span.record("revision", display(revision));
}

/// Adds the round, and what links the rounds of one flow.
pub(crate) fn round(span: &Span, number: u32, flow: &str) {
    span.record("round", number);
    span.record("flow", flow);
}

/// Creates the name of a flow, for a span that somebody sees.
pub(crate) fn new_flow(span: &Span) -> Option<String> {
    if span.is_disabled() {
        return None;
    }
    let mut random = [0; 8];
    // A span without a link is better than a call that fails for it.
    getrandom::fill(&mut random).ok()?;
    Some(data_encoding::HEXLOWER.encode(&random))
}

/// Returns the name or URI of what is asked for.
fn target(method: &str, params: &Raw) -> Option<String> {
    let member = methods::find(method)?.target?;
    let members: std::collections::HashMap<&str, &RawValue> =
        serde_json::from_str(params.get()).ok()?;
    serde_json::from_str(members.get(member)?.get()).ok()
}
