use super::*;

#[track_caller]
fn leads(data: &str, expected: &str) {
    let stream = Url::parse("http://127.0.0.1:8000/a/sse?key=1").unwrap();
    match endpoint(&stream, data.as_bytes()) {
        Ok(url) => assert_eq!(url.as_str(), expected, "{data:?}"),
        Err(error) => {
            assert!(error.is_peer());
            assert_eq!(error.to_string(), expected, "{data:?}");
        }
    }
}

#[test]
fn messages_go_to_the_origin_of_the_stream() {
    leads(
        "/messages?sessionId=x",
        "http://127.0.0.1:8000/messages?sessionId=x",
    );
    leads("messages", "http://127.0.0.1:8000/a/messages");
    leads("?sessionId=x", "http://127.0.0.1:8000/a/sse?sessionId=x");
    leads(
        "http://127.0.0.1:8000/messages#x",
        "http://127.0.0.1:8000/messages",
    );
    for url in [
        "http://evil.example/messages",
        "//evil.example/messages",
        "https://127.0.0.1:8000/messages",
        "http://127.0.0.1:8001/messages",
        "http://user:password@127.0.0.1:8000/messages",
        "http://user@127.0.0.1:8000/messages",
        "file:///messages",
    ] {
        let stream = Url::parse("http://127.0.0.1:8000/a/sse").unwrap();
        let target = shown(&stream.join(url).unwrap());
        leads(
            url,
            &format!("the server wants messages sent to {target}, another origin"),
        );
    }
    leads("http://[", "the event `endpoint` holds no URL");
    let stream = Url::parse("http://127.0.0.1:8000/sse").unwrap();
    assert!(endpoint(&stream, b"/\xff").unwrap_err().is_peer());
}

#[test]
fn a_server_of_later_revisions_is_told_by_its_error() {
    let refusal = |code| Error::rpc(ErrorCode(code), "m");
    for status in [400, 404, 405] {
        let status = StatusCode::from_u16(status).unwrap();
        assert!(may_speak(status, &Error::peer("no endpoint")));
        assert!(may_speak(status, &refusal(-32600)));
        for code in [-32601, -32020, -32021, -32022] {
            assert!(!may_speak(status, &refusal(code)), "{code}");
        }
    }
    for status in [401, 403, 406, 410, 429, 500, 200] {
        let status = StatusCode::from_u16(status).unwrap();
        assert!(!may_speak(status, &Error::peer("m")), "{status}");
    }
}
