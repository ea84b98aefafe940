//! Arguments of attributes that are unknown, or misshapen.

use vuelta::{prompt, resolver, tool};

#[tool(names = "x", title, timeout = "30 seconds", icon = "http://example.com/i.png")]
async fn first() -> String {
    String::new()
}

#[tool(name = 1, read_only, destructive, closed = "yes", name = "again", mime_type = "a/b")]
async fn second() -> String {
    String::new()
}

#[tool(timeout = "0s", meta(version), meta = 1, name = "")]
async fn third() -> String {
    String::new()
}

#[prompt(read_only)]
async fn fourth() -> String {
    String::new()
}

#[resolver(name = "x")]
async fn fifth() -> String {
    String::new()
}

#[tool(name "x")]
async fn sixth() -> String {
    String::new()
}

#[tool(input_schema = schema(), closed)]
async fn seventh(region: String) -> String {
    region
}

#[tool(input_schema, header(region = "Region"))]
async fn eighth(region: String) -> String {
    region
}

fn main() {
    // What has errors is registered like the rest: no error follows from another.
    let _ = vuelta::McpServer::new("Test", "1").tool::<first>().tool::<second>().prompt::<fourth>();
}
