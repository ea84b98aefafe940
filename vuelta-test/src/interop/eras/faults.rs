//! What fails because of a peer, and why that is the peer's fault.
//!
//! A cell on this list must fail in the way that the list says; one that passes fails the run,
//! so that the list stays true.

use crate::interop::check::{Checked, Failure};
use crate::interop::matrix::Cell;

use super::columns::{Column, Era, Peer, Role, Wire};

/// A fault of a peer.
struct Fault {
    peers: &'static [Peer],
    role: Role,
    /// Where it shows; everywhere if there is none.
    wire: Option<Wire>,
    era: Option<Era>,
    story: &'static str,
    /// What the failure says, in part.
    found: &'static str,
    reason: &'static str,
}

const FAULTS: &[Fault] = &[
    Fault {
        peers: &[Peer::PythonV2, Peer::PythonV1],
        role: Role::Server,
        wire: None,
        era: None,
        story: "unknown_tool",
        found: "Unknown tool: nope",
        reason: "answers with `isError`; an unknown tool is an error of the protocol, -32602 \
                 (server/tools, Error Handling); modelcontextprotocol/python-sdk#1149",
    },
    Fault {
        peers: &[Peer::TypescriptV1],
        role: Role::Server,
        wire: None,
        era: None,
        story: "unknown_tool",
        found: "Tool nope not found",
        reason: "answers with `isError`; an unknown tool is an error of the protocol, -32602 \
                 (server/tools, Error Handling); modelcontextprotocol/typescript-sdk#1510",
    },
];

impl Fault {
    fn is_of(&self, peer: Peer, column: Column, story: &str) -> bool {
        self.peers.contains(&peer)
            && self.role == column.role
            && self.wire.is_none_or(|wire| wire == column.wire)
            && self.era.is_none_or(|era| era == column.era)
            && self.story == story
    }
}

/// Judges how a story has ended.
pub(super) fn judge(peer: Peer, column: Column, story: &str, checked: Checked) -> Cell {
    let fault = FAULTS.iter().find(|fault| fault.is_of(peer, column, story));
    let Some(fault) = fault else {
        return checked.into();
    };
    match checked {
        Ok(()) => Cell::Failed("passes, and is on the list of faults: delete the entry".into()),
        Err(failure) if failure.to_string().contains(fault.found) => Cell::Excused(fault.reason),
        Err(failure) => {
            let failure: Failure = format!("fails otherwise than listed: {failure}").into();
            Cell::Failed(failure)
        }
    }
}

#[cfg(test)]
mod tests;
