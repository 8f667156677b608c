//! What cannot be a mesh is refused with one message: which file, where, what was found, what was
//! needed.

use impinge_scene::load::{self, Format};
use std::path::Path;

/// The whole message for a file of these bytes.
fn message(name: &str, bytes: &[u8]) -> String {
    let path = Path::new(name);
    let format = Format::of(path).expect("the table names known formats");
    load::load_bytes(format, bytes, path).expect_err(name).to_string()
}

fn check(cases: &[(&str, &[u8], &str)]) {
    for (name, bytes, expected) in cases {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
        assert_eq!(&message(name, bytes), expected, "{shown}");
    }
}

/// A binary STL with this triangle count and these corner coordinates.
fn stl(count: u32, coordinates: &[f32]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(count.to_le_bytes());
    for corners in coordinates.chunks(9) {
        bytes.extend([0; 12]);
        bytes.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

/// A PLY header for vertices and faces, followed by `body`.
fn ply(format: &str, counts: [usize; 2], body: &[u8]) -> Vec<u8> {
    let header = format!(
        "ply\nformat {format} 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        counts[0], counts[1]
    );
    [header.as_bytes(), body].concat()
}

#[test]
fn nothing_is_no_mesh() {
    for name in ["a.obj", "a.stl", "a.ply", "a.off", "a.raw", "a.gltf", "a.glb"] {
        assert_eq!(message(name, b""), format!("{name}: the file is empty; a mesh is needed"));
    }
    let no_faces = "the mesh has no faces; at least one triangle is needed";
    check(&[
        ("a.obj", b"# nothing\n", &format!("a.obj: {no_faces}")),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2\np 3\n", &format!("a.obj: {no_faces}")),
        ("a.stl", b"solid a\nendsolid a\n", &format!("a.stl: {no_faces}")),
        ("a.stl", &stl(0, &[]), &format!("a.stl: {no_faces}")),
        ("a.ply", &ply("ascii", [1, 0], b"0 0 0\n"), &format!("a.ply: {no_faces}")),
        ("a.off", b"OFF\n0 0 0\n", &format!("a.off: {no_faces}")),
        ("a.off", b"OFF\n2 1 0\n0 0 0\n1 0 0\n2 0 1\n", &format!("a.off: {no_faces}")),
        ("a.off", b" \n# nothing\n", "a.off: the file has no content; `OFF` is needed"),
        ("a.raw", b"# nothing\nname\n", &format!("a.raw: {no_faces}")),
    ]);
}

#[test]
fn obj_coordinates_must_be_finite_numbers() {
    check(&[
        (
            "a.obj",
            b"v 0 0 0\nv 1 nan 0\n",
            "a.obj:2: the coordinate `nan` is not finite; a finite number is needed",
        ),
        (
            "a.obj",
            b"v -inf 0 0\n",
            "a.obj:1: the coordinate `-inf` is not finite; a finite number is needed",
        ),
        (
            "a.obj",
            b"# big\r\nv 0 0 1e999\r\n",
            "a.obj:2: the coordinate `1e999` is not finite; a finite number is needed",
        ),
        (
            "a.obj",
            b"v 0 0 3e90\n",
            "a.obj:1: the coordinate `3e90` is too large; at most 2e90 is possible",
        ),
        ("a.obj", b"v 0 x1 0\n", "a.obj:1: `x1` is no number; a coordinate is needed here"),
        ("a.obj", b"v 0 1.2.3 0\n", "a.obj:1: `1.2.3` is no number; a coordinate is needed here"),
        ("a.obj", b"v 0 0\nv 1 1 1\n", "a.obj:1: the line ends where a coordinate is needed"),
        ("a.obj", b"v 0 0 0\nv 0 0", "a.obj:2: the file ends where a coordinate is needed"),
        (
            "a.obj",
            b"v 0 0 \xFF\x01aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
            "a.obj:1: `\u{FFFD}\\u{1}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…` is no number; a \
             coordinate is needed here",
        ),
    ]);
}

#[test]
fn obj_indices_must_name_a_vertex() {
    check(&[
        (
            "a.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n",
            "a.obj:4: the face names vertex 0; vertices count from 1, or backwards from -1",
        ),
        (
            "a.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n",
            "a.obj:5: the face names vertex 4, but the file has only 3 vertices",
        ),
        (
            "a.obj",
            b"v 0 0 0\nv 1 0 0\nf 1 2 -3\nv 0 1 0\n",
            "a.obj:3: the face names vertex -3, but only 2 vertices stand before it",
        ),
        (
            "a.obj",
            b"v 0 0 0\nf 1 1 9000000000\n",
            "a.obj:2: the face names vertex 9000000000, but the file has only 1 vertex",
        ),
        (
            "a.obj",
            b"v 0 0 0\nf 1 1 99999999999999999999\n",
            "a.obj:2: `99999999999999999999` is no whole number; a vertex index is needed here",
        ),
        (
            "a.obj",
            b"v 0 0 0\nf 1 1.5 1\n",
            "a.obj:2: `1.5` is no whole number; a vertex index is needed here",
        ),
        (
            "a.obj",
            b"v 0 0 0\nf 1 /1 1\n",
            "a.obj:2: `/1` is no whole number; a vertex index is needed here",
        ),
        ("a.obj", b"v 0 0 0\nf 1\n", "a.obj:2: the face has 1 corner; at least 3 are needed"),
        ("a.obj", b"v 0 0 0\nf 1 1\n", "a.obj:2: the face has 2 corners; at least 3 are needed"),
        ("a.obj", b"f # 1 2 3\n", "a.obj:1: the face has 0 corners; at least 3 are needed"),
        (
            "a.obj",
            b"v 0 0 0\nf 1 1 \\\n 1 \\\n x\n",
            "a.obj:4: `x` is no whole number; a vertex index is needed here",
        ),
    ]);
}

/// Texture coordinates and normals are not looked up, but text in their place is no face.
#[test]
fn obj_corners_hold_numbers_only() {
    let needed = "is no corner; whole numbers are needed here, as 1, 1/2, 1//3 or 1/2/3";
    for word in ["1/x", "1/1/x", "1//x", "1/1/1/1", "1/1x", "1/1.5", "1///", "1/-", "1/2/3/"] {
        let text = format!("v 0 0 0\nf 1 {word} 1\n");
        assert_eq!(message("a.obj", text.as_bytes()), format!("a.obj:2: `{word}` {needed}"));
    }
    // A number that wraps around to the least one there is.
    assert_eq!(
        message("a.obj", b"v 0 0 0\nf 1 1 -9223372036854775808\n"),
        "a.obj:2: `-9223372036854775808` is no whole number; a vertex index is needed here"
    );
}

#[test]
fn binary_stl_faults_name_the_byte() {
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let mut nan = corners;
    nan[4] = f32::NAN;
    let mut infinite = [corners, corners].concat();
    infinite[9] = f32::INFINITY;
    let two = stl(2, &[corners, corners].concat());
    let solid = [b"solid", &two[5..150]].concat();
    check(&[
        (
            "a.stl",
            b"hello",
            "a.stl: the file has 5 bytes; text that begins with `solid`, or a binary header of \
             84 bytes is needed",
        ),
        (
            "a.stl",
            &stl(1, &nan),
            "a.stl: byte 112: the coordinate `NaN` is not finite; a finite number is needed",
        ),
        (
            "a.stl",
            &stl(2, &infinite),
            "a.stl: byte 146: the coordinate `inf` is not finite; a finite number is needed",
        ),
        (
            "a.stl",
            &two[..183],
            "a.stl: byte 183: the file ends here; 184 bytes are needed for the 2 triangles that \
             the header promises",
        ),
        (
            "a.stl",
            &solid,
            "a.stl: byte 150: the file ends here; 184 bytes are needed for the 2 triangles that \
             the header promises",
        ),
        (
            "a.stl",
            &stl(4_000_000_000, &corners),
            "a.stl: byte 134: the file ends here; 200000000084 bytes are needed for the \
             4000000000 triangles that the header promises",
        ),
        (
            "a.stl",
            &stl(0, &corners),
            "a.stl: byte 84: the header promises 0 triangles, but 1 more follow; the count must be \
             right",
        ),
    ]);
}

#[test]
fn stl_text_faults_name_the_line() {
    check(&[
        ("a.stl", b"solid", "a.stl:1: the file ends where `facet` or `endsolid` is needed"),
        (
            "a.stl",
            b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n",
            "a.stl:4: `zero` is no number; a coordinate is needed here",
        ),
        (
            "a.stl",
            b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 NaN\n",
            "a.stl:4: the coordinate `NaN` is not finite; a finite number is needed",
        ),
        (
            "a.stl",
            b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nvertex 1 0 0\n",
            "a.stl:4: the line ends where a coordinate is needed",
        ),
        (
            "a.stl",
            b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n",
            "a.stl:6: found `endloop` where `vertex` is needed",
        ),
        (
            "a.stl",
            b"solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\n",
            "a.stl:7: found `vertex` where `endloop` is needed",
        ),
        (
            "a.stl",
            b"solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
              endfacet\n",
            "a.stl:9: the file ends where `facet` or `endsolid` is needed",
        ),
        (
            "a.stl",
            b"solid a\nfacet normal\nvertex 0 0 0\n",
            "a.stl:3: found `vertex` where `outer loop` is needed",
        ),
        ("a.stl", b"solid a\nend\n", "a.stl:2: found `end` where `facet` or `endsolid` is needed"),
        ("a.stl", b"solid\nendsolid\nmore\n", "a.stl:3: found `more` where `solid` is needed"),
    ]);
}

#[test]
fn ply_formats_are_checked() {
    check(&[
        (
            "a.ply",
            b"ply\nformat text 1.0\n",
            "a.ply:2: the format `text` is unknown; ascii, binary_little_endian or \
             binary_big_endian is needed",
        ),
        (
            "a.ply",
            b"ply\nformat ascii 2.0\n",
            "a.ply:2: the version `2.0` is unknown; 1.0 is needed",
        ),
        ("a.ply", b"ply\nformat ascii\n", "a.ply:2: the line ends where the version 1.0 is needed"),
    ]);
}

#[test]
fn ply_headers_are_checked() {
    check(&[
        ("a.ply", b"plx\n", "a.ply:1: found `plx` where `ply` is needed"),
        ("a.ply", b"ply\n", "a.ply:2: the file ends where `end_header` is needed"),
        ("a.ply", b"ply\nend_header\n", "a.ply:2: the header ends without a `format` line"),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nend_header\n",
            "a.ply:3: the header ends without an element `vertex`",
        ),
        (
            "a.ply",
            b"ply\nproperty int a\n",
            "a.ply:2: a property stands before the first `element`",
        ),
        ("a.ply", b"ply\nelement vertex -1\n", "a.ply:2: -1 is no count of elements"),
        (
            "a.ply",
            b"ply\nelement vertex many\n",
            "a.ply:2: `many` is no whole number; a count of elements is needed here",
        ),
        (
            "a.ply",
            b"ply\nelement vertex\n",
            "a.ply:2: the line ends where a count of elements is needed",
        ),
        (
            "a.ply",
            b"ply\nelement vertex 1\nelement vertex 1\n",
            "a.ply:3: the element `vertex` is declared twice",
        ),
        (
            "a.ply",
            b"ply\nelement vertex 1\nproperty real x\n",
            "a.ply:3: the type `real` is unknown; one such as int or float32 is needed",
        ),
        (
            "a.ply",
            b"ply\nelement face 1\nproperty list float int vertex_index\n",
            "a.ply:3: a list's length is of type `float`; an integer type is needed",
        ),
        (
            "a.ply",
            b"ply\nelement face 1\nproperty list uchar float vertex_index\n",
            "a.ply:3: the list `vertex_index` is not of an integer type, as indices need",
        ),
        (
            "a.ply",
            b"ply\nwhat\n",
            "a.ply:2: found `what` where a header line is needed (format, element, property, \
             comment, obj_info, end_header)",
        ),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\n\
              end_header\n",
            "a.ply:3: the element `vertex` needs one property `z`",
        ),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement face 1\nproperty int x\nelement vertex 0\n\
              property int x\nproperty int y\nproperty int z\nend_header\n",
            "a.ply:3: the element `face` needs a list `vertex_indices`",
        ),
    ]);
}

