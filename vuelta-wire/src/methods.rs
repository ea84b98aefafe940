//! The methods of each revision: one table, and a typed marker for each row.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::object::Members;
use crate::{
    CallToolParams, CallToolResult, CompleteParams, CompleteResult, DiscoverResult,
    GetPromptParams, GetPromptResult, InputResponses, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, ListenParams, ListenResult,
    Meta, NoParams, PaginatedParams, ReadResourceParams, ReadResourceResult,
};

/// What the table says of a method that clients may request at 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodInfo {
    /// The method.
    pub name: &'static str,
    /// The member of the params that names what is asked for; mirrored in `Mcp-Name`.
    pub target: Option<&'static str>,
    /// Whether the answer may be an `InputRequiredResult`.
    pub may_ask: bool,
}

/// A typed method: what it takes and what it gives.
///
/// The methods of the specification are types of this module; a method of your own is a type
/// of yours.
pub trait Method {
    /// The method's name on the wire.
    const NAME: &'static str;
    /// What it takes.
    type Params: Members + Serialize + DeserializeOwned + Send + 'static;
    /// What it gives.
    type Result: ResultBody;
}

/// A method whose answer may be a question.
pub trait AskingMethod: Method<Params: AskingParams> {}

/// The params of a method whose answer may be a question: what a retry carries.
pub trait AskingParams: Clone {
    /// Returns the name or URI of what is asked for.
    fn target(&self) -> &str;
    /// Returns the answers to the questions of the round before.
    fn answers(&self) -> Option<&InputResponses>;
    /// Returns the state of the round before.
    fn state(&self) -> Option<&str>;
    /// Sets what the round before brought.
    fn set_round(&mut self, answers: Option<InputResponses>, state: Option<String>);
}

/// A result as a handler gives it: without `resultType`, which the codec writes.
pub trait ResultBody: Members + Serialize + DeserializeOwned + Send + 'static {
    /// Returns the metadata, to be filled in.
    fn meta_mut(&mut self) -> &mut Option<Meta>;
}

macro_rules! methods {
    ($( $(#[$m:meta])* $marker:ident = $name:literal ($params:ty) -> $result:ty $(, asks about $target:literal)?; )+) => {
        const TABLE: &[MethodInfo] = &[$(
            MethodInfo {
                name: $name,
                target: methods!(@target $($target)?),
                may_ask: methods!(@asks $($target)?),
            },
        )+];

        $(
            $(#[$m])*
            #[derive(Clone, Copy, Debug)]
            #[expect(clippy::exhaustive_structs, reason = "a marker")]
            pub struct $marker;

            impl Method for $marker {
                const NAME: &'static str = $name;
                type Params = $params;
                type Result = $result;
            }

            impl ResultBody for $result {
                fn meta_mut(&mut self) -> &mut Option<Meta> {
                    &mut self.meta
                }
            }

            $( methods!(@impl $marker $target); )?
        )+
    };
    (@target) => { None };
    (@target $target:literal) => { Some($target) };
    (@asks) => { false };
    (@asks $target:literal) => { true };
    (@impl $marker:ident $target:literal) => { impl AskingMethod for $marker {} };
    (@params $params:ty, $target:ident) => {
        impl AskingParams for $params {
            fn target(&self) -> &str {
                &self.$target
            }

            fn answers(&self) -> Option<&InputResponses> {
                self.input_responses.as_ref()
            }

            fn state(&self) -> Option<&str> {
                self.request_state.as_deref()
            }

            fn set_round(&mut self, answers: Option<InputResponses>, state: Option<String>) {
                self.input_responses = answers;
                self.request_state = state;
            }
        }
    };
}

methods! {
    /// `server/discover`.
    Discover = "server/discover" (NoParams) -> DiscoverResult;
    /// `tools/list`.
    ListTools = "tools/list" (PaginatedParams) -> ListToolsResult;
    /// `tools/call`.
    CallTool = "tools/call" (CallToolParams) -> CallToolResult, asks about "name";
    /// `prompts/list`.
    ListPrompts = "prompts/list" (PaginatedParams) -> ListPromptsResult;
    /// `prompts/get`.
    GetPrompt = "prompts/get" (GetPromptParams) -> GetPromptResult, asks about "name";
    /// `resources/list`.
    ListResources = "resources/list" (PaginatedParams) -> ListResourcesResult;
    /// `resources/templates/list`.
    ListResourceTemplates = "resources/templates/list" (PaginatedParams) -> ListResourceTemplatesResult;
    /// `resources/read`.
    ReadResource = "resources/read" (ReadResourceParams) -> ReadResourceResult, asks about "uri";
    /// `completion/complete`.
    Complete = "completion/complete" (CompleteParams) -> CompleteResult;
    /// `subscriptions/listen`.
    Listen = "subscriptions/listen" (ListenParams) -> ListenResult;
}

methods!(@params CallToolParams, name);
methods!(@params GetPromptParams, name);
methods!(@params ReadResourceParams, uri);

/// Returns what the table says of `method`; `None` if revision 2026-07-28 has no such method.
#[must_use]
pub fn lookup(method: &str) -> Option<&'static MethodInfo> {
    TABLE.iter().find(|info| info.name == method)
}

/// Returns every method that clients may request at revision 2026-07-28.
#[must_use]
pub fn all() -> &'static [MethodInfo] {
    TABLE
}
