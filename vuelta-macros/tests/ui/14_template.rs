//! Templates and parameters that differ.

use vuelta::{prompt, resource};

#[resource("note:///{name}/{version}")]
async fn missing_parameter(name: String) -> String {
    name
}

#[resource("note:///{name}")]
async fn missing_variable(name: String, version: u32) -> String {
    format!("{name} {version}")
}

#[resource("note:///{names}")]
async fn misspelt(name: String) -> String {
    name
}

#[resource("note:///{name}{?limit,after}")]
async fn query(name: String, limit: u32, after: Option<String>) -> String {
    format!("{name} {limit} {after:?}")
}

#[resource("note:///{name}/{name}")]
async fn twice(name: String) -> String {
    name
}

#[resource("note:///{name*}")]
async fn exploded(name: String) -> String {
    name
}

#[resource("note:///{name")]
async fn unclosed(name: String) -> String {
    name
}

#[resource("/notes/{name}")]
async fn no_scheme(name: String) -> String {
    name
}

#[resource]
async fn no_uri() -> String {
    String::new()
}

#[resource(mime_type = "text/plain")]
async fn no_uri_first() -> String {
    String::new()
}

#[prompt("briefing")]
async fn not_a_resource() -> String {
    String::new()
}

fn main() {}
