//! `impinge check --images` from outside: pictures of what the engine saw, and what they say of themselves.

use crate::program::{Folder, argument, run};
use serde_json::Value;
use std::path::Path;

const BALLS: [&str; 5] =
    ["check", "sample:sphere", "sample:sphere?radius=0.9", "--engine", "image"];

struct Shown {
    width: usize,
    height: usize,
    colors: Vec<[u8; 3]>,
    legend: Value,
}

/// A picture, and the JSON in it, which is also that beside it.
fn read(path: &Path) -> Shown {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let (width, height) = reader.info().size();
    reader.next_frame(&mut bytes).unwrap();
    let text = reader.info().utf8_text.first().expect("a comment").get_text().unwrap();
    assert_eq!(text, std::fs::read_to_string(path.with_extension("json")).unwrap());
    let colors = bytes.as_chunks().0.to_vec();
    let legend = serde_json::from_str(&text).unwrap();
    Shown { width: width as usize, height: height as usize, colors, legend }
}

fn count(shown: &Shown, name: &str) -> usize {
    let colours = shown.legend["colours"].as_array().unwrap();
    let [_, color] = &colours.iter().find(|pair| pair[0] == name).unwrap().as_array().unwrap()[..]
    else {
        panic!("a name and a colour")
    };
    let color: [u8; 3] = serde_json::from_value(color.clone()).unwrap();
    shown.colors.iter().filter(|one| **one == color).count()
}

