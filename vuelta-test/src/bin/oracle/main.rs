//! Compares the wire types with the models of the Python SDK, type by type and both ways, at
//! each revision that it has models of.
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
use std::fmt;
use std::process::ExitCode;

use serde_json::Value;

use crate::compare::{members, same};
use crate::peer::Peer;
use crate::row::Row;
use crate::table::{Table, tables};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut failures = 0;
    for table in tables() {
        failures += compare(&table)?;
    }
    Ok(ExitCode::from(u8::from(failures > 0)))
}

/// Compares one revision; returns how much differs.
fn compare(table: &Table) -> Result<usize, Box<dyn Error>> {
    let mut peer = Peer::start(&table.revision)?;
    let types = peer.types()?;
    let (mut counts, mut failures) = (Counts::default(), 0_usize);
    println!("{}", table.revision);
    for name in &types {
        let rows: Vec<_> = table.rows.iter().filter(|row| row.name == name).collect();
        let excuse = table.excused.iter().find(|(excused, _)| excused == name);
        match (rows.as_slice(), excuse) {
            ([row], None) => {
                let (counted, problems) = check(&mut peer, table, row)?;
                let verdict = if problems.is_empty() { "ok  " } else { "FAIL" };
                println!("{verdict} {name}: {counted}");
                for problem in &problems {
                    println!("     {problem}");
                }
                failures += problems.len();
                counts.add(&counted);
            }
            ([], Some((_, reason))) => println!("skip {name}: {reason}"),
            _ => {
                println!("FAIL {name}: must be either in the table, once, or excused");
                failures += 1;
            }
        }
    }
    let known: BTreeSet<&str> = types.iter().map(String::as_str).collect();
    let named = table.rows.iter().map(|row| row.name);
    for stale in named.chain(table.excused.iter().map(|(name, _)| *name)) {
        if !known.contains(stale) {
            println!("FAIL {stale}: the peer has no such type");
            failures += 1;
        }
    }
    println!(
        "{}: {} types, {} excused; {counts}; {failures} failures",
        table.revision,
        types.len(),
        table.excused.len()
    );
    Ok(failures)
}

/// How many values were compared.
#[derive(Default)]
struct Counts {
    read: usize,
    unspoken: usize,
    written: usize,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.read += other.read;
        self.unspoken += other.unspoken;
        self.written += other.written;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} read, {} written", self.read, self.written)?;
        if self.unspoken > 0 {
            write!(f, ", {} not spoken here", self.unspoken)?;
        }
        Ok(())
    }
}

/// Compares one type both ways; returns what was compared and what differs.
fn check(
    peer: &mut Peer,
    table: &Table,
    row: &Row,
) -> Result<(Counts, Vec<String>), Box<dyn Error>> {
    let mut problems = Vec::new();
    let (samples, unspoken): (Vec<_>, Vec<_>) =
        peer.samples(row.name)?.into_iter().partition(row.is_spoken);
    let mut expected_members = BTreeSet::new();
    for sample in &samples {
        expected_members.extend(members(sample));
        match (row.reread)(&sample.to_string()) {
            Err(error) => problems.push(format!("read {sample}: {error}")),
            Ok(written) => {
                let written: Value = serde_json::from_str(&written)?;
                if !same(&written, &(row.expected)(sample.clone())) {
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
        for name in table.foreign.iter().filter(|name| text.contains(**name)) {
            problems.push(format!("wrote {sent}: {name:?} is of another revision"));
        }
        match peer.check(row.name, &sent)? {
            Err(error) => problems.push(format!("wrote {sent}: the peer refuses it: {error}")),
            Ok(returned) if !same(&returned, &(row.kept)(sent.clone())) => {
                problems.push(format!("wrote {sent}, the peer understood {returned}"));
            }
            Ok(_) => {}
        }
    }
    for (name, _) in table.unwritten {
        expected_members.remove(*name);
    }
    for member in expected_members {
        problems.push(format!(
            "no value that is written has the member {member:?}"
        ));
    }
    if samples.is_empty() || row.written.is_empty() {
        problems.push("nothing to compare".to_owned());
    }
    let counts = Counts {
        read: samples.len(),
        unspoken: unspoken.len(),
        written: row.written.len(),
    };
    Ok((counts, problems))
}
