//! `impinge check` on bodies that deform, from outside: frames, what happens between them, bad input.

use crate::program::{Folder, Run, argument, run, tetrahedron};
use impinge_geom::mesh::Mesh;
use impinge_scene::frames::Frames;
use impinge_scene::mseq;
use serde_json::{Value, json};
use std::path::Path;

/// A triangle in the plane z = 0, wide around the origin.
const PLATE: &str = "v -20 -20 0\nv 20 -20 0\nv 0 30 0\nf 1 2 3\n";

fn check(more: &[&str]) -> Run {
    run(&[&["check"], more].concat())
}

fn ask(more: &[&str]) -> Run {
    check(&[more, &["--format", "json"]].concat())
}

/// The lines but the summary.
fn lines(run: &Run) -> Vec<Value> {
    let mut lines = run.json();
    assert!(lines.pop().is_some_and(|last| last["summary"].is_object()), "{}{}", run.out, run.err);
    lines
}

fn verdicts(run: &Run) -> Vec<String> {
    lines(run).iter().map(|line| line["verdict"].as_str().unwrap().to_owned()).collect()
}

/// Whether an interval holds a time and is narrow.
fn holds(time: &Value, at: f64) -> bool {
    let [from, to] = [0, 1].map(|end| time[end].as_f64().expect("a time"));
    from <= at + 1e-9 && at - 1e-9 <= to && to - from < 1e-5
}

/// A tetrahedron that goes from 2 above a plate to 3 below it, and back if it is asked for again.
fn falling(folder: &Folder) -> String {
    folder.file("plate.obj", PLATE);
    folder.file("fall_1.obj", tetrahedron([0.0, 0.0, 2.0]));
    folder.file("fall_2.obj", tetrahedron([0.0, 0.0, -3.0]));
    folder.file(
        "scene.toml",
        "[[body]]\nname = \"plate\"\nmesh = \"plate.obj\"\n\
         [[body]]\nname = \"fall\"\nframes = \"fall_*.obj\"\n",
    )
}

#[test]
fn what_passes_between_frames_is_found_on_its_way_only() {
    let folder = Folder::new();
    let scene = falling(&folder);
    // Points in voxels are no faces, and are right to a voxel only; so are pixels. They have tests of their own.
    for engine in impinge::narrow::names().filter(|&name| !["voxel", "r98-recode"].contains(&name))
    {
        let frames = ask(&[&scene, "--engine", engine]);
        assert_eq!((frames.code, frames.err.as_str()), (0, ""), "{engine}");
        assert_eq!(verdicts(&frames), ["free", "free"], "{engine}");
        let done = ask(&[&scene, "--between", "--want", "pairs", "--engine", engine]);
        assert_eq!((done.code, done.err.as_str()), (1, ""), "{engine}");
        let found = lines(&done);
        let [line] = &found[..] else { panic!("{}", done.out) };
        assert_eq!(line["query"], 0);
        let pair = &line["pairs"][0];
        assert_eq!([&pair["a"], &pair["b"], &pair["kind"]], ["plate", "fall", "surface"]);
        assert!(holds(&pair["time"], 0.4), "{engine} {pair}");
        assert_eq!(pair["features"]["a"], json!({"face": 0}), "{engine}");
        // Its three lower corners at once, and the upper one later.
        let meetings = pair["meetings"].as_array().expect("pairs were wanted");
        let expected = [(0, 0.4), (1, 0.4), (2, 0.4), (3, 0.6)];
        assert_eq!(meetings.len(), expected.len(), "{engine} {pair}");
        for (meeting, (vertex, at)) in meetings.iter().zip(expected) {
            assert_eq!(meeting["a"], json!({"face": 0}));
            assert_eq!(meeting["b"], json!({"vertex": vertex}));
            assert!(holds(&meeting["time"], at), "{meeting}");
        }
        // Who does not want them does not get them.
        let touching = ask(&[&scene, "--between", "--want", "touching", "--engine", engine]);
        assert_eq!(lines(&touching)[0]["pairs"][0]["meetings"], Value::Null, "{engine}");
    }
}

