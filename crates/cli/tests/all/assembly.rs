//! `impinge check` on assemblies: the built-in one through a GLB file, whose findings are known, and
//! real ones as they come.

use crate::program::{Folder, argument, run};
use impinge_samples::assembly::{Assembly, Known, Params, Relation};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The assembly and the name of a GLB file of it.
fn exported(folder: &Folder, parts: u32) -> (Assembly, String) {
    let made = Assembly::new(&Params { parts, faces: 1, seed: 1 }).expect("an assembly");
    let file = argument(&folder.path("machine.glb"));
    let sample = format!("assembly?parts={parts}&faces=1");
    assert_eq!(run(&["samples", &sample, "--export", &file]).code, 0);
    (made, file)
}

#[test]
fn a_glb_of_many_parts_has_the_findings_that_are_known() {
    let folder = Folder::new();
    let (made, file) = exported(&folder, 70);
    let found = run(&["check", &file, "--clearance", "1mm", "--format", "json"]);
    assert_eq!((found.code, found.err.as_str()), (1, ""));
    let lines = found.json();
    let pairs = lines[0]["pairs"].as_array().expect("a list");
    assert_eq!(pairs.len(), made.known.len());
    for (pair, Known { pair: [a, b], relation }) in pairs.iter().zip(&made.known) {
        let names = [*a, *b].map(|part| made.scene.parts[part].name.as_str());
        assert_eq!([&pair["a"], &pair["b"]], names);
        // In metres and single precision; clearances keep their digits.
        let gap = pair["clearance"]["at_most"].as_f64().map(|metres| metres * 1e3);
        let (kind, close) = (&pair["kind"], &pair["too_close"]);
        match relation {
            Relation::Clash | Relation::Touch => assert_eq!(kind, "surface", "{pair}"),
            Relation::Inside => assert_eq!((kind, &pair["inner"]), (&"inside".into(), &pair["b"])),
            Relation::Gap { at_least, at_most } => {
                let gap = gap.expect("a clearance");
                assert!((at_least - 1e-4..at_most + 1e-4).contains(&gap), "{pair}");
                assert_eq!(close, true);
            }
        }
    }
    // All gaps are wider than this, so only what touches is left.
    let tight = run(&["check", &file, "--clearance", "10um", "--format", "json"]).json();
    let is_gap = |known: &&Known| matches!(known.relation, Relation::Gap { .. });
    let gaps = made.known.iter().filter(is_gap).count();
    let hits = tight[0]["pairs"].as_array().map(Vec::len);
    assert_eq!(hits, Some(made.known.len() - gaps));
}

#[test]
fn many_findings_are_told_in_a_short_text() {
    let folder = Folder::new();
    let (made, file) = exported(&folder, 132);
    let text = run(&["check", &file, "--clearance", "1mm"]).out;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("132 bodies, ") && lines[0].ends_with(", lengths in mm"));
    let is_gap = |known: &&Known| matches!(known.relation, Relation::Gap { .. });
    let gaps = made.known.iter().filter(is_gap).count();
    for (name, count) in [("touching", made.known.len() - gaps), ("too close", gaps)] {
        let head = format!("{name}: {count} pairs");
        let at = lines.iter().position(|line| *line == head).unwrap_or_else(|| panic!("{text}"));
        let rest = format!("  … and {} more (all with --format json)", count - 40);
        assert_eq!(lines[at + 41], rest, "{text}");
    }
    // The worst first: what is inside, and the smallest gap.
    let after = |name: &str| {
        let at = lines.iter().position(|line| line.starts_with(name)).expect("a head");
        &lines[at + 1..at + 41]
    };
    assert!(after("touching")[0].ends_with("insert-1 is inside boss-1"), "{text}");
    let gap = |line: &&str| -> f64 {
        let (before, after) = line.split_once(" mm apart at (").expect("a gap");
        assert!(after.ends_with(", 1 mm needed"), "{line}");
        before.rsplit(' ').next().and_then(|gap| gap.parse().ok()).expect("a number")
    };
    let gaps: Vec<f64> = after("too close").iter().map(gap).collect();
    assert!(gaps.is_sorted() && gaps[0] < 0.07, "{text}");
    let last = lines.last().expect("a last line");
    assert!(last.starts_with("looked at ") && last.contains("; read in "), "{last}");
}

#[test]
fn threads_do_not_change_the_findings() {
    let folder = Folder::new();
    let (_, file) = exported(&folder, 40);
    let found = |threads: &str| {
        let mut lines =
            run(&["check", &file, "--clearance", "1mm", "--format", "json", "--threads", threads])
                .json();
        let summary = lines.last_mut().expect("a summary")["summary"].as_object_mut();
        summary.and_then(|summary| summary.remove("seconds")).expect("a time");
        lines
    };
    let one = found("1");
    assert_eq!(one, found("2"));
    assert_eq!(one, found("5"));
}

fn meshes_in(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| {
        let extension = file.extension().map(|e| e.to_ascii_lowercase());
        extension.is_some_and(|e| ["stl", "obj", "off"].iter().any(|known| e == *known))
    });
    files.sort();
    files
}

#[test]
fn real_assemblies_are_checked_without_trouble() {
    let Some(data) = std::env::var_os("IMPINGE_DATA") else {
        println!("skipped: IMPINGE_DATA is not set");
        return;
    };
    let data = Path::new(&data);
    let mut folders: Vec<PathBuf> = ["092-piston", "140-punching-press", "gears", "screw-and-nut"]
        .map(|name| data.join("assemblies").join(name))
        .to_vec();
    folders.push(data.join("polygon-soup"));
    for folder in folders {
        let files = meshes_in(&folder);
        let mut arguments = vec!["check", "--clearance", "1mm", "--format", "json"];
        arguments.extend(files.iter().map(|file| file.to_str().expect("names are UTF-8")));
        let found = run(&arguments);
        assert!([0, 1].contains(&found.code), "{folder:?}: {} {}", found.code, found.err);
        let lines = found.json();
        let unknown = &lines.last().expect("a summary")["summary"]["unknown"];
        assert_eq!((lines.len(), unknown), (2, &Value::from(0)), "{folder:?}");
    }
}
