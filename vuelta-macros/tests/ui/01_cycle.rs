//! Resolvers that need each other.

use vuelta::resolver;

#[resolver]
async fn region(#[resolve(zone)] zone: String) -> String {
    zone
}

#[resolver]
async fn zone(#[resolve(region)] region: String) -> String {
    region
}

#[resolver]
async fn itself(#[resolve(itself)] again: String) -> String {
    again
}

fn main() {}
