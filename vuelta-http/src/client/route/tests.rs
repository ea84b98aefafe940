use super::*;

#[track_caller]
fn check(value: &[u8], expected: Result<Option<&str>, ()>) {
    let mut headers = HeaderMap::new();
    headers.insert(SESSION_ID, HeaderValue::from_bytes(value).unwrap());
    let id = session_id(&headers);
    let shown = id
        .as_ref()
        .map(|id| id.as_ref().map(|id| id.to_str().unwrap()));
    assert_eq!(shown.map_err(|error| assert!(error.is_peer())), expected);
    assert!(id.ok().flatten().is_none_or(|id| id.is_sensitive()));
}

#[test]
fn the_id_of_a_session_is_of_visible_ascii() {
    assert!(session_id(&HeaderMap::new()).unwrap().is_none());
    check(b"1868a90c-7bd2", Ok(Some("1868a90c-7bd2")));
    check(b"!~", Ok(Some("!~")));
    check(b"", Ok(None));
    check(b"a b", Err(()));
    check(b"a\tb", Err(()));
    check("na\u{ef}ve".as_bytes(), Err(()));
}
