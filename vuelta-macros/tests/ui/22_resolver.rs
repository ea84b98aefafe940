//! What a resolver cannot give, or not take.

use vuelta::resolver;

struct Opaque;

#[resolver]
async fn opaque() -> Opaque {
    Opaque
}

#[resolver]
async fn copies(what: Opaque) -> u32 {
    drop(what);
    1
}

#[resolver]
async fn borrowed(name: String) -> &'static str {
    drop(name);
    ""
}

#[resolver(key = "")]
async fn no_key() -> u32 {
    1
}

#[resolver]
async fn no_form() -> Elicit {
    1
}

fn main() {}
