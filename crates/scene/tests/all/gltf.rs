//! glTF files written by hand: what is read from good ones.

use impinge_geom::Point;
use impinge_scene::gltf;
use impinge_scene::object::Object;
use impinge_scene::units::Unit;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

/// A GLB of the JSON and the binary chunk.
fn glb(json: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let length = 12 + 8 + text.len() + 8 + binary.len();
    let mut bytes = b"glTF".to_vec();
    for word in [2, length as u32, text.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(b"JSON");
    bytes.extend(&text);
    bytes.extend((binary.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(&binary);
    bytes
}

fn floats(points: &[[f32; 3]]) -> Vec<u8> {
    points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
}

fn read(json: &Value, binary: &[u8]) -> Vec<Object> {
    let open = |path: &Path| panic!("{} was opened", path.display());
    gltf::read_with(&glb(json, binary), Path::new("some/part.glb"), &open).unwrap()
}

/// Four points as buffer view 0 and accessor 0; the rest is merged in.
fn with_points(rest: Value) -> (Value, Vec<u8>) {
    let binary = floats(&POINTS);
    let mut json = json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": binary.len()}],
        "bufferViews": [{"buffer": 0, "byteLength": binary.len()}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 5}]}],
    });
    let Value::Object(rest) = rest else { panic!("an object is needed") };
    json.as_object_mut().unwrap().extend(rest);
    (json, binary)
}

const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [1.0, 2.0, 3.0]];

fn wide(points: &[[f32; 3]]) -> Vec<Point> {
    points.iter().map(|p| p.map(f64::from)).collect()
}

fn names(objects: &[Object]) -> Vec<&str> {
    objects.iter().map(|object| object.name.as_str()).collect()
}

#[test]
fn a_mesh_without_nodes_is_one_body_in_metres() {
    let (json, binary) = with_points(json!({}));
    let objects = read(&json, &binary);
    assert_eq!(names(&objects), ["part"]);
    assert_eq!(objects[0].unit, Some(Unit::M));
    assert_eq!(objects[0].mesh.vertices(), wide(&POINTS));
    assert_eq!(objects[0].mesh.triangles(), [[0, 1, 2], [1, 3, 2]]);
}

