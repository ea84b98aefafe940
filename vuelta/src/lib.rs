//! The [Model Context Protocol](https://modelcontextprotocol.io) in Rust, built around the
//! multi round-trip request of revision 2026-07-28.
//!
//! A tool that lacks something only the user has (a choice, a confirmation, a credential)
//! *returns* the question; the client answers and calls again. Nothing is held open in
//! between: any instance of a server can serve any round.
//!
//! - An [`McpServer`] is a server of functions: they become tools, prompts and resources, what
//!   they depend on may ask, and their state is sealed by itself.
//! - Below it is a [`Server`]: handlers by method, and [`Middleware`] around them. A handler of
//!   `tools/call`, `prompts/get` or `resources/read` returns an [`Outcome`]: its result,
//!   or an [`InputRequired`].
//! - A client is a [`Client`]: give it callbacks, and the rounds are invisible; or drive them
//!   by hand with [`CallBuilder::step`], and store the [`Flow`] that waits for answers.
//! - The state between rounds travels through the client. [`seal`] encrypts it and binds it
//!   to the request, the caller and a time.
//! - What changes is published to a [`subscribe`] bus, and told to clients that
//!   [`listen`](Client::listen).
//! - [`testing`] answers questions by script, and attacks the state in between.
//!
//! # Traces
//!
//! Each request is a span of [`tracing`] at level `DEBUG`, on both sides: its method, id and
//! revision, the name of what it is for, its round and what links the rounds of one flow. Never
//! what is asked or answered. With the feature `otel` the traces of OpenTelemetry go on in the
//! peer: `traceparent`, `tracestate` and `baggage` are taken from `_meta` and given there by the
//! global propagator, such as `opentelemetry_sdk`'s `TraceContextPropagator`, for whoever
//! subscribes with the layer of `tracing-opentelemetry`.
//!
//! HTTP is in the crate `vuelta-http`; the types of the wire are in [`wire`].

// What the macros write names this crate; its own tests use them too.
#[cfg(test)]
extern crate self as vuelta;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod client;
mod error;
pub mod form;
mod macros;
pub mod mcp;
mod outcome;
mod peer;
pub mod resolve;
mod schema;
pub mod seal;
pub mod server;
mod service;
pub mod subscribe;
pub mod testing;
mod trace;
pub mod transport;

// The public interface is:
pub use crate::client::{
    Cache, CacheMode, CallBuilder, Client, ClientBuilder, ClientGroup, Flow, Grouped,
    IntoTransport, ListenBuilder, Mode, Round, Step, Subscription, Transport, Watch, WatchEvent,
};
pub use crate::error::{Error, Result};
#[doc(no_inline)]
pub use crate::form::Form;
pub use crate::macros::{Form, methods, prompt, resolver, resource, tool};
pub use crate::mcp::{Json, McpServer, ToolError};
pub use crate::outcome::Outcome;
#[doc(no_inline)]
pub use crate::resolve::{Answer, Ask, Elicit, ListRoots, Sample, Visited};
pub use crate::server::{IntoServer, Server, ServerBuilder};
pub use crate::service::{
    Call, Cancellation, Context, Frame, Inlet, Middleware, Next, NotificationFrame, Outlet,
    Principal, ProgressUpdate, Reply, RequestFrame,
};
#[doc(no_inline)]
pub use crate::subscribe::{ChangeEvent, Subscriptions};
#[doc(no_inline)]
#[cfg(unix)]
pub use crate::transport::unix;
#[doc(no_inline)]
pub use crate::transport::{process, stdio};
/// The types of the wire, all of them.
pub use vuelta_wire as wire;
#[doc(no_inline)]
pub use vuelta_wire::{
    Annotations, Arguments, AudioContent, BlobResourceContents, BooleanSchema, CacheScope,
    CallToolParams, CallToolResult, ClientCapabilities, CompleteParams, CompleteResult, Completion,
    CompletionReference, ContentBlock, CreateMessageParams, CreateMessageResult, DiscoverResult,
    ElicitAction, ElicitForm, ElicitParams, ElicitResult, ElicitUrl, EmbeddedResource, EnumOption,
    ErrorCode, ErrorObject, FormSchema, GetPromptParams, GetPromptResult, Icon, ImageContent,
    Implementation, InputRequest, InputRequired, InputResponses, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListRootsParams, ListRootsResult,
    ListToolsResult, ListenParams, ListenResult, LoggingLevel, MultiSelectSchema, Number,
    NumberSchema, PaginatedParams, PrimitiveSchema, ProgressParams, Prompt, PromptArgument,
    PromptMessage, ProtocolVersion, Raw, ReadResourceParams, ReadResourceResult, RequestId,
    Resource, ResourceContents, ResourceLink, ResourceTemplate, Role, Root, SamplingContent,
    SamplingMessage, ServerCapabilities, ServerNotification, SingleSelectSchema, StringFormat,
    StringSchema, SubscriptionFilter, TextContent, Tool, ToolAnnotations,
};

// The examples of the guide, which compile and run as tests.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../guide/eras.md")]
    struct Eras;
    #[doc = include_str!("../guide/questions.md")]
    struct Questions;
    #[doc = include_str!("../guide/state.md")]
    struct State;
    #[doc = include_str!("../guide/subscriptions.md")]
    struct Subscriptions;
    #[doc = include_str!("../guide/testing.md")]
    struct Testing;
    #[doc = include_str!("../guide/client.md")]
    struct Client;
    #[doc = include_str!("../guide/coming-from-rmcp.md")]
    struct ComingFromRmcp;
}
