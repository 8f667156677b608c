//! `impinge check --motions` from outside: first contacts, formats, streams, bad input.

use crate::program::{Folder, Run, argument, feed, run, tetrahedron};
use serde_json::{Value, json};

/// Unit boxes, the second one from 5 to −5 along x: they touch first at 0.4.
const THROUGH: &str = "1 0 0 0 5 0 0  1 0 0 0 -5 0 0\n";
/// Half in the other one, and out of it.
const OUT: &str = "1 0 0 0 0.5 0 0  1 0 0 0 5 0 0\n";
/// Three away from it all the way.
const PAST: &str = "1 0 0 0 5 4 0  1 0 0 0 -5 4 0\n";
const BOXES: [&str; 2] = ["sample:box?x=1&y=1&z=1", "sample:box"];

fn check(more: &[&str]) -> Run {
    run(&[&["check"], more].concat())
}

fn ask(file: &str, more: &[&str]) -> Run {
    check(&[&BOXES[..], &["--motions", file, "--format", "json"], more].concat())
}

/// The answer for the two bodies in each line but the summary.
fn pairs(run: &Run) -> Vec<Value> {
    let lines = run.json();
    lines[..lines.len() - 1].iter().map(|line| line["pairs"][0].clone()).collect()
}

fn time(pair: &Value) -> [f64; 2] {
    [0, 1].map(|end| pair["time"][end].as_f64().expect("a hit has a time"))
}

#[test]
fn the_first_contact_is_told() {
    let folder = Folder::new();
    let file = folder.file("ways.txt", format!("{THROUGH}# a comment\n{OUT}\n{PAST}"));
    // Points in voxels are no faces, and are right to a voxel only; so are pixels. They have tests of their own.
    for engine in impinge::narrow::names().filter(|&name| !["voxel", "r98-recode"].contains(&name))
    {
        let done = ask(&file, &["--engine", engine]);
        assert_eq!((done.code, done.err.as_str()), (1, ""), "{engine}");
        let [through, out, past] = &pairs(&done)[..] else { panic!("{}", done.out) };
        assert_eq!([&through["verdict"], &through["kind"]], ["hit", "surface"]);
        let [from, to] = time(through);
        assert!(from <= 0.4 + 1e-9 && 0.4 - 1e-9 <= to, "{engine} {from} {to}");
        for list in ["faces", "triangles", "contacts"] {
            assert!(through[list].as_array().is_some_and(|list| !list.is_empty()), "{through}");
        }
        // What touches at the start says so, with all its faces.
        assert_eq!([&out["verdict"], &out["kind"]], ["hit", "surface"]);
        assert_eq!((time(out), &out["features"]), ([0.0, 0.0], &Value::Null));
        assert!(out["triangles"].as_array().is_some_and(|list| list.len() > 4), "{out}");
        assert_eq!(
            out["triangles"].as_array().map(Vec::len),
            out["contacts"].as_array().map(Vec::len)
        );
        assert_eq!((&past["verdict"], &past["time"]), (&json!("free"), &Value::Null));
        let summary = &done.json()[3]["summary"];
        assert_eq!([&summary["queries"], &summary["hits"], &summary["free"]], [3, 2, 1]);
    }
}

