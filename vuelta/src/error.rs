//! The one error of this crate, sorted by who must act, and its one mapping to JSON-RPC.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use vuelta_wire::legacy::UrlElicitations;
use vuelta_wire::{
    CallToolResult, ClientCapabilities, DecodeError, ElicitUrl, ErrorCode, ErrorObject,
    ProtocolVersion, Raw,
};

use crate::client::FlowData;

/// A result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// What went wrong, and who must act.
///
/// The predicates tell the cases apart; the message says what to do. A handler's error of
/// any other type goes to the log only: the peer reads "Internal server error".
///
/// # Example: an error for the peer, in the protocol's own terms
///
/// ```
/// use vuelta::{Error, ErrorCode};
///
/// let error = Error::rpc(ErrorCode::INVALID_PARAMS, "Unknown tool: nope");
/// assert_eq!(error.code(), Some(ErrorCode::INVALID_PARAMS));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    /// How the transport saw it, such as `HTTP 406`.
    detail: Option<Cow<'static, str>>,
    /// The flow that it interrupted.
    flow: Option<FlowData>,
}

enum Kind {
    /// A JSON-RPC error, to be sent or received as it is.
    Rpc(ErrorObject),
    /// Params that a handler could not read.
    InvalidParams(DecodeError),
    /// A handler failed; the peer does not learn how.
    Handler(Source),
    /// The peer broke the protocol.
    Peer {
        message: Cow<'static, str>,
        source: Option<Source>,
    },
    /// The API was used wrongly.
    Misuse(Cow<'static, str>),
    /// The connection failed.
    Transport {
        message: Cow<'static, str>,
        source: Option<Source>,
    },
    /// Time ran out.
    Timeout {
        what: Cow<'static, str>,
        after: Duration,
    },
    /// A subscription ended without the server's word.
    Lost(Error),
    /// The server still asks after the last round.
    Rounds { max: u32 },
    /// A tool said that it failed.
    ToolFailed {
        tool: Box<str>,
        result: CallToolResult,
    },
    /// The structured content of a tool is not what it must be.
    ToolOutput {
        tool: Box<str>,
        problem: Box<str>,
        result: CallToolResult,
    },
}

impl Error {
    fn new(kind: Kind) -> Self {
        Self(Box::new(Inner {
            kind,
            detail: None,
            flow: None,
        }))
    }

    /// Creates an error that the peer reads as it is.
    #[must_use]
    pub fn rpc(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::from(ErrorObject::new(code, message))
    }

    /// Creates the error for a tool that the server does not have.
    #[must_use]
    pub fn unknown_tool(name: &str) -> Self {
        Self::rpc(ErrorCode::INVALID_PARAMS, format!("Unknown tool: {name}"))
    }

    /// Creates the error for a prompt that the server does not have.
    #[must_use]
    pub fn unknown_prompt(name: &str) -> Self {
        Self::rpc(ErrorCode::INVALID_PARAMS, format!("Unknown prompt: {name}"))
    }

    /// Creates the error for a resource that the server does not have.
    #[must_use]
    pub fn unknown_resource(uri: &str) -> Self {
        let message = format!("Unknown resource: {uri}");
        let data = serde_json::json!({ "uri": uri });
        ErrorObject::new(ErrorCode::INVALID_PARAMS, message)
            .data(data)
            .into()
    }

    /// Creates the error that asks a client to visit URLs and to send its request again: only
    /// for revisions with a handshake. [`Ask::url`](crate::Ask::url) works on every revision.
    ///
    /// Each URL needs an `elicitation_id`.
    #[must_use]
    pub fn url_elicitation_required(elicitations: impl IntoIterator<Item = ElicitUrl>) -> Self {
        let data = UrlElicitations::new(elicitations.into_iter().collect::<Vec<_>>());
        let object = ErrorObject::new(
            ErrorCode::URL_ELICITATION_REQUIRED,
            "This request requires more information.",
        );
        match Raw::encode(&data) {
            Ok(data) => object.data(data).into(),
            // Texts always encode.
            Err(_) => object.into(),
        }
    }

    /// Creates the error of a handler that failed; the peer does not learn how.
    #[must_use]
    pub fn handler(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(Kind::Handler(source.into()))
    }

    /// Creates the error of a transport that lost its peer or could not reach it.
    #[must_use]
    pub fn transport(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Transport {
            message: message.into(),
            source: None,
        })
    }

