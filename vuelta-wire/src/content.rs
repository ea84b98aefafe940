//! Content blocks: what tools return and prompts are made of.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::identity::{Annotations, Icon};
use crate::meta::Meta;
use crate::tag;
use crate::{Raw, Role};

wire! {
    /// Text.
    pub struct TextContent {
        tag "type" = "text";
        required {
            /// The text.
            text: String = "text",
        }
        optional {
            /// Hints for the client.
            annotations: Annotations = "annotations",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// A picture.
    pub struct ImageContent {
        tag "type" = "image";
        required {
            /// The data in base64.
            data: String = "data",
            /// The media type, such as `image/png`.
            mime_type: String = "mimeType",
        }
        optional {
            /// Hints for the client.
            annotations: Annotations = "annotations",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// Sound.
    pub struct AudioContent {
        tag "type" = "audio";
        required {
            /// The data in base64.
            data: String = "data",
            /// The media type, such as `audio/wav`.
            mime_type: String = "mimeType",
        }
        optional {
            /// Hints for the client.
            annotations: Annotations = "annotations",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// A link to a resource that the server can read.
    pub struct ResourceLink {
        tag "type" = "resource_link";
        required {
            /// The resource's URI.
            uri: String = "uri",
            /// The programmatic name.
            name: String = "name",
        }
        optional {
            /// The name to show to people.
            title: String = "title",
            /// What it is.
            description: String = "description",
            /// The media type.
            mime_type: String = "mimeType",
            /// The size in bytes, before any encoding.
            size: u64 = "size",
            /// Pictures to show beside the name.
            icons: Vec<Icon> = "icons",
            /// Hints for the client.
            annotations: Annotations = "annotations",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// A resource's contents, put into the message.
    pub struct EmbeddedResource {
        tag "type" = "resource";
        required {
            /// The contents.
            resource: ResourceContents = "resource",
        }
        optional {
            /// Hints for the client.
            annotations: Annotations = "annotations",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// The contents of a resource as text.
    pub struct TextResourceContents {
        required {
            /// The resource's URI.
            uri: String = "uri",
            /// The text.
            text: String = "text",
        }
        optional {
            /// The media type.
            mime_type: String = "mimeType",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

wire! {
    /// The contents of a resource as bytes.
    pub struct BlobResourceContents {
        required {
            /// The resource's URI.
            uri: String = "uri",
            /// The bytes in base64.
            blob: String = "blob",
        }
        optional {
            /// The media type.
            mime_type: String = "mimeType",
            /// Metadata.
            meta: Meta = "_meta",
        }
    }
}

/// The contents of a resource: text or bytes, told apart by which member is there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
    /// Neither, kept as it was sent.
    Other(Raw),
}

impl ResourceContents {
    /// Creates text contents.
    #[must_use]
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Text(TextResourceContents::new(uri, text))
    }
}

impl From<TextResourceContents> for ResourceContents {
    fn from(contents: TextResourceContents) -> Self {
        Self::Text(contents)
    }
}

impl From<BlobResourceContents> for ResourceContents {
    fn from(contents: BlobResourceContents) -> Self {
        Self::Blob(contents)
    }
}

impl Serialize for ResourceContents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(contents) => contents.serialize(serializer),
            Self::Blob(contents) => contents.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        if tag::has_member(&raw, "text") {
            tag::parse(&raw).map(Self::Text)
        } else if tag::has_member(&raw, "blob") {
            tag::parse(&raw).map(Self::Blob)
        } else {
            Ok(Self::Other(raw))
        }
    }
}

/// A block of content, told apart by its `type`.
///
/// A block of a type that this crate does not know is kept as it was sent, so that one odd
/// block never loses a result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// Sound.
    Audio(AudioContent),
    /// A link to a resource.
    ResourceLink(ResourceLink),
    /// A resource's contents.
    Resource(EmbeddedResource),
    /// A block of another type, kept as it was sent.
    Other(Raw),
}

impl ContentBlock {
    /// Creates a text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// Returns the text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

tagged! {
    ContentBlock by "type" {
        "text" => Text(TextContent),
        "image" => Image(ImageContent),
        "audio" => Audio(AudioContent),
        "resource_link" => ResourceLink(ResourceLink),
        "resource" => Resource(EmbeddedResource),
    }
}

wire! {
    /// A message of a prompt.
    pub struct PromptMessage {
        required {
            /// Who it is from.
            role: Role = "role",
            /// What it says.
            content: ContentBlock = "content",
        }
    }
}

impl PromptMessage {
    /// Creates a text message from the user.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, ContentBlock::text(text))
    }

    /// Creates a text message from the assistant.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, ContentBlock::text(text))
    }
}

#[cfg(test)]
mod tests;