#[test]
fn people_and_tables_are_told_too() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let text = check(&[&scene, "--between"]);
    let told = ["first contact at t = 0.4, face 0 of plate and ", "4 pairs of features that meet"];
    assert!(told.iter().all(|part| text.out.contains(part)), "{}", text.out);
    let frames = check(&[&scene, "--clearance", "1.5mm"]);
    assert_eq!(frames.code, 0, "{}", frames.out);
    assert!(frames.out.contains("query 1       free"), "{}", frames.out);
    let close = check(&[&scene, "--clearance", "2.5mm", "-q"]);
    assert_eq!(
        (close.code, close.out.as_str()),
        (1, "query 0       too close\nquery 1       too close\n")
    );
    let csv = check(&[&scene, "--between", "--format", "csv"]);
    let rows: Vec<Vec<&str>> = csv.out.lines().map(|row| row.split(',').collect()).collect();
    let meetings = rows[0].iter().position(|name| *name == "meetings").unwrap();
    assert_eq!((rows.len(), rows[1][meetings]), (2, "4"), "{}", csv.out);
    // How near they come, frame by frame, and over the step.
    let gaps = lines(&ask(&[&scene, "--want", "clearance"]));
    for (line, gap) in gaps.iter().zip([2.0, 2.0]) {
        let clearance = &line["pairs"][0]["clearance"];
        assert!((clearance["at_most"].as_f64().unwrap() - gap).abs() < 1e-12, "{line}");
    }
}

#[test]
fn bodies_with_fewer_frames_start_again() {
    let folder = Folder::new();
    falling(&folder);
    for (frame, x) in [0.0, 50.0, 0.0].into_iter().enumerate() {
        // Where the falling one is in its first frame, far away, and there again.
        folder.file(&format!("slow_{frame}.obj"), tetrahedron([x, 0.0, 2.5]));
    }
    let scene = folder.file(
        "more.toml",
        "[[body]]\nname = \"slow\"\nframes = \"slow_*.obj\"\n\
         [[body]]\nname = \"fall\"\nframes = \"fall_*.obj\"\n",
    );
    let done = ask(&[&scene]);
    assert_eq!(verdicts(&done), ["hit", "free", "hit"], "{}", done.out);
    let between = lines(&ask(&[&scene, "--between"]));
    assert_eq!(between.len(), 2);
    assert!(holds(&between[0]["pairs"][0]["time"], 0.0), "{between:?}");
    // The slow one comes from 50, the other one rises from −3 to 2: only at the end they meet.
    let time = &between[1]["pairs"][0]["time"];
    assert!(time[0].as_f64().is_some_and(|from| from > 0.9), "{between:?}");
    // Each query stands for itself, in whatever company.
    let last = lines(&ask(&[&scene, "--between", "--shard", "1/2"]));
    assert_eq!(last, between[1..]);
    let first = ask(&[&scene, "--first-hit"]);
    assert_eq!((first.code, lines(&first).len()), (1, 1));
}

#[test]
fn sequences_in_one_file_are_bodies_that_deform() {
    let folder = Folder::new();
    let plate = folder.file("plate.obj", PLATE);
    let corners = |z: f64| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    let mesh = Mesh::new(corners(1.0), vec![[0, 1, 2]]).unwrap();
    let vertices = [1.0, -1.0, 0.0].into_iter().flat_map(corners).collect();
    let frames = Frames::new(&mesh, vertices).unwrap();
    let file = folder.file("fall.mseq", mseq::write(&mesh, &frames).unwrap());
    let done = ask(&[&file, &plate]);
    assert_eq!(verdicts(&done), ["free", "free", "hit"], "{}{}", done.out, done.err);
    let between = lines(&ask(&[&file, &plate, "--between"]));
    let times: Vec<&Value> = between.iter().map(|line| &line["pairs"][0]["time"]).collect();
    assert!(holds(times[0], 0.5) && holds(times[1], 1.0), "{between:?}");
    // In another unit the same happens at the same time.
    let scene = folder.file(
        "inches.toml",
        "units = \"m\"\n[[body]]\nname = \"plate\"\nmesh = \"plate.obj\"\n\
         [[body]]\nname = \"fall\"\nmesh = \"fall.mseq\"\nunits = \"mm\"\n",
    );
    let inches = ask(&[&scene, "--between"]);
    assert!(holds(&lines(&inches)[0]["pairs"][0]["time"], 0.5), "{}", inches.out);
    // With poses a body is as in its first frame.
    let poses = folder.file("poses.txt", "1 0 0 0 0 0 0\n1 0 0 0 0 0 1\n");
    let posed = ask(&[&file, &plate, "--poses", &poses]);
    assert_eq!(verdicts(&posed), ["free", "hit"], "{}{}", posed.out, posed.err);
    // What is shown is the last frame, or the first contact on the way.
    let shown = |more: &[&str]| {
        let ply = argument(&folder.path("shown.ply"));
        let done = check(&[&[&file, &plate, "--export", &ply], more].concat());
        assert_eq!((done.code, done.err.as_str()), (1, ""));
        std::fs::read(&ply).expect("it was written")
    };
    let end = shown(&[]);
    assert_eq!(end, shown(&["--between", "--shard", "1/2"]));
    assert_ne!(end, shown(&["--shard", "0/3", "--clearance", "2mm"]));
}

