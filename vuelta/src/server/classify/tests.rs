use http::HeaderMap;
use vuelta_wire::header;
use vuelta_wire::jsonrpc::Message;

use super::{Era, era};

/// Decides on a body, with the version headers and perhaps a session.
fn decide(versions: &[&str], session: Option<&str>, body: &str) -> Era {
    let mut headers = HeaderMap::new();
    for version in versions {
        headers.append(header::PROTOCOL_VERSION, version.parse().unwrap());
    }
    if let Some(session) = session {
        headers.insert(header::SESSION_ID, session.parse().unwrap());
    }
    era(&headers, Message::parse(body.as_bytes()).ok().as_ref())
}

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
const MODERN_LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list",
    "params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
const NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const RESPONSE: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
const BATCH: &str = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#;

#[test]
fn a_header_of_a_revision_with_a_handshake_or_none_is_legacy() {
    for versions in [
        &[][..],
        &["2024-11-05"],
        &["2025-03-26"],
        &["2025-06-18"],
        &["2025-11-25"],
        &["2025-11-25", "2025-06-18"],
    ] {
        for body in [LIST, NOTIFICATION, RESPONSE, BATCH] {
            assert_eq!(decide(versions, None, body), Era::Legacy, "{versions:?}");
            assert_eq!(decide(versions, Some("s"), body), Era::Legacy);
        }
    }
}

#[test]
fn any_other_header_is_modern_whatever_else_is_said() {
    for versions in [
        &["2026-07-28"][..],
        &["2099-01-01"],
        &["v999.0.0"],
        &["2025-11-25 x"],
        &[""],
        &["2025-11-25", "2026-07-28"],
    ] {
        for body in [LIST, NOTIFICATION, RESPONSE, BATCH] {
            assert_eq!(
                decide(versions, Some("s"), body),
                Era::Modern,
                "{versions:?}"
            );
        }
    }
}

#[test]
fn a_body_that_names_its_revision_is_modern_whatever_the_header() {
    let number = MODERN_LIST.replace(r#""2026-07-28""#, "5");
    let notification = MODERN_LIST.replace(r#""id":1,"#, "");
    let initialize = MODERN_LIST.replace("tools/list", "initialize");
    for body in [MODERN_LIST, &number, &notification, &initialize] {
        for versions in [&[][..], &["2025-06-18"]] {
            assert_eq!(decide(versions, None, body), Era::Modern, "{body}");
            assert_eq!(decide(versions, Some("s"), body), Era::Modern, "{body}");
        }
    }
}

#[test]
fn a_method_of_the_new_era_is_modern_outside_of_a_session() {
    for method in ["server/discover", "subscriptions/listen"] {
        let body = LIST.replace("tools/list", method);
        assert_eq!(decide(&[], None, &body), Era::Modern);
        assert_eq!(decide(&["2025-11-25"], None, &body), Era::Modern);
        assert_eq!(decide(&["2025-11-25"], Some("s"), &body), Era::Legacy);
    }
    for method in ["initialize", "ping", "resources/subscribe", "foo/bar"] {
        let body = LIST.replace("tools/list", method);
        assert_eq!(decide(&[], None, &body), Era::Legacy, "{method}");
    }
}

#[test]
fn a_handshake_without_a_revision_in_its_meta_is_legacy() {
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{
        "protocolVersion":"2026-07-28","_meta":{"progressToken":1}}}"#;
    assert_eq!(decide(&[], None, body), Era::Legacy);
    assert_eq!(decide(&["2025-11-25"], Some("unknown"), body), Era::Legacy);
    assert_eq!(decide(&["2026-07-28"], None, body), Era::Legacy);
}
