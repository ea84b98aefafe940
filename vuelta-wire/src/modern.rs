//! The codec of revision 2026-07-28: the only place that writes `resultType` and the
//! protocol's own `_meta` keys.

use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::decode::{DecodeError, decode};
use crate::elicitation::ElicitParams;
use crate::input::{InputRequest, InputRequired};
use crate::jsonrpc::present;
use crate::meta::{self, RequestMeta};
use crate::methods::{self, Method, ResultBody};
use crate::object::{Key, Members, OrderedMap};
use crate::{Extra, Raw, RequestId, tag};

/// Encodes the params of a request with its `_meta`.
///
/// # Errors
///
/// Returns the encoder's error.
pub fn encode_params<P: Members>(params: &P, meta: &RequestMeta) -> Result<Raw, serde_json::Error> {
    struct WithMeta<'a, P>(&'a P, &'a RequestMeta);

    impl<P: Members> Serialize for WithMeta<'_, P> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            self.0.write_members(&mut map)?;
            map.serialize_entry("_meta", self.1)?;
            map.end()
        }
    }

    Raw::encode(&WithMeta(params, meta))
}

/// Encodes a complete result, stamped with the server's identity.
///
/// `server_info` stays out if the result's `_meta` names a server already.
///
/// # Errors
///
/// Returns the encoder's error.
pub fn encode_result<R: ResultBody>(
    mut result: R,
    server_info: &Raw,
) -> Result<Raw, serde_json::Error> {
    stamp(result.meta_mut(), meta::SERVER_INFO, server_info);
    Raw::encode(&Typed {
        result_type: "complete",
        body: &result,
    })
}

/// Encodes the end of a subscription: a result that names it.
///
/// # Errors
///
/// Returns the encoder's error.
pub fn encode_listen_result(
    mut result: crate::ListenResult,
    subscription: &RequestId,
    server_info: &Raw,
) -> Result<Raw, serde_json::Error> {
    result
        .meta
        .get_or_insert_default()
        .insert(meta::SUBSCRIPTION_ID, Raw::encode(subscription)?);
    encode_result(result, server_info)
}

/// Encodes the result of a method that the specification does not define.
///
/// # Errors
///
/// Returns the encoder's error, or an error if `result` does not encode to an object, or
/// claims to be of another type than `complete`.
pub fn encode_custom_result<R: Serialize>(
    result: &R,
    server_info: &Raw,
) -> Result<Raw, serde_json::Error> {
    let mut members = custom_members(result)?;
    let mut meta: Option<meta::Meta> = members
        .get("_meta")
        .map(|meta| serde_json::from_str(meta.get()))
        .transpose()?;
    stamp(&mut meta, meta::SERVER_INFO, server_info);
    members.insert("resultType", "complete");
    members.insert("_meta", Raw::encode(&meta)?);
    Raw::encode(&members)
}

/// Returns the members of a custom result, which may be of no type but `complete`.
pub(crate) fn custom_members<R: Serialize>(result: &R) -> Result<Extra, serde_json::Error> {
    let members: Extra = serde_json::from_str(Raw::encode(result)?.get())?;
    let complete = Raw::from("complete");
    if members
        .get("resultType")
        .is_some_and(|found| *found != complete)
    {
        return Err(serde::ser::Error::custom(
            "only a defined method may give another result type",
        ));
    }
    Ok(members)
}

/// Encodes a question, stamped with the server's identity.
///
/// # Errors
///
/// Returns the encoder's error, or an error if `result` carries neither a question nor a
/// state.
pub fn encode_input_required(
    mut result: InputRequired,
    server_info: &Raw,
) -> Result<Raw, serde_json::Error> {
    if result.is_empty() {
        return Err(serde::ser::Error::custom(
            "`input_required` needs `inputRequests` or `requestState`",
        ));
    }
    for request in result
        .input_requests
        .iter_mut()
        .flat_map(OrderedMap::values_mut)
    {
        if let InputRequest::Elicit(ElicitParams::Url(url)) = request {
            url.elicitation_id = None;
        }
    }
    stamp(&mut result.meta, meta::SERVER_INFO, server_info);
    Raw::encode(&Typed {
        result_type: "input_required",
        body: &result,
    })
}

fn stamp(meta: &mut Option<meta::Meta>, key: &str, value: &Raw) {
    let meta = meta.get_or_insert_default();
    if meta.get(key).is_none() {
        meta.insert(key, value.clone());
    }
}

struct Typed<'a, T> {
    result_type: &'a str,
    body: &'a T,
}

impl<T: Members> Serialize for Typed<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("resultType", self.result_type)?;
        self.body.write_members(&mut map)?;
        map.end()
    }
}

/// A result as a client reads it: the tag first, then the form that it names.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "other values of `resultType` are errors"
)]
pub enum Decoded<R> {
    /// `complete`, or no `resultType` at all.
    Complete(R),
    /// `input_required`.
    InputRequired(InputRequired),
}

/// Why a result could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ResultError {
    /// The result does not have the form of the method's.
    Malformed(DecodeError),
    /// The result is of a type that this revision does not define.
    UnknownType(String),
    /// The result is a question, which the method may not answer with.
    UnexpectedQuestion,
    /// The result claims to be a question and carries neither a question nor a state.
    EmptyQuestion,
}

