//! Calling.
