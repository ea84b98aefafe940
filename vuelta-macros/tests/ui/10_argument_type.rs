//! Arguments of types that cannot be read, or not be described.

use vuelta::{prompt, tool};

struct Opaque;

#[derive(serde::Deserialize)]
struct NoSchema;

#[tool]
async fn first(what: Opaque) -> String {
    drop(what);
    String::new()
}

#[tool]
async fn second(what: Vec<NoSchema>) -> String {
    drop(what);
    String::new()
}

#[prompt]
async fn third(what: Option<NoSchema>) -> String {
    drop(what);
    String::new()
}

fn main() {}
