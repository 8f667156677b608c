//! `voxel` of a body in a scene: how exactly it is decided by engine `voxel`.

use crate::program::{Folder, run};
use serde_json::Value;

/// Two cubes of 1, a face of the second turned towards an edge of the first. From `x` = 0.86 on they are
/// free, but up to 1.2 their bounds overlap, so that the engine has to look.
fn scene(folder: &Folder, name: &str, x: f64, voxels: [&str; 2]) -> String {
    let [a, b] = voxels;
    let text = format!(
        "units = \"mm\"\n[[body]]\nname = \"a\"\nmesh = \"sample:box\"\n{a}\n\
         [[body]]\nname = \"b\"\nmesh = \"sample:box\"\n{b}\n\
         pose.translation = [{x}, {x}, 0]\n\
         pose.rotation_deg = {{ axis = [0, 0, 1], angle = 45 }}\n"
    );
    folder.file(name, text)
}

/// A number that is told of the pair.
fn told(scene: &str, engine: &str, key: &str) -> Option<f64> {
    let run = run(&["check", scene, "--engine", engine, "--format", "json"]);
    assert!(run.code < 2, "{}", run.err);
    let line: &Value = &run.json()[0];
    line["pairs"][0][key].as_f64()
}

#[test]
fn each_body_has_voxels_of_its_own() {
    let folder = Folder::new();
    let (coarse, fine) = ("voxel = \"0.1mm\"", "voxel = 0.025");
    for (x, key) in [(1.1, "unseen"), (0.8, "within")] {
        let told = |voxels| told(&scene(&folder, "s.toml", x, voxels), "voxel", key).unwrap();
        let [both, one, none] = [[coarse, coarse], [coarse, fine], [fine, fine]].map(&told);
        // One coarse body makes the answer coarse.
        assert!(3.0 * none < one && one <= both, "{key}: {none} {one} {both}");
        // The same length in another unit.
        let cm = told([coarse, "voxel = \"0.01 cm\""]);
        assert!((cm / both - 1.0).abs() < 1e-12, "{key}: {cm} {both}");
    }
}

#[test]
fn other_engines_have_no_use_for_it() {
    let folder = Folder::new();
    let scene = scene(&folder, "s.toml", 1.1, ["voxel = 1e-7", ""]);
    assert_eq!(told(&scene, "bvh", "unseen"), None);
    for command in [&["check"][..], &["sim", "--frames", "2"]] {
        let exact = run(&[command, &[&scene, "--engine", "bvh"]].concat());
        assert_eq!((exact.code, exact.err.as_str()), (0, ""));
        let refused = run(&[command, &[&scene, "--engine", "voxel"]].concat());
        assert_eq!(refused.code, 2);
        assert!(refused.err.contains("body `a`") && refused.err.contains("GB"), "{}", refused.err);
    }
}

#[test]
fn a_size_is_a_length_above_zero() {
    let folder = Folder::new();
    for (size, expected) in [
        ("0", "s.toml:5: the voxels have an edge of 0; more is needed"),
        ("-1", "s.toml:5: "),
        ("nan", "s.toml:5: "),
        ("\"1 parsec\"", "s.toml:5: "),
        ("true", "s.toml:5: a length is needed"),
    ] {
        let scene = scene(&folder, "s.toml", 1.1, [&format!("voxel = {size}"), ""]);
        let run = run(&["check", &scene]);
        assert_eq!(run.code, 2, "{size}");
        assert!(run.err.contains(expected), "{size}: {}", run.err);
    }
    assert!(run(&["schema", "scene"]).out.contains("\"voxel\""));
}
