use super::{EventId, InvalidEventId};

#[test]
fn an_event_id_is_two_numbers() {
    let id = EventId {
        stream: 3,
        sequence: 14,
    };
    assert_eq!(id.to_string(), "3-14");
    assert_eq!("3-14".parse(), Ok(id));
    let largest = format!("{0}-{0}", u64::MAX);
    assert_eq!(largest.parse::<EventId>().unwrap().to_string(), largest);
}

#[test]
fn what_no_stream_has_sent_is_no_event_id() {
    for text in [
        "",
        "-",
        "3",
        "3-",
        "-3",
        "+3-1",
        "3-+1",
        "3--1",
        "3-1-1",
        " 3-1",
        "3-1 ",
        "a-b",
        "3-1é",
        "18446744073709551616-1",
        "1-18446744073709551616",
    ] {
        assert_eq!(text.parse::<EventId>(), Err(InvalidEventId), "{text:?}");
    }
}
