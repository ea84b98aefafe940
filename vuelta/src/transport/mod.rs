//! Transports that need nothing but this crate.

mod line;
mod memory;
pub mod process;
pub mod stdio;
mod stream;
#[cfg(unix)]
pub mod unix;

pub use self::memory::Memory;
pub use self::stream::{StreamServer, StreamTransport};
