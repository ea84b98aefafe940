//! The codec of the revisions that begin with a handshake, 2024-11-05 to 2025-11-25: what they
//! have and 2026-07-28 has not, and how the neutral types leave in their shape.
//!
//! Source: [lifecycle](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle),
//! [schema](https://modelcontextprotocol.io/specification/2025-11-25/schema).

mod forms;
pub(crate) mod reduce;
mod without;

use serde::de::DeserializeOwned;
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};

use crate::capability::{ClientCapabilities, ServerCapabilities};
use crate::decode::{DecodeError, decode};
use crate::meta::{self, Meta, PROGRESS_TOKEN, ProgressToken};
use crate::methods::ResultBody;
use crate::notification::{LoggingLevel, ServerNotification};
use crate::object::Members;
use crate::{
    CreateMessageResult, ElicitParams, ElicitUrl, Extra, Implementation, InputRequest,
    ProtocolVersion, Raw, modern,
};

use self::without::Without;

wire! {
    /// The params of `initialize`.
    pub struct InitializeParams {
        required {
            /// The newest revision with a handshake that the client speaks.
            protocol_version: ProtocolVersion = "protocolVersion",
            /// What the client can do.
            capabilities: ClientCapabilities = "capabilities",
            /// Who the client is.
            client_info: Implementation = "clientInfo",
        }
        ignored { "_meta" }
    }
}

