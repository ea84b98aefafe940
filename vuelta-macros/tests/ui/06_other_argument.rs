//! A resolver that uses an argument of the call as another type.

use vuelta::{resolver, tool};

#[resolver]
async fn price(copies: u32) -> u32 {
    copies * 2
}

#[resolver]
async fn total(#[resolve(price)] price: u32) -> u32 {
    price
}

#[tool]
async fn order(copies: String, #[resolve(price)] price: u32) -> String {
    format!("{copies}: {price}")
}

#[tool]
async fn deliver(copies: Option<u32>, #[resolve(total)] total: u32) -> String {
    format!("{copies:?}: {total}")
}

fn main() {}
