//! What a handler gives back: the result, or a question.

use vuelta_wire::{CallToolResult, GetPromptResult, InputRequired, ReadResourceResult};

/// The two answers to `tools/call`, `prompts/get` and `resources/read`.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the revision defines these two")]
pub enum Outcome<T> {
    /// The result.
    Complete(T),
    /// What must be asked first.
    InputRequired(InputRequired),
}

impl<T> From<InputRequired> for Outcome<T> {
    fn from(question: InputRequired) -> Self {
        Self::InputRequired(question)
    }
}

macro_rules! complete {
    ($($result:ty),+) => {
        $(
            impl From<$result> for Outcome<$result> {
                fn from(result: $result) -> Self {
                    Self::Complete(result)
                }
            }
        )+
    };
}

complete!(CallToolResult, GetPromptResult, ReadResourceResult);
