//! `impinge voxelize` from outside: files, figures and refusals.

use crate::program::{Folder, argument, cup, run, tetrahedron};
use serde_json::Value;

fn json(more: &[&str]) -> Value {
    let found = run(&[&["voxelize", "--format", "json"], more].concat());
    assert_eq!(found.code, 0, "{}", found.err);
    found.json().remove(0)
}

#[test]
fn the_volume_converges_and_both_methods_agree() {
    let mut last = f64::INFINITY;
    for resolution in ["10", "40", "160"] {
        let sample = ["sample:sphere?faces=960", "--resolution", resolution];
        let [rays, seed] =
            ["rays", "seed"].map(|way| json(&[&sample[..], &["--method", way]].concat()));
        assert_eq!(rays["filled"], seed["filled"]);
        let number = |field: &str| rays[field].as_f64().unwrap();
        let error = (number("volume") / number("mesh_volume") - 1.0).abs();
        assert!(error < 0.7 * last, "{resolution}: {error} after {last}");
        assert!(resolution == "10" || number("bits_per_voxel") < 1.1, "{rays}");
        last = error;
    }
    assert!(last < 1e-3, "{last}");
}

#[test]
fn files_and_pictures_are_written() {
    let folder = Folder::new();
    let slices = argument(&folder.path("layers"));
    let base = ["sample:torus", "--size", "0.05", "--fill", "cover"];
    for name in ["map.binvox", "map.nrrd", "map.nhdr"] {
        let out = argument(&folder.path(name));
        let line =
            json(&[&base[..], &["--out", &out, "--slices", &slices, "--axis", "x"]].concat());
        assert_eq!(line["slices"], line["counts"][0]);
        assert_eq!(line["out"].as_str(), Some(out.as_str()));
    }
    let raw = std::fs::read(folder.path("map.raw")).unwrap();
    let line = json(&base);
    let filled = raw.iter().filter(|&&sample| sample == 1).count() as u64;
    assert_eq!(Some(filled), line["filled"].as_u64());
    let counts = line["counts"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap());
    assert_eq!(counts.product::<u64>(), raw.len() as u64);
    assert!(folder.path("layers").join("x-0000.png").is_file());
    let text = run(&["voxelize", "sample:torus", "--resolution", "20"]).out;
    assert!(text.contains("filled") && text.contains("the mesh has"), "{text}");
    let csv = run(&["voxelize", "sample:torus", "--resolution", "20", "--format", "csv"]).out;
    let columns: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(columns, [14, 14]);
}

#[test]
fn more_is_filled_by_cover_than_by_centre_or_surface() {
    let folder = Folder::new();
    let mesh = folder.file("t.obj", tetrahedron([0.1; 3]));
    let filled = |fill: &str| {
        let line = json(&[&mesh, "--size", "0.03mm", "--fill", fill]);
        line["filled"].as_u64().unwrap()
    };
    let [centre, cover, surface] = ["centre", "cover", "surface"].map(filled);
    assert!(centre < cover && surface < cover && cover < centre + surface);
}

#[test]
fn what_is_not_closed_needs_the_winding_number() {
    let folder = Folder::new();
    let open = folder.file("cup.obj", cup());
    let refused = run(&["voxelize", &open, "--resolution", "20"]);
    assert_eq!(refused.code, 2);
    let needed = ["cup.obj", "10 faces belong to no closed surface", "4 edges", "--inside winding"];
    assert!(needed.iter().all(|text| refused.err.contains(text)), "{}", refused.err);
    assert_eq!(refused.err.lines().count(), 1);
    let line = json(&[&open, "--resolution", "20", "--inside", "winding"]);
    // The cup is full: an opening in a plane is less than half of what any place below it sees.
    let volume = line["volume"].as_f64().unwrap();
    assert!((volume - 64.0).abs() < 1e-9 && line["mesh_volume"].is_null(), "{line}");
    let both =
        run(&["voxelize", &open, "--resolution", "9", "--inside", "winding", "--method", "seed"]);
    assert!(both.code == 2 && both.err.contains("needs a closed mesh"), "{}", both.err);
}

#[test]
fn bad_input_is_refused_before_any_work() {
    let folder = Folder::new();
    let out = argument(&folder.path("map.nrrd"));
    let refusal = |more: &[&str]| {
        let found = run(&[&["voxelize"], more, &["--out", &out]].concat());
        assert_eq!((found.code, found.out.as_str()), (2, ""), "{more:?}");
        assert!(!folder.path("map.nrrd").exists());
        found.err
    };
    let fine = refusal(&["sample:sphere", "--resolution", "100000"]);
    assert!(fine.contains("GB") && fine.contains("at least"), "{fine}");
    assert!(refusal(&["sample:sphere", "--size", "0mm"]).contains("must be positive"));
    assert!(refusal(&["sample:sphere", "--resolution", "0"]).contains("from 1"));
    assert!(refusal(&["sample:sphere"]).contains("--size"));
    let flat = folder.file("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n");
    let message = refusal(&[&flat, "--resolution", "9"]);
    assert!(message.contains("zero thickness"), "{message}");
    let bad = run(&["voxelize", "sample:sphere", "--resolution", "9", "--out", "map.txt"]);
    assert!(bad.code == 2 && bad.err.contains(".binvox, .nrrd or .nhdr"), "{}", bad.err);
}

