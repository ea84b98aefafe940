//! Suggestions for the arguments of prompts and the variables of resource templates.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use vuelta_wire::{CompleteParams, CompleteResult, Completion, CompletionReference, OrderedMap};

use crate::error::{Error, Result};
use crate::server::ServerBuilder;
use crate::service::Context;

/// What is completed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Complete {
    owner: Owner,
    argument: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Owner {
    Prompt(String),
    Template(String),
}

impl Complete {
    /// Completes an argument of a prompt.
    #[must_use]
    pub fn prompt(name: impl Into<String>, argument: impl Into<String>) -> Self {
        Self {
            owner: Owner::Prompt(name.into()),
            argument: argument.into(),
        }
    }

    /// Completes a variable of a resource template.
    #[must_use]
    pub fn template(uri_template: impl Into<String>, variable: impl Into<String>) -> Self {
        Self {
            owner: Owner::Template(uri_template.into()),
            argument: variable.into(),
        }
    }
}

/// What is typed so far.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompletionRequest {
    /// The beginning of the value.
    pub value: String,
    /// The other arguments that are filled in.
    pub arguments: OrderedMap<String>,
    /// The request.
    pub context: Context,
}

type Completer = Arc<
    dyn Fn(CompletionRequest) -> Pin<Box<dyn Future<Output = Result<Vec<String>>> + Send>>
        + Send
        + Sync,
>;

/// Completers by what they complete.
#[derive(Default)]
pub(super) struct Completions(HashMap<Complete, Completer>);

/// How many suggestions one answer may hold, by the specification.
const MOST: usize = 100;

impl Completions {
    pub(super) fn add<F, Fut>(&mut self, target: Complete, complete: F)
    where
        F: Fn(CompletionRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<String>>> + Send + 'static,
    {
        self.0
            .insert(target, Arc::new(move |request| Box::pin(complete(request))));
    }

    /// Serves them; nothing is served if there are none.
    pub(super) fn serve(self, server: ServerBuilder) -> ServerBuilder {
        if self.0.is_empty() {
            return server;
        }
        let completers = Arc::new(self.0);
        server.on_complete(move |cx, params: CompleteParams| {
            let completers = Arc::clone(&completers);
            async move {
                let target = match params.reference {
                    CompletionReference::Prompt(prompt) => {
                        Complete::prompt(prompt.name, params.argument.name)
                    }
                    CompletionReference::ResourceTemplate(template) => {
                        Complete::template(template.uri, params.argument.name)
                    }
                    _ => return Ok::<_, Error>(suggest(Vec::new())),
                };
                let Some(complete) = completers.get(&target) else {
                    return Ok(suggest(Vec::new()));
                };
                let arguments = params.context.and_then(|context| context.arguments);
                let request = CompletionRequest {
                    value: params.argument.value,
                    arguments: arguments.unwrap_or_default(),
                    context: cx,
                };
                complete(request).await.map(suggest)
            }
        })
    }
}

fn suggest(mut values: Vec<String>) -> CompleteResult {
    let total = values.len();
    values.truncate(MOST);
    let more = total > values.len();
    CompleteResult::new(Completion::new(values).total(total as u64).has_more(more))
}

#[cfg(test)]
mod tests;
