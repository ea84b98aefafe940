//! A name that is nothing.

use vuelta::{resolver, tool};

#[resolver]
async fn region() -> String {
    String::new()
}

#[tool]
async fn misspelt(#[resolve(regions)] at: String) -> String {
    at
}

#[tool]
async fn twice(#[resolve(regions)] at: String, #[resolve(region)] region: String) -> String {
    at + &region
}

fn main() {}