#[test]
fn a_sheet_folds_into_itself() {
    let folder = Folder::new();
    // A strip seen from the side; its free end comes down on its beginning, or through it.
    let sheet = |end: f64| {
        let row = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [1.0, 2.0], [1.0, end]];
        let vertex = |[x, z]: [f64; 2]| format!("v {x} 0 {z}\nv {x} 1 {z}\n");
        let face =
            |i: usize| format!("f {} {} {} {}\n", 2 * i + 1, 2 * i + 2, 2 * i + 4, 2 * i + 3);
        row.map(vertex).concat() + &(0..4).map(face).collect::<String>()
    };
    for (frame, end) in [1.0, -1.0, 1.0].into_iter().enumerate() {
        folder.file(&format!("sheet{frame}.obj"), sheet(end));
    }
    let scene = folder.file("scene.toml", "[[body]]\nname = \"sheet\"\nframes = \"sheet*.obj\"\n");
    let frames = ask(&[&scene, "--self"]);
    assert_eq!(verdicts(&frames), ["free", "hit", "free"], "{}{}", frames.out, frames.err);
    let pair = &lines(&frames)[1]["pairs"][0];
    assert_eq!((&pair["a"], &pair["b"]), (&json!("sheet"), &json!("sheet")));
    assert_eq!(pair["faces"], json!([[0, 3]]));
    let between = lines(&ask(&[&scene, "--self", "--between", "--want", "pairs"]));
    assert_eq!(between.len(), 2);
    let pair = &between[0]["pairs"][0];
    assert!(holds(&pair["time"], 0.5), "{pair}");
    let meetings = pair["meetings"].as_array().expect("something meets");
    assert!(meetings.iter().all(|meeting| holds(&meeting["time"], 0.5)), "{pair}");
    assert!(holds(&between[1]["pairs"][0]["time"], 0.0), "{between:?}");
}

#[test]
fn samples_are_asked_about_frame_by_frame() {
    for (sample, more) in [
        ("sample:hands?frames=10&faces=400", &["--want", "pairs"][..]),
        ("sample:hands?frames=9&faces=400", &["--between", "--want", "pairs"]),
        ("sample:cloth-ball?frames=10&faces=400", &["--self", "--want", "clearance"]),
        ("sample:cloth-ball?frames=9&faces=400", &["--between", "--self", "--want", "pairs"]),
    ] {
        let with = |others: &[&str]| ask(&[&[sample], more, others].concat());
        let one = with(&["--threads", "1"]);
        assert_eq!(one.err, "", "{sample}");
        let whole = lines(&one);
        assert_eq!(whole.len(), if more.contains(&"--between") { 8 } else { 10 }, "{sample}");
        assert_eq!(whole, lines(&with(&["--threads", "2"])), "{sample}");
        let shard = lines(&with(&["--shard", "1/3"]));
        assert_eq!(shard, whole.iter().skip(1).step_by(3).cloned().collect::<Vec<_>>(), "{sample}");
        // Another engine finds the same.
        if more.contains(&"pairs") {
            let other = lines(&with(&["--engine", "brute", "--shard", "1/3"]));
            for (found, truth) in shard.iter().zip(&other) {
                assert_eq!(found["verdict"], truth["verdict"], "{sample}");
                assert_eq!(listed(found), listed(truth), "{sample}");
            }
        }
    }
}

