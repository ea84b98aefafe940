//! Tools: arguments checked against the published schema, the function run, its result checked.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tracing::Instrument as _;
use vuelta_wire::param_header::ParamHeaders;
use vuelta_wire::{Arguments, CallToolParams, CallToolResult, ListToolsResult, Raw, Tool};

use crate::error::{Error, Result};
use crate::mcp::handler::ToolHandler;
use crate::mcp::publish::input_schema;
use crate::mcp::registry::{Entry, Registry};
use crate::mcp::repair::repair;
use crate::mcp::run::{self, Ended, Running, Shared};
use crate::mcp::spec::{Graph, ToolSpec};
use crate::outcome::Outcome;
use crate::resolve::{RoundCx, Scope};
use crate::schema::{Checker, Violation};
use crate::server::ServerBuilder;
use crate::service::Context;

type Run = Box<dyn Fn(Arc<Scope>, Value) -> Result<Running<CallToolResult>, String> + Send + Sync>;

/// A registered tool.
pub(super) struct ToolEntry {
    definition: Tool,
    schema: Value,
    input: Checker,
    /// The members that may be left out.
    optional: Vec<String>,
    output: Option<Checker>,
    run: Run,
    graph: Graph,
    timeout: Option<Duration>,
    outlives_caller: bool,
}

impl Entry for ToolEntry {
    const KIND: &'static str = "tool";

    fn graph(&self) -> &Graph {
        &self.graph
    }
}

impl ToolEntry {
    pub(super) fn new<T: ToolHandler>() -> Result<Self, String> {
        let spec = T::define(ToolSpec::default());
        let schema = spec.input.unwrap_or_else(input_schema::<T::Args>);
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(format!(
                "tool {:?}: its argument schema is not of an object: give it `\"type\": \"object\"`",
                T::NAME
            ));
        }
        let input = Checker::new(&schema).map_err(|error| {
            format!(
                "tool {:?}: its argument schema is invalid: {error}",
                T::NAME
            )
        })?;
        let output = spec
            .output
            .as_ref()
            .map(Checker::new)
            .transpose()
            .map_err(|error| {
                format!("tool {:?}: its result schema is invalid: {error}", T::NAME)
            })?;
        let optional = optional_members(&schema);
        check_name(T::NAME);
        check_root(T::NAME, &schema);
        let mut definition = Tool::new(T::NAME, schema.clone());
        ParamHeaders::parse(&definition.input_schema)
            .map_err(|error| format!("tool {:?}: {error}", T::NAME))?;
        definition.title = spec.title;
        definition.description = spec.description;
        definition.output_schema = spec.output.map(Raw::from);
        definition.annotations = spec.annotations;
        definition.icons = spec.icons;
        definition.meta = spec.meta;
        Ok(Self {
            definition,
            schema,
            input,
            optional,
            output,
            run: Box::new(|scope, arguments| {
                let args: T::Args = read(arguments)?;
                Ok(Box::pin(T::call(RoundCx::new(args, scope))))
            }),
            graph: spec.graph,
            timeout: spec.timeout,
            outlives_caller: spec.outlives_caller,
        })
    }

    async fn call(
        &self,
        shared: &Shared,
        cx: &Context,
        params: &CallToolParams,
    ) -> Result<Outcome<CallToolResult>> {
        let name = &params.name;
        let arguments = match self.arguments(shared, params) {
            Ok(arguments) => arguments,
            Err(violations) => return Ok(invalid_arguments(name, &violations)),
        };
        let scope = shared.scope(cx, name);
        let running = match (self.run)(Arc::clone(&scope), Value::Object(arguments)) {
            Ok(running) => running,
            Err(problem) => {
                let violation = Violation {
                    field: String::new(),
                    problem,
                };
                return Ok(invalid_arguments(name, &[violation]));
            }
        };
        let round = run::round(scope, running, self.timeout);
        let ended = if self.outlives_caller {
            let task = tokio::spawn(round.in_current_span());
            task.await
                .map_err(|error| Error::handler(format!("the tool {name:?} broke: {error}")))?
        } else {
            round.await
        };
        match ended {
            Ended::Outcome(Outcome::Complete(result)) => self.check_result(name, result),
            Ended::Outcome(question) => Ok(question),
            Ended::Failed(reason) => {
                Ok(CallToolResult::error(format!("Error executing tool {name}: {reason}")).into())
            }
            Ended::Error(error) => Err(error),
        }
    }

    /// Returns the arguments as the function will read them.
    fn arguments(
        &self,
        shared: &Shared,
        params: &CallToolParams,
    ) -> Result<Map<String, Value>, Vec<Violation>> {
        let arguments = params.arguments.as_ref().map(Arguments::parse);
        let mut arguments: Map<String, Value> = arguments
            .transpose()
            .map_err(|error| {
                vec![Violation {
                    field: String::new(),
                    problem: error.to_string(),
                }]
            })?
            .unwrap_or_default();
        // Models write null for what they leave out.
        arguments.retain(|name, value| !(value.is_null() && self.optional.contains(name)));
        let mut arguments = Value::Object(arguments);
        let mut violations = self.input.violations(&arguments);
        if shared.repairs && !violations.is_empty() {
            let repaired = repair(&self.schema, arguments.clone());
            if self.input.violations(&repaired).is_empty() {
                (arguments, violations) = (repaired, Vec::new());
            }
        }
        match arguments {
            Value::Object(arguments) if violations.is_empty() => Ok(arguments),
            _ => Err(violations),
        }
    }

    fn check_result(&self, name: &str, result: CallToolResult) -> Result<Outcome<CallToolResult>> {
        let Some(output) = self.output.as_ref().filter(|_| !result.failed()) else {
            return Ok(result.into());
        };
        let problem = match &result.structured_content {
            None => Some("no structured content".to_owned()),
            Some(content) => {
                let content: Value = content.parse()?;
                output.violations(&content).first().map(ToString::to_string)
            }
        };
        match problem {
            None => Ok(result.into()),
            Some(problem) => {
                tracing::error!(tool = name, problem, "a result does not fit its own schema");
                Err(crate::error::invalid_result().into())
            }
        }
    }
}

