//! Scene files that must be refused, each with its line and one exact message.

use impinge_geom::mesh::Mesh;
use impinge_scene::error::Place;
use impinge_scene::object::Object;
use impinge_scene::resolve;
use impinge_scene::scene::Scene;
use impinge_scene::units::Unit;
use std::path::Path;

fn meshes(name: &str, _: &Path) -> Result<Vec<Object>, String> {
    let object = |name: &str, size: f64, unit| {
        let points = vec![[0.0; 3], [size, 0.0, 0.0], [0.0, 1.0, 0.0]];
        Object::rigid(name, Mesh::new(points, vec![[0, 1, 2]]).unwrap(), unit)
    };
    match name {
        "one.stl" => Ok(vec![object("one", 1.0, None)]),
        "two.glb" => Ok(vec![object("a", 1.0, Some(Unit::M)), object("b", 2.0, Some(Unit::M))]),
        "far.stl" => Ok(vec![object("far", 1e90, None)]),
        "void.stl" => Ok(Vec::new()),
        _ => Err(format!("dir/{name}: cannot be read: no such file")),
    }
}

fn message(text: &str) -> String {
    Scene::parse(text, Path::new("s.toml"), &meshes).unwrap_err().to_string()
}

/// Three lines of a good body; what follows is line 4.
fn after_body(rest: &str) -> String {
    message(&format!("[[body]]\nname = \"x\"\nmesh = \"one.stl\"\n{rest}"))
}

#[test]
fn bad_texts_are_refused_with_their_line() {
    let table = [
        ("", "s.toml: the scene has no bodies; at least one [[body]] is needed"),
        ("units = \"mm\"\n", "s.toml: the scene has no bodies; at least one [[body]] is needed"),
        (
            "units = \"mm\"\nunit = 3",
            "s.toml:2: unknown field `unit`, expected one of `units`, `clearance`, `body`, \
             `ignore`, `path`, `allow`, `sim`",
        ),
        (
            "\nunits = \"parsec\"",
            "s.toml:2: unknown variant `parsec`, expected one of `um`, `mm`, `cm`, `m`, `in`, `ft`",
        ),
        ("\n\nunits = mm", "s.toml:3: string values must be quoted, expected literal string"),
        (
            "clearance = \"wide\"\n[[body]]\nname = \"a\"\nmesh = \"one.stl\"",
            "s.toml:1: `wide` is no length; a number with a unit is needed, as 0.5mm",
        ),
        (
            "clearance = -0.5\n[[body]]\nname = \"a\"\nmesh = \"one.stl\"",
            "s.toml:1: `-0.5` is no length; it must be finite and not negative",
        ),
        (
            "clearance = nan\n[[body]]\nname = \"a\"\nmesh = \"one.stl\"",
            "s.toml:1: `NaN` is no length; a number with a unit is needed, as 0.5mm",
        ),
        (
            "clearance = true\n[[body]]\nname = \"a\"\nmesh = \"one.stl\"",
            "s.toml:1: a length is needed: a number, or text as \"0.5mm\"",
        ),
        (
            "units = \"um\"\nclearance = \"1e308m\"\n[[body]]\nname = \"a\"\nmesh = \"one.stl\"",
            "s.toml:2: `1e308m` is too large a length, in um",
        ),
        (
            "[[body]]\nname = \"a\"\nmesh = \"one.stl\"\n[[body]]\nname = \"\"\nmesh = \"one.stl\"",
            "s.toml:5: the name is empty; a body needs a name",
        ),
        ("[[body]]\nname = \"a\"\n", "s.toml:2: the body `a` has no `mesh`; it is needed"),
        ("[body]\nname = \"a\"\n", "s.toml:1: invalid type: map, expected a sequence"),
        (
            "[[body]]\nname = \"a\"\n\nmesh = \"gone.stl\"",
            "s.toml:4: dir/gone.stl: cannot be read: no such file",
        ),
        (
            "[[body]]\nname = \"a\"\nmesh = \"void.stl\"",
            "s.toml:3: `void.stl` holds no object; at least one is needed",
        ),
        (
            "units = \"mm\"\n[[body]]\nname = \"a\"\nmesh = \"far.stl\"\nunits = \"ft\"",
            "s.toml:4: `far.stl`: vertex 1 has the coordinate 3.048e92; at most 2e90 is possible",
        ),
        (
            "[[body]]\nname = \"a\"\nmesh = \"two.glb\"\nobject = \"c\"",
            "s.toml:4: `two.glb` has no object `c`; it has `a`, `b`",
        ),
        (
            "[[body]]\nname = \"p\"\nmesh = \"two.glb\"\n[[body]]\nname = \"p/a\"\nmesh = \
             \"one.stl\"",
            "s.toml:5: the name `p/a` is used twice; names of bodies must differ",
        ),
    ];
    for (text, needed) in table {
        assert_eq!(message(text), needed, "{text}");
    }
}

