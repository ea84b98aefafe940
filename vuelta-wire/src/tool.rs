//! Tools.
//!
//! Source: [tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools).

use crate::Raw;
use crate::cache::{CacheScope, Ttl};
use crate::content::ContentBlock;
use crate::identity::Icon;
use crate::input::InputResponses;
use crate::meta::Meta;
use crate::params::Arguments;

wire! {
    /// A tool that a server offers.
    pub struct Tool {
        required {
            /// The programmatic name.
            name: String = "name",
            /// The JSON Schema of the arguments: an object schema.
            input_schema: Raw = "inputSchema",
        }
        optional {
            /// The name to show to people.
            title: String = "title",
            /// What it does, for the model.
            description: String = "description",
            /// The JSON Schema of the structured result.
            output_schema: Raw = "outputSchema",
            /// Hints on what calling it means.
            annotations: ToolAnnotations = "annotations",
            /// Pictures to show beside the name.
            icons: Vec<Icon> = "icons",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// Hints on what calling a tool means; never to be trusted from an untrusted server.
    pub struct ToolAnnotations {
        optional {
            /// The name to show to people.
            title: String = "title",
            /// It changes nothing.
            read_only_hint: bool = "readOnlyHint",
            /// What it changes may be lost.
            destructive_hint: bool = "destructiveHint",
            /// Calling it twice is like calling it once.
            idempotent_hint: bool = "idempotentHint",
            /// It deals with the world outside.
            open_world_hint: bool = "openWorldHint",
        }
    }
}

wire_default!(ToolAnnotations);

wire! {
    /// The params of `tools/call`.
    pub struct CallToolParams {
        required {
            /// The tool.
            name: String = "name",
        }
        optional {
            /// Its arguments.
            arguments: Arguments = "arguments",
            /// The answers to the questions of the round before.
            input_responses: InputResponses = "inputResponses",
            /// The state of the round before.
            request_state: String = "requestState",
        }
        ignored { "_meta" }
    }
}

wire! {
    /// The result of `tools/call`.
    pub struct CallToolResult {
        defaulted {
            /// What the tool says.
            content: Vec<ContentBlock> = "content",
        }
        optional {
            /// Whether the tool failed.
            is_error: bool = "isError",
            /// Metadata.
            meta: Meta = "_meta",
        }
        any {
            /// What the tool gives, as data.
            structured_content: Raw = "structuredContent",
        }
        ignored { "resultType" }
    }
}

wire_default!(CallToolResult);

impl CallToolResult {
    /// Creates a result of one text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new().content([ContentBlock::text(text)])
    }

    /// Creates the result of a tool that failed, with the reason for the model.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self::text(text).is_error(true)
    }

    /// Returns whether the tool failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.is_error == Some(true)
    }

    /// Returns the text of the text blocks, one a line.
    #[must_use]
    pub fn as_text(&self) -> String {
        let blocks: Vec<&str> = self
            .content
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect();
        blocks.join("\n")
    }
}

wire! {
    /// The result of `tools/list`.
    pub struct ListToolsResult {
        required {
            /// The tools of this page.
            tools: Vec<Tool> = "tools",
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