#[test]
fn ply_text_faults_name_the_line() {
    let text = |body: &[u8]| ply("ascii", [3, 1], body);
    check(&[
        (
            "a.ply",
            &text(b"0 0 0\n"),
            "a.ply:11: the file ends here; elements `vertex` are missing: found 1 of 3",
        ),
        (
            "a.ply",
            &text(b"0 0 0\n1 0 0\n0 1 0\n"),
            "a.ply:13: the file ends here; elements `face` are missing: found 0 of 1",
        ),
        (
            "a.ply",
            &text(b"0 0 0\n3 0 1 2\n"),
            "a.ply:11: the line has more values than the header declares; elements `vertex` are \
             missing: found 1 of 3",
        ),
        ("a.ply", &text(b"0 0\n1\n\n2"), "a.ply:10: the line ends where a coordinate is needed"),
        (
            "a.ply",
            &text(b"0 0 0 1\n1\n2\n"),
            "a.ply:10: the line has more values than the header declares",
        ),
        (
            "a.ply",
            &text(b"0 0 nan\n1\n2\n"),
            "a.ply:10: the coordinate `nan` is not finite; a finite number is needed",
        ),
        (
            "a.ply",
            &text(b"0 0 O\n1\n2\n"),
            "a.ply:10: `O` is no number; a coordinate is needed here",
        ),
        (
            "a.ply",
            &text(b"0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"),
            "a.ply:13: the face names vertex 3, but the file has only 3 vertices, counted from 0",
        ),
        (
            "a.ply",
            &text(b"0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n"),
            "a.ply:13: the face names vertex -1, but the file has only 3 vertices, counted from 0",
        ),
        (
            "a.ply",
            &text(b"0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n"),
            "a.ply:13: -3 is no length of a list; 0 or more is needed",
        ),
        (
            "a.ply",
            &text(b"0 0 0\n1 0 0\n0 1 0\n3 0 1"),
            "a.ply:13: the file ends where a vertex index is needed",
        ),
        (
            "a.ply",
            &ply("ascii", [4_000_000_000, 1], b"0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"),
            "a.ply:13: the line has more values than the header declares; elements `vertex` are \
             missing: found 3 of 4000000000",
        ),
    ]);
}

