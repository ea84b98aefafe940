//! Functions that return what cannot be shown.

use vuelta::{Json, McpServer, prompt, resource, tool};

struct Opaque;

#[derive(serde::Serialize)]
struct NoSchema;

#[tool]
async fn first() -> Opaque {
    Opaque
}

#[tool]
async fn second() -> Json<NoSchema> {
    Json(NoSchema)
}

#[tool]
async fn third() -> Result<String, Opaque> {
    Err(Opaque)
}

#[prompt]
async fn fourth() -> u32 {
    1
}

#[resource("mem://a")]
async fn fifth() -> u32 {
    1
}

fn plain() -> String {
    String::new()
}

fn main() {
    let _ = McpServer::new("Test", "1").tool::<plain>().tool::<fourth>();
}
