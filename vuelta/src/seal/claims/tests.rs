use super::*;

const NOW: f64 = 1_795_959_311.185_13;
const TTL: Duration = Duration::from_secs(600);
const SALTED: [u8; SALT] = [0, 1, 2, 3, 4, 5, 6, 7];

const MANUAL: Binding<'static> = Binding {
    method: "tools/call",
    target: "manual",
    arguments: "cpW1mcFtGeM0ZPdUOr4a0A",
    audience: Some("wire-server"),
    principal: None,
};

const ALICE: Binding<'static> = Binding {
    principal: Some("alice"),
    ..MANUAL
};

fn minted(binding: &Binding<'_>, now: f64) -> Vec<u8> {
    mint("provision-v1", binding, now, TTL, SALTED)
}

#[track_caller]
fn accepted(payload: &[u8], binding: &Binding<'_>, now: f64) {
    assert_eq!(verify(payload, binding, now).as_deref(), Ok("provision-v1"));
}

#[track_caller]
fn refused(payload: &[u8], binding: &Binding<'_>, now: f64, reason: &str) {
    assert_eq!(
        verify(payload, binding, now).unwrap_err().to_string(),
        reason
    );
}

/// The payload that another program put under the same key, with one member replaced.
///
/// The program is the Python SDK, whose spaces after colons and commas are kept.
fn forged(from: &str, to: &str) -> String {
    let payload = r#"{"v": 1, "iat": 1795959311.185146, "exp": 1795959911.1851463, "m": "tools/call", "t": "manual", "a": "cpW1mcFtGeM0ZPdUOr4a0A", "s": "provision-v1", "aud": "wire-server"}"#;
    assert!(payload.contains(from));
    payload.replacen(from, to, 1)
}

#[track_caller]
fn forgery_accepted(from: &str, to: &str) {
    accepted(forged(from, to).as_bytes(), &MANUAL, NOW);
}

#[track_caller]
fn forgery_refused(from: &str, to: &str, reason: &str) {
    refused(forged(from, to).as_bytes(), &MANUAL, NOW, reason);
}

#[test]
fn a_payload_is_spelt_like_one_of_the_python_sdk() {
    let payload = r#"{"v":1,"iat":1795959311.0817645,"exp":1795959911.0817645,"m":"tools/call","t":"manual","a":"cpW1mcFtGeM0ZPdUOr4a0A","s":"provision-v1","aud":"wire-server"}"#;
    assert_eq!(minted(&MANUAL, 1_795_959_311.081_764_5), payload.as_bytes());
    accepted(payload.as_bytes(), &MANUAL, 1_795_959_311.2);

    let payload = r#"{"v":1,"iat":1795959890.968049,"exp":1795960490.968049,"m":"tools/call","t":"t","a":"RBNvo1WzZ4oRRq0W9-hkng","s":"{\"plain\":1}"}"#;
    let binding = Binding {
        target: "t",
        arguments: "RBNvo1WzZ4oRRq0W9-hkng",
        audience: None,
        ..MANUAL
    };
    assert_eq!(
        mint(
            "{\"plain\":1}",
            &binding,
            1_795_959_890.968_049,
            TTL,
            SALTED
        ),
        payload.as_bytes()
    );
}

#[test]
fn members_are_exactly_those_of_the_format_and_in_its_order() {
    let payload = minted(&ALICE, 1000.0);
    assert_eq!(
        String::from_utf8(payload).unwrap(),
        r#"{"v":1,"iat":1000.0,"exp":1600.0,"m":"tools/call","t":"manual","a":"cpW1mcFtGeM0ZPdUOr4a0A","s":"provision-v1","aud":"wire-server","p":"AAECAwQFBgfFmuHzdbgqlLITK7B-la7C"}"#
    );
}

#[test]
fn text_of_every_kind_survives_as_ascii() {
    let state = "\u{0}\"\\\n\u{7f}\u{e9}\u{2028}\u{1f600}{\"v\":3}";
    let binding = Binding {
        target: "caf\u{e9}",
        audience: Some("\u{1f600}"),
        principal: Some("\u{e9}"),
        ..MANUAL
    };
    let payload = mint(state, &binding, NOW, TTL, SALTED);
    assert!(payload.is_ascii());
    assert_eq!(verify(&payload, &binding, NOW).as_deref(), Ok(state));
}