    /// Creates the error of a peer that broke the protocol.
    #[must_use]
    pub fn peer(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Peer {
            message: message.into(),
            source: None,
        })
    }

    /// Creates the error of a caller who used the API wrongly; the message names the fix.
    #[must_use]
    pub fn misuse(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Kind::Misuse(message.into()))
    }

    pub(crate) fn timeout(what: impl Into<Cow<'static, str>>, after: Duration) -> Self {
        Self::new(Kind::Timeout {
            what: what.into(),
            after,
        })
    }

    /// Creates the error of a subscription that ended otherwise than by its result.
    pub(crate) fn subscription_lost(cause: Self) -> Self {
        Self::new(Kind::Lost(cause))
    }

    pub(crate) fn rounds(max: u32) -> Self {
        Self::new(Kind::Rounds { max })
    }

    /// Creates the error of a tool that said itself that it failed.
    pub(crate) fn tool_failed(tool: &str, result: CallToolResult) -> Self {
        Self::new(Kind::ToolFailed {
            tool: tool.into(),
            result,
        })
    }

    /// Creates the error of a tool whose structured content has a problem.
    pub(crate) fn tool_output(tool: &str, problem: &str, result: CallToolResult) -> Self {
        Self::new(Kind::ToolOutput {
            tool: tool.into(),
            problem: problem.into(),
            result,
        })
    }

    /// Adds the flow that it interrupted.
    pub(crate) fn interrupting(mut self, flow: Option<FlowData>) -> Self {
        self.0.flow = flow;
        self
    }

    /// Sets the cause of a transport's or peer's error.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        if let Kind::Transport { source, .. } | Kind::Peer { source, .. } = &mut self.0.kind {
            *source = Some(cause.into());
        }
        self
    }

    /// Sets how the transport saw it, such as `HTTP 406`; shown behind the message.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Returns how the transport saw it, such as `HTTP 406`.
    #[must_use]
    pub fn transport_detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// Returns the JSON-RPC error that the peer sent, or that the peer is sent.
    #[must_use]
    pub fn as_rpc(&self) -> Option<&ErrorObject> {
        match &self.0.kind {
            Kind::Rpc(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the code of the JSON-RPC error, if it is one.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        self.as_rpc().map(|object| object.code)
    }

    /// Returns whether the server does not have the resource that was asked for.
    ///
    /// Servers of revisions before 2026-07-28 have a code for that, -32002. Since then it is an
    /// error of invalid params that names the `uri` in its data.
    #[must_use]
    pub fn is_unknown_resource(&self) -> bool {
        #[derive(Deserialize)]
        struct Named {
            #[serde(rename = "uri")]
            _uri: String,
        }
        self.as_rpc().is_some_and(|object| match object.code {
            ErrorCode::RESOURCE_NOT_FOUND => true,
            ErrorCode::INVALID_PARAMS => {
                let data = object.data.as_ref().map(Raw::parse::<Named>);
                data.is_some_and(|named| named.is_ok())
            }
            _ => false,
        })
    }

    /// Returns whether it is params that a handler could not read.
    pub(crate) fn is_invalid_params(&self) -> bool {
        matches!(self.0.kind, Kind::InvalidParams(_))
    }

    /// Returns whether the connection failed.
    #[must_use]
    pub fn is_transport(&self) -> bool {
        matches!(self.0.kind, Kind::Transport { .. })
    }

    /// Returns whether the peer broke the protocol.
    #[must_use]
    pub fn is_peer(&self) -> bool {
        matches!(self.0.kind, Kind::Peer { .. } | Kind::ToolOutput { .. })
    }

    /// Returns whether the API was used wrongly.
    #[must_use]
    pub fn is_misuse(&self) -> bool {
        matches!(self.0.kind, Kind::Misuse(_))
    }

    /// Returns whether time ran out.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self.0.kind, Kind::Timeout { .. })
    }

    /// Returns whether a subscription broke off: changes may have been missed since, so list
    /// and read again, and listen anew.
    #[must_use]
    pub fn is_subscription_lost(&self) -> bool {
        matches!(self.0.kind, Kind::Lost(_))
    }

    /// Returns whether the server still asked after the last round.
    #[must_use]
    pub fn is_rounds_exceeded(&self) -> bool {
        matches!(self.0.kind, Kind::Rounds { .. })
    }

    /// Returns the flow that ran out of rounds or of time, or lost its connection, if the server
    /// had asked: the caller can go on by hand. Answers that were given already are in it.
    #[must_use]
    pub fn into_flow<M: vuelta_wire::methods::AskingMethod>(self) -> Option<crate::Flow<M>> {
        crate::Flow::from_data(self.0.flow?)
    }

    /// Returns whether a tool said that it failed, where its structured content was asked for.
    #[must_use]
    pub fn is_tool_failure(&self) -> bool {
        matches!(self.0.kind, Kind::ToolFailed { .. })
    }

    /// Returns the result of the tool that failed, or whose structured content was refused.
    #[must_use]
    pub fn into_tool_result(self) -> Option<CallToolResult> {
        match self.0.kind {
            Kind::ToolFailed { result, .. } | Kind::ToolOutput { result, .. } => Some(result),
            _ => None,
        }
    }

    /// Returns what the peer reads: the one mapping of errors to JSON-RPC codes.
    pub(crate) fn to_object(&self) -> ErrorObject {
        match &self.0.kind {
            Kind::Rpc(object) => object.clone(),
            Kind::InvalidParams(_) => invalid_params(),
            _ => internal(),
        }
    }
}

