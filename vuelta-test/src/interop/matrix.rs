//! The table of one part: what was checked, and how it ended.

use std::collections::BTreeMap;
use std::fmt;

use super::check::Checked;

/// How every check of a part ended, by row and column.
#[derive(Debug)]
pub(super) struct Matrix {
    title: &'static str,
    columns: Vec<String>,
    /// In the order in which they came.
    rows: Vec<String>,
    cells: BTreeMap<(usize, usize), Checked>,
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
    pub(super) fn set(&mut self, row: &str, column: usize, checked: Checked) {
        let known = self.rows.iter().position(|name| name == row);
        let row = known.unwrap_or_else(|| {
            self.rows.push(row.to_owned());
            self.rows.len() - 1
        });
        self.cells.insert((row, column), checked);
    }

    /// Returns whether a cell is filled.
    pub(super) fn has(&self, row: &str, column: usize) -> bool {
        let row = self.rows.iter().position(|name| name == row);
        row.is_some_and(|row| self.cells.contains_key(&(row, column)))
    }

    pub(super) fn passed(&self) -> usize {
        self.cells.len() - self.failed()
    }

    pub(super) fn failed(&self) -> usize {
        self.cells
            .values()
            .filter(|checked| checked.is_err())
            .count()
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
                    Some(Ok(())) => "ok",
                    Some(Err(_)) => "FAIL",
                    None => "-",
                };
                line += &format!("  {cell:other$}");
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        for ((row, column), checked) in &self.cells {
            if let Err(failure) = checked {
                writeln!(
                    f,
                    "FAIL {}, {}: {failure}",
                    self.rows[*row], self.columns[*column]
                )?;
            }
        }
        Ok(())
    }
}
