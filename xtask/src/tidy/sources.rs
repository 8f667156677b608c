//! Rules for Rust sources.

use super::{Finding, Source};

/// All rules for one file.
pub(super) const RULES: [fn(&Source) -> Vec<Finding>; 8] = [
    opens_with_its_job,
    is_short,
    has_short_lines,
    leaves_nothing_undone,
    runs_all_its_tests,
    keeps_unsafe_in_its_crate,
    keeps_engines_apart,
    uses_no_hash_order,
];

const LINES_MAX: usize = 600;
const COLUMNS_MAX: usize = 100;

fn opens_with_its_job(source: &Source) -> Vec<Finding> {
    if source.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![source.finding(1, "the file must open with `//!` and what it is for")]
}

fn is_short(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().count();
    if lines <= LINES_MAX {
        return Vec::new();
    }
    vec![source.finding(lines, format!("{lines} lines; at most {LINES_MAX} are allowed"))]
}

/// Code only: comments may hold addresses and tables, and rustfmt leaves them alone.
fn has_short_lines(source: &Source) -> Vec<Finding> {
    code_lines(source, |_, line| {
        let columns = line.chars().count();
        (columns > COLUMNS_MAX)
            .then(|| format!("{columns} columns; at most {COLUMNS_MAX} are allowed"))
    })
}

fn leaves_nothing_undone(source: &Source) -> Vec<Finding> {
    const MACROS: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];
    code_lines(source, |_, line| {
        let found = MACROS.iter().find(|name| has_word(line, name))?;
        Some(format!("`{found}` must not be committed"))
    })
}

fn runs_all_its_tests(source: &Source) -> Vec<Finding> {
    code_lines(source, |_, line| {
        let line = line.trim_start();
        let ignored = line.starts_with("#[ignore")
            || line.starts_with("#[cfg_attr") && has_word(line, "ignore");
        ignored.then(|| "tests must not be switched off by `#[ignore]`".to_owned())
    })
}

/// A program of many test files runs those that its `main.rs` names; a forgotten one would pass unseen.
pub(super) fn names_all_its_tests(source: &Source, files: &[String]) -> Vec<Finding> {
    let Some(folder) = source.path.strip_suffix("main.rs").filter(|path| path.contains("/tests/"))
    else {
        return Vec::new();
    };
    let names = files.iter().filter_map(|path| path.strip_prefix(folder)?.strip_suffix(".rs"));
    let forgotten = names.filter(|name| {
        let module = format!("mod {name};");
        !(name.contains('/') || *name == "main" || source.text.lines().any(|line| line == module))
    });
    forgotten.map(|name| source.finding(0, format!("`mod {name};` is missing"))).collect()
}

fn keeps_unsafe_in_its_crate(source: &Source) -> Vec<Finding> {
    if source.crate_name() == "simd" {
        return Vec::new();
    }
    code_lines(source, |_, line| {
        has_word(line, "unsafe").then(|| "`unsafe` is allowed in crates/simd only".to_owned())
    })
}

/// Files of `narrow` that are no engines but what engines share.
const SHARED_BY_ENGINES: [&str; 15] = [
    "budget",
    "deforming",
    "first",
    "found",
    "gap",
    "instants",
    "models",
    "parts",
    "posed",
    "posed_job",
    "settings",
    "spare",
    "straight",
    "tree_gap",
    "vertices",
];

/// An engine is a folder or file of `narrow`; what engines share lives in geom and in a few files of
/// `narrow`, which use no engine.
fn keeps_engines_apart(source: &Source) -> Vec<Finding> {
    let Some((_, inside)) = source.path.split_once("src/narrow/") else { return Vec::new() };
    let own = inside.split(['/', '.']).next().unwrap_or("");
    // The default hands its jobs to other engines.
    if own == "mod" || own == "auto" {
        return Vec::new();
    }
    code_lines(source, |_, line| {
        let (_, rest) = line.split_once("narrow::")?;
        let other = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
        let apart = other != own && !SHARED_BY_ENGINES.contains(&other);
        apart.then(|| format!("the engine `{own}` must not use `narrow::{other}`"))
    })
}

/// The order of a hash map differs from run to run, so answers that pass through one might, too.
/// Look-ups are harmless; a line that walks a map must not exist. What cannot be told from the text
/// is which names are maps, so the rule goes by the names that are declared as such in the file.
fn uses_no_hash_order(source: &Source) -> Vec<Finding> {
    let maps: Vec<&str> = source.text.lines().filter_map(hash_map_name).collect();
    const WALKS: [&str; 9] = [
        ".iter()",
        ".iter_mut()",
        ".keys()",
        ".values()",
        ".values_mut()",
        ".into_iter()",
        ".drain()",
        ".into_keys()",
        ".into_values()",
    ];
    code_lines(source, |_, line| {
        let map = maps.iter().find(|map| {
            let called = WALKS.iter().any(|walk| has_word(line, &format!("{map}{walk}")));
            let loop_head = line.trim_end().trim_end_matches('{').trim_end();
            let looped = line.trim_start().starts_with("for ")
                && ["", "&", "&mut ", "self.", "&self.", "&mut self."]
                    .iter()
                    .any(|way| loop_head.ends_with(&format!(" in {way}{map}")));
            called || looped
        })?;
        Some(format!("`{map}` is a hash map: its order is not the same in every run"))
    })
}

