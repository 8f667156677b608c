//! `impinge fit`: verdicts, exit codes, formats and messages.

use crate::program::{Folder, Run, run};
use serde_json::{Value, json};

/// Boxes as OFF files and a scene of them: `part` goes down past `wall`, whose side is `gap` away.
fn scene(folder: &Folder, gap: f64, more: &str) -> String {
    let cube = |half: f64| {
        let corner = |i: usize, k: usize| if (i >> k) & 1 == 0 { -half } else { half };
        let line = |i: usize| format!("{} {} {}\n", corner(i, 0), corner(i, 1), corner(i, 2));
        let vertices: String = (0..8).map(line).collect();
        let faces = "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";
        format!("OFF\n8 6 0\n{vertices}{faces}")
    };
    folder.file("cube.off", cube(1.0));
    let text = format!(
        "units = \"mm\"\n\
         [[body]]\nname = \"part\"\nmesh = \"cube.off\"\npose = {{ translation = [{x}, 0, 5] }}\n\
         [[body]]\nname = \"wall\"\nmesh = \"cube.off\"\n\
         [path]\nmoves = \"part\"\n\
         [[path.keyframe]]\ntime = 0\npose = {{ translation = [{x}, 0, 5] }}\n\
         [[path.keyframe]]\ntime = 1\npose = {{ translation = [{x}, 0, -5] }}\n{more}",
        x = 2.0 + gap
    );
    folder.file("scene.toml", &text)
}

fn fit(arguments: &[&str]) -> Run {
    run(&[&["fit"], arguments].concat())
}

fn answer(arguments: &[&str]) -> (i32, Value) {
    let run = fit(&[arguments, &["--format", "json"]].concat());
    assert_eq!(run.err, "");
    let [line] = run.json().try_into().expect("one line");
    (run.code, line)
}

#[test]
fn a_free_path_is_certified_with_its_clearance() {
    let folder = Folder::new();
    let scene = scene(&folder, 0.25, "");
    let text = fit(&[&scene]);
    assert_eq!((text.code, text.err.as_str()), (0, ""));
    let first = text.out.lines().next().unwrap();
    assert!(first.starts_with("CERTIFIED FREE  clearance ≥ 0.24"), "{first}");
    assert!(first.contains("part ") && first.contains("↔ wall "), "{first}");
    let quiet = fit(&[&scene, "-q"]);
    assert_eq!(quiet.out.trim_end(), first);

    let (code, line) = answer(&[&scene]);
    assert_eq!((code, &line["verdict"]), (0, &json!("free")));
    let clearance = &line["clearance"];
    let [least, most] = ["at_least", "at_most"].map(|key| clearance[key].as_f64().unwrap());
    assert!(least <= 0.25 && least > 0.249 && (most - 0.25).abs() < 1e-12);
    assert_eq!([&clearance["a"], &clearance["b"]], [&json!("part"), &json!("wall")]);
    assert_eq!(line["summary"]["units"], json!("mm"));
    assert!(line.get("contact").is_none() && line.get("partial").is_none());
}

#[test]
fn a_contact_is_told_with_its_time_and_what_meets() {
    let folder = Folder::new();
    let scene = scene(&folder, -0.25, "");
    let text = fit(&[&scene]);
    assert_eq!(text.code, 1);
    let first = text.out.lines().next().unwrap();
    assert!(first.starts_with("FIRST CONTACT t ∈ [0.29999"), "{first}");
    assert!(first.contains(" × wall ") && first.contains("normal (0, 0, -1)"), "{first}");
    assert!(text.out.contains("40.00%"), "{}", text.out);

    let (code, line) = answer(&[&scene]);
    assert_eq!((code, &line["verdict"]), (1, &json!("hit")));
    let contact = &line["contact"];
    let time = |value: &Value, k: usize| value[k].as_f64().unwrap();
    assert!(time(&contact["time"], 0) <= 0.3 && 0.3 <= time(&contact["time"], 1) + 1e-12);
    assert_eq!(contact["kind"], json!("surface"));
    // What is a little below the upper side by then is the lower edges of the part, which end at 3.
    let faces = contact["faces"].as_array().unwrap();
    assert!(faces.contains(&json!([4, 1])) && !faces.contains(&json!([1, 0])), "{faces:?}");
    let interval = &line["intervals"][0];
    assert!((time(&interval["leave"], 1) - 0.7).abs() < 2e-6);
    assert_eq!(line["intervals"].as_array().unwrap().len(), 1);
}

