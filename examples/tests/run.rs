//! Runs each example as a user would, and compares what it prints.

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;
use vuelta::{Client, ElicitResult};

/// How long an example may take to answer before it counts as hung.
const PATIENCE: Duration = Duration::from_secs(30);

const PROVISION_SERVER: &str = env!("CARGO_BIN_EXE_provision_server");
const PROVISION_CLIENT: &str = env!("CARGO_BIN_EXE_provision_client");
const MANUAL_LOOP: &str = env!("CARGO_BIN_EXE_manual_loop");
const FLEET_KEYS: &str = env!("CARGO_BIN_EXE_fleet_keys");
const ENVELOPE_CODEC: &str = env!("CARGO_BIN_EXE_envelope_codec");
const BRIEFING_PROMPT: &str = env!("CARGO_BIN_EXE_briefing_prompt");

const BOOKSHOP: &str = env!("CARGO_BIN_EXE_bookshop");
const DELETE_FOLDER: &str = env!("CARGO_BIN_EXE_delete_folder");

/// A server on a free port; it ends when this value is dropped.
struct Serving {
    _child: Child,
    url: String,
}

impl Serving {
    async fn start(program: &str) -> Self {
        let mut child = Command::new(program)
            .arg("127.0.0.1:0")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the example was built");
        let stdout = child.stdout.take().expect("piped");
        let mut lines = BufReader::new(stdout).lines();
        let line = timeout(PATIENCE, lines.next_line())
            .await
            .expect("in time")
            .expect("readable");
        let line = line.expect("the server prints where it listens");
        let url = line
            .strip_prefix("listening on ")
            .expect("the address")
            .to_owned();
        Self { _child: child, url }
    }
}

async fn finished(program: &str, arguments: &[&str]) -> Output {
    let output = Command::new(program)
        .args(arguments)
        .kill_on_drop(true)
        .output();
    timeout(PATIENCE, output)
        .await
        .expect("in time")
        .expect("the example was built")
}

/// Runs an example that has to succeed and returns what it printed.
async fn run(program: &str, arguments: &[&str]) -> String {
    let output = finished(program, arguments).await;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Runs an example that has to fail and returns its complaint.
async fn fail(program: &str, arguments: &[&str]) -> String {
    let output = finished(program, arguments).await;
    assert_eq!(output.status.code(), Some(1), "{program} {arguments:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[tokio::test]
async fn a_client_never_sees_the_rounds() {
    let server = Serving::start(PROVISION_SERVER).await;
    assert_eq!(
        run(PROVISION_CLIENT, &[&server.url]).await,
        "asked: Which region should the database live in?\n\
         Provisioned orders in eu-west-1.\n"
    );
}

#[tokio::test]
async fn a_second_process_finishes_the_flow_that_the_first_has_stored() {
    let server = Serving::start(PROVISION_SERVER).await;
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("flow.json");
    let file = file.to_str().expect("UTF-8");

    assert_eq!(
        run(MANUAL_LOOP, &["begin", &server.url, file]).await,
        format!("asked for region: Which region should the database live in?\nstored in {file}\n")
    );
    let stored = std::fs::read_to_string(file).expect("the flow was stored");
    assert!(
        !stored.contains("provision-v1"),
        "the state is sealed: {stored}"
    );
    assert_eq!(
        run(MANUAL_LOOP, &["finish", &server.url, file, "eu-west-1"]).await,
        "Provisioned orders in eu-west-1.\n"
    );

    // Another process of the server has another key.
    let other = Serving::start(PROVISION_SERVER).await;
    let complaint = fail(MANUAL_LOOP, &["finish", &other.url, file, "eu-west-1"]).await;
    assert!(
        complaint.contains("Invalid or expired requestState"),
        "{complaint}"
    );
    let complaint = fail(MANUAL_LOOP, &["begin"]).await;
    assert!(complaint.contains("usage: "), "{complaint}");
}

#[tokio::test]
async fn a_rotation_loses_a_flow_only_in_the_wrong_order() {
    let printed = run(FLEET_KEYS, &[]).await;
    let (right, wrong) = printed.split_once("the wrong order").expect("both parts");
    let lines_with = |end: &str| right.lines().filter(|line| line.ends_with(end)).count();
    assert_eq!(lines_with("instance 0 replaced: no flow lost"), 3);
    assert_eq!(lines_with("instance 1 replaced: no flow lost"), 3);
    let lost = r#"Invalid or expired requestState (-32602) {"reason":"invalid_request_state"}"#;
    assert_eq!(wrong.lines().last().map(str::trim), Some(lost));
}

#[tokio::test]
async fn a_codec_opens_only_the_exact_text_that_it_gave() {
    let printed = run(ENVELOPE_CODEC, &[]).await;
    let lines: Vec<&str> = printed.lines().collect();
    let [token, opened, refused] = lines[..] else {
        panic!("three lines: {printed}")
    };
    assert!(token.starts_with("token: kms1."), "{token}");
    assert_eq!(opened, "as it was: deployed tonight");
    assert!(
        refused.starts_with("in upper case: Invalid or expired requestState"),
        "{refused}"
    );
}

#[tokio::test]
async fn prompts_and_template_resources_ask() {
    assert_eq!(
        run(BRIEFING_PROMPT, &[]).await,
        "asked: Who is the briefing for?\n\
         user: Write a briefing for the board.\n\
         asked: Which language?\n\
         note:///plan: The note plan.\n"
    );
}

async fn client(server: &Serving, answer: Value) -> Client {
    Client::builder()
        .on_elicit(move |_| {
            let answer = ElicitResult::accept(answer.clone());
            async move { answer }
        })
        .connect(vuelta_http::url(&server.url).expect("a URL"))
        .await
        .expect("the server answers")
}

#[tokio::test]
async fn a_dependency_asks_only_when_it_must() {
    let server = Serving::start(BOOKSHOP).await;
    let client = client(&server, json!({ "confirm": true })).await;
    let ordered = client
        .call_tool("order_book", json!({ "title": "Dune" }))
        .await
        .unwrap();
    assert_eq!(ordered.as_text(), "Ordered 'Dune'; it arrives tomorrow.");
    let waited = client
        .call_tool("order_book", json!({ "title": "Neuromancer" }))
        .await
        .unwrap();
    assert_eq!(
        waited.as_text(),
        "Backordered 'Neuromancer'; it arrives in 2-3 weeks."
    );
}

#[tokio::test]
async fn a_question_in_the_middle_of_a_body() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("delete_folder");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a"), "").unwrap();
    let server = Serving::start(DELETE_FOLDER).await;
    let arguments = json!({ "path": folder });

    let unsure = client(&server, json!({ "sure": false })).await;
    let kept = unsure.call_tool("delete", &arguments).await.unwrap();
    assert_eq!(kept.as_text(), "Nothing was deleted.");
    assert!(folder.exists());

    let sure = client(&server, json!({ "sure": true })).await;
    let deleted = sure.call_tool("delete", &arguments).await.unwrap();
    assert_eq!(
        deleted.as_text(),
        format!("Deleted {} with 1 files.", folder.display())
    );
    assert!(!folder.exists());
}
