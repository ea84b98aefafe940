use super::*;

/// Known answers that a Python implementation of the same format computed.
struct Vector {
    secret: &'static str,
    derived: &'static str,
    id: &'static str,
    associated_data: &'static str,
    token: &'static str,
}

/// All tokens were made of this payload under the nonce 00 01 .. 0b.
const PAYLOAD: &str = r#"{"v":1,"iat":1000.5,"exp":1600.5,"m":"tools/call","t":"manual","a":"cpW1mcFtGeM0ZPdUOr4a0A","s":"provision-v1","aud":"wire-server"}"#;

const VECTORS: &[Vector] = &[
    Vector {
        secret: "0123456789abcdef0123456789abcdef",
        derived: "8b279fbfa7aa79b48cf824b4f015d8a4cbe44cb986958e1f8467c9090662dca2",
        id: "a014f40b",
        associated_data: "76312ea014f40b",
        token: "v1.oBT0CwABAgMEBQYHCAkKCyMrW9q6tHOqGNpDTzU-AeQ6BAz0lGzTrPuWzOnGl7quQ0S2LjlntYM\
                bgOUF9Z3JTUjDqofcyeelgTXHLavXWGpyMLz-r5i8kCxFt94JNRzUkV5pftGHuKuzPCyFu_VbBEGvQ\
                1Wnw8sOoHGIxBMhevE4Z55D-IKyht8sHkTeblW9FcWXof3T0XPgaQmmw3j4oMzkJQ",
    },
    Vector {
        secret: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
        derived: "f3dad98cb3d2729a43091fe5229af89dab456fe61124207b92b33942cb970632",
        id: "1d02081b",
        associated_data: "76312e1d02081b",
        token: "v1.HQIIGwABAgMEBQYHCAkKCxr5qWgYR5m_iYNbqRTyHdLkee8_pYnvrFFRn69rTKSTVLnyXIp2m9n\
                ybPVrf4KNfXk4ss3HuZOtsi84kn_T9H7xlQmpLSLOJcZoBVqi5c9tdTD0-pKiWxAeQjh8KaVN6s1tz\
                IoeuhftwfL31xm2_97MYFT91l4U3sljw4Heaf_94ROyWp0TevqHWTE7nuEeM8IdoQ",
    },
    Vector {
        secret: "éééééééééééééééé",
        derived: "988d89f92a510ba0363624a8e21794a3d9faccc9dc29db49d878fe69c049575f",
        id: "21c44e75",
        associated_data: "76312e21c44e75",
        token: "v1.IcROdQABAgMEBQYHCAkKCyYdG_LusZWIa_nhYiNkBjJuUkQQIP0XNzm5ad2PNUAGj25VE_146Mj\
                AIewcdQTsXvWri5GRibTS77Xg2UKNJLpvaWesPSPU4mvdiOhuQ-qFIDXHJuzO-hNmJWey0jQnjNUNS\
                HXYlXRbBkZo5Q3uurGROQtY01F6Vz3B-6vgoWhANJf9jleK7qIiZOvHBnQsUGyT6w",
    },
    Vector {
        secret: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        derived: "3e98943cc2736d68f0451256b5b0dd2156989e9668349a58fc59590d0cd6a668",
        id: "af489032",
        associated_data: "76312eaf489032",
        token: "v1.r0iQMgABAgMEBQYHCAkKC5J-DqkTF9cTToob_gDXoAXUGUjygI_roIXscZjNRrqV8mF-23qoHyz\
                v9VozhoQu4YKnEGTh28TabfVJ-Qn4XOzCxYzPR1QFE40jmPYmuSmwXzfC-3JRYBYEhBxM19FYxXlb7\
                Ju4I8MMm543AY6zyq1D7qCcD6tu8BLTrYwjB8g7JzarVheLXiDGQdFjHOTEa2h4NA",
    },
];

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn key() -> TokenKey {
    TokenKey::derive(b"0123456789abcdef0123456789abcdef").unwrap()
}

fn open(key: &TokenKey, token: &str) -> Result<Vec<u8>, InvalidRequestState> {
    key.open(Token::parse(token)?)
}

fn encode(body: &[u8]) -> String {
    format!("v1.{}", BASE64URL_NOPAD.encode(body))
}

fn decode(token: &str) -> Vec<u8> {
    BASE64URL_NOPAD
        .decode(token.strip_prefix("v1.").unwrap().as_bytes())
        .unwrap()
}

#[track_caller]
fn refused(key: &TokenKey, token: &str, reason: &str) {
    assert_eq!(open(key, token).unwrap_err().reason(), reason, "{token:?}");
}

#[test]
fn known_secrets_give_the_known_keys_and_ids() {
    for vector in VECTORS {
        assert_eq!(
            hex(&*derived_bytes(vector.secret.as_bytes()).unwrap()),
            vector.derived
        );
        let key = TokenKey::derive(vector.secret.as_bytes()).unwrap();
        assert_eq!(hex(key.id()), vector.id);
        assert_eq!(hex(key.associated_data().as_ref()), vector.associated_data);
    }
}

#[test]
fn known_payloads_give_the_known_tokens_and_back() {
    let nonce = std::array::from_fn(|index| u8::try_from(index).unwrap());
    for vector in VECTORS {
        let key = TokenKey::derive(vector.secret.as_bytes()).unwrap();
        assert_eq!(
            key.seal_with_nonce(PAYLOAD.as_bytes(), nonce).unwrap(),
            vector.token
        );
        assert_eq!(open(&key, vector.token).unwrap(), PAYLOAD.as_bytes());
    }
}