/// A box as text of an OBJ file.
fn cuboid(low: [f64; 3], high: [f64; 3]) -> String {
    let mut text = String::new();
    for i in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|k| if i >> k & 1 == 0 { low[k] } else { high[k] });
        text += &format!("v {x} {y} {z}\n");
    }
    text + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

#[test]
fn a_cube_has_as_many_voxels_as_fit() {
    let folder = Folder::new();
    let moved = folder.file("moved.obj", cuboid([0.1, 0.3, 0.7], [10.1, 10.3, 10.7]));
    let cube = folder.file("cube.obj", cuboid([0.0; 3], [10.0; 3]));
    for (mesh, fineness, n) in [
        (&moved, ["--size", "1mm"], 10u64),
        (&cube, ["--size", "0.1mm"], 100),
        (&cube, ["--resolution", "7"], 7),
        (&moved, ["--resolution", "7"], 7),
    ] {
        let filled = |fill: &str| {
            let line = json(&[&[mesh.as_str()], &fineness[..], &["--fill", fill]].concat());
            (line["filled"].as_u64().unwrap(), line["counts"][0].as_u64().unwrap())
        };
        assert_eq!(filled("centre"), (n.pow(3), n + 2), "{fineness:?}");
        // Voxels that touch it from outside, and one empty voxel beyond them.
        assert_eq!(filled("cover"), ((n + 2).pow(3), n + 4), "{fineness:?}");
    }
}

#[test]
fn what_has_no_thickness_has_no_inside_but_a_surface() {
    let folder = Folder::new();
    let sheet = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";
    let sheet = folder.file("sheet.obj", sheet);
    for inside in ["winding", "closed"] {
        let found = run(&["voxelize", &sheet, "--resolution", "10", "--inside", inside]);
        assert!(found.code == 2 && found.err.contains("zero thickness"), "{}", found.err);
        assert_eq!(found.err.matches("--fill surface").count(), 1, "{}", found.err);
    }
    let line = json(&[&sheet, "--resolution", "10", "--fill", "surface"]);
    assert_eq!(line["filled"], 12 * 12);
}

#[test]
fn messages_can_be_read() {
    let folder = Folder::new();
    let told = |more: &[&str]| {
        let found = run(&[&["voxelize"], more].concat());
        (found.code, found.out + &found.err)
    };
    let (code, small) = told(&["sample:sphere?radius=0.00001", "--resolution", "5000"]);
    assert!(code == 2 && small.contains("at least 9.77"), "{small}");
    for size in ["1e-320mm", "1e-80mm", "1e300mm"] {
        let (code, text) = told(&["sample:sphere", "--size", size]);
        assert!(code == 2 && text.len() < 300 && !text.contains("inf"), "{text}");
    }
    let open = folder.file("cup.obj", cup());
    let (_, text) = told(&[&open, "--resolution", "20"]);
    assert_eq!(text.matches("winding").count(), 1, "{text}");
    let point = folder.file("point.obj", cuboid([1.0; 3], [1.0; 3]));
    let (code, text) = told(&[&point, "--size", "1mm", "--fill", "surface"]);
    assert!(code == 0 && !text.contains("inf") && !text.contains('%'), "{text}");
    let (code, text) = told(&[&point, "--resolution", "9", "--fill", "surface"]);
    assert!(code == 2 && text.contains("in one place"), "{text}");
}

#[test]
fn outputs_are_tried_before_any_work() {
    let folder = Folder::new();
    let [out, nested] = ["map.nrrd", "no/map.nrrd"].map(|name| argument(&folder.path(name)));
    let file = folder.file("file", "");
    let beyond = argument(&folder.path("file").join("layers"));
    let refused = |more: &[&str]| {
        // The mesh is not there either, but nobody gets so far as to read it.
        let found = run(&[&["voxelize", "none.obj", "--size", "1"], more].concat());
        assert_eq!((found.code, found.out.as_str()), (2, ""), "{more:?}");
        assert!(!folder.path("map.nrrd").exists() && !found.err.contains("none.obj"));
        found.err
    };
    for slices in [&file, &beyond] {
        let message = refused(&["--out", &out, "--slices", slices]);
        assert!(message.contains("--slices") && message.contains("no directory"), "{message}");
    }
    assert!(refused(&["--out", &nested]).contains("folder does not exist"));
    std::fs::create_dir(folder.path("map.raw")).unwrap();
    let header = argument(&folder.path("map.nhdr"));
    assert!(refused(&["--out", &header]).contains("this is a directory"));
    let left = |name: &str| name.ends_with(".trial");
    let mut names = std::fs::read_dir(folder.path("")).unwrap();
    assert!(!names.any(|entry| left(&entry.unwrap().file_name().to_string_lossy())));
}

#[test]
fn inputs_are_not_written_over() {
    let folder = Folder::new();
    let mesh = folder.file("solid.raw", "0 0 0 0 1 0 1 0 0\n");
    let header = argument(&folder.path("solid.nhdr"));
    let found = run(&["voxelize", &mesh, "--size", "1", "--fill", "surface", "--out", &header]);
    assert!(found.code == 2 && found.err.contains("write over the input"), "{}", found.err);
    assert_eq!(std::fs::read_to_string(&mesh).unwrap(), "0 0 0 0 1 0 1 0 0\n");
}
