//! How a server is put together; capabilities follow the handlers given.

use std::future::Future;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;
use vuelta_wire::methods::{
    CallTool, Complete, Discover, GetPrompt, ListPrompts, ListResourceTemplates, ListResources,
    ListTools, Listen, Method, ReadResource,
};
use vuelta_wire::{
    CallToolParams, CallToolResult, CompleteParams, CompleteResult, Declared, DiscoverResult,
    GetPromptParams, GetPromptResult, Implementation, ListCapability, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, ListenParams, ListenResult,
    NoParams, PaginatedParams, ProtocolVersion, Raw, ReadResourceParams, ReadResourceResult,
    ResourcesCapability, ServerCapabilities, modern,
};

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::service::router::Router;
use crate::service::{Context, ErasedMiddleware, Middleware};
use crate::subscribe::{Hub, Subscriptions};

use super::lifespan::Lifespan;
use super::{Eras, Inner, Server};

/// Puts a [`Server`] together.
#[must_use = "a builder does nothing until `build`"]
pub struct ServerBuilder {
    info: Implementation,
    instructions: Option<String>,
    extensions: Vec<(String, Raw)>,
    logs: bool,
    bridges: bool,
    eras: Eras,
    router: Router,
    layers: Vec<Box<dyn ErasedMiddleware>>,
    lifespan: Lifespan,
    subscriptions: Option<Subscriptions>,
}

