//! The Python client: all scenarios of the fixture in one run, or the halves of one flow.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::Programs;
use super::check::{Checked, Failure};
use super::printed;

/// Runs every scenario of a Python program against a server.
pub(super) async fn scenarios(
    programs: &Programs,
    program: &str,
    url: &str,
) -> Result<Vec<(String, Checked)>, Failure> {
    let mut client = programs.python(program)?;
    client.arg(url);
    printed::scenarios(client).await
}

/// The Python client as a process that begins and finishes flows, one line each.
#[derive(Debug)]
pub(super) struct Halves {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

/// One request for a tool, a prompt or a resource.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Asking {
    /// `tool`, `prompt` or `resource`.
    pub(super) kind: &'static str,
    /// The name, or the URI.
    pub(super) name: &'static str,
    /// The arguments of a tool.
    pub(super) arguments: Value,
}

impl Halves {
    pub(super) fn start(programs: &Programs) -> Result<Self, Failure> {
        let mut child = programs.python("seal.py")?.spawn()?;
        let input = child.stdin.take().ok_or("no standard input")?;
        let output = child.stdout.take().ok_or("no standard output")?;
        Ok(Self {
            _child: child,
            input,
            output: BufReader::new(output).lines(),
        })
    }

    /// Sends the first round, and returns the state that came with the question.
    pub(super) async fn begin(&mut self, url: &str, asking: &Asking) -> Result<String, Failure> {
        let answer = self
            .line(&json!({ "op": "begin", "url": url }), asking)
            .await?;
        member(&answer, "state")
    }

    /// Sends the answers and the state, and returns the result.
    pub(super) async fn finish<R: DeserializeOwned>(
        &mut self,
        url: &str,
        asking: &Asking,
        responses: &Value,
        state: &str,
    ) -> Result<R, Failure> {
        let half = json!({ "op": "finish", "url": url, "responses": responses, "state": state });
        let answer = self.line(&half, asking).await?;
        member(&answer, "result")
    }

    async fn line(&mut self, half: &Value, asking: &Asking) -> Result<Value, Failure> {
        let mut line = serde_json::to_value(asking)?;
        if let (Value::Object(line), Value::Object(half)) = (&mut line, half) {
            line.extend(half.clone());
        }
        self.input.write_all(format!("{line}\n").as_bytes()).await?;
        let answer = self
            .output
            .next_line()
            .await?
            .ok_or("the Python client has ended")?;
        Ok(serde_json::from_str(&answer)?)
    }
}

fn member<T: DeserializeOwned>(answer: &Value, name: &str) -> Result<T, Failure> {
    let found = answer
        .get(name)
        .ok_or_else(|| format!("the Python client: {answer}"))?;
    Ok(serde_json::from_str(&found.to_string())?)
}
