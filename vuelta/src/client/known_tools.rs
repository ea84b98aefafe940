//! What the client knows of the tools that the server has listed: which arguments are mirrored
//! into headers, and what their structured content must look like. Pure.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use vuelta_wire::param_header::ParamHeaders;
use vuelta_wire::{CallToolResult, Raw, Tool};

use crate::schema::{Checker, Violation};

/// What was learned from lists of tools.
#[derive(Debug, Default)]
pub(super) struct KnownTools {
    tools: HashMap<String, Known>,
    /// How often the server has said that its list changed.
    generation: u64,
    /// Whether this client has listed the tools on its own, since the list changed.
    is_listed: bool,
}

#[derive(Debug)]
struct Known {
    headers: ParamHeaders,
    output: Output,
}

/// What is known of the structured content of a tool.
#[derive(Clone, Debug, Default)]
pub(super) enum Output {
    /// Nothing: the tool was not listed since the list changed.
    #[default]
    Unknown,
    /// It may be anything.
    Free,
    /// It must fit a schema.
    Schema(Arc<OutputSchema>),
}

/// An output schema, compiled when it is first needed.
#[derive(Debug)]
pub(super) struct OutputSchema {
    schema: Raw,
    checker: OnceLock<Result<Checker, String>>,
}

impl KnownTools {
    /// The generation of the list, to be taken before a page of it is asked for.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Learns from a page of the list that was asked for in a generation; leaves out tools
    /// whose annotations are invalid, as the specification demands of clients.
    pub(super) fn learn(&mut self, tools: &mut Vec<Tool>, generation: u64) {
        tools.retain(|tool| match ParamHeaders::parse(&tool.input_schema) {
            Ok(headers) => {
                self.learn_one(tool, headers, generation == self.generation);
                true
            }
            Err(error) => {
                tracing::warn!(tool = tool.name, %error, "tool left out: invalid x-mcp-header");
                false
            }
        });
    }

    fn learn_one(&mut self, tool: &Tool, headers: ParamHeaders, is_current: bool) {
        let output = match &tool.output_schema {
            _ if !is_current => Output::Unknown,
            None => Output::Free,
            Some(schema) => match self.output(&tool.name) {
                // Compiled once.
                Output::Schema(known) if known.schema == *schema => Output::Schema(known),
                _ => Output::Schema(Arc::new(OutputSchema::new(schema.clone()))),
            },
        };
        if self.tools.len() >= MOST && !self.tools.contains_key(&tool.name) {
            self.tools.clear();
        }
        self.tools
            .insert(tool.name.clone(), Known { headers, output });
    }

    /// Notes that the list changed. What is known of outputs may no longer hold; a header that
    /// no longer holds is refused by the server.
    pub(super) fn changed(&mut self) {
        self.generation += 1;
        self.is_listed = false;
        for known in self.tools.values_mut() {
            known.output = Output::Unknown;
        }
    }

    /// Returns which arguments of a tool are mirrored; `None` if it is not known to have any.
    pub(super) fn headers(&self, tool: &str) -> Option<&ParamHeaders> {
        self.tools
            .get(tool)
            .map(|known| &known.headers)
            .filter(|headers| !headers.is_empty())
    }

    /// Returns what is known of the structured content of a tool.
    pub(super) fn output(&self, tool: &str) -> Output {
        self.tools
            .get(tool)
            .map(|known| known.output.clone())
            .unwrap_or_default()
    }

    /// Returns whether the list is worth a walk: whether there was none in this generation.
    pub(super) fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// Notes the end of a walk that began in a generation.
    pub(super) fn listed(&mut self, generation: u64) {
        self.is_listed |= generation == self.generation;
    }
}

impl OutputSchema {
    pub(super) fn new(schema: Raw) -> Self {
        Self {
            schema,
            checker: OnceLock::new(),
        }
    }

    /// Checks a result that is no failure; the error says what is wrong with it, or that it
    /// cannot be told.
    pub(super) fn check(&self, result: &CallToolResult) -> Result<(), String> {
        let checker = self.checker.get_or_init(|| self.compile());
        let checker = checker
            .as_ref()
            .map_err(|error| format!("its output schema cannot be used: {error}"))?;
        let Some(content) = &result.structured_content else {
            return Err("it has an output schema and returned no structured content".to_owned());
        };
        let content: Value = content
            .parse()
            .map_err(|error| format!("its structured content cannot be read: {error}"))?;
        let violations = checker.violations(&content);
        if violations.is_empty() {
            return Ok(());
        }
        let mut shown: Vec<String> = violations
            .iter()
            .take(5)
            .map(Violation::to_string)
            .collect();
        if violations.len() > shown.len() {
            shown.push(format!("{} more", violations.len() - shown.len()));
        }
        Err(format!(
            "its structured content does not fit its output schema: {}",
            shown.join("; ")
        ))
    }

    fn compile(&self) -> Result<Checker, String> {
        let schema: Value = self.schema.parse().map_err(|error| error.to_string())?;
        Checker::new(&schema)
    }
}

/// How many tools are known at a time; beyond, the client starts anew.
const MOST: usize = 16 * 1024;

#[cfg(test)]
mod tests;