#[test]
fn modes_make_the_triangles_of_the_specification() {
    let mode = |mode: u32| {
        let primitive = json!({"attributes": {"POSITION": 0}, "mode": mode});
        let lines = json!({"attributes": {"POSITION": 0}, "mode": 1});
        let (json, binary) = with_points(json!({"meshes": [{"primitives": [lines, primitive]}]}));
        read(&json, &binary)[0].mesh.triangles().to_vec()
    };
    assert_eq!(mode(5), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(mode(6), [[1, 2, 0], [2, 3, 0]]);
}

#[test]
fn primitives_are_joined_and_share_an_accessor() {
    // Indices of all three widths: bytes 0 1 2, shorts 2 1 3 from byte 4 on, one word list.
    let mut binary = floats(&POINTS);
    binary.extend([0, 1, 2, 0, 2, 0, 1, 0, 3, 0, 0, 0]);
    binary.extend([3u32, 2, 0].iter().flat_map(|i| i.to_le_bytes()));
    let index = |kind: u32, offset: u32| {
        json!({"bufferView": 1, "byteOffset": offset, "componentType": kind, "count": 3,
            "type": "SCALAR"})
    };
    let points = json!({"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"});
    let primitive =
        |points: u32, indices: u32| json!({"attributes": {"POSITION": points}, "indices": indices});
    let json = json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": binary.len()}],
        "bufferViews": [{"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "accessors": [points.clone(), index(5121, 0), index(5123, 4), index(5125, 12), points],
        "meshes": [{"primitives": [primitive(0, 1), primitive(0, 2), primitive(4, 3)]}],
    });
    let objects = read(&json, &binary);
    assert_eq!(objects[0].mesh.triangles(), [[0, 1, 2], [2, 1, 3], [7, 6, 4]]);
    assert_eq!(objects[0].mesh.vertices().len(), 8);
}

#[test]
fn strides_offsets_and_sparse_elements_are_read() {
    // Each point follows four bytes of something else; element 1 is replaced.
    let mut binary = Vec::new();
    for point in &POINTS {
        binary.extend([9; 4]);
        binary.extend(floats(&[*point]));
    }
    binary.extend([1, 0, 0, 0]);
    binary.extend(floats(&[[7.0, 8.0, 9.0]]));
    let (mut json, _) = with_points(json!({}));
    json["buffers"][0]["byteLength"] = json!(binary.len());
    json["bufferViews"] = json!([{"buffer": 0, "byteLength": 64, "byteStride": 16},
        {"buffer": 0, "byteOffset": 64, "byteLength": 16}]);
    json["accessors"][0]["byteOffset"] = json!(4);
    json["accessors"][0]["sparse"] = json!({"count": 1,
        "indices": {"bufferView": 1, "componentType": 5121},
        "values": {"bufferView": 1, "byteOffset": 4}});
    let mut points = wide(&POINTS);
    points[1] = [7.0, 8.0, 9.0];
    assert_eq!(read(&json, &binary)[0].mesh.vertices(), points);
    // Without a base view everything else is zero.
    json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    let points = [[0.0; 3], points[1], [0.0; 3], [0.0; 3]];
    assert_eq!(read(&json, &binary)[0].mesh.vertices(), points);
}

#[test]
fn quantized_positions_are_read() {
    let binary = [0u8, 127, 255, 128, 1, 0, 129, 64, 200];
    let read_as = |kind: u32, normalized: bool| {
        let accessor = json!({"bufferView": 0, "componentType": kind, "normalized": normalized,
            "count": 3, "type": "VEC3"});
        let (mut json, _) = with_points(json!({"extensionsRequired": ["KHR_mesh_quantization"]}));
        json["buffers"][0]["byteLength"] = json!(9);
        json["bufferViews"][0]["byteLength"] = json!(9);
        json["accessors"][0] = accessor;
        read(&json, &binary)[0].mesh.vertices().to_vec()
    };
    assert_eq!(read_as(5121, false)[0], [0.0, 127.0, 255.0]);
    assert_eq!(read_as(5121, true)[0], [0.0, 127.0 / 255.0, 1.0]);
    assert_eq!(read_as(5120, false)[1], [-128.0, 1.0, 0.0]);
    assert_eq!(read_as(5120, true)[1], [-1.0, 1.0 / 127.0, 0.0]);
}

#[test]
fn nodes_are_bodies_with_names_of_their_own() {
    let (json, binary) = with_points(json!({
        "scene": 1,
        "scenes": [{"nodes": [3]}, {"nodes": [0, 2]}],
        "nodes": [
            {"name": "bolt", "mesh": 0, "children": [1], "translation": [1, 0, 0]},
            {"name": "bolt", "mesh": 0, "translation": [0, 10, 0]},
            {"mesh": 0},
            {"name": "elsewhere", "mesh": 0},
        ],
    }));
    let objects = read(&json, &binary);
    assert_eq!(names(&objects), ["bolt", "bolt-2", "part"]);
    assert_eq!(objects[0].mesh.vertices()[3], [2.0, 2.0, 3.0]);
    assert_eq!(objects[1].mesh.vertices()[3], [2.0, 12.0, 3.0]);
    // Without a default scene, all scenes count; without scenes, all nodes.
    let mut all = json.clone();
    all.as_object_mut().unwrap().remove("scene");
    assert_eq!(names(&read(&all, &binary)), ["bolt", "bolt-2", "part", "elsewhere"]);
    all.as_object_mut().unwrap().remove("scenes");
    assert_eq!(read(&all, &binary).len(), 4);
}

#[test]
fn a_mirror_turns_the_triangles_round() {
    let (json, binary) = with_points(json!({"nodes": [
        {"scale": [-1, 1, 1], "children": [1, 2]},
        {"mesh": 0},
        {"mesh": 0, "scale": [1, 1, -2]},
    ]}));
    let objects = read(&json, &binary);
    assert_eq!(objects[0].mesh.triangles(), [[0, 2, 1], [1, 2, 3]]);
    assert_eq!(objects[0].mesh.vertices()[3], [-1.0, 2.0, 3.0]);
    assert_eq!(objects[1].mesh.triangles(), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(objects[1].mesh.vertices()[3], [-1.0, 2.0, -6.0]);
}

#[test]
fn a_deep_hierarchy_needs_no_deep_stack() {
    let depth = 50_000;
    let mut nodes: Vec<Value> =
        (1..depth).map(|i| json!({"children": [i], "translation": [0, 0, 1]})).collect();
    nodes.push(json!({"mesh": 0}));
    let (json, binary) = with_points(json!({"nodes": nodes}));
    let objects = read(&json, &binary);
    assert_eq!(objects[0].mesh.vertices()[0], [0.0, 0.0, f64::from(depth - 1)]);
}

#[test]
fn buffers_beside_the_file_are_found_and_percent_signs_decoded() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my points.bin"), floats(&POINTS)).unwrap();
    let (mut json, _) = with_points(json!({}));
    json["buffers"][0]["uri"] = json!("my%20points.bin");
    let text = json.to_string();
    let path = folder.path().join("part.gltf");
    let objects = gltf::read(text.as_bytes(), &path).unwrap();
    assert_eq!(objects[0].mesh.vertices(), wide(&POINTS));
    json["buffers"][0]["uri"] = json!(
        "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAEA\
        AAAAAAACAPwAAAEAAAEBA"
    );
    let objects = gltf::read(json.to_string().as_bytes(), &path).unwrap();
    assert_eq!(objects[0].mesh.vertices(), wide(&POINTS));
}

/// The product of 4×4 matrices, column by column as glTF writes them.
fn product(a: &[f64; 16], b: &[f64; 16]) -> [f64; 16] {
    std::array::from_fn(|i| (0..4).map(|k| a[k * 4 + i % 4] * b[i / 4 * 4 + k]).sum())
}

proptest! {
    /// A chain of matrices places points as the product of the matrices does, and translation,
    /// rotation and scale are the matrix T·R·S.
    #[test]
    fn hierarchies_multiply(
        t in prop::array::uniform3(-9.0..9.0f64),
        s in prop::array::uniform3(-3.0..3.0f64),
        angle in -3.0..3.0f64,
        m in prop::array::uniform12(-2.0..2.0f64),
    ) {
        let parent = [
            m[0], m[1], m[2], 0.0, m[3], m[4], m[5], 0.0, m[6], m[7], m[8], 0.0,
            m[9], m[10], m[11], 1.0,
        ];
        let (sin, cos) = angle.sin_cos();
        let child = [
            cos * s[0], sin * s[0], 0.0, 0.0, -sin * s[1], cos * s[1], 0.0, 0.0,
            0.0, 0.0, s[2], 0.0, t[0], t[1], t[2], 1.0,
        ];
        let half = angle / 2.0;
        let (json, binary) = with_points(json!({"nodes": [
            {"matrix": parent, "children": [1]},
            {"mesh": 0, "translation": t, "scale": s,
                "rotation": [0.0, 0.0, half.sin(), half.cos()]},
        ]}));
        let objects = read(&json, &binary);
        let w = product(&parent, &child);
        for (point, found) in wide(&POINTS).iter().zip(objects[0].mesh.vertices()) {
            for k in 0..3 {
                let x = w[k] * point[0] + w[4 + k] * point[1] + w[8 + k] * point[2] + w[12 + k];
                prop_assert!((x - found[k]).abs() < 1e-11);
            }
        }
    }

    /// No bytes make the reader panic; broken copies of a good file come deeper than noise.
    #[test]
    fn damage_never_panics(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        end in any::<prop::sample::Index>(),
        truncate in any::<bool>(),
    ) {
        let (json, binary) = with_points(json!({"nodes": [{"mesh": 0, "children": [1]}, {}]}));
        let mut bytes = glb(&json, &binary);
        for (at, value) in cuts {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if truncate {
            bytes.truncate(end.index(bytes.len()));
        }
        let open = |_: &Path| Err(std::io::Error::other("no files here"));
        if let Err(error) = gltf::read_with(&bytes, Path::new("x.glb"), &open) {
            prop_assert!(!error.message.is_empty());
        }
    }
}