impl std::fmt::Display for ResultError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed(error) => write!(f, "malformed result: {error}"),
            Self::UnknownType(found) => write!(
                f,
                "unknown `resultType` {found:?}: expected \"complete\" or \"input_required\""
            ),
            Self::UnexpectedQuestion => {
                f.write_str("`input_required` in answer to a method that may not ask")
            }
            Self::EmptyQuestion => {
                f.write_str("`input_required` without `inputRequests` and `requestState`")
            }
        }
    }
}

impl std::error::Error for ResultError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Malformed(error) => Some(error),
            _ => None,
        }
    }
}

impl From<DecodeError> for ResultError {
    fn from(error: DecodeError) -> Self {
        Self::Malformed(error)
    }
}

/// Decodes a result by the method that was called and by its `resultType`.
///
/// # Errors
///
/// Returns an error if the result is none of the method's.
pub fn decode_result<M: Method>(json: &str) -> Result<Decoded<M::Result>, ResultError> {
    if !is_question(json)? {
        return Ok(Decoded::Complete(decode(json)?));
    }
    if !methods::find(M::NAME).is_some_and(|info| info.may_ask) {
        return Err(ResultError::UnexpectedQuestion);
    }
    let question: InputRequired = decode(json)?;
    if question.is_empty() {
        return Err(ResultError::EmptyQuestion);
    }
    Ok(Decoded::InputRequired(question))
}

/// Decodes the result of a method that the specification does not define.
///
/// # Errors
///
/// Returns an error if the result does not have the form of `R`, or is of another type than
/// `complete`.
pub fn decode_custom_result<R: DeserializeOwned>(json: &str) -> Result<R, ResultError> {
    if is_question(json)? {
        return Err(ResultError::UnexpectedQuestion);
    }
    Ok(decode(json)?)
}

/// Reads `resultType`, which is `complete` if absent.
fn is_question(json: &str) -> Result<bool, ResultError> {
    #[derive(Deserialize)]
    struct Tag<'a> {
        #[serde(rename = "resultType", borrow, default)]
        result_type: Option<Key<'a>>,
    }
    let tag: Tag<'_> = decode(json)?;
    match tag.result_type.as_ref().map(Key::as_str) {
        None | Some("complete") => Ok(false),
        Some("input_required") => Ok(true),
        Some(other) => Err(ResultError::UnknownType(other.to_owned())),
    }
}

/// The envelope of a request could not be read; the message says what is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// There is no `_meta` object.
    NoMeta,
    /// Required keys are missing.
    MissingKeys(Vec<&'static str>),
}

impl std::fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoMeta => f.write_str("`params._meta` must be an object"),
            Self::MissingKeys(keys) => write!(f, "`params._meta` needs {}", keys.join(" and ")),
        }
    }
}

impl std::error::Error for EnvelopeError {}

/// What of a request's `_meta` is needed before its method is known.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EnvelopeKeys<'a> {
    /// The raw `_meta` object.
    pub meta: &'a str,
    /// The raw revision; not necessarily a string.
    pub protocol_version: &'a str,
}

/// Returns whether a request's params name a revision in their `_meta`, of whatever form: what
/// tells a request of 2026-07-28 from one of the revisions before.
#[must_use]
pub fn has_revision(params: Option<&str>) -> bool {
    let meta = params.and_then(|params| tag::member(params, "_meta").ok()?);
    let revision = meta.and_then(|meta| tag::member(meta.get(), meta::PROTOCOL_VERSION).ok()?);
    revision.is_some()
}

/// Finds the envelope in a request's params without reading further.
///
/// # Errors
///
/// Returns an error if `_meta` or one of its required keys is missing.
pub fn envelope(params: Option<&str>) -> Result<EnvelopeKeys<'_>, EnvelopeError> {
    #[derive(Deserialize)]
    struct Keys<'a> {
        #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
        #[serde(borrow, default, deserialize_with = "present")]
        version: Option<&'a RawValue>,
        #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
        #[serde(borrow, default, deserialize_with = "present")]
        capabilities: Option<&'a RawValue>,
    }
    let meta = params
        .and_then(|params| tag::member(params, "_meta").ok()?)
        .map(RawValue::get)
        .filter(|meta| meta.starts_with('{'))
        .ok_or(EnvelopeError::NoMeta)?;
    let keys: Keys<'_> = serde_json::from_str(meta).map_err(|_| EnvelopeError::NoMeta)?;
    match (keys.version, keys.capabilities) {
        (Some(version), Some(_)) => Ok(EnvelopeKeys {
            meta,
            protocol_version: version.get(),
        }),
        (version, capabilities) => Err(EnvelopeError::MissingKeys(
            [
                (meta::PROTOCOL_VERSION, version.is_none()),
                (meta::CLIENT_CAPABILITIES, capabilities.is_none()),
            ]
            .into_iter()
            .filter_map(|(key, is_missing)| is_missing.then_some(key))
            .collect(),
        )),
    }
}

#[cfg(test)]
mod tests;
