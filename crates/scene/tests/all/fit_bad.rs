//! Fitting checks that must be refused, each with its line and one exact message.

use impinge_geom::mesh::Mesh;
use impinge_scene::object::Object;
use impinge_scene::scene::Scene;
use std::path::Path;

fn meshes(name: &str, _: &Path) -> Result<Vec<Object>, String> {
    let object = |name: &str| {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = Mesh::new(points, vec![[0, 1, 2]]).unwrap();
        Object::rigid(name, mesh, None)
    };
    match name {
        "two.glb" => Ok(vec![object("a"), object("b")]),
        _ => Ok(vec![object("one")]),
    }
}

/// The message for a scene of the bodies x, far, p/a and p/b on its first nine lines; what follows is
/// line 10.
fn message(rest: &str) -> String {
    let text = format!(
        "[[body]]\nname = \"x\"\nmesh = \"one.stl\"\n[[body]]\nname = \"far\"\nmesh = \
         \"one.stl\"\npose.translation = [2e90, 0, 0]\n[[body]]\n{}\n{rest}",
        "name = \"p\"; mesh = \"two.glb\"".replace("; ", "\n")
    );
    let error = Scene::parse(&text, Path::new("s.toml"), &meshes).unwrap_err();
    error.to_string()
}

/// Good keyframes of two lines.
const KEYFRAMES: &str = "[[path.keyframe]]\n[[path.keyframe]]";

/// What is wrong, after the bodies, and the message that it must cause.
const BAD_PATHS: &[(&str, &str)] = &[
    ("[path]", "s.toml:11: missing field `moves`"),
    (
        "[path]\nmoves = 3",
        "s.toml:12: invalid type: integer `3`, expected a name or a list of names",
    ),
    ("[path]\nmoves = [\n\"x\",\n4]", "s.toml:14: invalid type: integer `4`, expected a string"),
    (
        "[path]\nmoves = \"z\"",
        "s.toml:12: `z` names no body and no group; the bodies are `x`, `far`, `p/a`, `p/b`",
    ),
    (
        "[path]\nmoves = [\"x\",\n\"p/c\"]",
        "s.toml:13: `p/c` names no body and no group; the bodies are `x`, `far`, `p/a`, `p/b`",
    ),
    (
        "[path]\nmoves = []",
        "s.toml:12: the list of what moves is empty; at least one body is needed",
    ),
    (
        "[path]\nmoves = [\"p\", \"x\", \"far\"]",
        "s.toml:12: all bodies move; at least one must stand still",
    ),
    (
        "[path]\nmoves = \"x\"\nmove = 1",
        "s.toml:13: unknown field `move`, expected one of `moves`, `motion`, `poses`, `keyframes`, \
         `keyframe`",
    ),
    (
        "[path]\nmoves = \"x\"\nmotion = \"linear\"",
        "s.toml:13: unknown variant `linear`, expected `lerp-slerp` or `screw`",
    ),
    (
        "[path]\nmoves = \"x\"\nposes = \"body\"",
        "s.toml:13: unknown variant `body`, expected `world` or `start`",
    ),
    ("[path]\nmoves = \"x\"", "s.toml:12: the path has no keyframe; at least two are needed"),
    (
        "[path]\nmoves = \"x\"\n[[path.keyframe]]",
        "s.toml:12: the path has one keyframe; at least two are needed",
    ),
    (
        "[path]\nmoves = \"x\"\nkeyframes = \"w.csv\"\n[[path.keyframe]]",
        "s.toml:13: both `keyframes` and `keyframe` are given; one of them is needed",
    ),
    (
        "[path]\nmoves = \"x\"\nkeyframes = \"gone/w.csv\"",
        "s.toml:13: gone/w.csv: there is no such file",
    ),
];

