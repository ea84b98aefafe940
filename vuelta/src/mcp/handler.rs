//! What a function must be to become a tool, a prompt or a resource.
//!
//! `#[tool]`, `#[prompt]` and `#[resource]` write these traits; nothing that they write
//! cannot be written by hand.

use std::future::Future;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use vuelta_wire::{CallToolResult, GetPromptResult, ReadResourceResult};

use crate::mcp::spec::{PromptSpec, ResourceSpec, ToolSpec};
use crate::outcome::Outcome;
use crate::resolve::{Halted, RoundCx};

/// A tool of the high-level server.
///
/// # Example: by hand
///
/// ```
/// use vuelta::mcp::{ToolHandler, ToolSpec};
/// use vuelta::resolve::{Halted, RoundCx};
/// use vuelta::{CallToolResult, McpServer, Outcome};
///
/// struct Add;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct AddArgs {
///     a: i64,
///     b: i64,
/// }
///
/// impl ToolHandler for Add {
///     const NAME: &'static str = "add";
///     type Args = AddArgs;
///
///     fn define(tool: ToolSpec) -> ToolSpec {
///         tool.description("Adds two numbers.")
///     }
///
///     async fn call(cx: RoundCx<AddArgs>) -> Result<Outcome<CallToolResult>, Halted> {
///         let AddArgs { a, b } = cx.into_args();
///         Ok(CallToolResult::text((a + b).to_string()).into())
///     }
/// }
///
/// let server = McpServer::new("Calculator", "1.0.0").tool::<Add>().build()?;
/// # Ok::<(), vuelta::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    note = "write `#[tool]` on the function"
)]
pub trait ToolHandler: 'static {
    /// The name on the wire.
    const NAME: &'static str;
    /// The arguments of the model.
    type Args: DeserializeOwned + JsonSchema + Send + Sync + 'static;

    /// Says what the tool is: description, hints, resolvers, what it needs.
    #[must_use]
    fn define(tool: ToolSpec) -> ToolSpec;

    /// Runs one round of a call.
    ///
    /// # Errors
    ///
    /// Returns why the call ends, or that a question waits.
    fn call(
        cx: RoundCx<Self::Args>,
    ) -> impl Future<Output = Result<Outcome<CallToolResult>, Halted>> + Send;
}

/// A prompt of the high-level server; its arguments come as text and are read by their types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a prompt",
    note = "write `#[prompt]` on the function"
)]
pub trait PromptHandler: 'static {
    /// The name on the wire.
    const NAME: &'static str;
    /// The arguments.
    type Args: DeserializeOwned + JsonSchema + Send + Sync + 'static;

    /// Says what the prompt is.
    #[must_use]
    fn define(prompt: PromptSpec) -> PromptSpec;

    /// Runs one round.
    ///
    /// # Errors
    ///
    /// Returns why the call ends, or that a question waits.
    fn get(
        cx: RoundCx<Self::Args>,
    ) -> impl Future<Output = Result<Outcome<GetPromptResult>, Halted>> + Send;
}

/// A resource of the high-level server, or a family of them: the variables of its URI
/// template are its arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    note = "write `#[resource(\"uri or template\")]` on the function"
)]
pub trait ResourceHandler: 'static {
    /// The URI, or the URI template (RFC 6570).
    const URI: &'static str;
    /// The programmatic name.
    const NAME: &'static str;
    /// The variables of the template.
    type Args: DeserializeOwned + JsonSchema + Send + Sync + 'static;

    /// Says what the resource is.
    #[must_use]
    fn define(resource: ResourceSpec) -> ResourceSpec;

    /// Runs one round.
    ///
    /// # Errors
    ///
    /// Returns why the call ends, or that a question waits.
    fn read(
        cx: RoundCx<Self::Args>,
    ) -> impl Future<Output = Result<Outcome<ReadResourceResult>, Halted>> + Send;
}
