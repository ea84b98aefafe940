//! A clock that stands still until a test moves it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// A clock that a test moves; cheap to clone, and every clone tells the same time.
///
/// # Example: a low-level server whose state expires on command
///
/// ```
/// use vuelta::Server;
/// use vuelta::seal::{Audience, RequestStateBoundary, RequestStateSecurity};
/// use vuelta::testing::{Clock, TestServer};
///
/// let clock = Clock::new();
/// let security = RequestStateSecurity::ephemeral()?.clock(clock.reader());
/// let server = Server::builder("Provisioner", "1.0.0")
///     .layer(RequestStateBoundary::new(security, Audience::Server))
///     .build()?;
/// let server = TestServer::of(&server).clock(clock);
/// # Ok::<(), vuelta::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Clock(Arc<Mutex<SystemTime>>);

impl Clock {
    /// Creates a clock that stands at the present.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(SystemTime::now())))
    }

    /// Returns the time.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    pub(super) fn set(&self, time: SystemTime) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = time;
    }

    /// Returns a function that tells the time, for what takes one.
    pub fn reader(&self) -> impl Fn() -> SystemTime + Send + Sync + 'static {
        let clock = self.clone();
        move || clock.now()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}
