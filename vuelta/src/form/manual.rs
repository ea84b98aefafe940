//! Forms in questions that are built by hand.

use vuelta_wire::{ElicitAction, ElicitForm, ElicitResult, InputRequired, InputResponses};

use crate::error::{Error, Result};
use crate::form::Form;
use crate::resolve::Answer;

/// Puts forms into an [`InputRequired`] that is built by hand.
///
/// # Example: a prompt that asks by itself
///
/// ```
/// use vuelta::form::{AskForm, ReadForm};
/// use vuelta::{Answer, Context, Form, InputRequired, McpServer, Outcome, PromptMessage, Result, prompt};
///
/// #[derive(Form)]
/// struct Audience {
///     audience: String,
/// }
///
/// /// Draft a briefing tuned to its audience.
/// #[prompt]
/// async fn briefing(cx: &Context) -> Result<Outcome<Vec<PromptMessage>>> {
///     let Some(answer) = cx.answers().form::<Audience>("audience")? else {
///         return Ok(InputRequired::new().form::<Audience>("audience", "Who is it for?").into());
///     };
///     let text = match answer {
///         Answer::Accept(Audience { audience }) => format!("Write a briefing for {audience}."),
///         Answer::Decline | Answer::Cancel => "Write a briefing for everybody.".to_owned(),
///     };
///     Ok(Outcome::Complete(vec![PromptMessage::user(text)]))
/// }
///
/// let server = McpServer::new("Briefing", "1.0.0").prompt::<briefing>().build()?;
/// # Ok::<(), vuelta::Error>(())
/// ```
pub trait AskForm {
    /// Adds the form `T` as a question.
    #[must_use]
    fn form<T: Form>(self, key: impl Into<String>, message: impl Into<String>) -> Self;
}

impl AskForm for InputRequired {
    fn form<T: Form>(self, key: impl Into<String>, message: impl Into<String>) -> Self {
        self.ask(key, ElicitForm::new(message, T::schema()))
    }
}

/// Reads the answers to forms that were asked by hand.
pub trait ReadForm {
    /// Reads the answer to the form `T` under `key`; `None` if there is none, or none that
    /// fits the form: then ask again.
    ///
    /// Nothing says to which question an answer was given: keep an identifier of yours in the
    /// state, and check it, where that matters.
    ///
    /// # Errors
    ///
    /// Returns invalid params if the answer is none of an elicitation.
    fn form<T: Form>(&self, key: &str) -> Result<Option<Answer<T>>>;
}

impl ReadForm for InputResponses {
    fn form<T: Form>(&self, key: &str) -> Result<Option<Answer<T>>> {
        let Some(answer) = self.parse::<ElicitResult>(key).map_err(Error::from)? else {
            return Ok(None);
        };
        Ok(match answer.action {
            ElicitAction::Accept => {
                let content = answer.content.as_ref();
                content
                    .and_then(|content| T::read(content).ok())
                    .map(Answer::Accept)
            }
            ElicitAction::Decline => Some(Answer::Decline),
            ElicitAction::Cancel => Some(Answer::Cancel),
        })
    }
}
