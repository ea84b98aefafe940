//! A client with a callback: the server's questions are answered, and the rounds are invisible.
//!
//! ```console
//! $ cargo run -p examples --bin provision_server
//! $ cargo run -p examples --bin provision_client
//! ```
//!
//! A URL can be given; `http://127.0.0.1:8000/mcp` is the default.

use serde_json::json;
use vuelta::{Client, ElicitForm, ElicitResult, Result};

async fn choose(form: ElicitForm) -> ElicitResult {
    println!("asked: {}", form.message);
    ElicitResult::accept(json!({ "region": "eu-west-1" }))
}

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::args().nth(1);
    let url = url.as_deref().unwrap_or("http://127.0.0.1:8000/mcp");

    let client = Client::builder()
        .on_elicit(choose)
        .connect(vuelta_http::url(url)?)
        .await?;
    let result = client
        .call_tool("provision", json!({ "name": "orders" }))
        .await?;
    println!("{}", result.as_text());
    Ok(())
}
