//! Programs to read.