#[test]
fn a_clearance_that_is_missed_is_a_finding() {
    let folder = Folder::new();
    let scene = scene(&folder, 0.25, "");
    let text = fit(&[&scene, "--clearance", "260um"]);
    assert_eq!(text.code, 1);
    assert!(text.out.starts_with("TOO CLOSE  clearance 250 um, 260 um needed"), "{}", text.out);
    let (code, line) = answer(&[&scene, "--clearance", "0.26mm"]);
    assert_eq!((code, &line["verdict"], &line["too_close"]), (1, &json!("free"), &json!(true)));
    assert!((line["too_close_from"][1].as_f64().unwrap() - 0.293).abs() < 1e-3);
    let (code, line) = answer(&[&scene, "--clearance", "0.25mm"]);
    assert_eq!((code, line.get("too_close")), (0, None));
}

#[test]
fn what_is_allowed_is_listed() {
    let folder = Folder::new();
    let rule = "[[allow]]\na = \"part\"\nb = \"wall\"\nuntil = \"end\"\nreason = \"a seal\"\n";
    let scene = scene(&folder, -0.25, rule);
    let text = fit(&[&scene]);
    assert_eq!(text.code, 0, "{}{}", text.out, text.err);
    assert!(text.out.starts_with("CERTIFIED FREE  all contacts are allowed"), "{}", text.out);
    assert!(
        text.out.contains("allowed: part × wall may touch to the end (a seal)"),
        "{}",
        text.out
    );
    let (_, line) = answer(&[&scene]);
    assert_eq!(line["allowed"][0]["until"], json!("end"));
    assert_eq!(line["curve"][0]["state"], json!("allowed"));
}

#[test]
fn a_budget_leaves_the_rest_unknown() {
    let folder = Folder::new();
    let scene = scene(&folder, 0.25, "");
    let text = fit(&[&scene, "--budget", "0s"]);
    assert_eq!(text.code, 3);
    assert!(text.out.starts_with("UNKNOWN  t ∈ [0.0"), "{}", text.out);
    let (code, line) = answer(&[&scene, "--budget", "0work"]);
    assert_eq!((code, &line["verdict"], &line["partial"]), (3, &json!("unknown"), &json!(true)));
    assert_eq!(line["undecided"], json!([0.0, 1.0]));
}

#[test]
fn the_curve_is_a_table() {
    let folder = Folder::new();
    let scene = scene(&folder, -0.25, "");
    let table = fit(&[&scene, "--format", "csv", "--samples", "11"]);
    let lines: Vec<&str> = table.out.lines().collect();
    assert_eq!((table.code, lines.len()), (1, 12));
    assert!(lines.iter().all(|line| line.split(',').count() == 12), "{}", table.out);
    let cells: Vec<&str> = lines[1].split(',').collect();
    let apart: f64 = cells[2].parse().unwrap();
    assert!((apart - 3.0).abs() < 1e-9 && cells[4..6] == ["part", "wall"], "{}", lines[1]);
    assert!(lines[6].starts_with("0.5,hit,0,0,part,wall,"), "{}", lines[6]);
}

#[test]
fn threads_do_not_change_a_bit() {
    let folder = Folder::new();
    let scene = scene(&folder, -0.25, "");
    let of = |threads: &str| {
        let (_, mut line) = answer(&[&scene, "--threads", threads]);
        line["summary"]["seconds"] = json!(0);
        line
    };
    assert_eq!(of("1"), of("3"));
}

#[test]
fn meshes_can_be_elsewhere() {
    let [here, there] = [Folder::new(), Folder::new()];
    scene(&there, 0.25, "");
    let text = std::fs::read_to_string(there.path("scene.toml")).unwrap();
    let moved = here.file("moved.toml", &text);
    assert_eq!(fit(&[&moved]).code, 2);
    let meshes = there.path("");
    assert_eq!(fit(&[&moved, "--meshes", &meshes.to_string_lossy()]).code, 0);
}