#[test]
fn binary_ply_faults_name_the_byte() {
    let little = |body: &[u8]| ply("binary_little_endian", [1, 1], body);
    let start = little(b"").len();
    let nan = [&[0; 4], &f32::NAN.to_le_bytes()[..], &[0; 4]].concat();
    check(&[
        (
            "a.ply",
            &ply("binary_big_endian", [4_000_000_000, 1], &[0; 100]),
            "a.ply: byte 275: the file ends here, before all elements that the header promises",
        ),
        (
            "a.ply",
            &little(&[0; 11]),
            &format!(
                "a.ply: byte {}: the file ends here, before all elements that the header promises",
                start + 11
            ),
        ),
        (
            "a.ply",
            &little(&nan),
            &format!(
                "a.ply: byte {}: the coordinate `NaN` is not finite; a finite number is needed",
                start + 4
            ),
        ),
        (
            "a.ply",
            &little(&[&[0; 12], &b"\x03\0\0\0\0\x07\0\0\0"[..]].concat()),
            &format!(
                "a.ply: byte {}: the face names vertex 7, but the file has only 1 vertex, counted \
                 from 0",
                start + 17
            ),
        ),
    ]);
}

#[test]
fn off_faults_name_the_line() {
    check(&[
        (
            "a.off",
            b"of course\n",
            "a.off:1: found `of` where `OFF` is needed, or one of its kin with three dimensions",
        ),
        (
            "a.off",
            b"4OFF\n1 1 1\n",
            "a.off:1: found `4OFF` where `OFF` is needed, or one of its kin with three dimensions",
        ),
        ("a.off", b"OFF BINARY\n", "a.off:1: the file is binary OFF; the text form is needed"),
        ("a.off", b"OFF\n", "a.off:2: the file ends where the line with both counts is needed"),
        ("a.off", b"OFF\n3\n1\n", "a.off:2: the line ends where a count of faces is needed"),
        ("a.off", b"OFF\n-3 1 0\n", "a.off:2: -3 is no count of vertices"),
        (
            "a.off",
            b"OFF\nx 1 0\n",
            "a.off:2: `x` is no whole number; a count of vertices is needed here",
        ),
        (
            "a.off",
            b"OFF\n4000000000 4000000000 0\n0 0 0\n",
            "a.off:4: the file ends where vertex 1 of 4000000000 is needed",
        ),
        (
            "a.off",
            b"OFF\n1 4000000000 0\n0 0 0\n3 0 0 0\n",
            "a.off:5: the file ends where face 1 of 4000000000 is needed",
        ),
        (
            "a.off",
            b"OFF\n2 0 0\n0 0\n1 1 1\n",
            "a.off:3: the line ends where a coordinate is needed",
        ),
        (
            "a.off",
            b"OFF\n1 1 0\n0 0 Infinity\n",
            "a.off:3: the coordinate `Infinity` is not finite; a finite number is needed",
        ),
        (
            "a.off",
            b"OFF\n1 1 0\n0 0 0\n3 0 0 1\n",
            "a.off:4: the face names vertex 1, but the file has only 1 vertex, counted from 0",
        ),
        (
            "a.off",
            b"OFF\n1 1 0\n0 0 0\n4000000000 0 0 0\n",
            "a.off:4: the line ends where a vertex index is needed",
        ),
        ("a.off", b"OFF\n1 1 0\n0 0 0\n-1 0\n", "a.off:4: -1 is no count of corners"),
    ]);
}

