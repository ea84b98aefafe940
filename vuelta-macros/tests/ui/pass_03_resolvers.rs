//! Resolvers of every kind, and what they may need.
#![deny(warnings)]
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use vuelta::{
    Answer, Client, Context, CreateMessageResult, Elicit, ElicitForm, ElicitResult, ElicitUrl,
    Form, ListRoots, ListRootsResult, McpServer, Root, Sample, ToolError, Visited, resolver, tool,
};

/// How often things ran.
#[derive(Default)]
struct Runs {
    price: AtomicU32,
}

#[derive(Form)]
struct Copies {
    #[form(min = 1, max = 99)]
    copies: u32,
}

/// A plain value, from an argument and shared state; not async.
#[resolver]
fn price(title: String, runs: &Runs) -> u64 {
    runs.price.fetch_add(1, Ordering::Relaxed);
    title.len() as u64
}

/// A question that depends on another resolver, and may fail.
#[resolver(key = "how_many")]
async fn copies(title: String, #[resolve(price)] price: u64) -> Result<Elicit<Copies>, ToolError> {
    if title.is_empty() {
        return Err(ToolError::new("no title"));
    }
    Ok(Elicit::ask(format!(
        "How many copies of {title} at {price}?"
    )))
}

#[resolver]
async fn paid(cx: &Context, owned: Context) -> Elicit<Visited> {
    assert_eq!(cx.request_id(), owned.request_id());
    Elicit::visit("Pay", "https://example.com/pay")
}

#[resolver]
async fn blurb(title: String) -> Sample {
    Sample::ask(format!("A blurb for {title}"), 16)
}

#[resolver]
async fn roots() -> vuelta::Result<ListRoots> {
    Ok(ListRoots::ask())
}

#[tool]
async fn order(
    title: String,
    #[resolve(copies)] copies: Copies,
    #[resolve(price)] price: u64,
    #[resolve(paid)] paid: Answer<Visited>,
    #[resolve(blurb)] blurb: CreateMessageResult,
    #[resolve(roots)] roots: ListRootsResult,
    runs: &Runs,
) -> Result<String, ToolError> {
    paid.accepted()?;
    let runs = runs.price.load(Ordering::Relaxed);
    let roots = roots.roots.len();
    Ok(format!(
        "{title} x {} = {}, {}, {roots}, {runs}",
        copies.copies, price, blurb.model
    ))
}

#[tokio::test]
async fn runs() -> vuelta::Result<()> {
    let server = McpServer::new("Test", "1")
        .state(Runs::default())
        .tool::<order>()
        .build()?;
    let client = Client::builder()
        .on_elicit(|form: ElicitForm| async move {
            assert_eq!(form.message, "How many copies of Dune at 4?");
            ElicitResult::accept(json!({ "copies": 2 }))
        })
        .on_elicit_url(|url: ElicitUrl| async move {
            assert_eq!(url.url, "https://example.com/pay");
            ElicitResult::accept_url()
        })
        .on_sample(|_| async { CreateMessageResult::text("a-model", "A desert.") })
        .on_list_roots(|_| async { ListRootsResult::new([Root::new("file:///a")]) })
        .connect(&server)
        .await?;
    let result = client
        .call_tool("order", json!({ "title": "Dune" }))
        .await?;
    // Two rounds, and in each of them the price is worked out once for both consumers.
    assert_eq!(result.as_text(), "Dune x 2 = 4, a-model, 1, 2");
    let result = client.call_tool("order", json!({ "title": "" })).await?;
    assert_eq!(result.as_text(), "Error executing tool order: no title");

    // Without the state that a resolver needs there is no server.
    let error = McpServer::new("Test", "1")
        .tool::<order>()
        .build()
        .unwrap_err();
    assert!(error.to_string().contains("Runs"), "{error}");
    Ok(())
}
