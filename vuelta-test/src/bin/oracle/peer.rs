//! The process that judges: one JSON object a line in both directions.

use std::env;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use vuelta::wire::ProtocolVersion;

/// The running peer.
pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts it with the models of a revision.
    pub(crate) fn start(revision: &ProtocolVersion) -> Result<Self, Box<dyn Error>> {
        let python = variable("VUELTA_PYTHON")?;
        let script = PathBuf::from(variable("VUELTA_PEERS")?).join("wire_oracle.py");
        let mut child = Command::new(python)
            .arg(script)
            .arg(revision.as_str())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or("no standard input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        Ok(Self {
            child,
            input,
            output,
        })
    }

    /// Returns the names of the types it knows.
    pub(crate) fn types(&mut self) -> Result<Vec<String>, Box<dyn Error>> {
        let answer = self.ask(&json!({"op": "types"}))?;
        Ok(serde_json::from_value(answer["types"].clone())?)
    }

    /// Returns values of a type as it writes them.
    pub(crate) fn samples(&mut self, name: &str) -> Result<Vec<Value>, Box<dyn Error>> {
        let answer = self.ask(&json!({"op": "samples", "type": name}))?;
        let values = answer["values"]
            .as_array()
            .ok_or_else(|| answer.to_string())?;
        Ok(values.clone())
    }

    /// Returns a value as it understands it, or why it refuses it.
    pub(crate) fn check(
        &mut self,
        name: &str,
        value: &Value,
    ) -> Result<Result<Value, String>, Box<dyn Error>> {
        let answer = self.ask(&json!({"op": "check", "type": name, "value": value}))?;
        Ok(if answer["ok"] == true {
            Ok(answer["value"].clone())
        } else {
            Err(answer["error"].to_string())
        })
    }

    fn ask(&mut self, question: &Value) -> Result<Value, Box<dyn Error>> {
        writeln!(self.input, "{question}")?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("the peer ended; see its standard error".into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("set {name}"))
}
