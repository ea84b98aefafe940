//! Whole calls through the engine, as a client sees them.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_async,
    reason = "the form of tools and resolvers"
)]

mod answers;
mod asking;
mod branches;
mod graphs;
mod kinds;
mod places;
mod settling;

use std::sync::atomic::{AtomicUsize, Ordering};

/// How often something ran; shared with the functions of a server as its state.
#[derive(Default)]
struct Count(AtomicUsize);

impl Count {
    /// Counts one more and returns how many there are.
    fn one(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}
