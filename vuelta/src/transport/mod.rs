//! Transports that need nothing but this crate.

mod memory;
pub mod process;

pub(crate) mod line;

pub use self::memory::Memory;
