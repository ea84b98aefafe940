use vuelta::NotificationFrame;

use super::*;

#[test]
fn a_notification_is_one_event() {
    let mut stream = String::new();
    let params = Raw::from(serde_json::json!({ "level": "info", "data": "hello" }));
    let frame = NotificationFrame::new("notifications/message", Some(params));
    push_frame(&mut stream, &frame.into());
    assert_eq!(
        stream,
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\
         \"params\":{\"data\":\"hello\",\"level\":\"info\"}}\n\n"
    );
}

#[test]
fn a_response_is_one_event_of_one_line() {
    let mut stream = String::new();
    let pretty = Raw::from_json("{\r\n  \"a\": \"b\\nc\u{2028}\",\n\r  \"d\": []\n}".to_owned());
    push_response(&mut stream, &7.into(), &Ok(pretty.unwrap()));
    assert_eq!(
        stream,
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\
         {    \"a\": \"b\\nc\u{2028}\",    \"d\": [] }}\n\n"
    );
}
