//! Decoding with errors that say where.

use std::fmt;

use serde::Deserialize;

/// JSON that does not have the expected form.
///
/// The message names the path of the first mismatch, such as `content[0]: text`, and never
/// quotes more than the offending scalar.
#[derive(Debug)]
pub struct DecodeError {
    path: String,
    source: serde_json::Error,
}

impl DecodeError {
    pub(crate) fn new(path: impl Into<String>, source: serde_json::Error) -> Self {
        Self {
            path: path.into(),
            source,
        }
    }

    /// Puts the path of the mismatch below `name`.
    pub(crate) fn below(mut self, name: &str) -> Self {
        if !self.path.is_empty() && !self.path.starts_with('[') {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, name);
        self
    }

    /// Returns the path of the mismatch; empty at the root.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            self.source.fmt(f)
        } else {
            write!(f, "{}: {}", self.path, self.source)
        }
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Decodes one JSON value.
///
/// # Errors
///
/// Returns an error that names the path of the first mismatch.
///
/// # Example: the path of a mistake
///
/// ```
/// use vuelta_wire::{CallToolResult, decode};
///
/// let error = decode::<CallToolResult>(r#"{"content":[{"type":"text","text":5}]}"#).unwrap_err();
/// assert!(error.to_string().starts_with("content[0]"), "{error}");
/// ```
pub fn decode<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, DecodeError> {
    // Tracking the path costs time on every member, so only a failure pays for it.
    serde_json::from_str(json).or_else(|_| {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let path = error.path().to_string();
            let path = if path == "." { String::new() } else { path };
            DecodeError::new(path, error.into_inner())
        })?;
        deserializer
            .end()
            .map_err(|error| DecodeError::new("", error))?;
        Ok(value)
    })
}
