//! Rules for every text file: nothing in it belongs to one machine or to the way it was written.

use super::{Finding, Source};

/// All rules for one file.
pub(super) const RULES: [fn(&Source) -> Vec<Finding>; 2] = [names_no_machine, uses_no_banned_word];

/// Beginnings of paths that exist on one machine only.
const MACHINE_PATHS: [&str; 5] = ["/home/", "/root/", "/Users/", "/work/", "/tmp/"];

/// Words that say how or where a text came about instead of what it says. Spelled in halves, so that this
/// list does not find itself.
const BANNED: [[&str; 2]; 9] = [
    ["assist", "ant"],
    ["chat", "bot"],
    ["language ", "model"],
    ["this ", "session"],
    ["crates", ".io"],
    ["pypi", ".org"],
    ["npmjs", ".com"],
    ["FIX", "ME"],
    ["XX", "X"],
];

fn names_no_machine(source: &Source) -> Vec<Finding> {
    // The list above names what it forbids.
    if source.path == "xtask/src/tidy/lines.rs" {
        return Vec::new();
    }
    lines(source, |line| {
        let path = MACHINE_PATHS.iter().find(|path| starts_a_path(line, path))?;
        Some(format!("`{path}…` is a place on one machine"))
    })
}

/// Whether `path` stands in the line as the beginning of a path, not in the middle of one.
fn starts_a_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/}~*".contains(c))
    })
}

fn uses_no_banned_word(source: &Source) -> Vec<Finding> {
    lines(source, |line| {
        let lower = line.to_lowercase();
        let word = BANNED.iter().map(|halves| halves.concat()).find(|word| {
            // Words in capitals are marks; they are meant only when they are in capitals.
            if *word == word.to_uppercase() { line.contains(word) } else { lower.contains(word) }
        })?;
        Some(format!("`{word}` does not belong into the project's text"))
    })
}

fn lines(source: &Source, judge: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let lines = source.text.lines().enumerate();
    lines.filter_map(|(i, line)| Some(source.finding(i + 1, judge(line)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rule: fn(&Source) -> Vec<Finding>, text: &str) -> Vec<usize> {
        rule(&Source::example("docs/x.md", text)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_path_of_one_machine_is_found() {
        let text = "see /home/ann/x\nopen src/home/ok.rs\n\"/tmp/x\"\nhttps://a.org/work/1\n";
        assert_eq!(found(names_no_machine, text), [1, 3]);
    }

    #[test]
    fn a_banned_word_is_found() {
        let text = format!(
            "fine\nan {}{}\n// {}{} later\nfixme in lower case\n",
            "Assist", "ant", "FIX", "ME"
        );
        assert_eq!(found(uses_no_banned_word, &text), [2, 3]);
    }
}