/// What follows the good body, and the message that it must cause.
const BAD_LINES: &[(&str, &str)] = &[
    (
        "meshes = 1",
        "s.toml:4: unknown field `meshes`, expected one of `name`, `mesh`, `frames`, \
             `object`, `units`, `pose`, `voxel`, `groups`, `sim`",
    ),
    (
        "[body.pose]\nrotate = [1, 0, 0, 0]",
        "s.toml:5: unknown field `rotate`, expected one of `rotation`, `rotation_deg`, \
             `translation`",
    ),
    (
        "pose = { rotation = [0, 0, 0, 0] }",
        "s.toml:4: the quaternion has length 0.0; a rotation needs one that is not (nearly) \
             zero",
    ),
    ("pose = { rotation = [nan, 0, 0, 0] }", "s.toml:4: a pose needs finite numbers, found NaN"),
    (
        "pose = { rotation = [1, 0, 0] }",
        "s.toml:4: invalid length 3, expected an array of length 4",
    ),
    (
        "[body.pose]\nrotation = [1, 0, 0, 0]\ntranslation = [0, -inf, 0]",
        "s.toml:6: a pose needs finite numbers, found -inf",
    ),
    (
        "pose = { translation = [0, 1e99, 0] }",
        "s.toml:4: the translation 1e99 is too large; at most 2e90 is possible",
    ),
    (
        "pose = { translation = [0, \"1\", 0] }",
        "s.toml:4: invalid type: string \"1\", expected f64",
    ),
    (
        "pose = { rotation = [1, 0, 0, 0], rotation_deg = { axis = [1, 0, 0], angle = 1 } }",
        "s.toml:4: both `rotation` and `rotation_deg` are given; one of them is needed",
    ),
    (
        "pose.rotation_deg = { axis = [0, 0, 0], angle = 1 }",
        "s.toml:4: the axis has length 0; a rotation needs a direction",
    ),
    (
        "pose.rotation_deg = { axis = [0, 1, 0], angle = inf }",
        "s.toml:4: axis [0.0, 1.0, 0.0] and angle inf must be finite numbers",
    ),
    ("object = \"two\"", "s.toml:4: `one.stl` has no object `two`; it has `one`"),
    (
        "groups = [\n\"g\",\n\"x\"]",
        "s.toml:6: `x` is the name of a body; a group needs another one",
    ),
    ("groups = \"g\"", "s.toml:4: invalid type: string \"g\", expected a sequence"),
    ("mesh = \"one.stl\"", "s.toml:4: duplicate key"),
    (
        "[[body]]\nname = \"x\"\nmesh = \"one.stl\"",
        "s.toml:5: the name `x` is used twice; names of bodies must differ",
    ),
    (
        "[[ignore]]\na = \"x\"\nb = \"z\"",
        "s.toml:6: `z` names no body and no group; the bodies are `x`",
    ),
    ("[[ignore]]\na = \"x\"", "s.toml:4: missing field `b`"),
    (
        "[[ignore]]\na = \"x\"\nb = \"x\"\nc = \"x\"",
        "s.toml:7: unknown field `c`, expected `a` or `b`",
    ),
];

#[test]
fn bad_lines_after_a_good_body_are_refused() {
    for (rest, needed) in BAD_LINES {
        assert_eq!(after_body(rest), *needed, "{rest}");
    }
}

#[test]
fn files_that_are_no_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    let missing = Scene::load(&path, &meshes).unwrap_err();
    assert!(missing.message.starts_with("cannot be read: "), "{missing}");
    let directory = Scene::load(folder.path(), &meshes).unwrap_err();
    assert!(directory.message.starts_with("cannot be read: "), "{directory}");
    std::fs::write(&path, b"units = \"\xFF\"").unwrap();
    let error = Scene::load(&path, &meshes).unwrap_err();
    assert_eq!(
        (error.place, error.message.as_str()),
        (Place::Byte(9), "no UTF-8 text; a scene file is TOML")
    );
    std::fs::write(&path, "[[body]]\nname = \"x\"\nmesh = \"one.stl\"").unwrap();
    assert_eq!(Scene::load(&path, &meshes).unwrap().bodies.len(), 1);
}

#[test]
fn mesh_files_lie_beside_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    std::fs::write(&path, "[[body]]\nname = \"x\"\nmesh = \"parts/tri.obj\"").unwrap();
    let error = Scene::load(&path, &resolve::files).unwrap_err();
    let mesh = folder.path().join("parts/tri.obj");
    let needed = format!("{}: there is no such file", mesh.display());
    assert_eq!((error.place, error.message), (Place::Line(3), needed));
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    std::fs::write(&mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let scene = Scene::load(&path, &resolve::files).unwrap();
    assert_eq!(scene.bodies[0].mesh.vertices()[1], [1.0, 0.0, 0.0]);
}

#[test]
fn deep_nesting_costs_no_stack() {
    let text = format!("units = {}", "[".repeat(100_000));
    assert!(message(&text).starts_with("s.toml:1: "));
}