#[test]
fn what_meets_is_red_and_only_that() {
    let folder = Folder::new();
    let poses = folder.file("poses.txt", "1 0 0 0 1.5 0 0\n1 0 0 0 1.2 1.6 0\n1 0 0 0 9 0 0\n");
    let to = folder.path("new/pictures");
    let answers = run(&[&BALLS[..], &["--poses", &poses, "--images", &argument(&to)]].concat());
    let note = "has 2 pictures; none of 1 listed pair whose boxes share nothing\n";
    assert!(answers.code == 1 && answers.err.ends_with(note), "{}", answers.err);
    let plain = run(&[&BALLS[..], &["--poses", &poses]].concat());
    let verdicts = |text: &str| text.matches(" hit ").count();
    assert_eq!(verdicts(&answers.out), verdicts(&plain.out));
    // Where no part of space is reached by both there is nothing to show.
    assert_eq!(std::fs::read_dir(&to).unwrap().count(), 4);
    let hit = read(&to.join("query0-pair0-sphere-sphere-2.png"));
    assert!(hit.legend["verdict"] == "hit" && count(&hit, "faces that meet") > 100);
    assert!(hit.legend["pairs_that_meet"].as_u64() > Some(10), "{}", hit.legend);
    assert!(hit.width > 900 && hit.height >= 320 && hit.colors.len() == hit.width * hit.height);
    let free = read(&to.join("query1-pair0-sphere-sphere-2.png"));
    assert!(free.legend["verdict"] == "free" && count(&free, "faces that meet") == 0);
    assert_eq!(free.legend["pairs_that_meet"], 0);
    let ways = ["right", "down", "away"]
        .map(|way| -> Vec<f64> { serde_json::from_value(hit.legend[way].clone()).unwrap() });
    for way in ways {
        assert!((way.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_resolution_is_what_is_shown_and_names_are_tame() {
    let folder = Folder::new();
    let to = argument(&folder.path("pictures"));
    let body = |name: &str, x: f64| {
        let pose = format!("pose = {{ translation = [{x}, 0.1, 0.0] }}");
        format!("[[body]]\nname = \"{name}\"\nmesh = \"sample:box\"\n{pose}\n")
    };
    let scene = folder.file("scene.toml", body("../é b", 0.0) + &body("c/d", 0.5));
    let engine = ["--engine", "image?resolution=16", "--images", &to];
    let answers = run(&[&["check", &scene], &engine[..]].concat());
    assert_eq!(answers.code, 1, "{}", answers.err);
    let shown = read(&folder.path("pictures/query0-pair0-..___b-c_d.png"));
    let pixels = shown.legend["pixels"].as_array().unwrap();
    assert_eq!(pixels.iter().filter_map(Value::as_u64).max(), Some(16));
    assert_eq!(shown.legend["a"], "../é b");
}

#[test]
fn what_a_budget_left_open_is_not_told_by_the_picture() {
    let folder = Folder::new();
    let to = folder.path("pictures");
    let to_it = argument(&to);
    let images = ["--images", &to_it, "--budget", "1work"];
    let poses = folder.file("poses.txt", "1 0 0 0 1.5 0 0\n");
    let answers = run(&[&BALLS[..], &images, &["--poses", &poses]].concat());
    assert_eq!((answers.code, answers.err.as_str()), (3, ""));
    let shown = read(&to.join("query0-pair0-sphere-sphere-2.png"));
    assert_eq!(shown.legend["verdict"], "unknown");
    assert!(shown.legend["pairs_that_meet"].is_null(), "{}", shown.legend);
}

#[test]
fn blocks_are_shown_pass_by_pass() {
    let folder = Folder::new();
    let to = folder.path("pictures");
    let engine = ["--engine", "r98-recode?resolution=32", "--images", &argument(&to)];
    let poses = folder.file("poses.txt", "1 0 0 0 1.5 0 0\n");
    let answers = run(&[&BALLS[..3], &engine[..], &["--poses", &poses]].concat());
    assert_eq!((answers.code, answers.err.as_str()), (1, ""));
    let first = read(&to.join("query0-pair0-sphere-sphere-2-blocks0_0-pass1.png"));
    assert!(first.legend["pass"] == 1 && first.height >= 320, "{}", first.legend);
    let passes = std::fs::read_dir(&to).unwrap().map(|entry| entry.unwrap().path());
    let pictures = passes.filter(|path| path.extension().is_some_and(|end| end == "png"));
    let overlap = "one face of the other block before it: they overlap";
    let seen: usize = pictures.map(|path| count(&read(&path), overlap)).sum();
    assert!(seen > 100, "{seen}");
}

#[test]
fn many_pictures_are_cut_short_and_that_is_said() {
    let folder = Folder::new();
    let poses = folder.file("poses.txt", "1 0 0 0 0.5 0 0\n".repeat(103));
    let to = argument(&folder.path("pictures"));
    let boxes = ["check", "sample:box", "sample:box", "--engine", "image?resolution=4"];
    let answers = run(&[&boxes[..], &["--poses", &poses, "--images", &to, "-q"]].concat());
    let told = "first 100 pictures; there are more, and --shard or fewer queries show others";
    assert!(answers.code == 1 && answers.err.contains(told), "{}", answers.err);
    assert_eq!(std::fs::read_dir(folder.path("pictures")).unwrap().count(), 200);
    assert_eq!(answers.out.lines().count(), 103);
    let far = folder.file("far.txt", "1 0 0 0 9 0 0\n");
    let to = argument(&folder.path("none"));
    let answers = run(&[&boxes[..], &["--poses", &far, "--images", &to]].concat());
    let told = "note: no picture was written; none of 1 listed pair whose boxes share nothing\n";
    assert_eq!((answers.code, answers.err.as_str()), (0, told));
    let itself = run(&["check", "sample:box", "--self", "--engine", "image", "--images", &to]);
    let told = "note: no picture was written; none of bodies against themselves\n";
    assert_eq!((itself.code, itself.err.as_str()), (0, told));
    assert!(!folder.path("none").exists());
}

#[test]
fn of_one_query_others_are_seen_with_fewer_bodies() {
    let folder = Folder::new();
    let body = |k: u32| {
        let pose = format!("pose = {{ translation = [{}, 0.0, 0.0] }}", 0.01 * f64::from(k));
        format!("[[body]]\nname = \"body{k}\"\nmesh = \"sample:box\"\n{pose}\n")
    };
    let scene = folder.file("scene.toml", (0..16).map(body).collect::<String>());
    let to = argument(&folder.path("pictures"));
    let answers = run(&["check", &scene, "--engine", "image?resolution=4", "--images", &to, "-q"]);
    let told = "there are more, and to see others check fewer bodies at once\n";
    assert!(answers.code == 1 && answers.err.ends_with(told), "{}", answers.err);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = Folder::new();
    let file = folder.file("file", "");
    let to = argument(&folder.path("pictures"));
    let refused = |arguments: &[&str], part: &str| {
        let told = run(&[&["check", "sample:box", "sample:box"], arguments].concat());
        assert!(told.code == 2 && told.out.is_empty() && told.err.contains(part), "{}", told.err);
        assert!(told.err.starts_with("error: "), "{}", told.err);
    };
    refused(&["--images", &to], "--engine image or r98-recode is needed, not auto");
    refused(
        &["--images", &to, "--engine", "bvh"],
        "--engine image or r98-recode is needed, not bvh",
    );
    refused(&["--images", &file, "--engine", "image"], "this is no directory");
    let below = format!("{file}/pictures");
    refused(&["--images", &below, "--engine", "image"], "cannot be made");
    refused(&["--images", &to, "--engine", "image", "--motions", &file], "cannot be used with");
    assert!(!folder.path("pictures").exists());
}

#[test]
fn pictures_of_two_runs_do_not_mix() {
    let folder = Folder::new();
    let to = folder.path("pictures");
    std::fs::create_dir(&to).unwrap();
    std::fs::write(to.join("readme.txt"), "beside them").unwrap();
    let to_it = argument(&to);
    let check = [&BALLS[..], &["--images", &to_it]].concat();
    assert_eq!(run(&check).code, 1);
    let again = run(&check);
    assert_eq!((again.code, again.out.as_str()), (2, ""));
    let told = "has 2 picture files of another run, as query0-pair0-sphere-sphere-2.json; an empty";
    assert!(again.err.starts_with("error: ") && again.err.contains(told), "{}", again.err);
    assert_eq!(std::fs::read_dir(&to).unwrap().count(), 3);
}
