//! `impinge check --volume` from outside: how much space bodies share, in all formats.

use crate::program::{Folder, Run, cup, run};
use serde_json::Value;

const BOXES: [&str; 4] = ["check", "sample:box", "sample:box?x=2&y=2&z=2", "--volume"];

fn json(more: &[&str]) -> Vec<Value> {
    run(&[&BOXES[..], &["--format", "json"], more].concat()).json()
}

fn poses(folder: &Folder) -> String {
    // A corner of half its length, inside, a face on a face, apart.
    let lines = ["1.25 1.25 1.25", "0.2 0.1 -0.3", "1.5 0 0", "4 0 0"];
    folder.file("poses.txt", lines.map(|line| format!("1 0 0 0 {line}\n")).concat())
}

#[test]
fn every_pair_is_told_how_much_it_shares() {
    let folder = Folder::new();
    let poses = poses(&folder);
    let lines = json(&["--poses", &poses]);
    let number = |k: usize, field: &str| lines[k]["pairs"][0]["volume"][field].as_f64().unwrap();
    for (k, truth) in [(0, 1.0 / 64.0), (1, 1.0), (2, 0.0), (3, 0.0)] {
        let (low, high, about) =
            (number(k, "at_least"), number(k, "at_most"), number(k, "estimate"));
        assert!(low <= truth && truth <= high, "{}", lines[k]);
        assert!(low <= about && about <= high, "{}", lines[k]);
        // Along the rim of what they share pixels are half in and half out.
        assert!(high - low < 0.02 * truth + 1e-9, "{}", lines[k]);
        assert!((about - truth).abs() < 1e-6 * truth + 1e-9, "{}", lines[k]);
    }
    assert_eq!(lines[1]["pairs"][0]["kind"], "inside");
    assert_eq!((number(3, "at_least"), number(3, "at_most")), (0.0, 0.0));
    // Only when it is asked for, and coarser if that is.
    let without = run(&[&BOXES[..3], &["--format", "json"]].concat()).json();
    assert!(without[0]["pairs"][0]["volume"].is_null());
    let balls = ["check", "sample:sphere", "sample:sphere?radius=1.2", "--format", "json"];
    let width = |n: &str| {
        let line = &run(&[&balls[..], &["--volume", "--volume-resolution", n]].concat()).json()[0];
        let volume = &line["pairs"][0]["volume"];
        volume["at_most"].as_f64().unwrap() - volume["at_least"].as_f64().unwrap()
    };
    assert!(0.0 < width("256") && width("256") < 0.3 * width("32"));
}

#[test]
fn people_and_tables_get_it_too() {
    let folder = Folder::new();
    let poses = poses(&folder);
    let short = run(&[&BOXES[..], &["--poses", &poses]].concat());
    assert_eq!(short.code, 1);
    assert!(short.out.contains("share about 0.015625 mm³"), "{}", short.out);
    assert!(short.out.contains("is inside box-2; share about 1 mm³, 0.98"), "{}", short.out);
    // As they stand; in the unit that people asked in.
    let metres = run(&[&BOXES[..], &["--units", "m", "--clearance", "1mm"]].concat());
    assert!(metres.out.contains("share about 1e9 mm³"), "{}", metres.out);
    let csv = run(&[&BOXES[..], &["--poses", &poses, "--format", "csv"]].concat()).out;
    let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0][24..], ["volume_at_least", "volume_at_most", "volume_estimate"]);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    assert!(rows[1][24..].iter().all(|x| x.starts_with("0.015")), "{csv}");
    assert_eq!(rows[4][24..], ["0"; 3], "{csv}");
}

#[test]
fn what_is_open_has_none_and_that_is_said() {
    let folder = Folder::new();
    let cup = folder.file("cup.obj", cup());
    for (other, verdict) in [("sample:box?x=9", "hit"), ("sample:box", "free")] {
        let check = ["check", &cup, other, "--volume"];
        let line = &run(&[&check[..], &["--format", "json"]].concat()).json()[0];
        let pair = &line["pairs"][0];
        assert!(pair["verdict"] == verdict && pair["volume"].is_null(), "{pair}");
        assert_eq!(pair["no_volume"], serde_json::json!(["cup"]));
        let text = run(&check).out;
        assert!(text.contains("no volume, for no part of cup is closed"), "{text}");
    }
    // A body against itself is not asked about.
    let itself = run(&["check", &cup, "--self", "--volume", "--format", "json"]).json();
    assert!(itself[0]["pairs"][0]["no_volume"].is_null(), "{}", itself[0]);
}

#[test]
fn where_a_budget_left_it_open_no_distance_is_told_of_what_overlaps() {
    let folder = Folder::new();
    let poses = folder.file("poses.txt", "1 0 0 0 0.5 0 0\n1 0 0 0 1.4 0.2 0\n");
    let balls = ["check", "sample:sphere", "sample:sphere?radius=0.5", "--engine", "image"];
    let check = [&balls[..], &["--budget", "1work", "--poses", &poses]].concat();
    let lines = run(&[&check[..], &["--format", "json"]].concat()).json();
    assert!(lines.iter().take(2).all(|line| line["pairs"][0]["clearance"].is_object()));
    let told = run(&[&check[..], &["--volume", "--format", "json"]].concat());
    let pair = &told.json()[0]["pairs"][0];
    assert!(told.code == 3 && pair["verdict"] == "unknown", "{pair}");
    assert!(pair["volume"]["at_least"].as_f64() > Some(0.0) && pair["clearance"].is_null());
    let text = run(&[&check[..], &["--volume"]].concat()).out;
    assert!(text.contains("not decided, but they overlap; share about "), "{text}");
}

#[test]
fn bad_values_are_refused() {
    let refused = |more: &[&str], part: &str| {
        let Run { code, out, err } = run(&[&BOXES[..], more].concat());
        assert!(code == 2 && out.is_empty() && err.contains(part), "{err}");
    };
    for bad in ["0", "1025", "-5", "many", "3.5"] {
        refused(&["--volume-resolution", bad], "a whole number from 1 to 1024");
    }
    refused(&["--motions", "x.txt"], "cannot be used with");
    let alone = run(&["check", "sample:box", "sample:box", "--volume-resolution", "9"]);
    assert!(alone.code == 2 && alone.err.contains("--volume"), "{}", alone.err);
}
