//! Tables, in Markdown.

use std::fmt;

/// Rows of cells; the first column is text, the others are numbers.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|cell| cell.to_string()).collect()] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        for (index, row) in self.rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let width = width(column);
                if column == 0 {
                    write!(f, "| {cell:<width$} ")?;
                } else {
                    write!(f, "| {cell:>width$} ")?;
                }
            }
            writeln!(f, "|")?;
            if index == 0 {
                for column in 0..columns {
                    let dashes = "-".repeat(width(column));
                    write!(
                        f,
                        "{}",
                        if column == 0 { format!("| {dashes} ") } else { format!("| {dashes}:") }
                    )?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// Three significant digits are enough.
pub(crate) fn number(value: f64) -> String {
    if value.abs() < 10.0 && value.fract().abs() > 0.005 {
        format!("{value:.2}")
    } else {
        let digits = format!("{value:.0}");
        let mut out = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index) % 3 == 0 && digits.len() > 4 {
                out.push(' ');
            }
            out.push(digit);
        }
        out
    }
}
