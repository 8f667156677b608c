//! Bad input: one clear message with the place, exit code 2, nothing on standard output.

use crate::program::{Folder, Run, argument, command, feed, run, tetrahedron};

/// Exit code 2, one line of error that holds all `parts`, no output.
fn refused(run: &Run, parts: &[&str]) {
    assert_eq!(run.code, 2, "stdout: {}\nstderr: {}", run.out, run.err);
    assert_eq!(run.out, "", "stderr: {}", run.err);
    assert!(run.err.starts_with("error: "), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    for part in parts {
        assert!(run.err.contains(part), "`{part}` is missing in: {}", run.err);
    }
}

/// Both commands that read meshes refuse a file.
fn mesh_refused(path: &str, parts: &[&str]) {
    refused(&run(&["check", "sample:box", path]), parts);
    refused(&run(&["check", path, "sample:box", "--format", "json"]), parts);
    refused(&run(&["info", "sample:box", path]), parts);
}

#[test]
fn text_meshes_with_bad_content() {
    let folder = Folder::new();
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let cases: [(&str, String, &[&str]); 11] = [
        ("nan.obj", format!("v 0 nan 0\n{triangle}f 1 2 3\n"), &["nan.obj:1"]),
        ("inf.obj", format!("{triangle}v 0 0 inf\nf 1 2 3\n"), &["inf.obj:4"]),
        ("huge.obj", format!("{triangle}v 0 0 1e999\nf 1 2 3\n"), &["huge.obj:4"]),
        ("faceless.obj", triangle.to_owned(), &["faceless.obj", "no faces"]),
        ("index.obj", format!("{triangle}f 1 2 4\n"), &["index.obj:4", "4"]),
        ("zero.obj", format!("{triangle}f 0 1 2\n"), &["zero.obj:4"]),
        ("word.obj", format!("{triangle}v 0 two 0\nf 1 2 3\n"), &["word.obj:4", "two"]),
        ("word.off", "OFF\n3 1 0\n0 0 0\n1 x 0\n0 1 0\n3 0 1 2\n".to_owned(), &["word.off:4"]),
        ("cut.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n".to_owned(), &["cut.off"]),
        ("cut.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0".to_owned(), &["cut.stl"]),
        ("word.raw", "0 0 0 1 0 0 0 1 zero\n".to_owned(), &["word.raw:1", "zero"]),
    ];
    for (name, content, parts) in &cases {
        mesh_refused(&folder.file(name, content), parts);
    }
}

#[test]
fn binary_meshes_that_promise_too_much() {
    let folder = Folder::new();
    let mut stl = vec![0; 80];
    stl.extend(2u32.to_le_bytes());
    stl.extend([0; 50]);
    mesh_refused(&folder.file("cut.stl", &stl), &["cut.stl"]);
    let head = "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n\
        property float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let mut ply = head.as_bytes().to_vec();
    ply.extend([0; 36]);
    mesh_refused(&folder.file("promise.ply", &ply), &["promise.ply"]);
    let text = head.replace("binary_little_endian", "ascii");
    mesh_refused(&folder.file("promise-text.ply", text + "0 0 0\n"), &["promise-text.ply"]);
    mesh_refused(&folder.file("promise.off", "OFF\n4000000000 1 0\n0 0 0\n"), &["promise.off"]);
}

#[test]
fn what_is_no_mesh_file() {
    let folder = Folder::new();
    let directory = folder.path("parts.obj");
    std::fs::create_dir(&directory).unwrap();
    mesh_refused(&argument(&directory), &["parts.obj", "directory"]);
    mesh_refused(&folder.file("empty.stl", ""), &["empty.stl", "empty"]);
    mesh_refused(&argument(&folder.path("absent.obj")), &["absent.obj", "no such file"]);
    mesh_refused(&folder.file("part.step", "ISO-10303-21;"), &["part.step", "known are"]);
    mesh_refused("sample:spere", &["spere", "known are"]);
    mesh_refused("sample:sphere?faces=many", &["faces=many", "whole number"]);
}

#[test]
fn gltf_buffers_that_are_empty_or_elsewhere() {
    let folder = Folder::new();
    folder.file("empty.bin", "");
    let inner = folder.path("inner");
    std::fs::create_dir(&inner).unwrap();
    folder.file("outside.bin", [0; 36]);
    let document = |uri: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
            "nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}}],
            "buffers":[{{"uri":"{uri}","byteLength":36}}]}}"#
        )
    };
    mesh_refused(&folder.file("a.gltf", document("empty.bin")), &["a.gltf", "empty.bin"]);
    mesh_refused(&folder.file("b.gltf", document("absent.bin")), &["b.gltf", "absent.bin"]);
    mesh_refused(&folder.file("inner/c.gltf", document("../outside.bin")), &["c.gltf"]);
    mesh_refused(&folder.file("d.gltf", document("/etc/hostname")), &["d.gltf"]);
    mesh_refused(&folder.file("e.glb", "glTF"), &["e.glb"]);
}

