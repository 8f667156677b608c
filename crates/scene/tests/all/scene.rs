//! Scene files: what is read from good ones, and the exact message for bad ones.

use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_scene::object::Object;
use impinge_scene::scene::{self, Scene, Selector};
use impinge_scene::units::Unit;
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// `one.stl` has one object, `two.glb` two in metres, `far.stl` coordinates near the limit.
fn resolve(name: &str, base: &Path) -> Result<Vec<Object>, String> {
    assert_eq!(base, Path::new("dir"));
    let object = |name: &str, size: f64, unit| {
        let points = vec![[0.0; 3], [size, 0.0, 0.0], [0.0, 0.1, 0.0]];
        Object::rigid(name, Mesh::new(points, vec![[0, 1, 2]]).unwrap(), unit)
    };
    match name {
        "one.stl" | "./one.stl" | "sample:sphere?faces=8" => Ok(vec![object("one", 1.0, None)]),
        "two.glb" => Ok(vec![object("a", 1.0, Some(Unit::M)), object("b", 2.0, Some(Unit::M))]),
        "far.stl" => Ok(vec![object("far", 1e90, None)]),
        "void.stl" => Ok(Vec::new()),
        _ => Err(format!("dir/{name}: cannot be read: no such file")),
    }
}

fn parse(text: &str) -> Result<Scene, String> {
    Scene::parse(text, Path::new("dir/s.toml"), &resolve).map_err(|error| error.to_string())
}

/// The examples of the users' page: a scene, bodies that deform, and a fitting check.
fn examples() -> [String; 3] {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.md");
    let page = std::fs::read_to_string(page).unwrap();
    let texts = page.split("```toml\n").skip(1);
    let texts: Vec<String> = texts.map(|s| s.split_once("```").unwrap().0.to_owned()).collect();
    texts.try_into().unwrap()
}

fn example() -> String {
    let [scene, _, _] = examples();
    scene
}

#[test]
fn the_documented_example_is_a_scene() {
    let resolve = |name: &str, base: &Path| {
        let (file, names) = match name {
            "press.glb" => ("two.glb", ["frame", "ram"]),
            "arm.obj" => ("two.glb", ["gripper", "base"]),
            _ => ("one.stl", ["sphere", ""]),
        };
        let mut objects = resolve(file, base)?;
        for (object, name) in objects.iter_mut().zip(names) {
            object.name = name.to_owned();
        }
        Ok(objects)
    };
    let scene = Scene::parse(&example(), Path::new("dir/s.toml"), &resolve).unwrap();
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["press/frame", "press/ram", "arm", "ball"]);
    assert_eq!(scene.clearance, Some(0.5));
    let ignored = scene.ignored_pairs();
    assert!(ignored.contains(&[0, 1]) && !ignored.contains(&[2, 3]));
}

#[test]
fn the_documented_fitting_check_is_one() {
    let resolve = |name: &str, _: &Path| match name {
        "lamp.glb" => {
            let mut objects = resolve("two.glb", Path::new("dir"))?;
            objects[0].name = "housing".to_owned();
            objects[1].name = "reflector".to_owned();
            Ok(objects)
        }
        _ => resolve("one.stl", Path::new("dir")),
    };
    let [_, _, text] = examples();
    let scene = Scene::parse(&text, Path::new("dir/s.toml"), &resolve).unwrap();
    let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["lamp/housing", "lamp/reflector", "cover", "seal"]);
    let fit = scene.fit.unwrap();
    assert_eq!(fit.moving, [2, 3]);
    assert_eq!(fit.path.times(), [0.0, 1.0, 1.5, 2.5, 4.0]);
    assert_eq!(fit.allowed.len(), 2);
}

#[test]
fn the_schema_knows_the_keys_of_the_examples() {
    let schema = scene::schema();
    let examples = examples().map(|text| toml::from_str::<toml::Value>(&text).unwrap());
    let mut seen = 0;
    // Pairs of a value and the schema that it must obey; references lead to `$defs`.
    let mut stack: Vec<_> = examples.iter().map(|example| (example, &schema)).collect();
    while let Some((value, mut rule)) = stack.pop() {
        for _ in 0..4 {
            let options = rule.get("anyOf").and_then(|options| options.get(0));
            let target = options.unwrap_or(rule).get("$ref").and_then(|target| target.as_str());
            let target = target.and_then(|target| schema.pointer(target.trim_start_matches('#')));
            rule = target.unwrap_or(rule);
        }
        match value {
            toml::Value::Table(table) => {
                assert_eq!(rule["additionalProperties"], false, "{table}");
                for (key, value) in table {
                    let rule = rule["properties"].get(key).unwrap_or_else(|| panic!("no {key}"));
                    assert!(rule.get("description").is_some(), "{key} has no description");
                    seen += 1;
                    stack.push((value, rule));
                }
            }
            toml::Value::Array(values) if rule.get("items").is_some() => {
                stack.extend(values.iter().map(|value| (value, &rule["items"])));
            }
            _ => {}
        }
    }
    assert!(seen > 60, "{seen} keys were compared");
}

