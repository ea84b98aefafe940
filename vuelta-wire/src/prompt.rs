//! Prompts.
//!
//! Source: [prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts).

use crate::cache::{CacheScope, Ttl};
use crate::content::PromptMessage;
use crate::identity::Icon;
use crate::input::InputResponses;
use crate::meta::Meta;
use crate::object::OrderedMap;

wire! {
    /// A prompt that a server offers.
    pub struct Prompt {
        required {
            /// The programmatic name.
            name: String = "name",
        }
        optional {
            /// The name to show to people.
            title: String = "title",
            /// What it is for.
            description: String = "description",
            /// Its arguments.
            arguments: Vec<PromptArgument> = "arguments",
            /// Pictures to show beside the name.
            icons: Vec<Icon> = "icons",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// An argument of a prompt.
    pub struct PromptArgument {
        required {
            /// The programmatic name.
            name: String = "name",
        }
        optional {
            /// The name to show to people.
            title: String = "title",
            /// What it is.
            description: String = "description",
            /// Whether it must be given.
            required: bool = "required",
        }
    }
}

wire! {
    /// The params of `prompts/get`.
    pub struct GetPromptParams {
        required {
            /// The prompt.
            name: String = "name",
        }
        optional {
            /// Its arguments.
            arguments: OrderedMap<String> = "arguments",
            /// The answers to the questions of the round before.
            input_responses: InputResponses = "inputResponses",
            /// The state of the round before.
            request_state: String = "requestState",
        }
        ignored { "_meta" }
    }
}

wire! {
    /// The result of `prompts/get`.
    pub struct GetPromptResult {
        required {
            /// The messages.
            messages: Vec<PromptMessage> = "messages",
        }
        optional {
            /// What the prompt is for.
            description: String = "description",
            /// Metadata.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}

wire! {
    /// The result of `prompts/list`.
    pub struct ListPromptsResult {
        required {
            /// The prompts of this page.
            prompts: Vec<Prompt> = "prompts",
        }
        defaulted {
            /// How long it may be cached, in milliseconds; 0 if absent or negative.
            ttl_ms: Ttl = "ttlMs",
            /// Who may share a cached copy.
            cache_scope: CacheScope = "cacheScope",
        }
        optional {
            /// Where the next page begins.
            next_cursor: String = "nextCursor",
            /// Metadata.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}
