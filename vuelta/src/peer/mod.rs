//! What the two ends of a connection have in common, whatever they speak over it.

mod inflight;

pub use self::inflight::{Inflight, Waiting};
