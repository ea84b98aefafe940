//! Transports that need nothing but this crate.

mod memory;

pub use self::memory::Memory;
