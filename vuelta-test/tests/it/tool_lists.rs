//! Tools that can be listed, but that not everybody can use: somebody is told.

use serde_json::json;
use vuelta::{Client, McpServer, tool};

use crate::logs::Logs;
use crate::scripted::Scripted;

#[tokio::test]
async fn a_tool_with_an_invalid_mark_is_left_out_with_a_warning() {
    let tool = |name: &str, mark: &str| {
        let place = json!({ "type": "string", "x-mcp-header": mark });
        let schema = json!({ "type": "object", "properties": { "place": place } });
        json!({ "name": name, "inputSchema": schema })
    };
    let page = json!({
        "resultType": "complete",
        "tools": [tool("good", "Place"), tool("bad", "No\r\nPlace"), tool("empty", "")],
        "ttlMs": 0,
        "cacheScope": "private",
    });
    let logs = Logs::capture();
    let client = Scripted::new([page]).connect(Client::builder()).await;
    let listed = client.list_tools().await.unwrap();
    let names: Vec<&str> = listed.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["good"]);

    // Each by its name, with the reason.
    for name in ["bad", "empty"] {
        let warned = logs.with(&format!("tool={name} "));
        assert_eq!(warned.len(), 1, "{warned:#?}");
        assert!(warned[0].starts_with("WARN"), "{warned:#?}");
        assert!(warned[0].contains("error="), "{warned:#?}");
    }
    assert!(logs.with("tool=good").is_empty());
}

/// Has a name that hosts take.
#[tool(name = "admin.tools-list_V2")]
fn plain() -> &'static str {
    "plain"
}

/// Has a name with a space.
#[tool(name = "two words")]
fn spaced() -> &'static str {
    "spaced"
}

/// Has a name that is longer than 128 characters.
#[tool(
    name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
)]
fn long() -> &'static str {
    "long"
}

#[tokio::test]
async fn a_name_that_some_hosts_refuse_is_warned_about() {
    let logs = Logs::capture();
    let server = McpServer::new("s", "1")
        .tool::<plain>()
        .tool::<spaced>()
        .tool::<long>()
        .build()
        .unwrap();
    let warned = logs.with("some hosts refuse this name");
    assert_eq!(warned.len(), 2, "{warned:#?}");
    assert!(warned.iter().all(|line| line.starts_with("WARN")));
    assert!(warned[0].contains("two words"), "{warned:#?}");
    assert!(warned[1].contains(&"a".repeat(129)), "{warned:#?}");

    // The rule is a recommendation: they are served.
    let client = Client::builder().connect(&server).await.unwrap();
    let result = client.call_tool("two words", ()).await.unwrap();
    assert_eq!(result.as_text(), "spaced");
}
