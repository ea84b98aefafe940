//! The token `v1.`: one payload under one key.
//!
//! The text is `v1.` and then, in base64url without padding, a key id of 4 bytes, a nonce of 12,
//! the ciphertext and its tag of 16. The cipher is AES-256-GCM; prefix and key id are its
//! associated data, so neither can be exchanged. The key comes from the secret by HKDF-SHA256
//! (RFC 5869), the key id from the key by SHA-256.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use data_encoding::BASE64URL_NOPAD;
use zeroize::Zeroizing;

use crate::seal::codec::{InvalidRequestState, SealError};

/// A key for tokens, made from a secret.
///
/// The cipher's own context is all that is kept, and its memory is cleared when it is freed.
pub(crate) struct TokenKey {
    cipher: LessSafeKey,
    id: KeyId,
}

/// The part of a token that says which key made it.
pub(crate) type KeyId = [u8; 4];

impl TokenKey {
    /// Derives the key from `secret`.
    pub(crate) fn derive(secret: &[u8]) -> Result<Self, SealError> {
        let derived = derived_bytes(secret).map_err(|_| SealError::new("key derivation failed"))?;
        let cipher = UnboundKey::new(&AES_256_GCM, &*derived)
            .map_err(|_| SealError::new("the cipher does not take the derived key"))?;
        Ok(Self {
            cipher: LessSafeKey::new(cipher),
            id: key_id(&derived),
        })
    }

    pub(crate) fn id(&self) -> &KeyId {
        &self.id
    }

    /// Seals `payload` under a random nonce.
    ///
    /// Random nonces of 96 bits serve 2^32 tokens a key (NIST SP 800-38D section 8.3).
    pub(crate) fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
        let mut nonce = [0; NONCE];
        fill_random(&mut nonce)?;
        self.seal_with_nonce(payload, nonce)
    }

    fn seal_with_nonce(&self, payload: &[u8], nonce: [u8; NONCE]) -> Result<String, SealError> {
        let mut body = Vec::with_capacity(HEADER + payload.len() + TAG);
        body.extend_from_slice(&self.id);
        body.extend_from_slice(&nonce);
        body.extend_from_slice(payload);
        let nonce = Nonce::assume_unique_for_key(nonce);
        let tag = self
            .cipher
            .seal_in_place_separate_tag(nonce, self.associated_data(), &mut body[HEADER..])
            .map_err(|_| SealError::new("the payload is too large for the cipher"))?;
        body.extend_from_slice(tag.as_ref());

        let mut token =
            String::with_capacity(PREFIX.len() + BASE64URL_NOPAD.encode_len(body.len()));
        token.push_str(PREFIX);
        BASE64URL_NOPAD.encode_append(&body, &mut token);
        Ok(token)
    }

    /// Opens a token that names this key.
    pub(crate) fn open(&self, token: Token) -> Result<Vec<u8>, InvalidRequestState> {
        let Token {
            mut body, nonce, ..
        } = token;
        let nonce = Nonce::assume_unique_for_key(nonce);
        let opened = self
            .cipher
            .open_within(nonce, self.associated_data(), &mut body, HEADER..)
            .map_err(|_| InvalidRequestState::new("seal"))?
            .len();
        body.truncate(opened);
        Ok(body)
    }

    fn associated_data(&self) -> Aad<[u8; PREFIX.len() + KEY_ID]> {
        let mut data = [0; PREFIX.len() + KEY_ID];
        data[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        data[PREFIX.len()..].copy_from_slice(&self.id);
        Aad::from(data)
    }
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenKey").finish_non_exhaustive()
    }
}

/// A token taken apart, still sealed.
pub(crate) struct Token {
    key_id: KeyId,
    nonce: [u8; NONCE],
    /// Everything after the prefix, the key id and the nonce included.
    body: Vec<u8>,
}

impl Token {
    /// Takes `text` apart; only the one spelling that sealing produces is accepted.
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidRequestState> {
        Self::parse_inner(text).ok_or_else(|| InvalidRequestState::new("malformed"))
    }

    fn parse_inner(text: &str) -> Option<Self> {
        let encoded = text.strip_prefix(PREFIX)?;
        // This decoder refuses padding, line breaks and stray bits after the last byte.
        let body = BASE64URL_NOPAD.decode(encoded.as_bytes()).ok()?;
        let (key_id, rest) = body.split_first_chunk::<KEY_ID>()?;
        let (nonce, rest) = rest.split_first_chunk::<NONCE>()?;
        if rest.len() < TAG {
            return None;
        }
        Some(Self {
            key_id: *key_id,
            nonce: *nonce,
            body,
        })
    }

    pub(crate) fn key_id(&self) -> &KeyId {
        &self.key_id
    }
}

/// Fills `bytes` from the operating system's random source.
pub(crate) fn fill_random(bytes: &mut [u8]) -> Result<(), SealError> {
    getrandom::fill(bytes).map_err(SealError::new)
}

fn derived_bytes(secret: &[u8]) -> Result<Zeroizing<[u8; KEY]>, Unspecified> {
    struct KeyLength;

    impl KeyType for KeyLength {
        fn len(&self) -> usize {
            KEY
        }
    }

    let mut derived = Zeroizing::new([0; KEY]);
    // An empty salt and none are the same (RFC 5869 section 2.2).
    let extracted = Salt::new(HKDF_SHA256, &[]).extract(secret);
    extracted
        .expand(&[KEY_INFO], KeyLength)?
        .fill(&mut *derived)?;
    Ok(derived)
}

fn key_id(derived: &[u8; KEY]) -> KeyId {
    let mut labelled = Zeroizing::new([0; KEY_ID_LABEL.len() + KEY]);
    labelled[..KEY_ID_LABEL.len()].copy_from_slice(KEY_ID_LABEL);
    labelled[KEY_ID_LABEL.len()..].copy_from_slice(derived);
    let hash = digest(&SHA256, &*labelled);
    std::array::from_fn(|index| hash.as_ref()[index])
}

const PREFIX: &str = "v1.";
const KEY_INFO: &[u8] = b"mcp/request-state/v1/aes-256-gcm";
const KEY_ID_LABEL: &[u8] = b"mcp/request-state/v1/kid:";
const KEY: usize = 32;
const KEY_ID: usize = 4;
const NONCE: usize = 12;
const TAG: usize = 16;
const HEADER: usize = KEY_ID + NONCE;

#[cfg(test)]
mod tests;