/// The name that a line declares as a hash map or set: `let NAME = HashMap…`, `NAME: &HashMap<…`.
fn hash_map_name(line: &str) -> Option<&str> {
    if is_comment(line) {
        return None;
    }
    let at = line.find("HashMap").or_else(|| line.find("HashSet"))?;
    let before = line[..at].trim_end_matches("std::collections::").trim_end_matches("mut ");
    let before = before.trim_end_matches('&').trim_end();
    let name = before.strip_suffix(['=', ':'])?.trim_end();
    let start = name.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |i| i + 1);
    Some(&name[start..]).filter(|name| !name.is_empty())
}

/// Findings of `judge` on the lines that are no comments.
fn code_lines(source: &Source, judge: impl Fn(usize, &str) -> Option<String>) -> Vec<Finding> {
    let code = source.text.lines().enumerate().filter(|(_, line)| !is_comment(line));
    code.filter_map(|(i, line)| Some(source.finding(i + 1, judge(i, line)?))).collect()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Whether `word` stands in the line outside of strings, not as a part of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        let quotes = line[..at].matches('"').count() - line[..at].matches("\\\"").count();
        let quoted = quotes % 2 == 1;
        let ends_in_word = part(word.chars().next_back());
        let (before, after) =
            (line[..at].chars().next_back(), line[at + word.len()..].chars().next());
        !(quoted || part(before) || ends_in_word && part(after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(rule: fn(&Source) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
        rule(&Source::example(path, text)).iter().map(|finding| finding.line).collect()
    }

    const PATH: &str = "crates/geom/src/mesh.rs";

    #[test]
    fn a_file_without_head_is_found() {
        assert_eq!(lines(opens_with_its_job, PATH, "use std::fmt;\n"), [1]);
        assert!(lines(opens_with_its_job, PATH, "//! Meshes.\n").is_empty());
    }

    #[test]
    fn a_long_file_is_found() {
        assert_eq!(lines(is_short, PATH, &"\n".repeat(601)), [601]);
        assert!(lines(is_short, PATH, &"\n".repeat(600)).is_empty());
    }

    #[test]
    fn a_long_line_of_code_is_found_but_not_a_comment() {
        let (long, fits) = ("é".repeat(101), "é".repeat(100));
        assert_eq!(lines(has_short_lines, PATH, &format!("{fits}\n{long}\n// {long}\n")), [2]);
    }

    #[test]
    fn unfinished_code_is_found() {
        let text = [
            "fn a() { todo!() }",
            "let x = dbg!(y);",
            "let t = \"todo!\";",
            "// todo!",
            "my_dbg!(1);",
        ]
        .join("\n");
        assert_eq!(lines(leaves_nothing_undone, PATH, &text), [1, 2]);
    }

    #[test]
    fn an_ignored_test_is_found() {
        let text = "    #[ignore = \"slow\"]\n#[cfg_attr(miri, ignore)]\nlet ignore = 1;\n";
        assert_eq!(lines(runs_all_its_tests, PATH, text), [1, 2]);
    }

    #[test]
    fn a_forgotten_test_file_is_found() {
        let files = ["main.rs", "ask.rs", "voxel.rs", "oracle/mod.rs"]
            .map(|name| format!("crates/geom/tests/all/{name}"));
        let found = |path: &str, text: &str| {
            let findings = names_all_its_tests(&Source::example(path, text), &files);
            findings.into_iter().map(|finding| finding.message).collect::<Vec<_>>()
        };
        let main = "crates/geom/tests/all/main.rs";
        assert_eq!(found(main, "mod ask;\n// mod voxel;\n"), ["`mod voxel;` is missing"]);
        assert!(found(main, "mod ask;\nmod voxel;\n").is_empty());
        assert!(found("crates/geom/src/main.rs", "").is_empty());
    }

    #[test]
    fn unsafe_code_is_found_outside_its_crate() {
        let text = "unsafe { f() }\n#![forbid(unsafe_code)]\n";
        assert_eq!(lines(keeps_unsafe_in_its_crate, PATH, text), [1]);
        assert!(lines(keeps_unsafe_in_its_crate, "crates/simd/src/lib.rs", text).is_empty());
    }

    #[test]
    fn an_engine_that_uses_another_is_found() {
        let text = "use crate::narrow::brute::Brute;\nuse crate::narrow::bvh::tree;\n\
                    use crate::narrow::budget::Limit;\n";
        assert_eq!(lines(keeps_engines_apart, "crates/impinge/src/narrow/bvh/walk.rs", text), [1]);
        assert_eq!(lines(keeps_engines_apart, "crates/impinge/src/narrow/brute.rs", text), [2]);
        assert!(lines(keeps_engines_apart, "crates/impinge/src/narrow/mod.rs", text).is_empty());
        assert!(lines(keeps_engines_apart, "crates/impinge/src/world.rs", text).is_empty());
    }

    #[test]
    fn walking_a_hash_map_is_found() {
        let text = [
            "let mut seen = HashMap::new();",
            "for (k, v) in &seen {",
            "seen.get(&1);",
            "seen.keys().max();",
            "for x in list {",
            "ids: std::collections::HashSet<u32>,",
            "for id in &self.ids {",
            "self.ids.iter()",
            "list.iter()",
            "unseen.iter()",
        ]
        .join("\n");
        assert_eq!(lines(uses_no_hash_order, PATH, &text), [2, 4, 7, 8]);
    }
}