#[test]
fn scenes_with_mistakes() {
    let folder = Folder::new();
    let cases = [
        ("[[body]]\nname = \"a\"\nmesh = \"absent.stl\"\n", "scene.toml:3"),
        ("[[body]]\nname = \"a\"\nmesh = \"sample:spere\"\n", "scene.toml:3"),
        ("[[body]]\nname = \"a\"\nmash = \"x.stl\"\n", "scene.toml:3"),
        ("units = \"parsec\"\n", "scene.toml:1"),
    ];
    for (text, place) in cases {
        refused(&run(&["check", &folder.file("scene.toml", text)]), &[place]);
    }
}

#[test]
fn poses_with_mistakes() {
    let folder = Folder::new();
    let good = "1 0 0 0 0 0 0\n";
    let cases = [
        ("1 0 0 0 1 2\n", ":3", "6 numbers"),
        ("1 0 0 0 1 2 three\n", ":3", "`three`"),
        ("1 0 0 0 1 2 nan\n", ":3", "finite"),
        ("0 0 0 0 1 2 3\n", ":3", "quaternion"),
    ];
    for (line, place, part) in cases {
        let text = format!("{good}# a comment\n{line}{good}");
        let path = folder.file("poses.txt", &text);
        let place = format!("poses.txt{place}");
        for format in ["json", "text", "csv"] {
            let all =
                ["check", "sample:box", "sample:sphere", "--poses", &path, "--format", format];
            refused(&run(&all), &[&place, part]);
        }
        // From a stream, what was asked before the bad line has been answered.
        let stream = ["check", "sample:box", "sample:sphere", "--poses", "-", "--format", "json"];
        let run = feed(&stream, &text);
        assert_eq!((run.code, run.json().len()), (2, 1), "{}", run.err);
        assert!(run.err.starts_with("error: <stdin>:3: "), "{}", run.err);
    }
    let empty = folder.file("none.txt", "# nothing\n\n");
    let directory = argument(&folder.path(""));
    let with = |path: &str| run(&["check", "sample:box", "sample:sphere", "--poses", path]);
    refused(&with(&empty), &["none.txt", "no poses"]);
    refused(&with(&directory), &["directory"]);
    refused(&with("absent.txt"), &["absent.txt: there is no such file"]);
    refused(&with(&format!("{empty}/poses.txt")), &["none.txt/poses.txt: cannot be opened"]);
}

#[test]
fn bad_values_of_options() {
    let two = ["check", "sample:box", "sample:sphere"];
    let with = |more: &[&str]| run(&[&two[..], more].concat());
    refused(&with(&["--engine", "brut"]), &["brut", "known are auto, bvh"]);
    refused(&with(&["--engine", "brute?alpha=0.5"]), &["brute takes no parameters", "alpha=0.5"]);
    refused(&with(&["--engine", "e99-obb?alpha=1.5"]), &["e99-obb", "between 0 and 1 is needed"]);
    refused(&with(&["--engine", "e99-obb?size=3"]), &["`size`", "splitter=plain|heuristic"]);
    refused(&with(&["--pruner", "sweeep"]), &["sweeep", "known are auto, brute"]);
    refused(&with(&["--threads", "0"]), &["--threads", "from 1"]);
    refused(&with(&["--budget", "2 parsec"]), &["--budget", "2ms"]);
    refused(&with(&["--shard", "3/3"]), &["--shard", "0/4"]);
    refused(&with(&["--threads", "-1"]), &["--threads", "from 1"]);
    refused(&with(&["--budget", "-1ms"]), &["--budget", "2ms"]);
    refused(&with(&["--shard", "-1/2"]), &["--shard", "0/4"]);
    refused(&with(&["--clearance", "-1mm"]), &["--clearance", "-1mm", "negative"]);
    refused(&with(&["--clearance", "1 parsec"]), &["known are"]);
    refused(&with(&["--units", "parsec"]), &["known are"]);
    refused(&with(&["--export", "out.step"]), &[".ply or .glb"]);
    refused(&with(&["--export", "no/such/folder/out.ply"]), &["folder"]);
    refused(&run(&["check", "sample:box"]), &["single body", "--self"]);
    refused(&run(&["samples", "spere"]), &["known are"]);
    refused(&run(&["check", "sample:box", ""]), &["MESH", "empty"]);
    refused(&run(&["lab", "load-sped"]), &["load-sped", "known are"]);
    refused(&run(&["lab", "all", "--seed", "-1"]), &["--seed", "from 0"]);
    refused(&run(&["lab", "all", "--format", "json"]), &["CSV", "lab list"]);
    refused(&run(&["schema", "check", "--format", "csv"]), &["JSON"]);
}