macro_rules! handlers {
    ($($(#[$m:meta])* $name:ident: $method:ty, $params:ty => $result:ty, $register:ident;)+) => {
        $( handlers!(@one [$(#[$m])*] $name, $method, $params, $result, $register); )+
    };
    (@one [$(#[$m:meta])*] $name:ident, $method:ty, $params:ty, $result:ty, plain) => {
        $(#[$m])*
        pub fn $name<F, Fut, E>(mut self, handler: F) -> Self
        where
            F: Fn(Context, $params) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<$result, E>> + Send + 'static,
            E: Into<Error>,
        {
            self.router.plain::<$method, _, _, _>(handler);
            self
        }
    };
    (@one [$(#[$m:meta])*] $name:ident, $method:ty, $params:ty, $result:ty, asking) => {
        $(#[$m])*
        pub fn $name<F, Fut, O, E>(mut self, handler: F) -> Self
        where
            F: Fn(Context, $params) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<O, E>> + Send + 'static,
            O: Into<Outcome<$result>>,
            E: Into<Error>,
        {
            self.router.asking::<$method, _, _, _, _>(handler);
            self
        }
    };
}

impl ServerBuilder {
    pub(crate) fn new(info: Implementation) -> Self {
        let server_info = Raw::encode(&info).expect("an implementation has string keys only");
        Self {
            info,
            instructions: None,
            extensions: Vec::new(),
            logs: false,
            bridges: false,
            eras: Eras::Both,
            router: Router::new(server_info),
            layers: Vec::new(),
            lifespan: Lifespan::default(),
            subscriptions: None,
        }
    }

    /// Sets how to use the server, for the model.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Declares that handlers log to the client with [`Context::log`].
    pub fn logging(mut self) -> Self {
        self.logs = true;
        self
    }

    /// Serves only revision 2026-07-28: a client that begins with a handshake is told so.
    pub fn modern_only(mut self) -> Self {
        self.eras = Eras::Modern;
        self
    }

    /// Serves only the revisions with a handshake, 2024-11-05 to 2025-11-25.
    pub fn legacy_only(mut self) -> Self {
        self.eras = Eras::Legacy;
        self
    }

    /// Puts the questions of handlers to clients of older revisions too: they are pushed while
    /// the request is served, and the handler runs again with the answers. Off by default: such
    /// a handler then fails with "Handler returned an invalid result" for these clients.
    ///
    /// [`Ask`](crate::Ask) and resolvers need no bridge.
    pub fn legacy_bridge(mut self, bridges: bool) -> Self {
        self.bridges = bridges;
        self
    }

    /// Declares an extension by its identifier, with its settings: an object.
    pub fn extension(mut self, identifier: impl Into<String>, settings: impl Into<Raw>) -> Self {
        self.extensions.push((identifier.into(), settings.into()));
        self
    }

    handlers! {
        /// Handles `tools/list`.
        on_list_tools: ListTools, PaginatedParams => ListToolsResult, plain;
        /// Handles `tools/call`; the handler may ask.
        on_call_tool: CallTool, CallToolParams => CallToolResult, asking;
        /// Handles `prompts/list`.
        on_list_prompts: ListPrompts, PaginatedParams => ListPromptsResult, plain;
        /// Handles `prompts/get`; the handler may ask.
        on_get_prompt: GetPrompt, GetPromptParams => GetPromptResult, asking;
        /// Handles `resources/list`.
        on_list_resources: ListResources, PaginatedParams => ListResourcesResult, plain;
        /// Handles `resources/templates/list`.
        on_list_resource_templates: ListResourceTemplates, PaginatedParams => ListResourceTemplatesResult, plain;
        /// Handles `resources/read`; the handler may ask.
        on_read_resource: ReadResource, ReadResourceParams => ReadResourceResult, asking;
        /// Handles `completion/complete`.
        on_complete: Complete, CompleteParams => CompleteResult, plain;
        /// Handles `server/discover` in place of the built-in answer.
        on_discover: Discover, NoParams => DiscoverResult, plain;
    }

    /// Serves `subscriptions/listen`: clients are told what [`Server::publish`] and
    /// [`Context::publish`] publish. In place of a handler of your own.
    pub fn subscriptions(mut self, subscriptions: Subscriptions) -> Self {
        self.subscriptions = Some(subscriptions);
        self
    }

    /// Handles `subscriptions/listen` by hand: see [`subscriptions`](Self::subscriptions).
    ///
    /// The handler first sends `notifications/subscriptions/acknowledged` with what it will
    /// tell, then the changes, all by [`Context::notify`], and returns when the stream ends.
    pub fn on_listen<F, Fut, E>(mut self, handler: F) -> Self
    where
        F: Fn(Context, ListenParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ListenResult, E>> + Send + 'static,
        E: Into<Error>,
    {
        self.router.listen(handler);
        self
    }

    /// Handles a method that the specification does not define.
    ///
    /// The params are decoded to `P`, with `_meta` among them; the result must encode to an
    /// object, and cannot be a question.
    pub fn on_request<P, F, Fut, R, E>(mut self, method: impl Into<String>, handler: F) -> Self
    where
        P: DeserializeOwned + Send + 'static,
        F: Fn(Context, P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, E>> + Send + 'static,
        R: Serialize,
        E: Into<Error>,
    {
        self.router.custom(method.into(), handler);
        self
    }

    /// Handles a notification of the client.
    ///
    /// Over streamable HTTP the revision defines none: what comes is accepted and dropped.
    pub fn on_notification<F, Fut>(mut self, method: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Option<Raw>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.router.notification(method.into(), handler);
        self
    }

    /// Puts a layer around the handlers; the first one is outermost.
    pub fn layer(mut self, layer: impl Middleware) -> Self {
        self.layers.push(Box::new(layer));
        self
    }

    /// Runs once before the first request: opens what handlers need.
    ///
    /// If it fails the server serves nothing. Hooks run in the order in which they are given.
    pub fn on_start<F, Fut>(mut self, hook: F) -> Self
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        self.lifespan.on_start(hook);
        self
    }

    /// Runs once after the last request, when a transport ends well: closes what was opened.
    ///
    /// Hooks run in the reverse of the order in which they are given; one that fails is logged.
    pub fn on_stop<F, Fut>(mut self, hook: F) -> Self
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        self.lifespan.on_stop(hook);
        self
    }

    /// Finishes the server.
    ///
    /// # Errors
    ///
    /// Returns an error if a layer cannot be part of this server; the message says why.
    pub fn build(self) -> Result<Server> {
        let Self {
            info,
            instructions,
            extensions,
            logs,
            bridges,
            eras,
            mut router,
            mut layers,
            lifespan,
            subscriptions,
        } = self;
        for layer in &mut layers {
            layer.attach(&info)?;
        }
        // Changes are told on listen streams only.
        let listens = subscriptions.is_some() || router.serves(Listen::NAME);
        let mut capabilities = capabilities(&router, logs, listens);
        if !extensions.is_empty() {
            capabilities.extensions = Some(extensions.into_iter().collect());
        }
        let closing = CancellationToken::new();
        let subscriptions = subscriptions.map(|settings| {
            let hub = Arc::new(Hub::new(settings, &capabilities, closing.clone()));
            serve_subscriptions(&mut router, &hub);
            hub
        });
        let mut discover = DiscoverResult::new([ProtocolVersion::V2026_07_28], capabilities);
        discover.instructions = instructions;
        if !router.serves(Discover::NAME) {
            let encoded = modern::encode_result(discover.clone(), router.server_info())?;
            router.discover(encoded);
        }
        Ok(Server(Arc::new(Inner {
            info,
            discover,
            router,
            layers,
            logs,
            bridges,
            eras,
            lifespan,
            subscriptions,
            closing,
        })))
    }
}

fn serve_subscriptions(router: &mut Router, hub: &Arc<Hub>) {
    let hub = Arc::clone(hub);
    router.listen(move |cx, params| {
        let hub = Arc::clone(&hub);
        async move { hub.listen(cx, params).await }
    });
}

fn capabilities(router: &Router, logs: bool, listens: bool) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::new();
    let listens = listens.then_some(true);
    let list = || {
        let mut list = ListCapability::new();
        list.list_changed = listens;
        list
    };
    if router.serves(ListTools::NAME) || router.serves(CallTool::NAME) {
        capabilities.tools = Some(list());
    }
    if router.serves(ListPrompts::NAME) || router.serves(GetPrompt::NAME) {
        capabilities.prompts = Some(list());
    }
    let resources = [
        ListResources::NAME,
        ListResourceTemplates::NAME,
        ReadResource::NAME,
    ];
    if resources.into_iter().any(|method| router.serves(method)) {
        let mut resources = ResourcesCapability::new();
        resources.list_changed = listens;
        resources.subscribe = listens;
        capabilities.resources = Some(resources);
    }
    if router.serves(Complete::NAME) {
        capabilities.completions = Some(Declared::new());
    }
    if logs {
        capabilities.logging = Some(Declared::new());
    }
    capabilities
}

impl std::fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}
