//! glTF files that must be refused, each with one exact message.

use impinge_scene::gltf;
use serde_json::{Value, json};
use std::io;
use std::path::Path;

/// A triangle in a buffer that `open` knows as `tri.bin` (36 bytes) and `empty.bin`.
fn good() -> Value {
    json!({
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "tri.bin"}],
    })
}

fn open(path: &Path) -> io::Result<Vec<u8>> {
    match path.to_str() {
        Some("dir/tri.bin") => Ok([0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect()),
        Some("dir/nan.bin") => Ok(vec![0xFF; 36]),
        Some("dir/empty.bin") => Ok(Vec::new()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    }
}

fn message(bytes: &[u8]) -> String {
    let error = gltf::read_with(bytes, Path::new("dir/a.gltf"), &open).unwrap_err();
    error.to_string()
}

/// The message after `value` was put at `pointer` (a new key, if its parent lacks it).
fn changed(pointer: &str, value: Value) -> String {
    let mut json = good();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match json.pointer_mut(parent).unwrap() {
        Value::Object(object) => drop(object.insert(key.to_owned(), value)),
        Value::Array(array) => array[key.parse::<usize>().unwrap()] = value,
        other => panic!("{other} has no parts"),
    }
    message(json.to_string().as_bytes())
}

#[test]
fn the_good_file_is_read() {
    let bytes = good().to_string();
    assert_eq!(gltf::read_with(bytes.as_bytes(), Path::new("dir/a.gltf"), &open).unwrap().len(), 1);
}

/// A place in the good file, the value to put there, and the message that it must cause.
const BAD_VALUES: &[(&str, &str, &str)] = &[
    (
        "/buffers/0/uri",
        r#""../x.bin""#,
        "buffer 0: the URI `../x.bin` points outside the file's folder; a file beside the glTF \
         or below its folder is needed",
    ),
    (
        "/buffers/0/uri",
        r#""a/%2e%2e/../x.bin""#,
        "buffer 0: the URI `a/%2e%2e/../x.bin` points outside the file's folder; a file beside \
         the glTF or below its folder is needed",
    ),
    (
        "/buffers/0/uri",
        r#""/etc/x.bin""#,
        "buffer 0: the URI `/etc/x.bin` is an absolute path; a file beside the glTF or below its \
         folder is needed",
    ),
    (
        "/buffers/0/uri",
        r#""file:x.bin""#,
        "buffer 0: the URI `file:x.bin` has the scheme `file:`; a file beside the glTF or below \
         its folder is needed",
    ),
    (
        "/buffers/0/uri",
        r#""http://a/x.bin""#,
        "buffer 0: the URI `http://a/x.bin` has the scheme `http:`; a file beside the glTF or \
         below its folder is needed",
    ),
    ("/buffers/0/uri", r#""%G0.bin""#, "buffer 0: the URI `%G0.bin` is badly percent-encoded"),
    ("/buffers/0/uri", r#""empty.bin""#, "buffer 0: `empty.bin` is empty; 36 bytes are needed"),
    ("/buffers/0/uri", r#""gone.bin""#, "buffer 0: cannot read `gone.bin`: entity not found"),
    (
        "/buffers/0/uri",
        r#""data:;base64,""#,
        "buffer 0: its data URI is empty; 36 bytes are needed",
    ),
    (
        "/buffers/0/uri",
        r#""data:;base64,AAAA""#,
        "buffer 0: its data URI has 3 bytes; 36 are needed",
    ),
    (
        "/buffers/0/uri",
        r#""data:;base64,A*AA""#,
        "buffer 0: the URI has `*` at position 1 of its base64 data",
    ),
    (
        "/buffers/0/uri",
        r#""data:text/plain,AAAA""#,
        "buffer 0: the URI has data of kind `text/plain`; base64 is needed",
    ),
    (
        "/buffers/0/uri",
        r#"null"#,
        "buffer 0: it has no URI; a URI, or the binary chunk of a GLB, is needed",
    ),
    (
        "/buffers/0/uri",
        r#""nan.bin""#,
        "node 0 (mesh 0): vertex 0 has the coordinate NaN; a finite number is needed",
    ),
    (
        "/buffers/0/byteLength",
        r#"4000000000"#,
        "buffer 0: `tri.bin` has 36 bytes; 4000000000 are needed",
    ),
    (
        "/bufferViews/0/byteOffset",
        r#"4"#,
        "bufferView 0 asks for 36 bytes at byte 4 of buffer 0, which has 36",
    ),
    (
        "/bufferViews/0/byteLength",
        r#"18446744073709551615"#,
        "bufferView 0 asks for 18446744073709551615 bytes at byte 0 of buffer 0, which has 36",
    ),
    ("/bufferViews/0/buffer", r#"1"#, "bufferView 0 names buffer 1, but the file has 1 of them"),
    (
        "/bufferViews/0/byteStride",
        r#"4"#,
        "accessor 0: its bufferView has a byteStride of 4; at least 12 is needed",
    ),
    (
        "/accessors/0/count",
        r#"4000000000"#,
        "accessor 0: 4000000000 elements of 12 bytes, 12 apart from byte 0 on, do not fit into \
         its bufferView of 36 bytes",
    ),
    (
        "/accessors/0/count",
        r#"18446744073709551615"#,
        "accessor 0: 18446744073709551615 elements of 12 bytes, 12 apart from byte 0 on, do not \
         fit into its bufferView of 36 bytes",
    ),
    (
        "/accessors/0/count",
        r#"2"#,
        "mesh 0, primitive 0 has 2 corners; triangles need a multiple of 3",
    ),
    (
        "/accessors/0/byteOffset",
        r#"18446744073709551615"#,
        "accessor 0: 3 elements of 12 bytes, 12 apart from byte 18446744073709551615 on, do not \
         fit into its bufferView of 36 bytes",
    ),
    (
        "/accessors/0/bufferView",
        r#"7"#,
        "accessor 0 names bufferView 7, but the file has 1 of them",
    ),
    (
        "/accessors/0/type",
        r#""VEC2""#,
        "accessor 0 holds VEC2 of component type 5126; positions need VEC3 of 5126 (float), or \
         of 5120…5123 (quantized)",
    ),
    (
        "/accessors/0",
        r#"{"componentType": 5126, "count": 4000000000, "type": "VEC3"}"#,
        "accessor 0 has neither a bufferView nor sparse elements; one is needed for positions \
         and indices",
    ),
    (
        "/accessors/0",
        r#"{"componentType": 5126, "count": 4000000000, "type": "VEC3", "sparse": {"count": 0,
           "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 0}}}"#,
        "accessor 0 promises 4000000000 elements without a bufferView; at most 65536 are \
         possible so",
    ),
    (
        "/accessors/0/sparse",
        r#"{"count": 1, "indices": {"bufferView": 0, "byteOffset": 14, "componentType": 5121},
           "values": {"bufferView": 0}}"#,
        "accessor 0: a sparse index is 128; it must be below 3",
    ),
    (
        "/accessors/0/sparse",
        r#"{"count": 1, "indices": {"bufferView": 0, "componentType": 5126},
           "values": {"bufferView": 0}}"#,
        "accessor 0, sparse indices are of component type 5126; 5121, 5123 or 5125 is needed",
    ),
    (
        "/accessors/0/sparse",
        r#"{"count": 4, "indices": {"bufferView": 0, "componentType": 5121},
           "values": {"bufferView": 0}}"#,
        "accessor 0 has 3 elements, but 4 sparse ones; at most as many are possible",
    ),
    (
        "/accessors/0/sparse",
        r#"{"count": 3, "indices": {"bufferView": 0, "componentType": 5121},
           "values": {"bufferView": 0, "byteOffset": 4}}"#,
        "accessor 0, sparse values: 3 elements of 12 bytes, 12 apart from byte 4 on, do not fit \
         into its bufferView of 36 bytes",
    ),
    (
        "/meshes/0/primitives/0/indices",
        r#"0"#,
        "accessor 0 holds VEC3 of component type 5126; indices need SCALAR of 5121, 5123 or 5125 \
         (unsigned)",
    ),
    (
        "/meshes/0/primitives/0/indices",
        r#"5"#,
        "mesh 0, primitive 0 names accessor 5, but the file has 1 of them",
    ),
    (
        "/meshes/0/primitives/0/attributes",
        r#"{"POSITION": 2}"#,
        "mesh 0, primitive 0 names accessor 2, but the file has 1 of them",
    ),
    (
        "/meshes/0/primitives/0/attributes",
        r#"{}"#,
        "mesh 0, primitive 0 has no POSITION attribute; triangles need points",
    ),
    ("/meshes/0/primitives/0/mode", r#"7"#, "mesh 0, primitive 0 has mode 7; 0 to 6 are known"),
    (
        "/meshes/0/primitives/0/mode",
        r#"1"#,
        "no node has a mesh with triangles; at least one is needed",
    ),
    ("/nodes/0/mesh", r#"1"#, "node 0 names mesh 1, but the file has 1 of them"),
    ("/nodes/0/children", r#"[3]"#, "node 0 names node 3, but the file has 1 of them"),
    ("/nodes/0/children", r#"[0]"#, "node 0 is its own ancestor; nodes must form trees"),
    (
        "/nodes",
        r#"[{"children": [1, 1]}, {"mesh": 0}]"#,
        "node 1 is reached twice; a node has one parent at most, without cycles",
    ),
    (
        "/nodes/0/rotation",
        r#"[0, 0, 0, 0]"#,
        "node 0, rotation: the quaternion has length 0.0; a rotation needs one that is not \
         (nearly) zero",
    ),
    (
        "/nodes/0/scale",
        r#"[1e200, 1, 1]"#,
        "node 0 (mesh 0): vertex 1 has the coordinate 1e200; at most 2e90 is possible",
    ),
    (
        "/nodes/0/matrix",
        r#"[1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]"#,
        "node 0 has a matrix with the last row [1.0, 0.0, 0.0, 1.0]; [0, 0, 0, 1] is needed",
    ),
    (
        "/nodes/0",
        r#"{"mesh": 0, "scale": [1, 1, 1], "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,
           0, 0, 1]}"#,
        "node 0 has a matrix and a translation, rotation or scale; one or the other is needed",
    ),
    (
        "/nodes/0/extensions",
        r#"{"EXT_mesh_gpu_instancing": {"attributes": {}}}"#,
        "not supported: node 0 uses the extension EXT_mesh_gpu_instancing; save each instance as \
         a node",
    ),
    ("/nodes", r#"[{}]"#, "no node has a mesh with triangles; at least one is needed"),
    ("/meshes", r#"[]"#, "node 0 names mesh 0, but the file has 0 of them"),
    ("/scene", r#"0"#, "the file names scene 0, but the file has 0 of them"),
    ("/scenes", r#"[{"nodes": [9]}]"#, "scene 0 names node 9, but the file has 1 of them"),
    ("/scenes", r#"[{}]"#, "no node has a mesh with triangles; at least one is needed"),
    ("/asset/version", r#""1.0""#, "glTF version `1.0` found; version 2.0 is needed"),
    ("/asset/minVersion", r#""2.1""#, "glTF version `2.1` found; version 2.0 is needed"),
    (
        "/extensionsRequired",
        r#"["KHR_materials_unlit", "KHR_draco_mesh_compression"]"#,
        "not supported: the file requires the extension KHR_draco_mesh_compression; save it \
         without (uncompressed triangles are needed)",
    ),
    (
        "/extensionsRequired",
        r#"["EXT_meshopt_compression"]"#,
        "not supported: the file requires the extension EXT_meshopt_compression; save it without \
         (uncompressed triangles are needed)",
    ),
];

#[test]
fn bad_json_values_are_refused() {
    for (pointer, value, needed) in BAD_VALUES {
        let found = changed(pointer, serde_json::from_str(value).unwrap());
        assert_eq!(found, format!("dir/a.gltf: {needed}"), "{pointer} = {value}");
    }
}

#[test]
fn an_index_beyond_the_points_is_refused() {
    let mut json = good();
    json["accessors"]
        .as_array_mut()
        .unwrap()
        .push(json!({"bufferView": 0, "byteOffset": 12, "componentType": 5121, "count": 3,
            "type": "SCALAR"}));
    json["meshes"][0]["primitives"][0]["indices"] = json!(1);
    let needed = "mesh 0, primitive 0: index 2 of accessor 1 is 128, but there are only 3 points";
    assert_eq!(message(json.to_string().as_bytes()), format!("dir/a.gltf: {needed}"));
}

#[test]
fn a_small_file_that_unfolds_to_a_huge_scene_is_refused() {
    let refused = |json: &Value, user: &str| {
        let bytes = json.to_string();
        let read = bytes.len() + 36;
        let most = (64 * read).max(1 << 20);
        let needed = format!(
            "{user} to more than {most} vertices and triangles, the most for the {read} bytes \
             read; split the file into smaller ones"
        );
        assert_eq!(message(bytes.as_bytes()), format!("dir/a.gltf: {needed}"));
    };
    let mut json = good();
    // Zeros but for one point, which alone is in the file.
    json["accessors"][0] = json!({"componentType": 5126, "count": 65535, "type": "VEC3",
        "sparse": {"count": 1, "indices": {"bufferView": 0, "componentType": 5121},
        "values": {"bufferView": 0}}});
    json["nodes"] = json!(vec![json!({"mesh": 0}); 1000]);
    refused(&json, "the nodes unfold");
    json["meshes"][0]["primitives"] = json!(vec![json!({"attributes": {"POSITION": 0}}); 1000]);
    refused(&json, "mesh 0 unfolds");
    json["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": 0}, "mode": 1}]);
    let needed = "no node has a mesh with triangles; at least one is needed";
    assert_eq!(message(json.to_string().as_bytes()), format!("dir/a.gltf: {needed}"));
}

#[test]
fn text_that_is_no_gltf_is_refused_with_its_line() {
    let table = [
        ("", "dir/a.gltf: the file is empty; glTF JSON or a GLB is needed"),
        ("hello", "dir/a.gltf:1: no glTF JSON: expected value"),
        (
            "{\n\"asset\": {\"version\": \"2.0\"},\n\"nodes\": 3}",
            "dir/a.gltf:3: no glTF JSON: invalid type: integer `3`, expected a sequence",
        ),
        ("{\n\n}", "dir/a.gltf:3: no glTF JSON: missing field `asset`"),
        (
            "{\"asset\": {\"version\": \"2.0\"},\n",
            "dir/a.gltf:2: no glTF JSON: EOF while parsing a value",
        ),
        (
            "{\"asset\": {\"version\": \"2.0\"},\n\"nodes\": [{\"mesh\": -1}]}",
            "dir/a.gltf:2: no glTF JSON: invalid value: integer `-1`, expected usize",
        ),
        (
            "{\"asset\": {\"version\": \"2.0\"},\n\"nodes\": [{\"scale\": [1, 2]}]}",
            "dir/a.gltf:2: no glTF JSON: invalid length 2, expected an array of length 3",
        ),
    ];
    for (text, needed) in table {
        assert_eq!(message(text.as_bytes()), needed, "{text}");
    }
    // Depth costs no stack, neither in parts that are skipped nor in those that are read.
    let skipped = format!("{{\"extras\": {}", "[".repeat(100_000));
    assert_eq!(message(skipped.as_bytes()), "dir/a.gltf:1: no glTF JSON: EOF while parsing a list");
    let read = format!("{{\"nodes\": {}", "[".repeat(100_000));
    assert!(message(read.as_bytes()).starts_with("dir/a.gltf:1: no glTF JSON: invalid type"));
}

#[test]
fn broken_binary_files_are_refused_with_their_byte() {
    let file = |words: &[u32], tail: &[u8]| {
        let mut bytes = b"glTF".to_vec();
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(tail);
        bytes
    };
    let (json, bin) = (0x4E4F_534A, 0x004E_4942);
    let table = [
        (file(&[], &[]), "byte 4: the GLB ends after 4 bytes; at least 12 are needed"),
        (file(&[1, 12], &[]), "byte 4: GLB version 1 found; version 2 is needed"),
        (file(&[2, 99], &[]), "byte 12: the GLB ends after 12 bytes; at least 99 are needed"),
        (file(&[2, 12], &[]), "byte 12: the GLB ends after 12 bytes; at least 20 are needed"),
        (file(&[2, 0], &[]), "byte 0: the GLB ends after 0 bytes; at least 20 are needed"),
        (
            file(&[2, 22, 4, json], b"{}"),
            "byte 12: the chunk promises 4 bytes, but only 2 are left",
        ),
        (
            file(&[2, 22, u32::MAX, json], b"{}"),
            "byte 12: the chunk promises 4294967295 bytes, but only 2 are left",
        ),
        (
            file(&[2, 22, 2, bin], b"{}"),
            "byte 16: the first chunk is of type 0x004e4942; JSON is needed first",
        ),
        (file(&[2, 22, 2, json], b"{}"), "byte 21: no glTF JSON: missing field `asset`"),
        (file(&[2, 24, 4, json], b"{\n\n3"), "byte 23: no glTF JSON: key must be a string"),
        (
            file(&[2, 25, 2, json], b"{}\0\0\0"),
            "byte 25: the GLB ends after 25 bytes; at least 30 are needed",
        ),
    ];
    for (bytes, needed) in table {
        assert_eq!(message(&bytes), format!("dir/a.gltf: {needed}"));
    }
}
