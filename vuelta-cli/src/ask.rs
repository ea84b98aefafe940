//! The server's questions in the terminal: forms field by field, URLs to visit.
//!
//! The user sees who asks, can refuse at any point, and sees a whole form before it is sent.
//! Source: [user interaction
//! model](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#user-interaction-model).

use std::fmt;
use std::sync::Arc;

use inquire::error::InquireResult;
use inquire::list_option::ListOption;
use inquire::validator::Validation;
use inquire::{Confirm, InquireError, MultiSelect, Select, Text};
use serde_json::Value;
use vuelta::wire::{ElicitParams, OrderedMap};
use vuelta::{ElicitForm, ElicitResult, ElicitUrl, InputRequest, Raw};

use crate::address;
use crate::exit::Failure;
use crate::field::{self, Choice, Field, Kind};
use crate::observers::Turn;
use crate::output::note;
use crate::printable;

/// Asks the user one question, with the values that are given already.
///
/// # Errors
///
/// Returns a failure if the user ends the program, or the terminal cannot be used.
pub(crate) async fn question(
    server: &str,
    key: &str,
    request: &InputRequest,
    values: OrderedMap<Raw>,
    turn: &Turn,
) -> Result<ElicitResult, Failure> {
    let who = format!(
        "{} asks ({})",
        printable::line(server),
        printable::line(key)
    );
    let (request, turn) = (request.clone(), Arc::clone(turn));
    // A terminal blocks until a key is pressed, also when nobody waits for the answer any more.
    let asked = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        match &request {
            InputRequest::Elicit(ElicitParams::Form(form)) => ask_form(&who, form, values),
            InputRequest::Elicit(ElicitParams::Url(url)) => ask_url(&who, url),
            _ => Ok(ElicitResult::cancel()),
        }
    });
    let unusable = |error: &dyn fmt::Display| Failure::Failed(format!("terminal: {error}"));
    match asked.await.map_err(|error| unusable(&error))? {
        Ok(answer) => Ok(answer),
        Err(InquireError::OperationInterrupted) => Err(Failure::Interrupted),
        Err(error) => Err(unusable(&error)),
    }
}

/// An item of a menu.
struct Item<T>(&'static str, T);

impl<T> fmt::Display for Item<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

fn ask_form(
    who: &str,
    form: &ElicitForm,
    mut values: OrderedMap<Raw>,
) -> InquireResult<ElicitResult> {
    note(&format!("{who}: {}", printable::block(&form.message)));
    let mut fields = Field::of(form);
    loop {
        let given = std::mem::take(&mut values);
        for field in &fields {
            let value = match given.get(&field.name) {
                Some(value) => Some(value.clone()),
                None => match fill_in(field)? {
                    Filled::Value(value) => Some(value),
                    Filled::Empty => None,
                    Filled::Refused(answer) => return Ok(answer),
                },
            };
            if let Some(value) = value {
                values.insert(&field.name, value);
            }
        }
        // What is typed into a single field is seen before it is sent.
        let choice = match fields[..] {
            [_] => Review::Send,
            _ => review(&fields, &values)?,
        };
        match choice {
            Review::Send => {
                let content = Raw::encode(&values).map_err(unencodable)?;
                return Ok(ElicitResult::accept(content));
            }
            Review::Refuse(answer) => return Ok(answer),
            Review::Change => {
                for field in &mut fields {
                    field.default = values.get(&field.name).cloned();
                }
                values = OrderedMap::new();
            }
        }
    }
}

fn unencodable(error: serde_json::Error) -> InquireError {
    InquireError::Custom(error.into())
}

#[derive(Clone)]
enum Review {
    Send,
    Change,
    Refuse(ElicitResult),
}

fn review(fields: &[Field], values: &OrderedMap<Raw>) -> InquireResult<Review> {
    for field in fields {
        let value = match values.get(&field.name) {
            Some(value) => field.show(value),
            None => "(empty)".to_owned(),
        };
        note(&format!("  {}: {value}", field.label()));
    }
    let mut items = vec![Item("Send", Review::Send)];
    if !fields.is_empty() {
        items.push(Item("Change", Review::Change));
    }
    items.push(Item("Decline", Review::Refuse(ElicitResult::decline())));
    items.push(Item("Cancel", Review::Refuse(ElicitResult::cancel())));
    match Select::new("Send this?", items).prompt() {
        Ok(Item(_, choice)) => Ok(choice),
        Err(InquireError::OperationCanceled) => Ok(Review::Refuse(ElicitResult::cancel())),
        Err(error) => Err(error),
    }
}

enum Filled {
    Value(Raw),
    Empty,
    Refused(ElicitResult),
}

/// Asks for one field, until it is filled in or the whole question is refused.
fn fill_in(field: &Field) -> InquireResult<Filled> {
    loop {
        match ask_field(field) {
            Ok(Some(value)) => return Ok(Filled::Value(value)),
            Ok(None) => return Ok(Filled::Empty),
            Err(InquireError::OperationCanceled) => {
                if let Some(answer) = refuse()? {
                    return Ok(Filled::Refused(answer));
                }
            }
            Err(error) => return Err(error),
        }
    }
}

fn refuse() -> InquireResult<Option<ElicitResult>> {
    let items = vec![
        Item("Back to the question", None),
        Item(
            "Decline: say no to the server",
            Some(ElicitResult::decline()),
        ),
        Item("Cancel: dismiss the question", Some(ElicitResult::cancel())),
    ];
    match Select::new("Refuse to answer?", items).prompt() {
        Ok(Item(_, choice)) => Ok(choice),
        Err(InquireError::OperationCanceled) => Ok(Some(ElicitResult::cancel())),
        Err(error) => Err(error),
    }
}

/// A choice, or none.
struct Pick(Option<Choice>);

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(choice) => choice.fmt(f),
            None => f.write_str("(leave empty)"),
        }
    }
}

