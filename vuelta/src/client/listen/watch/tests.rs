use std::time::Duration;

use vuelta_wire::ErrorCode;

use super::{doubled, may_pass};
use crate::error::Error;

#[test]
fn each_wait_is_twice_as_long_up_to_a_minute() {
    let seconds: Vec<u64> = (0..8).map(|failures| doubled(failures).as_secs()).collect();
    assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60]);
    assert_eq!(doubled(u32::MAX), Duration::from_secs(60));
}

#[test]
fn only_what_may_pass_is_waited_out() {
    let limit = || Error::rpc(ErrorCode::INTERNAL_ERROR, "Subscription limit reached");
    for passing in [
        Error::transport("gone"),
        Error::timeout("x", Duration::ZERO),
        Error::subscription_lost(Error::peer("x")),
        limit(),
    ] {
        assert!(may_pass(&passing), "{passing}");
    }
    for lasting in [
        Error::rpc(ErrorCode::METHOD_NOT_FOUND, "Method not found"),
        Error::rpc(ErrorCode::INVALID_PARAMS, "Too many"),
        Error::misuse("no subscriptions"),
        Error::peer("no MCP endpoint"),
    ] {
        assert!(!may_pass(&lasting), "{lasting}");
    }
}
