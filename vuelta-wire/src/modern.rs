//! The codec of revision 2026-07-28: the only place that writes `resultType` and the
//! protocol's own `_meta` keys.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::decode::{DecodeError, decode};
use crate::input::InputRequired;
use crate::meta::{self, RequestMeta};
use crate::methods::{Method, ResultBody};
use crate::object::{Members, OrderedMap};
use crate::{Raw, RequestId};

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

/// Encodes a question, stamped with the server's identity.
///
/// # Errors
///
/// Returns the encoder's error.
pub fn encode_input_required(
    mut result: InputRequired,
    server_info: &Raw,
) -> Result<Raw, serde_json::Error> {
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

/// Decodes a result by the method that was called and by its `resultType`.
///
/// # Errors
///
/// Returns an error if the result is none of the method's.
pub fn decode_result<M: Method>(json: &str) -> Result<Decoded<M::Result>, ResultError> {
    let may_ask = crate::methods::lookup(M::NAME).is_some_and(|info| info.may_ask);
    match result_type(json)
        .map_err(ResultError::Malformed)?
        .as_deref()
    {
        None | Some("complete") => decode(json)
            .map(Decoded::Complete)
            .map_err(ResultError::Malformed),
        Some("input_required") if may_ask => decode(json)
            .map(Decoded::InputRequired)
            .map_err(ResultError::Malformed),
        Some("input_required") => Err(ResultError::UnexpectedQuestion),
        Some(other) => Err(ResultError::UnknownType(other.to_owned())),
    }
}

fn result_type(json: &str) -> Result<Option<String>, DecodeError> {
    #[derive(serde::Deserialize)]
    struct Tag {
        #[serde(rename = "resultType", default)]
        result_type: Option<String>,
    }
    decode::<Tag>(json).map(|tag| tag.result_type)
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

/// What of a request's `_meta` is needed before its method is known.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EnvelopeKeys<'a> {
    /// The raw `_meta` object.
    pub meta: &'a str,
    /// The raw revision; not necessarily a string.
    pub protocol_version: &'a str,
}

/// Finds the envelope in a request's params without reading further.
///
/// # Errors
///
/// Returns an error if `_meta` or one of its required keys is missing.
pub fn envelope(params: Option<&str>) -> Result<EnvelopeKeys<'_>, EnvelopeError> {
    use serde_json::value::RawValue;

    #[derive(serde::Deserialize)]
    struct Params<'a> {
        #[serde(rename = "_meta", borrow, default)]
        meta: Option<&'a RawValue>,
    }
    let meta = params
        .and_then(|params| serde_json::from_str::<Params<'_>>(params).ok())
        .and_then(|params| params.meta)
        .map(RawValue::get)
        .ok_or(EnvelopeError::NoMeta)?;
    let keys: OrderedMap<&RawValue> =
        serde_json::from_str(meta).map_err(|_| EnvelopeError::NoMeta)?;
    let required = [meta::PROTOCOL_VERSION, meta::CLIENT_CAPABILITIES];
    let missing: Vec<_> = required
        .into_iter()
        .filter(|key| !keys.contains_key(key))
        .collect();
    match keys.get(meta::PROTOCOL_VERSION) {
        Some(version) if missing.is_empty() => Ok(EnvelopeKeys {
            meta,
            protocol_version: version.get(),
        }),
        _ => Err(EnvelopeError::MissingKeys(missing)),
    }
}
