//! The [Model Context Protocol](https://modelcontextprotocol.io) in Rust, built around the
//! multi round-trip request of revision 2026-07-28.
//!
//! A tool that lacks something only the user has (a choice, a confirmation, a credential)
//! *returns* the question; the client answers and calls again. Nothing is held open in
//! between: any instance of a server can serve any round.
//!
//! - A server is a [`Server`]: handlers by method, and [`Middleware`] around them. A handler
//!   of `tools/call`, `prompts/get` or `resources/read` returns an [`Outcome`]: its result,
//!   or an [`InputRequired`].
//! - A client is a [`Client`]: give it callbacks, and the rounds are invisible; or drive them
//!   by hand with [`CallBuilder::step`], and store the [`Flow`] that waits for answers.
//! - The state between rounds travels through the client. [`seal`] encrypts it and binds it
//!   to the request, the caller and a time.
//!
//! HTTP is in the crate `vuelta-http`; the types of the wire are in [`wire`].

pub mod client;
mod error;
mod outcome;
pub mod seal;
pub mod server;
mod service;
pub mod transport;

// The public interface is:
pub use crate::client::{
    CallBuilder, Client, ClientBuilder, Flow, IntoTransport, Mode, Round, Step, Transport,
};
pub use crate::error::{Error, Result};
pub use crate::outcome::Outcome;
pub use crate::server::{Server, ServerBuilder};
pub use crate::service::{
    Call, Cancellation, Context, Inlet, Middleware, Next, NotificationFrame, Outlet, Principal,
    ProgressUpdate, Reply,
};
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
