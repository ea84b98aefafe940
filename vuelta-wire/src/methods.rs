//! The methods of each revision: one table, and a typed marker for each row.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::legacy::{
    EmptyResult, InitializeParams, InitializeResult, SetLevelParams, SubscribeParams, reduce,
};
use crate::object::Members;
use crate::{
    CallToolParams, CallToolResult, CompleteParams, CompleteResult, DiscoverResult,
    GetPromptParams, GetPromptResult, InputResponses, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, ListenParams, ListenResult,
    Meta, NoParams, PaginatedParams, ProtocolVersion, ReadResourceParams, ReadResourceResult,
};

/// What the table says of a method that clients may request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodInfo {
    /// The method.
    pub name: &'static str,
    /// The member of the params that names what is asked for; mirrored in `Mcp-Name`.
    pub target: Option<&'static str>,
    /// Whether the answer may be an `InputRequiredResult`.
    pub may_ask: bool,
    /// Which revisions have it.
    era: Era,
}

impl MethodInfo {
    /// Returns whether `revision` has the method.
    #[must_use]
    pub fn is_in(&self, revision: &ProtocolVersion) -> bool {
        match self.era {
            Era::Both => true,
            Era::Modern => revision.is_modern(),
            Era::Legacy => !revision.is_modern(),
        }
    }
}

/// Which revisions have a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Both,
    /// 2026-07-28.
    Modern,
    /// Those with a handshake.
    Legacy,
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

    /// Takes off what `revision` cannot express.
    fn to_revision(&mut self, revision: &ProtocolVersion) {
        let _ = revision;
    }
}

macro_rules! methods {
    ($( $(#[$m:meta])* $marker:ident = $name:literal ($params:ty) -> $result:ty
            $(, only $era:ident)? $(, asks about $target:literal)?; )+) => {
        const TABLE: &[MethodInfo] = &[$(
            MethodInfo {
                name: $name,
                target: methods!(@target $($target)?),
                may_ask: methods!(@asks $($target)?),
                era: methods!(@era $($era)?),
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

            $( methods!(@impl $marker $target); )?
        )+
    };
    (@era) => { Era::Both };
    (@era $era:ident) => { Era::$era };
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
    Discover = "server/discover" (NoParams) -> DiscoverResult, only Modern;
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
    Listen = "subscriptions/listen" (ListenParams) -> ListenResult, only Modern;
    /// `initialize`.
    Initialize = "initialize" (InitializeParams) -> InitializeResult, only Legacy;
    /// `ping`.
    Ping = "ping" (NoParams) -> EmptyResult, only Legacy;
    /// `logging/setLevel`.
    SetLevel = "logging/setLevel" (SetLevelParams) -> EmptyResult, only Legacy;
    /// `resources/subscribe`.
    Subscribe = "resources/subscribe" (SubscribeParams) -> EmptyResult, only Legacy;
    /// `resources/unsubscribe`.
    Unsubscribe = "resources/unsubscribe" (SubscribeParams) -> EmptyResult, only Legacy;
}

macro_rules! results {
    ($($result:ty $(, older by $older:path)?;)+) => {
        $(
            impl ResultBody for $result {
                fn meta_mut(&mut self) -> &mut Option<Meta> {
                    &mut self.meta
                }

                $(
                    fn to_revision(&mut self, revision: &ProtocolVersion) {
                        if !revision.is_modern() {
                            $older(self, revision);
                        }
                    }
                )?
            }
        )+
    };
}

results! {
    DiscoverResult;
    ListToolsResult, older by reduce::tools;
    CallToolResult, older by reduce::tool_result;
    ListPromptsResult;
    GetPromptResult, older by reduce::prompt;
    ListResourcesResult;
    ListResourceTemplatesResult;
    ReadResourceResult;
    CompleteResult;
    ListenResult;
    InitializeResult;
    EmptyResult;
}

methods!(@params CallToolParams, name);
methods!(@params GetPromptParams, name);
methods!(@params ReadResourceParams, uri);

/// Returns what the table says of `method`; `None` if `revision` has no such method.
#[must_use]
pub fn lookup(method: &str, revision: &ProtocolVersion) -> Option<&'static MethodInfo> {
    find(method).filter(|info| info.is_in(revision))
}

/// Returns what the table says of `method`, whichever revision has it.
#[must_use]
pub fn find(method: &str) -> Option<&'static MethodInfo> {
    TABLE.iter().find(|info| info.name == method)
}

/// Returns every method that clients may request at `revision`.
pub fn all(revision: &ProtocolVersion) -> impl Iterator<Item = &'static MethodInfo> {
    TABLE.iter().filter(move |info| info.is_in(revision))
}
