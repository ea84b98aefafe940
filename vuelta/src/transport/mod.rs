//! Transports that need nothing but this crate.

mod memory;
pub mod process;

pub(crate) mod line;
pub(crate) mod stdio;

pub use self::memory::Memory;
