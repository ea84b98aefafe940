//! The rounds of a call as a short timeline.
//!
//! Pure: rounds go in, text comes out.

use std::fmt::Write as _;

use vuelta::wire::ElicitParams;
use vuelta::{ElicitAction, ElicitResult, InputRequest, InputRequired, InputResponses, Raw, Round};

use crate::field::Field;
use crate::needed::message;
use crate::printable;

/// Tells the rounds of one call; keeps what the next request hands back.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The method, and what it is called with.
    call: String,
    answered: Vec<String>,
    state: Option<String>,
}

impl Timeline {
    /// Starts the timeline of a call, such as `tools/call add {}`.
    pub(crate) fn begin(&mut self, call: &str) {
        self.call = printable::line(call);
    }

    /// Returns the lines that tell an event.
    pub(crate) fn tell(&mut self, round: &Round<'_>) -> String {
        match round {
            Round::Sent { number, id } => {
                let mut text = format!("round {number}\n  -> {}   id {id}\n", self.call);
                if *number > 1 {
                    let mut handed: Vec<String> = Vec::new();
                    if !self.answered.is_empty() {
                        handed.push(format!("answers to {}", self.answered.join(", ")));
                    }
                    handed.extend(self.state.as_deref().map(token));
                    if !handed.is_empty() {
                        let _ = writeln!(text, "     with {}", handed.join(" and "));
                    }
                }
                text
            }
            Round::Asked { question, .. } => {
                self.answered.clear();
                self.state.clone_from(&question.request_state);
                asked(question)
            }
            Round::Answered { answers, .. } => self.answered(answers),
            _ => String::new(),
        }
    }

    /// Returns the lines that tell the answers which go out with the next request.
    pub(crate) fn answered(&mut self, answers: &InputResponses) -> String {
        let keys = answers.iter().map(|(key, _)| printable::line(key));
        self.answered.extend(keys);
        Self::answers(answers)
    }

    /// Returns the lines that tell answers.
    pub(crate) fn answers(answers: &InputResponses) -> String {
        let mut text = String::new();
        for (key, answer) in answers.iter() {
            let _ = writeln!(text, "  == {}: {}", printable::line(key), shown(answer));
        }
        text
    }

    /// Returns the lines that tell a question which came while the request is served.
    pub(crate) fn pushed(key: &str, request: &InputRequest) -> String {
        let mut text = "  <- the server asks\n".to_owned();
        question(&mut text, key, request);
        text
    }

    /// Returns the line that tells what the call came to; what is in it is printed elsewhere.
    pub(crate) fn end(what: &str) -> String {
        format!("  <- {what}\n")
    }
}

fn asked(question: &InputRequired) -> String {
    let mut text = "  <- input required\n".to_owned();
    for (key, request) in question.requests() {
        self::question(&mut text, key, request);
    }
    if let Some(state) = &question.request_state {
        let _ = writeln!(text, "     {}", token(state));
    }
    text
}

fn question(text: &mut String, key: &str, request: &InputRequest) {
    let _ = writeln!(text, "     {}: {}", printable::line(key), message(request));
    match request {
        InputRequest::Elicit(ElicitParams::Form(form)) => {
            for field in Field::of(form) {
                let _ = writeln!(text, "       {}", described(&field));
            }
        }
        InputRequest::Elicit(ElicitParams::Url(url)) => {
            let _ = writeln!(text, "       {}", printable::line(&url.url));
        }
        _ => {}
    }
}

fn described(field: &Field) -> String {
    let mut text = format!("{} ({}", printable::line(&field.name), field.hint());
    if field.required {
        text.push_str("; required");
    }
    if let Some(default) = &field.default {
        let _ = write!(text, "; default {}", field.show(default));
    }
    text.push(')');
    if let Some(description) = &field.description {
        let _ = write!(text, ": {}", printable::line(description));
    }
    text
}

fn shown(answer: &Raw) -> String {
    let Ok(result) = answer.parse::<ElicitResult>() else {
        return printable::line(answer.get());
    };
    match (result.action, &result.content) {
        (ElicitAction::Accept, Some(content)) => {
            format!("accept {}", printable::line(content.get()))
        }
        (ElicitAction::Accept, None) => "accept".to_owned(),
        (ElicitAction::Decline, _) => "decline".to_owned(),
        (ElicitAction::Cancel, _) => "cancel".to_owned(),
    }
}

/// What of a token is shown at each end.
const ENDS: usize = 8;

/// Shows a state: all of a short one, else its two ends; and its length.
fn token(state: &str) -> String {
    let length = state.chars().count();
    let shown = if length > 4 * ENDS {
        let head: String = state.chars().take(ENDS).collect();
        let tail: String = state.chars().skip(length - ENDS).collect();
        format!("{head}..{tail}")
    } else {
        state.to_owned()
    };
    format!(
        "requestState {} ({length} characters)",
        printable::line(&shown)
    )
}

#[cfg(test)]
mod tests;
