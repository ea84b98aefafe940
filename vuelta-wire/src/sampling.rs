//! Questions for the client's model.
//!
//! Source: [sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::{AudioContent, ContentBlock, ImageContent, TextContent};
use crate::meta::Meta;
use crate::tool::Tool;
use crate::{Number, Raw, Role, tag};

wire! {
    /// The params of `sampling/createMessage`.
    pub struct CreateMessageParams {
        required {
            /// The conversation so far.
            messages: Vec<SamplingMessage> = "messages",
            /// The greatest number of tokens to sample.
            max_tokens: u64 = "maxTokens",
        }
        optional {
            /// Which model the server would like.
            model_preferences: ModelPreferences = "modelPreferences",
            /// The system prompt.
            system_prompt: String = "systemPrompt",
            /// Which context to include.
            include_context: IncludeContext = "includeContext",
            /// The temperature.
            temperature: Number = "temperature",
            /// Where to stop.
            stop_sequences: Vec<String> = "stopSequences",
            /// Metadata for the model's provider.
            metadata: Raw = "metadata",
            /// Tools that the model may use.
            tools: Vec<Tool> = "tools",
            /// How the model chooses among them.
            tool_choice: ToolChoice = "toolChoice",
        }
    }
}

impl CreateMessageParams {
    /// Returns whether answering needs the `sampling.tools` capability.
    #[must_use]
    pub fn uses_tools(&self) -> bool {
        self.tools.is_some() || self.tool_choice.is_some()
    }
}

wire_enum! {
    /// Which context to include in a sampled conversation.
    pub enum IncludeContext {
        /// None.
        None = "none",
        /// That of the asking server.
        ThisServer = "thisServer",
        /// That of every server of the client.
        AllServers = "allServers",
    }
}

wire! {
    /// How the model chooses among tools.
    pub struct ToolChoice {
        optional {
            /// The mode; `auto` if absent.
            mode: ToolChoiceMode = "mode",
        }
    }
}

wire_enum! {
    /// Whether the model uses tools.
    pub enum ToolChoiceMode {
        /// It may.
        Auto = "auto",
        /// It must use at least one.
        Required = "required",
        /// It must not.
        None = "none",
    }
}

wire! {
    /// Which model the server would like; advice, not an order.
    pub struct ModelPreferences {
        optional {
            /// Names to look for, best first.
            hints: Vec<ModelHint> = "hints",
            /// How much low cost matters, from 0 to 1.
            cost_priority: Number = "costPriority",
            /// How much speed matters, from 0 to 1.
            speed_priority: Number = "speedPriority",
            /// How much capability matters, from 0 to 1.
            intelligence_priority: Number = "intelligencePriority",
        }
    }
}

wire! {
    /// A part of a model's name.
    pub struct ModelHint {
        optional {
            /// The part.
            name: String = "name",
        }
    }
}

wire_default!(ToolChoice, ModelPreferences, ModelHint);

wire! {
    /// A message of a sampled conversation.
    pub struct SamplingMessage {
        required {
            /// Who it is from.
            role: Role = "role",
            /// What it says.
            content: SamplingContent = "content",
        }
        optional {
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

impl SamplingMessage {
    /// Creates a text message from the user.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, SamplingBlock::from(TextContent::new(text)))
    }
}

wire! {
    /// The model's answer: the result of `sampling/createMessage`.
    pub struct CreateMessageResult {
        required {
            /// Who it is from.
            role: Role = "role",
            /// What it says.
            content: SamplingContent = "content",
            /// The model that said it.
            model: String = "model",
        }
        optional {
            /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or another.
            stop_reason: String = "stopReason",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

impl CreateMessageResult {
    /// Creates the answer of a model in text.
    #[must_use]
    pub fn text(model: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(
            Role::Assistant,
            SamplingBlock::from(TextContent::new(text)),
            model,
        )
    }
}

/// The content of a sampled message: one block, or several.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the schema has these two forms")]
pub enum SamplingContent {
    /// One block.
    One(SamplingBlock),
    /// Several blocks.
    Many(Vec<SamplingBlock>),
}

impl SamplingContent {
    /// Returns the blocks.
    #[must_use]
    pub fn blocks(&self) -> &[SamplingBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }

    /// Returns the text of the first text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        self.blocks().iter().find_map(|block| match block {
            SamplingBlock::Text(block) => Some(block.text.as_str()),
            _ => None,
        })
    }
}

impl From<SamplingBlock> for SamplingContent {
    fn from(block: SamplingBlock) -> Self {
        Self::One(block)
    }
}

impl From<Vec<SamplingBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        if raw.get().starts_with('[') {
            tag::parse(&raw).map(Self::Many)
        } else {
            tag::parse(&raw).map(Self::One)
        }
    }
}

/// A block of a sampled message, told apart by its `type`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SamplingBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// Sound.
    Audio(AudioContent),
    /// The model wants to use a tool.
    ToolUse(ToolUseContent),
    /// What a tool gave the model.
    ToolResult(ToolResultContent),
    /// A block of another type, kept as it was sent.
    Other(Raw),
}

tagged! {
    SamplingBlock by "type" {
        "text" => Text(TextContent),
        "image" => Image(ImageContent),
        "audio" => Audio(AudioContent),
        "tool_use" => ToolUse(ToolUseContent),
        "tool_result" => ToolResult(ToolResultContent),
    }
}

wire! {
    /// The model wants to use a tool.
    pub struct ToolUseContent {
        tag "type" = "tool_use";
        required {
            /// The id under which the result is expected.
            id: String = "id",
            /// The tool.
            name: String = "name",
            /// Its arguments: an object.
            input: Raw = "input",
        }
        optional {
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// What a tool gave the model.
    pub struct ToolResultContent {
        tag "type" = "tool_result";
        required {
            /// The id of the use.
            tool_use_id: String = "toolUseId",
        }
        defaulted {
            /// What it gave.
            content: Vec<ContentBlock> = "content",
        }
        optional {
            /// Whether the tool failed.
            is_error: bool = "isError",
            /// Metadata.
            meta: Meta = "_meta",
        }
        any {
            /// What it gave, as data.
            structured_content: Raw = "structuredContent",
        }
    }
}
