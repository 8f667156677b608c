//! The fitting check of scene files: what moves, along which path, and what may touch.

use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::motion::path::Path as Way;
use impinge_geom::motion::{Motion, MotionKind, Screw};
use impinge_geom::pose::Pose;
use impinge_scene::object::Object;
use impinge_scene::resolve;
use impinge_scene::scene::fit::{Allowed, Fit, Until};
use impinge_scene::scene::{self, Scene, Selector};
use impinge_scene::units::Unit;
use proptest::prelude::*;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn object(name: &str, unit: Option<Unit>) -> Object {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    Object::rigid(name, Mesh::new(points, vec![[0, 1, 2]]).unwrap(), unit)
}

/// `two.glb` has the objects `a` and `b`; everything else is one body.
fn meshes(name: &str, _: &Path) -> Result<Vec<Object>, String> {
    let metres = Some(Unit::M);
    match name {
        "two.glb" => Ok(vec![object("a", metres), object("b", metres)]),
        _ => Ok(vec![object("one", None)]),
    }
}

/// The bodies press/a, press/b, x, y (both of group g, y shifted and turned) and z.
const BODIES: &str = r#"
[[body]]
name = "press"
mesh = "two.glb"
[[body]]
name = "x"
mesh = "x.stl"
groups = ["g"]
[[body]]
name = "y"
mesh = "y.stl"
groups = ["g"]
pose = { rotation = [0, 1, 0, 0], translation = [5, 0, 0] }
[[body]]
name = "z"
mesh = "sample:sphere"
"#;

fn fit(rest: &str) -> Fit {
    let text = format!("{BODIES}{rest}");
    let scene = Scene::parse(&text, Path::new("dir/s.toml"), &meshes);
    scene.unwrap_or_else(|error| panic!("{error}\n{rest}")).fit.unwrap()
}

fn shift(x: f64) -> Pose {
    Pose::shift([x, 0.0, 0.0]).unwrap()
}

#[test]
fn without_a_path_there_is_no_fitting_check() {
    let scene = Scene::parse(BODIES, Path::new("dir/s.toml"), &meshes).unwrap();
    assert_eq!(scene.fit, None);
}

#[test]
fn bodies_groups_and_entries_can_move() {
    let moving = |moves: &str| {
        let path = format!(
            "[path]\nmoves = {moves}\n[[path.keyframe]]\n[[path.keyframe]]\npose.translation = \
             [1, 0, 0]"
        );
        fit(&path).moving
    };
    assert_eq!(moving("\"press\""), [0, 1]);
    assert_eq!(moving("\"press/b\""), [1]);
    assert_eq!(moving("\"x\""), [2]);
    assert_eq!(moving("\"g\""), [2, 3]);
    assert_eq!(moving("[\"y\"]"), [3]);
    // The first that is named leads, whatever its place in the file; nothing counts twice.
    assert_eq!(moving("[\"y\", \"g\", \"press/b\", \"y\", \"press\"]"), [3, 2, 1, 0]);
}