/// Asks for one field; `None` if it is left empty.
fn ask_field(field: &Field) -> InquireResult<Option<Raw>> {
    let label = format!("{}:", field.label());
    let help = help(field);
    match &field.kind {
        Kind::Text { .. } | Kind::Number { .. } | Kind::Json => {
            let filled = field
                .default
                .as_ref()
                .map(|default| field.show(default))
                .unwrap_or_default();
            let check = |text: &str| {
                let checked = match text {
                    "" if field.required => Err("it must be filled in".to_owned()),
                    "" => Ok(()),
                    text => field.parse(text).map(|_| ()),
                };
                Ok(match checked {
                    Ok(()) => Validation::Valid,
                    Err(wanted) => Validation::Invalid(wanted.into()),
                })
            };
            let text = Text::new(&label)
                .with_initial_value(&filled)
                .with_help_message(&help)
                .with_validator(check)
                .prompt()?;
            // What did not parse was not let through.
            Ok(if text.is_empty() {
                None
            } else {
                field.parse(&text).ok()
            })
        }
        Kind::Boolean => {
            let default = field
                .default
                .as_ref()
                .and_then(|default| default.parse().ok());
            if !field.required && default.is_none() {
                let items = ["(leave empty)", "yes", "no"];
                let picked = Select::new(&label, items.to_vec()).with_help_message(&help);
                return Ok(field.parse(picked.prompt()?).ok());
            }
            let mut confirm = Confirm::new(&label).with_help_message(&help);
            confirm.default = default;
            Ok(Some(Value::from(confirm.prompt()?).into()))
        }
        Kind::One(choices) => {
            let mut picks: Vec<Pick> = choices.iter().cloned().map(Some).map(Pick).collect();
            if !field.required {
                picks.push(Pick(None));
            }
            let default: Option<String> = field
                .default
                .as_ref()
                .and_then(|default| default.parse().ok());
            let cursor = choices
                .iter()
                .position(|choice| Some(&choice.value) == default.as_ref());
            let Pick(choice) = Select::new(&label, picks)
                .with_starting_cursor(cursor.unwrap_or_default())
                .with_help_message(&help)
                .prompt()?;
            Ok(choice.map(|choice| Raw::from(choice.value.as_str())))
        }
        Kind::Many { choices, min, max } => {
            let default: Vec<String> = field
                .default
                .as_ref()
                .and_then(|default| default.parse().ok())
                .unwrap_or_default();
            let ticked: Vec<usize> = choices
                .iter()
                .enumerate()
                .filter(|(_, choice)| default.contains(&choice.value))
                .map(|(index, _)| index)
                .collect();
            let (min, max, required) = (*min, *max, field.required);
            let wanted = format!("it must be {}", field.hint());
            let check = move |picked: &[ListOption<&Choice>]| {
                let left_empty = picked.is_empty() && !required;
                Ok(if left_empty || field::within(picked.len(), min, max) {
                    Validation::Valid
                } else {
                    Validation::Invalid(wanted.as_str().into())
                })
            };
            let picked = MultiSelect::new(&label, choices.clone())
                .with_default(&ticked)
                .with_help_message(&help)
                .with_validator(check)
                .prompt()?;
            let values: Vec<String> = picked.into_iter().map(|choice| choice.value).collect();
            let left_empty = values.is_empty() && !field.required;
            Ok((!left_empty).then(|| Value::from(values).into()))
        }
    }
}

fn help(field: &Field) -> String {
    let mut parts = Vec::new();
    if let Some(description) = &field.description {
        parts.push(printable::line(description));
    }
    // The choices are on the screen.
    if !matches!(field.kind, Kind::One(_) | Kind::Many { .. }) {
        parts.push(field.hint());
    }
    // A yes or no that is filled in already cannot be left empty.
    if field.required {
        parts.push("required".to_owned());
    } else if field.kind != Kind::Boolean || field.default.is_none() {
        parts.push("may be left empty".to_owned());
    }
    if matches!(field.kind, Kind::Many { .. }) {
        parts.push("space ticks, enter sends".to_owned());
    }
    parts.push("esc to refuse".to_owned());
    parts.join("; ")
}

fn ask_url(who: &str, url: &ElicitUrl) -> InquireResult<ElicitResult> {
    // On one line, so that it cannot pass for the lines below.
    note(&format!("{who}: {}", printable::line(&url.message)));
    note(&format!("  visit {}", printable::line(&url.url)));
    for remark in address::remarks(&url.url) {
        note(&format!("  {remark}"));
    }
    let items = vec![
        Item("Accept: I open it in a browser", ElicitResult::accept_url()),
        Item("Decline", ElicitResult::decline()),
        Item("Cancel", ElicitResult::cancel()),
    ];
    match Select::new("Visit this URL?", items).prompt() {
        Ok(Item(_, answer)) => Ok(answer),
        Err(InquireError::OperationCanceled) => Ok(ElicitResult::cancel()),
        Err(error) => Err(error),
    }
}
