//! everything-server.

fn main() {}
