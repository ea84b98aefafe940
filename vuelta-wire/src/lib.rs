//! Every message of the [Model Context Protocol](https://modelcontextprotocol.io) as a Rust
//! type: the shapes of revision 2026-07-28, and a codec for each era of revisions.
//!
//! No I/O, no clock, no async: values in, values out. Types are decoded by the method that
//! was called and by the tags that the specification defines, never by trying one form after
//! the other. What this crate does not know (members, content blocks, roles, question kinds)
//! is kept as it was sent and written back unchanged.
//!
//! # Example: a question and its answer
//!
//! ```
//! use vuelta_wire::methods::CallTool;
//! use vuelta_wire::modern::{Decoded, decode_result};
//!
//! let json = r#"{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}"#;
//! let Decoded::InputRequired(question) = decode_result::<CallTool>(json)? else { panic!() };
//! assert_eq!(question.requests().map(|(key, _)| key).collect::<Vec<_>>(), ["r"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
mod macros;
#[macro_use]
mod tag;

mod cache;
mod capability;
mod completion;
mod content;
mod decode;
mod discover;
mod elicitation;
pub mod header;
mod identity;
mod input;
pub mod jsonrpc;
pub mod legacy;
pub mod meta;
pub mod methods;
pub mod modern;
mod notification;
mod number;
mod object;
pub mod param_header;
mod params;
mod prompt;
mod raw;
mod resource;
mod revision;
mod roots;
mod sampling;
mod schema;
mod tool;

// The public interface is:
pub use crate::cache::{CacheScope, Ttl};
pub use crate::capability::{
    ClientCapabilities, Declared, ElicitationCapability, ListCapability, ResourcesCapability,
    SamplingCapability, ServerCapabilities,
};
pub use crate::completion::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, PromptReference, ResourceTemplateReference,
};
pub use crate::content::{
    AudioContent, BlobResourceContents, ContentBlock, EmbeddedResource, ImageContent,
    PromptMessage, ResourceContents, ResourceLink, TextContent, TextResourceContents,
};
pub use crate::decode::{DecodeError, decode};
pub use crate::discover::DiscoverResult;
pub use crate::elicitation::{
    ElicitAction, ElicitForm, ElicitParams, ElicitResult, ElicitUrl, FormMode, FormSchema,
};
pub use crate::identity::{Annotations, Icon, Implementation, Role, Theme};
pub use crate::input::{InputRequest, InputRequired, InputResponses};
pub use crate::jsonrpc::{ErrorCode, ErrorObject, RequestId};
pub use crate::meta::{Meta, ProgressToken, RequestMeta};
pub use crate::notification::{
    AcknowledgedParams, CancelledParams, ListChangedParams, ListenParams, ListenResult, LogParams,
    LoggingLevel, ProgressParams, ResourceUpdatedParams, ServerNotification, SubscriptionFilter,
};
pub use crate::number::Number;
pub use crate::object::{Extra, Members, OrderedMap};
pub use crate::params::{Arguments, NoParams, PaginatedParams};
pub use crate::prompt::{
    GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
};
pub use crate::raw::Raw;
pub use crate::resource::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult,
    Resource, ResourceTemplate,
};
pub use crate::revision::ProtocolVersion;
pub use crate::roots::{ListRootsParams, ListRootsResult, Root};
pub use crate::sampling::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences,
    SamplingBlock, SamplingContent, SamplingMessage, ToolChoice, ToolChoiceMode, ToolResultContent,
    ToolUseContent,
};
pub use crate::schema::{
    BooleanSchema, EnumOption, MultiSelectSchema, NumberKind, NumberSchema, PlainItems,
    PrimitiveSchema, SelectItems, SingleSelectSchema, StringFormat, StringSchema, TitledItems,
    TitledSingleSelectSchema,
};
pub use crate::tool::{CallToolParams, CallToolResult, ListToolsResult, Tool, ToolAnnotations};
