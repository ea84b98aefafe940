//! A clock that a test moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The time in milliseconds since the epoch; clones share it.
#[derive(Clone)]
pub(crate) struct Clock(Arc<AtomicU64>);

impl Clock {
    /// A clock that stands at an instant with a fraction of a second.
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(1_785_196_800_250)))
    }

    pub(crate) fn advance(&self, by: Duration) {
        let millis = u64::try_from(by.as_millis()).expect("a test takes no ages");
        self.0.fetch_add(millis, Ordering::Relaxed);
    }

    /// Returns the function that reads it.
    pub(crate) fn reader(&self) -> impl Fn() -> SystemTime + Send + Sync + 'static {
        let Self(millis) = self.clone();
        move || SystemTime::UNIX_EPOCH + Duration::from_millis(millis.load(Ordering::Relaxed))
    }
}
