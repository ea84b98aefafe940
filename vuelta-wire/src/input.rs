//! Multi round-trip requests: the questions a server returns and the answers that come back.
//!
//! Source: [multi round-trip
//! requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Raw;
use crate::capability::{ClientCapabilities, Declared, ElicitationCapability, SamplingCapability};
use crate::decode::DecodeError;
use crate::elicitation::{ElicitForm, ElicitParams, ElicitUrl};
use crate::meta::Meta;
use crate::object::{Extra, OrderedMap};
use crate::roots::ListRootsParams;
use crate::sampling::CreateMessageParams;
use crate::tag;

/// A question inside an [`InputRequired`] result, told apart by its `method`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// `elicitation/create`: asks the user.
    Elicit(ElicitParams),
    /// `sampling/createMessage`: asks the client's model.
    Sample(Box<CreateMessageParams>),
    /// `roots/list`: asks which roots there are.
    ListRoots(ListRootsParams),
    /// A request of another method, kept as it was sent.
    Other(Raw),
}

impl InputRequest {
    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> String {
        match self {
            Self::Elicit(_) => ELICIT.to_owned(),
            Self::Sample(_) => SAMPLE.to_owned(),
            Self::ListRoots(_) => LIST_ROOTS.to_owned(),
            Self::Other(raw) => tag::text_member(raw, "method")
                .unwrap_or_default()
                .into_owned(),
        }
    }

    /// Returns whether this crate knows the method and, of an elicitation, the mode.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        !matches!(self, Self::Other(_) | Self::Elicit(ElicitParams::Other(_)))
    }

    /// Returns what a client must have declared to be asked this; nothing for a request that
    /// this crate does not know.
    #[must_use]
    pub fn required_capabilities(&self) -> ClientCapabilities {
        let required = ClientCapabilities::new();
        match self {
            Self::Elicit(ElicitParams::Url(_)) => {
                required.elicitation(ElicitationCapability::new().url(Declared::new()))
            }
            Self::Elicit(ElicitParams::Form(_)) => {
                required.elicitation(ElicitationCapability::new().form(Declared::new()))
            }
            Self::Sample(params) if params.uses_tools() => {
                required.sampling(SamplingCapability::new().tools(Declared::new()))
            }
            Self::Sample(_) => required.sampling(SamplingCapability::new()),
            Self::ListRoots(_) => required.roots(Declared::new()),
            Self::Other(_) | Self::Elicit(ElicitParams::Other(_)) => required,
        }
    }
}

const ELICIT: &str = "elicitation/create";
const SAMPLE: &str = "sampling/createMessage";
const LIST_ROOTS: &str = "roots/list";

impl From<ElicitParams> for InputRequest {
    fn from(params: ElicitParams) -> Self {
        Self::Elicit(params)
    }
}

impl From<ElicitForm> for InputRequest {
    fn from(form: ElicitForm) -> Self {
        Self::Elicit(ElicitParams::Form(form))
    }
}

impl From<ElicitUrl> for InputRequest {
    fn from(url: ElicitUrl) -> Self {
        Self::Elicit(ElicitParams::Url(url))
    }
}

impl From<CreateMessageParams> for InputRequest {
    fn from(params: CreateMessageParams) -> Self {
        Self::Sample(Box::new(params))
    }
}

impl From<ListRootsParams> for InputRequest {
    fn from(params: ListRootsParams) -> Self {
        Self::ListRoots(params)
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Out<'a, P> {
            method: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            params: Option<&'a P>,
        }
        match self {
            Self::Elicit(params) => Out {
                method: ELICIT,
                params: Some(params),
            }
            .serialize(serializer),
            Self::Sample(params) => Out {
                method: SAMPLE,
                params: Some(params),
            }
            .serialize(serializer),
            Self::ListRoots(params) => {
                let given = *params != ListRootsParams::new();
                Out {
                    method: LIST_ROOTS,
                    params: given.then_some(params),
                }
                .serialize(serializer)
            }
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct In<P> {
            params: P,
        }
        #[derive(Deserialize)]
        struct Optional<P> {
            #[serde(default)]
            params: Option<P>,
        }
        let raw = Raw::deserialize(deserializer)?;
        match tag::text_member(&raw, "method").as_deref() {
            Some(ELICIT) => tag::parse(&raw).map(|In { params }| Self::Elicit(params)),
            Some(SAMPLE) => tag::parse(&raw).map(|In { params }| Self::Sample(params)),
            Some(LIST_ROOTS) => tag::parse(&raw)
                .map(|Optional { params }| Self::ListRoots(params.unwrap_or_default())),
            Some(_) => Ok(Self::Other(raw)),
            None => Err(tag::missing("method")),
        }
    }
}

wire! {
    /// A result that says: ask these things, then send the request again.
    ///
    /// It must carry at least one question or a `requestState`.
    ///
    /// # Example: one question
    ///
    /// ```
    /// use vuelta_wire::{ElicitForm, FormSchema, InputRequired, StringSchema};
    ///
    /// let schema = FormSchema::new().required("region", StringSchema::new());
    /// let result = InputRequired::new()
    ///     .ask("region", ElicitForm::new("Which region?", schema))
    ///     .state("provision-v1");
    /// assert_eq!(result.requests().count(), 1);
    /// ```
    pub struct InputRequired {
        optional {
            /// The questions, under keys that the server chose.
            input_requests: OrderedMap<InputRequest> = "inputRequests",
            /// What the client hands back with the answers; only the server reads it.
            request_state: String = "requestState",
            /// Metadata.
            meta: Meta = "_meta",
        }
        ignored { "resultType" }
    }
}

wire_default!(InputRequired);

impl InputRequired {
    /// Adds a question; one under the same key is replaced.
    #[must_use]
    pub fn ask(mut self, key: impl Into<String>, request: impl Into<InputRequest>) -> Self {
        self.input_requests
            .get_or_insert_default()
            .insert(key, request.into());
        self
    }

    /// Sets the state that the client hands back.
    #[must_use]
    pub fn state(self, state: impl Into<String>) -> Self {
        self.request_state(state)
    }

    /// Returns whether it carries neither a question nor a state, which no result may.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.request_state.is_none() && self.requests().next().is_none()
    }

    /// Returns the questions in their order.
    pub fn requests(&self) -> impl Iterator<Item = (&str, &InputRequest)> {
        self.input_requests.iter().flat_map(OrderedMap::iter)
    }
}

/// The answers to the questions of one round, under the keys of the questions.
///
/// Each is decoded when it is asked for: an answer that nobody asked for never matters,
/// whatever its form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputResponses(Extra);

impl InputResponses {
    /// Creates an empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self(Extra::new())
    }

    /// Sets the answer to the question under `key`.
    pub fn insert(&mut self, key: impl Into<String>, answer: impl Into<Raw>) {
        self.0.insert(key, answer);
    }

    /// Returns an answer as it was sent.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Raw> {
        self.0.get(key)
    }

    /// Decodes the answer under `key`; `Ok(None)` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the answer does not have the form of `T`.
    pub fn parse<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, DecodeError> {
        self.get(key).map(Raw::parse).transpose()
    }

    /// Returns the answers in the order of their keys.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Raw)> {
        self.0.iter()
    }

    /// Returns whether there is no answer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of answers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests;
