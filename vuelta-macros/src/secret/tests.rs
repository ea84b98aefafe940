//! Names of fields.

use super::looks_secret;

#[test]
fn whole_words_are_secrets() {
    for name in [
        "password",
        "db_password",
        "api_key",
        "stripe_api_key",
        "apikey",
        "apiKey",
        "cardNumber",
        "card_number",
        "access_token",
        "pin",
        "pin_code",
        "ssn",
        "private_key",
        "Password",
        "otp",
        "client-secret",
        "credentials",
    ] {
        assert!(looks_secret(name), "{name}");
    }
}

#[test]
fn parts_of_words_are_none() {
    for name in [
        "region",
        "pinned",
        "tokens",
        "max_tokens",
        "secretary",
        "key",
        "api",
        "number",
        "spin",
        "option",
        "keyboard",
        "card",
        "business_card",
        "access",
        "hotpot",
        "",
    ] {
        assert!(!looks_secret(name), "{name}");
    }
}
