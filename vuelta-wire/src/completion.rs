//! Completion of arguments.
//!
//! Source: [completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::meta::Meta;
use crate::object::OrderedMap;
use crate::{Raw, tag};

wire! {
    /// The params of `completion/complete`.
    pub struct CompleteParams {
        required {
            /// Whose argument it is.
            reference: CompletionReference = "ref",
            /// The argument, and what is typed so far.
            argument: CompletionArgument = "argument",
        }
        optional {
            /// What is filled in already.
            context: CompletionContext = "context",
        }
        ignored { "_meta" }
    }
}

wire! {
    /// An argument to complete.
    pub struct CompletionArgument {
        required {
            /// Its name.
            name: String = "name",
            /// What is typed so far.
            value: String = "value",
        }
    }
}

wire! {
    /// The arguments that are filled in already.
    pub struct CompletionContext {
        optional {
            /// The arguments.
            arguments: OrderedMap<String> = "arguments",
        }
    }
}

wire_default!(CompletionContext);

wire! {
    /// A prompt whose argument is completed.
    pub struct PromptReference {
        tag "type" = "ref/prompt";
        required {
            /// The prompt.
            name: String = "name",
        }
        optional {
            /// The name to show to people.
            title: String = "title",
        }
    }
}

wire! {
    /// A resource template whose variable is completed.
    pub struct ResourceTemplateReference {
        tag "type" = "ref/resource";
        required {
            /// The URI template, or a URI.
            uri: String = "uri",
        }
    }
}

/// What a completion is for, told apart by its `type`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt's argument.
    Prompt(PromptReference),
    /// A resource template's variable.
    ResourceTemplate(ResourceTemplateReference),
    /// Something else, kept as it was sent.
    Other(Raw),
}

tagged! {
    CompletionReference by "type" {
        "ref/prompt" => Prompt(PromptReference),
        "ref/resource" => ResourceTemplate(ResourceTemplateReference),
    }
}

wire! {
    /// The result of `completion/complete`.
    pub struct CompleteResult {
        required {
            /// The suggestions.
            completion: Completion = "completion",
        }
        optional {
            /// Metadata.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}

wire! {
    /// Suggestions for an argument.
    pub struct Completion {
        required {
            /// The values, best first; 100 at most.
            values: Vec<String> = "values",
        }
        optional {
            /// How many there are in all.
            total: u64 = "total",
            /// Whether there are more than these.
            has_more: bool = "hasMore",
        }
    }
}
