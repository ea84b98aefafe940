use std::time::Duration;

use serde_json::json;
use vuelta_wire::legacy::InitializeResult;
use vuelta_wire::{
    DiscoverResult, ErrorCode, ErrorObject, Implementation, ProtocolVersion, ServerCapabilities,
};

use super::{Greeting, Probe, decide, greet};
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
        for version in ["2099-01-01", "2026-07-28", "2025-11-25"] {
            assert!(message.contains(version), "{message}");
        }
    }
}

#[test]
fn a_server_of_older_revisions_is_greeted_with_a_handshake() {
    // Their discovery, their refusal, and the answers of those that know no discovery at all.
    let errors = [-32601, -32602, -32600, -32603, -32000, -32700, 0].map(|code| {
        let error = Error::rpc(ErrorCode(code), "Invalid request parameters");
        decide(Err(error), false)
    });
    let told = [
        decide(discovered(&["2025-11-25", "2024-11-05"]), false),
        decide(discovered(&[]), false),
        decide(unsupported(&["2025-11-25"]), false),
        decide(unsupported(&["2099-01-01", "2025-06-18"]), true),
        decide(
            Err(Error::timeout("server/discover", Duration::from_secs(10))),
            false,
        ),
        decide(Err(Error::peer("no MCP endpoint at this URL")), false),
    ];
    for probe in errors.into_iter().chain(told) {
        assert!(matches!(probe, Probe::Handshake), "{probe:?}");
    }
}

#[test]
fn errors_that_only_newer_servers_know_lead_to_no_handshake() {
    let unreadable = ErrorObject::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, "no");
    for error in [
        Error::rpc(ErrorCode::HEADER_MISMATCH, "mismatch"),
        Error::rpc(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, "missing"),
        unreadable.clone().into(),
        unreadable
            .data(json!({ "supported": ["2025-11-25"] }))
            .into(),
    ] {
        let code = error.code();
        let Probe::Refuse(kept) = decide(Err(error), false) else {
            panic!("{code:?} was not refused")
        };
        assert_eq!(kept.code(), code);
    }
}

#[test]
fn a_server_that_cannot_be_reached_is_no_older_server() {
    let lost = Error::transport("the server wants authorization").detail("HTTP 401");
    let Probe::Refuse(error) = decide(Err(lost), false) else {
        panic!("not refused")
    };
    assert_eq!(error.transport_detail(), Some("HTTP 401"));
}

fn welcomed(version: &str) -> Result<InitializeResult> {
    let info = Implementation::new("server", "1");
    Ok(InitializeResult::new(
        version,
        ServerCapabilities::new(),
        info,
    ))
}

#[test]
fn the_revision_that_the_server_chose_is_spoken_if_it_has_a_handshake() {
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let greeting = greet(welcomed(version), false);
        assert!(
            matches!(greeting, Greeting::Welcome(result) if result.protocol_version.as_str() == version)
        );
    }
    for version in ["2026-07-28", "2099-01-01", ""] {
        let Greeting::Refuse(error) = greet(welcomed(version), false) else {
            panic!("{version} was taken")
        };
        assert!(
            error.to_string().contains(version) && error.is_peer(),
            "{error}"
        );
    }
}

#[test]
fn a_refused_handshake_that_names_a_common_revision_leads_to_one_probe() {
    let refused = || unsupported(&["2026-07-28"]).map(|_| unreachable!());
    assert!(matches!(
        greet(refused(), false),
        Greeting::Probe(version) if version.as_str() == "2026-07-28"
    ));
    assert!(matches!(greet(refused(), true), Greeting::Refuse(_)));
    let other = unsupported(&["2099-01-01"]).map(|_| unreachable!());
    assert!(matches!(greet(other, false), Greeting::Refuse(_)));
}
