use std::error::Error;

use super::{InvalidRequestState, SealError, StateCodec};

#[test]
fn a_refusal_shows_its_reason_to_the_log() {
    let refusal = InvalidRequestState::new("no such ticket");
    assert_eq!(refusal.reason(), "no such ticket");
    assert_eq!(refusal.to_string(), "no such ticket");
    assert_eq!(
        InvalidRequestState::new(String::from("gone")).reason(),
        "gone"
    );
}

#[test]
fn a_failure_to_seal_keeps_its_cause_out_of_its_text() {
    let failure = SealError::new("the key service is down");
    assert_eq!(failure.to_string(), "could not seal the request state");
    assert_eq!(
        failure.source().unwrap().to_string(),
        "the key service is down"
    );

    let cause = std::io::Error::other("broken pipe");
    assert!(
        SealError::new(cause)
            .source()
            .unwrap()
            .is::<std::io::Error>()
    );
}

#[test]
fn a_codec_can_be_shared_as_a_trait_object() {
    struct Plain;

    impl StateCodec for Plain {
        fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
            String::from_utf8(payload.to_vec()).map_err(SealError::new)
        }

        fn open(&self, token: &str) -> Result<Vec<u8>, InvalidRequestState> {
            Ok(token.as_bytes().to_vec())
        }
    }

    let codec: std::sync::Arc<dyn StateCodec> = std::sync::Arc::new(Plain);
    assert_eq!(codec.seal(b"x").unwrap(), "x");
    assert_eq!(codec.open("x").unwrap(), b"x");
    assert!(codec.seal(&[0xff]).is_err());
}
