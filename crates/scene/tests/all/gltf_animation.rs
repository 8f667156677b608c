//! Animations of glTF files, written by hand, against places worked out by hand.

use impinge_geom::Point;
use impinge_scene::gltf;
use impinge_scene::object::Object;
use serde_json::{Value, json};
use std::path::Path;

/// Numbers of one accessor after another, and the JSON that names them.
#[derive(Default)]
struct File {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl File {
    fn column(&mut self, (shape, width): (&str, usize), values: &[f32]) -> usize {
        let offset = self.binary.len();
        self.binary.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        let length = self.binary.len() - offset;
        self.views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": length}));
        let view = self.views.len() - 1;
        let count = values.len() / width;
        let float = 5126;
        self.accessors.push(
            json!({"bufferView": view, "componentType": float, "count": count, "type": shape}),
        );
        view
    }

    fn scalars(&mut self, values: &[f32]) -> usize {
        self.column(("SCALAR", 1), values)
    }

    fn points(&mut self, values: &[f32]) -> usize {
        self.column(("VEC3", 3), values)
    }

    fn read(self, rest: Value) -> Vec<Object> {
        let mut json = json!({
            "asset": {"version": "2.0"},
            "buffers": [{"byteLength": self.binary.len(), "uri": "data.bin"}],
            "bufferViews": self.views,
            "accessors": self.accessors,
        });
        let Value::Object(rest) = rest else { panic!("an object is needed") };
        json.as_object_mut().unwrap().extend(rest);
        let open = |_: &Path| Ok(self.binary.clone());
        gltf::read_with(json.to_string().as_bytes(), Path::new("a.gltf"), &open).unwrap()
    }
}

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// The vertex 1 in each of so many frames.
fn second(object: &Object, count: u32) -> Vec<Point> {
    object.frames(count).unwrap().iter().map(|frame| frame[1]).collect()
}

fn near(found: &[Point], needed: &[Point]) {
    assert_eq!(found.len(), needed.len());
    for (a, b) in found.iter().zip(needed) {
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-6), "{found:?}, not {needed:?}");
    }
}

fn animated(path: &str, interpolation: &str, values: impl Fn(&mut File) -> usize) -> Object {
    let mut file = File::default();
    let position = file.points(&TRIANGLE);
    let input = file.scalars(&[1.0, 2.0]);
    let output = values(&mut file);
    let objects = file.read(json!({
        "meshes": [{"primitives": [{"attributes": {"POSITION": position}}]}],
        "nodes": [{"mesh": 0, "translation": [0, 0, 5]}],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 0, "path": path}}],
            "samplers": [{"input": input, "output": output, "interpolation": interpolation}],
        }],
    }));
    objects.into_iter().next().unwrap()
}

#[test]
fn nodes_move_stepwise_straight_and_along_splines() {
    let way = |file: &mut File| file.points(&[0.0, 0.0, 5.0, 4.0, 0.0, 5.0]);
    let straight = animated("translation", "LINEAR", way);
    assert_eq!(straight.mesh.vertices()[1], [1.0, 0.0, 5.0]);
    near(&second(&straight, 3), &[[1.0, 0.0, 5.0], [3.0, 0.0, 5.0], [5.0, 0.0, 5.0]]);
    near(&second(&straight, 1), &[[1.0, 0.0, 5.0]]);
    let step = animated("translation", "STEP", way);
    near(&second(&step, 3), &[[1.0, 0.0, 5.0], [1.0, 0.0, 5.0], [5.0, 0.0, 5.0]]);
    // From 0 with the slope 0 to 4 with the slope 8: half way, 2 − 8/8.
    let spline = animated("translation", "CUBICSPLINE", |file| {
        let tangent = [0.0; 3];
        let values = [tangent, [0.0; 3], tangent, [8.0, 0.0, 0.0], [4.0, 0.0, 0.0], tangent];
        file.points(values.as_flattened())
    });
    near(&second(&spline, 3), &[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [5.0, 0.0, 0.0]]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    // By a quarter about z, with the quaternion's sign turned: the short way is taken.
    let turn = animated("rotation", "LINEAR", |file| {
        file.column(("VEC4", 4), &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -half, -half])
    });
    let eighth = std::f64::consts::FRAC_1_SQRT_2;
    near(&second(&turn, 3), &[[1.0, 0.0, 5.0], [eighth, eighth, 5.0], [0.0, 1.0, 5.0]]);
    let grown = animated("scale", "LINEAR", |file| file.points(&[1.0, 1.0, 1.0, 3.0, 1.0, 1.0]));
    near(&second(&grown, 3), &[[1.0, 0.0, 5.0], [2.0, 0.0, 5.0], [3.0, 0.0, 5.0]]);
}

