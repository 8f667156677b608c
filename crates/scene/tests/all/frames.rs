//! Bodies that deform: sequences in one file, in many, and animations of glTF files, in scene files.

use impinge_geom::Point;
use impinge_geom::mesh::Mesh;
use impinge_scene::frames::{Frames, FramesError};
use impinge_scene::load::{Format, load, load_bytes};
use impinge_scene::object::Object;
use impinge_scene::scene::{Scene, SceneBody};
use impinge_scene::units::Unit;
use impinge_scene::{mseq, resolve};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const CORNERS: [Point; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn tetrahedron() -> Mesh {
    let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    Mesh::new(CORNERS.to_vec(), triangles).unwrap()
}

/// Three frames, each higher than the one before by 1.
fn rising() -> Frames {
    let lifted = |k: usize| CORNERS.map(|[x, y, z]| [x, y, z + k as f64]);
    Frames::new(&tetrahedron(), (0..3).flat_map(lifted).collect()).unwrap()
}

fn message(bytes: &[u8]) -> String {
    load_bytes(Format::Mseq, bytes, Path::new("s.mseq")).unwrap_err().to_string()
}

#[test]
fn frames_are_checked_as_meshes_are() {
    let mesh = tetrahedron();
    let mut points = vec![[0.0; 3]; 8];
    assert_eq!(Frames::new(&mesh, points.clone()).unwrap().len(), 2);
    points[6][1] = f64::NAN;
    let error = Frames::new(&mesh, points.clone()).unwrap_err().to_string();
    assert!(error.starts_with("frame 1: vertex 2 has the coordinate NaN"), "{error}");
    for count in [0, 1, 7] {
        let error = Frames::new(&mesh, points[..count].to_vec());
        assert_eq!(error, Err(FramesError::Count { found: count, needed: 4 }));
    }
    // Too small for exact tests: flushed, as in a mesh.
    points[6][1] = -1e-300;
    assert_eq!(Frames::new(&mesh, points).unwrap().frame(1)[2][1].to_bits(), 0);
    assert!(Frames::check_size(1 << 20, 64).is_ok() && Frames::check_size(1 << 20, 65).is_err());
    assert!(Frames::check_size(usize::MAX, 2).is_err());
}

#[test]
fn a_sequence_is_written_and_read_back() {
    let bytes = mseq::write(&tetrahedron(), &rising()).unwrap();
    assert_eq!(bytes.len(), 20 + 12 * (4 + 12));
    let read = mseq::read(&bytes).unwrap();
    assert_eq!((read.mesh, read.frames), (tetrahedron(), rising()));
    let [object] = &load_bytes(Format::Mseq, &bytes, Path::new("a/s.mseq")).unwrap()[..] else {
        panic!("one object")
    };
    assert_eq!((object.name.as_str(), &object.mesh, object.unit), ("s", &tetrahedron(), None));
    assert_eq!(object.own_frames(), Ok(Some(rising())));
    assert_eq!(object.frames(2).unwrap().len(), 2);
    assert!(object.frames(4).unwrap_err().contains("there are 3 frames"));
    let far = Frames::new(&tetrahedron(), vec![[1e60; 3]; 4]).unwrap();
    assert!(mseq::write(&tetrahedron(), &far).unwrap_err().contains("single precision"));
}

#[test]
fn broken_sequences_are_refused_before_anything_is_allocated() {
    let good = mseq::write(&tetrahedron(), &rising()).unwrap();
    for cut in 0..good.len() {
        assert!(mseq::read(&good[..cut]).is_err(), "{cut} bytes");
    }
    let with = |at: usize, word: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        message(&bytes)
    };
    assert!(with(0, 0).starts_with("s.mseq: byte 0: the file does not begin with MSEQ1"));
    for at in [8, 12, 16] {
        assert!(with(at, 0).contains("at least one of each is needed"), "{}", with(at, 0));
        assert!(with(at, u32::MAX).contains("the file has 212 bytes; "), "{}", with(at, u32::MAX));
    }
    assert!(with(20, 4).contains("face 0 names vertex 4"), "{}", with(20, 4));
    let nan = with(20 + 48 + 48, f32::NAN.to_bits());
    assert!(nan.contains("frame 1: vertex 0 has the coordinate NaN"), "{nan}");
    assert!(message(&[good.as_slice(), b"x"].concat()).contains("213 bytes; 3 frames of 4"));
    assert!(message(b"MSEQ1\0\0\0\x01").contains("ends within its head"));
}

