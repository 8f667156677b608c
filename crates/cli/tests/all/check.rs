//! `impinge check` from outside: verdicts, exit codes, formats, streams, the same bits for all.

use crate::program::{Folder, Run, argument, command, cup, feed, run, tetrahedron};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

const RINGS: [&str; 2] = ["check", "sample:interlocked-tori"];

fn check(more: &[&str]) -> Run {
    run(&[&["check", "--format", "json"], more].concat())
}

/// The JSON without the time it took.
fn timeless(run: &Run) -> Vec<Value> {
    let mut lines = run.json();
    let last = lines.last_mut().and_then(|line| line.get_mut("summary"));
    let seconds = last.and_then(|summary| summary.as_object_mut()?.remove("seconds"));
    assert!(seconds.is_some_and(|seconds| seconds.is_number()));
    lines
}

/// Poses of a sphere on its way through a torus.
fn way(count: usize) -> String {
    let pose = |i: usize| format!("1 0.1 {} 0 {} 0.2 0.3\n", i as f64 / 50.0, i as f64 / 40.0);
    (0..count).map(pose).collect()
}

#[test]
fn exit_codes_follow_the_verdict() {
    let folder = Folder::new();
    let at = |name: &str, x: f64| folder.file(name, tetrahedron([x, 0.0, 0.0]));
    let (a, near, far) = (at("a.obj", 0.0), at("near.obj", 0.5), at("far.obj", 5.0));
    assert_eq!(check(&[&a, &near]).code, 1);
    assert_eq!(check(&[&a, &far]).code, 0);
    let unknown = check(&[&a, &near, "--budget", "1work"]);
    assert_eq!((unknown.code, &unknown.json()[0]["verdict"]), (3, &json!("unknown")));
    assert_eq!(unknown.json()[0]["complete"], json!(false));
    let interval = &unknown.json()[0]["pairs"][0]["clearance"];
    assert!(interval["at_least"].as_f64() == Some(0.0) && interval["at_most"].as_f64() > Some(0.0));
}

#[test]
fn what_became_of_a_budget_is_told() {
    let folder = Folder::new();
    let at = |name: &str, x: f64| folder.file(name, tetrahedron([x, 0.0, 0.0]));
    let (a, b) = (at("a.obj", 0.0), at("b.obj", 0.9));
    let asked = |more: &[&str]| {
        let engine = ["--engine", "sphere-tree", "--want", "clearance"];
        check(&[&[a.as_str(), b.as_str()][..], &engine, more].concat()).json().swap_remove(0)
    };
    assert!(asked(&[])["budget"].is_null());
    let work = &asked(&["--budget", "5work"])["budget"];
    assert_eq!(work["unit"], json!("work"));
    let number = |line: &Value, name: &str| line[name].as_f64().expect("a number");
    assert_eq!(number(work, "spent") + number(work, "left"), 5.0);
    let time = &asked(&["--budget", "10s"])["budget"];
    assert_eq!(time["unit"], json!("seconds"));
    assert!(number(time, "spent") > 0.0 && number(time, "left") > 9.0, "{time}");
    let text = run(&["check", &a, &b, "--engine", "sphere-tree", "--budget", "7work"]).out;
    assert!(text.contains(" of 7 units of work spent"), "{text}");
}

#[test]
fn the_lines_are_those_of_the_contract() {
    let folder = Folder::new();
    let a = folder.file("A.obj", tetrahedron([0.0; 3]));
    let b = folder.file("B.obj", tetrahedron([0.25; 3]));
    let lines = check(&[&a, &b]).json();
    let pair = &lines[0]["pairs"][0];
    assert_eq!(lines[0]["query"], json!(0));
    assert_eq!(
        [&pair["a"], &pair["b"], &pair["verdict"]],
        [&json!("A"), &json!("B"), &json!("hit")]
    );
    assert_eq!(pair["kind"], json!("surface"));
    let count = |field: &str| pair[field].as_array().map(Vec::len);
    assert!(count("triangles") > Some(0) && count("triangles") == count("contacts"));
    assert_eq!(pair["faces"], pair["triangles"]);
    assert!(pair["contacts"][0]["depth"].is_number());
    assert_eq!(lines[1]["summary"]["hits"], json!(1));
    assert_eq!(lines[1]["summary"]["units"], json!("mm"));

    let touching = &check(&[&a, &b, "--want", "touching"]).json()[0]["pairs"][0];
    assert_eq!(touching, &json!({"a": "A", "b": "B", "verdict": "hit", "kind": "surface"}));
    let pairs = &check(&[&a, &b, "--want", "pairs"]).json()[0]["pairs"][0];
    assert!(pairs["faces"].is_array() && pairs.get("contacts").is_none());
}

