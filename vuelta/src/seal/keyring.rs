//! The ring of keys: which key seals, and which keys still open.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use zeroize::Zeroizing;

use crate::seal::aead::{Token, TokenKey, fill_random};
use crate::seal::codec::{InvalidRequestState, SealError, StateCodec};

/// The codec that seals state with AES-256-GCM.
///
/// The first key seals; every key opens. Instances of a server that hold the same keys can finish
/// one another's calls, whatever SDK they use, as the token format `v1.` is shared. To replace a
/// key without refusing anyone, deploy `[old, new]` everywhere, then `[new, old]`, and once the
/// last old token has expired `[new]`.
///
/// Secrets are not kept: only the keys derived from them are, and their memory is cleared when
/// the ring is dropped.
///
/// # Example: one key from the environment
///
/// ```
/// use vuelta::seal::{Keyring, StateCodec};
///
/// # let secret = "0123456789abcdef0123456789abcdef";
/// let ring = Keyring::new([secret])?;
/// let token = ring.seal(b"payload")?;
/// assert_eq!(ring.open(&token)?, b"payload");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Keyring {
    /// Seals and opens.
    first: TokenKey,
    /// Open only.
    others: Vec<TokenKey>,
}

impl Keyring {
    /// Creates a ring from secrets of at least 32 bytes each; a text counts as its UTF-8 bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no secret, one is too short, or two are the same.
    pub fn new<K: AsRef<[u8]>>(secrets: impl IntoIterator<Item = K>) -> Result<Self, KeyringError> {
        let mut keys: Vec<TokenKey> = Vec::new();
        for (index, secret) in secrets.into_iter().enumerate() {
            let secret = secret.as_ref();
            if secret.len() < MIN_SECRET {
                return Err(KeyringError::ShortKey {
                    index,
                    length: secret.len(),
                });
            }
            let key = TokenKey::derive(secret).map_err(KeyringError::Crypto)?;
            if let Some(earlier) = keys.iter().position(|earlier| earlier.id() == key.id()) {
                return Err(KeyringError::DuplicateKey { index, earlier });
            }
            keys.push(key);
        }
        let mut keys = keys.into_iter();
        let first = keys.next().ok_or(KeyringError::Empty)?;
        Ok(Self {
            first,
            others: keys.collect(),
        })
    }

    /// Creates a ring with one random key that no other process has.
    ///
    /// Its tokens end with the process, and no second instance can open them.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system gives no random bytes.
    pub fn ephemeral() -> Result<Self, KeyringError> {
        let mut secret = Zeroizing::new([0; MIN_SECRET]);
        fill_random(&mut *secret).map_err(KeyringError::Crypto)?;
        Self::new([&*secret])
    }

    /// Returns the key that a token names.
    fn find(&self, token: &Token) -> Option<&TokenKey> {
        let mut found = None;
        // Every key is looked at, so the time does not tell which one it was.
        for key in std::iter::once(&self.first).chain(&self.others) {
            if verify_slices_are_equal(key.id(), token.key_id()).is_ok() {
                found = Some(key);
            }
        }
        found
    }
}

impl StateCodec for Keyring {
    fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
        self.first.seal(payload)
    }

    fn open(&self, token: &str) -> Result<Vec<u8>, InvalidRequestState> {
        let token = Token::parse(token)?;
        let key = self
            .find(&token)
            .ok_or_else(|| InvalidRequestState::new("unknown key"))?;
        key.open(token)
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring").finish_non_exhaustive()
    }
}

/// Why a ring cannot be made of the given secrets.
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyringError {
    /// There is no secret.
    Empty,
    /// A secret has fewer than 32 bytes.
    ShortKey {
        /// Its position.
        index: usize,
        /// Its length in bytes.
        length: usize,
    },
    /// Two secrets give the same key id, as equal secrets do.
    DuplicateKey {
        /// The position of the second one.
        index: usize,
        /// The position of the first one.
        earlier: usize,
    },
    /// The cryptographic library or the random source failed.
    Crypto(SealError),
}

impl fmt::Display for KeyringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the keyring is empty; give it at least one key"),
            Self::ShortKey { index, length } => write!(
                f,
                "keys[{index}] has {length} bytes, but a key needs at least {MIN_SECRET}; \
                 generate one with `openssl rand -hex 32`"
            ),
            Self::DuplicateKey { index, earlier } => {
                write!(
                    f,
                    "keys[{index}] duplicates keys[{earlier}]; remove one of them"
                )
            }
            Self::Crypto(_) => f.write_str("could not make a key"),
        }
    }
}

impl std::error::Error for KeyringError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Crypto(error) => std::error::Error::source(error),
            _ => None,
        }
    }
}

const MIN_SECRET: usize = 32;

#[cfg(test)]
mod tests;