proptest! {
    #[test]
    fn any_bytes_behind_the_magic_give_frames_or_a_message(
        counts in prop::array::uniform3(0u32..5),
        rest in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut bytes = b"MSEQ1\0\0\0".to_vec();
        bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        bytes.extend(rest);
        match mseq::read(&bytes) {
            Ok(read) => prop_assert_eq!(read.frames.len(), counts[0] as usize),
            Err(fault) => prop_assert!(!fault.message.is_empty()),
        }
    }
}

#[test]
fn the_horse_gallops() {
    let Some(data) = std::env::var_os("IMPINGE_DATA").map(PathBuf::from) else {
        println!("skipped: IMPINGE_DATA is not set");
        return;
    };
    let [horse] = &load(&data.join("deforming/horse-gallop-first12.mseq")).unwrap()[..] else {
        panic!("one horse")
    };
    let frames = horse.own_frames().unwrap().unwrap();
    assert_eq!(frames.len(), 12);
    assert_eq!(frames.frame(0), horse.mesh.vertices());
    assert_ne!(frames.frame(11), horse.mesh.vertices());
}

/// A scene with one body in a folder of OBJ frames `walk_1`, `walk_2`, `walk_10`, each a quad that is
/// bent along another diagonal, and one with other faces.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let quad =
        |z: [f64; 2]| format!("v 0 0 0\nv 1 0 {}\nv 1 1 0\nv 0 1 {}\nf 1 2 3 4\n", z[0], z[1]);
    for (number, z) in [("1", [0.0, 0.0]), ("2", [1.0, 1.0]), ("10", [-1.0, -1.0])] {
        std::fs::write(folder.path().join(format!("walk_{number}.obj")), quad(z)).unwrap();
    }
    std::fs::write(folder.path().join("walk_x.obj"), "no frame").unwrap();
    let other = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 4\nf 2 3 4\n";
    std::fs::write(folder.path().join("other.obj"), other).unwrap();
    let two = "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\no b\nv 0 0 1\nf 1 2 4\n";
    std::fs::write(folder.path().join("two.obj"), two).unwrap();
    std::fs::write(folder.path().join("s.mseq"), mseq::write(&tetrahedron(), &rising()).unwrap())
        .unwrap();
    folder
}

fn scene(folder: &Path, entry: &str) -> Result<Vec<SceneBody>, String> {
    let path = folder.join("scene.toml");
    std::fs::write(&path, format!("units = \"mm\"\n[[body]]\nname = \"b\"\n{entry}\n")).unwrap();
    let scene = Scene::load(&path, &resolve::files);
    scene.map(|scene| scene.bodies).map_err(|error| {
        let text = error.to_string();
        text.split_once("scene.toml").map_or(text.clone(), |(_, rest)| rest.to_owned())
    })
}

#[test]
fn sequences_of_files_are_frames_in_the_order_of_their_numbers() {
    let folder = folder();
    let whole = scene(folder.path(), "frames = \"walk_*.obj\"").unwrap();
    let frames = whole[0].frames.as_ref().unwrap();
    let heights: Vec<f64> = frames.iter().map(|frame| frame[1][2]).collect();
    assert_eq!(heights, [0.0, 1.0, -1.0]);
    assert_eq!((whole[0].mesh.vertices(), whole[0].mesh.face_count()), (frames.frame(0), 1));
    assert_eq!(whole[0].source.mesh, "walk_1.obj");
    let listed = scene(folder.path(), "frames = [\"walk_10.obj\", \"./walk_2.obj\"]").unwrap();
    assert_eq!(listed[0].frames.as_ref().unwrap().frame(0)[1][2], -1.0);
    let chosen = "frames = [\"two.obj\", \"two.obj\"]\nobject = \"b\"";
    assert_eq!(scene(folder.path(), chosen).unwrap()[0].frames.as_ref().unwrap().len(), 2);
}

