//! `cargo xtask tidy`: the rules of the house style that rustfmt and clippy do not know.
//!
//! One function per rule, from a file (or all manifests) to what is wrong with it. Rules look at
//! lines of text, not at syntax trees: simple to read, and strict enough for code that means well.

mod crates;
mod lines;
mod sources;

use anyhow::{Context, Result, bail};
use std::fmt;
use std::path::{Path, PathBuf};

/// A source file under check.
pub(crate) struct Source {
    /// From the root of the workspace, with `/`.
    path: String,
    text: String,
}

/// Something to mend.
#[derive(Debug, PartialEq)]
pub(crate) struct Finding {
    path: String,
    /// Counted from 1; 0 for the file as a whole.
    line: usize,
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

impl Source {
    fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, message: message.into() }
    }

    /// The crate it belongs to: the folder under `crates`, or `xtask`.
    fn crate_name(&self) -> &str {
        let mut folders = self.path.split('/');
        match folders.next() {
            Some("crates") => folders.next().unwrap_or(""),
            first => first.unwrap_or(""),
        }
    }
}

/// Checks the workspace at `root`; an error lists all findings.
pub(crate) fn run(root: &Path) -> Result<()> {
    let files = files(root)?;
    let mut findings = Vec::new();
    let mut manifests = Vec::new();
    for path in &files {
        let text = match std::fs::read(root.join(path)) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {path}")),
        };
        let source = Source { path: path.clone(), text };
        if path.ends_with(".rs") {
            findings.extend(sources::RULES.iter().flat_map(|rule| rule(&source)));
            findings.extend(sources::names_all_its_tests(&source, &files));
        }
        findings.extend(lines::RULES.iter().flat_map(|rule| rule(&source)));
        if path.ends_with("Cargo.toml") {
            manifests.push(source);
        }
    }
    findings.extend(crates::dependencies_point_one_way(&manifests));
    if !findings.is_empty() {
        findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        let list: Vec<String> = findings.iter().map(Finding::to_string).collect();
        bail!("{} findings:\n{}", list.len(), list.join("\n"));
    }
    println!("tidy: {} files are in order", files.len());
    Ok(())
}

/// All text files of the project, sorted; what git or cargo make is left out.
fn files(root: &Path) -> Result<Vec<String>> {
    const SKIPPED: [&str; 5] = ["target", ".git", "corpus", "artifacts", "node_modules"];
    const CHECKED: [&str; 6] = ["rs", "toml", "md", "py", "sh", "yml"];
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(root.join(&folder))
            .with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let skipped = SKIPPED.iter().any(|name| entry.file_name() == *name);
            let kind = entry.file_type()?;
            if kind.is_dir() && !skipped {
                folders.push(path);
            } else if kind.is_file() {
                let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
                if CHECKED.contains(&ending) {
                    found.push(path.to_string_lossy().replace('\\', "/"));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
impl Source {
    fn example(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_shown_with_file_and_line() {
        let source = Source::example("crates/geom/src/mesh.rs", "");
        assert_eq!(source.finding(3, "bad").to_string(), "crates/geom/src/mesh.rs:3: bad");
        assert_eq!(source.crate_name(), "geom");
        assert_eq!(Source::example("xtask/src/main.rs", "").crate_name(), "xtask");
    }

    #[test]
    fn this_file_is_among_the_files() {
        let root = crate::root().unwrap();
        assert!(files(&root).unwrap().contains(&"xtask/src/tidy.rs".to_owned()));
    }
}
