//! The answers given on the command line, and what they come to for a question.
//!
//! Pure: the terminal is asked elsewhere, for what is left open here.

use std::str::FromStr;

use vuelta::wire::OrderedMap;
use vuelta::{ElicitAction, ElicitForm, ElicitResult, Raw};

use crate::field::Field;

/// One `--answer`, as it was typed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// `KEY` or `KEY.FIELD`: which one is known when the question is.
    place: String,
    value: String,
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((place, value)) if !place.is_empty() => Ok(Self {
                place: place.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err("write KEY.FIELD=VALUE, or KEY=accept, KEY=decline or KEY=cancel".to_owned()),
        }
    }
}

/// All answers given on the command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Vec<Answer>);

/// What the answers come to for a form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FormAnswer {
    /// They answer it.
    Given(ElicitResult),
    /// They do not: the values given so far.
    Open(OrderedMap<Raw>),
}

impl Answers {
    /// Takes the answers.
    ///
    /// # Errors
    ///
    /// Returns an error that names what is answered twice.
    pub(crate) fn new(answers: Vec<Answer>) -> Result<Self, String> {
        for (index, answer) in answers.iter().enumerate() {
            if answers[..index]
                .iter()
                .any(|earlier| earlier.place == answer.place)
            {
                return Err(format!(
                    "--answer {} is given twice; keep one",
                    answer.place
                ));
            }
        }
        Ok(Self(answers))
    }

    /// Returns what is given for `key`, one of the `keys` of this round: fields and values.
    fn to(&self, key: &str, keys: &[&str]) -> Vec<(Option<&str>, &str)> {
        let placed = self.0.iter().filter_map(|answer| {
            let (owner, field) = answer.belongs_to(keys)?;
            (owner == key).then_some((field, answer.value.as_str()))
        });
        placed.collect()
    }

    /// Answers a form with what is given, and what is filled in already for the rest.
    ///
    /// # Errors
    ///
    /// Returns an error that names the answer which does not fit the form, and the fix.
    pub(crate) fn form(
        &self,
        key: &str,
        form: &ElicitForm,
        keys: &[&str],
    ) -> Result<FormAnswer, String> {
        let fields = Field::of(form);
        let given = self.to(key, keys);
        let mut values = OrderedMap::new();
        let mut action = None;
        for (name, value) in &given {
            let field = match name {
                None => match (parse_action(value), &fields[..]) {
                    (Some(found), _) => {
                        action = Some(found);
                        continue;
                    }
                    (None, [only]) => only,
                    (None, _) => {
                        return Err(format!(
                            "--answer {key}={value}: write {key}.FIELD=VALUE ({}), or {key}=accept, \
                             {key}=decline or {key}=cancel",
                            listed(&fields)
                        ));
                    }
                },
                Some(name) => match fields.iter().find(|field| field.name == *name) {
                    Some(field) => field,
                    None => {
                        return Err(format!(
                            "--answer {key}.{name}: the form has no such field; {}",
                            listed(&fields)
                        ));
                    }
                },
            };
            let value = field
                .parse(value)
                .map_err(|wanted| format!("--answer {key}.{}: {wanted}", field.name))?;
            values.insert(&field.name, value);
        }
        match action {
            Some(ElicitAction::Decline | ElicitAction::Cancel) if given.len() > 1 => Err(format!(
                "--answer {key}: it is refused and filled in; keep one"
            )),
            Some(ElicitAction::Decline) => Ok(FormAnswer::Given(ElicitResult::decline())),
            Some(ElicitAction::Cancel) => Ok(FormAnswer::Given(ElicitResult::cancel())),
            None if values.is_empty() => Ok(FormAnswer::Open(values)),
            None | Some(ElicitAction::Accept) => Ok(match complete(&fields, &values) {
                Some(content) => FormAnswer::Given(ElicitResult::accept(content)),
                None => FormAnswer::Open(values),
            }),
        }
    }

    /// Answers a question to visit a URL; `None` if nothing is given for it.
    ///
    /// # Errors
    ///
    /// Returns an error if what is given is not one of the three actions.
    pub(crate) fn url(&self, key: &str, keys: &[&str]) -> Result<Option<ElicitResult>, String> {
        let [(field, value), rest @ ..] = &self.to(key, keys)[..] else {
            return Ok(None);
        };
        match parse_action(value) {
            Some(action) if field.is_none() && rest.is_empty() => {
                Ok(Some(ElicitResult::new(action)))
            }
            _ => Err(format!(
                "--answer {key}: it asks to visit a URL; write {key}=accept, {key}=decline or \
                 {key}=cancel"
            )),
        }
    }

    /// Returns the places that belong to none of the keys that were asked.
    pub(crate) fn unasked(&self, keys: &[&str]) -> Vec<&str> {
        let unasked = self
            .0
            .iter()
            .filter(|answer| answer.belongs_to(keys).is_none());
        unasked.map(|answer| answer.place.as_str()).collect()
    }
}

impl Answer {
    /// Returns which of `keys` it is for, and which field: the longest key that it begins
    /// with, as keys and fields may have dots in them.
    fn belongs_to<'a>(&self, keys: &[&'a str]) -> Option<(&'a str, Option<&str>)> {
        let fits = keys
            .iter()
            .filter_map(|key| match self.place.strip_prefix(key)? {
                "" => Some((*key, None)),
                rest => Some((*key, Some(rest.strip_prefix('.')?))),
            });
        fits.max_by_key(|(key, _)| key.len())
    }
}

/// Returns the content of a form: each value, or what is filled in already; `None` if a field
/// that must be filled in has neither.
fn complete(fields: &[Field], values: &OrderedMap<Raw>) -> Option<Raw> {
    if !missing(fields, values).is_empty() {
        return None;
    }
    let content: OrderedMap<&Raw> = fields
        .iter()
        .filter_map(|field| {
            let value = values.get(&field.name).or(field.default.as_ref())?;
            Some((field.name.as_str(), value))
        })
        .collect();
    Raw::encode(&content).ok()
}

/// Returns the fields that must be filled in and have no value.
pub(crate) fn missing<'a>(fields: &'a [Field], values: &OrderedMap<Raw>) -> Vec<&'a Field> {
    let has_none = |field: &&Field| {
        field.required && field.default.is_none() && !values.contains_key(&field.name)
    };
    fields.iter().filter(has_none).collect()
}

fn parse_action(text: &str) -> Option<ElicitAction> {
    match text {
        "accept" => Some(ElicitAction::Accept),
        "decline" => Some(ElicitAction::Decline),
        "cancel" => Some(ElicitAction::Cancel),
        _ => None,
    }
}

fn listed(fields: &[Field]) -> String {
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    if names.is_empty() {
        "it has none".to_owned()
    } else {
        format!("it has {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests;
