use crate::client::url;

use super::*;

#[track_caller]
fn refused(outcome: Result<HttpTransport>, expected: &str) {
    let error = outcome.unwrap_err();
    assert!(error.is_misuse());
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_faulty_url_names_the_fault_and_the_fix() {
    let no_scheme = "the URL has no scheme: put `http://` or `https://` in front of it";
    let credentials = "the URL holds credentials: take them out and set the header \
                       `authorization` with `HttpTransport::builder(url).header(..)`";
    for (text, expected) in [
        ("", no_scheme),
        ("localhost:8000/mcp", no_scheme),
        ("127.0.0.1:8000/mcp", no_scheme),
        ("/mcp", no_scheme),
        ("http:/localhost", no_scheme),
        (
            "ftp://host/mcp",
            "the URL has the scheme \"ftp\": this transport speaks http and https",
        ),
        (
            "file:///mcp",
            "the URL has the scheme \"file\": this transport speaks http and https",
        ),
        ("http://", "not a URL: empty host"),
        ("http://host:99999/mcp", "not a URL: invalid port number"),
        ("http://user:password@host/mcp", credentials),
        ("http://token@host/mcp", credentials),
        (
            "http://host/mcp#top",
            "the URL has the fragment \"#top\", which is never sent: take it out",
        ),
    ] {
        refused(url(text), expected);
    }
}

#[test]
fn a_url_may_be_of_http_or_https() {
    for text in [
        "http://localhost:8000/mcp",
        "HTTP://[::1]:8000/mcp?a=b",
        "http://host",
    ] {
        assert!(url(text).is_ok(), "{text}");
    }
}

#[test]
fn headers_of_the_protocol_cannot_be_set() {
    let build = |name: &str, value: &str| {
        HttpTransport::builder("http://host/mcp")
            .header(name, value)
            .build()
    };
    assert!(build("Authorization", "Bearer secret").is_ok());
    for name in [
        "Accept",
        "content-type",
        "Mcp-Method",
        "mcp-name",
        "MCP-Param-x",
        "Connection",
        "Last-Event-ID",
    ] {
        let expected = format!("the header {name:?} is the transport's to set");
        refused(build(name, "x"), &expected);
    }
    refused(build("a b", "x"), "\"a b\" is no name of an HTTP header");
    refused(
        build("x-key", "secret\r\n"),
        "the value of \"x-key\" holds characters that no header can",
    );
}

#[test]
fn secrets_are_not_shown() {
    let transport = HttpTransport::builder("http://host/mcp?token=secret")
        .header("authorization", "Bearer secret")
        .build()
        .unwrap();
    assert_eq!(
        format!("{transport:?}"),
        "HttpTransport { url: \"http://host/mcp\", .. }"
    );
    assert!(transport.remote.headers["authorization"].is_sensitive());
}

#[test]
fn this_machine_is_reached_without_a_proxy() {
    let is_loopback = |text| is_loopback(&Url::parse(text).unwrap());
    for text in [
        "http://localhost/",
        "http://a.localhost:1/",
        "http://127.9.9.9/",
        "https://[::1]:8/",
    ] {
        assert!(is_loopback(text), "{text}");
    }
    for text in [
        "http://10.0.0.1/",
        "http://localhost.example/",
        "http://[::2]/",
        "http://host/",
    ] {
        assert!(!is_loopback(text), "{text}");
    }
}
