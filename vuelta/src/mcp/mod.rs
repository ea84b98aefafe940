//! The high-level server: functions become tools, prompts and resources, and state is sealed
//! by itself.

mod complete;
mod handler;
mod output;
mod prompts;
mod publish;
mod registry;
mod repair;
mod resources;
mod run;
mod spec;
mod template;
mod tools;

pub use self::complete::{Complete, CompletionRequest};
pub use self::handler::{PromptHandler, ResourceHandler, ToolHandler};
pub use self::output::{Json, PromptOutput, ResourceOutput, ToolError, ToolOutput};
pub use self::registry::{Prompts, Resources, Tools};
pub use self::spec::{Graph, PromptSpec, ResourceSpec, ToolSpec};

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use vuelta_wire::{Icon, Implementation};

use crate::error::{Error, Result};
use crate::resolve::States;
use crate::seal::{Audience, RequestStateBoundary, RequestStateSecurity};
use crate::server::{IntoServer, Server, ServerBuilder};
use crate::service::Middleware;
use crate::subscribe::{ChangeEvent, Subscriptions};

use self::complete::Completions;
use self::prompts::PromptEntry;
use self::registry::Registry;
use self::resources::ResourceEntry;
use self::run::Shared;
use self::tools::ToolEntry;

/// A server of functions.
///
/// State between rounds is sealed with a key of this process, unless
/// [`request_state`](Self::request_state) says otherwise.
///
/// # Example: a dependency that asks
///
/// ```
/// use vuelta::{Elicit, Form, McpServer, resolver, tool};
///
/// #[derive(Form)]
/// struct Region {
///     /// AWS region
///     region: String,
/// }
///
/// #[resolver]
/// async fn region(name: String) -> Elicit<Region> {
///     Elicit::ask(format!("Which region should {name} live in?"))
/// }
///
/// /// Provision a database. Asks which region to put it in.
/// #[tool]
/// async fn provision(name: String, #[resolve(region)] at: Region) -> String {
///     format!("Provisioned {name:?} in {}.", at.region)
/// }
///
/// let server = McpServer::new("Provisioner", "1.0.0").tool::<provision>().build()?;
/// # Ok::<(), vuelta::Error>(())
/// ```
#[must_use = "a server does nothing until it is built and served"]
pub struct McpServer {
    info: Implementation,
    instructions: Option<String>,
    tools: Arc<Registry<ToolEntry>>,
    prompts: Arc<Registry<PromptEntry>>,
    resources: Arc<Registry<ResourceEntry>>,
    completions: Completions,
    subscriptions: Subscriptions,
    states: States,
    security: Option<RequestStateSecurity>,
    layers: Vec<Box<dyn FnOnce(ServerBuilder) -> ServerBuilder + Send>>,
    faults: Vec<String>,
    max_changes: u32,
    repairs: bool,
    logs: bool,
    hooks: Vec<Box<dyn FnOnce(ServerBuilder) -> ServerBuilder + Send>>,
}

/// How many rounds a question may change its text in before the call is ended.
const MAX_CHANGES: u32 = 5;

