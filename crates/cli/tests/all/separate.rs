//! `impinge check --separate` from outside: what touches is told a place where it does not.

use crate::program::{Folder, run, tetrahedron};
use serde_json::Value;

fn json(more: &[&str]) -> Vec<Value> {
    run(&[&["check", "--format", "json"], more].concat()).json()
}

#[test]
fn moving_by_the_separation_frees_the_pair() {
    let folder = Folder::new();
    let poses = folder.file("poses.txt", "1 0 0 0 0.4 0.1 0\n1 0.2 0.1 0 0 0 0\n1 0 0 0 9 0 0\n");
    for (a, b) in [("sample:box", "sample:icosahedron"), ("sample:torus", "sample:cup")] {
        let lines = json(&[a, b, "--poses", &poses, "--separate"]);
        let text = std::fs::read_to_string(&poses).unwrap();
        let mut moved = String::new();
        for (line, pose) in lines.iter().zip(text.lines()) {
            let pair = &line["pairs"][0];
            let hit = pair["verdict"] == "hit";
            assert_eq!(pair["separation"].is_object(), hit, "{pair}");
            let mut numbers: Vec<f64> = pose.split(' ').map(|x| x.parse().unwrap()).collect();
            for k in 0..3 {
                numbers[4 + k] += pair["separation"]["translation"][k].as_f64().unwrap_or(0.0);
            }
            let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
            moved += &(numbers.join(" ") + "\n");
            let number = |field: &str| pair["separation"][field].as_f64();
            assert!(!hit || number("at_least") <= number("depth"), "{pair}");
            assert!(!hit || a == "sample:torus" || pair["separation"]["proven"] == true, "{pair}");
        }
        let again = run(&["check", a, b, "--poses", &folder.file("moved.txt", moved), "-q"]);
        assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    }
}

#[test]
fn all_formats_tell_it_and_only_when_asked() {
    let folder = Folder::new();
    let [a, b] =
        [("a.obj", 0.0), ("b.obj", 0.25)].map(|(name, x)| folder.file(name, tetrahedron([x; 3])));
    let text = run(&["check", &a, &b, "--separate"]);
    assert!(text.code == 1 && text.out.contains("free if b is moved "), "{}", text.out);
    let csv = run(&["check", &a, &b, "--separate", "--format", "csv"]).out;
    let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
    assert!(rows[0].len() == rows[1].len() && rows[1][13..17].iter().all(|x| !x.is_empty()));
    assert!(json(&[&a, &b])[0]["pairs"][0]["separation"].is_null());
    // A body against itself has no way out.
    let fold = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 0\nf 1 2 3\nf 2 1 4\n";
    let line = &json(&[&folder.file("fold.obj", fold), "--self", "--separate"])[0];
    assert!(line["verdict"] == "hit" && line["pairs"][0]["separation"].is_null(), "{line}");
}