fn invalid_arguments(name: &str, violations: &[Violation]) -> Outcome<CallToolResult> {
    let lines: Vec<String> = violations.iter().map(|line| format!("- {line}")).collect();
    let text = format!("Invalid arguments for tool {name}:\n{}", lines.join("\n"));
    CallToolResult::error(text).into()
}

/// Reads arguments that fit their schema by their types.
pub(super) fn read<T: serde::de::DeserializeOwned>(arguments: Value) -> Result<T, String> {
    let error = match serde_json::from_value(arguments.clone()) {
        Ok(args) => return Ok(args),
        Err(error) => error.to_string(),
    };
    // Arguments of the type `()` are none.
    let arguments = match arguments {
        Value::Object(members) if members.is_empty() => Value::Null,
        // JSON Schema takes 3.0 for an integer; the types of Rust do not.
        arguments => whole(arguments),
    };
    serde_json::from_value(arguments).map_err(|_| error)
}

fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let float = number
                .as_f64()
                .filter(|float| number.is_f64() && float.fract() == 0.0);
            let integer = float.and_then(|float| format!("{float:.0}").parse::<i64>().ok());
            integer.map_or(Value::Number(number), Value::from)
        }
        Value::Array(list) => list.into_iter().map(whole).collect(),
        Value::Object(map) => map
            .into_iter()
            .map(|(name, value)| (name, whole(value)))
            .collect(),
        other => other,
    }
}

pub(super) fn optional_members(schema: &Value) -> Vec<String> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| {
        required.is_some_and(|required| required.iter().any(|required| required == name))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(Map::keys);
    names.filter(|name| !is_required(name)).cloned().collect()
}

/// The names that every host takes: 1 to 128 letters, digits, `_`, `.` and `-`.
fn check_name(name: &str) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    if name.is_empty() || name.len() > 128 || !name.bytes().all(plain) {
        tracing::warn!(
            tool = name,
            "some hosts refuse this name: use 1 to 128 letters, digits, `_`, `.` and `-`"
        );
    }
}

/// The arguments that every host takes: an object with its members at the root.
fn check_root(name: &str, schema: &Value) {
    if ["oneOf", "anyOf", "allOf", "$ref"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some())
    {
        tracing::warn!(
            tool = name,
            "some hosts refuse arguments that are one of several shapes: put them into a struct"
        );
    }
}

/// Serves a registry of tools.
pub(super) fn serve(
    server: ServerBuilder,
    tools: Arc<Registry<ToolEntry>>,
    shared: &Arc<Shared>,
) -> ServerBuilder {
    let (listed, shared) = (Arc::clone(&tools), Arc::clone(shared));
    server
        .on_list_tools(move |_, _| {
            let tools: Vec<Tool> = listed
                .enabled()
                .iter()
                .map(|entry| entry.definition.clone())
                .collect();
            async move { Ok::<_, Error>(ListToolsResult::new(tools)) }
        })
        .on_call_tool(move |cx, params| {
            let (tools, shared) = (Arc::clone(&tools), Arc::clone(&shared));
            async move {
                let entry = tools
                    .get(&params.name)
                    .ok_or_else(|| Error::unknown_tool(&params.name))?;
                entry.call(&shared, &cx, &params).await
            }
        })
}

#[cfg(test)]
mod tests;
