//! Rows of text in columns.
//!
//! Pure.

use crate::printable;

/// How wide a column may be to push the ones behind it; a longer cell moves its own row alone.
const WIDEST: usize = 48;
/// How much of the last cell is shown.
const SHOWN: usize = 80;

/// Returns the rows, one a line and indented, with cells of one column below each other.
///
/// The cells are what a server wrote: each is one line, and the last is cut where it is long.
pub(crate) fn render<const N: usize>(rows: &[[String; N]]) -> String {
    let cells = |row: &[String; N]| {
        let mut cells = row.each_ref().map(|cell| printable::line(cell));
        if let Some(last) = cells.last_mut()
            && last.chars().count() > SHOWN
        {
            *last = last.chars().take(SHOWN - 3).collect::<String>() + "...";
        }
        cells
    };
    let rows: Vec<[String; N]> = rows.iter().map(cells).collect();
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.filter(|width| *width <= WIDEST).max().unwrap_or(0)
    };
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = width(column);
            line.push_str(&format!("  {cell:width$}"));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
