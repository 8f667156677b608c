//! `impinge ask`: rays and points, from arguments, files and standard input.

use crate::program::{Folder, feed, run};
use serde_json::json;

#[test]
fn a_ray_meets_the_first_body_and_the_exit_code_tells() {
    let scene = ["ask", "sample:box?x=2&y=2&z=2", "--format", "json"];
    let ray = |text: &'static str| run(&[&scene[..], &["--ray", text]].concat());
    // Through the middle of a face, where two triangles share an edge.
    let hit = ray("0,0,5,0,0,-3");
    let lines = hit.json();
    assert_eq!((hit.code, hit.err.as_str()), (1, ""));
    let first = &lines[0]["hits"][0];
    assert_eq!([&first["distance"], &first["point"]], [&json!(4.0), &json!([0.0, 0.0, 1.0])]);
    assert_eq!([&first["facing"], &first["normal"]], [&json!("front"), &json!([0.0, 0.0, 1.0])]);
    assert_eq!(lines[1]["summary"]["hits"], json!(1));
    assert_eq!(lines[1]["summary"]["units"], json!("mm"));
    // Away from it, and not far enough.
    assert_eq!(ray("0,0,5,0,0,3").code, 0);
    let short = [&scene[..], &["--ray", "0,0,5,0,0,-3", "--within", "3.9mm"]].concat();
    assert_eq!(run(&short).code, 0);
    let all = [&scene[..], &["--ray", "0.1,0.2,5,0,0,-3", "--all"]].concat();
    assert_eq!(run(&all).json()[0]["hits"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_point_is_told_what_is_around_it() {
    let ask = |arguments: &[&str]| run(&[&["ask", "sample:box?x=2&y=2&z=2"], arguments].concat());
    let inside = ask(&["--point", "0.9,0,0", "--format", "json"]);
    let line = &inside.json()[0];
    assert_eq!((inside.code, &line["inside"]), (1, &json!(["box"])));
    let closest = &line["closest"];
    assert!(closest["at_least"].as_f64() <= Some(0.1) && closest["at_most"].as_f64() >= Some(0.1));
    let on = ask(&["--point", "1,1,1", "--format", "json"]);
    assert_eq!((on.code, &on.json()[0]["on"]), (1, &json!(["box"])));
    assert_eq!(on.json()[0]["closest"]["feature"], json!("vertex"));
    assert_eq!(ask(&["--point", "4,0,0"]).code, 0);
    assert_eq!(ask(&["--point", "4,0,0", "--within", "3.5"]).code, 1);
    let far = ask(&["--point", "4,0,0", "--within", "2.5", "--format", "json"]);
    assert_eq!((far.code, far.json()[0].get("closest")), (0, None));
    let text = ask(&["--point", "0.9,0,0", "--ray", "5,0,0,-1,0,0"]).out;
    assert!(text.contains("ray 0: box face") && text.contains("point 1: inside box"), "{text}");
}

#[test]
fn questions_come_from_files_and_streams() {
    let folder = Folder::new();
    let questions = "# a ray and a point\n0 0 5 0 0 -1\n\n9,9,9\n";
    let path = folder.file("questions.txt", questions);
    let arguments = ["ask", "sample:box", "--format", "json", "--from"];
    let file = run(&[&arguments[..], &[&path]].concat());
    let stream = feed(&[&arguments[..], &["-"]].concat(), questions);
    assert_eq!((file.code, stream.code), (1, 1));
    assert_eq!(file.json()[..2], stream.json()[..2]);
    let csv = run(&["ask", "sample:box", "--from", &path, "--format", "csv"]).out;
    let widths: Vec<usize> = csv.lines().map(|row| row.split(',').count()).collect();
    assert_eq!(widths, [11; 3]);
    let broken = feed(&[&arguments[..], &["-"]].concat(), "0 0 5 0 0 -1\n1 2\n");
    assert_eq!((broken.code, broken.json().len()), (2, 1));
    assert!(broken.err.contains("<stdin>:2: there are 2 numbers"), "{}", broken.err);
}

#[test]
fn answers_do_not_depend_on_threads() {
    let ask = |threads: &str| {
        let ray = "0,0,500,0.01,0.02,-1";
        let point = "3,4,5";
        let common = ["--all", "--format", "json", "--threads", threads];
        run(&[&["ask", "sample:headlight", "--ray", ray, "--point", point], &common[..]].concat())
    };
    let (one, three) = (ask("1"), ask("3"));
    assert_eq!(one.json()[..2], three.json()[..2]);
    assert!(one.json()[0]["hits"].as_array().is_some_and(|hits| hits.len() > 1));
}

#[test]
fn bad_questions_are_refused() {
    for (arguments, part) in [
        (&["--ray", "0,0,0,0,0,0"][..], "direction of the ray is zero"),
        (&["--ray", "1,2,3"], "six numbers"),
        (&["--point", "1,2,nan"], "finite"),
        (&["--point", "1,2,3,4,5,6"], "three numbers"),
        (&["--point", "1,2,3", "--within", "-1mm"], "-1mm"),
        (&[], "nothing is asked"),
        (&["--from", "nowhere.txt"], "nowhere.txt"),
    ] {
        let refused = run(&[&["ask", "sample:box"], arguments].concat());
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{arguments:?}");
        assert!(refused.err.contains(part), "{}", refused.err);
    }
}
