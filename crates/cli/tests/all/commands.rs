//! The other commands: what is shown without arguments, info, samples, schemas, help.

use crate::program::{Folder, argument, cup, run};
use serde_json::{Value, json};

#[test]
fn without_arguments_a_real_answer_is_shown() {
    let shown = run(&[]);
    assert_eq!((shown.code, shown.err.as_str()), (0, ""));
    for part in [
        "exit code is 0",
        "housing × screw",
        "filament is inside bulb",
        "0.5 mm apart",
        "impinge --help",
    ] {
        assert!(shown.out.contains(part), "{}", shown.out);
    }
}

#[test]
fn every_command_helps_with_an_example() {
    for command in [
        &[][..],
        &["check"],
        &["ask"],
        &["info"],
        &["samples"],
        &["schema"],
        &["lab"],
        &["bench"],
        &["bench", "nbody"],
    ] {
        let help = run(&[command, &["--help"]].concat());
        assert_eq!(help.code, 0);
        assert!(help.out.contains("Example") && help.out.contains("--threads"), "{}", help.out);
    }
    for part in ["Without a command", "In a check: no progress bar"] {
        assert!(run(&["--help"]).out.contains(part));
    }
    let check = run(&["check", "--help"]).out;
    assert!(check.contains("at_most") && check.contains("not_closed"), "{check}");
    for help in [check, run(&["sim", "--help"]).out] {
        for part in ["size=1.5", "resolution=128", "fill=cover|centre", "inside=", "sides=both|one"]
        {
            assert!(help.contains(part), "{part}: {help}");
        }
    }
    assert!(run(&["--version"]).out.starts_with("impinge "));
}

#[test]
fn info_tells_what_a_mesh_is_like() {
    let line = &run(&["info", "sample:sphere", "--format", "json"]).json()[0];
    assert_eq!([&line["closed"], &line["manifold"], &line["oriented"]], [&json!(true); 3]);
    assert_eq!([&line["faces"], &line["components"]], [&json!(960), &json!(1)]);
    assert_eq!([&line["self_intersections"], &line["open_edges"]], [&json!(0); 2]);
    assert!(line["volume"].as_f64() > Some(4.0) && line["volume"].as_f64() < Some(4.19));

    let folder = Folder::new();
    let broken = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.3 0.2 -1\nv 0.2 0.3 1\nv 9 9 9\n\
        f 1 2 3\nf 3 2 1\nf 4 5 6\nf 1 1 2\n";
    let path = folder.file("broken.obj", broken);
    let line = &run(&["info", &path, "--format", "json"]).json()[0];
    assert_eq!([&line["duplicate_faces"], &line["degenerate_faces"]], [&json!(1); 2]);
    assert_eq!([&line["closed"], &line["volume"]], [&json!(false), &Value::Null]);
    assert_eq!(line["unused_vertices"], json!(1));
    assert!(line["self_intersections"].as_u64() >= Some(2));
    let text = run(&["info", &path]);
    assert!(text.code == 0 && text.out.contains("open edge"), "{}", text.out);
    let csv = run(&["info", &path, "sample:box", "--format", "csv"]).out;
    let widths: Vec<usize> = csv.lines().map(|row| row.split(',').count()).collect();
    assert_eq!(widths, [23; 3]);
    assert_eq!(line["frames"], Value::Null);

    let scene = "[[body]]\nname = \"h\"\nmesh = \"sample:hand\"\nframes = 4\n";
    let path = folder.file("hand.toml", scene);
    assert_eq!(run(&["info", &path, "--format", "json"]).json()[0]["frames"], json!(4));
    assert!(run(&["info", &path]).out.contains("1 piece, 4 frames"));
}

#[test]
fn large_meshes_are_self_tested_only_on_request() {
    let large = run(&["info", "sample:sphere?faces=25000", "--format", "json"]);
    assert_eq!(large.json()[0]["self_intersections"], Value::Null);
}

#[test]
fn samples_are_listed_and_built_as_listed() {
    let lines = run(&["samples", "--format", "json"]).json();
    assert_eq!(lines.len(), impinge_samples::all().len());
    let text = run(&["samples"]).out;
    assert!(lines.iter().all(|line| text.contains(line["name"].as_str().unwrap())));
    let one = run(&["samples", "torus-knot"]).out;
    assert!(one.contains("turns about z"), "{one}");
    assert_eq!(run(&["samples", "--format", "csv"]).out.lines().count(), lines.len() + 1);
}

