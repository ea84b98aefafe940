//! The low-level server: handlers by method, nothing derived, nothing sealed by itself.

mod builder;
pub mod classify;
mod dispatch;
mod lifespan;
mod session;

pub use self::builder::ServerBuilder;
pub use self::dispatch::Incoming;
pub use self::session::Session;

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use vuelta_wire::{
    DiscoverResult, ErrorObject, Implementation, ProtocolVersion, Raw, ServerCapabilities,
};

use crate::error::{self, Result};
use crate::service::ErasedMiddleware;
use crate::service::router::Router;
use crate::subscribe::Hub;

use self::lifespan::Lifespan;

/// A server: handlers for the methods it serves, and layers around them. Cheap to clone.
///
/// Every request carries its whole context, so any number of connections, and any number of
/// instances, can serve the rounds of one call.
///
/// Source: [server](https://modelcontextprotocol.io/specification/2026-07-28/server).
///
/// # Example: a tool that asks
///
/// ```
/// use vuelta::{
///     CallToolParams, CallToolResult, Context, ElicitForm, ElicitResult, Error, FormSchema,
///     InputRequired, Outcome, Server, StringSchema,
/// };
///
/// #[derive(serde::Deserialize)]
/// struct Region {
///     region: String,
/// }
///
/// async fn call_tool(cx: Context, params: CallToolParams) -> Result<Outcome<CallToolResult>, Error> {
///     let Some(answer) = cx.answers().parse::<ElicitResult>("region")? else {
///         let schema = FormSchema::new().required("region", StringSchema::new());
///         return Ok(InputRequired::new()
///             .ask("region", ElicitForm::new("Which region should it live in?", schema))
///             .into());
///     };
///     let Some(Region { region }) = answer.accepted()? else {
///         return Ok(CallToolResult::error("No region, no database.").into());
///     };
///     Ok(CallToolResult::text(format!("Provisioned {} in {region}.", params.name)).into())
/// }
///
/// let server = Server::builder("Provisioner", "1.0.0").on_call_tool(call_tool).build()?;
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    info: Implementation,
    discover: DiscoverResult,
    router: Router,
    layers: Vec<Box<dyn ErasedMiddleware>>,
    logs: bool,
    /// Whether hand-built questions go over the back-channel of older revisions.
    bridges: bool,
    eras: Eras,
    lifespan: Lifespan,
    /// None if nobody can subscribe, or a handler of the user's own serves it.
    subscriptions: Option<Arc<Hub>>,
    /// Fires when streams that only the server ends are to end.
    closing: CancellationToken,
}

/// Which revisions a server serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Eras {
    /// All of them.
    #[default]
    Both,
    /// Those without a handshake.
    Modern,
    /// Those with one.
    Legacy,
}

impl Server {
    /// Starts a server of this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(Implementation::new(name, version))
    }

    /// Returns who the server is.
    #[must_use]
    pub fn info(&self) -> &Implementation {
        &self.0.info
    }

    /// Returns what `server/discover` answers.
    #[must_use]
    pub fn discover(&self) -> &DiscoverResult {
        &self.0.discover
    }

    /// Returns the revisions that the server serves, as `server/discover` names them; those with
    /// a handshake, if it serves only these.
    #[must_use]
    pub fn supported_versions(&self) -> &[ProtocolVersion] {
        match self.0.eras {
            Eras::Legacy => &ProtocolVersion::LEGACY,
            Eras::Both | Eras::Modern => &self.0.discover.supported_versions,
        }
    }

    /// Returns whether the server serves requests of 2026-07-28.
    #[must_use]
    pub fn serves_modern(&self) -> bool {
        self.0.eras != Eras::Legacy
    }

    /// Returns whether the server serves connections with a handshake.
    #[must_use]
    pub fn serves_legacy(&self) -> bool {
        self.0.eras != Eras::Modern
    }

    /// Refuses requests of older revisions, if the server serves none of them.
    fn check_legacy(&self, incoming: &Incoming) -> Result<(), ErrorObject> {
        #[derive(Deserialize)]
        struct Handshake {
            #[serde(rename = "protocolVersion")]
            version: String,
        }
        if self.serves_legacy() {
            return Ok(());
        }
        let params = incoming.params.as_ref().map_or("{}", Raw::get);
        let requested = serde_json::from_str(params)
            .map_or_else(|_| String::new(), |Handshake { version }| version);
        Err(error::unsupported_version(
            self.supported_versions(),
            &requested,
        ))
    }

    /// Returns what the server offers to clients of older revisions.
    fn legacy_capabilities(&self) -> ServerCapabilities {
        let mut capabilities = self.0.discover.capabilities.clone();
        if self.0.subscriptions.is_some() {
            return capabilities;
        }
        // Whoever serves listen streams by hand has no word for clients without them.
        let (tools, prompts) = (&mut capabilities.tools, &mut capabilities.prompts);
        for list in [tools, prompts].into_iter().flatten() {
            list.list_changed = None;
        }
        if let Some(resources) = &mut capabilities.resources {
            resources.list_changed = None;
            resources.subscribe = None;
        }
        capabilities
    }

    /// Runs the start hooks, once; a transport does it before it serves, and a request that
    /// comes earlier does it too.
    ///
    /// # Errors
    ///
    /// Returns an error if one failed, now or before: the server then serves nothing.
    pub async fn start(&self) -> Result<()> {
        self.0.lifespan.start().await
    }

    /// Ends every subscription: its client is told what was published so far, and then that
    /// the stream is over. One that is opened later ends at once.
    ///
    /// Streams end when their clients leave, or by this: a transport does it before it waits
    /// for its last requests, and so does whoever mounts the server in an HTTP server of
    /// another crate, when that shuts down.
    pub fn close_streams(&self) {
        self.0.closing.cancel();
    }

    /// Ends every subscription and runs the stop hooks, once, last one first; a transport does
    /// it after its last request.
    pub async fn stop(&self) {
        self.close_streams();
        self.0.lifespan.stop().await;
    }

    /// Returns whether every subscription is at its end: none has to be cancelled.
    pub(crate) fn ends_streams(&self) -> bool {
        self.0.subscriptions.is_some() && self.0.closing.is_cancelled()
    }

    pub(crate) fn subscriptions(&self) -> Option<&Arc<Hub>> {
        self.0.subscriptions.as_ref()
    }

    /// Returns whether there is a handler for `method`.
    #[must_use]
    pub fn serves(&self, method: &str) -> bool {
        self.0.router.serves(method)
    }
}

/// What can be served: a [`Server`], or what is built into one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be served",
    note = "pass a `Server` or an `McpServer`"
)]
pub trait IntoServer {
    /// Becomes the server.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be built.
    fn into_server(self) -> Result<Server>;
}

impl IntoServer for Server {
    fn into_server(self) -> Result<Server> {
        Ok(self)
    }
}

impl IntoServer for &Server {
    fn into_server(self) -> Result<Server> {
        Ok(self.clone())
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("info", &self.0.info)
            .finish_non_exhaustive()
    }
}
