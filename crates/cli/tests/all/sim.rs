//! `impinge sim`: what it prints, records, replays and refuses.

use crate::program::{Folder, Run, argument, run, tetrahedron};
use serde_json::{Value, json};

/// Two boxes on their way to each other in a room.
fn scene(folder: &Folder, name: &str, sim: &str, body: &str) -> String {
    let text = format!(
        "[sim]\ndt = \"10ms\"\nroom = {{ min = [0, 0, 0], max = [10, 10, 10] }}\n{sim}\n\
         [[body]]\nname = \"left\"\nmesh = \"sample:box\"\npose = {{ translation = [2, 5, 5] }}\n\
         sim = {{ velocity = [1, 0, 0] }}\n\
         [[body]]\nname = \"right\"\nmesh = \"sample:box\"\npose = {{ translation = [7, 5, 5] }}\n\
         {body}\n"
    );
    folder.file(name, text)
}

fn sim(arguments: &[&str]) -> Run {
    run(&[&["sim"], arguments].concat())
}

fn summary(arguments: &[&str]) -> Value {
    let run = sim(&[arguments, &["--format", "json"]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.json().pop().expect("a line")
}

#[test]
fn a_run_is_summed_up_and_its_events_are_told() {
    let folder = Folder::new();
    let scene = scene(&folder, "s.toml", "", "");
    // They meet after four seconds, and the right one reaches the wall after another two and a half.
    let run = sim(&[&scene, "--frames", "800", "--events", "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let lines = run.json();
    assert_eq!(lines.len(), 3, "{}", run.out);
    assert_eq!(lines[0]["event"], json!("begin"));
    assert_eq!([&lines[0]["a"], &lines[0]["b"]], [&json!("left"), &json!("right")]);
    let frame = lines[0]["frame"].as_u64().unwrap();
    assert!((400..=402).contains(&frame), "{frame}");
    assert_eq!(lines[1]["event"], json!("end"));
    let line = &lines[2];
    assert_eq!((&line["frames"], &line["bodies"]), (&json!(800), &json!(2)));
    assert_eq!((&line["collisions"], &line["wall_collisions"]), (&json!(2), &json!(1)));
    assert!(line["energy_drift"].as_f64().unwrap().abs() < 1e-12);
    assert!(line["hz"]["mean"].as_f64().unwrap() > 0.0);

    let text = sim(&[&scene, "--frames", "800"]);
    assert!(text.out.starts_with("2 bodies, 800 frames of 0.01 s\n"), "{}", text.out);
    assert!(text.out.contains("collisions  2 (1 with walls)"), "{}", text.out);
    let table = sim(&[&scene, "--frames", "10", "--format", "csv"]);
    let [head, row] = table.out.lines().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(head.split(',').count(), row.split(',').count());
}

#[test]
fn options_replace_what_the_scene_says() {
    let folder = Folder::new();
    let scene = scene(&folder, "s.toml", "response = \"exchange\"", "");
    let line = summary(&[
        &scene,
        "--frames",
        "5",
        "--dt",
        "1ms",
        "--engine",
        "brute",
        "--pruner",
        "sweep",
        "--response",
        "impulse",
        "--integrator",
        "runge-kutta",
        "--mode",
        "dynamic",
    ]);
    let told = ["dt", "engine", "pruner", "response", "integrator", "mode"].map(|key| &line[key]);
    let wanted = [
        json!(0.001),
        json!("brute"),
        json!("sweep"),
        json!("impulse"),
        json!("runge-kutta"),
        json!("dynamic"),
    ];
    assert_eq!(told, wanted.each_ref());
}

#[test]
fn ships_with_pilots_fly_and_their_flights_replay() {
    let folder = Folder::new();
    let file = argument(&folder.path("run.jsonl"));
    let sample = "sample:spaceships?n=6&faces=1024&range=10";
    let run = sim(&[sample, "--frames", "600", "--record", &file, "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.json()[0]["collisions"].as_u64().unwrap() > 0, "{}", run.out);
    let again = sim(&["--replay", &file, "--engine", "sphere-tree", "--pruner", "grid"]);
    assert_eq!(again.out, "the same bit for bit: 600 frames\n");
}

#[test]
fn a_recording_replays_bit_for_bit_and_changes_are_found() {
    let folder = Folder::new();
    let file = argument(&folder.path("run.jsonl"));
    let sample = "sample:bouncing?n=24";
    let run = sim(&[sample, "--frames", "1000", "--record", &file, "--threads", "1"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    for threads in ["1", "2", "7"] {
        let again = sim(&["--replay", &file, "--threads", threads]);
        assert_eq!((again.code, again.err.as_str()), (0, ""));
        assert_eq!(again.out, "the same bit for bit: 1000 frames\n");
    }
    let other = sim(&["--replay", &file, "--engine", "brute", "--format", "json"]);
    assert_eq!(other.json(), [json!({ "same": true, "frames": 1000 })]);

    // One bit of one number.
    let text = std::fs::read_to_string(folder.path("run.jsonl")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 1001);
    let mut line: Value = serde_json::from_str(&lines[700]).unwrap();
    let x = line["bodies"][3][8].as_f64().unwrap();
    line["bodies"][3][8] = json!(f64::from_bits(x.to_bits() ^ 1));
    lines[700] = line.to_string();
    let changed = folder.file("changed.jsonl", lines.join("\n"));
    let found = sim(&["--replay", &changed]);
    assert_eq!(found.code, 1);
    let expected = "DIFFERS in frame 700: `body-3` has velocity y";
    assert!(found.out.starts_with(expected), "{}", found.out);
    assert_eq!(sim(&["--replay", &file, "--response", "none"]).code, 1);
}

#[test]
fn a_recording_that_was_cut_is_not_the_same() {
    let folder = Folder::new();
    let file = argument(&folder.path("run.jsonl"));
    sim(&["sample:bouncing?n=4", "--frames", "10", "--record", &file]);
    let text = std::fs::read_to_string(folder.path("run.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let part = lines[..=4].join("\n") + "\n";
    let cut = folder.file("cut.jsonl", &part);
    let run = sim(&["--replay", &cut]);
    let expected =
        "NOT COMPLETE: the recording was cut, its head tells of 10 frames, and 4 are there";
    assert_eq!(run.code, 1);
    assert!(run.out.starts_with(expected), "{}", run.out);
    let told = sim(&["--replay", &cut, "--format", "json"]);
    assert_eq!(told.code, 1);
    let line = &told.json()[0];
    let keys = ["same", "complete", "frames", "frames_told"].map(|key| &line[key]);
    assert_eq!(keys, [json!(false), json!(false), json!(4), json!(10)].each_ref());

    // Ctrl-C ends a recording with a line that tells where.
    let ended = folder.file("ended.jsonl", format!("{part}{{\"ended\":4}}\n"));
    let run = sim(&["--replay", &ended]);
    assert_eq!((run.code, run.out.as_str()), (0, "the same bit for bit: 4 frames\n"));
    let hollow = folder.file("hollow.jsonl", format!("{part}{{\"ended\":7}}\n"));
    let run = sim(&["--replay", &hollow]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("its last line tells of 7 frames, and 4 are there"), "{}", run.out);
    let more = folder.file("more.jsonl", format!("{part}{{\"ended\":4}}\n{}\n", lines[5]));
    let run = sim(&["--replay", &more]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("the recording goes on behind its end"), "{}", run.err);
}

#[test]
fn files_are_kept_apart() {
    let folder = Folder::new();
    let mesh = folder.file("part.obj", tetrahedron([1.0, 1.0, 1.0]));
    let other = folder.file("part2.obj", tetrahedron([2.0, 1.0, 1.0]));
    let part = "[[body]]\nname = \"part\"\nframes = [\"part.obj\", \"part2.obj\"]\n";
    let scene = scene(&folder, "s.toml", "", part);
    std::fs::create_dir(folder.path("sub")).unwrap();
    let file = argument(&folder.path("run.jsonl"));
    let around = argument(&folder.path("sub/../run.jsonl"));
    for (arguments, expected) in [
        (vec!["--record", &file, "--sound", &file], "--record and --sound name the same file"),
        (vec!["--record", &file, "--sound", &around], "--record and --sound name the same file"),
        (vec!["--sound", &scene], "--sound would write over the input"),
        (vec!["--record", &mesh], "--record would write over the input"),
        (vec!["--record", &other], "--record would write over the input"),
    ] {
        let run = sim(&[&[scene.as_str(), "--frames", "5"], arguments.as_slice()].concat());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        assert!(run.err.contains(expected), "{arguments:?}: {}", run.err);
        assert!(!folder.path("run.jsonl").exists(), "{arguments:?}");
    }
    assert!(std::fs::read_to_string(&other).unwrap().starts_with("v 2 1 1"));
}

#[test]
fn large_numbers_are_short() {
    let folder = Folder::new();
    let scene = scene(&folder, "s.toml", "", "sim = { mass = 1e300, velocity = [-3, 0, 0] }");
    let run = sim(&[&scene, "--frames", "3"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.contains("energy      4.5e300 at the start, 4.5e300 at"), "{}", run.out);
    assert!(run.out.contains("(-3e300, 0, 0) at the start"), "{}", run.out);
}

#[test]
fn what_is_no_recording_is_refused() {
    let folder = Folder::new();
    let good = argument(&folder.path("run.jsonl"));
    sim(&["sample:bouncing?n=4", "--frames", "3", "--record", &good]);
    let text = std::fs::read_to_string(folder.path("run.jsonl")).unwrap();
    let cases = [
        ("empty.jsonl", String::new(), "the file is empty"),
        ("other.jsonl", "{}\n".to_owned(), "no head of a recording"),
        ("form.jsonl", text.replace("\"impinge_sim\":1", "\"impinge_sim\":9"), "the form"),
        ("cut.jsonl", text[..text.len() - 40].to_owned(), "no frame of a recording"),
        ("scene.jsonl", text.replace("bouncing?n=4", "bouncing?n=5"), "is not the scene"),
    ];
    for (name, text, expected) in cases {
        let run = sim(&["--replay", &folder.file(name, text)]);
        assert_eq!(run.code, 2, "{name}");
        assert!(run.err.contains(expected), "{name}: {}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    }
    assert_eq!(sim(&["--replay", "nowhere.jsonl"]).code, 2);
}

#[test]
fn collisions_can_be_heard() {
    let folder = Folder::new();
    let scene = scene(&folder, "s.toml", "", "");
    let file = argument(&folder.path("run.wav"));
    let run = sim(&[&scene, "--frames", "800", "--sound", &file]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let bytes = std::fs::read(folder.path("run.wav")).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((&bytes[..4], &bytes[8..16]), (b"RIFF".as_slice(), b"WAVEfmt ".as_slice()));
    assert_eq!(
        (word(4) as usize, word(24), word(40) as usize),
        (bytes.len() - 8, 44_100, bytes.len() - 44)
    );
    let samples: Vec<i16> =
        bytes[44..].chunks_exact(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect();
    // Eight seconds and the fading; silence until the first click after four.
    assert!((samples.len() as f64 / 44_100.0 - 8.1).abs() < 0.01);
    assert!(samples[..44_100 * 39 / 10].iter().all(|x| *x == 0));
    assert!(samples[44_100 * 39 / 10..44_100 * 42 / 10].iter().any(|x| x.abs() > 10_000));
}

#[test]
fn bad_input_is_one_clear_message() {
    let folder = Folder::new();
    let cases = [
        ("", "sim = { mass = -1 }", "the mass is -1; a number above 0 is needed"),
        ("", "sim = { mass = nan }", "the mass is NaN"),
        ("", "sim = { density = 0 }", "the density is 0"),
        ("", "sim = { velocity = [0, inf, 0] }", "the velocity has the number inf"),
        ("", "sim = { kind = \"loose\" }", "unknown variant `loose`"),
        ("", "sim = { kind = \"scripted\" }", "no [path] moves the body"),
        ("", "sim = { period = 1 }", "the body has no `frames`"),
        ("", "sim = { weight = 1 }", "unknown field `weight`"),
        ("", "sim = { grasp = [2, 1] }", "it grasps from 2 until 1"),
        ("", "sim = { grasp = [0, 1] }", "it grasps, but it is free"),
        ("", "sim = { mass = 1, density = 1 }", "there are a mass and a density"),
        ("response = \"bounce\"", "", "unknown variant `bounce`"),
        ("integrator = \"leap\"", "", "unknown variant `leap`"),
        ("restitution = 2", "", "the restitution is 2; 0 to 1 is possible"),
        ("friction = -1", "", "the friction is -1"),
        ("gravity = [0, 0, nan]", "", "the gravity has the number NaN"),
        ("engine = \"warp\"", "", "engine `warp`: there is no engine of that name"),
        ("pruner = \"warp\"", "", "there is no pruner `warp`"),
    ];
    for (number, (sim_table, body, expected)) in cases.into_iter().enumerate() {
        let scene = scene(&folder, &format!("{number}.toml"), sim_table, body);
        let run = sim(&[&scene, "--frames", "1"]);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{expected}");
        assert!(run.err.contains(expected), "{expected}: {}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    }
    let outside = scene(&folder, "out.toml", "", "[[body]]\nname = \"far\"\nmesh = \"sample:box\"");
    let run = sim(&[&outside, "--frames", "1"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("body `far` reaches from -0.5 to 0.5 along x"), "{}", run.err);
    let good = scene(&folder, "good.toml", "", "");
    for (arguments, expected) in [
        (vec![good.as_str()], "--frames"),
        (vec![good.as_str(), "--frames", "0"], "a whole number from 1"),
        (vec![good.as_str(), "--frames", "1", "--dt", "-1ms"], "is no time"),
        (vec![good.as_str(), "--frames", "1", "--dt", "soon"], "is no time"),
        (vec![good.as_str(), "--frames", "1", "--engine", "warp"], "no engine"),
        (vec![good.as_str(), "--frames", "1", "--record", &good], "would write over the input"),
        (vec!["sample:box", "--frames", "1"], "is a mesh"),
        (vec!["sample:warp", "--frames", "1"], "known are"),
        (vec!["part.stl", "--frames", "1"], "is no scene"),
        (vec!["missing.toml", "--frames", "1"], "missing.toml"),
    ] {
        let run = sim(&arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.err.contains(expected), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn a_path_leads_and_frames_deform() {
    let folder = Folder::new();
    let text = "[sim]\ndt = 0.1\nloop = true\n\
        [[body]]\nname = \"ram\"\nmesh = \"sample:box\"\n\
        [[body]]\nname = \"ball\"\nmesh = \"sample:pulsating-sphere\"\nframes = 8\n\
        pose = { translation = [3.5, 0, 0] }\n[body.sim]\nkind = \"fixed\"\nperiod = \"200ms\"\n\
        [path]\nmoves = \"ram\"\n\
        [[path.keyframe]]\ntime = 0\n\
        [[path.keyframe]]\ntime = 1\npose = { translation = [3, 0, 0] }\n\
        [[path.keyframe]]\ntime = 2\n";
    let scene = folder.file("lead.toml", text);
    let line = summary(&[&scene, "--frames", "40"]);
    // Two laps, into the ball and out of it.
    assert_eq!(line["begins"], json!(2), "{line}");
    let schema = run(&["schema", "sim"]);
    assert!(schema.code == 0 && schema.out.contains("energy_drift"));
}
