//! Questions of resolvers and bodies: returned at 2026-07-28, pushed before.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use vuelta::{
    Answer, Ask, CallToolResult, Client, ClientBuilder, Context, CreateMessageParams,
    CreateMessageResult, Elicit, ElicitForm, ElicitResult, ElicitUrl, Error, ErrorCode, Form,
    IntoServer, ListRootsResult, McpServer, Mode, Root, SamplingMessage, Server, ToolError,
    resolver, tool,
};

use super::{Way, connect, everywhere};

/// The region of a database.
#[derive(Form, Clone, Debug, PartialEq)]
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

/// Tells what the user did with the question.
#[tool]
async fn outcome(#[resolve(region)] at: Answer<Region>, name: String) -> String {
    match at {
        Answer::Accept(at) => format!("{name}: {}", at.region),
        Answer::Decline => "declined".to_owned(),
        Answer::Cancel => "cancelled".to_owned(),
    }
}

/// Confirms.
#[derive(Form)]
struct Sure {
    /// Whether to go on
    sure: bool,
}

/// Deletes files, counted once.
#[tool]
async fn delete(path: String, ask: Ask, counted: &AtomicUsize) -> Result<String, ToolError> {
    let count = || async {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok::<_, ToolError>(3)
    };
    let files: u32 = ask.once("count", count).await?;
    let message = format!("Delete {files} files of {path}?");
    let Sure { sure } = ask.form::<Sure>("sure", message).await?.accepted()?;
    Ok(if sure { "deleted" } else { "kept" }.to_owned())
}

/// Asks all four kinds of question in a straight line.
#[tool]
async fn kinds(ask: Ask) -> Result<String, ToolError> {
    let Region { region } = ask.form::<Region>("form", "Where?").await?.accepted()?;
    let visited = ask
        .url("url", "Sign in", "https://example.com/sign-in")
        .await?;
    let question = CreateMessageParams::new([SamplingMessage::user("Capital of France?")], 16_u64);
    let sampled = ask.sample("model", question).await?;
    let roots = ask.roots().await?;
    let visited = visited.accept().is_some();
    let capital = sampled.content.as_text().unwrap_or_default().to_owned();
    Ok(format!(
        "{region}/{visited}/{capital}/{}",
        roots.roots.len()
    ))
}

fn server() -> Server {
    McpServer::new("Provisioner", "1.0.0")
        .state(AtomicUsize::new(0))
        .tool::<provision>()
        .tool::<outcome>()
        .tool::<delete>()
        .tool::<kinds>()
        .into_server()
        .unwrap()
}

/// A client that can answer every kind of question.
fn answering() -> ClientBuilder {
    Client::builder()
        .on_elicit(|form: ElicitForm| async move {
            if form.requested_schema.properties.contains_key("sure") {
                return ElicitResult::accept(json!({ "sure": true }));
            }
            ElicitResult::accept(json!({ "region": "eu-west-1" }))
        })
        .on_elicit_url(|url: ElicitUrl| async move {
            assert_eq!(url.url, "https://example.com/sign-in");
            ElicitResult::accept_url()
        })
        .on_sample(|_| async { CreateMessageResult::text("a-model", "Paris") })
        .on_list_roots(|_| async { ListRootsResult::new([Root::new("file:///w")]) })
}

async fn call(
    builder: ClientBuilder,
    (way, mode): (Way, Mode),
    tool: &str,
    arguments: serde_json::Value,
) -> Result<CallToolResult, Error> {
    let client = connect(way, builder.mode(mode), &server()).await?;
    client.call_tool(tool, arguments).await
}

#[tokio::test]
async fn a_resolver_asks_on_both_eras() {
    for place in everywhere() {
        let result = call(answering(), place, "provision", json!({ "name": "orders" })).await;
        assert_eq!(
            result.unwrap().as_text(),
            "Provisioned orders in eu-west-1."
        );
    }
}

#[tokio::test]
async fn a_body_asks_every_kind_in_a_straight_line_on_both_eras() {
    for place in everywhere() {
        let result = call(answering(), place, "kinds", json!({})).await.unwrap();
        assert_eq!(result.as_text(), "eu-west-1/true/Paris/1");
    }
}

#[tokio::test]
async fn what_is_computed_once_is_computed_once_on_both_eras() {
    for place in everywhere() {
        let result = call(answering(), place, "delete", json!({ "path": "/srv" })).await;
        assert_eq!(result.unwrap().as_text(), "deleted");
    }
}