#[test]
fn usage_errors_are_bad_input_too() {
    for arguments in [
        &["chek"][..],
        &["check"],
        &["check", "sample:box", "sample:box", "--motions", "x"],
        &["check", "sample:box", "sample:box", "--want", "all"],
        &["--format", "xml"],
        &["schema", "nothing"],
    ] {
        let run = run(arguments);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments:?}");
        assert!(run.err.starts_with("error: "), "{}", run.err);
    }
}

#[test]
fn an_export_spares_what_was_read() {
    let folder = Folder::new();
    let mesh = argument(&folder.path("mesh.ply"));
    assert_eq!(run(&["samples", "box", "--export", &mesh]).code, 0);
    let before = std::fs::read(&mesh).unwrap();
    let body = |name: &str| format!("[[body]]\nname = \"{name}\"\nmesh = \"mesh.ply\"\n");
    let scene = folder.file("scene.toml", body("a") + &body("b"));
    let poses = folder.file("poses.ply", "1 0 0 0 0 0 0\n");
    std::fs::create_dir(folder.path("inner")).unwrap();
    let detour = argument(&folder.path("inner/../mesh.ply"));
    for (export, input) in [
        (&mesh, &[&mesh, "sample:box"][..]),
        (&detour, &["sample:box", &mesh]),
        (&mesh, &[&scene]),
        (&poses, &["sample:box", "sample:box", "--poses", &poses]),
    ] {
        refused(&run(&[&["check", "--export", export], input].concat()), &["--export", "input"]);
    }
    assert!(std::fs::read(&mesh).unwrap() == before);
    // A file of an earlier run may be replaced.
    let old = folder.file("old.ply", "");
    assert_eq!(run(&["check", &mesh, "sample:box", "--export", &old]).code, 1);
}

#[test]
fn experiments_do_not_begin_without_a_place_for_their_results() {
    let folder = Folder::new();
    let file = folder.file("file", "");
    let lab = ["lab", "all", "--quick", "--out"];
    refused(&run(&[&lab[..], &[&format!("{file}/results")]].concat()), &["folder", "results"]);
    let made = argument(&folder.path("made"));
    refused(&run(&["lab", "load-sped", "--out", &made]), &["known are"]);
    assert!(!folder.path("made").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_named() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let two = ["sample:box", "sample:box"];
    for arguments in [&[&["check"], &two[..]].concat()[..], &["samples"], &["--help"]] {
        let output = command(arguments).stdout(full()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("error: standard output cannot be written: "), "{message}");
    }
    // The message itself may be lost, the exit code is not.
    let lost = command(&["check", "absent.obj"]).stderr(full()).output().unwrap();
    assert_eq!(lost.status.code(), Some(2));
}

#[test]
fn nothing_is_left_where_an_export_was_refused() {
    let folder = Folder::new();
    let bad = folder.file("bad.obj", "v 0 0 0\n");
    let good = folder.file("good.obj", tetrahedron([0.0; 3]));
    let export = folder.path("out.ply");
    refused(&run(&["check", &good, &bad, "--export", &argument(&export)]), &["bad.obj"]);
    assert!(!export.exists());
}

#[test]
fn a_graphics_processor_is_asked_for_where_there_is_one() {
    let shown = run(&["check", "sample:headlight", "--engine", "image", "--gpu"]);
    if cfg!(feature = "gpu") {
        // Nothing else is known of the machine: it has one, and answers as ever, or says that it has none.
        let alike = run(&["check", "sample:headlight", "--engine", "image"]);
        let none = shown.code == 2 && shown.err.contains("no graphics adapter was found");
        assert!(none || shown.code == alike.code, "{} {}", shown.code, shown.err);
    } else {
        assert_eq!(shown.code, 2);
        assert!(
            shown.err.starts_with("error: --gpu: this program was built without it; `cargo build")
        );
    }
    assert_eq!(shown.out.is_empty(), shown.code == 2);
}
