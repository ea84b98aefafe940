//! What a sealed state says about itself, and whether it may be used now, here and by this caller.
//!
//! The payload inside a token is one JSON object: version, two instants, what the state is bound
//! to, and the state. It is written and checked here alone; the clock, the salt and the digest of
//! the arguments are given. Whoever opens a token learns one of the [`Rejection`]s for the log,
//! and the client learns none of them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime};

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{SHA256, digest};
use data_encoding::BASE64URL_NOPAD;
use serde_json::value::RawValue;

use crate::seal::ascii::{push_float, push_text};

/// What a state is bound to: the request that it came from, and who made it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    /// The JSON-RPC method.
    pub(crate) method: &'a str,
    /// The tool's or prompt's name, or the resource's URI.
    pub(crate) target: &'a str,
    /// The digest of the arguments.
    pub(crate) arguments: &'a str,
    /// The server that the state is for, unless any server with the key may use it.
    pub(crate) audience: Option<&'a str>,
    /// Who is calling, if it is known.
    pub(crate) principal: Option<&'a str>,
}

/// Returns the payload for `state`.
///
/// `now` is in seconds since the epoch. A fresh `salt` keeps two tokens of one principal from
/// being linked by their claims.
pub(crate) fn mint(
    state: &str,
    binding: &Binding<'_>,
    now: f64,
    ttl: Duration,
    salt: [u8; SALT],
) -> Vec<u8> {
    let mut payload = String::with_capacity(192 + state.len());
    payload.push_str("{\"v\":1,\"iat\":");
    push_float(&mut payload, now);
    payload.push_str(",\"exp\":");
    push_float(&mut payload, now + ttl.as_secs_f64());
    let principal = binding
        .principal
        .map(|name| principal_claim(salt, name.as_bytes()));
    let texts = [
        ("m", Some(binding.method)),
        ("t", Some(binding.target)),
        ("a", Some(binding.arguments)),
        ("s", Some(state)),
        ("aud", binding.audience),
        ("p", principal.as_deref()),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            payload.push(',');
            push_text(&mut payload, name);
            payload.push(':');
            push_text(&mut payload, text);
        }
    }
    payload.push('}');
    payload.into_bytes()
}

/// Returns the state in `payload` if it may be used for `binding` at `now`.
///
/// The checks run in a fixed order, and the first that fails is the one reported. The time of
/// expiry is trusted as sealed. Claims with other names are ignored.
pub(crate) fn verify(payload: &[u8], binding: &Binding<'_>, now: f64) -> Result<String, Rejection> {
    let claims = Claims::parse(payload).ok_or(Rejection::Malformed)?;
    if claims.issued > now + CLOCK_SKEW {
        return Err(Rejection::MintedInTheFuture);
    }
    if now >= claims.expires {
        return Err(Rejection::Expired);
    }
    let bound = [
        ("m", binding.method),
        ("t", binding.target),
        ("a", binding.arguments),
    ];
    if bound
        .iter()
        .any(|(name, expected)| claims.text(name).as_deref() != Some(*expected))
    {
        return Err(Rejection::RequestBinding);
    }
    let same_audience = match binding.audience {
        Some(audience) => claims.text("aud").as_deref() == Some(audience),
        None => !claims.has("aud"),
    };
    if !same_audience {
        return Err(Rejection::Audience);
    }
    match (claims.has("p"), binding.principal) {
        (false, None) => {}
        (true, Some(principal)) if claims.is_of(principal) => {}
        (true, Some(_)) => return Err(Rejection::Principal),
        _ => return Err(Rejection::PrincipalDrift),
    }
    Ok(claims.state)
}

/// Why an authentic payload may not be used; its text is for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// It is not a set of claims of this version.
    Malformed,
    /// It was issued more than a minute from now.
    MintedInTheFuture,
    /// Its time is over.
    Expired,
    /// It belongs to another method, target or arguments.
    RequestBinding,
    /// It is for another audience; having none is one of its own.
    Audience,
    /// The caller was known then and is not now, or the other way round.
    PrincipalDrift,
    /// The caller is someone else.
    Principal,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "malformed",
            Self::MintedInTheFuture => "minted in the future",
            Self::Expired => "expired",
            Self::RequestBinding => "request binding",
            Self::Audience => "audience",
            Self::PrincipalDrift => "principal drift",
            Self::Principal => "principal",
        })
    }
}

impl std::error::Error for Rejection {}

/// Returns `instant` in seconds since the epoch.
pub(crate) fn epoch_seconds(instant: SystemTime) -> f64 {
    match instant.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => after.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}

/// The claims that every payload has, and the rest as it was written.
struct Claims<'a> {
    issued: f64,
    expires: f64,
    state: String,
    /// Raw, so that a number is judged by its text, whatever form a build decodes numbers to.
    all: BTreeMap<String, &'a RawValue>,
}

impl<'a> Claims<'a> {
    fn parse(payload: &'a [u8]) -> Option<Self> {
        let all: BTreeMap<String, &RawValue> = serde_json::from_slice(payload).ok()?;
        if all.get("v")?.get() != "1" {
            return None;
        }
        let issued = finite_number(all.get("iat")?)?;
        let expires = finite_number(all.get("exp")?)?;
        let state = text(all.get("s")?)?;
        Some(Self {
            issued,
            expires,
            state,
            all,
        })
    }

    fn has(&self, name: &str) -> bool {
        self.all.contains_key(name)
    }

    fn text(&self, name: &str) -> Option<String> {
        text(self.all.get(name)?)
    }

    fn is_of(&self, principal: &str) -> bool {
        let claim = self
            .text("p")
            .and_then(|text| BASE64URL_NOPAD.decode(text.as_bytes()).ok());
        let Some((salt, claimed)) = claim.as_deref().and_then(<[u8]>::split_first_chunk) else {
            return false;
        };
        let expected = principal_hash(*salt, principal.as_bytes());
        verify_slices_are_equal(claimed, &expected).is_ok()
    }
}

fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

fn finite_number(value: &RawValue) -> Option<f64> {
    // Of all JSON values only numbers start like this, so nothing else reaches the parser, which
    // would take `inf` too.
    let number = value.get();
    if !number.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return None;
    }
    number
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

/// Returns the claim that stands for `principal`: the salt and a hash, in base64url.
fn principal_claim(salt: [u8; SALT], principal: &[u8]) -> String {
    let hash = principal_hash(salt, principal);
    BASE64URL_NOPAD.encode(&[salt.as_slice(), &hash].concat())
}

fn principal_hash(salt: [u8; SALT], principal: &[u8]) -> [u8; 16] {
    let hash = digest(&SHA256, &[PRINCIPAL_LABEL, &salt, principal].concat());
    std::array::from_fn(|index| hash.as_ref()[index])
}

/// How many random bytes go before a principal when it is hashed.
pub(crate) const SALT: usize = 8;

const PRINCIPAL_LABEL: &[u8] = b"mcp/request-state/principal:";

/// How many seconds another server's clock may be ahead.
const CLOCK_SKEW: f64 = 60.0;

#[cfg(test)]
mod tests;