/// What meets or intersects in each pair of bodies of a line.
fn listed(line: &Value) -> Vec<Value> {
    let features = |meeting: &Value| json!([meeting["a"], meeting["b"]]);
    let pairs = line["pairs"].as_array().unwrap().iter();
    pairs
        .map(|pair| match pair["meetings"].as_array() {
            Some(meetings) => meetings.iter().map(features).collect(),
            None => json!([pair["a"], pair["b"], pair["triangles"]]),
        })
        .collect()
}

#[test]
fn limits_hold_for_frames_too() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let limited = [&scene, "--budget", "0work", "--want", "clearance"];
    let frames = ask(&limited);
    assert_eq!((frames.code, frames.err.as_str()), (3, ""), "{}", frames.out);
    assert_eq!(verdicts(&frames), ["unknown", "unknown"]);
    let step = ask(&[&limited[..], &["--between"]].concat());
    assert_eq!((step.code, step.err.as_str()), (3, ""), "{}", step.out);
    // What is known of the way: the boxes overlap, and the ends are so far apart.
    let clearance = &lines(&step)[0]["pairs"][0]["clearance"];
    assert_eq!(clearance["at_least"], 0.0);
    assert!(clearance["at_most"].as_f64().is_some_and(|high| high >= 2.0), "{clearance}");
    let done = ask(&[&scene, "--between", "--pseudo", "5"]);
    assert_eq!(lines(&done)[0]["pairs"][0]["time"], json!([0.2, 0.4]), "{}", done.out);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let refused = |arguments: &[&str], parts: &[&str]| {
        let done = check(arguments);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{arguments:?}");
        assert!(parts.iter().all(|part| done.err.contains(part)), "{arguments:?}: {}", done.err);
    };
    let poses = folder.file("poses.txt", "1 0 0 0 0 0 0\n");
    let ways = folder.file("ways.txt", "1 0 0 0 0 0 0  1 0 0 0 0 0 1\n");
    refused(&[&scene, "--between", "--poses", &poses], &["--between", "--poses"]);
    refused(&[&scene, "--between", "--motions", &ways], &["--between", "--motions"]);
    refused(&[&scene, "--between", "--separate"], &["--between", "--separate"]);
    refused(
        &["sample:box", "sample:box", "--between"],
        &["--between", "frames", "no body deforms"],
    );
    refused(&["sample:box", "sample:box", "--shard", "0/2"], &["--shard", "--poses"]);
    // A single frame is none to go to.
    let rest = folder.file("rest.toml", "[[body]]\nname = \"fall\"\nframes = [\"fall_1.obj\"]\n");
    refused(&[&rest, "--self", "--between"], &["--between", "two frames"]);
    folder.file("fall_3.obj", PLATE);
    refused(&[&scene], &["fall_3.obj", "vertices"]);
}

#[test]
fn schema_knows_meetings() {
    let schema = run(&["schema", "check"]).out;
    assert!(["\"meetings\"", "MeetingLine"].iter().all(|part| schema.contains(part)), "{schema}");
}

#[test]
fn all_that_meets_in_published_frames_is_listed() {
    let Some(data) = std::env::var_os("IMPINGE_DATA") else {
        println!("skipped: IMPINGE_DATA is not set");
        return;
    };
    let data = Path::new(&data).join("broadphase");
    let counts = std::fs::read(data.join("counts.json")).expect("the counts are there");
    let counts: Value = serde_json::from_slice(&counts).unwrap();
    let folder = Folder::new();
    for (name, files) in [
        ("armadillo-rollers", ["326.ply", "327.ply"]),
        ("cloth-ball", ["cloth_ball92.ply", "cloth_ball93.ply"]),
    ] {
        let files = files.map(|file| argument(&data.join(name).join(file)));
        let scene = format!("[[body]]\nname = \"all\"\nframes = {files:?}\n");
        let scene = folder.file("scene.toml", scene);
        let done = ask(&[&scene, "--between", "--self", "--want", "pairs"]);
        assert_eq!((done.code, done.err.as_str()), (1, ""), "{name}");
        let found = lines(&done);
        let meetings = found[0]["pairs"][0]["meetings"].as_array().expect("something meets");
        let edges = meetings.iter().filter(|meeting| meeting["a"]["edge"].is_array()).count();
        let expected = ["ee_colliding", "vf_colliding"].map(|key| counts[name][key].as_u64());
        let counted = [edges, meetings.len() - edges].map(|count| Some(count as u64));
        assert_eq!(counted, expected, "{name}");
    }
}
