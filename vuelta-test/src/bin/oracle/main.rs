//! Compares the wire types with the models of the Python SDK, type by type and both ways.
//!
//! For each type that the peer knows: every value that the peer writes must decode here and
//! encode to an equal value, and every value that is built here must pass the peer's model
//! and come back equal. A type that is neither in the table nor excused fails, so that
//! nothing is skipped in silence.
//!
//! `$VUELTA_PYTHON` is a Python with the peer's package, `$VUELTA_PEERS` the directory of
//! `wire_oracle.py`. Exits with 1 if anything differs.

mod compare;
mod peer;
mod row;
mod table;
mod values;

use std::collections::BTreeSet;
use std::error::Error;
use std::process::ExitCode;

use serde_json::Value;

use crate::compare::{members, same};
use crate::peer::Peer;
use crate::row::Row;
use crate::table::{EXCUSED, rows};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut peer = Peer::start()?;
    let types = peer.types()?;
    let (rows, mut failures) = (rows(), 0_usize);
    for name in &types {
        let row = rows.iter().find(|row| row.name == name);
        let excuse = EXCUSED.iter().find(|(excused, _)| excused == name);
        match (row, excuse) {
            (Some(row), None) => {
                let (counts, problems) = check(&mut peer, row)?;
                let verdict = if problems.is_empty() { "ok  " } else { "FAIL" };
                println!("{verdict} {name}: {counts}");
                for problem in &problems {
                    println!("     {problem}");
                }
                failures += problems.len();
            }
            (None, Some((_, reason))) => println!("skip {name}: {reason}"),
            _ => {
                println!("FAIL {name}: must be either in the table or excused");
                failures += 1;
            }
        }
    }
    let known: BTreeSet<&str> = types.iter().map(String::as_str).collect();
    let named = rows.iter().map(|row| row.name);
    for stale in named.chain(EXCUSED.iter().map(|(name, _)| *name)) {
        if !known.contains(stale) {
            println!("FAIL {stale}: the peer has no such type");
            failures += 1;
        }
    }
    println!(
        "{} types, {} excused, {failures} failures",
        types.len(),
        EXCUSED.len()
    );
    Ok(ExitCode::from(u8::from(failures > 0)))
}

/// Compares one type both ways; returns what was compared and what differs.
fn check(peer: &mut Peer, row: &Row) -> Result<(String, Vec<String>), Box<dyn Error>> {
    let mut problems = Vec::new();
    let samples = peer.samples(row.name)?;
    let mut expected_members = BTreeSet::new();
    for sample in &samples {
        expected_members.extend(members(sample));
        match (row.reread)(&sample.to_string()) {
            Err(error) => problems.push(format!("read {sample}: {error}")),
            Ok(written) => {
                let written: Value = serde_json::from_str(&written)?;
                if !same(&written, &(row.stamped)(sample.clone())) {
                    problems.push(format!("read {sample}, wrote {written}"));
                }
            }
        }
    }
    for text in &row.written {
        let sent: Value = serde_json::from_str(text)?;
        for member in members(&sent) {
            expected_members.remove(&member);
        }
        match peer.check(row.name, &sent)? {
            Err(error) => problems.push(format!("wrote {sent}: the peer refuses it: {error}")),
            Ok(returned) if !same(&returned, &sent) => {
                problems.push(format!("wrote {sent}, the peer understood {returned}"));
            }
            Ok(_) => {}
        }
    }
    for member in expected_members {
        problems.push(format!(
            "no value that is written has the member {member:?}"
        ));
    }
    if samples.is_empty() || row.written.is_empty() {
        problems.push("nothing to compare".to_owned());
    }
    let counts = format!("{} read, {} written", samples.len(), row.written.len());
    Ok((counts, problems))
}
