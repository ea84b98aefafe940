//! How far a request was said to be: what does not grow is not said.
//!
//! Source: [progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress#progress-flow).

use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

use vuelta_wire::Number;

/// The progress of one request.
#[derive(Debug, Default)]
pub(super) struct Progress(Mutex<Option<Number>>);

impl Progress {
    /// Advances to `next`; returns whether that is further than before.
    ///
    /// What is no number advances: it is refused when it is encoded.
    pub(super) fn advance(&self, next: Number) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| !is_further(next, last)) {
            return false;
        }
        *last = Some(next);
        true
    }
}

/// Compares integers exactly, and anything else as floats.
fn is_further(next: Number, last: Number) -> bool {
    match (integer(next), integer(last)) {
        (Some(next), Some(last)) => next > last,
        _ => next
            .as_f64()
            .partial_cmp(&last.as_f64())
            .is_none_or(Ordering::is_gt),
    }
}

fn integer(number: Number) -> Option<i128> {
    match number {
        Number::Integer(value) => Some(value.into()),
        Number::Unsigned(value) => Some(value.into()),
        Number::Float(_) => None,
    }
}

#[cfg(test)]
mod tests;
