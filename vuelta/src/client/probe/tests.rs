use serde_json::json;
use vuelta_wire::{DiscoverResult, ErrorCode, ErrorObject, ProtocolVersion, ServerCapabilities};

use super::{Probe, decide};
use crate::error::{Error, Result};

fn discovered(versions: &[&str]) -> Result<DiscoverResult> {
    let versions: Vec<ProtocolVersion> = versions.iter().map(|text| (*text).into()).collect();
    Ok(DiscoverResult::new(versions, ServerCapabilities::new()))
}

fn unsupported(supported: &[&str]) -> Result<DiscoverResult> {
    let data = json!({ "supported": supported, "requested": "2026-07-28" });
    let code = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION;
    Err(ErrorObject::new(code, "Unsupported protocol version")
        .data(data)
        .into())
}

#[test]
fn a_common_revision_is_adopted() {
    let probe = decide(discovered(&["2025-11-25", "2026-07-28"]), false);
    assert!(matches!(probe, Probe::Adopt(version, _) if version.as_str() == "2026-07-28"));
}

#[test]
fn an_error_that_names_a_common_revision_leads_to_one_more_request() {
    let probe = decide(unsupported(&["2026-07-28"]), false);
    assert!(matches!(probe, Probe::Again(version) if version.as_str() == "2026-07-28"));
    assert!(matches!(
        decide(unsupported(&["2026-07-28"]), true),
        Probe::Refuse(_)
    ));
}

#[test]
fn disjoint_revisions_are_refused_and_both_sides_named() {
    for answer in [unsupported(&["2099-01-01"]), discovered(&["2099-01-01"])] {
        let Probe::Refuse(error) = decide(answer, false) else {
            panic!("not refused")
        };
        let message = error.to_string();
        assert!(
            message.contains("2099-01-01") && message.contains("2026-07-28"),
            "{message}"
        );
    }
}

#[test]
fn other_errors_are_kept() {
    let error = Error::rpc(ErrorCode::INTERNAL_ERROR, "boom");
    let Probe::Refuse(error) = decide(Err(error), false) else {
        panic!("not refused")
    };
    assert_eq!(error.code(), Some(ErrorCode::INTERNAL_ERROR));
}