#[test]
fn an_empty_state_is_a_state() {
    let payload = mint("", &MANUAL, NOW, TTL, SALTED);
    assert_eq!(verify(&payload, &MANUAL, NOW).as_deref(), Ok(""));
    assert_eq!(
        verify(forged("provision-v1", "").as_bytes(), &MANUAL, NOW).as_deref(),
        Ok("")
    );
}

#[test]
fn a_state_lives_for_its_time_and_no_longer() {
    let payload = minted(&MANUAL, 1000.0);
    accepted(&payload, &MANUAL, 1599.0);
    refused(&payload, &MANUAL, 1600.0, "expired");
    refused(&payload, &MANUAL, 1601.0, "expired");
}

#[test]
fn a_fractional_instant_keeps_the_full_time() {
    let payload = minted(&MANUAL, 1000.75);
    accepted(&payload, &MANUAL, 1600.74);
    refused(&payload, &MANUAL, 1600.75, "expired");

    // Near the present the sum is exact too: both instants have the same binary exponent.
    let minted_at = 1_795_959_311.081_764_5;
    let payload = minted(&MANUAL, minted_at);
    accepted(
        &payload,
        &MANUAL,
        f64::from_bits((minted_at + 600.0).to_bits() - 1),
    );
    refused(&payload, &MANUAL, minted_at + 600.0, "expired");
}

#[test]
fn a_clock_may_be_a_minute_ahead_and_no_more() {
    let now = 1000.0;
    accepted(&minted(&MANUAL, now + 30.0), &MANUAL, now);
    accepted(&minted(&MANUAL, now + 60.0), &MANUAL, now);
    refused(
        &minted(&MANUAL, now + 60.5),
        &MANUAL,
        now,
        "minted in the future",
    );
    refused(
        &minted(&MANUAL, now + 120.0),
        &MANUAL,
        now,
        "minted in the future",
    );
}

#[test]
fn a_state_of_one_target_is_refused_at_another_and_still_good_at_its_own() {
    let payload = minted(&MANUAL, NOW);
    refused(
        &payload,
        &Binding {
            target: "other",
            ..MANUAL
        },
        NOW,
        "request binding",
    );
    refused(
        &payload,
        &Binding {
            target: "",
            ..MANUAL
        },
        NOW,
        "request binding",
    );
    refused(
        &payload,
        &Binding {
            method: "prompts/get",
            ..MANUAL
        },
        NOW,
        "request binding",
    );
    accepted(&payload, &MANUAL, NOW);
}

#[test]
fn a_retry_with_other_arguments_is_refused_and_with_the_same_accepted() {
    let payload = minted(&MANUAL, NOW);
    let other = Binding {
        arguments: "RBNvo1WzZ4oRRq0W9-hkng",
        ..MANUAL
    };
    refused(&payload, &other, NOW, "request binding");
    accepted(&payload, &MANUAL, NOW);
}

#[test]
fn an_audience_must_be_the_same_or_absent_on_both_sides() {
    let none = Binding {
        audience: None,
        ..MANUAL
    };
    let empty = Binding {
        audience: Some(""),
        ..MANUAL
    };
    let other = Binding {
        audience: Some("other-server"),
        ..MANUAL
    };
    let all = [none, empty, other, MANUAL];
    for (here, binding) in all.iter().enumerate() {
        let payload = minted(binding, NOW);
        for (there, at) in all.iter().enumerate() {
            if here == there {
                accepted(&payload, at, NOW);
            } else {
                refused(&payload, at, NOW, "audience");
            }
        }
    }
}

#[test]
fn a_principal_must_be_the_same_or_absent_on_both_sides() {
    let bob = Binding {
        principal: Some("bob"),
        ..MANUAL
    };
    accepted(&minted(&ALICE, NOW), &ALICE, NOW);
    refused(&minted(&ALICE, NOW), &bob, NOW, "principal");
    refused(&minted(&ALICE, NOW), &MANUAL, NOW, "principal drift");
    refused(&minted(&MANUAL, NOW), &ALICE, NOW, "principal drift");
    // Someone else's attempt does not use the state up.
    accepted(&minted(&ALICE, NOW), &ALICE, NOW);
}