#[test]
fn bad_input_gets_one_clear_message() {
    let folder = Folder::new();
    let whole = std::fs::read_to_string(scene(&folder, 0.25, "")).unwrap();
    let still = folder.file("still.toml", whole.split("[path]").next().unwrap());
    let refused = |arguments: &[&str]| {
        let run = fit(arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
        run.err
    };
    assert!(refused(&[&still]).contains("nothing moves; a [path] is needed"));
    assert!(refused(&["sample:box"]).contains("is a mesh; a scene is needed"));
    assert!(refused(&["sample:headlight"]).contains("nothing moves"));
    assert!(refused(&["part.stl"]).contains("is no scene"));
    assert!(refused(&["none.toml"]).contains("none.toml"));
    assert!(refused(&[&still, "--samples", "1"]).contains("from 2 to"));
    assert!(refused(&[&still, "--tolerance", "0"]).contains("above 0"));
    assert!(refused(&[&still, "--budget", "soon"]).contains("a time as"));
}

#[test]
fn the_headlight_comes_apart_in_the_right_order() {
    let of = |name: &str| {
        let run = fit(&[&format!("sample:headlight-{name}?faces=20000"), "-q"]);
        (run.code, run.out)
    };
    let (code, cover) = of("cover");
    assert!(code == 0 && cover.contains("cover-left") && cover.contains("housing"), "{cover}");
    assert_eq!(of("bulb").0, 0);
    let (code, early) = of("cover-early");
    assert!(code == 1 && early.contains("cover-left") && early.contains("housing"), "{early}");
    let (code, early) = of("bulb-early");
    assert!(code == 1 && early.contains("bulb-left") && early.contains("cover-left"), "{early}");
}

#[test]
fn the_schema_describes_the_line() {
    let schema = run(&["schema", "fit"]);
    assert_eq!(schema.code, 0);
    let schema: Value = serde_json::from_str(&schema.out).unwrap();
    let folder = Folder::new();
    let (_, line) = answer(&[&scene(&folder, -0.25, "")]);
    for key in line.as_object().unwrap().keys() {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
}

#[test]
fn nothing_that_was_read_is_written_over() {
    let folder = Folder::new();
    let scene = scene(&folder, 0.25, "");
    let before = std::fs::read_to_string(&scene).unwrap();
    let mesh = scene.replace("scene.toml", "cube.off");
    for option in ["--report", "--certificate"] {
        for input in [&scene, &mesh] {
            let refused = fit(&[&scene, option, input]);
            assert_eq!((refused.code, refused.out.as_str()), (2, ""));
            assert!(refused.err.contains("would write over the input"), "{}", refused.err);
        }
    }
    let twice = scene.replace("scene.toml", "out");
    let refused = fit(&[&scene, "--report", &twice, "--certificate", &twice]);
    assert_eq!(refused.code, 2);
    assert_eq!(std::fs::read_to_string(&scene).unwrap(), before);
    let nowhere = scene.replace("scene.toml", "nowhere/out.html");
    assert_eq!(fit(&[&scene, "--report", &nowhere]).code, 2);
}

#[test]
fn a_certificate_is_about_its_scene_alone() {
    let folder = Folder::new();
    let proof = |scene: &str| {
        let file = scene.replace(".toml", ".json");
        assert!(fit(&[scene, "--certificate", &file]).code < 2);
        file
    };
    let verify = |file: &str, about: &str| run(&["verify", file, "--scene", about]);
    let first = scene(&folder, 0.25, "");
    let file = proof(&first);
    let accepted = verify(&file, &first);
    assert_eq!(accepted.code, 0, "{}", accepted.out);
    assert!(accepted.out.starts_with("PROVED FREE  1 pairs"), "{}", accepted.out);
    // Another path, in a file of the same name.
    let other = scene(&folder, 0.26, "");
    let rejected = verify(&file, &other);
    assert_eq!(rejected.code, 1);
    assert!(rejected.out.starts_with("REJECTED  not about this scene"), "{}", rejected.out);
    // A proof that excuses what this scene does not.
    let rule = "[[allow]]\na = \"part\"\nb = \"wall\"\nuntil = 0.2\nreason = \"seat\"\n";
    let excused = proof(&scene(&folder, 0.25, rule));
    assert_eq!(verify(&excused, &scene(&folder, 0.25, rule)).code, 0);
    let rejected = verify(&excused, &scene(&folder, 0.25, ""));
    assert!(rejected.out.contains("may touch more than in the scene"), "{}", rejected.out);
}

#[test]
fn a_contact_where_an_allowance_of_faces_ends_is_proven() {
    // The part stands on the wall until the time at which its faces count again.
    let folder = Folder::new();
    let rule = "[[allow]]\na = \"part\"\nb = \"wall\"\nuntil = 0.5\nreason = \"seat\"\n\
                within = { min = [-1, -1, 0.9], max = [1, 1, 1.1] }\n";
    let text = std::fs::read_to_string(scene(&folder, -2.0, rule)).unwrap();
    let text = text.replace("[0, 0, 5]", "[0, 0, 1.5]").replace("[0, 0, -5]", "[0, 0, 1.4]");
    let scene = folder.file("scene.toml", &text);
    let file = scene.replace(".toml", ".json");
    let found = fit(&[&scene, "--certificate", &file]);
    assert_eq!(found.code, 1, "{}{}", found.out, found.err);
    let proven = run(&["verify", &file, "--scene", &scene]);
    assert_eq!(proven.code, 0, "{}{}", proven.out, proven.err);
}
