//! Which fields of a form look like secrets: those belong on a page of the server, not in a
//! form that passes through the client.
//!
//! Source: [elicitation, security
//! considerations](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).

/// Words, and words in a row, that name a secret.
const SECRETS: &[&[&str]] = &[
    &["password"],
    &["passwd"],
    &["pwd"],
    &["passphrase"],
    &["passcode"],
    &["secret"],
    &["token"],
    &["api", "key"],
    &["apikey"],
    &["access", "key"],
    &["private", "key"],
    &["secret", "key"],
    &["credential"],
    &["credentials"],
    &["card", "number"],
    &["security", "code"],
    &["cvv"],
    &["cvc"],
    &["pin"],
    &["ssn"],
    &["iban"],
    &["otp"],
];

/// Returns whether a field of this name is likely to hold a secret.
pub(crate) fn looks_secret(name: &str) -> bool {
    let words = words(name);
    SECRETS.iter().any(|secret| {
        words
            .windows(secret.len())
            .any(|window| window.iter().eq(secret.iter()))
    })
}

/// Splits `snake_case`, `kebab-case` and `camelCase` into words of small letters.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_small = false;
    for char in name.chars() {
        let starts = !char.is_alphanumeric() || (char.is_uppercase() && was_small);
        if starts {
            words.push(String::new());
        }
        if char.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(char.to_lowercase());
        }
        was_small = char.is_lowercase() || char.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests;
