//! Arguments, and the params that several methods share.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Raw;
use crate::decode::{DecodeError, decode};
use crate::tag;

/// The arguments of a tool call: a JSON object, kept as it was sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Arguments(Raw);

impl Arguments {
    /// Encodes arguments; `None` for what encodes to null.
    ///
    /// # Errors
    ///
    /// Returns an error if `value` does not encode to an object or null.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Option<Self>, serde_json::Error> {
        let raw = Raw::encode(value)?;
        if raw.is_null() {
            return Ok(None);
        }
        if raw.is_object() {
            return Ok(Some(Self(raw)));
        }
        Err(serde::ser::Error::custom("arguments must be a JSON object"))
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Decodes all arguments.
    ///
    /// # Errors
    ///
    /// Returns an error that names the argument of the first mismatch.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        self.0.parse()
    }

    /// Decodes one argument; `Ok(None)` if it is absent.
    ///
    /// # Errors
    ///
    /// Returns an error if the argument is given twice, or does not have the form of `T`.
    pub fn parse_one<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, DecodeError> {
        let argument =
            tag::member(self.get(), name).map_err(|error| DecodeError::new(name, error))?;
        argument
            .map(|value| decode(value.get()).map_err(|error| error.below(name)))
            .transpose()
    }
}

impl Default for Arguments {
    /// Returns an empty object: a call without arguments reads the same.
    fn default() -> Self {
        Self(Raw::from(serde_json::json!({})))
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        if raw.is_object() {
            Ok(Self(raw))
        } else {
            Err(serde::de::Error::custom("expected an object"))
        }
    }
}

wire! {
    /// The params of a list method.
    pub struct PaginatedParams {
        optional {
            /// Where the page begins; the first page if absent.
            cursor: String = "cursor",
        }
        ignored { "_meta" }
    }
}

wire! {
    /// The params of a method that has none of its own.
    pub struct NoParams {
        ignored { "_meta" }
    }
}

wire_default!(PaginatedParams, NoParams);
