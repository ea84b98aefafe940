//! What is said of a tool, prompt or resource when it is registered.

use std::any::TypeId;
use std::time::Duration;

use serde_json::Value;
use vuelta_wire::{Annotations, Icon, Raw, ToolAnnotations};

use crate::mcp::output::ToolOutput;
use crate::resolve::Resolver;

/// What a registration needs of the server, found by walking its resolvers.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(crate) resolvers: Vec<(TypeId, &'static str)>,
    pub(crate) states: Vec<(TypeId, &'static str)>,
}

impl Graph {
    /// Adds a resolver; `false` if it was there, so that its dependencies are too.
    pub fn add<R: Resolver>(&mut self) -> bool {
        let id = TypeId::of::<R>();
        let new = self.resolvers.iter().all(|(known, _)| *known != id);
        if new {
            self.resolvers.push((id, R::KEY));
        }
        new
    }

    /// Adds a type of shared state that is needed.
    pub fn state<T: Send + Sync + 'static>(&mut self) {
        self.states
            .push((TypeId::of::<T>(), std::any::type_name::<T>()));
    }
}

macro_rules! shared {
    ($name:ident) => {
        impl $name {
            /// Sets what it is, for the model.
            #[must_use]
            pub fn description(mut self, text: impl Into<String>) -> Self {
                self.description = Some(text.into());
                self
            }

            /// Sets the name to show to people.
            #[must_use]
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.title = Some(title.into());
                self
            }

            /// Adds a picture to show beside the name.
            #[must_use]
            pub fn icon(mut self, icon: Icon) -> Self {
                self.icons.get_or_insert_default().push(icon);
                self
            }

            /// Sets a member of `_meta`.
            #[must_use]
            pub fn meta(mut self, key: impl Into<String>, value: impl Into<Raw>) -> Self {
                self.meta.get_or_insert_default().insert(key, value);
                self
            }

            /// Adds a resolver and what it depends on.
            #[must_use]
            pub fn resolver<R: Resolver>(mut self) -> Self {
                R::describe(&mut self.graph);
                self
            }

            /// Says that a shared state of this type is needed.
            #[must_use]
            pub fn state<T: Send + Sync + 'static>(mut self) -> Self {
                self.graph.state::<T>();
                self
            }

            /// Sets how long one round may take; unlimited if not set.
            #[must_use]
            pub fn timeout(mut self, timeout: Duration) -> Self {
                self.timeout = Some(timeout);
                self
            }
        }
    };
}

/// What is said of a tool.
#[derive(Clone, Debug, Default)]
pub struct ToolSpec {
    pub(crate) description: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) icons: Option<Vec<Icon>>,
    pub(crate) meta: Option<vuelta_wire::Meta>,
    pub(crate) annotations: Option<ToolAnnotations>,
    pub(crate) input: Option<Value>,
    pub(crate) output: Option<Value>,
    pub(crate) graph: Graph,
    pub(crate) timeout: Option<Duration>,
    pub(crate) outlives_caller: bool,
}

shared!(ToolSpec);

impl ToolSpec {
    /// Sets the hints on what calling it means.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// Sets the schema of its arguments, published as it is; that of their type if not set.
    ///
    /// For what a type cannot say: an argument that another one requires, a dialect of its
    /// own. It must be of an object. Arguments are checked against it and then read by their
    /// type.
    #[must_use]
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input = Some(schema);
        self
    }

    /// Sets the schema of its structured result from what it returns; none for text.
    #[must_use]
    pub fn output<T: ToolOutput>(mut self) -> Self {
        self.output = T::schema();
        self
    }

    /// Lets a call run to its end when its caller leaves.
    #[must_use]
    pub fn outlives_caller(mut self) -> Self {
        self.outlives_caller = true;
        self
    }
}

/// What is said of a prompt.
#[derive(Clone, Debug, Default)]
pub struct PromptSpec {
    pub(crate) description: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) icons: Option<Vec<Icon>>,
    pub(crate) meta: Option<vuelta_wire::Meta>,
    pub(crate) graph: Graph,
    pub(crate) timeout: Option<Duration>,
}

shared!(PromptSpec);

/// What is said of a resource.
#[derive(Clone, Debug, Default)]
pub struct ResourceSpec {
    pub(crate) description: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) icons: Option<Vec<Icon>>,
    pub(crate) meta: Option<vuelta_wire::Meta>,
    pub(crate) mime_type: Option<String>,
    pub(crate) annotations: Option<Annotations>,
    pub(crate) graph: Graph,
    pub(crate) timeout: Option<Duration>,
}

shared!(ResourceSpec);

impl ResourceSpec {
    /// Sets the media type; `text/plain` for text and `application/octet-stream` for bytes
    /// if not set.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Sets hints for the client.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = Some(annotations);
        self
    }
}
