//! Names of other things than resolvers.

use vuelta::{resolver, tool};

#[resolver]
async fn region() -> String {
    String::new()
}

fn plain() -> String {
    String::new()
}

#[tool]
async fn without_attribute(#[resolve(plain)] at: String) -> String {
    at
}

#[tool]
async fn with_a_tool(#[resolve(without_attribute)] at: String) -> String {
    at
}

#[resolver]
async fn on_a_tool(#[resolve(without_attribute)] at: String) -> String {
    at
}

#[tool]
async fn called(#[resolve(region())] at: String) -> String {
    at
}

fn main() {}
