use super::*;

fn headers(entries: &[(HeaderName, &str)]) -> HeaderMap {
    entries
        .iter()
        .map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()))
        .fold(HeaderMap::new(), |mut map, (name, value)| {
            map.append(name, value);
            map
        })
}

fn hosts(entries: &[&str]) -> Guard {
    let mut guard = Guard::default();
    guard.set_hosts(entries.iter().map(|&entry| entry.to_owned()));
    guard
}

fn origins(entries: &[&str]) -> Guard {
    let mut guard = Guard::default();
    guard.set_origins(entries.iter().map(|&entry| entry.to_owned()));
    guard
}

fn allows_host(guard: &Guard, host: &str) -> bool {
    let headers = headers(&[(HOST, host)]);
    guard
        .check(Version::HTTP_11, &Uri::from_static("/mcp"), &headers)
        .is_ok()
}

fn allows_origin(guard: &Guard, origin: &str) -> bool {
    let headers = headers(&[(HOST, "localhost"), (ORIGIN, origin)]);
    guard
        .check(Version::HTTP_11, &Uri::from_static("/mcp"), &headers)
        .is_ok()
}

#[test]
fn hosts_are_the_machine_itself_by_default() {
    let guard = Guard::default();
    for host in [
        "localhost",
        "localhost:8000",
        "LocalHost:1",
        "127.0.0.1",
        "127.0.0.1:65535",
        "[::1]",
        "[::1]:8000",
    ] {
        assert!(allows_host(&guard, host), "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "evil.example:localhost",
        "localhost:",
        "localhost:80a",
        "localhost:80:80",
        "localhost@evil.example",
        "evil.example@localhost",
        "[::2]:80",
        "::1",
        "127.0.0.2",
        "127.0.0.1.evil.example",
        "",
        " ",
    ] {
        assert!(!allows_host(&guard, host), "{host}");
    }
}

#[test]
fn a_list_of_hosts_rules_alone() {
    let table = [
        ("mcp.example.org", "mcp.example.org", true),
        ("mcp.example.org", "MCP.example.org:443", true),
        ("mcp.example.org", "mcp.example.org:80", true),
        ("MCP.Example.org", "mcp.example.org", true),
        ("mcp.example.org", "mcp.example.org:8080", false),
        ("mcp.example.org", "a.mcp.example.org", false),
        ("mcp.example.org", "localhost", false),
        ("mcp.example.org:8080", "mcp.example.org:8080", true),
        ("mcp.example.org:8080", "mcp.example.org", false),
        ("mcp.example.org:443", "mcp.example.org", true),
        ("mcp.example.org:*", "mcp.example.org:8080", true),
        ("mcp.example.org:*", "mcp.example.org", true),
        ("[2001:db8::1]", "[2001:DB8::1]:443", true),
        ("[2001:db8::1]:*", "[2001:db8::1]:9", true),
        ("*", "evil.example", false),
    ];
    for (entry, host, allowed) in table {
        assert_eq!(
            allows_host(&hosts(&[entry]), host),
            allowed,
            "{entry} {host}"
        );
    }
    assert!(!allows_host(&hosts(&[]), "localhost"));
}

#[test]
fn there_is_exactly_one_host() {
    let guard = Guard::default();
    let uri = Uri::from_static("/mcp");
    let none = guard.check(Version::HTTP_11, &uri, &HeaderMap::new());
    let none = none.unwrap_err();
    assert_eq!(none.status(), 421);
    assert!(
        none.to_string().starts_with("Invalid Host header"),
        "{none}"
    );

    let two = headers(&[(HOST, "localhost"), (HOST, "localhost")]);
    assert!(guard.check(Version::HTTP_11, &uri, &two).is_err());
}

#[test]
fn the_host_in_the_target_is_checked_too() {
    let guard = Guard::default();
    let local = Uri::from_static("http://localhost:8000/mcp");
    let evil = Uri::from_static("http://evil.example/mcp");
    let header = headers(&[(HOST, "localhost:8000")]);
    let none = HeaderMap::new();
    assert!(guard.check(Version::HTTP_11, &local, &header).is_ok());
    assert!(guard.check(Version::HTTP_11, &evil, &header).is_err());
    assert!(guard.check(Version::HTTP_11, &local, &none).is_err());
    // HTTP/2 has no Host header (RFC 9113, section 8.3.1).
    assert!(guard.check(Version::HTTP_2, &local, &none).is_ok());
    assert!(guard.check(Version::HTTP_2, &evil, &none).is_err());
    let target = Uri::from_static("/mcp");
    assert!(guard.check(Version::HTTP_2, &target, &none).is_err());
}

#[test]
fn origins_are_the_machine_itself_by_default() {
    let guard = Guard::default();
    for origin in [
        "http://localhost:1234",
        "https://localhost",
        "http://127.0.0.1:8000",
        "http://[::1]:8000",
        "HTTP://LOCALHOST",
    ] {
        assert!(allows_origin(&guard, origin), "{origin}");
    }
    for origin in [
        "null",
        "http://evil.example",
        "http://localhost.evil.example",
        "localhost",
        "file://localhost",
        "http://localhost/path",
        "http://",
        "",
    ] {
        assert!(!allows_origin(&guard, origin), "{origin}");
    }
}

#[test]
fn a_list_of_origins_rules_alone() {
    let table = [
        ("https://app.example.org", "https://app.example.org", true),
        ("https://app.example.org/", "https://app.example.org", true),
        (
            "https://app.example.org",
            "https://APP.example.org:443",
            true,
        ),
        ("https://app.example.org", "http://app.example.org", false),
        (
            "https://app.example.org",
            "https://app.example.org:80",
            false,
        ),
        ("https://app.example.org", "http://localhost", false),
        (
            "https://app.example.org:*",
            "https://app.example.org:9",
            true,
        ),
        ("app.example.org", "https://app.example.org", true),
        ("app.example.org", "http://app.example.org:80", true),
        ("app.example.org", "ws://app.example.org", false),
        ("vscode-webview://panel", "vscode-webview://panel", true),
        ("null", "null", false),
    ];
    for (entry, origin, allowed) in table {
        let guard = origins(&[entry]);
        assert_eq!(allows_origin(&guard, origin), allowed, "{entry} {origin}");
    }
}

#[test]
fn every_origin_header_must_be_allowed() {
    let two = headers(&[
        (HOST, "localhost"),
        (ORIGIN, "http://localhost"),
        (ORIGIN, "http://evil.example"),
    ]);
    let rejected = Guard::default()
        .check(Version::HTTP_11, &Uri::from_static("/mcp"), &two)
        .unwrap_err();
    assert_eq!(rejected.status(), 403);
}

#[test]
fn the_host_is_judged_before_the_origin() {
    let both = headers(&[(HOST, "evil.example"), (ORIGIN, "http://evil.example")]);
    let rejected = Guard::default()
        .check(Version::HTTP_11, &Uri::from_static("/mcp"), &both)
        .unwrap_err();
    assert_eq!(rejected.status(), 421);
}

#[test]
fn a_rejected_value_is_named_shortened_and_escaped() {
    let rejected = Rejected::new(HOST, "evil.example\u{1b}[0m\n".as_bytes());
    let text = rejected.to_string();
    assert!(
        text.starts_with(r#"Invalid Host header "evil.example\u{1b}[0m\n": "#),
        "{text}"
    );
    assert!(text.ends_with("add it to `allowed_hosts`"), "{text}");

    let long = Rejected::new(ORIGIN, &[b'a'; 10_000]).to_string();
    assert!(long.starts_with("Invalid Origin header \"aaa"), "{long}");
    assert!(long.len() < 250, "{}", long.len());
    assert!(
        Rejected::new(HOST, b"\xff\xfe")
            .to_string()
            .contains('\u{fffd}')
    );
}

#[test]
fn json_may_be_declared_with_parameters() {
    for (value, json) in [
        ("application/json", true),
        ("application/json; charset=utf-8", true),
        ("Application/JSON ;charset=UTF-8", true),
        ("application/jsonp", false),
        ("application/json-rpc", false),
        ("text/plain", false),
        ("text/json", false),
        ("multipart/form-data; boundary=application/json", false),
        ("", false),
    ] {
        assert_eq!(is_json(&headers(&[(CONTENT_TYPE, value)])), json, "{value}");
    }
    assert!(!is_json(&HeaderMap::new()));
    let two = [
        (CONTENT_TYPE, "application/json"),
        (CONTENT_TYPE, "text/plain"),
    ];
    assert!(!is_json(&headers(&two)));
}

#[test]
fn accepted_forms_are_read_whatever_their_weights() {
    let table = [
        ("application/json, text/event-stream", true, true),
        ("text/event-stream, application/json", true, true),
        (
            "application/json;q=0.5, text/event-stream;q=0.5",
            true,
            true,
        ),
        ("application/json;q=0, text/event-stream;q=0", true, true),
        ("*/*", true, true),
        ("Application/*", true, false),
        ("text/*", false, true),
        ("application/json", true, false),
        ("TEXT/EVENT-STREAM", false, true),
        ("text/html, */*;q=0.1", true, true),
        ("text/html", false, false),
        ("application/jsonx, text/event-streams", false, false),
        ("", true, true),
    ];
    for (value, json, events) in table {
        let expected = Accepted { json, events };
        assert_eq!(
            Accepted::of(&headers(&[(ACCEPT, value)])),
            expected,
            "{value}"
        );
    }
    let everything = Accepted {
        json: true,
        events: true,
    };
    assert_eq!(Accepted::of(&HeaderMap::new()), everything);
    let split = [(ACCEPT, "application/json"), (ACCEPT, "text/event-stream")];
    assert_eq!(Accepted::of(&headers(&split)), everything);
}
