//! What a flow knows so far, as it rides inside the sealed state.
//!
//! The text is JSON: `v` is 3; `outcomes` holds each question's answer with the digest of
//! the question it was given to; `asked` the digests of the questions of this round. Four
//! more members are this crate's: `once`, results that must not be computed again;
//! `changed`, how often a question changed under its key; `rounds`, how many rounds the flow
//! has had, if more than one; and `flow`, what links the rounds in a trace. A reader that does not know them leaves them out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use vuelta_wire::{ElicitAction, Raw, decode};

/// The version of the form.
const VERSION: u32 = 3;

/// What a flow knows at the start of a round, or hands over at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FlowState {
    /// How many rounds the flow has had.
    pub(crate) rounds: u32,
    /// What links the rounds in a trace; empty if nobody traces.
    pub(crate) flow: String,
    /// Answers, by key, as they were recorded.
    pub(crate) outcomes: BTreeMap<String, Recorded>,
    /// The questions of the round before, by key: their digests.
    pub(crate) asked: BTreeMap<String, String>,
    /// Results that must not be computed again, by key.
    pub(crate) once: BTreeMap<String, Raw>,
    /// How often the question under a key changed from round to round.
    pub(crate) changed: BTreeMap<String, u32>,
}

/// An answer that counts: what the user did, and what came with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recorded {
    pub(crate) action: ElicitAction,
    pub(crate) data: Option<Raw>,
    /// The digest of the question.
    pub(crate) question: String,
    /// The entry as it came, written back unchanged.
    raw: Raw,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    action: ElicitAction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Raw>,
    q: String,
}

impl Recorded {
    pub(crate) fn new(action: ElicitAction, data: Option<Raw>, question: String) -> Self {
        let entry = Entry {
            action,
            data,
            q: question,
        };
        let raw = Raw::encode(&entry).expect("an entry has string keys only");
        let Entry {
            action,
            data,
            q: question,
        } = entry;
        Self {
            action,
            data,
            question,
            raw,
        }
    }

    fn read(raw: Raw) -> Option<Self> {
        let Entry {
            action,
            data,
            q: question,
        } = raw.parse().ok()?;
        Some(Self {
            action,
            data,
            question,
            raw,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct Form {
    v: u32,
    outcomes: BTreeMap<String, Raw>,
    asked: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    once: BTreeMap<String, Raw>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    changed: BTreeMap<String, u32>,
    // Whoever has a state has had a round.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    rounds: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    flow: String,
}

fn one() -> u32 {
    1
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde wants"
)]
fn is_one(rounds: &u32) -> bool {
    *rounds == 1
}

impl FlowState {
    /// Reads a state; anything malformed is no progress: the boundary has authenticated it,
    /// so it is of another version, and asking again is safe.
    pub(crate) fn read(text: Option<&str>) -> Self {
        let Some(form) = text.and_then(|text| decode::<Form>(text).ok()) else {
            return Self::default();
        };
        if form.v != VERSION {
            return Self::default();
        }
        let mut outcomes = BTreeMap::new();
        for (key, raw) in form.outcomes {
            // An entry without the digest of its question cannot be trusted to answer it.
            if let Some(recorded) = Recorded::read(raw) {
                outcomes.insert(key, recorded);
            }
        }
        let Form {
            asked,
            once,
            changed,
            rounds,
            flow,
            ..
        } = form;
        Self {
            rounds,
            flow,
            outcomes,
            asked,
            once,
            changed,
        }
    }

    /// Writes the state.
    pub(crate) fn write(&self) -> String {
        let form = Form {
            v: VERSION,
            outcomes: self
                .outcomes
                .iter()
                .map(|(k, v)| (k.clone(), v.raw.clone()))
                .collect(),
            asked: self.asked.clone(),
            once: self.once.clone(),
            changed: self.changed.clone(),
            rounds: self.rounds,
            flow: self.flow.clone(),
        };
        serde_json::to_string(&form).expect("a state has string keys only")
    }
}

#[cfg(test)]
mod tests;
