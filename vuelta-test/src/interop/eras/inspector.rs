//! The Inspector's command line at our server: one process a request.

use serde_json::{Value, json};

use crate::interop::Programs;
use crate::interop::check::{Checked, Failure, equal, in_time};
use crate::interop::matrix::Matrix;

use super::Servers;
use super::columns::{Column, Era, Role, Wire};
use super::peers::Peers;
use super::target::Target;

struct Request {
    method: &'static str,
    options: &'static [&'static str],
    check: fn(&Value) -> Checked,
}

const REQUESTS: [Request; 4] = [
    Request {
        method: "tools/list",
        options: &[],
        check: |result| {
            let add = json!({ "a": { "type": "integer" }, "b": { "type": "integer" } });
            let tools = result["tools"].as_array().ok_or("no tools")?;
            let found = tools.iter().find(|tool| tool["name"] == "add");
            let properties = &found.ok_or("no tool `add`")?["inputSchema"]["properties"];
            for argument in ["a", "b"] {
                let kind = &properties[argument]["type"];
                equal(argument, kind, &add[argument]["type"])?;
            }
            Ok(())
        },
    },
    Request {
        method: "tools/call",
        options: &[
            "--tool-name",
            "add",
            "--tool-args-json",
            r#"{"a":40,"b":2}"#,
        ],
        check: |result| {
            let wanted = json!({ "sum": 42 });
            equal("structuredContent", &result["structuredContent"], &wanted)
        },
    },
    Request {
        method: "resources/list",
        options: &[],
        check: |result| {
            let uris: Vec<_> = result["resources"]
                .as_array()
                .ok_or("no resources")?
                .iter()
                .map(|resource| &resource["uri"])
                .collect();
            equal("resources", uris, vec!["mem://note"])
        },
    },
    Request {
        method: "prompts/get",
        options: &["--prompt-name", "brief", "--prompt-args", "topic=birds"],
        check: |result| {
            let text = &result["messages"][0]["content"]["text"];
            equal("text", text, "Write a brief about birds.")
        },
    },
];

pub(super) async fn run(
    programs: &Programs,
    peers: &Peers,
    ours: &Servers,
) -> Result<Matrix, Failure> {
    let mut columns = Vec::new();
    for wire in [Wire::Http, Wire::Stdio] {
        columns.extend(Era::BOTH.map(|era| Column {
            role: Role::Client,
            wire,
            era,
        }));
    }
    let mut matrix = Matrix::new("Inspector 2.12.0", columns.iter().map(Column::to_string));
    for (index, column) in columns.iter().enumerate() {
        let target = ours.target(column.wire)?;
        let send = |request| in_time(send(programs, peers, &target, column.era, request));
        let [first, second, third, fourth] = &REQUESTS;
        // Most of the time a process is starting: all of them at the same time.
        let answers = tokio::join!(send(first), send(second), send(third), send(fourth));
        let answers = [answers.0, answers.1, answers.2, answers.3];
        for (request, checked) in REQUESTS.iter().zip(answers) {
            matrix.set(request.method, index, checked);
        }
    }
    Ok(matrix)
}

async fn send(
    programs: &Programs,
    peers: &Peers,
    target: &Target,
    era: Era,
    request: &Request,
) -> Checked {
    let mut line = peers
        .inspector()
        .with(["--protocol-era", era.name(), "--method", request.method])
        .with(request.options);
    line = match target {
        Target::Url(url) => line.with(["--server-url", url]),
        Target::Program(server) => line.with(["--"]).with(&server.0),
    };
    let mut inspector = line.owned(programs)?;
    // Otherwise it keeps what it knows of servers in the user's home.
    let files = programs.own.with_file_name("inspector");
    inspector
        .env("MCP_CATALOG_PATH", files.join("servers.json"))
        .env("MCP_STORAGE_DIR", files);
    let output = inspector.output().await?;
    let printed = String::from_utf8(output.stdout)?;
    let answer: Value = serde_json::from_str(printed.trim())
        .map_err(|error| format!("{error} in {printed:?}, status {}", output.status))?;
    (request.check)(&answer["result"])
}
