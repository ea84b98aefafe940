//! A dependency that asks: bindings may be called like resolvers.

use vuelta::{Answer, Client, Elicit, ElicitForm, ElicitResult, Form, McpServer, resolver, tool};

#[derive(Form)]
struct Region {
    /// AWS region
    region: String,
}

#[resolver]
async fn region(name: String) -> Elicit<Region> {
    Elicit::ask(format!("Which region should {name} live in?"))
}

/// Provision a database. Asks which region to put it in.
#[tool]
async fn provision(name: String, #[resolve(region)] region: Region) -> String {
    format!("Provisioned {name:?} in {}.", region.region)
}

#[tool]
fn describe(name: String, #[resolve(region)] answer: Answer<Region>) -> String {
    match answer {
        Answer::Accept(region) => format!("{name} in {}", region.region),
        Answer::Decline => "declined".to_owned(),
        Answer::Cancel => "cancelled".to_owned(),
    }
}

#[tokio::test]
async fn runs() -> vuelta::Result<()> {
    let server = McpServer::new("Test", "1")
        .tool::<provision>()
        .tool::<describe>()
        .build()?;
    let client = Client::builder()
        .on_elicit(|form: ElicitForm| async move {
            assert_eq!(form.message, "Which region should orders live in?");
            let region = &form.requested_schema.properties;
            assert!(region.get("region").is_some());
            Ok::<_, vuelta::Error>(ElicitResult::accept(serde_json::json!({ "region": "eu" })))
        })
        .connect(&server)
        .await?;
    let result = client
        .call_tool("provision", serde_json::json!({ "name": "orders" }))
        .await?;
    assert_eq!(result.as_text(), "Provisioned \"orders\" in eu.");
    let result = client
        .call_tool("describe", serde_json::json!({ "name": "orders" }))
        .await?;
    assert_eq!(result.as_text(), "orders in eu");

    // The function is still a function.
    let region = Region {
        region: "us".to_owned(),
    };
    assert_eq!(
        provision("x".to_owned(), region).await,
        "Provisioned \"x\" in us."
    );
    Ok(())
}
