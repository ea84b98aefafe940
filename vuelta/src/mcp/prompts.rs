//! Prompts: arguments come as text and are read by their types.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use vuelta_wire::{
    ErrorCode, GetPromptParams, GetPromptResult, ListPromptsResult, OrderedMap, Prompt,
    PromptArgument,
};

use crate::error::{Error, Result};
use crate::mcp::handler::PromptHandler;
use crate::mcp::publish::input_schema;
use crate::mcp::registry::{Entry, Registry};
use crate::mcp::run::{self, Ended, Running, Shared};
use crate::mcp::spec::{Graph, PromptSpec};
use crate::mcp::tools::read;
use crate::outcome::Outcome;
use crate::resolve::{RoundCx, Scope};
use crate::schema::Checker;
use crate::server::ServerBuilder;
use crate::service::Context;

type Run = Box<dyn Fn(Arc<Scope>, Value) -> Result<Running<GetPromptResult>, String> + Send + Sync>;

/// A registered prompt.
pub(super) struct PromptEntry {
    definition: Prompt,
    schema: Value,
    input: Checker,
    run: Run,
    graph: Graph,
    timeout: Option<Duration>,
}

impl Entry for PromptEntry {
    const KIND: &'static str = "prompt";

    fn graph(&self) -> &Graph {
        &self.graph
    }
}

impl PromptEntry {
    pub(super) fn new<P: PromptHandler>() -> Result<Self, String> {
        let spec = P::define(PromptSpec::default());
        let schema = input_schema::<P::Args>();
        let input = Checker::new(&schema).map_err(|error| {
            format!(
                "prompt {:?}: its argument schema is invalid: {error}",
                P::NAME
            )
        })?;
        let mut definition = Prompt::new(P::NAME);
        definition.title = spec.title;
        definition.description = spec.description;
        definition.icons = spec.icons;
        definition.meta = spec.meta;
        let arguments = arguments(&schema);
        definition.arguments = (!arguments.is_empty()).then_some(arguments);
        Ok(Self {
            definition,
            schema,
            input,
            run: Box::new(|scope, arguments| {
                let args: P::Args = read(arguments)?;
                Ok(Box::pin(P::get(RoundCx::new(args, scope))))
            }),
            graph: spec.graph,
            timeout: spec.timeout,
        })
    }

    async fn get(
        &self,
        shared: &Shared,
        cx: &Context,
        params: &GetPromptParams,
    ) -> Result<Outcome<GetPromptResult>> {
        let name = &params.name;
        let given = params.arguments.iter().flat_map(OrderedMap::iter);
        let arguments = from_text(&self.schema, given);
        let violations = self.input.violations(&arguments);
        if !violations.is_empty() {
            let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
            return Err(invalid(name, &lines.join("; ")));
        }
        let scope = shared.scope(cx, name);
        let running =
            (self.run)(Arc::clone(&scope), arguments).map_err(|problem| invalid(name, &problem))?;
        match run::round(scope, running, self.timeout).await {
            Ended::Outcome(outcome) => Ok(outcome),
            Ended::Failed(reason) => Err(Error::rpc(
                ErrorCode::INTERNAL_ERROR,
                format!("Error getting prompt {name}: {reason}"),
            )),
            Ended::Error(error) => Err(error),
        }
    }
}

fn invalid(name: &str, problem: &str) -> Error {
    Error::rpc(
        ErrorCode::INVALID_PARAMS,
        format!("Invalid arguments for prompt {name}: {problem}"),
    )
}

fn arguments(schema: &Value) -> Vec<PromptArgument> {
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    let describe = |(name, property): (&String, &Value)| {
        let is_required = required.is_some_and(|required| required.contains(&json!(name)));
        let text = |member: &str| {
            property
                .get(member)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let mut argument = PromptArgument::new(name.as_str()).required(is_required);
        argument.title = text("title");
        argument.description = text("description");
        argument
    };
    properties.into_iter().flatten().map(describe).collect()
}

/// Reads texts by the types of a schema: text where a string is wanted, else the JSON that
/// the text is.
pub(super) fn from_text<'a>(
    schema: &Value,
    given: impl Iterator<Item = (&'a str, &'a String)>,
) -> Value {
    let mut arguments = Map::new();
    for (name, text) in given {
        let wanted = schema.get("properties").and_then(|all| all.get(name));
        let value = if wanted.is_none_or(|wanted| takes_text(schema, wanted, DEPTH)) {
            Value::String(text.clone())
        } else {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        };
        arguments.insert(name.to_owned(), value);
    }
    Value::Object(arguments)
}

/// Returns whether a part of the schema `root` takes a text.
fn takes_text(root: &Value, schema: &Value, depth: u8) -> bool {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| root.pointer(pointer));
        return depth == 0 || target.is_none_or(|target| takes_text(root, target, depth - 1));
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = schema.get(choice) {
            return depth == 0 || choices.iter().any(|one| takes_text(root, one, depth - 1));
        }
    }
    match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.contains(&json!("string")),
        Some(kind) => *kind == json!("string"),
    }
}

/// How many references and choices may stand between an argument and its type.
const DEPTH: u8 = 8;

/// Serves a registry of prompts.
pub(super) fn serve(
    server: ServerBuilder,
    prompts: Arc<Registry<PromptEntry>>,
    shared: &Arc<Shared>,
) -> ServerBuilder {
    let (listed, shared) = (Arc::clone(&prompts), Arc::clone(shared));
    server
        .on_list_prompts(move |_, _| {
            let prompts: Vec<Prompt> = listed
                .enabled()
                .iter()
                .map(|entry| entry.definition.clone())
                .collect();
            async move { Ok::<_, Error>(ListPromptsResult::new(prompts)) }
        })
        .on_get_prompt(move |cx, params| {
            let (prompts, shared) = (Arc::clone(&prompts), Arc::clone(&shared));
            async move {
                let entry = prompts
                    .get(&params.name)
                    .ok_or_else(|| Error::unknown_prompt(&params.name))?;
                entry.get(&shared, &cx, &params).await
            }
        })
}

#[cfg(test)]
mod tests;
