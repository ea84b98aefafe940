use super::*;

const OLD: &[u8] = b"0123456789abcdef0123456789abcdef";
const NEW: &[u8] = &[b'k'; 32];

fn ring(secrets: &[&[u8]]) -> Keyring {
    Keyring::new(secrets).unwrap()
}

fn error(secrets: &[&[u8]]) -> String {
    Keyring::new(secrets).unwrap_err().to_string()
}

#[test]
fn a_token_opens_in_every_ring_that_has_its_key() {
    let token = ring(&[OLD]).seal(b"payload").unwrap();
    assert_eq!(ring(&[OLD, NEW]).open(&token).unwrap(), b"payload");
    assert_eq!(ring(&[NEW, OLD]).open(&token).unwrap(), b"payload");
}

#[test]
fn a_token_of_a_foreign_key_is_refused() {
    let token = ring(&[OLD]).seal(b"payload").unwrap();
    assert_eq!(
        ring(&[NEW]).open(&token).unwrap_err().reason(),
        "unknown key"
    );
}

#[test]
fn the_first_key_seals() {
    let token = ring(&[NEW, OLD]).seal(b"payload").unwrap();
    assert_eq!(ring(&[NEW]).open(&token).unwrap(), b"payload");
    assert_eq!(
        ring(&[OLD]).open(&token).unwrap_err().reason(),
        "unknown key"
    );
}

#[test]
fn damage_is_told_apart_in_the_log_and_never_quotes_the_token() {
    let ring = ring(&[OLD]);
    let token = ring.seal(b"payload").unwrap();
    let with = |at: usize, from: &str| {
        let replacement = if token[at..].starts_with(from) {
            "B"
        } else {
            from
        };
        format!("{}{replacement}{}", &token[..at], &token[at + 1..])
    };
    assert_eq!(ring.open(&with(0, "w")).unwrap_err().reason(), "malformed");
    assert_eq!(
        ring.open(&with(3, "A")).unwrap_err().reason(),
        "unknown key"
    );
    assert_eq!(ring.open(&with(12, "A")).unwrap_err().reason(), "seal");
    assert_eq!(ring.open(&with(20, "!")).unwrap_err().reason(), "malformed");
}

#[test]
fn the_key_id_of_another_key_in_the_ring_is_refused() {
    let ring = ring(&[OLD, NEW]);
    let token = ring.seal(b"payload").unwrap();
    let newer = Keyring::new([NEW]).unwrap().seal(b"payload").unwrap();
    // The nine characters after the prefix carry the key id and the start of the nonce.
    let transplanted = format!("{}{}", &newer[..12], &token[12..]);
    assert_eq!(ring.open(&transplanted).unwrap_err().reason(), "seal");
}

#[test]
fn an_empty_ring_is_refused() {
    assert_eq!(error(&[]), "the keyring is empty; give it at least one key");
}

#[test]
fn a_short_key_is_refused_with_its_place_its_length_and_a_remedy() {
    assert_eq!(
        error(&[OLD, &[1; 31]]),
        "keys[1] has 31 bytes, but a key needs at least 32; generate one with `openssl rand -hex 32`"
    );
    assert!(error(&[b""]).starts_with("keys[0] has 0 bytes"));
    assert!(Keyring::new([[1; 32]]).is_ok());
    // Sixteen characters, but two bytes each.
    assert!(Keyring::new(["\u{e9}".repeat(16)]).is_ok());
}

#[test]
fn a_key_given_twice_is_refused_with_both_places() {
    assert_eq!(
        error(&[OLD, NEW, OLD]),
        "keys[2] duplicates keys[0]; remove one of them"
    );
    assert!(matches!(
        Keyring::new([OLD, NEW, NEW]),
        Err(KeyringError::DuplicateKey {
            index: 2,
            earlier: 1
        })
    ));
}

#[test]
fn errors_do_not_quote_the_key() {
    let text = error(&[b"hunter2"]);
    assert!(!text.contains("hunter2"));
    assert!(!format!("{:?}", Keyring::new([b"hunter2"])).contains("hunter2"));
}

#[test]
fn text_keys_are_their_utf8_bytes() {
    let text = "\u{e9}".repeat(16);
    let token = Keyring::new([&text]).unwrap().seal(b"payload").unwrap();
    assert_eq!(
        Keyring::new([text.into_bytes()])
            .unwrap()
            .open(&token)
            .unwrap(),
        b"payload"
    );
    let arrays = Keyring::new([[0xc3, 0xa9].repeat(16)]).unwrap();
    assert_eq!(arrays.open(&token).unwrap(), b"payload");
}

#[test]
fn changing_the_callers_buffer_afterwards_changes_nothing() {
    let mut secret = OLD.to_vec();
    let ring = Keyring::new([&secret]).unwrap();
    let token = ring.seal(b"payload").unwrap();
    secret.fill(0);
    assert_eq!(ring.open(&token).unwrap(), b"payload");
    assert_eq!(
        Keyring::new([OLD]).unwrap().open(&token).unwrap(),
        b"payload"
    );
}

#[test]
fn a_ring_takes_a_thousand_keys_and_a_long_one() {
    let mut secrets: Vec<Vec<u8>> = (0..1000_u32)
        .map(|index| format!("{index:032}").into_bytes())
        .collect();
    secrets.push(vec![7; 100_000]);
    let ring = Keyring::new(&secrets).unwrap();
    let token = Keyring::new([&secrets[1000]])
        .unwrap()
        .seal(b"payload")
        .unwrap();
    assert_eq!(ring.open(&token).unwrap(), b"payload");
}

#[test]
fn ephemeral_rings_cannot_read_each_other() {
    let (one, two) = (Keyring::ephemeral().unwrap(), Keyring::ephemeral().unwrap());
    let token = one.seal(b"payload").unwrap();
    assert_eq!(one.open(&token).unwrap(), b"payload");
    assert_eq!(two.open(&token).unwrap_err().reason(), "unknown key");
}

#[test]
fn a_ring_does_not_show_its_keys() {
    assert_eq!(format!("{:?}", ring(&[OLD])), "Keyring { .. }");
}

#[test]
fn a_ring_can_be_shared_between_threads() {
    let ring: std::sync::Arc<dyn StateCodec> = std::sync::Arc::new(ring(&[OLD]));
    let tokens: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| ring.seal(b"payload").unwrap()))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for token in tokens {
        assert_eq!(ring.open(&token).unwrap(), b"payload");
    }
}
