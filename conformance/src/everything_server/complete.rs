//! `completion/complete`: suggestions for the arguments of one prompt and the variable of one template.

use vuelta::{CompleteParams, CompleteResult, Completion, CompletionReference, Context, Result};

use crate::{prompts, resources};

pub(crate) async fn complete(_: Context, params: CompleteParams) -> Result<CompleteResult> {
    let argument = params.argument;
    let known: &[&str] = match (&params.reference, argument.name.as_str()) {
        (CompletionReference::Prompt(prompt), "arg1" | "arg2")
            if prompt.name == prompts::WITH_ARGUMENTS =>
        {
            &["paris", "park", "party", "test value"]
        }
        (CompletionReference::ResourceTemplate(template), "id")
            if template.uri == resources::TEMPLATE =>
        {
            &["123", "456"]
        }
        _ => &[],
    };
    let values: Vec<String> = known
        .iter()
        .filter(|value| value.starts_with(&argument.value))
        .map(|value| (*value).to_owned())
        .collect();
    Ok(CompleteResult::new(Completion::new(values).has_more(false)))
}
