//! What a trace tells of a call, and what it never tells.

use std::collections::BTreeSet;

use serde_json::json;
use vuelta::{Client, Elicit, ElicitResult, Form, IntoServer, McpServer, Mode, resolver, tool};

use crate::logs::Logs;

/// The region of a database.
#[derive(Form, Clone)]
struct Region {
    /// AWS region
    region: String,
}

#[resolver]
async fn region(name: String) -> Elicit<Region> {
    Elicit::ask(format!("Which region should {name} live in?"))
}

/// Provisions a database.
#[tool]
async fn provision(name: String, #[resolve(region)] at: Region) -> String {
    format!("Provisioned {name} in {}.", at.region)
}

/// Returns the values of a field in records of the form `field=value`.
fn values(records: &[String], field: &str) -> Vec<String> {
    let prefix = format!("{field}=");
    let words = records.iter().flat_map(|record| record.split_whitespace());
    let values = words.filter_map(|word| word.strip_prefix(&prefix));
    values
        .map(|value| value.trim_matches('"').to_owned())
        .collect()
}

#[tokio::test]
async fn the_rounds_of_a_flow_are_linked_and_nothing_secret_is_told() {
    let server = McpServer::new("s", "1")
        .tool::<provision>()
        .into_server()
        .unwrap();
    for (mode, revision, rounds) in [
        (Mode::auto(), "2026-07-28", vec!["1", "2"]),
        (Mode::legacy(), "2025-11-25", vec!["1"]),
    ] {
        let builder = Client::builder()
            .mode(mode)
            .on_elicit(|_| async { ElicitResult::accept(json!({ "region": "secret-region" })) });
        let client = builder.connect(&server).await.unwrap();
        let logs = Logs::capture();
        let result = client
            .call_tool("provision", json!({ "name": "secret-name" }))
            .await;
        assert_eq!(
            result.unwrap().as_text(),
            "Provisioned secret-name in secret-region."
        );
        let records = logs.all();
        assert_eq!(values(&records, "round"), rounds);
        let flows: BTreeSet<_> = values(&records, "flow").into_iter().collect();
        assert_eq!(flows.len(), 1, "one flow: {records:#?}");
        assert_eq!(flows.first().unwrap().len(), 16);
        assert!(
            values(&records, "target")
                .iter()
                .all(|target| target == "provision")
        );
        assert!(values(&records, "revision").contains(&revision.to_owned()));
        for secret in ["secret-name", "secret-region", "Which region"] {
            logs.never_say(secret);
        }
    }
}
