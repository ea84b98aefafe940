//! What the server still asks when nobody is there to answer: for people and for programs.
//!
//! Pure.

use std::fmt;

use serde_json::{Value, json};
use vuelta::wire::{ElicitParams, OrderedMap};
use vuelta::{InputRequest, Raw};

use crate::address;
use crate::answers::missing;
use crate::field::Field;
use crate::printable;

/// The questions of a round that have no answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Needed(Vec<Question>);

#[derive(Clone, Debug, PartialEq)]
struct Question {
    key: String,
    request: InputRequest,
    /// Whether it was answered in the round before, and is asked again.
    again: bool,
    gaps: Vec<Gap>,
}

/// One `--answer` to add.
#[derive(Clone, Debug, PartialEq)]
struct Gap {
    field: Option<String>,
    /// What to write behind `--answer`.
    answer: String,
    hint: String,
}

impl Needed {
    /// Adds a question with the values that are given for it.
    pub(crate) fn add(
        &mut self,
        key: &str,
        request: &InputRequest,
        given: &OrderedMap<Raw>,
        again: bool,
    ) {
        let gaps = match request {
            InputRequest::Elicit(ElicitParams::Form(form)) => {
                form_gaps(key, &Field::of(form), given)
            }
            InputRequest::Elicit(ElicitParams::Url(url)) => vec![Gap {
                field: None,
                answer: format!("{key}=accept"),
                hint: format!(
                    "once you are willing to visit {}",
                    printable::line(&url.url)
                ),
            }],
            _ => Vec::new(),
        };
        let (key, request) = (key.to_owned(), request.clone());
        self.0.push(Question {
            key,
            request,
            again,
            gaps,
        });
    }

    /// Returns whether every question has its answer.
    pub(crate) fn is_nothing(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the questions as they came, and what to add for each.
    pub(crate) fn to_json(&self) -> Value {
        let requests: serde_json::Map<String, Value> = self
            .0
            .iter()
            .map(|question| (question.key.clone(), json!(question.request)))
            .collect();
        let unanswered: Vec<Value> = self
            .0
            .iter()
            .flat_map(|question| {
                question.gaps.iter().map(|gap| {
                    json!({
                        "key": question.key,
                        "field": gap.field,
                        "answer": format!("--answer {}", gap.answer),
                    })
                })
            })
            .collect();
        json!({ "inputRequests": requests, "unanswered": unanswered })
    }
}

fn form_gaps(key: &str, fields: &[Field], given: &OrderedMap<Raw>) -> Vec<Gap> {
    let missing = missing(fields, given);
    if missing.is_empty() {
        let filled: Vec<String> = fields
            .iter()
            .filter_map(|field| {
                let value = given.get(&field.name).or(field.default.as_ref())?;
                Some(format!(
                    "{}={}",
                    printable::line(&field.name),
                    field.show(value)
                ))
            })
            .collect();
        let hint = if filled.is_empty() {
            "as it is: nothing must be filled in".to_owned()
        } else {
            format!("as it is: {}", filled.join(", "))
        };
        return vec![Gap {
            field: None,
            answer: format!("{key}=accept"),
            hint,
        }];
    }
    let gap = |field: &Field| {
        let name = &field.name;
        Gap {
            field: Some(name.clone()),
            answer: match fields {
                [_] => format!("{key}=VALUE"),
                _ => format!("{key}.{name}=VALUE"),
            },
            hint: field.hint(),
        }
    };
    missing.into_iter().map(gap).collect()
}

impl fmt::Display for Needed {
    /// One line that says what to add, then the questions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("input needed: add")?;
        for gap in self.0.iter().flat_map(|question| &question.gaps) {
            write!(f, " --answer {}", shell_word(&gap.answer))?;
        }
        for question in &self.0 {
            let Question {
                key,
                request,
                again,
                gaps,
            } = question;
            let (key, message) = (printable::line(key), message(request));
            write!(f, "\n  {key}: {message}")?;
            if let InputRequest::Elicit(ElicitParams::Url(url)) = request {
                for remark in address::remarks(&url.url) {
                    write!(f, "\n    {remark}")?;
                }
            }
            if *again {
                f.write_str("\n    asked again: the answer of the round before was not taken")?;
            }
            for Gap { answer, hint, .. } in gaps {
                write!(f, "\n    --answer {}   {hint}", shell_word(answer))?;
            }
            write!(
                f,
                "\n    --answer {}   to refuse",
                shell_word(&format!("{key}=decline"))
            )?;
        }
        Ok(())
    }
}

/// Returns what a question tells the user.
pub(crate) fn message(request: &InputRequest) -> String {
    match request {
        InputRequest::Elicit(params) => printable::line(&params.message()),
        other => printable::line(&other.method()),
    }
}

/// Quotes an argument for a POSIX shell, where it needs that.
fn shell_word(text: &str) -> String {
    let text = printable::line(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || "=._:/-".contains(c);
    if text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