#[test]
fn a_list_that_a_budget_cut_says_so() {
    let folder = Folder::new();
    let poses = folder.file("poses.txt", "1 0 0 0 0.3 0.2 0.1\n");
    let boxes = ["sample:box", "sample:box", "sample:box?x=0.1", "--poses", &poses];
    let all = check(&boxes).json();
    let found = |line: &Value, k: usize| line["pairs"][k]["triangles"].as_array().map(Vec::len);
    assert!(all[0]["pairs"].as_array().unwrap().iter().all(|pair| pair.get("complete").is_none()));
    // The first budget that finds a part of a list, but not all of it.
    let cut = (1..400).step_by(4).map(|work| format!("{work}work")).find_map(|budget| {
        let line = check(&[&boxes[..], &["--budget", &budget]].concat()).json().swap_remove(0);
        let pairs = line["pairs"].as_array()?;
        let k = pairs
            .iter()
            .position(|pair| pair["verdict"] == json!("hit") && pair["complete"] == json!(false))?;
        Some((budget, k, line))
    });
    let (budget, k, line) = cut.expect("some budget cuts a list");
    let names =
        |line: &Value, k: usize| [line["pairs"][k]["a"].clone(), line["pairs"][k]["b"].clone()];
    let whole = (0..3).find(|&i| names(&all[0], i) == names(&line, k)).unwrap();
    assert!(found(&line, k) < found(&all[0], whole), "{budget}");
    let text =
        |format: &[&str]| run(&[&["check", "--budget", &budget], &boxes[..], format].concat()).out;
    assert!(text(&[]).contains("at least "), "{}", text(&[]));
    let rings = run(&[
        &RINGS[..],
        &["--engine", "brute", "--want", "clearance", "--budget", "2000000work"],
    ]
    .concat());
    assert!(rings.code == 3 && rings.out.contains("free\n"), "{}", rings.out);
    assert!(rings.out.contains(" to ") && rings.out.contains("this is not all"), "{}", rings.out);
    let csv = text(&["--format", "csv"]);
    assert!(
        csv.lines().any(|row| row.contains(",hit,") && row.ends_with(",false,,,,,,,,,,,,,,")),
        "{csv}"
    );
}

#[test]
fn polygons_count_once() {
    let folder = Folder::new();
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    let blade = "v 0.1 0.4 0\nv 0.9 0.5 0\nv 0.5 0.5 1\nf 1 2 3\n";
    let (square, blade) = (folder.file("square.obj", square), folder.file("blade.obj", blade));
    let pair = &check(&[&square, &blade]).json()[0]["pairs"][0];
    assert_eq!(pair["faces"], json!([[0, 0]]));
    assert_eq!(pair["triangles"], json!([[0, 0], [1, 0]]));
}

#[test]
fn free_pairs_tell_their_clearance_when_asked() {
    let rings = check(&["sample:interlocked-tori", "--want", "clearance"]);
    let clearance = &rings.json()[0]["pairs"][0]["clearance"];
    let (low, high) =
        (clearance["at_least"].as_f64().unwrap(), clearance["at_most"].as_f64().unwrap());
    assert!(rings.code == 0 && low <= high && (0.19..0.21).contains(&low));
    let free = check(&["sample:interlocked-tori"]);
    assert_eq!(free.json()[0]["pairs"], json!([{"a": "flat", "b": "upright", "verdict": "free"}]));
}

