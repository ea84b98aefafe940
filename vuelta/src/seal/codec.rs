//! The contract between the sealing boundary and whatever turns a payload into a token.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// Turns payloads into opaque tokens and back.
///
/// A token travels to the client and returns as `requestState`. [`Keyring`](crate::seal::Keyring)
/// is the codec for almost everyone; write another one to use a key service, or to keep the
/// payload on the server and send only a handle. Both methods run on the thread of the request
/// and must not block for long.
///
/// Expiry and the binding to the request, the audience and the principal are checked on the
/// payload afterwards, whatever the codec is.
///
/// # Security
///
/// [`open`](Self::open) is given text that an attacker may have chosen. It must refuse every text
/// that [`seal`](Self::seal) did not return in exactly this form: the specification asks servers
/// to protect the integrity of state that they act upon.
///
/// # Example: state that stays on the server
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use vuelta::seal::{InvalidRequestState, SealError, StateCodec};
///
/// #[derive(Default)]
/// struct Shelf(Mutex<HashMap<String, Vec<u8>>>);
///
/// impl StateCodec for Shelf {
///     fn seal(&self, payload: &[u8]) -> Result<String, SealError> {
///         let mut shelf = self.0.lock().map_err(|_| SealError::new("the shelf is gone"))?;
///         let ticket = format!("ticket-{}", shelf.len()); // a real one must not be guessable
///         shelf.insert(ticket.clone(), payload.to_vec());
///         Ok(ticket)
///     }
///
///     fn open(&self, token: &str) -> Result<Vec<u8>, InvalidRequestState> {
///         let shelf = self.0.lock().map_err(|_| InvalidRequestState::new("the shelf is gone"))?;
///         shelf.get(token).cloned().ok_or_else(|| InvalidRequestState::new("no such ticket"))
///     }
/// }
///
/// let shelf = Shelf::default();
/// let ticket = shelf.seal(b"payload")?;
/// assert_eq!(shelf.open(&ticket)?, b"payload");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait StateCodec: Send + Sync + 'static {
    /// Returns a URL-safe token that only this codec can open.
    ///
    /// # Errors
    ///
    /// Returns an error if no token can be made; the client is told only that the server failed.
    fn seal(&self, payload: &[u8]) -> Result<String, SealError>;

    /// Returns the payload that `token` was made of.
    ///
    /// # Errors
    ///
    /// Returns an error if `token` is not, to the letter, one that this codec made.
    fn open(&self, token: &str) -> Result<Vec<u8>, InvalidRequestState>;
}

/// A token that a codec refuses.
///
/// The reason is for the server's log. The client is always told the same, so that it learns
/// nothing about the check that failed; the reason must not quote the token or its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRequestState {
    reason: Cow<'static, str>,
}

impl InvalidRequestState {
    /// Creates a refusal with a reason for the log.
    pub fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason: reason.into(),
        }
    }

    /// Returns the reason for the log.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for InvalidRequestState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl Error for InvalidRequestState {}

/// A failure to make a token.
///
/// The cause is for the server's log; the client is told only that the server failed.
#[derive(Debug)]
pub struct SealError {
    cause: Box<dyn Error + Send + Sync>,
}

impl SealError {
    /// Creates a failure from its cause: an error or a text.
    pub fn new(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            cause: cause.into(),
        }
    }
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("could not seal the request state")
    }
}

impl Error for SealError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.cause)
    }
}

#[cfg(test)]
mod tests;
