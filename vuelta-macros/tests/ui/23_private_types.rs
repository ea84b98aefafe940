//! Public functions whose types are private.

use vuelta::{Elicit, Form, resolver, tool};

#[derive(Clone, serde::Deserialize, schemars::JsonSchema)]
struct Hidden {
    value: u32,
}

#[derive(Form)]
struct Region {
    region: String,
}

#[tool]
pub async fn first(hidden: Hidden) -> String {
    hidden.value.to_string()
}

#[resolver]
pub async fn region(hidden: Hidden) -> Elicit<Region> {
    Elicit::ask(hidden.value.to_string())
}

#[tool]
pub async fn second(#[resolve(region)] at: Region, hidden: Hidden) -> String {
    at.region + &hidden.value.to_string()
}

fn main() {}
