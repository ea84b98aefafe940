//! What a function may return, and what becomes of it on the wire.

use std::fmt::{self, Display};

use data_encoding::BASE64;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use vuelta_wire::{
    BlobResourceContents, CallToolResult, ContentBlock, GetPromptResult, InputRequired,
    PromptMessage, Raw, ReadResourceResult, ResourceContents, TextResourceContents,
};

use crate::outcome::Outcome;
use crate::resolve::{Halt, Halted};

/// A structured result: the data as `structuredContent`, and its JSON as text.
///
/// The tool publishes the schema of `T`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a wrapper, made and taken apart by name"
)]
pub struct Json<T>(pub T);

/// Why a tool failed, for the model; made by `?` from any error.
pub struct ToolError(String);

impl ToolError {
    /// Creates an error with the reason for the model.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolError({})", self.0)
    }
}

/// What a tool may return.
///
/// Text, a content block or several, [`Json`], a whole [`CallToolResult`]; an [`Outcome`] or
/// [`InputRequired`] to ask by hand; and a `Result` of these, whose error, whatever can be
/// displayed, becomes a result that says that the tool failed.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not text, content, `Json`, `CallToolResult`, `Outcome`, or a `Result` of these",
    note = "return `Json(..)` for data; its type must derive `Serialize` and `JsonSchema`"
)]
pub trait ToolOutput {
    /// Whether it may be a question built by hand.
    const ASKS: bool = false;

    /// Returns the schema of the structured result.
    #[must_use]
    fn schema() -> Option<Value> {
        None
    }

    /// Becomes the result.
    ///
    /// # Errors
    ///
    /// Returns why the call ends.
    fn into_outcome(self) -> Result<Outcome<CallToolResult>, Halted>;
}

impl ToolOutput for CallToolResult {
    fn into_outcome(self) -> Result<Outcome<CallToolResult>, Halted> {
        Ok(self.into())
    }
}

impl ToolOutput for InputRequired {
    const ASKS: bool = true;

    fn into_outcome(self) -> Result<Outcome<CallToolResult>, Halted> {
        Ok(self.into())
    }
}

impl<T: ToolOutput> ToolOutput for Outcome<T> {
    const ASKS: bool = true;

    fn schema() -> Option<Value> {
        T::schema()
    }

    fn into_outcome(self) -> Result<Outcome<CallToolResult>, Halted> {
        match self {
            Self::Complete(value) => value.into_outcome(),
            Self::InputRequired(question) => Ok(question.into()),
        }
    }
}

impl<T: ToolOutput, E: Display + 'static> ToolOutput for Result<T, E> {
    const ASKS: bool = T::ASKS;

    fn schema() -> Option<Value> {
        T::schema()
    }

    fn into_outcome(self) -> Result<Outcome<CallToolResult>, Halted> {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => match Halt::protocol(&error) {
                Some(halt) => Err(halt.into()),
                // The alternate form: errors that hold their causes show them.
                None => Ok(CallToolResult::error(format!("{error:#}")).into()),
            },
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> ToolOutput for Json<T> {
    fn schema() -> Option<Value> {
        Some(crate::mcp::publish::output_schema::<T>())
    }

    fn into_outcome(self) -> Result<Outcome<CallToolResult>, Halted> {
        let data = Raw::encode(&self.0)
            .map_err(|error| Halted::failed(format!("the result cannot be encoded: {error}")))?;
        Ok(CallToolResult::text(data.get())
            .structured_content(data)
            .into())
    }
}

macro_rules! content {
    ($($ty:ty => |$value:ident| $blocks:expr;)+) => {
        $(
            impl ToolOutput for $ty {
                fn into_outcome(self) -> Result<Outcome<CallToolResult>, Halted> {
                    let $value = self;
                    Ok(CallToolResult::new().content($blocks).into())
                }
            }
        )+
    };
}

content! {
    String => |text| [ContentBlock::text(text)];
    &'static str => |text| [ContentBlock::text(text)];
    () => |_nothing| [];
    ContentBlock => |block| [block];
    Vec<ContentBlock> => |blocks| blocks;
}

/// What a prompt may return: messages, text from the user, a whole [`GetPromptResult`], an
/// [`Outcome`] to ask by hand, or a `Result` of these.
#[diagnostic::on_unimplemented(
    message = "a prompt cannot return `{Self}`",
    label = "not text, messages, `GetPromptResult`, `Outcome`, or a `Result` of these"
)]
pub trait PromptOutput {
    /// Whether it may be a question built by hand.
    const ASKS: bool = false;

    /// Becomes the result.
    ///
    /// # Errors
    ///
    /// Returns why the call ends.
    fn into_outcome(self) -> Result<Outcome<GetPromptResult>, Halted>;
}

impl PromptOutput for GetPromptResult {
    fn into_outcome(self) -> Result<Outcome<GetPromptResult>, Halted> {
        Ok(self.into())
    }
}

impl PromptOutput for InputRequired {
    const ASKS: bool = true;

    fn into_outcome(self) -> Result<Outcome<GetPromptResult>, Halted> {
        Ok(self.into())
    }
}

