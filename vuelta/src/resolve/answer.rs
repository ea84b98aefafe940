//! What a question came to, for code that wants to branch on it.

use std::fmt;

/// What the user did with a question.
///
/// # Example: a consumer that branches
///
/// ```
/// use vuelta::Answer;
///
/// fn describe(answer: Answer<String>) -> String {
///     match answer {
///         Answer::Accept(name) => format!("Hello, {name}"),
///         Answer::Decline => "As you like".to_owned(),
///         Answer::Cancel => "Another time".to_owned(),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the specification has these three actions"
)]
pub enum Answer<T> {
    /// Answered it.
    Accept(T),
    /// Refused it.
    Decline,
    /// Dismissed it without choosing.
    Cancel,
}

impl<T> Answer<T> {
    /// Returns the answer of a user who gave one; `None` otherwise.
    #[must_use]
    pub fn accept(self) -> Option<T> {
        match self {
            Self::Accept(value) => Some(value),
            Self::Decline | Self::Cancel => None,
        }
    }

    /// Returns the answer of a user who gave one; in a tool, `?` ends the call with the
    /// reason otherwise.
    ///
    /// # Errors
    ///
    /// Returns what the user did instead.
    pub fn accepted(self) -> Result<T, NotAccepted> {
        match self {
            Self::Accept(value) => Ok(value),
            Self::Decline => Err(NotAccepted { cancelled: false }),
            Self::Cancel => Err(NotAccepted { cancelled: true }),
        }
    }
}

/// A question that the user declined or cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAccepted {
    cancelled: bool,
}

impl NotAccepted {
    /// Returns whether the user dismissed the question without choosing.
    #[must_use]
    pub const fn is_cancelled(&self) -> bool {
        self.cancelled
    }
}

impl fmt::Display for NotAccepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.cancelled {
            "elicitation was cancel"
        } else {
            "elicitation was decline"
        })
    }
}

impl std::error::Error for NotAccepted {}
