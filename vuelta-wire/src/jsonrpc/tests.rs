use serde_json::json;

use super::*;

fn parse(text: &str) -> Result<Message<'_>, MessageError> {
    Message::parse(text.as_bytes())
}

fn request(text: &str) -> Request<'_> {
    match parse(text) {
        Ok(Message::Request(request)) => request,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn an_id_comes_back_with_its_type_and_value() {
    let ids = [
        r#""1""#,
        "1",
        "0",
        "-1",
        r#""""#,
        r#""a\u0000b""#,
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        r#""abc-1""#,
    ];
    for id in ids {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        let found = request(&text).id;
        let result = write_result(&found, &Raw::from(json!({})));
        assert_eq!(
            result,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
        let error = ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "Method not found");
        assert_eq!(
            write_error(Some(&found), &error),
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
            )
        );
    }
}

#[test]
fn text_and_integer_are_different_ids() {
    assert_ne!(RequestId::from("1"), RequestId::from(1));
    assert_eq!(RequestId::from("1").to_string(), r#""1""#);
    assert_eq!(RequestId::from(1).to_string(), "1");
}

#[test]
fn other_ids_are_invalid() {
    for id in [
        "null",
        "1.5",
        "9223372036854775808",
        "-9223372036854775809",
        "1e400",
        "true",
        "[]",
        "{}",
        r#""\ud800""#,
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        assert_eq!(parse(&text).unwrap_err(), MessageError::Invalid, "{id}");
    }
}

#[test]
fn what_is_no_json_is_a_parse_error() {
    for text in [
        "",
        " ",
        "{",
        "nonsense",
        "{'a':1}",
        r#"{"jsonrpc":"2.0","id":1,"method":"m""#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m"} x"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":NaN}}"#,
        // What comes first is of the wrong type; what comes after it is not JSON.
        r#"{"jsonrpc":2,"id":}"#,
        "[1,",
    ] {
        assert_eq!(parse(text).unwrap_err(), MessageError::Parse, "{text}");
    }
    let latin1 = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"na\xefve\"}";
    assert_eq!(Message::parse(latin1).unwrap_err(), MessageError::Parse);
}

#[test]
fn json_of_another_form_is_invalid() {
    for text in [
        r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#,
        "[]",
        "{}",
        "1",
        "null",
        "true",
        r#""text""#,
        r#"{"id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":2.0,"id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":"broken"}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}"#,
    ] {
        assert_eq!(parse(text).unwrap_err(), MessageError::Invalid, "{text}");
    }
}

#[test]
fn a_request_borrows_its_params() {
    let text = r#" {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}} "#;
    let Request { id, method, params } = request(text);
    assert_eq!(id, RequestId::Integer(1));
    assert!(matches!(method, Cow::Borrowed("tools/call")));
    assert_eq!(params.map(RawValue::get), Some(r#"{"name": "x"}"#));
}

#[test]
fn a_message_without_an_id_is_a_notification() {
    let text = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let Ok(Message::Notification(notification)) = parse(text) else {
        panic!("{:?}", parse(text));
    };
    assert_eq!(notification.method, "notifications/cancelled");
    assert_eq!(
        notification.params.map(RawValue::get),
        Some(r#"{"requestId":1}"#)
    );
}

#[test]
fn a_response_carries_a_result_or_an_error() {
    let Ok(Message::Response(response)) = parse(r#"{"jsonrpc":"2.0","id":"a","result":{}}"#) else {
        panic!("no response");
    };
    assert_eq!(response.id, Some(RequestId::from("a")));
    assert_eq!(response.outcome.unwrap().get(), "{}");

    for id in [r#""id":null,"#, ""] {
        let text =
            format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32700,"message":"Parse error"}}}}"#);
        let Ok(Message::Response(response)) = parse(&text) else {
            panic!("{text}");
        };
        assert_eq!(response.id, None);
        let error = response.outcome.unwrap_err();
        assert_eq!(error.code, ErrorCode::PARSE_ERROR);
        assert_eq!(error.to_string(), "Parse error (-32700)");
    }
}

#[test]
fn null_data_of_an_error_is_not_absent_data() {
    let with_null = r#"{"code":1,"message":"m","data":null}"#;
    let error: ErrorObject = serde_json::from_str(with_null).unwrap();
    assert!(error.data.as_ref().is_some_and(Raw::is_null));
    assert_eq!(serde_json::to_string(&error).unwrap(), with_null);

    let without = r#"{"code":1,"message":"m"}"#;
    let error: ErrorObject = serde_json::from_str(without).unwrap();
    assert_eq!(error.data, None);
    assert_eq!(serde_json::to_string(&error).unwrap(), without);
}

#[test]
fn nesting_is_limited_to_128_levels() {
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 2), "]".repeat(levels - 2));
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{open}{close}}}}}"#)
    };
    let deepest = nested(128);
    let params = request(&deepest).params.unwrap();
    serde_json::from_str::<serde_json::Value>(params.get()).unwrap();
    assert_eq!(parse(&nested(129)).unwrap_err(), MessageError::Parse);
    assert_eq!(parse(&nested(100_000)).unwrap_err(), MessageError::Parse);
}

#[test]
fn brackets_that_do_not_nest_are_not_counted() {
    let in_text = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":"\"{}\\"}}}}"#,
        "[".repeat(1000)
    );
    request(&in_text);
    let side_by_side = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":[{}0]}}}}"#,
        "[],".repeat(1000)
    );
    request(&side_by_side);
}

#[test]
fn what_is_unknown_about_a_request_is_null_in_its_error() {
    let error = ErrorObject::new(ErrorCode::PARSE_ERROR, "Parse error");
    assert_eq!(
        write_error(None, &error),
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#
    );
    let error = ErrorObject::new(ErrorCode::INVALID_PARAMS, "Invalid or expired requestState")
        .data(json!({"reason": "invalid_request_state"}));
    assert_eq!(
        write_error(Some(&RequestId::from(1)), &error),
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"#,
            r#""message":"Invalid or expired requestState","#,
            r#""data":{"reason":"invalid_request_state"}}}"#
        )
    );
}

#[test]
fn requests_and_notifications_are_written_in_one_piece() {
    assert_eq!(
        write_request(&RequestId::from(7), "tools/list", &json!({"cursor": "c"})).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"c"}}"#
    );
    assert_eq!(
        write_notification::<Raw>("notifications/tools/list_changed", None).unwrap(),
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#
    );
    assert_eq!(
        write_notification("notifications/cancelled", Some(&json!({"requestId": 1}))).unwrap(),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#
    );
}

#[test]
fn the_codes_are_those_of_the_schema() {
    let codes = [
        (ErrorCode::PARSE_ERROR, -32700),
        (ErrorCode::INVALID_REQUEST, -32600),
        (ErrorCode::METHOD_NOT_FOUND, -32601),
        (ErrorCode::INVALID_PARAMS, -32602),
        (ErrorCode::INTERNAL_ERROR, -32603),
        (ErrorCode::HEADER_MISMATCH, -32020),
        (ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, -32021),
        (ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, -32022),
    ];
    for (code, number) in codes {
        assert_eq!(code, ErrorCode(number));
    }
}