#[test]
fn a_token_from_the_wire_of_the_python_sdk_opens() {
    let token = "v1.oBT0C8IB9ZbScGlNfZb89LyKBacmGEgh7C3H33SqSUvcNHr5Fex6dCKKYzdGc5QHVBVPrB_GkbmG4a8m\
                 WRfehueLh9BUWGjq7OG528Rj5G9Rmc3TOyL2CfWaxSk-rJZY58oCEDBapV2t60Dk6b4yNEdUNwjqSJkVGuSy\
                 yY9R7bOTx-2bQmiHhGfm9rFhEVNeEQFhjVfq6DYfgMfDT7UXLokt_RZsJWpGfB95Itz0ZwXYvxjvIZL9jvqZ\
                 JQ";
    let payload = r#"{"v":1,"iat":1795959311.0817645,"exp":1795959911.0817645,"m":"tools/call","t":"manual","a":"cpW1mcFtGeM0ZPdUOr4a0A","s":"provision-v1","aud":"wire-server"}"#;
    assert_eq!(open(&key(), token).unwrap(), payload.as_bytes());
}

#[test]
fn any_payload_survives() {
    let all_bytes: Vec<u8> = (0..=255).collect();
    let large = vec![0x61; 64 * 1024];
    let payloads: [&[u8]; 5] = [
        b"",
        b"ascii",
        "\u{e9}\u{1f600}".as_bytes(),
        &all_bytes,
        &large,
    ];
    for payload in payloads {
        let token = key().seal(payload).unwrap();
        assert_eq!(open(&key(), &token).unwrap(), payload);
    }
}

#[test]
fn a_token_is_the_prefix_and_url_safe_text_of_a_known_length() {
    for length in [0, 1, 2, 3, 100, 16 * 1024] {
        let token = key().seal(&vec![7; length]).unwrap();
        let text = token.strip_prefix("v1.").unwrap();
        assert!(
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        );
        assert_eq!(decode(&token).len(), 4 + 12 + length + 16);
    }
}

#[test]
fn two_tokens_of_one_payload_differ_and_both_open() {
    let tokens = [key().seal(b"same").unwrap(), key().seal(b"same").unwrap()];
    assert_ne!(tokens[0], tokens[1]);
    for token in tokens {
        assert_eq!(open(&key(), &token).unwrap(), b"same");
    }
}

#[test]
fn one_changed_bit_after_the_key_id_is_refused() {
    let body = decode(&key().seal(b"payload").unwrap());
    for index in KEY_ID..body.len() {
        for bit in 0..8 {
            let mut changed = body.clone();
            changed[index] ^= 1 << bit;
            refused(&key(), &encode(&changed), "seal");
        }
    }
}

#[test]
fn a_changed_prefix_is_refused() {
    let token = key().seal(b"payload").unwrap();
    for prefix in ["w1.", "v2.", "v1-", "V1.", "v1", "", "v1..", " v1."] {
        refused(&key(), &format!("{prefix}{}", &token[3..]), "malformed");
    }
}

#[test]
fn text_that_is_no_token_is_refused() {
    for text in [
        "",
        "v1.",
        "v1.!!!!",
        "v1.\u{e9}",
        "garbage",
        "v1.A",
        "{\"plain\":1}",
    ] {
        refused(&key(), text, "malformed");
    }
}

#[test]
fn a_body_one_byte_too_short_is_refused() {
    refused(&key(), &encode(&[0; 31]), "malformed");
    refused(&key(), &encode(&[0; 32]), "seal");
}

#[test]
fn only_one_spelling_of_a_token_is_accepted() {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    // Tokens of three lengths in a row end at every place in a group of four characters.
    for length in [0, 1, 2] {
        let token = key().seal(&vec![1; length]).unwrap();
        let (start, last) = token.split_at(token.len() - 1);
        let others: Vec<char> = alphabet
            .chars()
            .filter(|other| !last.contains(*other))
            .collect();
        assert_eq!(others.len(), 63);
        for other in others {
            assert!(
                open(&key(), &format!("{start}{other}")).is_err(),
                "{last} {other}"
            );
        }
        for junk in ["=", "==", "\n", "\r\n", " ", ".", "\0"] {
            refused(&key(), &format!("{token}{junk}"), "malformed");
        }
        for junk in ["\n", " ", "+", "/", "="] {
            refused(&key(), &format!("{start}{junk}{last}"), "malformed");
        }
    }
}

#[test]
fn the_key_id_of_another_key_does_not_make_a_token_its_own() {
    let other = TokenKey::derive(&[b'k'; 32]).unwrap();
    let mut body = decode(&key().seal(b"payload").unwrap());
    body[..KEY_ID].copy_from_slice(other.id());
    let token = encode(&body);
    assert_eq!(Token::parse(&token).unwrap().key_id(), other.id());
    refused(&other, &token, "seal");
}

#[test]
fn the_payload_is_nowhere_in_the_token() {
    let state = b"the-state-of-the-flow";
    let token = key().seal(state).unwrap();
    let body = decode(&token);
    assert!(!body.windows(state.len()).any(|window| window == state));
    assert!(!token.contains("the-state-of-the-flow"));
    assert!(!token.contains(&hex(state)));
    // Whatever the alignment, one of these groups would be in a base64 text of the payload.
    for skip in 0..3 {
        assert!(!token.contains(&BASE64URL_NOPAD.encode(&state[skip..skip + 9])));
    }
}

#[test]
fn a_key_does_not_show_itself() {
    assert_eq!(format!("{:?}", key()), "TokenKey { .. }");
}
