use super::{exclusions, skips};
use crate::conformance::plan::{Role, Scenario};

#[test]
fn an_exclusion_is_of_a_name_or_of_all_that_begin_so() {
    let found = exclusions("# why\n\nserver tasks-* an extension\nclient ping no reason").unwrap();
    assert!(found[0].covers(Role::Server, "tasks-lifecycle"));
    assert!(!found[0].covers(Role::Client, "tasks-lifecycle"));
    assert!(!found[0].covers(Role::Server, "ping"));
    assert!(found[1].covers(Role::Client, "ping"));
    assert!(!found[1].covers(Role::Client, "ping-pong"));
    assert_eq!(found[0].to_string(), "server tasks-*");
}

#[test]
fn an_exclusion_needs_a_role_and_a_reason() {
    for line in ["server tasks-*", "both tasks-* because", "server"] {
        assert_eq!(
            exclusions(line).unwrap_err(),
            format!("excluded.txt:1: expected `role pattern reason ..`, found `{line}`")
        );
    }
}

#[test]
fn a_skip_needs_a_reason() {
    let found = skips("server caching 2026-07-28 Hints no resource is listed").unwrap();
    assert_eq!(
        found[0].scenario,
        Scenario::new(Role::Server, "caching", "2026-07-28")
    );
    assert_eq!(found[0].check, "Hints");
    assert!(skips("server caching 2026-07-28 Hints").is_err());
    assert!(skips("caching 2026-07-28 Hints because").is_err());
}
