//! The table of requests that wait.

use std::sync::Arc;

use futures_util::FutureExt as _;
use vuelta_wire::{ErrorCode, ErrorObject, Raw};

use super::Inflight;
use crate::error::Error;

fn answer() -> Raw {
    Raw::from(serde_json::json!({ "done": true }))
}

#[test]
fn an_answer_settles_its_request_once() {
    let inflight = Arc::new(Inflight::default());
    let (first, second) = (inflight.next_id(), inflight.next_id());
    assert_ne!(first, second);
    let mut waiting = inflight.begin(first.clone(), ()).unwrap();
    assert!(
        !inflight.settle(&second, Ok(answer())),
        "nobody waits for it"
    );
    assert!(waiting.answer().now_or_never().is_none());
    assert!(inflight.settle(&first, Ok(answer())));
    assert!(!inflight.settle(&first, Ok(answer())), "it was settled");
    assert_eq!(waiting.answer().now_or_never().unwrap().unwrap(), answer());
}

#[test]
fn an_error_of_the_peer_is_handed_over_as_it_is() {
    let inflight = Arc::new(Inflight::default());
    let mut waiting = inflight.begin(7.into(), ()).unwrap();
    let refused = ErrorObject::new(ErrorCode(-1), "User rejected sampling request");
    assert!(inflight.settle(&7.into(), Err(refused.clone().into())));
    let error = waiting.answer().now_or_never().unwrap().unwrap_err();
    assert_eq!(error.as_rpc(), Some(&refused));
}

#[test]
fn an_id_of_another_type_is_another_id() {
    let inflight = Arc::new(Inflight::default());
    let _waiting = inflight.begin(1.into(), ()).unwrap();
    assert!(!inflight.settle(&"1".into(), Ok(answer())));
    assert_eq!(inflight.lookalike(&"1".into()), Some(1.into()));
    assert_eq!(inflight.lookalike(&"2".into()), None);
    assert_eq!(inflight.lookalike(&1.into()), None);
    assert!(inflight.begin(1.into(), ()).unwrap_err().is_misuse());
}

#[test]
fn a_request_whose_waiter_is_gone_is_forgotten() {
    let inflight = Arc::new(Inflight::default());
    let waiting = inflight.begin(1.into(), "kept").unwrap();
    assert_eq!(inflight.kept(&1.into()), Some("kept"));
    drop(waiting);
    assert_eq!(inflight.kept(&1.into()), None);
    assert!(!inflight.settle(&1.into(), Ok(answer())));
    assert_eq!(inflight.len(), 0);
}

#[test]
fn a_closed_connection_answers_nothing_now_and_later() {
    let inflight = Arc::new(Inflight::default());
    let mut waiting = inflight.begin(1.into(), ()).unwrap();
    inflight.close(&Error::transport("the peer has left"));
    let now = waiting.answer().now_or_never().unwrap().unwrap_err();
    let later = inflight.begin(2.into(), ()).unwrap_err();
    for error in [now, later] {
        assert!(error.is_transport());
        assert_eq!(error.to_string(), "the peer has left");
    }
}