#[test]
fn bodies_come_in_the_scenes_unit_and_share_meshes() {
    let scene = parse(
        r#"
        [[body]]
        name = "press"
        mesh = "two.glb"
        groups = ["fixed"]
        [[body]]
        name = "b"
        mesh = "two.glb"
        object = "b"
        units = "m"
        [[body]]
        name = "inch"
        mesh = "one.stl"
        units = "in"
        [[body]]
        name = "one"
        mesh = "./one.stl"
        [[body]]
        name = "same"
        mesh = "one.stl"
        units = "mm"
        [[body]]
        name = "sample"
        mesh = "sample:sphere?faces=8"
        "#,
    )
    .unwrap();
    let bodies = &scene.bodies;
    assert_eq!(scene.unit, Unit::Mm);
    assert_eq!(bodies[1].name, "press/b");
    assert_eq!(bodies[1].groups, ["fixed", "press"]);
    assert_eq!(bodies[1].mesh.vertices()[1], [2000.0, 0.0, 0.0]);
    assert!(Arc::ptr_eq(&bodies[1].mesh, &bodies[2].mesh));
    assert_eq!(bodies[3].mesh.vertices()[1], [25.4, 0.0, 0.0]);
    assert_eq!(bodies[4].mesh.vertices()[2], [0.0, 0.1, 0.0]);
    assert!(Arc::ptr_eq(&bodies[4].mesh, &bodies[5].mesh));
    assert_eq!((bodies[4].pose, scene.clearance), (Pose::IDENTITY, None));
}

#[test]
fn rules_name_bodies_groups_and_entries_of_several_objects() {
    let scene = parse(
        r#"
        units = "m"
        clearance = "5mm"
        [[body]]
        name = "press"
        mesh = "two.glb"
        [[body]]
        name = "x"
        mesh = "one.stl"
        groups = ["g"]
        [[body]]
        name = "y"
        mesh = "one.stl"
        groups = ["g"]
        [[ignore]]
        a = "press"
        b = "x"
        [[ignore]]
        a = "g"
        b = "g"
        [[ignore]]
        a = "y"
        b = "press/b"
        "#,
    )
    .unwrap();
    let group = |name: &str| Selector::Group(name.to_owned());
    let body = |name: &str| Selector::Body(name.to_owned());
    let (press, x) = (group("press"), body("x"));
    let last = (body("y"), body("press/b"));
    assert_eq!(scene.ignored, [(press, x), (group("g"), group("g")), last]);
    // The group against itself leaves the self-tests of its bodies alone.
    let ignored: Vec<[usize; 2]> = scene.ignored_pairs().into_iter().collect();
    assert_eq!(ignored, [[0, 2], [1, 2], [1, 3], [2, 3]]);
    assert_eq!(scene.clearance, Some(0.005));
}

#[test]
fn clearances_are_numbers_or_text() {
    let body = "[[body]]\nname = \"a\"\nmesh = \"one.stl\"";
    let clearance = |value: &str| {
        let text = format!("units = \"cm\"\nclearance = {value}\n{body}");
        parse(&text).unwrap().clearance
    };
    for (value, needed) in [("0.1", 0.1), ("2", 2.0), ("0", 0.0), ("1e-300", 1e-300)] {
        assert_eq!(clearance(value), Some(needed));
    }
    assert_eq!((clearance("\"0.5\""), clearance("\"5mm\"")), (Some(0.5), Some(0.5)));
    let schema = scene::schema();
    assert_eq!(schema["$defs"]["LengthEntry"]["anyOf"][0]["type"], "number", "{schema}");
    assert_eq!(schema["$defs"]["LengthEntry"]["anyOf"][1]["type"], "string", "{schema}");
}

/// The pose of a body whose `pose` table is written as given.
fn pose(text: &str) -> Pose {
    let body = format!("[[body]]\nname = \"a\"\nmesh = \"one.stl\"\npose = {{ {text} }}");
    parse(&body).unwrap().bodies[0].pose
}

#[test]
fn half_turns_are_exact() {
    assert_eq!(
        pose("rotation_deg = { axis = [0, 0, 2], angle = 180 }").rotation(),
        [0.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(pose("rotation_deg = { axis = [0, 0, 1], angle = -180 }").rotation()[3], -1.0);
    assert_eq!(pose("rotation_deg = { axis = [1, 1, 1], angle = 720 }"), Pose::IDENTITY);
    assert_eq!(Ok(pose("translation = [1, 2.5, -3]")), Pose::shift([1.0, 2.5, -3.0]));
    assert_eq!(pose(""), Pose::IDENTITY);
}

proptest! {
    #[test]
    fn axis_and_angle_turn_like_their_definition(
        axis in prop::array::uniform3(-1.0..1.0f64),
        angle in -800.0..800.0f64,
        p in prop::array::uniform3(-5.0..5.0f64),
    ) {
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assume!(length > 1e-3);
        let pose = pose(&format!("rotation_deg = {{ axis = {axis:?}, angle = {angle:?} }}"));
        // Rodrigues' formula: p cos + (k × p) sin + k (k · p)(1 − cos).
        let k = axis.map(|x| x / length);
        let (sin, cos) = angle.to_radians().sin_cos();
        let cross =
            [k[1] * p[2] - k[2] * p[1], k[2] * p[0] - k[0] * p[2], k[0] * p[1] - k[1] * p[0]];
        let dot: f64 = (0..3).map(|i| k[i] * p[i]).sum();
        let found = pose.apply(&p);
        for i in 0..3 {
            let needed = p[i] * cos + cross[i] * sin + k[i] * dot * (1.0 - cos);
            prop_assert!((found[i] - needed).abs() < 1e-12);
        }
    }

    #[test]
    fn damage_never_panics(
        at in any::<prop::sample::Index>(),
        put in "\\PC{0,6}",
        cut in 0..20usize,
        which in 0..3usize,
    ) {
        let text: Vec<char> = examples()[which].chars().collect();
        let at = at.index(text.len());
        let end = (at + cut).min(text.len());
        let (before, after) = (text[..at].iter().copied(), text[end..].iter().copied());
        let damaged: String = before.chain(put.chars()).chain(after).collect();
        let resolve = |_: &str, base: &Path| resolve("two.glb", base);
        if let Err(error) = Scene::parse(&damaged, Path::new("dir/s.toml"), &resolve) {
            prop_assert!(!error.message.is_empty());
        }
    }
}