#[tokio::test]
async fn a_refusal_reaches_the_consumer_on_both_eras() {
    type Action = fn() -> ElicitResult;
    let actions: [(Action, &str, &str); 2] = [
        (ElicitResult::decline, "declined", "decline"),
        (ElicitResult::cancel, "cancelled", "cancel"),
    ];
    for place in everywhere() {
        for (answer, told, action) in actions {
            let refusing = || Client::builder().on_elicit(move |_| async move { answer() });
            let arguments = json!({ "name": "orders" });
            let result = call(refusing(), place.clone(), "outcome", arguments.clone()).await;
            assert_eq!(result.unwrap().as_text(), told);
            let result = call(refusing(), place.clone(), "provision", arguments)
                .await
                .unwrap();
            assert!(result.failed());
            assert!(
                result
                    .as_text()
                    .contains(&format!("elicitation was {action}"))
            );
        }
    }
}

#[tokio::test]
async fn a_client_that_declared_nothing_is_asked_nothing_on_both_eras() {
    for place in everywhere() {
        let arguments = json!({ "name": "orders" });
        let error = call(Client::builder(), place, "provision", arguments)
            .await
            .unwrap_err();
        assert_eq!(
            error.code(),
            Some(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY)
        );
        let data = error.as_rpc().unwrap().data.clone().unwrap();
        let required: serde_json::Value = data.parse().unwrap();
        assert_eq!(
            required,
            json!({ "requiredCapabilities": { "elicitation": { "form": {} } } })
        );
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_asked_for_again_on_both_eras() {
    for place in everywhere() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let builder = Client::builder().on_elicit(move |_| {
            let first = counter.fetch_add(1, Ordering::Relaxed) == 0;
            async move {
                let region = if first { json!(7) } else { json!("eu-west-1") };
                ElicitResult::accept(json!({ "region": region }))
            }
        });
        let result = call(builder, place, "provision", json!({ "name": "orders" })).await;
        assert_eq!(
            result.unwrap().as_text(),
            "Provisioned orders in eu-west-1."
        );
        assert_eq!(asked.load(Ordering::Relaxed), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_people_is_no_time_of_a_request_on_both_eras() {
    use std::time::Duration;
    // The paused clock knows nothing of sockets.
    let places = everywhere()
        .into_iter()
        .filter(|(way, _)| !matches!(way, Way::Http));
    for place in places {
        let slow = Client::builder()
            .timeout(Duration::from_millis(200))
            .on_elicit(|_| async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                ElicitResult::accept(json!({ "region": "eu-west-1" }))
            });
        let result = call(slow, place, "provision", json!({ "name": "orders" })).await;
        assert_eq!(
            result.unwrap().as_text(),
            "Provisioned orders in eu-west-1."
        );
    }
}

#[tokio::test]
async fn a_callback_that_fails_ends_the_call_on_both_eras() {
    for place in everywhere() {
        let failing = Client::builder().on_elicit(|_| async {
            Err::<ElicitResult, _>(Error::rpc(ErrorCode(-1), "no terminal"))
        });
        let ended = call(
            failing,
            place.clone(),
            "provision",
            json!({ "name": "orders" }),
        )
        .await;
        // Where the question is a result the error is the caller's own; where it is pushed the
        // server learns of it, and the model reads why the tool failed.
        match ended {
            Err(error) => assert_eq!(error.code(), Some(ErrorCode(-1))),
            Ok(result) => {
                assert!(result.failed());
                assert!(
                    result.as_text().contains("no terminal"),
                    "{}",
                    result.as_text()
                );
            }
        }
    }
}

/// Says what the connection is.
#[tool]
async fn connection(cx: &Context) -> String {
    format!("{} {}", cx.protocol_version(), cx.is_legacy())
}

#[tokio::test]
async fn a_handler_knows_the_revision() {
    let server = McpServer::new("s", "1")
        .tool::<connection>()
        .into_server()
        .unwrap();
    let told = ["2026-07-28 false", "2025-11-25 true"];
    for ((way, mode), told) in everywhere().into_iter().zip(told.into_iter().cycle()) {
        let client = connect(way, Client::builder().mode(mode), &server)
            .await
            .unwrap();
        let result = client.call_tool("connection", ()).await.unwrap();
        assert_eq!(result.as_text(), told);
    }
}
