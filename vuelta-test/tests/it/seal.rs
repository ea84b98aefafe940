//! How state is protected: keys, codecs, audiences, and what a fleet does with them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use vuelta::seal::{
    Audience, InvalidRequestState, RequestStateBoundary, RequestStateSecurity, SealError,
    StateCodec,
};
use vuelta::{Error, Principal, Server};
use vuelta_test::fixture;

use crate::clock::Clock;
use crate::raw::{PROVISIONED, Peer, check_refused};

const OLD: &[u8] = b"0123456789abcdef0123456789abcdef";
const NEW: &[u8] = &[b'k'; 32];

fn sealed(keys: &[&[u8]]) -> Server {
    fixture::server(Some(
        RequestStateSecurity::keys(keys).expect("the keys are good"),
    ))
}

fn build(name: &str, security: RequestStateSecurity, audience: Audience) -> Result<Server, Error> {
    Server::builder(name, "1")
        .layer(RequestStateBoundary::new(security, audience))
        .build()
}

#[test]
fn keys_that_cannot_be_used_are_named_with_what_to_do() {
    let check = |keys: &[&[u8]], expected: &str| {
        let error = RequestStateSecurity::keys(keys).unwrap_err();
        assert!(error.is_misuse(), "{error}");
        assert_eq!(
            error.to_string(),
            format!("requestState cannot be sealed: {expected}")
        );
    };
    check(&[], "the keyring is empty; give it at least one key");
    check(
        &[OLD, &[1; 31]],
        "keys[1] has 31 bytes, but a key needs at least 32; generate one with \
         `openssl rand -hex 32`",
    );
    check(
        &[OLD, NEW, OLD],
        "keys[2] duplicates keys[0]; remove one of them",
    );
}

#[test]
fn a_ttl_of_zero_is_refused_whatever_seals() {
    let policies = [
        RequestStateSecurity::keys([OLD]).unwrap(),
        RequestStateSecurity::ephemeral().unwrap(),
        RequestStateSecurity::codec(Shelf::default()),
    ];
    for security in policies {
        let error = build("s", security.ttl(Duration::ZERO), Audience::Server).unwrap_err();
        assert!(error.is_misuse());
        assert_eq!(
            error.to_string(),
            "the ttl of requestState must be longer than zero"
        );
    }
}

#[test]
fn a_server_without_a_name_needs_an_audience_of_its_own() {
    let keys = || RequestStateSecurity::keys([OLD]).unwrap();
    for security in [keys(), RequestStateSecurity::ephemeral().unwrap()] {
        let error = build("", security, Audience::Server).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a server without a name cannot be the audience of its state: name it, or set \
             `RequestStateSecurity::audience`"
        );
    }
    assert!(build("named", keys(), Audience::Server).is_ok());
    assert!(build("", keys().audience("fleet"), Audience::Server).is_ok());
    assert!(build("", keys().audience(""), Audience::Server).is_ok());
    assert!(build("", keys(), Audience::Shared).is_ok());
}

#[tokio::test]
async fn a_text_key_is_its_bytes() {
    let text = RequestStateSecurity::keys(["\u{e9}".repeat(16)]).unwrap();
    let bytes = RequestStateSecurity::keys([[0xc3, 0xa9].repeat(16)]).unwrap();
    let (text, bytes) = (fixture::server(Some(text)), fixture::server(Some(bytes)));
    let state = Peer::new(&text).begin().await;
    assert_eq!(Peer::new(&bytes).finish(&state).await.unwrap(), PROVISIONED);
}

#[tokio::test]
async fn two_processes_with_keys_of_their_own_never_accept_each_other() {
    let server = || fixture::server(Some(RequestStateSecurity::ephemeral().unwrap()));
    let (one, two) = (server(), server());
    let state = Peer::new(&one).begin().await;
    check_refused(Peer::new(&two).finish(&state).await);
    check_refused(Peer::new(&one).finish("provision-v1").await);
    assert_eq!(Peer::new(&one).finish(&state).await.unwrap(), PROVISIONED);
}