impl McpServer {
    /// Starts a server of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            info: Implementation::new(name, version),
            instructions: None,
            tools: Arc::new(Registry::new(ChangeEvent::ToolsListChanged)),
            prompts: Arc::new(Registry::new(ChangeEvent::PromptsListChanged)),
            resources: Arc::new(Registry::new(ChangeEvent::ResourcesListChanged)),
            completions: Completions::default(),
            subscriptions: Subscriptions::new(),
            states: States::default(),
            security: None,
            layers: Vec::new(),
            faults: Vec::new(),
            max_changes: MAX_CHANGES,
            repairs: false,
            logs: false,
            hooks: Vec::new(),
        }
    }

    /// Sets the name to show to people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// Adds a picture to show beside the name.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.get_or_insert_default().push(icon);
        self
    }

    /// Sets how to use the server, for the model.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Adds a tool.
    pub fn tool<T: ToolHandler>(mut self) -> Self {
        let added = ToolEntry::new::<T>().and_then(|entry| self.tools.add(T::NAME, entry));
        self.faults.extend(added.err());
        self
    }

    /// Adds a prompt.
    pub fn prompt<P: PromptHandler>(mut self) -> Self {
        let added = PromptEntry::new::<P>().and_then(|entry| self.prompts.add(P::NAME, entry));
        self.faults.extend(added.err());
        self
    }

    /// Adds a resource, or a family of them.
    pub fn resource<R: ResourceHandler>(mut self) -> Self {
        let added = ResourceEntry::new::<R>().and_then(|entry| self.resources.add(R::URI, entry));
        self.faults.extend(added.err());
        self
    }

    /// Adds the tools, prompts and resources among the methods of `value`.
    pub fn methods<T: Methods>(self, value: T) -> Self {
        T::register(self.state(value))
    }

    /// Completes the argument of a prompt, or the variable of a resource template.
    pub fn complete<F, Fut>(mut self, target: Complete, complete: F) -> Self
    where
        F: Fn(CompletionRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<String>>> + Send + 'static,
    {
        self.completions.add(target, complete);
        self
    }

    /// Shares a value with every call: functions take it as `&T`. One of a type; a later one
    /// replaces an earlier one.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.insert(value);
        self
    }

    /// Sets how state is sealed in place of the key of this process.
    ///
    /// Needed as soon as a retry may reach another instance, or this one after a restart.
    pub fn request_state(mut self, security: RequestStateSecurity) -> Self {
        self.security = Some(security);
        self
    }

    /// Declares that functions log to the client with `Context::log`.
    pub fn logging(mut self) -> Self {
        self.logs = true;
        self
    }

    /// Sets in how many rounds a question may change its text before the call is ended as
    /// one that never settles; 5 if not set.
    pub fn max_changes(mut self, rounds: u32) -> Self {
        self.max_changes = rounds;
        self
    }

    /// Reads the arguments of tools generously: JSON text in place of an array, object,
    /// number or boolean counts as the value that it is.
    ///
    /// Some models send `"[1,2]"` for `[1,2]`, or `"true"` for `true`. Without this the tool
    /// fails with an error that names the argument, from which a model can try again. With
    /// it, the text is parsed where the schema takes no string, and used if all arguments
    /// then fit; if they do not, the error tells of what was sent. Nothing is guessed:
    /// `"yes"` is no boolean.
    pub fn repair_arguments(mut self) -> Self {
        self.repairs = true;
        self
    }

    /// Runs once before the first request: opens what functions need, such as what `state`
    /// then holds. If it fails the server serves nothing.
    pub fn on_start<F, Fut>(mut self, hook: F) -> Self
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        self.hooks
            .push(Box::new(move |server| server.on_start(hook)));
        self
    }

    /// Runs once after the last request, when a transport ends well.
    pub fn on_stop<F, Fut>(mut self, hook: F) -> Self
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        self.hooks
            .push(Box::new(move |server| server.on_stop(hook)));
        self
    }

    /// Sets how subscriptions are served: over which bus, how many, and to whom; over one
    /// within the process, and to everybody, if not set.
    pub fn subscriptions(mut self, subscriptions: Subscriptions) -> Self {
        self.subscriptions = subscriptions;
        self
    }

    /// Puts a layer around the functions; it sees opened state. The first one is outermost.
    pub fn layer(mut self, layer: impl Middleware) -> Self {
        self.layers
            .push(Box::new(move |server| server.layer(layer)));
        self
    }

    /// Returns the handle to add, remove, enable and disable tools while the server runs.
    #[must_use]
    pub fn tools(&self) -> Tools {
        Tools::new(Arc::clone(&self.tools))
    }

    /// Returns the handle to add, remove, enable and disable prompts while the server runs.
    #[must_use]
    pub fn prompts(&self) -> Prompts {
        Prompts::new(Arc::clone(&self.prompts))
    }

    /// Returns the handle to add, remove, enable and disable resources while the server runs.
    #[must_use]
    pub fn resources(&self) -> Resources {
        Resources::new(Arc::clone(&self.resources))
    }

    /// Finishes the server.
    ///
    /// # Errors
    ///
    /// Returns an error that names everything that cannot be registered, and why.
    pub fn build(self) -> Result<Server> {
        let states = Arc::new(self.states);
        let mut faults = self.faults;
        let bus = self.subscriptions.shared_bus();
        faults.extend(self.tools.settle(&states, &bus));
        faults.extend(self.prompts.settle(&states, &bus));
        faults.extend(self.resources.settle(&states, &bus));
        if !faults.is_empty() {
            return Err(Error::misuse(faults.join("\n")));
        }
        let shared = Arc::new(Shared {
            states,
            max_changes: self.max_changes,
            repairs: self.repairs,
        });
        let mut server = ServerBuilder::new(self.info);
        if let Some(instructions) = self.instructions {
            server = server.instructions(instructions);
        }
        if self.logs {
            server = server.logging();
        }
        // The boundary is outermost: layers and functions see plaintext.
        let boundary = match self.security {
            Some(security) => RequestStateBoundary::new(security, Audience::Server),
            // The key never leaves the process: an audience has nothing to add.
            None => {
                server = server.on_start(announce_ephemeral_key);
                RequestStateBoundary::new(RequestStateSecurity::ephemeral()?, Audience::Shared)
            }
        };
        server = server.layer(boundary);
        for hook in self.hooks {
            server = hook(server);
        }
        for layer in self.layers {
            server = layer(server);
        }
        server = tools::serve(server, self.tools, &shared);
        server = prompts::serve(server, self.prompts, &shared);
        server = resources::serve(server, self.resources, &shared);
        server = self.completions.serve(server);
        server.subscriptions(self.subscriptions).build()
    }

    /// Finishes the server with another clock for its state, and returns how long a state
    /// lasts by it.
    pub(crate) fn build_with_clock(
        mut self,
        now: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Result<(Server, Duration)> {
        let security = match self.security.take() {
            Some(security) => security,
            None => RequestStateSecurity::ephemeral()?.audience(self.info.name.clone()),
        };
        let ttl = security.ttl;
        Ok((self.request_state(security.clock(now)).build()?, ttl))
    }
}

async fn announce_ephemeral_key() -> Result<()> {
    tracing::info!(
        "requestState is sealed with a key of this process: a retry that reaches another \
         instance, or this one after a restart, begins again; share keys with \
         `McpServer::request_state` if that matters"
    );
    Ok(())
}

impl IntoServer for McpServer {
    fn into_server(self) -> Result<Server> {
        self.build()
    }
}

/// A struct whose methods are tools, prompts or resources; `#[methods]` writes it.
pub trait Methods: Send + Sync + Sized + 'static {
    /// Registers them.
    fn register(server: McpServer) -> McpServer;
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}
