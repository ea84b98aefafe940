//! Parameters of another type than what their resolver gives.

use vuelta::{Answer, Elicit, Form, resolver, tool};

#[derive(Form)]
struct Region {
    region: String,
}

#[resolver]
async fn region() -> Elicit<Region> {
    Elicit::ask("Which region?")
}

#[tool]
async fn provision(#[resolve(region)] at: String) -> String {
    at
}

#[tool]
async fn branches(#[resolve(region)] at: Answer<u32>) -> String {
    format!("{at:?}")
}

#[resolver]
async fn zone(#[resolve(region)] at: Option<Region>) -> String {
    at.map(|at| at.region).unwrap_or_default()
}

#[tool]
async fn borrows(#[resolve(region)] at: &Region) -> String {
    at.region.clone()
}

fn main() {}
