use vuelta::Raw;

use super::*;

fn outgoing(method: &str, target: Option<&str>) -> Outgoing {
    let params = Raw::from(serde_json::json!({}));
    let mut outgoing = Outgoing::new(1.into(), method, params, ProtocolVersion::V2026_07_28);
    outgoing.target = target.map(str::to_owned);
    outgoing
}

fn pairs(headers: &HeaderMap) -> Vec<(&str, &str)> {
    let mut pairs: Vec<_> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .collect();
    pairs.sort_unstable();
    pairs
}

#[test]
fn a_request_mirrors_its_body() {
    let mut outgoing = outgoing("tools/call", Some("get_weather"));
    outgoing
        .mirrored
        .push(("Mcp-Param-Region".to_owned(), "us-west1".to_owned()));
    let headers = request_headers(&HeaderMap::new(), &outgoing).unwrap();
    let expected = [
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "get_weather"),
        ("mcp-param-region", "us-west1"),
        ("mcp-protocol-version", "2026-07-28"),
    ];
    assert_eq!(pairs(&headers), expected);
}

#[test]
fn a_request_without_a_target_names_none() {
    let mut base = HeaderMap::new();
    base.insert("x-tenant", HeaderValue::from_static("a"));
    let headers = request_headers(&base, &outgoing("tools/list", None)).unwrap();
    assert!(!headers.contains_key("mcp-name"));
    assert_eq!(headers["x-tenant"], "a");
}

#[test]
fn names_that_no_header_can_hold_are_encoded() {
    // The first and third by the specification's rules, the second by its table.
    for (name, value) in [
        ("na\u{ef}ve", "=?base64?bmHDr3Zl?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        (
            "file:///projects/myapp/config.json",
            "file:///projects/myapp/config.json",
        ),
    ] {
        let headers =
            request_headers(&HeaderMap::new(), &outgoing("tools/call", Some(name))).unwrap();
        assert_eq!(headers["mcp-name"], value, "{name:?}");
    }
}

#[test]
fn a_method_that_no_header_can_hold_is_the_callers_fault() {
    let error = request_headers(&HeaderMap::new(), &outgoing("a\r\nhost: evil", None)).unwrap_err();
    assert!(error.is_misuse());
    assert_eq!(
        error.to_string(),
        r#""a\r\nhost: evil" cannot stand in an HTTP header"#
    );
}

#[test]
fn redirects_stay_within_the_origin_and_keep_the_method() {
    let origin = Url::parse("http://127.0.0.1:8000/mcp").unwrap();
    let outcome = |status: u16, location: &str, left| {
        let target = origin.join(location).unwrap();
        let status = StatusCode::from_u16(status).unwrap();
        match follow(status, &origin, target, left) {
            Ok(target) => target.to_string(),
            Err(error) => error.to_string(),
        }
    };
    let refused = |url: &str, reason: &str, status: u16| {
        format!(
            "the server redirects to {url}, {reason}: connect to that URL if you trust it \
             [HTTP {status}]"
        )
    };
    assert_eq!(outcome(307, "/mcp/", 1), "http://127.0.0.1:8000/mcp/");
    assert_eq!(
        outcome(308, "other?a=b#c", 5),
        "http://127.0.0.1:8000/other?a=b"
    );
    for (location, url) in [
        ("https://127.0.0.1:8000/mcp", "https://127.0.0.1:8000/mcp"),
        ("http://127.0.0.1:8001/mcp", "http://127.0.0.1:8001/mcp"),
        ("http://localhost:8000/mcp", "http://localhost:8000/mcp"),
        ("//evil.example/mcp?token=1", "http://evil.example/mcp"),
        ("http://user:password@evil.example/", "http://evil.example/"),
    ] {
        assert_eq!(
            outcome(307, location, 5),
            refused(url, "another origin", 307)
        );
    }
    for status in [301, 302, 303] {
        let url = "http://127.0.0.1:8000/mcp/";
        assert_eq!(
            outcome(status, "/mcp/", 5),
            refused(url, "with another method", status)
        );
    }
    let url = "http://127.0.0.1:8000/mcp/";
    assert_eq!(
        outcome(308, "/mcp/", 0),
        refused(url, "more often than `max_redirects`", 308)
    );
}
