//! `impinge bench`: what is told of a run, and bad input.

use crate::program::{Folder, Run, argument, run};
use serde_json::Value;

/// Two bodies that come closer by 10 a frame and overlap in frames 3 to 6, and one far away.
const FILE: &str =
    "3 11 200 8388608\n20 100 100 10 0 0\n73 100 100 0 0 0 # stays\n180 20 20 0 4 0\n";

fn nbody(more: &[&str]) -> Run {
    run(&[&["bench", "nbody"], more].concat())
}

#[test]
fn pairs_of_each_frame_are_those_of_the_boxes() {
    let folder = Folder::new();
    let file = folder.file("three.txt", FILE);
    let answers = argument(&folder.path("answers.txt"));
    for pruner in impinge::broad::names() {
        let done = nbody(&[
            &file,
            "--pruner",
            pruner,
            "--frames",
            "9",
            "--answers",
            &answers,
            "--format",
            "json",
        ]);
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{pruner}");
        let line = &done.json()[0];
        let number = |name: &str| line[name].as_u64();
        assert_eq!([number("n"), number("frames"), number("pairs")], [Some(3), Some(9), Some(4)]);
        assert_eq!(number("threads"), Some(1));
        assert_eq!([&line["pruner"], &line["progress"]], [pruner, "complete"]);
        let ms = |name: &str| line[name].as_f64().unwrap();
        assert!(ms("min_ms") <= ms("median_ms") && ms("median_ms") <= ms("worst_ms"), "{line}");
        assert!(ms("min_ms") <= ms("mean_ms") && ms("first_ms") >= 0.0, "{line}");
        assert!(ms("bytes_per_body") >= 0.0);
        let written = std::fs::read_to_string(&answers).unwrap();
        assert_eq!(written, "0\n0\n0\n1\n1\n1\n1\n0\n0\n", "{pruner}");
    }
}

#[test]
fn samples_give_the_same_pairs_whatever_the_pruner_and_the_threads() {
    for kind in impinge_samples::nbody::Kind::ALL {
        let sample = format!("sample:nbody?n=400&density=0.1&kind={}", kind.name());
        let mut seen: Option<Value> = None;
        for pruner in impinge::broad::names() {
            for threads in ["1", "2"] {
                let options = ["--pruner", pruner, "--threads", threads, "--frames", "5"];
                let done =
                    nbody(&[&[sample.as_str()][..], &options, &["--format", "json"]].concat());
                assert_eq!(done.code, 0, "{}", done.err);
                let pairs = done.json()[0]["pairs"].clone();
                assert_eq!(seen.get_or_insert_with(|| pairs.clone()), &pairs, "{pruner} {kind:?}");
            }
        }
        assert!(seen.and_then(|pairs| pairs.as_u64()) > Some(0), "{kind:?}");
    }
}

#[test]
fn people_and_tables_get_the_same_figures() {
    let text = nbody(&["sample:nbody?n=100", "--frames", "3"]);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    for part in ["100 bodies, 3 frames, pruner auto, 1 thread", "ms per frame", "pairs per frame"] {
        assert!(text.out.contains(part), "{}", text.out);
    }
    let csv = nbody(&["sample:nbody?n=100", "--frames", "3", "--format", "csv"]);
    let rows: Vec<Vec<&str>> = csv.out.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0].len(), rows[1].len()), (2, 12, 12), "{}", csv.out);
    assert_eq!(rows[1][..2], ["100", "3"]);
}

#[test]
fn more_pairs_than_allowed_are_told() {
    let limited = ["sample:nbody?n=200&density=5", "--pair-limit", "7", "--frames", "2"];
    let done = nbody(&[&limited[..], &["--format", "json"]].concat());
    assert_eq!(done.code, 3);
    let line = &done.json()[0];
    assert_eq!((&line["progress"], &line["pairs"]), (&Value::from("limit"), &Value::from(14)));
    assert!(nbody(&limited).out.contains("--pair-limit"));
}

