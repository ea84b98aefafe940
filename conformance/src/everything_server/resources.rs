//! The resources and the template.

use serde::Serialize;
use vuelta::{BlobResourceContents, Json, McpServer, ResourceContents, resource};

use crate::samples;

pub(crate) fn register(server: McpServer) -> McpServer {
    server
        .resource::<static_text>()
        .resource::<static_binary>()
        .resource::<watched_resource>()
        .resource::<template>()
}

/// A text.
#[resource("test://static-text")]
fn static_text() -> &'static str {
    "This is the content of the static text resource."
}

/// A picture.
#[resource("test://static-binary", mime_type = "image/png")]
fn static_binary() -> ResourceContents {
    BlobResourceContents::new("test://static-binary", samples::PNG)
        .mime_type("image/png")
        .into()
}

/// A text to be told about.
#[resource("test://watched-resource")]
fn watched_resource() -> &'static str {
    "Watched resource content."
}

#[derive(Serialize)]
struct Data {
    id: String,
    data: String,
}

/// Data by its id.
#[resource("test://template/{id}/data", mime_type = "application/json")]
fn template(id: String) -> Json<Data> {
    let data = format!("Data for ID: {id}");
    Json(Data { id, data })
}
