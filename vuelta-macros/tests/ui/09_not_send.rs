//! Futures that cannot move between threads.

use std::rc::Rc;

use vuelta::{resolver, tool};

async fn pause() {}

#[tool]
async fn count(name: String) -> String {
    let shared = Rc::new(name);
    pause().await;
    shared.to_string()
}

#[resolver]
async fn length(name: String) -> usize {
    let shared = Rc::new(name);
    pause().await;
    shared.len()
}

fn main() {}