#[test]
fn too_close_is_a_finding() {
    let close = check(&["sample:interlocked-tori", "--clearance", "1mm"]);
    let pair = &close.json()[0]["pairs"][0];
    assert_eq!((close.code, &pair["verdict"]), (1, &json!("free")));
    assert_eq!(pair["too_close"], json!(true));
    assert!(pair["clearance"]["at_most"].as_f64() < Some(1.0));
    assert_eq!(close.json()[1]["summary"]["too_close"], json!(1));
    let enough = check(&["sample:interlocked-tori", "--clearance", "100um"]);
    assert_eq!((enough.code, enough.json()[0]["pairs"][0].get("too_close")), (0, None));
    // A gap of just the limit is not closer than it, and the slightest bit less is.
    let folder = Folder::new();
    let [a, b] = [("a.obj", 0.0), ("b.obj", 1.5)]
        .map(|(name, x)| folder.file(name, tetrahedron([x, 0.0, 0.0])));
    for (limit, code) in [("0.5mm", 0), ("0.5000000000001mm", 1)] {
        assert_eq!(check(&[&a, &b, "--clearance", limit]).code, code, "{limit}");
    }
    // A nominal gap of half a millimetre is one.
    let cover = |limit: &str| {
        let lines = check(&["sample:headlight", "--clearance", limit]).json();
        lines[0]["pairs"].as_array().unwrap().iter().any(|pair| pair["too_close"] == json!(true))
    };
    assert!(!cover("0.5mm") && cover("0.51mm"));
}

#[test]
fn what_is_inside_is_named() {
    let lines = check(&["sample:sphere", "sample:box?x=0.5&y=0.5&z=0.5"]).json();
    let pair = &lines[0]["pairs"][0];
    assert_eq!([&pair["kind"], &pair["inner"]], [&json!("inside"), &json!("box")]);
    assert!(pair.get("faces").is_none());
}

#[test]
fn a_body_against_itself() {
    let folder = Folder::new();
    let crossed = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0.5 0.5 -1\nv 0.6 0.5 -1\nv 0.5 0.6 1\n\
        f 1 2 3\nf 4 5 6\n";
    let crossed = folder.file("crossed.obj", crossed);
    let found = check(&[&crossed, "--self"]);
    assert_eq!((found.code, &found.json()[0]["pairs"][0]["faces"]), (1, &json!([[0, 1]])));
    let sphere = check(&["sample:sphere", "--self"]);
    assert_eq!((sphere.code, &sphere.json()[0]["verdict"]), (0, &json!("free")));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::new();
    let poses = folder.file("poses.txt", way(100));
    let pose_run = ["sample:torus", "sample:sphere?faces=168&radius=0.5", "--poses", &poses];
    for arguments in [
        &["sample:headlight", "--clearance", "2mm", "--self"][..],
        &["sample:headlight", "--want", "clearance"],
        &pose_run,
        &[&pose_run[..], &["--first-hit"]].concat(),
        &[&pose_run[..], &["--budget", "5000work"]].concat(),
        &[&pose_run[..], &["--want", "clearance", "--shard", "1/3"]].concat(),
    ] {
        let one = check(&[arguments, &["--threads", "1"]].concat());
        for threads in ["2", "7"] {
            let many = check(&[arguments, &["--threads", threads]].concat());
            assert_eq!(timeless(&one), timeless(&many), "{arguments:?}");
            assert_eq!(one.code, many.code);
        }
    }
}

#[test]
fn poses_from_a_file_and_from_standard_input_agree() {
    let folder = Folder::new();
    let text = format!("# a way\n\n{}", way(60));
    let poses = folder.file("poses.txt", &text);
    let bodies = ["check", "--format", "json", "sample:torus", "sample:sphere?faces=168"];
    let file = run(&[&bodies[..], &["--poses", &poses]].concat());
    let stream = feed(&[&bodies[..], &["--poses", "-"]].concat(), &text);
    assert_eq!(timeless(&file), timeless(&stream));
    assert_eq!((file.code, stream.code, file.json().len()), (1, 1, 61));
}

