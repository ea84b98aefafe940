//! The codec of the revisions that begin with a handshake, 2024-11-05 to 2025-11-25: what they
//! have and 2026-07-28 has not, and how the neutral types leave in their shape.
//!
//! Source: [lifecycle](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle),
//! [schema](https://modelcontextprotocol.io/specification/2025-11-25/schema).

use serde::de::DeserializeOwned;
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};

use crate::capability::{ClientCapabilities, ServerCapabilities};
use crate::decode::{DecodeError, decode};
use crate::meta::{Meta, PROGRESS_TOKEN, ProgressToken};
use crate::methods::ResultBody;
use crate::notification::LoggingLevel;
use crate::object::Members;
use crate::{
    CallToolResult, ElicitParams, ElicitUrl, Extra, Implementation, InputRequest, ListToolsResult,
    ProtocolVersion, Raw,
};

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
            /// The URLs, each with what the user is told.
            elicitations: Vec<ElicitUrl> = "elicitations",
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

/// Encodes the params of a request: beside its own members there is only `_meta`, and only if
/// it holds something.
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
        progress: Option<&'a ProgressToken>,
        extra: &'a Extra,
    }

    impl<P: Members> Serialize for WithMeta<'_, P> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            self.params.write_members(&mut map)?;
            if self.progress.is_some() || !self.extra.is_empty() {
                let mut meta = self.extra.clone();
                if let Some(token) = self.progress {
                    let token = Raw::encode(token).map_err(S::Error::custom)?;
                    meta.insert(PROGRESS_TOKEN, token);
                }
                map.serialize_entry("_meta", &meta)?;
            }
            map.end()
        }
    }

    Raw::encode(&WithMeta {
        params,
        progress,
        extra,
    })
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
    Raw::encode(&Older(&result))
}

/// Encodes the result of a method that the specification does not define.
///
/// # Errors
///
/// Returns the encoder's error, or an error if `result` does not encode to an object.
pub fn encode_custom_result<R: Serialize>(result: &R) -> Result<Raw, serde_json::Error> {
    let raw = Raw::encode(result)?;
    if raw.is_object() {
        return Ok(raw);
    }
    Err(serde_json::Error::custom("a result must be a JSON object"))
}

/// Decodes a result; members that only 2026-07-28 defines mean nothing in it.
///
/// # Errors
///
/// Returns an error if the result does not have the form of `R`.
pub fn decode_result<R: DeserializeOwned + Members>(json: &str) -> Result<R, DecodeError> {
    decode(json)
}

/// Encodes the params of a question that is pushed to a client of `revision`.
///
/// `elicitation` names a URL's errand, for the notification that it is done.
///
/// # Errors
///
/// Returns the encoder's error, or an error if the question is of an unknown kind.
pub fn encode_question(
    question: &InputRequest,
    revision: &ProtocolVersion,
    elicitation: &str,
) -> Result<Raw, serde_json::Error> {
    match question {
        InputRequest::Elicit(ElicitParams::Form(form)) => {
            // Before 2025-11-25 a form was all that there was.
            let has_modes = revision.is_at_least(&ProtocolVersion::V2025_11_25);
            let hidden: &[&str] = if has_modes { &[] } else { &["mode"] };
            Raw::encode(&Without(form, hidden))
        }
        InputRequest::Elicit(ElicitParams::Url(url)) => {
            let mut url = url.clone();
            if url.extra.get(ELICITATION_ID).is_none() {
                url.extra.insert(ELICITATION_ID, elicitation);
            }
            Raw::encode(&url)
        }
        InputRequest::Elicit(params) => Raw::encode(params),
        InputRequest::Sample(params) => Raw::encode(params),
        InputRequest::ListRoots(params) => Raw::encode(params),
        // Whatever it is, it has no form that older revisions know.
        InputRequest::Other(_) => Err(serde_json::Error::custom("a question of an unknown kind")),
    }
}

/// What the tools of this revision may not have is taken off: schemas and structured content
/// of another type than `object`.
pub(crate) fn only_objects(result: &mut CallToolResult) {
    if let Some(content) = &result.structured_content
        && !content.is_object()
    {
        result.structured_content = None;
    }
}

/// Takes output schemas off whose values are no objects.
pub(crate) fn only_object_schemas(result: &mut ListToolsResult) {
    for tool in &mut result.tools {
        let is_object = tool.output_schema.as_ref().is_none_or(|schema| {
            crate::tag::text_member(schema, "type").is_some_and(|found| found == "object")
        });
        if !is_object {
            tool.output_schema = None;
        }
    }
}

const ELICITATION_ID: &str = "elicitationId";

/// A result without the members that only 2026-07-28 defines.
struct Older<'a, R>(&'a R);

impl<R: Members> Serialize for Older<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Without(self.0, &["ttlMs", "cacheScope"]).serialize(serializer)
    }
}

/// An object without some of its members.
struct Without<'a, T>(&'a T, &'a [&'a str]);

impl<T: Members> Serialize for Without<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut filter = Filter {
            map: serializer.serialize_map(None)?,
            hidden: self.1,
            is_hidden: false,
        };
        self.0.write_members(&mut filter)?;
        filter.map.end()
    }
}

/// Passes on the entries of a map whose keys are not hidden.
struct Filter<'a, M> {
    map: M,
    hidden: &'a [&'a str],
    is_hidden: bool,
}

impl<M: SerializeMap> SerializeMap for Filter<'_, M> {
    type Ok = ();
    type Error = M::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), M::Error> {
        let key_text = serde_json::to_value(key);
        self.is_hidden = key_text.is_ok_and(|key| self.hidden.iter().any(|hidden| key == *hidden));
        if self.is_hidden {
            return Ok(());
        }
        self.map.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), M::Error> {
        if self.is_hidden {
            return Ok(());
        }
        self.map.serialize_value(value)
    }

    fn end(self) -> Result<(), M::Error> {
        Ok(())
    }
}
