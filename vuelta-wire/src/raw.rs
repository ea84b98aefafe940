//! JSON that is carried, not looked into.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::decode::{DecodeError, decode};

/// One JSON value as text: what the schema calls "any", kept digit for digit.
///
/// Two values are equal if their texts are.
///
/// # Example: a number wider than a float
///
/// ```
/// use vuelta_wire::Raw;
///
/// let raw: Raw = serde_json::from_str("9007199254740993")?;
/// assert_eq!(raw.get(), "9007199254740993");
/// assert_eq!(raw.parse::<u64>()?, 9_007_199_254_740_993);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// Encodes a value.
    ///
    /// # Errors
    ///
    /// Returns the encoder's error: a map with non-string keys, or a failing `Serialize`.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Takes JSON text.
    ///
    /// # Errors
    ///
    /// Returns an error if `json` is not one JSON value.
    pub fn from_json(json: String) -> Result<Self, DecodeError> {
        RawValue::from_string(json)
            .map(Self)
            .map_err(|error| DecodeError::new("", error))
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Decodes the value.
    ///
    /// # Errors
    ///
    /// Returns an error that names the JSON path of the first mismatch.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        decode(self.get())
    }

    /// Returns whether the value is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.get() == "null"
    }

    /// Returns whether the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl From<Box<RawValue>> for Raw {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl From<&RawValue> for Raw {
    fn from(raw: &RawValue) -> Self {
        Self(raw.to_owned())
    }
}

impl From<Value> for Raw {
    /// Encodes the value.
    fn from(value: Value) -> Self {
        Self::encode(&value).expect("a `Value` has string keys and encodes infallibly")
    }
}

impl From<&str> for Raw {
    /// Encodes a text: the value is a JSON string, whatever is in it.
    fn from(text: &str) -> Self {
        Self::encode(text).expect("text encodes infallibly")
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::deserialize(deserializer).map(Self)
    }
}
