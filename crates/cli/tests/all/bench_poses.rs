//! `impinge bench poses` and `make-poses`: what is told of a run, and bad input.

use crate::program::{Folder, Run, argument, run, tetrahedron};
use serde_json::Value;

/// A unit box in the same place, overlapping, face to face, and half a unit away.
const POSES: &str =
    "1 0 0 0 0 0 0\n1 0 0 0 0.5 0 0 # in between\n\n1 0 0 0 1 0 0\n1 0 0 0 0 1.5 0\n";
const BOXES: [&str; 2] = ["sample:box", "sample:box"];

fn poses(more: &[&str]) -> Run {
    run(&[&["bench", "poses"], more].concat())
}

fn make(more: &[&str]) -> Run {
    run(&[&["bench", "make-poses"], more].concat())
}

#[test]
fn figures_and_answers_are_told_for_each_question_and_engine() {
    let folder = Folder::new();
    let file = folder.file("poses.txt", POSES);
    let answers = argument(&folder.path("answers.txt"));
    // Points in voxels are no faces, and are right to a voxel only; so are pixels. They have tests of their own.
    for engine in impinge::narrow::names().filter(|&name| !["voxel", "r98-recode"].contains(&name))
    {
        for want in ["touching", "pairs", "contacts", "clearance"] {
            let input = [&BOXES[..], &["--poses", &file, "--want", want]].concat();
            let more = ["--engine", engine, "--repeat", "2", "--answers", &answers];
            let done = poses(&[&input[..], &more, &["--format", "json"]].concat());
            assert_eq!((done.code, done.err.as_str()), (0, ""), "{engine} {want}");
            let line = &done.json()[0];
            let number = |name: &str| line[name].as_u64();
            assert_eq!([number("queries"), number("passes")], [Some(4), Some(2)]);
            assert_eq!([number("hits"), number("threads")], [Some(3), Some(1)]);
            assert_eq!(number("unknown"), Some(0));
            assert_eq!([&line["engine"], &line["want"]], [engine, want]);
            assert_eq!([&line["clock"], &line["cold"]], ["cpu", "no"]);
            let real = |name: &str| line[name].as_f64().unwrap();
            assert!(0.0 < real("min_us") && real("min_us") <= real("median_us"), "{line}");
            assert!(real("worst_query_us") > 0.0 && real("build_ms") > 0.0, "{line}");
            assert!(real("bytes_per_triangle") > 0.0, "{line}");
            let written = std::fs::read_to_string(&answers).unwrap();
            let written: Vec<f64> = written.lines().map(|line| line.parse().unwrap()).collect();
            match want {
                "touching" => assert_eq!(written, [1.0, 1.0, 1.0, 0.0]),
                "clearance" => {
                    assert_eq!(written[..3], [0.0; 3]);
                    assert!((written[3] - 0.5).abs() < 1e-12);
                }
                _ => {
                    assert!(written[..3].iter().all(|&pairs| pairs > 0.0) && written[3] == 0.0);
                    assert_eq!(real("pairs"), written.iter().sum::<f64>());
                }
            }
            assert_eq!(real("pairs") > 0.0, want == "pairs" || want == "contacts");
        }
    }
}

#[test]
fn threads_clocks_and_cold_caches_change_no_answer() {
    let folder = Folder::new();
    let file = folder.file("poses.txt", POSES);
    let options: [(&[&str], [&str; 2]); 5] = [
        (&["--threads", "2"], ["wall", "no"]),
        (&["--threads", "2", "--clock", "cpu"], ["cpu", "no"]),
        (&["--clock", "wall"], ["wall", "no"]),
        (&["--cold"], ["cpu", "query"]),
        (&["--cold=pass"], ["cpu", "pass"]),
    ];
    for (options, [clock, cold]) in options {
        let input = ["--poses", &file, "--want", "pairs", "--repeat", "1", "--format", "json"];
        let done = poses(&[&BOXES[..], &input, options].concat());
        assert_eq!(done.code, 0, "{}", done.err);
        let line = &done.json()[0];
        assert_eq!([&line["clock"], &line["cold"]], [clock, cold], "{options:?}");
        assert_eq!(line["hits"], Value::from(3));
        let threads = if options.contains(&"--threads") { 2 } else { 1 };
        assert_eq!(line["threads"], Value::from(threads));
    }
}

