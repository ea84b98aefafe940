//! A resolver asks by returning.

use vuelta::{Ask, resolver};

#[resolver]
async fn region(ask: Ask) -> String {
    drop(ask);
    String::new()
}

#[resolver]
async fn zone(name: String, ask: &Ask) -> String {
    format!("{name} {ask:?}")
}

fn main() {}
