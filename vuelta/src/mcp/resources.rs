//! Resources: one at a URI, or a family of them at a URI template.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use vuelta_wire::{
    ErrorCode, ErrorObject, ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams,
    ReadResourceResult, Resource, ResourceTemplate,
};

use crate::error::{Error, Result};
use crate::mcp::handler::ResourceHandler;
use crate::mcp::prompts::from_text;
use crate::mcp::publish::input_schema;
use crate::mcp::registry::{Entry, Registry};
use crate::mcp::run::{self, Ended, Running, Shared};
use crate::mcp::spec::{Graph, ResourceSpec};
use crate::mcp::template::Template;
use crate::mcp::tools::read;
use crate::outcome::Outcome;
use crate::resolve::{RoundCx, Scope};
use crate::schema::Checker;
use crate::server::ServerBuilder;
use crate::service::Context;

type Run =
    Box<dyn Fn(Arc<Scope>, Value) -> Result<Running<ReadResourceResult>, String> + Send + Sync>;

/// A registered resource.
pub(super) struct ResourceEntry {
    place: Place,
    schema: Value,
    input: Checker,
    run: Run,
    graph: Graph,
    timeout: Option<Duration>,
}

enum Place {
    At(Resource),
    Family(ResourceTemplate, Template),
}

impl Entry for ResourceEntry {
    const KIND: &'static str = "resource";

    fn graph(&self) -> &Graph {
        &self.graph
    }
}

impl ResourceEntry {
    pub(super) fn new<R: ResourceHandler>() -> Result<Self, String> {
        let spec = R::define(ResourceSpec::default());
        let schema = input_schema::<R::Args>();
        let template = Template::parse(R::URI)?;
        check_variables(R::URI, template.as_ref(), &schema)?;
        if template.is_none() && !spec.graph.resolvers.is_empty() {
            return Err(format!(
                "resource {:?} uses resolvers, but only template resources can ask: put a \
                 variable into its URI",
                R::URI
            ));
        }
        let input = Checker::new(&schema).map_err(|error| {
            format!(
                "resource {:?}: its variables have an invalid schema: {error}",
                R::URI
            )
        })?;
        let place = match template {
            None => {
                let mut resource = Resource::new(R::URI, R::NAME);
                resource.title = spec.title;
                resource.description = spec.description;
                resource.mime_type = spec.mime_type;
                resource.annotations = spec.annotations;
                resource.icons = spec.icons;
                resource.meta = spec.meta;
                Place::At(resource)
            }
            Some(template) => {
                let mut resource = ResourceTemplate::new(R::URI, R::NAME);
                resource.title = spec.title;
                resource.description = spec.description;
                resource.mime_type = spec.mime_type;
                resource.annotations = spec.annotations;
                resource.icons = spec.icons;
                resource.meta = spec.meta;
                Place::Family(resource, template)
            }
        };
        Ok(Self {
            place,
            schema,
            input,
            run: Box::new(|scope, arguments| {
                let args: R::Args = read(arguments)?;
                Ok(Box::pin(R::read(RoundCx::new(args, scope))))
            }),
            graph: spec.graph,
            timeout: spec.timeout,
        })
    }

    /// Returns the variables if this is the resource at `uri`.
    fn matches(&self, uri: &str) -> Option<Value> {
        match &self.place {
            // Identifiers are compared as they are: nothing is normalised.
            Place::At(resource) => {
                (resource.uri == uri).then(|| Value::Object(serde_json::Map::new()))
            }
            Place::Family(_, template) => {
                let variables = template.matches(uri)?;
                let variables = from_text(
                    &self.schema,
                    variables.iter().map(|(name, value)| (name.as_str(), value)),
                );
                self.input
                    .violations(&variables)
                    .is_empty()
                    .then_some(variables)
            }
        }
    }

    async fn read(
        &self,
        shared: &Shared,
        cx: &Context,
        uri: &str,
        variables: Value,
    ) -> Result<Outcome<ReadResourceResult>> {
        let failed = |reason: &str| {
            tracing::error!(uri, reason, "resource not read");
            let data = serde_json::json!({ "uri": uri });
            let message = format!("Error reading resource {uri}");
            Error::from(ErrorObject::new(ErrorCode::INTERNAL_ERROR, message).data(data))
        };
        let scope = shared.scope(cx, uri);
        let running =
            (self.run)(Arc::clone(&scope), variables).map_err(|problem| failed(&problem))?;
        match run::round(scope, running, self.timeout).await {
            Ended::Outcome(Outcome::InputRequired(_)) if matches!(self.place, Place::At(_)) => {
                Err(failed("only template resources can ask"))
            }
            Ended::Outcome(outcome) => Ok(outcome),
            Ended::Failed(reason) => Err(failed(&reason)),
            Ended::Error(error) => Err(error),
        }
    }
}

/// Checks that the variables of a URI are the arguments of its function.
fn check_variables(uri: &str, template: Option<&Template>, schema: &Value) -> Result<(), String> {
    let variables: Vec<&str> = template.into_iter().flat_map(Template::variables).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let arguments: Vec<&str> = properties
        .into_iter()
        .flat_map(|map| map.keys())
        .map(String::as_str)
        .collect();
    let lacking = |wanted: &[&str], given: &[&str]| {
        wanted
            .iter()
            .filter(|name| !given.contains(name))
            .copied()
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (no_argument, no_variable) = (
        lacking(&variables, &arguments),
        lacking(&arguments, &variables),
    );
    if no_argument.is_empty() && no_variable.is_empty() {
        return Ok(());
    }
    Err(format!(
        "resource {uri:?}: its variables and the arguments of its function differ (no argument \
         for: [{no_argument}]; no variable for: [{no_variable}])"
    ))
}

/// Serves a registry of resources.
pub(super) fn serve(
    server: ServerBuilder,
    resources: Arc<Registry<ResourceEntry>>,
    shared: &Arc<Shared>,
) -> ServerBuilder {
    let (listed, templates) = (Arc::clone(&resources), Arc::clone(&resources));
    let shared = Arc::clone(shared);
    server
        .on_list_resources(move |_, _| {
            let resources: Vec<Resource> = listed
                .enabled()
                .iter()
                .filter_map(|entry| match &entry.place {
                    Place::At(resource) => Some(resource.clone()),
                    Place::Family(..) => None,
                })
                .collect();
            async move { Ok::<_, Error>(ListResourcesResult::new(resources)) }
        })
        .on_list_resource_templates(move |_, _| {
            let templates: Vec<ResourceTemplate> = templates
                .enabled()
                .iter()
                .filter_map(|entry| match &entry.place {
                    Place::Family(template, _) => Some(template.clone()),
                    Place::At(_) => None,
                })
                .collect();
            async move { Ok::<_, Error>(ListResourceTemplatesResult::new(templates)) }
        })
        .on_read_resource(move |cx, params: ReadResourceParams| {
            let (resources, shared) = (Arc::clone(&resources), Arc::clone(&shared));
            async move {
                let uri = &params.uri;
                let found = resources.enabled().into_iter().find_map(|entry| {
                    let variables = entry.matches(uri)?;
                    Some((entry, variables))
                });
                let (entry, variables) = found.ok_or_else(|| Error::unknown_resource(uri))?;
                entry.read(&shared, &cx, uri, variables).await
            }
        })
}

#[cfg(test)]
mod tests;
