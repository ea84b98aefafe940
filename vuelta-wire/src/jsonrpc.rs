//! JSON-RPC 2.0: ids, errors, and the envelope around every message.
//!
//! Source: [JSON-RPC](https://www.jsonrpc.org/specification) and
//! [messages](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#messages).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::Raw;

/// The id of a request: text or an integer of 64 bits, answered as it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the specification allows no other ids"
)]
pub enum RequestId {
    /// An integer.
    Integer(i64),
    /// Text.
    String(String),
}

impl From<i64> for RequestId {
    fn from(id: i64) -> Self {
        Self::Integer(id)
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self::String(id.to_owned())
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> Self {
        Self::String(id)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(id) => id.fmt(f),
            Self::String(id) => write!(f, "{id:?}"),
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(id) => serializer.serialize_i64(*id),
            Self::String(id) => serializer.serialize_str(id),
        }
    }
}

impl RequestId {
    /// Reads an id; `None` if the JSON is neither a text nor an integer of 64 bits.
    fn read(json: &str) -> Option<Self> {
        // The first byte tells text from number, whatever features serde_json is built with.
        if json.starts_with('"') {
            serde_json::from_str(json).ok().map(Self::String)
        } else {
            serde_json::from_str(json).ok().map(Self::Integer)
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        Self::read(raw.get())
            .ok_or_else(|| serde::de::Error::custom("expected a string or an integer of 64 bits"))
    }
}

/// The code of a JSON-RPC error: an open set.
///
/// Source: [error codes](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[expect(clippy::exhaustive_structs, reason = "a newtype")]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The text is not JSON.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// The JSON is not a request.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// The receiver has no such method.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The params are not those of the method.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The receiver failed.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// An HTTP header says something else than the body.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request needs a capability that the client did not declare.
    pub const MISSING_REQUIRED_CLIENT_CAPABILITY: Self = Self(-32021);
    /// There is no such resource; not in 2026-07-28, which has [`INVALID_PARAMS`](Self::INVALID_PARAMS)
    /// for it.
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// The user must visit URLs first; not in 2026-07-28.
    pub const URL_ELICITATION_REQUIRED: Self = Self(-32042);
    /// The receiver does not speak the requested revision.
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The error member of a response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorObject {
    /// What kind of error it is.
    pub code: ErrorCode,
    /// What happened, in one sentence.
    pub message: Cow<'static, str>,
    /// More about it, as the code defines; null is a value.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub data: Option<Raw>,
}

impl ErrorObject {
    /// Creates an error without data.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Sets the data.
    #[must_use]
    pub fn data(mut self, data: impl Into<Raw>) -> Self {
        self.data = Some(data.into());
        self
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

/// One JSON-RPC message, its payload still raw and borrowed.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC has no other messages")]
pub enum Message<'a> {
    /// A request.
    Request(Request<'a>),
    /// A notification.
    Notification(Notification<'a>),
    /// A response.
    Response(Response<'a>),
}

/// A request as it came.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the members that JSON-RPC gives a request"
)]
pub struct Request<'a> {
    /// The id under which it wants its answer.
    pub id: RequestId,
    /// What is asked.
    pub method: Cow<'a, str>,
    /// With what: an object, if given.
    pub params: Option<&'a RawValue>,
}

/// A notification as it came.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the members that JSON-RPC gives a notification"
)]
pub struct Notification<'a> {
    /// What is told.
    pub method: Cow<'a, str>,
    /// With what: an object, if given.
    pub params: Option<&'a RawValue>,
}

/// A response as it came.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the members that JSON-RPC gives a response"
)]
pub struct Response<'a> {
    /// The request's id; absent or null if the peer could not read it.
    pub id: Option<RequestId>,
    /// The result, or the error.
    pub outcome: Result<&'a RawValue, ErrorObject>,
}

/// Why a text is no JSON-RPC message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// The text is not JSON, or nested deeper than 128 levels.
    Parse,
    /// The JSON is no single request, notification or response.
    Invalid,
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parse => "the text is not JSON",
            Self::Invalid => "the JSON is no single JSON-RPC message",
        })
    }
}

impl std::error::Error for MessageError {}

/// The depth to which JSON may be nested; what serde_json itself allows typed values.
const MAX_DEPTH: usize = 128;