#[tokio::test]
async fn a_rotation_in_three_phases_loses_no_flow() {
    let phases: [&[&[u8]]; 4] = [&[OLD], &[OLD, NEW], &[NEW, OLD], &[NEW]];
    for both in phases.windows(2) {
        // While a phase is deployed, one instance has it and another has the one before.
        let (before, after) = (sealed(both[0]), sealed(both[1]));
        for (from, to) in [(&before, &after), (&after, &before)] {
            let state = Peer::new(from).begin().await;
            assert_eq!(Peer::new(to).finish(&state).await.unwrap(), PROVISIONED);
        }
    }
}

#[tokio::test]
async fn a_new_key_in_front_too_early_loses_a_flow() {
    let (behind, ahead) = (sealed(&[OLD]), sealed(&[NEW, OLD]));
    let state = Peer::new(&ahead).begin().await;
    check_refused(Peer::new(&behind).finish(&state).await);
    let state = Peer::new(&behind).begin().await;
    assert_eq!(Peer::new(&ahead).finish(&state).await.unwrap(), PROVISIONED);
}

#[tokio::test]
async fn a_retired_key_opens_nothing() {
    let state = Peer::new(&sealed(&[OLD])).begin().await;
    check_refused(Peer::new(&sealed(&[NEW])).finish(&state).await);
}

/// Keeps payloads on the server; a token is only the number of a place.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Vec<Vec<u8>>>>);

impl StateCodec for Shelf {
    fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
        let mut places = self
            .0
            .lock()
            .map_err(|_| SealError::new("the shelf is gone"))?;
        places.push(payload.to_vec());
        Ok(format!("place-{}", places.len()))
    }

    fn open(&self, token: &str) -> Result<Vec<u8>, InvalidRequestState> {
        let places = self
            .0
            .lock()
            .map_err(|_| InvalidRequestState::new("the shelf is gone"))?;
        let place: usize = token
            .strip_prefix("place-")
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| InvalidRequestState::new("no place"))?;
        let payload = place.checked_sub(1).and_then(|index| places.get(index));
        payload
            .cloned()
            .ok_or_else(|| InvalidRequestState::new("empty place"))
    }
}

#[tokio::test]
async fn a_codec_of_ones_own_only_keeps_the_bytes() {
    let (shelf, clock) = (Shelf::default(), Clock::new());
    let security = RequestStateSecurity::codec(shelf.clone()).clock(clock.reader());
    let server = fixture::server(Some(security));
    let peer = Peer::new(&server);

    assert_eq!(peer.begin().await, "place-1");
    assert!(shelf.0.lock().unwrap()[0].starts_with(br#"{"v":1,"iat":"#));
    assert_eq!(peer.finish("place-1").await.unwrap(), PROVISIONED);

    // Time, request and caller are checked for it.
    check_refused(
        peer.request(
            "tools/call",
            json!({ "name": "wait", "requestState": "place-1" }),
        )
        .await,
    );
    let other = Peer::new(&server).principal(Principal::new("client"));
    check_refused(other.finish("place-1").await);
    clock.advance(Duration::from_secs(600));
    check_refused(peer.finish("place-1").await);
}

#[test]
fn the_identity_of_a_principal_is_its_client_issuer_and_subject() {
    let client = Principal::new("client-123");
    assert_eq!(client.identity(), r#"["client-123",null,null]"#);
    assert_eq!(
        client.clone().subject("alice").identity(),
        r#"["client-123",null,"alice"]"#
    );
    let all = client.issuer("https://issuer.example").subject("\u{e9}\"");
    assert_eq!(
        all.identity(),
        r#"["client-123","https://issuer.example","\u00e9\""]"#
    );
}

#[test]
fn a_policy_shows_its_settings_and_no_keys() {
    let security = RequestStateSecurity::keys([OLD]).unwrap();
    assert_eq!(
        format!("{security:?}"),
        "RequestStateSecurity { ttl: 600s, audience: None, .. }"
    );
    let security = security.ttl(Duration::from_secs(5)).audience("fleet");
    let shown = format!("{security:?}");
    assert_eq!(
        shown,
        r#"RequestStateSecurity { ttl: 5s, audience: Some("fleet"), .. }"#
    );
}
