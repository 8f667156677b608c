//! `impinge bench motions` and `make-motions`: what is told of a run, and bad input.

use crate::program::{Folder, Run, argument, run, tetrahedron};
use serde_json::Value;

const BOXES: [&str; 2] = ["sample:box", "sample:box"];
/// Unit boxes: a contact at 0.4, one at the start, none.
const MOTIONS: &str = "1 0 0 0 5 0 0  1 0 0 0 -5 0 0\n# and\n\n1 0 0 0 0.5 0 0  1 0 0 0 5 0 0\n\
                       1 0 0 0 5 4 0  1 0 0 0 -5 4 0\n";

fn motions(more: &[&str]) -> Run {
    run(&[&["bench", "motions"], more].concat())
}

fn make(more: &[&str]) -> Run {
    run(&[&["bench", "make-motions"], more].concat())
}

#[test]
fn figures_and_answers_are_told_for_each_engine() {
    let folder = Folder::new();
    let file = folder.file("ways.txt", MOTIONS);
    let answers = argument(&folder.path("answers.txt"));
    for engine in impinge::narrow::names() {
        let input = [&BOXES[..], &["--motions", &file, "--repeat", "2"]].concat();
        let more = ["--engine", engine, "--answers", &answers, "--tolerance", "1e-7"];
        let done = motions(&[&input[..], &more, &["--format", "json"]].concat());
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{engine}");
        let line = &done.json()[0];
        let number = |name: &str| line[name].as_u64();
        assert_eq!([number("queries"), number("passes")], [Some(3), Some(2)]);
        assert_eq!(
            [number("hits"), number("pairs"), number("unknown")],
            [Some(2), Some(0), Some(0)]
        );
        assert_eq!((number("threads"), &line["engine"]), (Some(1), &Value::from(engine)));
        let real = |name: &str| line[name].as_f64().unwrap();
        assert_eq!(real("tolerance"), 1e-7);
        assert!(0.0 < real("min_us") && real("min_us") <= real("median_us"), "{line}");
        assert!(real("worst_query_us") > 0.0 && real("build_ms") > 0.0, "{line}");
        assert!(real("bytes_per_triangle") > 0.0, "{line}");
        let written = std::fs::read_to_string(&answers).unwrap();
        let written: Vec<f64> = written.lines().map(|line| line.parse().unwrap()).collect();
        assert!(written.len() == 3 && written[0] <= 0.4 + 1e-9, "{written:?}");
        assert_eq!(written[1..], [0.0, 1.0]);
    }
}

#[test]
fn people_and_tables_get_the_same_figures() {
    let folder = Folder::new();
    let file = folder.file("ways.txt", MOTIONS);
    let input = [&BOXES[..], &["--motions", &file, "--repeat", "3"]].concat();
    let text = motions(&input);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    for part in ["first contact, 3 motions, engine auto, 1 thread", "3 passes", "2 of 3 touch\n"] {
        assert!(text.out.contains(part), "{}", text.out);
    }
    let csv = motions(&[&input[..], &["--format", "csv", "--threads", "2"]].concat());
    let rows: Vec<Vec<&str>> = csv.out.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0].len(), rows[1].len()), (2, 15, 15), "{}", csv.out);
    assert_eq!((&rows[1][..4], rows[1][9]), (&["3", "2", "0", "3"][..], "2"));
}

#[test]
fn made_motions_depend_on_the_seed_alone() {
    let folder = Folder::new();
    let mesh = folder.file("tetrahedron.obj", tetrahedron([0.0; 3]));
    let made = |seed: &str, threads: &str| {
        let out = argument(&folder.path(&format!("{seed}-{threads}.txt")));
        let more = ["--count", "20", "--seed", seed, "--threads", threads, "--out", &out];
        let angle = ["--angle", "3.14", "--format", "json"];
        let done = make(&[&[mesh.as_str(), "sample:box"][..], &more, &angle].concat());
        assert_eq!((done.code, done.err.as_str()), (0, ""));
        let line = &done.json()[0];
        let number = |name: &str| line[name].as_u64().unwrap();
        assert_eq!(number("motions"), 20);
        assert!((5..20).contains(&number("touching")), "{line}");
        (std::fs::read_to_string(&out).unwrap(), out)
    };
    let (first, path) = made("7", "1");
    assert_eq!(made("7", "2").0, first);
    assert_ne!(made("8", "1").0, first);
    // Other programs read nothing but numbers.
    let words: Vec<&str> = first.split_whitespace().collect();
    assert_eq!((first.lines().count(), words.len()), (20, 280));
    assert!(words.iter().all(|word| word.parse::<f64>().is_ok()));
    let answers = argument(&folder.path("answers.txt"));
    let asked = ["--motions", &path, "--answers", &answers, "--repeat", "1"];
    let done = motions(&[&[mesh.as_str(), "sample:box"][..], &asked].concat());
    assert!(done.code == 0 || done.code == 3, "{}", done.err);
    assert_eq!(std::fs::read_to_string(&answers).unwrap().lines().count(), 20);
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
    let file = folder.file("ways.txt", MOTIONS);
    let with = |more: &[&str]| motions(&[&BOXES[..], &["--motions", &file], more].concat());
    refused(&with(&["--tolerance", "2"]), &["--tolerance", "at most 1"]);
    refused(&with(&["--engine", "brut"]), &["brut", "known are auto"]);
    refused(&with(&["--answers", &file]), &["--answers", "input"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), MOTIONS);
    let at = |file: &str| motions(&[&BOXES[..], &["--motions", file]].concat());
    refused(&at(&folder.file("empty.txt", "# nothing\n")), &["empty.txt", "no motions"]);
    refused(&at("-"), &["no motions"]);
    refused(&at(&folder.file("pose.txt", "1 0 0 0 1 2 3\n")), &["pose.txt:1", "7 numbers"]);
    let out = argument(&folder.path("out.txt"));
    let made = |more: &[&str]| make(&[&BOXES[..], &["--out", &out], more].concat());
    refused(&made(&["--angle", "4"]), &["--angle", "from 0 to 3.14"]);
    refused(&made(&["--count", "0"]), &["--count"]);
    let mesh = folder.file("mesh.obj", tetrahedron([0.0; 3]));
    refused(&make(&[&mesh, "sample:box", "--out", &mesh]), &["--out", "input"]);
    assert_eq!(run(&["bench", "motions", "sample:box", "sample:box"]).code, 2);
}