#[test]
fn raw_faults_name_the_line() {
    check(&[
        ("a.raw", b"0 0 0 1 0 0 0 1\n", "a.raw:1: the line ends where a coordinate is needed"),
        (
            "a.raw",
            b"name\n0 0 0 1 0 0 0 1 0 5\n",
            "a.raw:2: the line has more than nine numbers; nine are needed",
        ),
        (
            "a.raw",
            b"nan 0 0 1 0 0 0 1 0\n",
            "a.raw:1: the coordinate `nan` is not finite; a finite number is needed",
        ),
        ("a.raw", b"O 0 0 1 0 0 0 1 0\n", "a.raw:1: `O` is no number; a coordinate is needed here"),
        (
            "a.raw",
            b"0 0 0 1 0 0 0 1 1e999\n",
            "a.raw:1: the coordinate `1e999` is not finite; a finite number is needed",
        ),
        (
            "a.raw",
            b"0 0 0 1 0 zero 0 1 0\n",
            "a.raw:1: `zero` is no number; a coordinate is needed here",
        ),
    ]);
}

/// Any cut and any changed byte of a good file gives a mesh or a message, never a panic.
#[test]
fn damaged_files_never_panic() {
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let indices = b"\x03\0\0\0\0\0\0\0\0\0\0\0\0";
    let good: [(Format, Vec<u8>); 7] = [
        (
            Format::Obj,
            b"o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2 \\\n -1\no b\nf 1 2 3 2\n".to_vec(),
        ),
        (Format::Stl, stl(2, &[corners, corners].concat())),
        (
            Format::Stl,
            b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
              endloop\nendfacet\nendsolid a\n"
                .to_vec(),
        ),
        (Format::Ply, ply("ascii", [3, 1], b"0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")),
        (Format::Ply, ply("binary_big_endian", [1, 1], &[&[0; 12], &indices[..]].concat())),
        (Format::Off, b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 255 0 0\n".to_vec()),
        (Format::Raw, b"name\n0 0 0 1 0 0 0 1 0 red\n".to_vec()),
    ];
    for (format, bytes) in good {
        let read = |bytes: &[u8]| load::load_bytes(format, bytes, Path::new("file"));
        assert!(read(&bytes).is_ok(), "{format:?}");
        for at in 0..bytes.len() {
            let _ = read(&bytes[..at]);
            for value in [0, b'\n', b' ', b'-', b'9', b'#', b'\\', 0x7F, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let _ = read(&damaged);
            }
        }
    }
}
