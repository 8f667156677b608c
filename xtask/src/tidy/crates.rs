//! Which crate may depend on which: the one-way street of docs/ARCHITECTURE.md.

use super::{Finding, Source};

/// A crate of ours, the crates of ours that it may use, and whether it may use serde.
struct Place {
    name: &'static str,
    may_use: &'static [&'static str],
    serde: bool,
}

const PLACES: [Place; 13] = [
    Place { name: "impinge-simd", may_use: &[], serde: false },
    Place { name: "impinge-geom", may_use: &["impinge-simd"], serde: false },
    Place { name: "impinge", may_use: &["impinge-simd", "impinge-geom"], serde: false },
    Place { name: "impinge-scene", may_use: &["impinge-geom"], serde: true },
    Place { name: "impinge-verify", may_use: &["impinge-geom"], serde: true },
    Place { name: "impinge-samples", may_use: &["impinge-geom", "impinge-scene"], serde: false },
    Place { name: "impinge-report", may_use: &["impinge-geom"], serde: false },
    Place {
        name: "impinge-fit",
        may_use: &["impinge-geom", "impinge-scene", "impinge-verify"],
        serde: false,
    },
    Place {
        name: "impinge-sim",
        may_use: &["impinge-geom", "impinge", "impinge-scene"],
        serde: false,
    },
    Place {
        name: "impinge-gpu",
        may_use: &["impinge-simd", "impinge-geom", "impinge"],
        serde: false,
    },
    Place {
        name: "impinge-lab",
        may_use: &[
            "impinge-simd",
            "impinge-geom",
            "impinge",
            "impinge-scene",
            "impinge-samples",
            "impinge-fit",
            "impinge-sim",
        ],
        serde: false,
    },
    Place {
        name: "impinge-cli",
        may_use: &[
            "impinge-geom",
            "impinge",
            "impinge-scene",
            "impinge-samples",
            "impinge-verify",
            "impinge-report",
            "impinge-lab",
            "impinge-fit",
            "impinge-sim",
            "impinge-gpu",
        ],
        serde: true,
    },
    Place { name: "xtask", may_use: &[], serde: false },
];

/// Checks `[dependencies]` of all crates. Tests may use what they like, so `[dev-dependencies]` are
/// exempt.
pub(super) fn dependencies_point_one_way(manifests: &[Source]) -> Vec<Finding> {
    manifests.iter().flat_map(dependencies_of_one).collect()
}

fn dependencies_of_one(manifest: &Source) -> Vec<Finding> {
    // Manifests without a package (the workspace's own) have nothing to say here; fuzz targets
    // and comparisons stand outside.
    let Some(name) = package_name(&manifest.text) else { return Vec::new() };
    if ["fuzz/", "peers/"].iter().any(|folder| manifest.path.starts_with(folder)) {
        return Vec::new();
    }
    let Some(place) = PLACES.iter().find(|place| place.name == name) else {
        let message = format!("the crate `{name}` has no place in the order of crates yet");
        return vec![manifest.finding(0, message)];
    };
    let mut findings = Vec::new();
    for (line, dependency) in dependencies(&manifest.text) {
        let ours = dependency == "impinge" || dependency.starts_with("impinge-");
        if ours && !place.may_use.contains(&dependency) {
            let message = format!("`{name}` must not depend on `{dependency}`");
            findings.push(manifest.finding(line, message));
        }
        let serde = dependency.starts_with("serde") || dependency == "schemars";
        if serde && !place.serde {
            let message = format!("`{name}` must not know `{dependency}`; only scene and cli may");
            findings.push(manifest.finding(line, message));
        }
    }
    findings
}

fn package_name(text: &str) -> Option<&str> {
    let (_, package) = text.split_once("[package]")?;
    let line = package.lines().find(|line| line.trim_start().starts_with("name"))?;
    line.split('"').nth(1)
}

/// The names under `[dependencies]` and `[build-dependencies]`, for any target, with their lines.
fn dependencies(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let last = section.rsplit('.').next().unwrap_or("");
            inside = last == "dependencies" || last == "build-dependencies";
            // `[dependencies.NAME]` is a section of its own.
            let parent = section.rsplit('.').nth(1).unwrap_or("");
            if parent == "dependencies" || parent == "build-dependencies" {
                found.push((i + 1, last));
            }
        } else if inside && !line.starts_with('#') {
            let end = line.find(['.', '=', ' ']).unwrap_or(line.len());
            if end > 0 {
                found.push((i + 1, line[..end].trim_matches('"')));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(manifest: &str) -> Vec<String> {
        let source = Source::example("crates/x/Cargo.toml", manifest);
        dependencies_point_one_way(&[source]).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_dependency_against_the_current_is_found() {
        let upward =
            "[package]\nname = \"impinge-geom\"\n[dependencies]\nimpinge.workspace = true\n";
        assert_eq!(
            findings(upward),
            ["crates/x/Cargo.toml:4: `impinge-geom` must not depend on `impinge`"]
        );
        let table =
            "[package]\nname = \"impinge-geom\"\n[dependencies.impinge-scene]\npath = \"\"\n";
        assert_eq!(findings(table).len(), 1);
        let target = [
            "[package]",
            "name = \"impinge-simd\"",
            "[target.'cfg(unix)'.dependencies]",
            "impinge-geom = {}",
        ];
        assert_eq!(findings(&target.join("\n")).len(), 1);
    }

    #[test]
    fn tests_may_depend_on_anything() {
        let dev =
            "[package]\nname = \"impinge-geom\"\n[dev-dependencies]\nimpinge.workspace = true\n";
        assert!(findings(dev).is_empty());
        assert!(findings("[workspace]\n").is_empty());
    }

    #[test]
    fn serde_stays_in_scene_and_cli() {
        let serde =
            |name: &str| format!("[package]\nname = \"{name}\"\n[dependencies]\nserde = \"1\"\n");
        assert_eq!(findings(&serde("impinge-geom")).len(), 1);
        assert!(findings(&serde("impinge-scene")).is_empty());
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        assert_eq!(findings("[package]\nname = \"impinge-new\"\n").len(), 1);
    }
}