/// The same for lines after `[path]` and `moves`; the first of them is line 13.
const BAD_KEYFRAMES: &[(&str, &str)] = &[
    (
        "[[path.keyframe]]\n[[path.keyframe]]\n[[path.keyframe]]\ntime = 1",
        "s.toml:16: keyframe 3 has a time, but keyframe 1 has none; all or none need one",
    ),
    (
        "[[path.keyframe]]\ntime = 1\n[[path.keyframe]]",
        "s.toml:14: keyframe 1 has a time, but keyframe 2 has none; all or none need one",
    ),
    (
        "[[path.keyframe]]\ntime = 1\n[[path.keyframe]]\ntime = 1",
        "s.toml:16: the time 1 is not after 1; times must rise",
    ),
    (
        "[[path.keyframe]]\ntime = nan\n[[path.keyframe]]\ntime = 1",
        "s.toml:14: the time is NaN; it must be finite",
    ),
    (
        "[[path.keyframe]]\ntime = 1\n[[path.keyframe]]\ntime = inf",
        "s.toml:16: the time is inf; it must be finite",
    ),
    (
        "[[path.keyframe]]\nmotion = \"screw\"",
        "s.toml:14: the first keyframe has a motion, but no piece of the path ends there",
    ),
    (
        "[[path.keyframe]]\nscrew = { point = [0, 0, 0], direction = [0, 0, 1], angle = 9 }\n\
         [[path.keyframe]]",
        "s.toml:14: the first keyframe has a screw, but there is none before it; a pose is needed, \
         or nothing for where the body stands",
    ),
    (
        "[[path.keyframe]]\n[[path.keyframe]]\npose = {}\nscrew.point = [0, 0, 0]\n\
         screw.direction = [0, 0, 1]\nscrew.angle = 9",
        "s.toml:17: both `pose` and `screw` are given; one of them is needed",
    ),
    (
        "[[path.keyframe]]\n[[path.keyframe]]\nmotion = \"lerp-slerp\"\n\
         screw = { point = [0, 0, 0], direction = [0, 0, 1], angle = 9 }",
        "s.toml:15: the keyframe is reached by a `screw`, which is no lerp-slerp",
    ),
    (
        "[[path.keyframe]]\n[[path.keyframe]]\n\
         screw = { point = [0, 0, 0], direction = [0, 0, 0], angle = 9 }",
        "s.toml:15: the axis direction is zero; a screw needs a direction",
    ),
    (
        "[[path.keyframe]]\n[[path.keyframe]]\n\
         screw = { point = [0, 0, 0], direction = [0, 0, 1], angle = nan, advance = 1 }",
        "s.toml:15: a screw needs finite numbers, found NaN",
    ),
    (
        "[[path.keyframe]]\n[[path.keyframe]]\n\
         screw = { point = [0, 0, 0], direction = [0, 0, 1], angle = 1e9 }",
        "s.toml:15: the screw turns by 1e9 degrees; at most 5e7 are possible",
    ),
    (
        "[[path.keyframe]]\n[[path.keyframe]]\nscrew = { point = [0, 0, 0], angle = 9 }",
        "s.toml:15: missing field `direction`",
    ),
    (
        "[[path.keyframe]]\n[[path.keyframe]]\npose.translation = [0, nan, 0]",
        "s.toml:15: a pose needs finite numbers, found NaN",
    ),
    (
        "[[path.keyframe]]\n[[path.keyframe]]\nposition = [0, 0, 0]",
        "s.toml:15: unknown field `position`, expected one of `time`, `motion`, `pose`, `screw`",
    ),
];

/// The same for rules after a good path of `x`; the first of their lines is line 15.
const BAD_RULES: &[(&str, &str)] = &[
    ("[[allow]]\na = \"x\"", "s.toml:15: missing field `b`"),
    (
        "[[allow]]\na = \"x\"\nb = \"q\"",
        "s.toml:17: `q` names no body and no group; the bodies are `x`, `far`, `p/a`, `p/b`",
    ),
    (
        "[[allow]]\na = \"p\"\nb = \"far\"",
        "s.toml:16: neither of `p` and `far` moves while the other one rests; a body that moves \
         and one that does not are needed",
    ),
    (
        "[[allow]]\na = \"x\"\nb = \"x\"",
        "s.toml:16: neither of `x` and `x` moves while the other one rests; a body that moves and \
         one that does not are needed",
    ),
    (
        "[[allow]]\na = \"x\"\nb = \"p\"\nuntil = \"later\"",
        "s.toml:18: \"end\", \"release\" or a time of the path is needed",
    ),
    (
        "[[allow]]\na = \"x\"\nb = \"p\"\nuntil = 1.5",
        "s.toml:18: 1.5 is no time of the path, which is 0 to 1",
    ),
    (
        "[[allow]]\na = \"x\"\nb = \"p\"\nuntil = nan",
        "s.toml:18: NaN is no time of the path, which is 0 to 1",
    ),
    (
        "[[allow]]\na = \"x\"\nb = \"p\"\n[allow.within]\nmin = [0, 2, 0]\nmax = [1, 1, 1]",
        "s.toml:20: the box has y from 2 to 1; `min` must be lower",
    ),
    (
        "[[allow]]\na = \"x\"\nb = \"p\"\nwithin = { min = [0, 0, -inf], max = [1, 1, 1] }",
        "s.toml:18: a box needs finite numbers, found -inf",
    ),
    (
        "[[allow]]\na = \"x\"\nb = \"p\"\nwithin = { min = [0, 0, 0] }",
        "s.toml:18: missing field `max`",
    ),
    (
        "[[allow]]\na = \"x\"\nb = \"p\"\nwhy = \"seat\"",
        "s.toml:18: unknown field `why`, expected one of `a`, `b`, `until`, `within`, `reason`",
    ),
];