wire! {
    /// The result of `initialize`.
    pub struct InitializeResult {
        required {
            /// The revision that the connection will speak.
            protocol_version: ProtocolVersion = "protocolVersion",
            /// What the server offers.
            capabilities: ServerCapabilities = "capabilities",
            /// Who the server is.
            server_info: Implementation = "serverInfo",
        }
        optional {
            /// How to use the server, for the model.
            instructions: String = "instructions",
            /// Metadata.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}

wire! {
    /// The params of `logging/setLevel`.
    pub struct SetLevelParams {
        required {
            /// The lowest level at which the client wants log notifications.
            level: LoggingLevel = "level",
        }
        ignored { "_meta" }
    }
}

wire! {
    /// The params of `resources/subscribe` and `resources/unsubscribe`.
    pub struct SubscribeParams {
        required {
            /// The resource.
            uri: String = "uri",
        }
        ignored { "_meta" }
    }
}

wire! {
    /// A result that says only that it was done.
    pub struct EmptyResult {
        optional {
            /// Metadata.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}

wire! {
    /// The data of an error that wants the user to visit URLs before the request is sent again.
    pub struct UrlElicitations {
        required {
            /// The URLs, each with what the user is told and with an `elicitation_id`.
            elicitations: Vec<ElicitUrl> = "elicitations",
        }
    }
}

wire! {
    /// The params of [`ELICITATION_COMPLETE`].
    pub struct ElicitationCompleteParams {
        required {
            /// The `elicitation_id` of the URL.
            elicitation_id: String = "elicitationId",
        }
    }
}

wire_default!(EmptyResult);

/// The notification with which a client ends the handshake.
pub const INITIALIZED: &str = "notifications/initialized";
/// The notification of a client whose roots have changed.
pub const ROOTS_CHANGED: &str = "notifications/roots/list_changed";
/// The notification of a server that a URL's errand is done.
pub const ELICITATION_COMPLETE: &str = "notifications/elicitation/complete";

/// The members of results that only 2026-07-28 defines.
const RESULT_ONLY_MODERN: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];
/// The members of params that only 2026-07-28 defines, whatever the method.
const PARAMS_ONLY_MODERN: [&str; 2] = ["inputResponses", "requestState"];
/// The keys of `_meta` that only 2026-07-28 defines.
const META_ONLY_MODERN: [&str; 6] = [
    meta::PROTOCOL_VERSION,
    meta::CLIENT_INFO,
    meta::CLIENT_CAPABILITIES,
    meta::LOG_LEVEL,
    meta::SERVER_INFO,
    meta::SUBSCRIPTION_ID,
];

/// Encodes the params of a request: without what only 2026-07-28 defines, and with `_meta` only
/// if it holds something.
///
/// # Errors
///
/// Returns the encoder's error.
pub fn encode_params<P: Members>(
    params: &P,
    progress: Option<&ProgressToken>,
    extra: &Extra,
) -> Result<Raw, serde_json::Error> {
    struct WithMeta<'a, P> {
        params: &'a P,
        meta: Option<Meta>,
    }

    impl<P: Members> Serialize for WithMeta<'_, P> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            Without(self.params, &PARAMS_ONLY_MODERN).write_members(&mut map)?;
            if let Some(meta) = &self.meta {
                map.serialize_entry("_meta", meta)?;
            }
            map.end()
        }
    }

    let mut meta = extra.clone();
    if let Some(token) = progress {
        meta.insert(PROGRESS_TOKEN, Raw::encode(token)?);
    }
    let mut meta = Some(meta);
    strip(&mut meta);
    Raw::encode(&WithMeta { params, meta })
}

/// Encodes a result in the shape of `revision`: without what only 2026-07-28 defines.
///
/// # Errors
///
/// Returns the encoder's error.
pub fn encode_result<R: ResultBody>(
    mut result: R,
    revision: &ProtocolVersion,
) -> Result<Raw, serde_json::Error> {
    result.to_revision(revision);
    strip(result.meta_mut());
    Raw::encode(&Without(&result, &RESULT_ONLY_MODERN))
}

/// Encodes the result of a method that the specification does not define: without what only
/// 2026-07-28 defines.
///
/// # Errors
///
/// Returns the encoder's error, or an error if `result` does not encode to an object, or
/// claims to be of another type than `complete`.
pub fn encode_custom_result<R: Serialize>(result: &R) -> Result<Raw, serde_json::Error> {
    let mut members = modern::custom_members(result)?;
    for name in RESULT_ONLY_MODERN {
        members.remove(name);
    }
    if let Some(meta) = members.remove("_meta") {
        let mut meta: Option<Meta> = serde_json::from_str(meta.get())?;
        strip(&mut meta);
        if let Some(meta) = meta {
            members.insert("_meta", Raw::encode(&meta)?);
        }
    }
    Raw::encode(&members)
}

/// Encodes the params of a notification: without what only 2026-07-28 defines; `None` for a
/// custom one without any.
///
/// # Errors
///
/// Returns the encoder's error, such as a progress that is not finite.
pub fn encode_notification(
    mut notification: ServerNotification,
) -> Result<Option<Raw>, serde_json::Error> {
    if let Some(meta) = notification.meta_mut() {
        strip(meta);
    }
    notification.encode_params()
}

/// Removes the keys that only 2026-07-28 defines, and metadata that holds nothing.
fn strip(meta: &mut Option<Meta>) {
    if let Some(members) = meta {
        for key in META_ONLY_MODERN {
            members.remove(key);
        }
    }
    meta.take_if(|members| members.is_empty());
}

/// Decodes a result; members that only 2026-07-28 defines mean nothing in it, whatever their
/// form.
///
/// # Errors
///
/// Returns an error if the result does not have the form of `R`.
pub fn decode_result<R: DeserializeOwned + Members>(json: &str) -> Result<R, DecodeError> {
    let mut members: Extra = decode(json)?;
    let before = members.len();
    for name in RESULT_ONLY_MODERN {
        members.remove(name);
    }
    if members.len() == before {
        return decode(json);
    }
    let members = Raw::encode(&members).map_err(|error| DecodeError::new("", error))?;
    members.parse()
}

/// Encodes the params of a question that is pushed to a client of `revision`.
///
/// `elicitation` names a URL's errand that has no `elicitation_id`.
///
/// # Errors
///
/// Returns the encoder's error, or an error if `revision` cannot ask this.
pub fn encode_question(
    question: &InputRequest,
    revision: &ProtocolVersion,
    elicitation: &str,
) -> Result<Raw, serde_json::Error> {
    match question {
        InputRequest::Elicit(ElicitParams::Form(form)) => forms::encode_form(form, revision),
        InputRequest::Elicit(ElicitParams::Url(url)) => {
            forms::encode_url(url, revision, elicitation)
        }
        InputRequest::Sample(params) => {
            let mut params = params.clone();
            reduce::sampling(&mut params, revision).map_err(serde_json::Error::custom)?;
            Raw::encode(&params)
        }
        InputRequest::ListRoots(params) => Raw::encode(params),
        // Whatever it is, it has no form that older revisions know.
        InputRequest::Other(_) | InputRequest::Elicit(ElicitParams::Other(_)) => {
            Err(serde_json::Error::custom("a question of an unknown kind"))
        }
    }
}

/// Encodes a client's answer to a question that a server of `revision` has pushed.
///
/// # Errors
///
/// Returns the encoder's error, or an error if the answer does not have the form that the
/// question wants, or `revision` cannot express it.
pub fn encode_answer(
    question: &InputRequest,
    answer: &Raw,
    revision: &ProtocolVersion,
) -> Result<Raw, serde_json::Error> {
    if !matches!(question, InputRequest::Sample(_)) {
        return Ok(answer.clone());
    }
    let mut sampled: CreateMessageResult = serde_json::from_str(answer.get())?;
    reduce::sampled(&mut sampled, revision).map_err(serde_json::Error::custom)?;
    Raw::encode(&sampled)
}

#[cfg(test)]
mod tests;
