//! Tables of results: aligned for people, as CSV for programs.

/// Columns with units, and rows of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A name.
    Text(String),
    /// An exact number of things.
    Count(u64),
    /// Something measured; shown with four significant digits, as measurements hardly have more.
    Real(f64),
    /// Nothing: it could not be measured.
    Missing,
}

impl Table {
    /// An empty table. Each column has a name and a unit; the unit may be empty.
    pub fn new(columns: &[(&str, &str)]) -> Self {
        let heading = |&(name, unit): &(&str, &str)| match unit {
            "" => name.to_owned(),
            _ => format!("{name} [{unit}]"),
        };
        Self { columns: columns.iter().map(heading).collect(), rows: Vec::new() }
    }

    /// Adds a row, one cell per column.
    pub fn push(&mut self, row: impl Into<Vec<Cell>>) {
        let row = row.into();
        assert_eq!(row.len(), self.columns.len(), "a row needs one cell per column");
        self.rows.push(row);
    }

    /// For the terminal: columns aligned, text to the left and numbers to the right.
    pub fn to_text(&self) -> String {
        let shown: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::to_string).collect()).collect();
        let length = |text: &String| text.chars().count();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|k| {
                shown.iter().map(|row| length(&row[k])).fold(length(&self.columns[k]), usize::max)
            })
            .collect();
        let is_text = |k: usize| self.rows.iter().any(|row| matches!(row[k], Cell::Text(_)));
        let mut text = String::new();
        for row in std::iter::once(&self.columns).chain(&shown) {
            let cells = row.iter().zip(&widths).enumerate().map(|(k, (cell, &width))| {
                if is_text(k) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            text += cells.collect::<Vec<_>>().join("  ").trim_end();
            text.push('\n');
        }
        text
    }

    /// A line of column names and one per row; what holds commas, quotes or line ends is quoted.
    pub fn to_csv(&self) -> String {
        let names = self.columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
        let rows = self.rows.iter().map(|row| {
            row.iter().map(|cell| quoted(&cell.to_string())).collect::<Vec<_>>().join(",")
        });
        std::iter::once(names).chain(rows).map(|line| line + "\n").collect()
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => write!(f, "{count}"),
            Self::Real(number) => f.write_str(&significant(*number)),
            Self::Missing => f.write_str("-"),
        }
    }
}

/// Four significant digits, without an exponent where that stays readable.
pub(crate) fn significant(x: f64) -> String {
    let size = x.abs();
    if !(size == 0.0 || (1e-4..1e9).contains(&size)) {
        let shown = format!("{x:.3e}");
        let Some((mantissa, exponent)) = shown.split_once('e') else { return shown };
        return format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'));
    }
    // The exponent after rounding to four digits tells how many decimals there are to show.
    let exponent = format!("{x:.3e}").rsplit('e').next().and_then(|e| e.parse::<i32>().ok());
    let decimals = (3 - exponent.unwrap_or(0)).max(0) as usize;
    let shown = format!("{x:.decimals$}");
    if shown.contains('.') {
        shown.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        shown
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Table {
        let mut table = Table::new(&[("file", ""), ("faces", ""), ("time", "ms")]);
        table.push([Cell::Text("a, \"b\"".into()), Cell::Count(1_234_567), Cell::Real(0.123_46)]);
        table.push([Cell::Text("é".into()), Cell::Count(8), Cell::Missing]);
        table
    }

    #[test]
    fn text_is_aligned() {
        assert_eq!(
            example().to_text(),
            "file      faces  time [ms]\na, \"b\"  1234567     0.1235\né             8          -\n"
        );
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        assert_eq!(
            example().to_csv(),
            "file,faces,time [ms]\n\"a, \"\"b\"\"\",1234567,0.1235\né,8,-\n"
        );
    }

    #[test]
    fn numbers_have_four_digits() {
        let known = [
            (0.0, "0"),
            (1.0, "1"),
            (12.346, "12.35"),
            (0.5, "0.5"),
            (9.9999, "10"),
            (1000.4, "1000"),
            (123_456.7, "123457"),
            (-0.012_346, "-0.01235"),
            (1e-9, "1e-9"),
            (2.5e12, "2.5e12"),
            (1.234_56e-7, "1.235e-7"),
        ];
        for (x, text) in known {
            assert_eq!(significant(x), text);
        }
        assert_eq!(significant(f64::NAN), "NaN");
    }

    #[test]
    #[should_panic(expected = "one cell per column")]
    fn a_short_row_is_a_bug() {
        example().push([Cell::Missing]);
    }
}