impl<T: PromptOutput> PromptOutput for Outcome<T> {
    const ASKS: bool = true;

    fn into_outcome(self) -> Result<Outcome<GetPromptResult>, Halted> {
        match self {
            Self::Complete(value) => value.into_outcome(),
            Self::InputRequired(question) => Ok(question.into()),
        }
    }
}

impl<T: PromptOutput, E: Display + 'static> PromptOutput for Result<T, E> {
    const ASKS: bool = T::ASKS;

    fn into_outcome(self) -> Result<Outcome<GetPromptResult>, Halted> {
        self.map_err(|error| ended(&error))?.into_outcome()
    }
}

/// A prompt or resource that fails ends its request; the reason of an error that is none of
/// the protocol goes to the log.
fn ended<E: Display + 'static>(error: &E) -> Halted {
    Halt::protocol(error)
        .unwrap_or_else(|| Halt::Broken(format!("{error:#}")))
        .into()
}

macro_rules! messages {
    ($($ty:ty => |$value:ident| $messages:expr;)+) => {
        $(
            impl PromptOutput for $ty {
                fn into_outcome(self) -> Result<Outcome<GetPromptResult>, Halted> {
                    let $value = self;
                    Ok(GetPromptResult::new($messages).into())
                }
            }
        )+
    };
}

messages! {
    String => |text| [PromptMessage::user(text)];
    &'static str => |text| [PromptMessage::user(text)];
    PromptMessage => |message| [message];
    Vec<PromptMessage> => |messages| messages;
}

/// What a resource may return: text, bytes, contents, a whole [`ReadResourceResult`], an
/// [`Outcome`] to ask by hand, or a `Result` of these.
#[diagnostic::on_unimplemented(
    message = "a resource cannot return `{Self}`",
    label = "not text, bytes, contents, `ReadResourceResult`, `Outcome`, or a `Result` of these"
)]
pub trait ResourceOutput {
    /// Whether it may be a question built by hand.
    const ASKS: bool = false;

    /// Becomes the result for the resource at `uri`, of the media type that was declared.
    ///
    /// # Errors
    ///
    /// Returns why the call ends.
    fn into_outcome(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Outcome<ReadResourceResult>, Halted>;
}

impl ResourceOutput for ReadResourceResult {
    fn into_outcome(self, _: &str, _: Option<&str>) -> Result<Outcome<ReadResourceResult>, Halted> {
        Ok(self.into())
    }
}

impl ResourceOutput for InputRequired {
    const ASKS: bool = true;

    fn into_outcome(self, _: &str, _: Option<&str>) -> Result<Outcome<ReadResourceResult>, Halted> {
        Ok(self.into())
    }
}

impl<T: ResourceOutput> ResourceOutput for Outcome<T> {
    const ASKS: bool = true;

    fn into_outcome(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Outcome<ReadResourceResult>, Halted> {
        match self {
            Self::Complete(value) => value.into_outcome(uri, mime_type),
            Self::InputRequired(question) => Ok(question.into()),
        }
    }
}

impl<T: ResourceOutput, E: Display + 'static> ResourceOutput for Result<T, E> {
    const ASKS: bool = T::ASKS;

    fn into_outcome(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Outcome<ReadResourceResult>, Halted> {
        self.map_err(|error| ended(&error))?
            .into_outcome(uri, mime_type)
    }
}

impl ResourceOutput for String {
    fn into_outcome(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Outcome<ReadResourceResult>, Halted> {
        let contents =
            TextResourceContents::new(uri, self).mime_type(mime_type.unwrap_or("text/plain"));
        Ok(ReadResourceResult::new([ResourceContents::from(contents)]).into())
    }
}

impl ResourceOutput for &'static str {
    fn into_outcome(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Outcome<ReadResourceResult>, Halted> {
        ResourceOutput::into_outcome(self.to_owned(), uri, mime_type)
    }
}

impl ResourceOutput for Vec<u8> {
    fn into_outcome(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Outcome<ReadResourceResult>, Halted> {
        let contents = BlobResourceContents::new(uri, BASE64.encode(&self))
            .mime_type(mime_type.unwrap_or("application/octet-stream"));
        Ok(ReadResourceResult::new([ResourceContents::from(contents)]).into())
    }
}

impl ResourceOutput for ResourceContents {
    fn into_outcome(self, _: &str, _: Option<&str>) -> Result<Outcome<ReadResourceResult>, Halted> {
        Ok(ReadResourceResult::new([self]).into())
    }
}

impl ResourceOutput for Vec<ResourceContents> {
    fn into_outcome(self, _: &str, _: Option<&str>) -> Result<Outcome<ReadResourceResult>, Halted> {
        Ok(ReadResourceResult::new(self).into())
    }
}

impl<T: Serialize> ResourceOutput for Json<T> {
    fn into_outcome(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Outcome<ReadResourceResult>, Halted> {
        let text = serde_json::to_string(&self.0).map_err(|error| ended(&error))?;
        ResourceOutput::into_outcome(text, uri, Some(mime_type.unwrap_or("application/json")))
    }
}
