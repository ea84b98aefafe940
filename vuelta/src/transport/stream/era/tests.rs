//! Which request decides, and what it is answered with afterwards.

use vuelta_wire::jsonrpc::Message;

use super::{Era, Route, Served};

const BOTH: Served = Served {
    modern: true,
    legacy: true,
};

const ENVELOPE: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn route(era: &mut Era, method: &str, params: &str, served: Served) -> Route {
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    let Ok(Message::Request(request)) = Message::parse(text.as_bytes()) else {
        panic!("no request: {text}")
    };
    era.route(&request, served)
}

fn enveloped() -> String {
    format!("{{{ENVELOPE}}}")
}

#[test]
fn a_request_with_an_envelope_opens_a_modern_connection() {
    for params in [
        enveloped(),
        // A revision alone decides, whatever it is and whatever is missing beside it.
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}"#.to_owned(),
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}"#.to_owned(),
    ] {
        for method in ["server/discover", "tools/call", "foo/bar"] {
            let mut era = Era::Open;
            assert_eq!(route(&mut era, method, &params, BOTH), Route::Modern);
            assert_eq!(era, Era::Modern);
        }
    }
}

#[test]
fn any_other_request_opens_a_connection_with_a_handshake() {
    for method in ["initialize", "ping", "tools/list", "server/discover"] {
        let mut era = Era::Open;
        assert_eq!(route(&mut era, method, "{}", BOTH), Route::Legacy);
        assert_eq!(era, Era::Legacy);
    }
    let mut era = Era::Open;
    assert_eq!(
        route(&mut era, "initialize", &enveloped(), BOTH),
        Route::Legacy
    );
}

#[test]
fn a_modern_connection_takes_no_handshake() {
    for (params, data) in [
        ("{}", r#"{"supported":["2026-07-28"]}"#),
        (
            r#"{"protocolVersion":7}"#,
            r#"{"supported":["2026-07-28"]}"#,
        ),
        (
            r#"{"protocolVersion":"2025-11-25"}"#,
            r#"{"requested":"2025-11-25","supported":["2026-07-28"]}"#,
        ),
    ] {
        let mut era = Era::Modern;
        let Route::Refused(error) = route(&mut era, "initialize", params, BOTH) else {
            panic!("the handshake was served")
        };
        assert_eq!(error.code.0, -32022);
        assert_eq!(
            error.message,
            "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted"
        );
        assert_eq!(error.data.unwrap().get(), data);
        assert_eq!(route(&mut era, "tools/list", "{}", BOTH), Route::Modern);
    }
}

#[test]
fn a_connection_with_a_handshake_takes_no_envelope() {
    let mut era = Era::Legacy;
    let Route::Refused(error) = route(&mut era, "tools/list", &enveloped(), BOTH) else {
        panic!("the envelope was served")
    };
    assert_eq!(error.code.0, -32600);
    assert_eq!(
        error.message,
        "this connection serves the handshake protocol era; requests carrying the 2026-07-28 \
         envelope are not accepted on it"
    );
    assert_eq!(route(&mut era, "initialize", "{}", BOTH), Route::Legacy);
}

#[test]
fn what_the_server_does_not_serve_decides_nothing() {
    let modern = Served {
        legacy: false,
        ..BOTH
    };
    let mut era = Era::Open;
    assert_eq!(route(&mut era, "initialize", "{}", modern), Route::Legacy);
    assert_eq!(era, Era::Open, "the client may begin anew");
    assert_eq!(
        route(&mut era, "tools/list", &enveloped(), modern),
        Route::Modern
    );
    assert_eq!(era, Era::Modern);

    let legacy = Served {
        modern: false,
        ..BOTH
    };
    let mut era = Era::Open;
    assert_eq!(
        route(&mut era, "server/discover", &enveloped(), legacy),
        Route::Modern
    );
    assert_eq!(era, Era::Open);
    assert_eq!(route(&mut era, "initialize", "{}", legacy), Route::Legacy);
    assert_eq!(era, Era::Legacy);
}
