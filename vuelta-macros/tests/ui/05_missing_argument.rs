//! A resolver that uses an argument by name that the call does not have.

use vuelta::{prompt, resolver, resource, tool};

#[resolver]
async fn price(title: String, copies: u32) -> u32 {
    copies * u32::try_from(title.len()).unwrap_or(0)
}

#[resolver]
async fn total(#[resolve(price)] price: u32, days: u32) -> u32 {
    price + days
}

#[tool]
async fn order(title: String, #[resolve(price)] price: u32) -> String {
    format!("{title}: {price}")
}

#[tool]
async fn deliver(title: String, copies: u32, #[resolve(total)] total: u32) -> String {
    format!("{copies} x {title}: {total}")
}

#[prompt]
async fn offer(#[resolve(price)] price: u32) -> String {
    format!("Offer at {price}.")
}

#[resource("book:///{title}")]
async fn book(title: String, #[resolve(price)] price: u32) -> String {
    format!("{title}: {price}")
}

fn main() {}
