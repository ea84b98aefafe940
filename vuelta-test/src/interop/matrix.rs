//! The table of one part: what was checked, and how it ended.

use std::collections::BTreeMap;
use std::fmt;

use super::check::{Checked, Failure};

/// How a check ended.
#[derive(Debug)]
pub(super) enum Cell {
    Passed,
    Failed(Failure),
    /// It failed for a reason that is known, and not ours.
    Excused(&'static str),
}

impl From<Checked> for Cell {
    fn from(checked: Checked) -> Self {
        match checked {
            Ok(()) => Self::Passed,
            Err(failure) => Self::Failed(failure),
        }
    }
}

/// Why cells did not pass.
struct Reason {
    /// What stands in the cells.
    how: &'static str,
    why: String,
    cells: Vec<(usize, usize)>,
}

/// How every check of a part ended, by row and column.
#[derive(Debug)]
pub(super) struct Matrix {
    title: &'static str,
    columns: Vec<String>,
    /// In the order in which they came.
    rows: Vec<String>,
    cells: BTreeMap<(usize, usize), Cell>,
}

impl Matrix {
    pub(super) fn new(title: &'static str, columns: impl IntoIterator<Item: Into<String>>) -> Self {
        Self {
            title,
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
            cells: BTreeMap::new(),
        }
    }

    /// Fills a cell; a row of this name is added if there is none.
    pub(super) fn set(&mut self, row: &str, column: usize, cell: impl Into<Cell>) {
        let known = self.rows.iter().position(|name| name == row);
        let row = known.unwrap_or_else(|| {
            self.rows.push(row.to_owned());
            self.rows.len() - 1
        });
        self.cells.insert((row, column), cell.into());
    }

    /// Returns whether a cell is filled.
    pub(super) fn has(&self, row: &str, column: usize) -> bool {
        let row = self.rows.iter().position(|name| name == row);
        row.is_some_and(|row| self.cells.contains_key(&(row, column)))
    }

    pub(super) fn passed(&self) -> usize {
        self.count(|cell| matches!(cell, Cell::Passed))
    }

    pub(super) fn failed(&self) -> usize {
        self.count(|cell| matches!(cell, Cell::Failed(_)))
    }

    pub(super) fn excused(&self) -> usize {
        self.count(|cell| matches!(cell, Cell::Excused(_)))
    }

    /// Returns why cells did not pass, each reason once.
    fn reasons(&self) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        for (place, cell) in &self.cells {
            let (how, why) = match cell {
                Cell::Passed => continue,
                Cell::Failed(failure) => ("FAIL", failure.to_string()),
                Cell::Excused(reason) => ("skip", (*reason).to_owned()),
            };
            let known = reasons
                .iter_mut()
                .find(|known| known.how == how && known.why == why);
            match known {
                Some(known) => known.cells.push(*place),
                None => reasons.push(Reason {
                    how,
                    why,
                    cells: vec![*place],
                }),
            }
        }
        reasons
    }

    fn count(&self, of: impl Fn(&Cell) -> bool) -> usize {
        self.cells.values().filter(|cell| of(cell)).count()
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |names: &[String]| names.iter().map(String::len).max().unwrap_or_default();
        let first = width(&self.rows).max(self.title.len());
        let other = width(&self.columns);

        let mut line = format!("{:first$}", self.title);
        for column in &self.columns {
            line += &format!("  {column:other$}");
        }
        writeln!(f, "{}", line.trim_end())?;
        for (row, name) in self.rows.iter().enumerate() {
            let mut line = format!("{name:first$}");
            for column in 0..self.columns.len() {
                let cell = match self.cells.get(&(row, column)) {
                    Some(Cell::Passed) => "ok",
                    Some(Cell::Failed(_)) => "FAIL",
                    Some(Cell::Excused(_)) => "skip",
                    None => "-",
                };
                line += &format!("  {cell:other$}");
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        for Reason { how, why, cells } in self.reasons() {
            let Some(((row, column), more)) = cells.split_first() else {
                continue;
            };
            let (row, column) = (&self.rows[*row], &self.columns[*column]);
            write!(f, "{how} {row}, {column}")?;
            if !more.is_empty() {
                write!(f, ", and {} more", more.len())?;
            }
            writeln!(f, ": {why}")?;
        }
        Ok(())
    }
}
