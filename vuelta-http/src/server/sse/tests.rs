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

#[test]
fn an_event_may_say_where_it_stands() {
    let mut stream = String::new();
    push_event_with_id(&mut stream, "3-1", r#"{"a":1}"#);
    assert_eq!(stream, "id: 3-1\nevent: message\ndata: {\"a\":1}\n\n");
}

#[test]
fn a_position_has_an_id_a_time_and_empty_data() {
    let mut stream = String::new();
    push_position(&mut stream, "3-0", Duration::from_millis(1500));
    assert_eq!(stream, "id: 3-0\nretry: 1500\ndata: \n\n");
}

#[test]
fn an_endpoint_is_an_event_of_its_own_kind() {
    let mut stream = String::new();
    push_endpoint(&mut stream, "/messages?sessionId=1");
    assert_eq!(stream, "event: endpoint\ndata: /messages?sessionId=1\n\n");
}
