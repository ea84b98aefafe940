//! The same functions, asked by clients of both eras.

mod asking;
mod handshake;