impl<'a> Message<'a> {
    /// Reads one message.
    ///
    /// # Errors
    ///
    /// Returns [`MessageError::Parse`] if `text` is not JSON, and [`MessageError::Invalid`] if
    /// it is JSON of another form: a batch, an id that is null, a float or no 64-bit integer,
    /// params that are no object, a missing `"jsonrpc":"2.0"`.
    pub fn parse(text: &'a [u8]) -> Result<Self, MessageError> {
        let text = std::str::from_utf8(text).map_err(|_| MessageError::Parse)?;
        if is_too_deep(text.as_bytes()) {
            return Err(MessageError::Parse);
        }
        let envelope: Envelope<'a> = serde_json::from_str(text).map_err(|error| {
            let is_json =
                error.is_data() && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            if is_json {
                MessageError::Invalid
            } else {
                MessageError::Parse
            }
        })?;
        envelope.into_message().ok_or(MessageError::Invalid)
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<ErrorObject>,
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Keeps an explicit null apart from an absent member.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl<'a> Envelope<'a> {
    fn into_message(self) -> Option<Message<'a>> {
        if self.jsonrpc != "2.0" {
            return None;
        }
        let id = || RequestId::read(self.id?.get());
        match (self.method, self.result, self.error) {
            (Some(Text(method)), None, None) => {
                let params = match self.params {
                    Some(params) if !params.get().starts_with('{') => return None,
                    params => params,
                };
                Some(match self.id {
                    Some(_) => Message::Request(Request {
                        id: id()?,
                        method,
                        params,
                    }),
                    None => Message::Notification(Notification { method, params }),
                })
            }
            (None, Some(result), None) => Some(Message::Response(Response {
                id: Some(id()?),
                outcome: Ok(result),
            })),
            (None, None, Some(error)) => Some(Message::Response(Response {
                id: id(),
                outcome: Err(error),
            })),
            _ => None,
        }
    }
}

/// Returns whether the text is nested deeper than typed JSON may be.
fn is_too_deep(text: &[u8]) -> bool {
    // Most messages hold fewer brackets than that in all, and counting them is cheap.
    let brackets = text
        .iter()
        .filter(|byte| matches!(byte, b'{' | b'['))
        .count();
    if brackets <= MAX_DEPTH {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Writes a request.
///
/// # Errors
///
/// Returns the encoder's error.
pub fn write_request<P: Serialize + ?Sized>(
    id: &RequestId,
    method: &str,
    params: &P,
) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Out<'a, P: ?Sized> {
        jsonrpc: &'a str,
        id: &'a RequestId,
        method: &'a str,
        params: &'a P,
    }
    serde_json::to_string(&Out {
        jsonrpc: "2.0",
        id,
        method,
        params,
    })
}

/// Writes a notification; without params if there are none.
///
/// # Errors
///
/// Returns the encoder's error.
pub fn write_notification<P: Serialize + ?Sized>(
    method: &str,
    params: Option<&P>,
) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Out<'a, P: ?Sized> {
        jsonrpc: &'a str,
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        params: Option<&'a P>,
    }
    serde_json::to_string(&Out {
        jsonrpc: "2.0",
        method,
        params,
    })
}

/// Writes the response that carries a result.
#[must_use]
pub fn write_result(id: &RequestId, result: &Raw) -> String {
    let mut text = String::with_capacity(result.get().len() + 64);
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    push(&mut text, id);
    text.push_str(r#","result":"#);
    text.push_str(result.get());
    text.push('}');
    text
}

/// Writes the response to a message whose id could not be read: since 2025-11-25 such a
/// response has none.
#[must_use]
pub fn write_error_without_id(error: &ErrorObject) -> String {
    let mut text = String::with_capacity(128);
    text.push_str(r#"{"jsonrpc":"2.0","error":"#);
    push(&mut text, error);
    text.push('}');
    text
}

/// Writes the response that carries an error, with a null id where the request's is unknown.
#[must_use]
pub fn write_error(id: Option<&RequestId>, error: &ErrorObject) -> String {
    let mut text = String::with_capacity(128);
    text.push_str(r#"{"jsonrpc":"2.0","id":"#);
    match id {
        Some(id) => push(&mut text, id),
        None => text.push_str("null"),
    }
    text.push_str(r#","error":"#);
    push(&mut text, error);
    text.push('}');
    text
}

/// Appends an id or an error object.
fn push<T: Serialize>(text: &mut String, value: &T) {
    // Both are made of integers, texts and raw JSON: nothing of that fails to encode.
    text.push_str(&serde_json::to_string(value).expect("ids and errors encode infallibly"));
}

#[cfg(test)]
mod tests;
