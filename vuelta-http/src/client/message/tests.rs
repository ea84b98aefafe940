use vuelta::ErrorCode;

use super::*;

fn sorted(text: &str) -> String {
    match sort(text.as_bytes(), &RequestId::from(1)) {
        Ok(Verdict::Answer(result)) => format!("answer {}", result.get()),
        Ok(Verdict::Notification(frame)) => format!("notification {}", frame.method),
        Ok(Verdict::Request(frame)) => format!("request {} {}", frame.method, frame.params.get()),
        Ok(Verdict::Stray(id)) => format!("stray {id}"),
        Ok(Verdict::Malformed) => "malformed".to_owned(),
        Err(error) if error.is_peer() => format!("peer: {error}"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(sorted(text), expected, "{text}");
}

#[test]
fn the_answer_is_found_by_its_id() {
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":[1.50]}}"#,
        r#"answer {"a":[1.50]}"#,
    );
    check(r#"{"jsonrpc":"2.0","id":999,"result":{}}"#, "stray 999");
    check(
        r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#,
        r#"stray "x""#,
    );
}

#[test]
fn an_id_of_another_type_fails_at_once() {
    check(
        r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
        r#"peer: uncorrelated response: it has the id "1", the request has the id 1"#,
    );
}

#[test]
fn an_error_without_an_id_answers_the_request() {
    for id in ["", r#""id":null,"#, r#""id":1,"#] {
        let text = format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32601,"message":"no"}}}}"#);
        let error = sort(text.as_bytes(), &RequestId::from(1)).unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::METHOD_NOT_FOUND), "{text}");
    }
}

#[test]
fn requests_of_the_server_are_told_apart() {
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"a":1.50}}"#,
        r#"request elicitation/create {"a":1.50}"#,
    );
    check(
        r#"{"jsonrpc":"2.0","id":"1","method":"ping"}"#,
        "request ping {}",
    );
}

#[test]
fn a_batch_is_one_only_in_the_revision_that_knows_it() {
    let split = |text: &'static str, version: Option<ProtocolVersion>| {
        let messages = messages(text.as_bytes(), version.as_ref());
        messages
            .into_iter()
            .map(|message| str::from_utf8(message).unwrap())
            .collect::<Vec<_>>()
    };
    let version = || Some(ProtocolVersion::V2025_03_26);
    assert_eq!(
        split(" [ {\"a\":1} ,{\"b\":[2]}]", version()),
        [r#"{"a":1}"#, r#"{"b":[2]}"#]
    );
    for (text, version) in [
        ("[{}]", None),
        ("[{}]", Some(ProtocolVersion::V2025_06_18)),
        ("{}", version()),
        ("[]", version()),
        ("[{]", version()),
        ("[{}] x", version()),
        ("", version()),
    ] {
        assert_eq!(split(text, version), [text]);
    }
}

#[test]
fn malformed_notifications_are_ignored_and_other_malformed_messages_fail() {
    check(
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{}}"#,
        "notification notifications/x",
    );
    check(
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":[]}"#,
        "malformed",
    );
    check(
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":null}"#,
        "malformed",
    );
    check(
        r#"{"jsonrpc":"1.0","method":"notifications/x"}"#,
        "malformed",
    );
    for text in [
        "",
        "null",
        "{",
        "{}",
        "[]",
        r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        r#"{"id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#,
    ] {
        check(text, "peer: the server sent no JSON-RPC message");
    }
}

#[test]
fn nesting_without_end_is_no_message() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    check(&deep, "peer: the server sent no JSON-RPC message");
}