#[test]
fn an_mseq_file_is_a_body_that_deforms_in_the_units_of_the_scene() {
    let folder = folder();
    let all = scene(folder.path(), "mesh = \"s.mseq\"").unwrap();
    assert_eq!(**all[0].frames.as_ref().unwrap(), rising());
    let some = scene(folder.path(), "mesh = \"s.mseq\"\nframes = 2\nunits = \"cm\"").unwrap();
    let frames = some[0].frames.as_ref().unwrap();
    assert_eq!((frames.len(), frames.frame(1)[3]), (2, [0.0, 0.0, 20.0]));
    assert_eq!((some[0].mesh.vertices(), some[0].source.unit), (frames.frame(0), Unit::Cm));
    let twice = "mesh = \"s.mseq\"\n[[body]]\nname = \"c\"\nmesh = \"./s.mseq\"";
    let twice = scene(folder.path(), twice).unwrap();
    let [one, two] = [0, 1].map(|i| twice[i].frames.as_ref().unwrap());
    assert!(Arc::ptr_eq(one, two));
    assert!(scene(folder.path(), "mesh = \"walk_1.obj\"").unwrap()[0].frames.is_none());
}

#[test]
fn the_documented_bodies_deform() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, page) = page.split_once("## Bodies that deform").unwrap();
    let text = page.split("```toml\n").nth(1).and_then(|s| s.split("```").next()).unwrap();
    let folder = folder();
    let resolver = |name: &str, _: &Path| {
        let mut object = Object::rigid(name, tetrahedron(), None);
        let many = Frames::new(&object.mesh, CORNERS.repeat(40)).unwrap();
        object.animation = (!name.ends_with(".obj")).then(|| Arc::new(many) as _);
        Ok(vec![object])
    };
    let scene = Scene::parse(text, &folder.path().join("s.toml"), &resolver).unwrap();
    let frames = |body: &SceneBody| (body.name.clone(), body.frames.as_ref().map(|f| f.len()));
    let found: Vec<(String, Option<usize>)> = scene.bodies.iter().map(frames).collect();
    let needed = [("horse", 40), ("walker", 3), ("flag", 2), ("fox", 24), ("hand", 32)];
    assert_eq!(found, needed.map(|(name, count)| (name.to_owned(), Some(count))));
}

#[test]
fn wrong_frames_are_told_with_their_line() {
    let folder = folder();
    for (entry, needed) in [
        ("frames = \"walk_*.obj\"\nmesh = \"s.mseq\"", ":4: both `mesh` and the files of"),
        ("mesh = \"s.mseq\"\nframes = 4", ":4: `s.mseq`: there are 3 frames; 4 cannot"),
        ("mesh = \"s.mseq\"\nframes = 0", ":5: 0 frames; at least one is needed"),
        ("mesh = \"s.mseq\"\nframes = -1", ":5: frames are needed: a number, a pattern"),
        ("mesh = \"s.mseq\"\nframes = 1.5", ":5: frames are needed: a number, a pattern"),
        ("mesh = \"other.obj\"\nframes = 4", ":4: `other.obj`: frames are asked for, but nothing"),
        ("frames = 4", ":3: the body `b` has no `mesh`"),
        ("frames = []", ":4: the list of frames is empty"),
        ("frames = \"walk.obj\"", ":4: `walk.obj` is no pattern of files; one `*`"),
        ("frames = \"w*_*.obj\"", ":4: `w*_*.obj` is no pattern of files; one `*`"),
        ("frames = \"*/walk_1.obj\"", ":4: `*/walk_1.obj` is no pattern"),
        ("frames = \"*/walk_*.obj\"", ":4: `*/walk_*.obj` has a `*` in its folder"),
        ("frames = \"gone/walk_*.obj\"", ":4: the folder of `gone/walk_*.obj` cannot be read"),
        ("frames = \"run_*.obj\"", ":4: no file is like `run_*.obj` with a number"),
        ("frames = [\"walk_1.obj\", \"gone.obj\"]", "gone.obj: there is no such file"),
        ("frames = [\"walk_1.obj\", \"other.obj\"]", ":4: `other.obj` has other faces than"),
        ("frames = [\"walk_1.obj\", \"s.mseq\"]", ":4: `s.mseq` has other faces than"),
        ("frames = [\"two.obj\"]", ":4: `two.obj` has 2 objects; `object` is needed"),
        ("frames = [\"two.obj\"]\nobject = \"c\"", ":5: `two.obj` has no object `c`"),
    ] {
        let error = scene(folder.path(), entry).unwrap_err();
        assert!(error.contains(needed), "{entry}\n{error}");
    }
}