#[test]
fn a_pose_is_the_place_of_the_last_mesh() {
    let folder = Folder::new();
    let here = folder.file("here.obj", tetrahedron([0.0; 3]));
    let there = folder.file("there.obj", tetrahedron([0.25; 3]));
    let poses = folder.file("poses.txt", "1 0 0 0 0.25 0.25 0.25\n1 0 0 0 9 9 9\n");
    let moved = check(&[&here, &here, "--poses", &poses]).json();
    let placed = check(&[&here, &there]).json();
    assert_eq!(moved[0]["pairs"][0]["contacts"], placed[0]["pairs"][0]["contacts"]);
    assert_eq!(moved[1]["verdict"], json!("free"));
    assert_eq!(moved[0]["pairs"][0]["b"], json!("here-2"));
}

#[test]
fn shards_share_the_queries() {
    let folder = Folder::new();
    let poses = folder.file("poses.txt", way(20));
    let bodies = ["sample:torus", "sample:sphere?faces=168", "--poses", &poses];
    let all = check(&bodies).json();
    let mut parts = Vec::new();
    for shard in ["0/3", "1/3", "2/3"] {
        let mut lines = check(&[&bodies[..], &["--shard", shard]].concat()).json();
        lines.pop();
        parts.extend(lines);
    }
    parts.sort_by_key(|line| line["query"].as_u64());
    assert_eq!(parts, all[..20]);
}

#[test]
fn the_first_hit_ends_the_search() {
    let folder = Folder::new();
    let mut text = "1 0 0 0 9 0 0\n".repeat(40);
    text += &"1 0 0 0 0.1 0 0\n".repeat(40);
    let poses = folder.file("poses.txt", text);
    let lines = check(&["sample:box", "sample:box", "--poses", &poses, "--first-hit"]).json();
    assert_eq!((lines.len(), &lines[40]["verdict"]), (42, &json!("hit")));
    assert_eq!(lines[41]["summary"]["queries"], json!(41));
}

