//! The revisions of the protocol, oldest first.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::object::Key;

/// A protocol revision, such as `2026-07-28`.
///
/// Revisions are compared by their place in the list of published ones, never as text; a
/// revision that this crate does not know is kept as sent and has no place in the list.
/// Source: [versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ProtocolVersion(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Known(u8),
    Unknown(Box<str>),
}

const KNOWN: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

impl ProtocolVersion {
    /// Revision 2026-07-28: stateless requests, questions as results.
    pub const V2026_07_28: Self = Self(Repr::Known(4));
    /// Revision 2025-11-25: the last one with a handshake.
    pub const V2025_11_25: Self = Self(Repr::Known(3));
    /// Revision 2025-06-18: structured results, forms.
    pub const V2025_06_18: Self = Self(Repr::Known(2));
    /// Revision 2025-03-26: streamable HTTP, batches.
    pub const V2025_03_26: Self = Self(Repr::Known(1));
    /// Revision 2024-11-05: the first one, with HTTP and SSE.
    pub const V2024_11_05: Self = Self(Repr::Known(0));

    /// The revisions with a handshake, newest first.
    pub const LEGACY: [Self; 4] = [
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2025_03_26,
        Self::V2024_11_05,
    ];

    /// Returns the revision as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Known(index) => KNOWN[usize::from(*index)],
            Repr::Unknown(text) => text,
        }
    }

    /// Returns whether this is `other` or a later revision; never if either is unknown.
    #[must_use]
    pub fn is_at_least(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Known(this), Repr::Known(other)) => this >= other,
            _ => false,
        }
    }

    /// Returns whether this is a published revision that begins with a handshake.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        matches!(self.0, Repr::Known(_)) && !self.is_modern()
    }

    /// Returns whether requests of this revision carry their own context (no handshake).
    #[must_use]
    pub fn is_modern(&self) -> bool {
        self.is_at_least(&Self::V2026_07_28)
    }
}

impl From<&str> for ProtocolVersion {
    fn from(text: &str) -> Self {
        (0_u8..)
            .zip(KNOWN)
            .find(|(_, known)| *known == text)
            .map_or_else(
                || Self(Repr::Unknown(text.into())),
                |(index, _)| Self(Repr::Known(index)),
            )
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl Serialize for ProtocolVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ProtocolVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Key::deserialize(deserializer).map(|text| Self::from(text.as_str()))
    }
}

#[cfg(test)]
mod tests;