/// Exit code 2, one line of error that holds all `parts`, no output.
fn refused(run: &Run, parts: &[&str]) {
    assert_eq!((run.code, run.out.as_str()), (2, ""), "stderr: {}", run.err);
    assert!(run.err.starts_with("error: ") && run.err.lines().count() == 1, "{}", run.err);
    assert!(parts.iter().all(|part| run.err.contains(part)), "{parts:?}: {}", run.err);
}

#[test]
fn bad_input_is_one_message() {
    let folder = Folder::new();
    for (name, content, parts) in [
        ("empty.txt", "", &["empty.txt:1", "N r M S"][..]),
        ("word.txt", "2 1 x 4\n", &["word.txt:1", "`x`", "room's side"]),
        ("cut.txt", "2 1 9 4\n1 1 1 0 0 0\n", &["cut.txt:3", "body 1 of 2"]),
        ("short.txt", "1 1 9 4\n1 1 1 0 0\n", &["short.txt:2", "vz"]),
        ("real.txt", "1 1 9 4\n1 1 1 0 0 0.5\n", &["real.txt:2", "`0.5`", "whole number"]),
        ("long.txt", "1 1 9 4\n1 1 1 0 0 0\n1 1 1 0 0 0\n", &["long.txt:3", "1 bodies"]),
        ("radius.txt", "1 9 9 4\n1 1 1 0 0 0\n", &["radius.txt:1", "from 18"]),
        ("promise.txt", "16777216 1 9 4\n", &["promise.txt:2", "body 0 of 16777216"]),
    ] {
        refused(&nbody(&[&folder.file(name, content)]), parts);
    }
    let file = folder.file("three.txt", FILE);
    refused(&nbody(&[&argument(&folder.path("absent.txt"))]), &["absent.txt", "no such file"]);
    refused(&nbody(&[&argument(&folder.path(""))]), &["directory"]);
    refused(&nbody(&[""]), &["FILE", "empty"]);
    refused(&nbody(&["sample:nbody?kind=round"]), &["round", "known are uniform"]);
    refused(&nbody(&["sample:sphere"]), &["sphere", "known are nbody"]);
    refused(&nbody(&[&file, "--frames", "0"]), &["--frames", "from 1"]);
    refused(&nbody(&[&file, "--frames", "-3"]), &["--frames", "from 1"]);
    refused(&nbody(&[&file, "--pair-limit", "0"]), &["--pair-limit", "from 1"]);
    refused(&nbody(&[&file, "--pruner", "brut"]), &["brut", "known are auto, brute"]);
    refused(&nbody(&[&file, "--answers", &file]), &["--answers", "input"]);
    refused(&nbody(&[&file, "--answers", "no/such/folder/x"]), &["--answers", "folder"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), FILE);
    for arguments in [&["bench"][..], &["bench", "nbody"], &["bench", "many"]] {
        assert_eq!(run(arguments).code, 2);
    }
}

#[test]
fn deforming_bodies_are_timed_and_counted() {
    let folder = Folder::new();
    let answers = argument(&folder.path("pairs.txt"));
    let knot = "sample:torus-knot?segments=30&sides=10";
    let counted = |engine: &str| {
        let more = ["--frames", "9", "--format", "json", "--answers", &answers];
        let done = run(&[&["bench", "deform", knot, knot, "--engine", engine], &more[..]].concat());
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{engine}");
        let line = &done.json()[0];
        assert_eq!([line["n"].as_u64(), line["frames"].as_u64()], [Some(1200), Some(9)]);
        assert!(line["min_ms"].as_f64() > Some(0.0) && line["stream_ms"].as_f64() > Some(0.0));
        let counts = std::fs::read_to_string(&answers).expect("one number per frame");
        let sum: u64 = counts.lines().map(|count| count.parse::<u64>().expect("a number")).sum();
        assert_eq!(line["pairs"].as_u64(), Some(sum));
        counts
    };
    let counts = counted("octree");
    // The ninth frame is the first again.
    assert_eq!(counts.lines().next(), counts.lines().nth(8));
    assert_eq!(counts, counted("bvh"));
    let alone = run(&["bench", "deform", "sample:sphere?faces=320"]);
    assert_eq!(alone.code, 2, "{}", alone.out);
    assert!(alone.err.contains("--self"), "{}", alone.err);
}