#[test]
fn keyframes_become_a_path() {
    let found = fit(r#"
        [path]
        moves = "y"
        [[path.keyframe]]
        time = 0
        [[path.keyframe]]
        time = 1.5
        motion = "screw"
        pose = { translation = [0, 0, 40], rotation_deg = { axis = [0, 0, 1], angle = 60 } }
        [[path.keyframe]]
        time = 2
        screw = { point = [1, 2, 3], direction = [0, 0, 2], angle = 720, advance = 3 }
        [[path.keyframe]]
        time = 4
        pose = { translation = [1, 0, 0] }
        [[path.keyframe]]
        time = 5
        "#);
    assert_eq!(found.path.times(), [0.0, 1.5, 2.0, 4.0, 5.0]);
    let rest = Pose::new([0.0, 1.0, 0.0, 0.0], [5.0, 0.0, 0.0]).unwrap();
    let motions = found.path.motions();
    assert_eq!(*motions[0].pose0(), rest);
    assert!(matches!(motions[0].kind(), MotionKind::Screw(_)));
    let needed = [0.0, 0.0, 40.0];
    let end = motions[0].pose1().translation();
    assert!((0..3).all(|k| (end[k] - needed[k]).abs() < 1e-13), "{end:?}");
    let screw = Screw {
        point: [1.0, 2.0, 3.0],
        direction: [0.0, 0.0, 2.0],
        angle: 4.0 * std::f64::consts::PI,
        advance: 3.0,
    };
    assert_eq!(motions[1], Motion::screw(*motions[0].pose1(), screw).unwrap());
    assert_eq!(motions[2], Motion::lerp_slerp(*motions[1].pose1(), shift(1.0)));
    assert_eq!(motions[3], Motion::lerp_slerp(shift(1.0), rest));
    assert_eq!(found.allowed, []);
}

#[test]
fn times_are_even_where_none_are_given() {
    let found =
        fit("[path]\nmoves = \"x\"\nkeyframe = [{}, {pose.translation = [1, 0, 0]}, {}, {}, {}]");
    assert_eq!(found.path.times(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(*found.path.motions()[0].pose1(), shift(1.0));
}

#[test]
fn poses_can_be_displacements_from_the_start() {
    let found = fit(r#"
        [path]
        moves = "y"
        poses = "start"
        motion = "screw"
        [[path.keyframe]]
        pose = { translation = [0, 0, -1] }
        [[path.keyframe]]
        [[path.keyframe]]
        pose = { translation = [0, 0, 2], rotation = [0, 0, 0, 1] }
        [[path.keyframe]]
        motion = "lerp-slerp"
        "#);
    let rest = Pose::new([0.0, 1.0, 0.0, 0.0], [5.0, 0.0, 0.0]).unwrap();
    let motions = found.path.motions();
    let before = Pose::new([0.0, 1.0, 0.0, 0.0], [5.0, 0.0, -1.0]).unwrap();
    // A screw without a turn is a straight way, and ends where it should.
    assert_eq!(motions[0], Motion::lerp_slerp(before, rest));
    // Half a turn about z, in the scene's axes and about its origin: x = 5 goes to −5.
    let MotionKind::Screw(half) = motions[1].kind() else { panic!("{motions:?}") };
    assert_eq!((half.point, half.advance.abs()), ([0.0; 3], 2.0));
    assert!(motions[1].pose_at(0.5).translation()[0].abs() < 1e-14);
    let end = motions[1].pose1().apply(&[0.0, 1.0, 0.0]);
    let needed = [-5.0, 1.0, 2.0];
    assert!((0..3).all(|k| (end[k] - needed[k]).abs() < 1e-14), "{end:?}");
    assert_eq!(motions[2], Motion::lerp_slerp(*motions[1].pose1(), rest));
}

#[test]
fn contacts_are_allowed_for_a_while_and_in_a_box() {
    let found = fit(r#"
        [path]
        moves = ["g", "z"]
        [[path.keyframe]]
        time = -1
        [[path.keyframe]]
        time = 3
        [[allow]]
        a = "x"
        b = "press"
        [[allow]]
        a = "press/a"
        b = "g"
        until = "release"
        within = { min = [-1, 0, 2], max = [1, 0, 3] }
        reason = "seat"
        [[allow]]
        a = "z"
        b = "press/b"
        until = 2
        [[allow]]
        a = "z"
        b = "press/a"
        until = "end"
        "#);
    let body = |name: &str| Selector::Body(name.to_owned());
    let group = |name: &str| Selector::Group(name.to_owned());
    let allowed = |a, b, until| Allowed { a, b, until, within: None, reason: None };
    let seat = Aabb { min: [-1.0, 0.0, 2.0], max: [1.0, 0.0, 3.0] };
    let needed = [
        allowed(body("x"), group("press"), Until::End),
        Allowed {
            within: Some(seat),
            reason: Some("seat".to_owned()),
            ..allowed(body("press/a"), group("g"), Until::Release)
        },
        allowed(body("z"), body("press/b"), Until::Time(2.0)),
        allowed(body("z"), body("press/a"), Until::End),
    ];
    assert_eq!(found.allowed, needed);
}

#[test]
fn bodies_know_where_their_meshes_came_from() {
    let text = format!(
        "{BODIES}[[body]]\nname = \"b\"\nmesh = \"two.glb\"\nobject = \"b\"\nunits = \"in\"\n\
         [[body]]\nname = \"far\"\nmesh = \"/abs/x.stl\""
    );
    let scene = Scene::parse(&text, Path::new("dir/s.toml"), &meshes).unwrap();
    let source = |name: &str| {
        let body = scene.bodies.iter().find(|body| body.name == name).unwrap();
        let scene::Source { mesh, path, object, unit } = body.source.clone();
        (mesh, path, object, unit)
    };
    let path = |path: &str| Some(PathBuf::from(path));
    let text = |text: &str| text.to_owned();
    let (a, b) = (Some(text("a")), Some(text("b")));
    assert_eq!(source("press/a"), (text("two.glb"), path("dir/two.glb"), a, Unit::M));
    assert_eq!(source("b"), (text("two.glb"), path("dir/two.glb"), b, Unit::In));
    assert_eq!(source("x"), (text("x.stl"), path("dir/x.stl"), None, Unit::Mm));
    assert_eq!(source("z"), (text("sample:sphere"), None, None, Unit::Mm));
    assert_eq!(source("far"), (text("/abs/x.stl"), path("/abs/x.stl"), None, Unit::Mm));
}

/// The way of `x` by a CSV file with this content.
fn by_csv(content: &str) -> Way {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("way.csv"), content).unwrap();
    let text = format!("{BODIES}[path]\nmoves = \"x\"\nkeyframes = \"way.csv\"");
    let scene = Scene::parse(&text, &folder.path().join("s.toml"), &meshes);
    scene.unwrap_or_else(|error| panic!("{error}\n{content}")).fit.unwrap().path
}

#[test]
fn csv_files_separate_by_commas_semicolons_or_blanks() {
    let commas = "\u{FEFF}# cover out\r\n\r\ntime,qw,qx,qy,qz,tx,ty,tz,motion\r\n\
                  0,1,0,0,0,0,0,0,\r\n1,1,0,0,0,1,0,0,lerp-slerp # straight\r\n\
                  3,0,0,0,1,4,0,3,screw\r\n";
    let semicolons = "tz; ty; tx; qz; qy; qx; qw; motion; time\n0;0;0;0;0;0;1;screw;0\n\
                      0;0;1;0;0;0;1;;1\n3;0;4;1;0;0;0;screw;3";
    let blanks = "time\tmotion  qw qx qy qz tx ty tz\n0 - 1 0 0 0 0 0 0\n  1 - 1 0 0 0 1 0 0\n\
                  # half a turn\n3.0 screw 0 0 0 1 4 0 3\n";
    let found = by_csv(commas);
    assert_eq!(found.times(), [0.0, 1.0, 3.0]);
    assert_eq!(found.motions()[0], Motion::lerp_slerp(shift(0.0), shift(1.0)));
    let MotionKind::Screw(screw) = found.motions()[1].kind() else { panic!("{found:?}") };
    assert_eq!((screw.point, screw.advance), ([2.5, 0.0, 0.0], 3.0));
    assert_eq!(by_csv(semicolons), found);
    assert_eq!(by_csv(blanks), found);
    let untimed = by_csv("qw qx qy qz tx ty tz\n1 0 0 0 7 0 0\n1 0 0 0 1 0 0\n1 0 0 0 2 0 0");
    assert_eq!(untimed.times(), [0.0, 0.5, 1.0]);
    assert_eq!(*untimed.motions()[0].pose0(), shift(7.0));
}

#[test]
fn another_folder_can_hold_meshes_and_keyframes() {
    let folder = tempfile::tempdir().unwrap();
    let parts = folder.path().join("parts");
    std::fs::create_dir(&parts).unwrap();
    std::fs::write(parts.join("tri.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let ways = "qw,qx,qy,qz,tx,ty,tz\n1,0,0,0,0,0,0\n1,0,0,0,1,0,0\n";
    std::fs::write(parts.join("way.csv"), ways).unwrap();
    let path = folder.path().join("s.toml");
    let text = "[[body]]\nname = \"x\"\nmesh = \"tri.obj\"\n[[body]]\nname = \"y\"\nmesh = \
                \"tri.obj\"\n[path]\nmoves = \"x\"\nkeyframes = \"way.csv\"";
    std::fs::write(&path, text).unwrap();
    assert!(Scene::load(&path, &resolve::files).is_err());
    let scene = Scene::load_in(&path, &parts, &resolve::files).unwrap();
    assert_eq!(scene.bodies[0].source.path, Some(parts.join("tri.obj")));
    assert_eq!(*scene.fit.unwrap().path.motions()[0].pose1(), shift(1.0));
}

#[test]
fn objects_of_a_file_can_move_one_by_one_or_together() {
    let folder = tempfile::tempdir().unwrap();
    let two = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no lid\nf 1 2 3\no hinge\nf 1 2 4\n";
    std::fs::write(folder.path().join("box.obj"), two).unwrap();
    let path = folder.path().join("s.toml");
    for (moves, needed) in [("box", vec![0, 1]), ("box/lid", vec![0]), ("box/hinge", vec![1])] {
        let text = format!(
            "[[body]]\nname = \"box\"\nmesh = \"box.obj\"\n[[body]]\nname = \"table\"\nmesh = \
             \"box.obj\"\nobject = \"lid\"\n[path]\nmoves = \"{moves}\"\n[[path.keyframe]]\n\
             [[path.keyframe]]\n[[allow]]\na = \"{moves}\"\nb = \"table\""
        );
        std::fs::write(&path, text).unwrap();
        let scene = Scene::load(&path, &resolve::files).unwrap();
        let objects: Vec<_> = scene.bodies.iter().map(|body| body.source.object.clone()).collect();
        assert_eq!(objects, ["lid", "hinge", "lid"].map(|name| Some(name.to_owned())));
        assert_eq!(scene.fit.unwrap().moving, needed);
    }
}

fn poses() -> impl Strategy<Value = Pose> {
    let numbers = prop::array::uniform4(-1.0..1.0f64);
    let places = prop::array::uniform3(-1e3..1e3f64);
    (numbers, places).prop_filter_map("no rotation", |(q, t)| Pose::new(q, t).ok())
}

proptest! {
    /// A path that is written as CSV and inline is read as it was, bit for bit.
    #[test]
    fn paths_survive_being_written(
        keyframes in prop::collection::vec((poses(), 1e-3..9.0f64, any::<bool>()), 2..9),
    ) {
        let mut csv = "time,motion,qw,qx,qy,qz,tx,ty,tz\n".to_owned();
        let mut inline = "[path]\nmoves = \"x\"\n".to_owned();
        let (mut times, mut now) = (Vec::new(), -3.0);
        for (index, (pose, step, is_screw)) in keyframes.iter().enumerate() {
            now += step;
            times.push(now);
            let motion = if *is_screw { "screw" } else { "lerp-slerp" };
            let (q, t) = (pose.rotation(), pose.translation());
            let cells: Vec<String> = q.iter().chain(&t).map(|x| format!("{x:?}")).collect();
            writeln!(csv, "{now:?},{motion},{}", cells.join(",")).unwrap();
            let motion = if index == 0 { String::new() } else { format!("motion = \"{motion}\"") };
            let pose = format!("pose = {{ rotation = {q:?}, translation = {t:?} }}");
            writeln!(inline, "[[path.keyframe]]\ntime = {now:?}\n{motion}\n{pose}").unwrap();
        }
        let (by_csv, inline) = (by_csv(&csv), fit(&inline).path);
        prop_assert_eq!(&by_csv, &inline);
        prop_assert_eq!(by_csv.times(), times.as_slice());
        prop_assert_eq!(by_csv.motions()[0].pose0(), &keyframes[0].0);
        for (motion, (pose, _, is_screw)) in inline.motions().iter().zip(&keyframes[1..]) {
            if !is_screw {
                prop_assert_eq!(motion.pose1(), pose);
            }
            let (end, needed) = (motion.pose1().apply(&[1.0; 3]), pose.apply(&[1.0; 3]));
            let angle = motion.turn().1;
            prop_assert!((0..3).all(|k| (end[k] - needed[k]).abs() < 1e-11 / angle.min(1.0)));
        }
    }

    #[test]
    fn damaged_keyframes_never_panic(at in any::<prop::sample::Index>(), put in "\\PC{0,6}") {
        let good = "time,qw,qx,qy,qz,tx,ty,tz,motion\n0,1,0,0,0,0,0,0,screw\n1,1,0,0,0,1,0,0,-\n";
        let folder = tempfile::tempdir().unwrap();
        let mut damaged = good.to_owned();
        damaged.insert_str(at.index(good.len()), &put);
        std::fs::write(folder.path().join("way.csv"), damaged).unwrap();
        let text = format!("{BODIES}[path]\nmoves = \"x\"\nkeyframes = \"way.csv\"");
        if let Err(error) = Scene::parse(&text, &folder.path().join("s.toml"), &meshes) {
            prop_assert!(error.message.contains("way.csv"), "{}", error);
        }
    }
}
