//! `cargo xtask results`: docs/RESULTS.md, made from the files that experiments write.
//!
//! A result is `results/NAME.csv`: head lines `# key: value`, a line of column names, then rows. If
//! `results/NAME.svg` lies beside it, the page shows it. Nothing in the page is written by hand.

use anyhow::{Context, Result, bail};
use std::path::Path;

/// Head lines that the page shows in places of their own.
const TITLE: &str = "title";
const NOTE: &str = "note";
/// Head lines without which a figure cannot be judged.
const NEEDED: [&str; 4] = ["machine", "date", "commit", "command"];

#[derive(Debug, PartialEq)]
struct Table {
    head: Vec<(String, String)>,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Writes docs/RESULTS.md of the workspace at `root`.
pub(crate) fn run(root: &Path) -> Result<()> {
    let folder = root.join("results");
    let mut names = Vec::new();
    if folder.is_dir() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "csv") {
                names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
    }
    names.sort();
    let mut page = "# Results\n\nMade by `cargo xtask results` from `results/*.csv`; \
                    not to be edited by hand.\n"
        .to_owned();
    for name in &names {
        let path = folder.join(format!("{name}.csv"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let table = read(&text).with_context(|| format!("results/{name}.csv"))?;
        let plot = folder.join(format!("{name}.svg")).is_file();
        page += &section(name, &table, plot);
    }
    let docs = root.join("docs");
    std::fs::create_dir_all(&docs).context("cannot make docs")?;
    std::fs::write(docs.join("RESULTS.md"), page).context("cannot write docs/RESULTS.md")?;
    println!("docs/RESULTS.md: {} results", names.len());
    Ok(())
}

fn read(text: &str) -> Result<Table> {
    let mut head = Vec::new();
    let mut records = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if let Some(comment) = line.strip_prefix('#') {
            let (key, value) = comment
                .split_once(':')
                .with_context(|| format!("line {}: `# key: value` is needed", i + 1))?;
            head.push((key.trim().to_owned(), value.trim().to_owned()));
        } else if !line.is_empty() {
            records.push((i + 1, cells(line).with_context(|| format!("line {}", i + 1))?));
        }
    }
    if let Some(missing) = NEEDED.iter().find(|key| !head.iter().any(|(k, _)| k == *key)) {
        bail!("the head line `# {missing}: …` is missing");
    }
    let mut records = records.into_iter();
    let (_, columns) = records.next().context("there is no line of column names")?;
    let mut rows = Vec::new();
    for (line, row) in records {
        if row.len() != columns.len() {
            bail!("line {line} has {} cells; {} are needed", row.len(), columns.len());
        }
        rows.push(row);
    }
    Ok(Table { head, columns, rows })
}

/// The cells of one line; quoted ones may hold commas and doubled quotes.
fn cells(line: &str) -> Result<Vec<String>> {
    let mut found = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        let cell = found.last_mut().context("a line has at least one cell")?;
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => found.push(String::new()),
            _ => cell.push(c),
        }
    }
    if quoted {
        bail!("a quote is not closed");
    }
    Ok(found)
}

fn section(name: &str, table: &Table, plot: bool) -> String {
    let values = |key: &'static str| {
        table.head.iter().filter(move |(k, _)| k == key).map(|(_, value)| value.as_str())
    };
    let title = values(TITLE).next().unwrap_or(name);
    let mut text = format!("\n## {title}\n\n`{name}`");
    for (key, value) in table.head.iter().filter(|(k, _)| k != TITLE && k != NOTE) {
        text += &format!(
            " · {key}: {}",
            if key == "command" { format!("`{value}`") } else { value.clone() }
        );
    }
    text += "\n\n";
    text += &line(&table.columns);
    text += &line(&table.columns.iter().map(|_| "---:".to_owned()).collect::<Vec<_>>());
    for row in &table.rows {
        text += &line(row);
    }
    for note in values(NOTE) {
        text += &format!("\n{note}\n");
    }
    if plot {
        text += &format!("\n![{title}](../results/{name}.svg)\n");
    }
    text
}

fn line(cells: &[String]) -> String {
    let escaped: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", escaped.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# title: Loading\n# machine: two cores\n# date: 2026-01-02\n\
                        # commit: abc\n# command: impinge lab load-speed\n# note: Warm files.\n\
                        file,seconds\n\"a, \"\"b\"\"\",0.5\nx|y,1\n";

    #[test]
    fn a_result_becomes_a_section() {
        let text = section("load", &read(GOOD).unwrap(), true);
        assert_eq!(
            text,
            "\n## Loading\n\n`load` · machine: two cores · date: 2026-01-02 · commit: abc · \
             command: `impinge lab load-speed`\n\n| file | seconds |\n| ---: | ---: |\n\
             | a, \"b\" | 0.5 |\n| x\\|y | 1 |\n\nWarm files.\n\n![Loading](../results/load.svg)\n"
        );
    }

    #[test]
    fn a_result_that_cannot_be_judged_is_refused() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            error(&GOOD.replace("# commit: abc\n", "")),
            "the head line `# commit: …` is missing"
        );
        assert_eq!(error(&format!("{GOOD}1,2,3\n")), "line 10 has 3 cells; 2 are needed");
        assert!(error(&format!("{GOOD}\"1,2\n")).starts_with("line 10"));
        assert!(error(&format!("# nonsense\n{GOOD}")).contains("`# key: value` is needed"));
    }
}