#[test]
fn two_users_of_one_client_are_two_principals() {
    let alice = Binding {
        principal: Some(r#"["client-123",null,"alice"]"#),
        ..MANUAL
    };
    let bob = Binding {
        principal: Some(r#"["client-123",null,"bob"]"#),
        ..MANUAL
    };
    let payload = minted(&alice, NOW);
    refused(&payload, &bob, NOW, "principal");
    accepted(&payload, &alice, NOW);
}

#[test]
fn a_principal_claim_is_salted_and_absent_without_a_principal() {
    let claim = |binding: &Binding<'_>, salt| {
        let payload = mint("s", binding, NOW, TTL, salt);
        Claims::parse(&payload).unwrap().text("p")
    };
    assert_ne!(claim(&ALICE, [1; SALT]), claim(&ALICE, [2; SALT]));
    assert_eq!(claim(&MANUAL, [1; SALT]), None);
}

#[test]
fn known_principals_have_the_known_claims() {
    // Computed by a Python implementation; the last one ends in a lone surrogate.
    let known: [(&[u8], &str); 3] = [
        (
            br#"["client-123",null,"alice"]"#,
            "AAECAwQFBgeu6v_7pxak5slZPwlFjKqE",
        ),
        (b"alice", "AAECAwQFBgfFmuHzdbgqlLITK7B-la7C"),
        (b"tenant-\xed\xa0\x80", "AAECAwQFBgf07_SuP3heSp-roA22VTzv"),
    ];
    for (principal, claim) in known {
        assert_eq!(principal_claim(SALTED, principal), claim);
    }
}

#[test]
fn bytes_that_are_no_claims_are_malformed() {
    for payload in [
        "",
        "null",
        "[]",
        "\"s\"",
        "{",
        "{}",
        "provision-v1",
        "[1,1000,2000,\"s\"]",
    ] {
        refused(payload.as_bytes(), &MANUAL, NOW, "malformed");
    }
    refused(&[0xff, 0xfe], &MANUAL, NOW, "malformed");
    refused(
        &[forged("v", "v").as_bytes(), b"}"].concat(),
        &MANUAL,
        NOW,
        "malformed",
    );
}

#[test]
fn a_member_that_every_payload_has_may_not_be_missing() {
    forgery_refused("\"v\": 1, ", "", "malformed");
    forgery_refused("\"iat\": 1795959311.185146, ", "", "malformed");
    forgery_refused("\"exp\": 1795959911.1851463, ", "", "malformed");
    forgery_refused("\"s\": \"provision-v1\", ", "", "malformed");
}

#[test]
fn the_version_is_the_integer_one() {
    for other in [
        "2", "0", "-1", "1.0", "1e0", "true", "\"1\"", "null", "[1]", "11",
    ] {
        forgery_refused("\"v\": 1,", &format!("\"v\": {other},"), "malformed");
    }
}

#[test]
fn instants_are_finite_numbers() {
    for other in [
        "NaN",
        "Infinity",
        "true",
        "null",
        "\"9999999999\"",
        "[9999999999]",
        "1e999",
    ] {
        forgery_refused("1795959311.185146", other, "malformed");
        forgery_refused("1795959911.1851463", other, "malformed");
    }
}

#[test]
fn the_state_is_text() {
    for other in ["1", "null", "true", "{}", "[\"provision-v1\"]"] {
        forgery_refused("\"provision-v1\"", other, "malformed");
    }
}

#[test]
fn a_state_or_principal_with_a_lone_surrogate_is_refused() {
    // The Python SDK can write one, but no text here can hold it.
    forgery_refused("provision-v1", r"\ud800", "malformed");
    forgery_refused(
        "wire-server\"",
        "wire-server\", \"p\": \"\\ud800\"",
        "principal drift",
    );
    let payload = forged("wire-server\"", "wire-server\", \"p\": \"\\ud800\"");
    refused(payload.as_bytes(), &ALICE, NOW, "principal");
}

#[test]
fn the_expiry_is_trusted_as_sealed() {
    forgery_accepted("1795959911.1851463", "2795959311.18514");
    forgery_accepted("1795959911.1851463", "99999999999999999999999999");
    forgery_accepted("1795959311.185146", "0");
    forgery_accepted("1795959311.185146", "-1e3");
    forgery_accepted("1795959311.185146", "1795959341.1851382");
    forgery_refused(
        "1795959311.185146",
        "1795959431.1851375",
        "minted in the future",
    );
    forgery_refused("1795959911.1851463", "1795959310.1851358", "expired");
}

#[test]
fn a_binding_that_is_missing_or_no_text_is_refused() {
    for (member, value) in [
        ("m", "tools/call"),
        ("t", "manual"),
        ("a", "cpW1mcFtGeM0ZPdUOr4a0A"),
    ] {
        let written = format!("\"{member}\": \"{value}\"");
        forgery_refused(&format!("{written}, "), "", "request binding");
        for other in ["1", "null", "[]", "\"\"", "\"\\ud800\""] {
            forgery_refused(
                &written,
                &format!("\"{member}\": {other}"),
                "request binding",
            );
        }
    }
}

#[test]
fn a_forged_audience_is_refused() {
    forgery_refused(", \"aud\": \"wire-server\"", "", "audience");
    for other in ["\"x\"", "1", "null", "[\"wire-server\"]"] {
        forgery_refused("\"wire-server\"", other, "audience");
    }
    let none = Binding {
        audience: None,
        ..MANUAL
    };
    refused(
        forged("\"wire-server\"", "null").as_bytes(),
        &none,
        NOW,
        "audience",
    );
}

#[test]
fn a_forged_principal_is_refused() {
    let forgeries = [
        "\"AAAA\"",
        "\"\"",
        "\"AAECAwQFBgc\"",                        // the salt alone
        "\"AAECAwQFBgfFmuHzdbgqlLITK7B-la7\"",    // one character short
        "\"AAECAwQFBgfFmuHzdbgqlLITK7B-la7CAA\"", // one byte long
        "\"AAECAwQFBgfFmuHzdbgqlLITK7B-la7D\"",
        "\"AAECAwQFBgfFmuHzdbgqlLITK7B+la7C\"", // another alphabet
        "\"AAECAwQFBgfFmuHzdbgqlLITK7B-la7C=\"",
        "\"!not base64!\"",
        "7",
        "null",
        "true",
        "{\"p\": \"AAECAwQFBgfFmuHzdbgqlLITK7B-la7C\"}",
        "[]",
    ];
    for forgery in forgeries {
        let payload = forged("wire-server\"", &format!("wire-server\", \"p\": {forgery}"));
        refused(payload.as_bytes(), &ALICE, NOW, "principal");
        refused(payload.as_bytes(), &MANUAL, NOW, "principal drift");
    }
    let good = forged(
        "wire-server\"",
        "wire-server\", \"p\": \"AAECAwQFBgfFmuHzdbgqlLITK7B-la7C\"",
    );
    accepted(good.as_bytes(), &ALICE, NOW);
}

#[test]
fn other_claims_are_ignored() {
    forgery_accepted(
        "\"wire-server\"",
        "\"wire-server\", \"zz\": 1, \"V\": [[[2]]]",
    );
}

#[test]
fn the_first_check_that_fails_is_the_one_reported() {
    // Wrong in every way there is, then mended from the first check to the last.
    let wrong = Binding {
        method: "prompts/get",
        target: "x",
        arguments: "y",
        audience: Some("z"),
        principal: Some("bob"),
    };
    let payload = |v: &str, iat: &str, exp: &str| {
        forged(
            "\"v\": 1, \"iat\": 1795959311.185146, \"exp\": 1795959911.1851463",
            "",
        )
        .replacen(
            "{, ",
            &format!("{{\"v\": {v}, \"iat\": {iat}, \"exp\": {exp}, "),
            1,
        )
        .into_bytes()
    };
    refused(
        &payload("2", "1795959431", "1795959310"),
        &wrong,
        NOW,
        "malformed",
    );
    refused(
        &payload("1", "1795959431", "1795959310"),
        &wrong,
        NOW,
        "minted in the future",
    );
    refused(
        &payload("1", "1795959311", "1795959310"),
        &wrong,
        NOW,
        "expired",
    );
    let fresh = payload("1", "1795959311", "1795959911");
    refused(&fresh, &wrong, NOW, "request binding");
    refused(
        &fresh,
        &Binding {
            audience: wrong.audience,
            ..ALICE
        },
        NOW,
        "audience",
    );
    refused(&fresh, &ALICE, NOW, "principal drift");
    accepted(&fresh, &MANUAL, NOW);
}

#[test]
fn rejections_carry_nothing_of_the_payload() {
    // The type holds no data, so a log line made of it cannot leak any.
    assert_eq!(size_of::<Rejection>(), 1);
}

#[test]
fn instants_become_seconds_since_the_epoch() {
    let epoch = SystemTime::UNIX_EPOCH;
    let spelt = |instant| format!("{:?}", epoch_seconds(instant));
    assert_eq!(spelt(epoch), "0.0");
    assert_eq!(spelt(epoch + Duration::from_millis(1_000_500)), "1000.5");
    assert_eq!(spelt(epoch - Duration::from_millis(1500)), "-1.5");
}
