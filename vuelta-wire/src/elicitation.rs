//! Questions for the user: forms of flat fields, and URLs to visit.
//!
//! Source: [elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::decode::DecodeError;
use crate::object::OrderedMap;
use crate::schema::PrimitiveSchema;
use crate::{Raw, tag};

/// The params of `elicitation/create`, told apart by `mode`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitParams {
    /// A form to fill in.
    Form(ElicitForm),
    /// A URL to visit.
    Url(ElicitUrl),
    /// Another mode, kept as it was sent.
    Other(Raw),
}

impl ElicitParams {
    /// Returns what the user is told; empty for an unknown mode without a message.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Form(form) => form.message.clone(),
            Self::Url(url) => url.message.clone(),
            Self::Other(raw) => tag::text_member(raw, "message")
                .unwrap_or_default()
                .into_owned(),
        }
    }
}

impl Serialize for ElicitParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(form) => form.serialize(serializer),
            Self::Url(url) => url.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        match tag::text_member(&raw, "mode").as_deref() {
            // The specification: a request without a mode is a form.
            None | Some("form") => tag::parse(&raw).map(Self::Form),
            Some("url") => tag::parse(&raw).map(Self::Url),
            Some(_) => Ok(Self::Other(raw)),
        }
    }
}

/// The mode of a form; absent means the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FormMode {
    /// A form.
    #[default]
    Form,
}

wire! {
    /// Asks the user to fill in a form.
    pub struct ElicitForm {
        required {
            /// What the user is told.
            message: String = "message",
            /// The fields.
            requested_schema: FormSchema = "requestedSchema",
        }
        defaulted {
            /// Always `form`.
            mode: FormMode = "mode",
        }
    }
}

wire! {
    /// Asks the user to visit a URL.
    pub struct ElicitUrl {
        tag "mode" = "url";
        required {
            /// What the user is told.
            message: String = "message",
            /// Where to go.
            url: String = "url",
        }
        optional {
            /// Names the errand for the notification that it is done: only in the revisions with
            /// a handshake, whose codec makes one up where it is missing.
            elicitation_id: String = "elicitationId",
        }
    }
}

wire! {
    /// The fields of a form: a flat object schema.
    pub struct FormSchema {
        tag "type" = "object";
        defaulted {
            /// The fields, in the order in which they are shown.
            properties: OrderedMap<PrimitiveSchema> = "properties",
        }
        optional {
            /// The names of the fields that must be filled in.
            required_fields: Vec<String> = "required",
            /// The dialect of the schema.
            schema: String = "$schema",
        }
    }
}

wire_default!(FormSchema);

impl FormSchema {
    /// Adds a field that must be filled in.
    #[must_use]
    pub fn required(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        let name = name.into();
        let required = self.required_fields.get_or_insert_default();
        if !required.contains(&name) {
            required.push(name.clone());
        }
        self.properties.insert(name, field.into());
        self
    }

    /// Adds a field that may be left empty.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        self.properties.insert(name, field.into());
        self
    }

    /// Returns whether a field must be filled in.
    #[must_use]
    pub fn is_required(&self, name: &str) -> bool {
        self.required_fields
            .iter()
            .flatten()
            .any(|required| required == name)
    }

    /// Returns the content of the form as it is before anybody has typed: an object of the
    /// fields that have a default.
    ///
    /// A client shows these values to the user, who may change them; a field that is not
    /// among them is empty.
    ///
    /// # Example: what the user typed, over what was filled in already
    ///
    /// ```
    /// use vuelta_wire::{BooleanSchema, ElicitResult, FormSchema, StringSchema};
    ///
    /// let schema = FormSchema::new()
    ///     .required("name", StringSchema::new())
    ///     .optional("gift", BooleanSchema::new().default(false));
    /// let mut content = schema.defaults();
    /// content["name"] = "Ada".into();
    /// let answer = ElicitResult::accept(content);
    /// # assert_eq!(
    /// #     answer.content.unwrap().parse::<serde_json::Value>()?,
    /// #     serde_json::json!({ "name": "Ada", "gift": false }),
    /// # );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn defaults(&self) -> Value {
        let filled = |(name, field): (&str, &PrimitiveSchema)| {
            field.default_value().map(|value| (name.to_owned(), value))
        };
        Value::Object(self.properties.iter().filter_map(filled).collect())
    }
}

/// What the user did with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(
    clippy::exhaustive_enums,
    reason = "a fourth action would be another protocol"
)]
pub enum ElicitAction {
    /// Answered it.
    Accept,
    /// Refused it.
    Decline,
    /// Dismissed it without choosing.
    Cancel,
}

wire! {
    /// The answer to an elicitation.
    ///
    /// # Example: an accepted form
    ///
    /// ```
    /// use vuelta_wire::ElicitResult;
    ///
    /// let answer = ElicitResult::accept(serde_json::json!({ "region": "eu-west-1" }));
    /// assert_eq!(serde_json::to_string(&answer)?, r#"{"action":"accept","content":{"region":"eu-west-1"}}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct ElicitResult {
        required {
            /// What the user did.
            action: ElicitAction = "action",
        }
        optional {
            /// What the user filled in: an object of flat values.
            content: Raw = "content",
        }
    }
}

impl ElicitResult {
    /// Creates the answer of a user who filled in the form.
    #[must_use]
    pub fn accept(content: impl Into<Raw>) -> Self {
        Self::new(ElicitAction::Accept).content(content)
    }

    /// Creates the answer of a user who visited the URL.
    #[must_use]
    pub fn accept_url() -> Self {
        Self::new(ElicitAction::Accept)
    }

    /// Creates the answer of a user who refuses.
    #[must_use]
    pub fn decline() -> Self {
        Self::new(ElicitAction::Decline)
    }

    /// Creates the answer of a user who dismissed the question.
    #[must_use]
    pub fn cancel() -> Self {
        Self::new(ElicitAction::Cancel)
    }

    /// Decodes what the user filled in; `Ok(None)` if the question was not accepted, or was
    /// accepted without content.
    ///
    /// # Errors
    ///
    /// Returns an error if the content does not have the form of `T`.
    pub fn accepted<T: serde::de::DeserializeOwned>(&self) -> Result<Option<T>, DecodeError> {
        match (self.action, &self.content) {
            (ElicitAction::Accept, Some(content)) => content.parse().map(Some),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
