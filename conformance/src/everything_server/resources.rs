//! The resources and the template.

use serde_json::json;
use vuelta::wire::TextResourceContents;
use vuelta::{
    Context, Error, ListResourceTemplatesResult, ListResourcesResult, PaginatedParams,
    ReadResourceParams, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Result,
};

use crate::samples;

pub(crate) const TEMPLATE: &str = "test://template/{id}/data";

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";

pub(crate) async fn list(_: Context, _: PaginatedParams) -> Result<ListResourcesResult> {
    Ok(ListResourcesResult::new([
        Resource::new(TEXT, "static-text")
            .description("A text.")
            .mime_type("text/plain"),
        Resource::new(BINARY, "static-binary")
            .description("A picture.")
            .mime_type("image/png"),
        Resource::new(WATCHED, "watched-resource")
            .description("A text to be told about.")
            .mime_type("text/plain"),
    ]))
}

pub(crate) async fn list_templates(
    _: Context,
    _: PaginatedParams,
) -> Result<ListResourceTemplatesResult> {
    Ok(ListResourceTemplatesResult::new([ResourceTemplate::new(
        TEMPLATE, "template",
    )
    .description("Data by its id.")
    .mime_type("application/json")]))
}

pub(crate) async fn read(_: Context, params: ReadResourceParams) -> Result<ReadResourceResult> {
    let uri = params.uri.as_str();
    let text = |text: &str, kind: &str| TextResourceContents::new(uri, text).mime_type(kind).into();
    let contents: ResourceContents = match uri {
        TEXT => text(
            "This is the content of the static text resource.",
            "text/plain",
        ),
        BINARY => samples::blob(uri).into(),
        WATCHED => text("Watched resource content.", "text/plain"),
        _ => {
            let id = template_id(uri).ok_or_else(|| Error::unknown_resource(uri))?;
            let data =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            text(&data.to_string(), "application/json")
        }
    };
    Ok(ReadResourceResult::new([contents]))
}

/// Returns the variable of a URI that matches [`TEMPLATE`].
fn template_id(uri: &str) -> Option<&str> {
    let (before, after) = TEMPLATE.split_once("{id}")?;
    let id = uri.strip_prefix(before)?.strip_suffix(after)?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}
