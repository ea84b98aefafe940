use super::*;
use crate::{ListToolsResult, decode};

fn list(members: &str) -> ListToolsResult {
    decode(&format!(r#"{{"tools":[]{members}}}"#)).unwrap()
}

#[test]
fn a_time_that_is_absent_or_negative_is_zero() {
    for (members, millis) in [
        ("", 0),
        (r#","ttlMs":null"#, 0),
        (r#","ttlMs":-5"#, 0),
        (r#","ttlMs":-0.5"#, 0),
        (r#","ttlMs":0"#, 0),
        (r#","ttlMs":60000"#, 60_000),
        (r#","ttlMs":60000.0"#, 60_000),
        (r#","ttlMs":1e300"#, u64::MAX),
        (r#","ttlMs":18446744073709551615"#, u64::MAX),
    ] {
        assert_eq!(list(members).ttl_ms.as_millis(), millis, "{members}");
    }
}

#[test]
fn what_is_written_has_a_time_and_a_scope() {
    assert_eq!(
        serde_json::to_string(&list("")).unwrap(),
        r#"{"tools":[],"ttlMs":0,"cacheScope":"private"}"#
    );
    let result = list("")
        .ttl_ms(Duration::from_secs(60))
        .cache_scope(CacheScope::Public);
    assert_eq!(
        serde_json::to_string(&result).unwrap(),
        r#"{"tools":[],"ttlMs":60000,"cacheScope":"public"}"#
    );
    assert_eq!(list(r#","cacheScope":"team""#).cache_scope.as_str(), "team");
}

#[test]
fn times_convert() {
    assert_eq!(Ttl::from(Duration::MAX).as_millis(), u64::MAX);
    assert_eq!(
        Duration::from(Ttl::from(Duration::from_secs(2))),
        Duration::from_secs(2)
    );
}
