//! The program `vuelta`.

fn main() {}