/// Shows an error with its causes, for the log.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

// The texts that peers compare.

pub(crate) fn invalid_params() -> ErrorObject {
    ErrorObject::new(ErrorCode::INVALID_PARAMS, "Invalid request parameters").data("")
}

pub(crate) fn internal() -> ErrorObject {
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, "Internal server error")
}

pub(crate) fn invalid_result() -> ErrorObject {
    ErrorObject::new(
        ErrorCode::INTERNAL_ERROR,
        "Handler returned an invalid result",
    )
}

pub(crate) fn sealing_failed() -> ErrorObject {
    ErrorObject::new(ErrorCode::INTERNAL_ERROR, "Internal error")
}

pub(crate) fn invalid_state() -> ErrorObject {
    ErrorObject::new(ErrorCode::INVALID_PARAMS, "Invalid or expired requestState")
        .data(serde_json::json!({ "reason": "invalid_request_state" }))
}

pub(crate) fn method_not_found(method: &str) -> ErrorObject {
    ErrorObject::new(ErrorCode::METHOD_NOT_FOUND, "Method not found").data(method)
}

pub(crate) fn unsupported_version(supported: &[ProtocolVersion], requested: &str) -> ErrorObject {
    let data = serde_json::json!({ "supported": supported, "requested": requested });
    ErrorObject::new(
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        "Unsupported protocol version",
    )
    .data(data)
}

pub(crate) fn no_back_channel(method: &str) -> ErrorObject {
    let message = format!(
        "Cannot send '{method}': this transport context has no back-channel for \
         server-initiated requests."
    );
    ErrorObject::new(ErrorCode::INVALID_REQUEST, message)
}

pub(crate) fn missing_capability(key: &str, missing: &ClientCapabilities) -> ErrorObject {
    let name = match (&missing.elicitation, &missing.sampling) {
        (Some(elicitation), _) if elicitation.url.is_some() => "URL elicitation",
        (Some(_), _) => "form elicitation",
        (None, Some(sampling)) if sampling.tools.is_some() => "sampling.tools",
        (None, Some(_)) => "sampling",
        (None, None) => "roots",
    };
    let message = format!("Client did not declare the {name} capability required to ask {key:?}");
    let data = serde_json::json!({ "requiredCapabilities": missing });
    ErrorObject::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, message).data(data)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            Kind::Rpc(object) => {
                write!(f, "{object}")?;
                if let Some(data) = object
                    .data
                    .as_ref()
                    .map(Raw::get)
                    .filter(|data| *data != "\"\"")
                {
                    write!(f, " {data}")?;
                }
            }
            Kind::InvalidParams(error) => write!(f, "invalid params: {error}")?,
            Kind::Handler(_) => f.write_str("handler failed")?,
            Kind::Peer { message, .. } | Kind::Transport { message, .. } => f.write_str(message)?,
            Kind::Misuse(message) => f.write_str(message)?,
            Kind::Timeout { what, after } => write!(f, "{what} took longer than {after:?}")?,
            Kind::Lost(_) => {
                f.write_str("the subscription broke off: list and read again, and listen anew")?;
            }
            Kind::Rounds { max } => write!(
                f,
                "the server still asks after {max} rounds: raise `max_rounds`, or take the flow \
                 from this error and go on by hand"
            )?,
            Kind::ToolFailed { tool, result } => {
                write!(f, "tool {tool:?} failed: {}", result.as_text())?;
            }
            Kind::ToolOutput { tool, problem, .. } => write!(f, "tool {tool:?}: {problem}")?,
        }
        match &self.0.detail {
            Some(detail) => write!(f, " [{detail}]"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    /// Shows the message and its causes: what a `main` that returns the error prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_causes(self))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            Kind::Handler(source) => Some(&**source),
            Kind::Lost(cause) => Some(cause),
            Kind::Peer { source, .. } | Kind::Transport { source, .. } => {
                source.as_deref().map(|source| source as _)
            }
            _ => None,
        }
    }
}

impl From<ErrorObject> for Error {
    fn from(object: ErrorObject) -> Self {
        Self::new(Kind::Rpc(object))
    }
}

impl From<DecodeError> for Error {
    /// Reads as invalid params: what a handler decodes is what the peer sent.
    fn from(error: DecodeError) -> Self {
        Self::new(Kind::InvalidParams(error))
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::handler(error)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::handler(error)
    }
}