#[test]
fn the_features_that_meet_are_told() {
    let folder = Folder::new();
    let [a, b] = ["A.obj", "B.obj"].map(|name| folder.file(name, tetrahedron([0.0; 3])));
    // The corner of B comes to the middle of the slope of A, a third along each axis.
    let file = folder.file("ways.txt", "1 0 0 0 2 2 2  1 0 0 0 0 0 0\n");
    let arguments = [&a, &b, "--motions", &file, "--tolerance", "1e-9"];
    let done = check(&[&arguments[..], &["--format", "json"]].concat());
    let pair = &pairs(&done)[0];
    let [from, to] = time(pair);
    assert!(from <= 5.0 / 6.0 && 5.0 / 6.0 - from < 1e-8, "{pair}");
    assert!((to - 5.0 / 6.0).abs() < 1e-8, "{pair}");
    assert_eq!(pair["features"], json!({"a": {"face": 3}, "b": {"vertex": 0}}));
    assert_eq!(pair["faces"].as_array().map(Vec::len), Some(1));
    assert_eq!(pair["faces"][0][0], json!(3));
    let contact = &pair["contacts"][0];
    for k in 0..3 {
        let close = |field: &str, to: f64| (contact[field][k].as_f64().unwrap() - to).abs() < 1e-6;
        assert!(close("point", 1.0 / 3.0) && close("normal", f64::sqrt(1.0 / 3.0)), "{contact}");
    }
    let text = check(&arguments);
    assert!(
        text.out.contains("first contact at t = 0.83333, face 3 of A and vertex 0 of B, at (0.33")
    );
    let csv = check(&[&arguments[..], &["--format", "csv"]].concat());
    assert!(csv.out.trim_end().contains(",face 3,vertex 0,"), "{}", csv.out);
    let brief = check(&[&arguments[..], &["--want", "touching", "--format", "json"]].concat());
    let brief = &pairs(&brief)[0];
    assert_eq!((brief.get("faces"), &brief["features"]), (None, &pair["features"]));
}

#[test]
fn new_contacts_are_those_of_faces_that_do_not_touch_yet() {
    let folder = Folder::new();
    // A floor and a wall; a unit box slides on the floor to the wall, 2.5 of 4 away.
    let room =
        "v -9 -9 0\nv 20 -9 0\nv -9 30 0\nv 4 -9 -9\nv 4 30 -9\nv 4 0 30\nf 1 2 3\nf 4 5 6\n";
    let room = folder.file("room.obj", room);
    let file = folder.file("ways.txt", "1 0 0 0 1 0.5 0.5  1 0 0 0 5 0.5 0.5\n");
    let slide = |more: &[&str]| {
        let arguments = [&room, "sample:box", "--motions", &file, "--format", "json"];
        let done = check(&[&arguments[..], more].concat());
        assert_eq!((done.code, done.err.as_str()), (1, ""));
        pairs(&done).remove(0)
    };
    let first = slide(&[]);
    assert_eq!(time(&first), [0.0, 0.0]);
    assert!(first["faces"].as_array().unwrap().iter().all(|pair| pair[0] == json!(0)), "{first}");
    let new = slide(&["--new-contacts"]);
    let [from, to] = time(&new);
    assert!(from <= 0.625 && 0.625 - 1e-9 <= to && to - from < 1e-5, "{new}");
    assert_eq!((&new["faces"][0][0], new.get("features").is_some()), (&json!(1), true), "{new}");
}

#[test]
fn the_least_distance_is_told_with_its_time() {
    let folder = Folder::new();
    let file = folder.file("ways.txt", PAST);
    let done = ask(&file, &["--want", "clearance"]);
    let pair = &pairs(&done)[0];
    assert_eq!((done.code, &pair["verdict"]), (0, &json!("free")));
    let known = |field: &str| pair["clearance"][field].as_f64().unwrap();
    assert!(known("at_least") <= 3.0 && known("at_least") > 2.99, "{pair}");
    assert!(known("at_most") >= 3.0 - 1e-9 && known("at_most") < 3.01, "{pair}");
    // Side by side, they are from 0.4 to 0.6.
    let [from, to] = time(pair);
    assert!(0.39 < from && from <= to && to < 0.61, "{pair}");
    let near = ask(&file, &["--clearance", "3.5mm"]);
    assert_eq!((near.code, &pairs(&near)[0]["too_close"]), (1, &json!(true)));
    let far = ask(&file, &["--clearance", "2.5mm"]);
    assert_eq!((far.code, pairs(&far)[0].get("too_close")), (0, None));
}