#[test]
fn people_and_tables_get_the_same_figures() {
    let folder = Folder::new();
    let file = folder.file("poses.txt", POSES);
    let input = [&BOXES[..], &["--poses", &file, "--repeat", "3"]].concat();
    let text = poses(&input);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    for part in ["touching, 4 poses, engine auto, 1 thread, cpu time", "3 passes", "3 of 4 touch"] {
        assert!(text.out.contains(part), "{}", text.out);
    }
    let csv = poses(&[&input[..], &["--format", "csv"]].concat());
    let rows: Vec<Vec<&str>> = csv.out.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0].len(), rows[1].len()), (2, 15, 15), "{}", csv.out);
    assert_eq!(rows[1][..4], ["4", "3", "0", "3"]);
}

#[test]
fn made_poses_are_half_touching_and_depend_on_the_seed_alone() {
    let folder = Folder::new();
    let mesh = folder.file("tetrahedron.obj", tetrahedron([0.0; 3]));
    let made = |seed: &str, threads: &str| {
        let out = argument(&folder.path(&format!("{seed}-{threads}.txt")));
        let more = ["--count", "10", "--seed", seed, "--threads", threads, "--out", &out];
        let done =
            make(&[&[mesh.as_str(), "sample:box"][..], &more, &["--format", "json"]].concat());
        assert_eq!((done.code, done.err.as_str()), (0, ""));
        let line = &done.json()[0];
        assert_eq!([&line["poses"], &line["touching"]], [&Value::from(10), &Value::from(5)]);
        (std::fs::read_to_string(&out).unwrap(), out)
    };
    let (first, path) = made("7", "1");
    assert_eq!(made("7", "2").0, first);
    assert_ne!(made("8", "1").0, first);
    // Other programs read nothing but numbers.
    let words: Vec<&str> = first.split_whitespace().collect();
    assert_eq!((first.lines().count(), words.len()), (10, 70));
    assert!(words.iter().all(|word| word.parse::<f64>().is_ok()));
    let answers = argument(&folder.path("answers.txt"));
    let asked = ["--poses", &path, "--answers", &answers, "--repeat", "1"];
    assert_eq!(poses(&[&[mesh.as_str(), "sample:box"][..], &asked].concat()).code, 0);
    assert_eq!(std::fs::read_to_string(&answers).unwrap(), "1\n0\n".repeat(5));
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
    let file = folder.file("poses.txt", POSES);
    let with = |more: &[&str]| poses(&[&BOXES[..], &["--poses", &file], more].concat());
    refused(&with(&["--repeat", "0"]), &["--repeat", "from 1"]);
    refused(&with(&["--seconds", "-1"]), &["--seconds", "number of seconds"]);
    refused(&with(&["--engine", "brut"]), &["brut", "known are auto"]);
    for unknown in ["--want=depth", "--cold=never", "--clock=sun"] {
        let done = with(&[unknown]);
        assert!(done.code == 2 && done.err.contains("possible values"), "{}", done.err);
    }
    refused(&with(&["--answers", &file]), &["--answers", "input"]);
    refused(&with(&["--answers", "no/such/folder/x"]), &["--answers", "folder"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), POSES);
    let at = |poses_file: &str| poses(&[&BOXES[..], &["--poses", poses_file]].concat());
    refused(&at(&folder.file("empty.txt", "# nothing\n")), &["empty.txt", "no poses"]);
    refused(&at("-"), &["no poses"]);
    refused(&at(&folder.file("short.txt", "1 0 0 0 1 2\n")), &["short.txt:1", "6 numbers"]);
    refused(&at(&argument(&folder.path("absent.txt"))), &["absent.txt", "no such file"]);
    let meshes = |a: &str, b: &str| poses(&[a, b, "--poses", &file]);
    refused(&meshes("sample:box", "sample:headlight"), &["headlight", "6 bodies"]);
    refused(&meshes("", "sample:box"), &["MESH", "empty"]);
    refused(&meshes("sample:box", "sample:bax"), &["bax", "known are"]);
    let pose = "pose = { translation = [1, 0, 0] }";
    let placed = format!("[[body]]\nname = \"a\"\nmesh = \"sample:box\"\n{pose}\n");
    refused(&meshes(&folder.file("one.toml", placed), "sample:box"), &["one.toml", "places"]);
    let out = argument(&folder.path("out.txt"));
    refused(&make(&["sample:box", "sample:box", "--out", &out, "--count", "0"]), &["--count"]);
    let mesh = folder.file("mesh.obj", tetrahedron([0.0; 3]));
    refused(&make(&[&mesh, "sample:box", "--out", &mesh]), &["--out", "input"]);
    assert_eq!(std::fs::read_to_string(&mesh).unwrap(), tetrahedron([0.0; 3]));
    for arguments in [&["bench", "poses", "sample:box"][..], &["bench", "poses"]] {
        assert_eq!(run(arguments).code, 2);
    }
}
