//! A server under test, in the same process.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde::Serialize;
use vuelta_wire::methods::{AskingMethod, CallTool, GetPrompt, ReadResource};
use vuelta_wire::modern::{Decoded, decode_result, encode_params};
use vuelta_wire::{
    Arguments, CallToolParams, ClientCapabilities, Declared, ElicitationCapability,
    GetPromptParams, Implementation, ProtocolVersion, Raw, ReadResourceParams, RequestMeta,
    SamplingCapability,
};

use crate::client::{Inbound, Outgoing, Transport as _};
use crate::error::{Error, Result};
use crate::mcp::McpServer;
use crate::server::Server;
use crate::service::Principal;
use crate::testing::{Clock, Script};
use crate::transport::Memory;

/// A server under test, and a client of it that can answer every kind of question.
///
/// Cheap to clone. Requests pass through every check and every layer, as over a wire.
#[derive(Clone)]
pub struct TestServer {
    server: Server,
    principal: Option<Principal>,
    capabilities: ClientCapabilities,
    clock: Option<Clock>,
    ttl: Duration,
    next_id: Arc<AtomicI64>,
}

impl TestServer {
    /// Builds a server of functions; its sealed state expires by [`clock`](Self::advance).
    ///
    /// # Errors
    ///
    /// Returns the error of [`McpServer::build`].
    pub fn new(server: McpServer) -> Result<Self> {
        let clock = Clock::new();
        let (server, ttl) = server.build_with_clock(clock.reader())?;
        Ok(Self {
            clock: Some(clock),
            ttl,
            ..Self::of(&server)
        })
    }

    /// Takes a server that is built already.
    #[must_use]
    pub fn of(server: &Server) -> Self {
        Self {
            server: server.clone(),
            principal: None,
            capabilities: all_capabilities(),
            clock: None,
            ttl: A_CENTURY,
            next_id: Arc::new(AtomicI64::new(1)),
        }
    }

    /// Sets the clock that the server's sealing reads.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Sets who is calling; nobody in particular if not set.
    #[must_use]
    pub fn principal(mut self, principal: Principal) -> Self {
        self.principal = Some(principal);
        self
    }

    /// Sets what the client declares; all kinds of questions if not set.
    #[must_use]
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Returns the server, for a [`Client`](crate::Client) to connect to.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Moves the clock by which sealed state expires.
    ///
    /// # Panics
    ///
    /// Panics if the test has no hold of the server's clock.
    pub fn advance(&self, by: Duration) {
        self.hold_of_clock().advance(by);
    }

    /// Prepares a call of a tool; `arguments` encode to an object, or to null for none.
    ///
    /// # Panics
    ///
    /// Panics if the arguments cannot be encoded.
    pub fn tool(&self, name: impl Into<String>, arguments: impl Serialize) -> Script<CallTool> {
        let mut params = CallToolParams::new(name);
        params.arguments = tool_arguments(&arguments);
        Script::new(self.clone(), params)
    }

    /// Prepares a request for a prompt; `arguments` encode to an object of texts, or to null
    /// for none.
    ///
    /// # Panics
    ///
    /// Panics if the arguments cannot be encoded.
    pub fn prompt(&self, name: impl Into<String>, arguments: impl Serialize) -> Script<GetPrompt> {
        let mut params = GetPromptParams::new(name);
        params.arguments = prompt_arguments(&arguments);
        Script::new(self.clone(), params)
    }

    /// Prepares the reading of a resource.
    pub fn resource(&self, uri: impl Into<String>) -> Script<ReadResource> {
        Script::new(self.clone(), ReadResourceParams::new(uri))
    }

    /// Sends one request.
    pub(super) async fn send<M: AskingMethod>(
        &self,
        params: &M::Params,
    ) -> Result<Decoded<M::Result>> {
        let version = ProtocolVersion::V2026_07_28;
        let meta = RequestMeta::new(version.clone(), self.capabilities.clone()).client_info(
            Implementation::new("vuelta-testing", env!("CARGO_PKG_VERSION")),
        );
        let id = self.next_id.fetch_add(1, Ordering::Relaxed).into();
        let request = Outgoing::new(id, M::NAME, encode_params(params, &meta)?, version);
        let mut memory = Memory::new(&self.server);
        if let Some(principal) = &self.principal {
            memory = memory.extension(principal.clone());
        }
        let raw = memory.request(request, Inbound::new(|_| {})).await?;
        decode_result::<M>(raw.get()).map_err(|error| Error::peer(format!("{}: {error}", M::NAME)))
    }

    /// Returns the clock, and how far it must move for state to expire.
    pub(super) fn expiry(&self) -> (&Clock, Duration) {
        (self.hold_of_clock(), self.ttl)
    }

    fn hold_of_clock(&self) -> &Clock {
        self.clock.as_ref().expect(
            "the test has no hold of the server's clock: make the server by `TestServer::new`, or \
             give its policy `clock.reader()` and the test `TestServer::clock(clock)`",
        )
    }
}

/// Longer than any state lasts.
const A_CENTURY: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);

fn all_capabilities() -> ClientCapabilities {
    let declared = Declared::new;
    ClientCapabilities::new()
        .elicitation(
            ElicitationCapability::new()
                .form(declared())
                .url(declared()),
        )
        .sampling(
            SamplingCapability::new()
                .tools(declared())
                .context(declared()),
        )
        .roots(declared())
}

pub(super) fn tool_arguments(arguments: &impl Serialize) -> Option<Arguments> {
    Arguments::encode(arguments).expect("the arguments of a tool encode to an object or to null")
}

pub(super) fn prompt_arguments<T: serde::de::DeserializeOwned>(
    arguments: &impl Serialize,
) -> Option<T> {
    let raw = Raw::encode(arguments).expect("the arguments of a prompt encode to JSON");
    let parsed = (!raw.is_null()).then(|| raw.parse());
    parsed.map(|parsed| parsed.expect("the arguments of a prompt are texts"))
}

impl fmt::Debug for TestServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestServer")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