#[test]
fn instants_are_looked_at_alone() {
    let folder = Folder::new();
    let file = folder.file("ways.txt", format!("{THROUGH}{PAST}"));
    let fine = ask(&file, &["--pseudo", "10"]);
    assert_eq!((fine.code, time(&pairs(&fine)[0])), (1, [0.3, 0.4]));
    let coarse = ask(&file, &["--pseudo", "1"]);
    assert_eq!((coarse.code, &pairs(&coarse)[0]["verdict"]), (0, &json!("free")));
    let near = ask(&file, &["--pseudo", "4", "--clearance", "3.5mm"]);
    assert_eq!((near.code, &pairs(&near)[1]["too_close"]), (1, &json!(true)));
    let gap = &pairs(&near)[1]["clearance"];
    assert!((gap["at_most"].as_f64().unwrap() - 3.0).abs() < 1e-9, "{gap}");
    let far = ask(&file, &["--pseudo", "4", "--clearance", "2.5mm"]);
    assert_eq!(pairs(&far)[1].get("too_close"), None);
}

#[test]
fn streams_shards_and_threads_give_the_same_lines() {
    let folder = Folder::new();
    let text: String = (0..40).map(|k| [THROUGH, OUT, PAST][k % 3]).collect();
    let file = folder.file("ways.txt", &text);
    let lines = |run: &Run| run.json().split_last().map(|(_, lines)| lines.to_vec()).unwrap();
    let whole = lines(&ask(&file, &["--threads", "1"]));
    assert_eq!(whole.len(), 40);
    assert_eq!(lines(&ask(&file, &["--threads", "2"])), whole);
    let arguments = [&["check"], &BOXES[..], &["--motions", "-", "--format", "json"]].concat();
    assert_eq!(lines(&feed(&arguments, &text)), whole);
    let shard = lines(&ask(&file, &["--shard", "1/3"]));
    assert_eq!(shard, whole.iter().skip(1).step_by(3).cloned().collect::<Vec<_>>());
    let free_first = folder.file("free.txt", format!("{PAST}{THROUGH}{OUT}"));
    let first = ask(&free_first, &["--first-hit"]);
    assert_eq!((first.code, first.json().len()), (1, 3));
    assert_eq!(first.json()[1]["verdict"], json!("hit"));
}

#[test]
fn people_and_tables_see_when() {
    let folder = Folder::new();
    let file = folder.file("ways.txt", format!("{THROUGH}{OUT}{PAST}"));
    let arguments = [&BOXES[..], &["--motions", &file, "--pseudo", "10"]].concat();
    let text = check(&arguments);
    for part in ["between t = 0.3 and 0.4: ", "at the start: ", "free", "2 hit, 1 free"] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    let csv = check(&[&arguments[..], &["--format", "csv"]].concat());
    let rows: Vec<Vec<&str>> = csv.out.lines().map(|row| row.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == 27), "{}", csv.out);
    assert_eq!(rows[0][17..21], ["time_from", "time_to", "feature_a", "feature_b"]);
    assert_eq!(rows[1][17..21], ["0.3", "0.4", "", ""]);
    assert_eq!(rows[2][17..21], ["0", "0", "", ""]);
    assert_eq!(rows[3][17..21], ["", "", "", ""]);
    let quiet = check(&[&arguments[..], &["-q"]].concat());
    assert_eq!(quiet.out, "query 0       hit\nquery 1       hit\nquery 2       free\n");
}

#[test]
fn a_part_off_the_middle_of_what_turns_moves_on_an_arc() {
    let folder = Folder::new();
    let part = "[[body]]\nname = \"NAME\"\nmesh = \"sample:box?x=0.2&y=0.2&z=0.2\"\n\
                pose = { translation = [X, Y, 0] }\n";
    let body = |name: &str, x: f64, y: f64| {
        part.replace("NAME", name).replace('X', &x.to_string()).replace('Y', &y.to_string())
    };
    let diagonal = 3.0 * std::f64::consts::FRAC_1_SQRT_2;
    // One peg where the arc passes, one where the chord does.
    let pegs = body("on-arc", diagonal, diagonal) + &body("on-chord", 1.5, 1.5);
    let pegs = folder.file("pegs.toml", pegs);
    let arm = folder.file("arm.toml", body("hub", 0.0, 0.0) + &body("tip", 3.0, 0.0));
    // A quarter turn about z.
    let file = folder.file("turn.txt", "1 0 0 0 0 0 0  1 0 0 1 0 0 0\n");
    let done = check(&[&pegs, &arm, "--motions", &file, "--pseudo", "90", "--format", "json"]);
    assert_eq!((done.code, done.err.as_str()), (1, ""));
    let found = &done.json()[0]["pairs"];
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!([&found[0]["a"], &found[0]["b"]], ["pegs/on-arc", "arm/tip"]);
    let [from, to] = time(&found[0]);
    assert!((0.44..0.5).contains(&from) && (0.44..0.5).contains(&to), "{from} {to}");
}

