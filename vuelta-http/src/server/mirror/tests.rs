use http::HeaderValue;
use vuelta::wire::jsonrpc::Message;

use super::*;

const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");

fn headers(entries: &[(&'static str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in entries {
        map.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    map
}

fn check(body: &str, entries: &[(&'static str, &str)]) -> Result<(), String> {
    let Ok(Message::Request(request)) = Message::parse(body.as_bytes()) else {
        panic!("no request: {body}");
    };
    let envelope = Envelope::find(request.params.map(RawValue::get)).unwrap();
    check_routing(&headers(entries), &request, &envelope).map_err(|error| {
        assert_eq!(error.code, ErrorCode(-32020));
        error.message.into_owned()
    })
}

fn request(method: &str, version: &str, members: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{members}"_meta":{{
        "io.modelcontextprotocol/protocolVersion":{version},
        "io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

fn list(version: &str) -> String {
    request("tools/list", version, "")
}

#[test]
fn the_revision_is_mirrored() {
    let other =
        "mcp-protocol-version header does not match the request envelope's protocol version";
    let method = ("mcp-method", "tools/list");
    assert_eq!(check(&list(r#""2026-07-28""#), &[VERSION, method]), Ok(()));
    for version in [r#""2026-01-01""#, "5", "null", r#""""#] {
        let error = check(&list(version), &[VERSION, method]).unwrap_err();
        assert_eq!(error, other, "{version}");
    }
    let empty = ("mcp-protocol-version", "");
    assert_eq!(
        check(&list(r#""2026-07-28""#), &[empty, method]).unwrap_err(),
        other
    );
    for version in [r#""2026-07-28""#, "null"] {
        let missing = check(&list(version), &[method]).unwrap_err();
        assert!(
            missing.starts_with("mcp-protocol-version header is missing"),
            "{missing}"
        );
    }
}

#[test]
fn the_method_is_mirrored_in_the_same_case() {
    let body = list(r#""2026-07-28""#);
    for method in [&[][..], &["Tools/List"], &["tools/call"], &[""]] {
        let mut entries = vec![VERSION];
        entries.extend(method.iter().map(|&method| ("mcp-method", method)));
        assert_eq!(
            check(&body, &entries).unwrap_err(),
            "mcp-method header does not match the request body's method",
            "{method:?}"
        );
    }
}

#[test]
fn the_first_difference_is_told() {
    let body = request("tools/call", r#""2026-07-28""#, r#""name":"add","#);
    let version = ("mcp-protocol-version", "2025-11-25");
    let all = [version, ("mcp-method", "x"), ("mcp-name", "x")];
    assert!(
        check(&body, &all)
            .unwrap_err()
            .contains("mcp-protocol-version")
    );
    let two = [VERSION, ("mcp-method", "x"), ("mcp-name", "x")];
    assert!(check(&body, &two).unwrap_err().contains("mcp-method"));
}

#[test]
fn the_name_is_mirrored_by_the_methods_that_have_one() {
    // Method, members of the params, header, whether they agree.
    let table: &[(&str, &str, Option<&str>, bool)] = &[
        ("tools/call", r#""name":"add","#, Some("add"), true),
        ("tools/call", r#""name":"add","#, Some("  add  "), true),
        (
            "tools/call",
            r#""name":"add","#,
            Some("=?base64?YWRk?="),
            true,
        ),
        (
            "tools/call",
            r#""name":"na\u00efve","#,
            Some("=?base64?bmHDr3Zl?="),
            true,
        ),
        ("tools/call", r#""name":"add","#, None, false),
        ("tools/call", r#""name":"add","#, Some("Add"), false),
        (
            "tools/call",
            r#""name":"add","#,
            Some("=?BASE64?YWRk?="),
            false,
        ),
        (
            "tools/call",
            r#""name":"add","#,
            Some("=?base64?!!!?="),
            false,
        ),
        (
            "tools/call",
            r#""name":"add","#,
            Some("=?base64?YWRk"),
            false,
        ),
        ("tools/call", r#""name":"naïve","#, Some("naïve"), false),
        ("tools/call", r#""name":5,"#, Some("5"), false),
        ("tools/call", r#""name":"","#, Some(""), true),
        ("tools/call", "", None, true),
        ("tools/call", "", Some("add"), true),
        ("tools/call", r#""uri":"x","#, None, true),
        ("prompts/get", r#""name":"brief","#, Some("brief"), true),
        ("prompts/get", r#""name":"brief","#, Some("other"), false),
        (
            "resources/read",
            r#""uri":"mem://a","#,
            Some("mem://a"),
            true,
        ),
        (
            "resources/read",
            r#""uri":"mem://a","#,
            Some("mem://a/"),
            false,
        ),
        (
            "resources/read",
            r#""uri":"mem://a","#,
            Some("MEM://a"),
            false,
        ),
        ("tools/list", "", Some("zzz"), true),
        ("com.example/call", r#""name":"add","#, Some("zzz"), true),
    ];
    for (method, members, name, agrees) in table {
        let mut entries = vec![VERSION, ("mcp-method", method)];
        entries.extend(name.map(|name| ("mcp-name", name)));
        let outcome = check(&request(method, r#""2026-07-28""#, members), &entries);
        match outcome {
            Ok(()) => assert!(agrees, "{method} {members} {name:?}"),
            Err(error) => {
                assert!(!agrees, "{method} {members} {name:?}: {error}");
                let member = if *method == "resources/read" {
                    "uri"
                } else {
                    "name"
                };
                assert_eq!(
                    error,
                    format!(
                        "mcp-name header does not match the request body's '{member}' parameter"
                    )
                );
            }
        }
    }
}

#[test]
fn a_name_that_is_there_twice_matches_nothing() {
    let body = request(
        "tools/call",
        r#""2026-07-28""#,
        r#""name":"add","name":"del","#,
    );
    for name in ["add", "del"] {
        let entries = [VERSION, ("mcp-method", "tools/call"), ("mcp-name", name)];
        assert!(
            check(&body, &entries).unwrap_err().contains("duplicate"),
            "{name}"
        );
    }
}

#[test]
fn a_routing_header_is_there_once() {
    for name in ["mcp-protocol-version", "mcp-method", "mcp-name"] {
        assert!(check_single(&headers(&[(name, "x")])).is_ok());
        let error = check_single(&headers(&[(name, "x"), (name, "x")])).unwrap_err();
        assert_eq!(error.code, ErrorCode(-32020));
        assert_eq!(
            error.message,
            format!("{name} header appears more than once")
        );
    }
}
