//! Questions for the user as each revision has them.
//!
//! Before 2025-11-25 there are forms only, and a choice is one value out of a plain list with
//! optional names. Before 2025-06-18 nothing is asked.
//!
//! Source: [elicitation](https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation).

use crate::elicitation::{ElicitForm, ElicitUrl};
use crate::schema::{PrimitiveSchema, SingleSelectSchema, TitledSingleSelectSchema};
use crate::{OrderedMap, ProtocolVersion, Raw};

use super::without::Without;

/// Encodes a form.
///
/// # Errors
///
/// Returns an error if the revision has no forms, or cannot express a field that must be
/// filled in, or none of the fields.
pub(super) fn encode_form(
    form: &ElicitForm,
    revision: &ProtocolVersion,
) -> Result<Raw, serde_json::Error> {
    if has_modes(revision) {
        return Raw::encode(form);
    }
    if !revision.is_at_least(&ProtocolVersion::V2025_06_18) {
        return Err(serde::ser::Error::custom(format_args!(
            "revision {revision} cannot ask the user"
        )));
    }
    let mut form = form.clone();
    let properties = std::mem::take(&mut form.requested_schema.properties);
    let is_empty = properties.is_empty();
    let mut kept = OrderedMap::new();
    for (name, field) in properties {
        match field {
            PrimitiveSchema::TitledSingleSelect(choice) => kept.insert(name, named(choice).into()),
            // Nobody can choose several values; what need not be filled in can be left out.
            PrimitiveSchema::MultiSelect(_) if !form.requested_schema.is_required(&name) => {}
            PrimitiveSchema::MultiSelect(_) => {
                return Err(serde::ser::Error::custom(format_args!(
                    "revision {revision} cannot ask for several values: {name:?}"
                )));
            }
            field => kept.insert(name, field),
        }
    }
    if kept.is_empty() && !is_empty {
        return Err(serde::ser::Error::custom(format_args!(
            "revision {revision} can ask for none of the fields of this form"
        )));
    }
    form.requested_schema.properties = kept;
    Raw::encode(&Without(&form, &["mode"]))
}

/// Encodes the question for a visit; `elicitation` names it, if it has no name yet.
///
/// # Errors
///
/// Returns an error if the revision has no such question.
pub(super) fn encode_url(
    url: &ElicitUrl,
    revision: &ProtocolVersion,
    elicitation: &str,
) -> Result<Raw, serde_json::Error> {
    if !has_modes(revision) {
        return Err(serde::ser::Error::custom(format_args!(
            "revision {revision} cannot ask for a visit to a URL"
        )));
    }
    let mut url = url.clone();
    url.elicitation_id
        .get_or_insert_with(|| elicitation.to_owned());
    Raw::encode(&url)
}

fn has_modes(revision: &ProtocolVersion) -> bool {
    revision.is_at_least(&ProtocolVersion::V2025_11_25)
}

/// A choice whose titles stand in a list of their own.
fn named(choice: TitledSingleSelectSchema) -> SingleSelectSchema {
    let (values, names): (Vec<_>, Vec<_>) = choice
        .options
        .into_iter()
        .map(|option| (option.value, option.title))
        .unzip();
    let mut named = SingleSelectSchema::new(values).names(names);
    named.title = choice.title;
    named.description = choice.description;
    named.default = choice.default;
    named.extra = choice.extra;
    named
}

#[cfg(test)]
mod tests;
