//! Scenarios of questions: forms accepted as they are, and state handed back as it came.

use serde_json::json;
use vuelta::{ElicitForm, ElicitResult, Result};

use crate::scenario::{self, Scenario};
use crate::tools::succeeded;

/// Accepts a form without typing: its defaults are the answer.
pub(crate) async fn accept_defaults(scenario: &Scenario) -> Result<()> {
    let client = scenario.connect().await?;
    client.list_tools().await?;
    let result = client
        .call_tool("test_client_elicitation_defaults", json!({}))
        .await?;
    succeeded(&result)
}

/// Calls tools that ask with state, without it, and not at all, two of them at the same time.
pub(crate) async fn keep_state(scenario: &Scenario) -> Result<()> {
    let client = scenario::builder()
        .on_elicit(|_: ElicitForm| async { ElicitResult::accept(json!({ "confirmed": true })) });
    let client = scenario.connect_with(client).await?;
    client.list_tools().await?;
    let (with_state, unrelated) = tokio::join!(
        client.call_tool("test_mrtr_echo_state", json!({})),
        client.call_tool("test_mrtr_unrelated", json!({})),
    );
    succeeded(&with_state?)?;
    succeeded(&unrelated?)?;
    succeeded(&client.call_tool("test_mrtr_no_state", json!({})).await?)?;
    succeeded(
        &client
            .call_tool("test_mrtr_no_result_type", json!({}))
            .await?,
    )
}
