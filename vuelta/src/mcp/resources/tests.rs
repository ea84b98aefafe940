#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_async,
    reason = "the form of tools and resolvers"
)]

use serde_json::json;

use crate::testing::TestServer;
use crate::{Client, ErrorCode, Json, McpServer, ResourceContents, resource};

/// What is at a place.
#[resource("mem://a", mime_type = "text/markdown", title = "A")]
fn at_a() -> &'static str {
    "# a"
}

/// Bytes.
#[resource("mem://bytes")]
fn bytes() -> Vec<u8> {
    vec![0, 1, 255]
}

/// Data.
#[resource("mem://data")]
fn data() -> Json<Vec<u32>> {
    Json(vec![1, 2])
}

/// A page of a book.
#[resource("book://{title}/{page}{?lines,loud}")]
fn page(title: String, page: u32, lines: Option<u32>, #[default = false] loud: bool) -> String {
    format!("{title} {page} {lines:?} {loud}")
}

/// A file below a folder.
#[resource("file:///{+path}")]
fn file(path: String) -> String {
    path
}

fn server() -> TestServer {
    let server = McpServer::new("R", "1")
        .resource::<at_a>()
        .resource::<bytes>()
        .resource::<data>();
    TestServer::new(server.resource::<page>().resource::<file>()).unwrap()
}

#[tokio::test]
async fn contents_have_their_media_types() {
    for (uri, mime_type, content) in [
        ("mem://a", "text/markdown", "# a"),
        ("mem://bytes", "application/octet-stream", "AAH/"),
        ("mem://data", "application/json", "[1,2]"),
        ("book://Emma/3", "text/plain", "Emma 3 None false"),
    ] {
        let run = server().resource(uri).run().await;
        let [contents] = run.result().contents.as_slice() else {
            panic!("one content of {uri}")
        };
        let (given_uri, given_type, given) = match contents {
            ResourceContents::Text(text) => (&text.uri, &text.mime_type, &text.text),
            ResourceContents::Blob(blob) => (&blob.uri, &blob.mime_type, &blob.blob),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (given_uri.as_str(), given_type.as_deref(), given.as_str()),
            (uri, Some(mime_type), content)
        );
    }
}

#[tokio::test]
async fn variables_are_read_by_their_types() {
    let text = async |uri: &str| server().resource(uri).run().await.text();
    assert_eq!(
        text("book://12/3?lines=7&loud=true").await,
        "12 3 Some(7) true"
    );
    assert_eq!(
        text("book://Caf%C3%A9/3?loud=false&other=1").await,
        "Café 3 None false"
    );
    assert_eq!(text("file:///a/b.txt").await, "a/b.txt");
}

#[tokio::test]
async fn what_is_not_there_is_an_error_that_names_it() {
    for uri in [
        "mem://a/",
        "MEM://a",
        "mem://b",
        "book://Emma/three",
        "book://Emma/-1",
        "book://Emma/3?lines=x",
        "book://Emma",
        "file:///../etc/passwd",
        "file:///a/%2e%2e/b",
        "file:////etc/passwd",
        "",
    ] {
        let run = server().resource(uri).run().await;
        let error = run.error().as_rpc().unwrap();
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{uri}");
        assert_eq!(error.message, format!("Unknown resource: {uri}"));
        let named: serde_json::Value = error.data.as_ref().unwrap().parse().unwrap();
        assert_eq!(named, json!({ "uri": uri }));
    }
}

#[tokio::test]
async fn resources_and_families_are_listed_apart() {
    let client = Client::builder().connect(server().server()).await.unwrap();
    let listed = client.list_resources().await.unwrap();
    assert_eq!(
        listed
            .resources
            .iter()
            .map(|resource| resource.uri.as_str())
            .collect::<Vec<_>>(),
        ["mem://a", "mem://bytes", "mem://data"]
    );
    assert_eq!(listed.resources[0].title.as_deref(), Some("A"));
    assert_eq!(
        listed.resources[0].description.as_deref(),
        Some("What is at a place.")
    );
    let templates = client.list_resource_templates().await.unwrap();
    assert_eq!(
        templates
            .resource_templates
            .iter()
            .map(|template| template.uri_template.as_str())
            .collect::<Vec<_>>(),
        ["book://{title}/{page}{?lines,loud}", "file:///{+path}"]
    );
}
