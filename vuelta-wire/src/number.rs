//! JSON numbers that stay integers when they were sent as integers.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A JSON number: an integer of 64 bits, or a float.
///
/// `1` and `1.0` are different texts on the wire; both directions keep which it was.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "JSON has no other numbers")]
pub enum Number {
    /// An integer.
    Integer(i64),
    /// An integer above `i64::MAX`.
    Unsigned(u64),
    /// A float; never written if it is not finite.
    Float(f64),
}

impl Number {
    /// Returns the number as a float, rounded if it has more than 53 bits.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "documented")]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Unsigned(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or(Self::Unsigned(value), Self::Integer)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Integer(value) => serializer.serialize_i64(value),
            Self::Unsigned(value) => serializer.serialize_u64(value),
            Self::Float(value) if value.is_finite() => serializer.serialize_f64(value),
            Self::Float(_) => Err(serde::ser::Error::custom("JSON has no infinity and no NaN")),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By way of serde_json's own number, which reads its input whichever of its features
        // other crates of the build turn on.
        let number = serde_json::Number::deserialize(deserializer)?;
        if let Some(value) = number.as_i64() {
            return Ok(Self::Integer(value));
        }
        if let Some(value) = number.as_u64() {
            return Ok(Self::Unsigned(value));
        }
        number
            .as_f64()
            .filter(|value| value.is_finite())
            .map(Self::Float)
            .ok_or_else(|| serde::de::Error::custom("a number out of range"))
    }
}

#[cfg(test)]
mod tests;
