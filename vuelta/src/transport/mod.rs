//! Transports that need nothing but this crate.

mod memory;

pub(crate) mod line;

pub use self::memory::Memory;