#[test]
fn morph_targets_follow_their_weights() {
    let mut file = File::default();
    let position = file.points(&TRIANGLE);
    let up = file.points(&[0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    let aside = file.points(&[0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    let input = file.scalars(&[0.0, 1.0]);
    let output = file.scalars(&[0.0, 0.0, 1.0, 0.5]);
    let objects = file.read(json!({
        "meshes": [{"primitives": [{
            "attributes": {"POSITION": position},
            "targets": [{"POSITION": up}, {"POSITION": aside}],
        }]}],
        "nodes": [{"mesh": 0}, {"mesh": 0, "weights": [0.5, 0.0], "translation": [0, 0, 1]}],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
            "samplers": [{"input": input, "output": output}],
        }],
    }));
    near(&second(&objects[0], 3), &[[1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 2.0, 2.0]]);
    // Weights that nothing moves are those of the node.
    near(&second(&objects[1], 2), &[[1.0, 0.0, 2.0], [1.0, 0.0, 2.0]]);
}

#[test]
fn skins_follow_their_joints() {
    let mut file = File::default();
    let position = file.points(&TRIANGLE);
    let joints = file.column(("VEC4", 4), &[0.0; 12]);
    let more = [0.0, 1.0, 0.0, 0.0].repeat(3);
    let joints_of_two = file.column(("VEC4", 4), &more);
    let all_first = file.column(("VEC4", 4), &[1.0, 0.0, 0.0, 0.0].repeat(3));
    let halves = file.column(("VEC4", 4), &[2.0, 2.0, 0.0, 0.0].repeat(3));
    // The inverse of a joint that rests 1 along x; the other rests at the origin.
    let mut matrices = [0.0; 32];
    for k in [0, 5, 10, 15, 16, 21, 26, 31] {
        matrices[k] = 1.0;
    }
    matrices[12] = -1.0;
    let inverse = file.column(("MAT4", 16), &matrices);
    let input = file.scalars(&[0.0, 1.0]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let output = file.column(("VEC4", 4), &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half]);
    let objects = file.read(json!({
        "meshes": [
            {"primitives": [{"attributes":
                {"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": all_first}}]},
            {"primitives": [{"attributes":
                {"POSITION": position, "JOINTS_0": joints_of_two, "WEIGHTS_0": halves}}]},
        ],
        "skins": [{"joints": [2, 3], "inverseBindMatrices": inverse}],
        "nodes": [
            // What the node itself does is of no account for a skin.
            {"mesh": 0, "skin": 0, "translation": [9, 9, 9]},
            {"mesh": 1, "skin": 0},
            {"translation": [1, 0, 0], "children": []},
            {"children": [2]},
        ],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}],
            "samplers": [{"input": input, "output": output}],
        }],
    }));
    // About the joint at (1, 0, 0) by a quarter: its own vertex stays, the origin goes to (1, −1, 0).
    near(&second(&objects[0], 2), &[[1.0, 0.0, 0.0]; 2]);
    let frames = objects[0].frames(2).unwrap();
    near(&frames.frame(1)[..1], &[[1.0, -1.0, 0.0]]);
    // Half of it stays with the other joint.
    let frames = objects[1].frames(2).unwrap();
    near(&frames.frame(1)[..1], &[[0.5, -0.5, 0.0]]);
}

#[test]
fn broken_animations_leave_the_mesh_and_are_told_when_asked_for() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut file = File::default();
        let position = file.points(&TRIANGLE);
        let input = file.scalars(&[0.0, 1.0]);
        let output = file.points(&[0.0; 6]);
        let mut rest = json!({
            "meshes": [{"primitives": [{"attributes": {"POSITION": position}}]}],
            "nodes": [{"mesh": 0}],
            "animations": [{
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
                "samplers": [{"input": input, "output": output}],
            }],
        });
        change(&mut rest);
        let objects = file.read(rest);
        assert_eq!(objects[0].mesh.vertices().len(), 3);
        objects[0].frames(2).map(|frames| frames.len())
    };
    assert_eq!(with(&|_| {}), Ok(2));
    let refused = |change: &dyn Fn(&mut Value), needed: &str| {
        let error = with(change).unwrap_err();
        assert!(error.contains(needed), "{error}");
    };
    let channel = |json: &mut Value, key: &str, value: Value| {
        json["animations"][0]["channels"][0][key] = value;
    };
    let sampler = |json: &mut Value, key: &str, value: Value| {
        json["animations"][0]["samplers"][0][key] = value;
    };
    refused(&|json| channel(json, "sampler", json!(7)), "names sampler 7, but the file has 1");
    let gone = json!({"node": 9, "path": "scale"});
    refused(&|json| channel(json, "target", gone.clone()), "names node 9");
    refused(&|json| sampler(json, "input", json!(9)), "names accessor 9");
    refused(&|json| sampler(json, "input", json!(2)), "needs SCALAR");
    refused(&|json| sampler(json, "output", json!(1)), "needs VEC3");
    refused(&|json| sampler(json, "interpolation", json!("BOUNCE")), "`BOUNCE`; known are STEP");
    refused(
        &|json| sampler(json, "interpolation", json!("CUBICSPLINE")),
        "6 numbers are no values",
    );
    let matrix = json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    refused(&|json| json["nodes"][0]["matrix"] = matrix.clone(), "is animated, but has a matrix");
    refused(&|json| json["nodes"][0]["skin"] = json!(0), "names skin 0");
    let skinned = |json: &mut Value| {
        json["nodes"][0]["skin"] = json!(0);
        json["skins"] = json!([{"joints": [0]}]);
    };
    refused(&skinned, "the weights of point 0 sum to 0");
    let targets = |json: &mut Value| {
        json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 2}]);
    };
    refused(&targets, "moves 2 points of 3");
    let many = |json: &mut Value| {
        let target = json!({"POSITION": 0});
        json["meshes"][0]["primitives"][0]["targets"] = Value::Array(vec![target; 400_000]);
    };
    assert_eq!(with(&many), Ok(2));
    // No animation at all.
    refused(&|json| json["animations"] = json!([]), "nothing moves there");
}