#[test]
fn what_is_shown_is_the_first_contact() {
    let folder = Folder::new();
    let file = folder.file("ways.txt", THROUGH);
    let out = argument(&folder.path("shown.ply"));
    let done = ask(&file, &["--pseudo", "10", "--export", &out]);
    assert_eq!((done.code, done.err.as_str()), (1, ""));
    let info = run(&["info", &out, "--format", "json"]);
    let max = info.json()[0]["bounds"][1][0].as_f64();
    // At 0.4 the second box is from 0.5 to 1.5.
    assert!(max.is_some_and(|x| (x - 1.5).abs() < 1e-5), "{}", info.out);
    // What moves past is shown where it ends.
    let past = folder.file("past.txt", PAST);
    assert_eq!(ask(&past, &["--export", &out]).code, 0);
    let info = run(&["info", &out, "--format", "json"]);
    let min = info.json()[0]["bounds"][0][0].as_f64();
    assert!(min.is_some_and(|x| (x + 5.5).abs() < 1e-5), "{}", info.out);
}

#[test]
fn what_a_budget_leaves_open_is_unknown_and_says_when() {
    let folder = Folder::new();
    let file = folder.file("ways.txt", THROUGH);
    let done = ask(&file, &["--budget", "0work"]);
    let pair = &pairs(&done)[0];
    assert_eq!((done.code, &pair["verdict"]), (3, &json!("unknown")), "{pair}");
    let known = &pair["clearance"];
    // The boxes overlap on the way, and the ends are four apart.
    assert_eq!(known["at_least"].as_f64(), Some(0.0));
    assert!(known["at_most"].as_f64().is_some_and(|most| most >= 4.0), "{known}");
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
    let good = folder.file("ways.txt", THROUGH);
    let with = |name: &str, text: &str| ask(&folder.file(name, text), &[]);
    let pose = "1 0 0 0 1 2 3\n";
    refused(&with("short.txt", &format!("{OUT}{pose}")), &["short.txt:2", "7 numbers", "fourteen"]);
    let zero = "0 0 0 0 1 2 3 1 0 0 0 1 2 3\n";
    refused(&with("zero.txt", zero), &["zero.txt:1", "the start is no pose", "quaternion"]);
    refused(&with("word.txt", "1 0 0 0 x"), &["word.txt:1", "`x` is no number"]);
    refused(&with("empty.txt", "# nothing\n"), &["empty.txt", "no motions"]);
    refused(&ask(&argument(&folder.path("absent.txt")), &[]), &["absent.txt", "no such file"]);
    refused(&ask(&good, &["--tolerance", "0"]), &["--tolerance", "above 0"]);
    refused(&ask(&good, &["--pseudo", "0"]), &["--pseudo", "from 1"]);
    let ply = folder.file("ways.ply", THROUGH);
    refused(&ask(&ply, &["--export", &ply]), &["--export", "input"]);
    // Options that do not go together are told by the usage.
    let poses = folder.file("poses.txt", pose);
    let with_motions = ["--motions", good.as_str()];
    for options in [
        &["--poses", &poses, "--motions", &good][..],
        &["--pseudo", "3"],
        &["--tolerance", "0.1"],
        &["--new-contacts"],
        &["--shard", "0/2"],
        &[&with_motions[..], &["--separate"]].concat(),
        &[&with_motions[..], &["--pseudo", "3", "--tolerance", "0.1"]].concat(),
        &[&with_motions[..], &["--pseudo", "3", "--new-contacts"]].concat(),
    ] {
        let done = check(&[&BOXES[..], options].concat());
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{options:?}");
        assert!(done.err.contains("--"), "{}", done.err);
    }
}
