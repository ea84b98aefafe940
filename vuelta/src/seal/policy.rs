//! How the state of a server is protected: with which keys, for how long, bound to whom.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::error::{Error, Result};
use crate::seal::{Keyring, KeyringError, StateCodec};
use crate::service::{Context, Principal};

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Bind = dyn Fn(&Context) -> Result<Option<String>, BoxError> + Send + Sync;

/// The protection of `requestState`.
///
/// The state is encrypted and authenticated by keys or by a codec of your own; and, whatever
/// seals it, bound to an expiry, to the request that it was minted for (method, target and
/// arguments), to an audience, and to the caller where one is known.
///
/// Source: [server
/// requirements](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow).
///
/// # Example: keys that every instance shares
///
/// ```
/// use std::time::Duration;
/// use vuelta::seal::RequestStateSecurity;
///
/// let key = b"a secret of at least 32 bytes, from your store";
/// let security = RequestStateSecurity::keys([key])?.ttl(Duration::from_secs(300));
/// # Ok::<(), vuelta::Error>(())
/// ```
///
/// # Example: rotation without losing a flow
///
/// Deploy each phase fully before the next one. Never begin with the new key in front: an
/// instance that does not know it yet would refuse the state of one that does.
///
/// ```
/// use vuelta::seal::RequestStateSecurity;
///
/// let (old, new) = ([1; 32], [2; 32]);
/// let learn = RequestStateSecurity::keys([old, new])?; // 1: all learn to open NEW
/// let switch = RequestStateSecurity::keys([new, old])?; // 2: NEW seals; OLD still opens
/// let retire = RequestStateSecurity::keys([new])?; // 3: one ttl later
/// # Ok::<(), vuelta::Error>(())
/// ```
#[derive(Clone)]
pub struct RequestStateSecurity {
    pub(super) codec: Arc<dyn StateCodec>,
    pub(crate) ttl: Duration,
    pub(super) audience: Option<String>,
    pub(super) bind: Arc<Bind>,
    pub(super) clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    pub(super) warn_size: usize,
    pub(super) max_size: usize,
}

const TTL: Duration = Duration::from_secs(600);
const WARN_SIZE: usize = 64 * 1024;
const MAX_SIZE: usize = 1024 * 1024;

impl RequestStateSecurity {
    /// Seals with `keys[0]`, opens with all of them; each is a secret of at least 32 bytes.
    ///
    /// # Errors
    ///
    /// Returns an error that names the key if there is none, one is too short, or one is
    /// given twice.
    pub fn keys<K: AsRef<[u8]>>(keys: impl IntoIterator<Item = K>) -> Result<Self> {
        Keyring::new(keys).map(Self::codec).map_err(unusable)
    }

    /// Seals with one random key that lives and dies with this process.
    ///
    /// Right for a single process: another instance, or this one after a restart, opens none
    /// of its state, and the client begins the flow again.
    ///
    /// # Errors
    ///
    /// Returns an error if the operating system gives no random bytes.
    pub fn ephemeral() -> Result<Self> {
        Keyring::ephemeral().map(Self::codec).map_err(unusable)
    }

    /// Seals with a codec of your own, such as one whose key comes from a key service.
    ///
    /// The codec only keeps the bytes authentic, and secret if it can; expiry, binding and
    /// audience are checked for every codec.
    #[must_use]
    pub fn codec(codec: impl StateCodec) -> Self {
        Self {
            codec: Arc::new(codec),
            ttl: TTL,
            audience: None,
            bind: Arc::new(|cx| Ok(cx.principal().map(Principal::identity))),
            clock: Arc::new(SystemTime::now),
            warn_size: WARN_SIZE,
            max_size: MAX_SIZE,
        }
    }

    /// Sets how long a client may take for one round; 600 seconds if not set.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets the audience in place of the boundary's: servers that share it accept each
    /// other's state.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Binds state to an identity of your own in place of the validated [`Principal`].
    ///
    /// `None` binds to nobody. The same caller must always give the same text: a change in
    /// the middle of a flow ends it.
    #[must_use]
    pub fn bind_principal<E>(
        mut self,
        identify: impl Fn(&Context) -> Result<Option<String>, E> + Send + Sync + 'static,
    ) -> Self
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.bind = Arc::new(move |cx| identify(cx).map_err(Into::into));
        self
    }

    /// Sets the clock, for tests of expiry.
    #[must_use]
    pub fn clock(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(now);
        self
    }

    /// Sets the size in bytes from which sealed state is logged as a warning; 64 KiB if not
    /// set.
    #[must_use]
    pub fn warn_size(mut self, bytes: usize) -> Self {
        self.warn_size = bytes;
        self
    }

    /// Sets the size in bytes above which state is refused in both directions; 1 MiB if not
    /// set.
    #[must_use]
    pub fn max_size(mut self, bytes: usize) -> Self {
        self.max_size = bytes;
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.ttl.is_zero() {
            return Err(Error::misuse(
                "the ttl of requestState must be longer than zero",
            ));
        }
        Ok(())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the form of `map_err`")]
fn unusable(error: KeyringError) -> Error {
    Error::misuse(format!("requestState cannot be sealed: {error}"))
}

impl fmt::Debug for RequestStateSecurity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestStateSecurity")
            .field("ttl", &self.ttl)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}

/// Which servers a boundary's state is for, if the policy names no audience itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Audience {
    /// Servers of the name of the one that the boundary is part of.
    Server,
    /// Servers that share the keys, whatever their names.
    Shared,
}