#[test]
fn motions_of_a_sample_are_written_as_poses_and_as_steps() {
    let sample = "headlight-fitting?faces=20000";
    let listed = run(&["samples", "headlight-fitting"]).out;
    assert!(listed.contains("motions: free-left, free-right, forced-left"), "{listed}");
    let numbers = |text: &str| -> Vec<Vec<String>> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
    };
    let poses = run(&["samples", sample, "--poses", "forced-left"]);
    assert!(poses.code == 0 && poses.out.starts_with("# cover-left: "), "{}", poses.err);
    let poses = numbers(&poses.out);
    let motions = numbers(&run(&["samples", sample, "--motions", "forced-left"]).out);
    assert_eq!((poses.len(), motions.len()), (321, 320));
    assert!(motions.iter().zip(poses.windows(2)).all(|(m, two)| *m == two.concat()));

    // What is written is what a check reads, and the whole way is in it.
    let folder = Folder::new();
    let scene = format!("sample:{sample}");
    for (motion, code) in [("free-left", 0), ("forced-left", 1)] {
        let file = argument(&folder.path(motion));
        assert_eq!(run(&["samples", sample, "--poses", motion, "--out", &file]).code, 0);
        let checked = run(&["check", &scene, "--poses", &file, "--format", "json"]);
        assert_eq!(checked.code, code, "{}", checked.err);
        let summary = &checked.json()[321]["summary"];
        assert_eq!(summary["queries"], json!(321));
    }
    let refused = |args: &[&str], part: &str| {
        let told = run(args);
        assert!(told.code == 2 && told.err.contains(part), "{}", told.err);
    };
    refused(&["samples", sample, "--poses", "free-right"], "moves `cover-right`");
    refused(&["samples", "sphere", "--motions", "free-left"], "has no motion `free-left`");
    refused(&["samples", sample, "--motions", "left"], "it has free-left, free-right");
    refused(&["samples", "--motions", "free-left"], "NAME");
    refused(&["samples", sample, "--out", "x.txt"], "--poses");
    refused(&["samples", sample, "--poses", "free-left", "--motions", "free-left"], "cannot be");
    let right = format!("{sample}&last=2");
    assert_eq!(run(&["samples", &right, "--poses", "free-right"]).code, 0);
}

#[test]
fn experiments_are_listed() {
    let list = run(&["lab", "list"]);
    assert!(list.code == 0 && list.out.contains("load-speed"), "{}", list.out);
    let lines = run(&["lab", "list", "--format", "json"]).json();
    assert!(lines.iter().any(|line| line["name"] == json!("load-speed")));
    let texts = ["name", "title", "about"];
    assert!(lines.iter().all(|line| texts.iter().all(|&field| line[field].is_string())));
    let csv = run(&["lab", "list", "--format", "csv"]).out;
    assert_eq!(csv.lines().next(), Some("name,title,paper,about"));
    assert_eq!(csv.lines().count(), lines.len() + 1);
}

/// Every key of `value` must be a property that the schema knows somewhere at that place.
fn unknown_keys(schema: &Value, root: &Value, value: &Value) -> Vec<String> {
    let resolved = |schema: &Value| match schema["$ref"].as_str() {
        Some(path) => root.pointer(path.trim_start_matches('#')).cloned().unwrap_or(Value::Null),
        None => schema.clone(),
    };
    let mut options = vec![resolved(schema)];
    for key in ["anyOf", "oneOf", "allOf"] {
        options.extend(schema[key].as_array().into_iter().flatten().map(resolved));
    }
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, field)| {
                let known = options.iter().find_map(|option| option["properties"].get(key));
                match known {
                    Some(schema) => unknown_keys(schema, root, field),
                    None => vec![key.clone()],
                }
            })
            .collect(),
        Value::Array(items) => {
            let items_schema = options.iter().find_map(|option| option.get("items"));
            let schema = items_schema.unwrap_or(&Value::Null);
            items.iter().flat_map(|item| unknown_keys(schema, root, item)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn schemas_know_every_field() {
    let folder = Folder::new();
    let cup = folder.file("cup.obj", cup());
    let poses = folder.file("poses.txt", "1 0 0 0 1 0 0\n");
    let made = argument(&folder.path("made.txt"));
    let boxes = ["sample:box", "sample:box"];
    let timed = [&["bench", "poses"], &boxes[..], &["--poses", &poses, "--repeat", "1"]].concat();
    let making = [&["bench", "make-poses"], &boxes[..], &["--count", "2", "--out", &made]].concat();
    let cases: [(&str, &[&str]); 13] = [
        ("bench-poses", &timed),
        ("bench-make-poses", &making),
        ("bench-nbody", &["bench", "nbody", "sample:nbody?n=9", "--frames", "2"]),
        ("ask", &["ask", "sample:box", "--point", "0,0,0", "--ray", "0,0,9,0,0,-1"]),
        ("check", &["check", &cup, "sample:box"]),
        ("check", &["check", &cup, "sample:box", "sample:sphere", "--volume"]),
        ("lab", &["lab", "list"]),
        ("check", &["check", "sample:headlight", "--clearance", "2mm"]),
        ("check", &["check", "sample:headlight", "--want", "clearance"]),
        ("check", &["check", "sample:sphere", "sample:torus", "--budget", "1work"]),
        ("check", &["check", "sample:sphere", "sample:torus", "--self"]),
        ("info", &["info", "sample:headlight"]),
        ("samples", &["samples"]),
    ];
    for (name, arguments) in cases {
        let schema = &run(&["schema", name]).out;
        let schema: Value = serde_json::from_str(schema).unwrap();
        let lines = run(&[arguments, &["--format", "json"]].concat()).json();
        assert!(!lines.is_empty());
        for line in lines {
            assert_eq!(unknown_keys(&schema, &schema, &line), [""; 0], "{arguments:?}");
        }
        assert_eq!(unknown_keys(&schema, &schema, &json!({"no_such_field": 1})), ["no_such_field"]);
    }
    let scene = run(&["schema", "scene"]).out;
    assert!(scene.contains("\"body\"") && serde_json::from_str::<Value>(&scene).is_ok());
}