#[test]
fn lines_after_the_first_hit_are_not_judged() {
    let search = ["check", "sample:box", "sample:box", "--poses", "-", "-q"];
    let text = "1 0 0 0 5 0 0\n1 0 0 0 0 0 0\ngarbage\n";
    let found = feed(&[&search[..], &["--first-hit"]].concat(), text);
    assert_eq!((found.code, found.err.as_str()), (1, ""));
    assert_eq!(found.out, "query 0       free\nquery 1       hit\n");
    // Without a hit before it, and without the search, the line is judged.
    assert_eq!(feed(&[&search[..], &["--first-hit"]].concat(), "garbage\n").code, 2);
    assert_eq!(feed(&search, text).code, 2);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_pose() {
    let folder = Folder::new();
    let poses = folder.file("poses.txt", "\u{feff}1 0 0 0 5 0 0\n");
    assert_eq!(check(&["sample:box", "sample:box", "--poses", &poses]).code, 0);
}

#[test]
fn contacts_without_depth_are_not_called_light() {
    let out = run(&["check", "sample:box", "sample:box"]).out;
    assert!(out.contains("face pairs, e.g. at (") && !out.contains("touching at"), "{out}");
}

#[test]
fn a_note_tells_where_inside_cannot_be_judged() {
    let folder = Folder::new();
    let cup = folder.file("cup.obj", cup());
    let note =
        "note: cup is not closed, so what its open parts surround does not count as inside\n";
    let poses = folder.file("poses.txt", "1 1 0 0 0 0 0\n1 0 0 0 0 0.5 0\n1 0 0 0 0 0 1\n");
    let within = [&cup, "sample:box"];
    for more in [&[][..], &["--poses", &poses]] {
        let arguments = [&within[..], more].concat();
        let found = check(&arguments);
        let lines = found.json();
        let summary = &lines.last().unwrap()["summary"];
        assert_eq!((found.code, &summary["not_closed"]), (0, &json!(["cup"])));
        let text = run(&[&["check"], &arguments[..]].concat()).out;
        assert_eq!(text.matches(note).count(), 1, "{text}");
    }
    // Beside it, through its wall, and in a closed body there is nothing to note.
    let poses = folder.file("poses.txt", "1 0 0 0 9 0 0\n1 0 0 0 2 0 0\n1 0 0 0 0 0 9\n");
    for arguments in [
        &[&within[..], &["--poses", &poses]].concat()[..],
        &["sample:box?x=3&y=3&z=3", "sample:box"],
    ] {
        let lines = check(arguments).json();
        assert_eq!(lines.last().unwrap()["summary"].get("not_closed"), None);
    }
}

#[test]
fn a_stream_is_answered_line_by_line() {
    let mut command = command(&["check", "sample:box", "sample:box", "--poses", "-"]);
    command.args(["--format", "json"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for (x, verdict) in [(0.5, "hit"), (3.0, "free"), (-0.5, "hit")] {
        // Comments and blank lines must not make it wait for the pose after them.
        write!(stdin, "1 0 0 0 {x} 0 0\n# a comment\n\n").unwrap();
        stdin.flush().unwrap();
        // This would wait for ever if answers were held back.
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["verdict"], json!(verdict));
    }
    drop(stdin);
    let summary: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
    assert_eq!(summary["summary"]["queries"], json!(3));
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut command = command(&["check", "sample:box", "sample:box", "--poses", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // The program may end while it is written to.
    let _ = stdin.write_all("1 0 0 0 0.5 0 0\n".repeat(10_000).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(matches!(output.status.code(), Some(0 | 1)));
}

#[test]
fn units_meet_in_one() {
    let folder = Folder::new();
    let export = argument(&folder.path("box.glb"));
    // GLB is in metres: a box of 1 mm, half inside a box of 1 mm in a file without a unit.
    assert_eq!(run(&["samples", "box", "--export", &export]).code, 0);
    let poses = folder.file("poses.txt", "1 0 0 0 0.5 0 0\n1 0 0 0 1.5 0 0\n");
    let lines = check(&["sample:box", &export, "--poses", &poses, "--want", "clearance"]).json();
    assert_eq!([&lines[0]["verdict"], &lines[1]["verdict"]], [&json!("hit"), &json!("free")]);
    assert_eq!(lines[2]["summary"]["units"], json!("mm"));
    let gap = lines[1]["pairs"][0]["clearance"]["at_least"].as_f64().unwrap();
    assert!((gap - 0.5).abs() < 1e-6, "{gap}");
    let metres = check(&[&export, &export]).json();
    assert_eq!(metres[1]["summary"]["units"], json!("m"));
}

#[test]
fn exports_load_again() {
    let folder = Folder::new();
    for name in ["out.ply", "out.glb"] {
        let export = argument(&folder.path(name));
        let want = ["--want", "touching", "--export", &export];
        assert_eq!(check(&[&["sample:headlight"], &want[..]].concat()).code, 1);
        let info = run(&["info", &export, "--format", "json"]);
        assert_eq!(info.code, 0, "{}", info.err);
        let faces: u64 = info.json().iter().filter_map(|line| line["faces"].as_u64()).sum();
        assert_eq!(faces, 4128);
        let red = [214u8, 39, 40];
        let bytes = std::fs::read(folder.path(name)).unwrap();
        assert!(name.ends_with("glb") || bytes.windows(3).any(|color| color == red));
    }
}

#[test]
fn scenes_bring_poses_rules_and_clearance() {
    let folder = Folder::new();
    let body = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmesh = \"sample:box\"\n\
             pose = {{ translation = [{x}, 0, 0] }}\n"
        )
    };
    let bodies = [body("a", 0.0), body("b", 0.5), body("c", 1.7)].concat();
    let scene = folder.file("scene.toml", format!("clearance = \"0.3mm\"\n{bodies}"));
    let lines = check(&[&scene]).json();
    let pairs: Vec<[&Value; 3]> = lines[0]["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| [&pair["a"], &pair["b"], &pair["verdict"]])
        .collect();
    let named = |a, b, verdict| [json!(a), json!(b), json!(verdict)];
    let expected = [named("a", "b", "hit"), named("b", "c", "free")];
    assert_eq!(pairs, expected.each_ref().map(|pair| pair.each_ref()));
    let ignoring = format!("{bodies}[[ignore]]\na = \"a\"\nb = \"b\"\n");
    let quiet = check(&[&folder.file("quiet.toml", ignoring)]);
    assert_eq!((quiet.code, &quiet.json()[0]["pairs"]), (0, &json!([])));
}

#[test]
fn csv_has_a_row_for_every_query() {
    let folder = Folder::new();
    let poses = folder.file("poses.txt", "1 0 0 0 0.5 0 0\n1 0 0 0 3 0 0\n");
    let three = ["sample:box", "sample:box?x=0.1", "sample:box", "--poses", &poses];
    let table = run(&[&["check", "--format", "csv"], &three[..]].concat());
    let rows: Vec<Vec<&str>> = table.out.lines().map(|line| line.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{}", table.out);
    let queries: Vec<&str> = rows[1..].iter().map(|row| row[0]).collect();
    assert!(queries.contains(&"0") && queries.contains(&"1"));
    let csv = run(&[&RINGS[..], &["--format", "csv"]].concat()).out;
    assert!(csv.ends_with("\n0,flat,upright,free,,,,,,,,false,true,,,,,,,,,,,,,,\n"), "{csv}");
}

/// The quaternion of a rotation matrix given row by row, from its largest component.
fn quaternion(m: &[f64]) -> [f64; 4] {
    let squares = [
        1.0 + m[0] + m[4] + m[8],
        1.0 + m[0] - m[4] - m[8],
        1.0 - m[0] + m[4] - m[8],
        1.0 - m[0] - m[4] + m[8],
    ];
    let (x, y, z) = (m[7] - m[5], m[2] - m[6], m[3] - m[1]);
    let (xy, xz, yz) = (m[1] + m[3], m[2] + m[6], m[5] + m[7]);
    let largest = (0..4).max_by(|&i, &j| squares[i].total_cmp(&squares[j])).unwrap();
    match largest {
        0 => [squares[0], x, y, z],
        1 => [x, squares[1], xy, xz],
        2 => [y, xy, squares[2], yz],
        _ => [z, xz, yz, squares[3]],
    }
}

#[test]
fn published_frames_give_their_verdicts() {
    let Ok(data) = std::env::var("IMPINGE_DATA") else {
        println!("skipped: IMPINGE_DATA is not set");
        return;
    };
    let folder = Folder::new();
    let read = |name: &str| std::fs::read_to_string(format!("{data}/rigid-frames/{name}")).unwrap();
    let labels: Value = serde_json::from_str(&read("labels.json")).unwrap();
    for model in [1, 2, 3] {
        for scenario in [1, 2] {
            let name = format!("Model_{model}_Scenario_{scenario}");
            for (frame, line) in read(&format!("{name}.frames")).lines().enumerate() {
                let numbers: Vec<f64> =
                    line.split(' ').skip(2).map(|word| word.parse().unwrap()).collect();
                let mut scene = String::new();
                for (k, numbers) in numbers.chunks(12).enumerate() {
                    let file =
                        format!("{data}/rigid-frames/Model_{model}_Scenario_1.obj{}.obj", k + 1);
                    let (turn, shift) = (quaternion(&numbers[..9]), &numbers[9..]);
                    scene += &format!(
                        "[[body]]\nname = \"body{k}\"\nmesh = {file:?}\n\
                         pose = {{ rotation = {turn:?}, translation = {shift:?} }}\n"
                    );
                }
                let found = check(&[&folder.file("scene.toml", scene), "--want", "touching"]);
                let hit = labels[&name]["contact"][frame].as_bool().unwrap();
                assert_eq!(found.code, i32::from(hit), "{name} frame {frame}: {}", found.err);
            }
        }
    }
}