#[test]
fn bad_paths_keyframes_and_rules_are_refused() {
    for (text, needed) in BAD_PATHS {
        assert_eq!(message(text), *needed, "{text}");
    }
    for (text, needed) in BAD_KEYFRAMES {
        assert_eq!(message(&format!("[path]\nmoves = \"x\"\n{text}")), *needed, "{text}");
    }
    for (text, needed) in BAD_RULES {
        let text = format!("[path]\nmoves = \"x\"\n{KEYFRAMES}\n{text}");
        assert_eq!(message(&text), *needed, "{text}");
    }
    let rule = "[[allow]]\na = \"x\"\nb = \"p\"";
    let needed = "s.toml:12: contacts are allowed, but nothing moves; a [path] is needed";
    assert_eq!(message(rule), needed);
}

#[test]
fn places_that_add_up_to_one_beyond_the_limit_are_refused() {
    let found = message(
        "[path]\nmoves = \"far\"\nposes = \"start\"\n[[path.keyframe]]\n[[path.keyframe]]\n\
         pose = { translation = [2e90, 0, 0] }",
    );
    assert_eq!(found, "s.toml:16: the translation 4e90 is too large; at most 2e90 is possible");
}

/// Contents of a CSV file, and the message after its name.
const BAD_TABLES: &[(&str, &str)] = &[
    ("", ": the file has no head line; one with the names of the columns is needed"),
    (
        "# only\n\n# comments",
        ": the file has no head line; one with the names of the columns is needed",
    ),
    ("qw,qx,qy,qz,tx,ty,tz", ": the path has no keyframe; at least two are needed"),
    ("qw,qx,qy,qz,tx,ty,tz\n1,0,0,0,0,0,0", ": the path has one keyframe; at least two are needed"),
    (
        "\nqw,qx,qy,qz,tx,ty",
        ":2: the column `tz` is missing; qw, qx, qy, qz, tx, ty, tz are needed",
    ),
    (
        "qw,qx,qy,qz,tx,ty,tz,t",
        ":1: the column `t` is unknown; known are time, qw, qx, qy, qz, tx, ty, tz, motion",
    ),
    (
        "1 0 0 0 0 0 0",
        ":1: the column `1` is unknown; known are time, qw, qx, qy, qz, tx, ty, tz, motion",
    ),
    ("qw,qx,qw,qz,tx,ty,tz", ":1: the column `qw` is there twice; once is needed"),
    (
        "qw,qx,qy,qz,tx,ty,tz\n1,0,0,0,0,0",
        ":2: 6 cells; as many as names in the head, 7, are needed",
    ),
    (
        "qw qx qy qz tx ty tz\n1,0,0,0,0,0,0",
        ":2: 1 cells; as many as names in the head, 7, are needed",
    ),
    ("qw,qx,qy,qz,tx,ty,tz\n\n1,0,0,0,0,,0", ":3: `` is no number"),
    ("qw;qx;qy;qz;tx;ty;tz\n1;0;0;0;0;1,5;0", ":2: `1,5` is no number"),
    ("qw,qx,qy,qz,tx,ty,tz\n1,0,0,0,nan,0,0", ":2: a pose needs finite numbers, found NaN"),
    (
        "qw,qx,qy,qz,tx,ty,tz\n0,0,0,0,0,0,0",
        ":2: the quaternion has length 0.0; a rotation needs one that is not (nearly) zero",
    ),
    (
        "time,qw,qx,qy,qz,tx,ty,tz\n1,1,0,0,0,0,0,0\n# back\n0.5,1,0,0,0,0,0,0",
        ":4: the time 0.5 is not after 1; times must rise",
    ),
    (
        "time,qw,qx,qy,qz,tx,ty,tz\n1,1,0,0,0,0,0,0\ninf,1,0,0,0,0,0,0",
        ":3: the time is inf; it must be finite",
    ),
    (
        "motion,qw,qx,qy,qz,tx,ty,tz\n,1,0,0,0,0,0,0\nspin,1,0,0,0,0,0,0",
        ":3: the motion `spin` is unknown; known are lerp-slerp, screw",
    ),
];

#[test]
fn bad_csv_files_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("w.csv");
    let scene = format!("[path]\nmoves = \"x\"\nkeyframes = '{}'", file.display());
    for (content, needed) in BAD_TABLES {
        std::fs::write(&file, content).unwrap();
        assert_eq!(message(&scene), format!("s.toml:13: {}{needed}", file.display()), "{content}");
    }
    std::fs::write(&file, b"qw,qx\n\xFF").unwrap();
    let needed = format!("{}:2: no UTF-8 text; keyframes are a CSV file", file.display());
    assert_eq!(message(&scene), format!("s.toml:13: {needed}"));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let needed = format!("{}: cannot be read: this is not a regular file", file.display());
    assert_eq!(message(&scene), format!("s.toml:13: {needed}"));
}
