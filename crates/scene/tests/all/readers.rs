//! What the readers make of files in all their dialects, and random meshes written and read back.

use impinge_geom::mesh::Mesh;
use impinge_geom::{Point, flush};
use impinge_scene::load::{Format, load_bytes};
use impinge_scene::object::Object;
use proptest::prelude::*;
use std::fmt::Write;
use std::path::Path;

fn read(format: Format, bytes: &[u8]) -> Vec<Object> {
    load_bytes(format, bytes, Path::new("part.x")).unwrap()
}

fn one(format: Format, bytes: &[u8]) -> Mesh {
    let [object] = <[Object; 1]>::try_from(read(format, bytes)).unwrap();
    assert_eq!((object.name.as_str(), object.unit), ("part", None));
    object.mesh
}

const CORNERS: [Point; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

#[test]
fn obj_dialects_mean_the_same() {
    let plain = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";
    let expected = Mesh::new(CORNERS.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    assert_eq!(one(Format::Obj, plain.as_bytes()), expected);
    assert_eq!(one(Format::Obj, plain.replace('\n', "\r\n").as_bytes()), expected);
    assert_eq!(one(Format::Obj, plain.replace('\n', "\r").as_bytes()), expected);
    assert_eq!(one(Format::Obj, plain.replace(' ', " \t ").trim_end().as_bytes()), expected);
    let other = b"\xEF\xBB\xBF# \xFF\xFE\n6540 2180\nmtllib a b\nvn 0 0 1\nvt 0 0\n\
        v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5 # grey\nv 1. \\\n 1e0 0.0\\\r\nv +0 1 -0\ng side\ns off\n\
        usemtl steel\nf 1//1 2//1 3//1#\ng top\nl 1 2\nf -4/1/1 -2/1 4/1/\n";
    assert_eq!(one(Format::Obj, other), expected);
    let ahead = "f 1 2 3\nf 1 3 4\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    assert_eq!(one(Format::Obj, ahead.as_bytes()), expected);
}

#[test]
fn obj_objects_are_bodies_with_vertices_of_their_own() {
    let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nf 4 1 3\no lid \xC3\xA9 #2\n\
        f 2 3 4\no empty\no lid \xC3\xA9 #2\nf 5 4 3 1\nf 1 3 4\no \xFF\nf 1 2 3\n";
    let objects = read(Format::Obj, text);
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["part", "lid é #2", "lid é #2-2", "\u{FFFD}"]);
    assert_eq!(objects[0].mesh.vertices(), [CORNERS[0], CORNERS[2], CORNERS[3]]);
    assert_eq!(objects[0].mesh.triangles(), [[2, 0, 1]]);
    assert_eq!(objects[2].mesh.vertices().len(), 4);
    assert_eq!(objects[2].mesh.face_count(), 2);
    assert_eq!((objects[2].mesh.face(1), objects[2].mesh.face(2)), (0, 1));
}

#[test]
fn names_within_a_file_never_repeat() {
    let body = "v 0 0 0\nf 1 1 1\n";
    let text = ["a", "a", "a-2", "a", "a-2", "a"].map(|name| format!("o {name}\n{body}")).concat();
    let objects = read(Format::Obj, text.as_bytes());
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["a", "a-2", "a-2-2", "a-3", "a-2-3", "a-4"]);
}

#[test]
fn polygons_count_as_one_face() {
    let dart = b"v 0 0 0\nv 4 4 0\nv 0 1 0\nv -4 4 0\nf 1 2 3\nf 2 3 4 1\nf 4 1 3\n";
    let mesh = one(Format::Obj, dart);
    let faces: Vec<u32> = (0..4).map(|i| mesh.face(i)).collect();
    assert_eq!((mesh.face_count(), faces), (3, vec![0, 1, 1, 2]));
    // The dent is corner 3, so the cut runs from there to corner 1.
    assert_eq!(mesh.triangles()[1..3], [[2, 3, 0], [2, 0, 1]]);
}

#[test]
fn stl_text_is_read_whatever_its_looks() {
    let text = "  SOLID\tfirst #1\nFacet Normal nan -nan(ind) 1\n outer loop vertex 0 0 0\r\n\
        vertex 1 0 0 vertex 1 1 0 endloop endfacet\nfacet normal 0 0 1 outer loop\n\
        vertex -0 0 0\nvertex 1 1 -0.0\nvertex 0 1 0\nendloop\nendfacet\nendsolid first\n\
        solid\nendsolid\nsolid first #1\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
        vertex 0 1 0\nendloop\nendfacet\nendsolid";
    let objects = read(Format::Stl, text.as_bytes());
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["first #1", "first #1-2"]);
    assert_eq!(objects[0].mesh.vertices(), CORNERS);
    assert_eq!(objects[0].mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn binary_stl_may_begin_with_solid_and_end_with_padding() {
    let mesh = Mesh::new(CORNERS.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let mut bytes = binary_stl(&mesh);
    bytes[..10].copy_from_slice(b"solid part");
    assert_eq!(one(Format::Stl, &bytes), mesh);
    bytes[10..80].fill(b' ');
    assert_eq!(one(Format::Stl, &bytes), mesh);
    bytes.extend([0; 49]);
    assert_eq!(one(Format::Stl, &bytes), mesh);
    bytes.extend([7; 80]);
    assert_eq!(one(Format::Stl, &bytes), mesh);
}

#[test]
fn stl_text_may_be_one_line() {
    let facet = "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop \
        endfacet";
    let names = |text: &str| -> Vec<String> {
        let objects = read(Format::Stl, text.as_bytes());
        assert!(objects.iter().all(|object| object.mesh.triangles().len() == 1), "{text}");
        objects.into_iter().map(|object| object.name).collect()
    };
    assert_eq!(names(&format!("solid x {facet} endsolid x")), ["x"]);
    assert_eq!(names(&format!("solid {facet} endsolid")), ["part"]);
    assert_eq!(names(&format!("solid a #1 {facet} endsolid")), ["a #1"]);
    let two = format!("solid a {facet} endsolid a solid b {facet} endsolid b\n");
    assert_eq!(names(&two), ["a", "b"]);
    let empty = format!("solid a endsolid a solid b {facet} endsolid solid");
    assert_eq!(names(&empty), ["b"]);
    // A name may hold keywords.
    let odd = format!("solid one facet solid\n{facet}\nendsolid one facet solid\n");
    assert_eq!(names(&odd), ["one facet solid"]);
    let lost = format!("solid a {facet} endsolid a {facet}");
    let fault = load_bytes(Format::Stl, lost.as_bytes(), Path::new("a.stl")).unwrap_err();
    assert_eq!(fault.to_string(), "a.stl:1: found `facet` where `solid` is needed");
}

/// With a search to the end of the line for each of them this would take minutes.
#[test]
fn many_solids_on_one_line_are_read() {
    let solid = "solid a facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 \
        endloop endfacet endsolid a ";
    assert_eq!(read(Format::Stl, solid.repeat(50_000).as_bytes()).len(), 50_000);
}

/// With a comparison of all names with all others this would take minutes.
#[test]
fn ply_headers_may_have_many_elements() {
    let mut text = String::from("ply\nformat ascii 1.0\n");
    for i in 0..200_000 {
        writeln!(text, "element e{i} 0").unwrap();
    }
    text += "element vertex 1\nproperty int x\nproperty int y\nproperty int z\nelement face 1\n\
        property list int int vertex_index\nend_header\n0 0 0\n3 0 0 0\nwhatever follows\n";
    assert_eq!(one(Format::Ply, text.as_bytes()).triangles(), [[0, 0, 0]]);
}

#[test]
fn the_only_object_of_an_obj_keeps_its_name() {
    let objects = read(Format::Obj, b"o lid\nv 0 0 0\nf 1 1 1\n");
    assert_eq!(objects[0].name, "lid");
}

#[test]
fn ply_skips_what_it_does_not_know() {
    let header = "ply\r\nformat FORMAT 1.0\r\ncomment \u{FC} # x\r\nobj_info none\r\n\
        element camera 1\r\nproperty list ushort double rays\r\nproperty float32 q\r\n\
        element nothing 4000000000\r\n\
        element face 2\r\nproperty uchar red\r\nproperty list int16 uint8 vertex_index\r\n\
        property list uchar float texcoord\r\n\
        element vertex 4\r\nproperty double z\r\nproperty uchar alpha\r\nproperty int8 x\r\n\
        property list char short tags\r\nproperty float y\r\n\
        element edge 1\r\nproperty int a\r\nend_header\r\n";
    let expected = Mesh::new(CORNERS.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let text = header.replace("FORMAT", "ascii")
        + "2 0.5 nan 7\r\n\r\n255 3 0 1 2 2 0.5 0.5\r\n0 3 0 2 3 0\r\n\
           0 9 0 0 0\r\n0 9 1 1 5 0\r\n0 9 1 2 5 6 1\r\n0 9 0 0 1e0\r\n1\r\n";
    assert_eq!(one(Format::Ply, text.as_bytes()), expected);
    for (format, big) in [("binary_little_endian", false), ("binary_big_endian", true)] {
        let mut bytes = header.replace("FORMAT", format).into_bytes();
        let mut put = |value: &[u8]| match big {
            true => bytes.extend(value.iter().rev()),
            false => bytes.extend(value),
        };
        put(&1u16.to_le_bytes());
        put(&0.5f64.to_le_bytes());
        put(&7f32.to_le_bytes());
        for (red, corners) in [(255, [0, 1, 2]), (0, [0, 2, 3])] {
            put(&[red]);
            put(&3i16.to_le_bytes());
            corners.iter().for_each(|&corner: &u8| put(&[corner]));
            put(&[1]);
            put(&0.5f32.to_le_bytes());
        }
        for [x, y, z] in CORNERS {
            put(&z.to_le_bytes());
            put(&[9]);
            put(&[x as u8]);
            put(&[2]);
            put(&(-5i16).to_le_bytes());
            put(&6i16.to_le_bytes());
            put(&(y as f32).to_le_bytes());
        }
        put(&1i32.to_le_bytes());
        assert_eq!(one(Format::Ply, &bytes), expected, "{format}");
    }
}

#[test]
fn ply_numbers_may_look_like_line_ends() {
    // The first number behind the header begins with the bytes of CR and LF.
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty short x\n\
        property short y\nproperty short z\nelement face 1\nproperty list uchar uchar \
        vertex_indices\nend_header\n";
    let body = b"\n\r\0\0\0\0\x03\0\0\0";
    let mesh = one(Format::Ply, &[header.as_bytes(), body].concat());
    assert_eq!(mesh.vertices(), [[f64::from(0x0D0A), 0.0, 0.0]]);
    let blank = header.replace("end_header", "end_header \t");
    assert_eq!(one(Format::Ply, &[blank.as_bytes(), body, b"more"].concat()), mesh);
    let mixed = header.replacen('\n', "\r\n", 3);
    assert_eq!(one(Format::Ply, &[mixed.as_bytes(), body].concat()), mesh);
    // The line end behind `end_header` counts, not that of the first line.
    for end in ["\r\n", " \r\n", "\t\n"] {
        let last = header.replace("end_header\n", &format!("end_header{end}"));
        assert_eq!(one(Format::Ply, &[last.as_bytes(), body].concat()), mesh, "{end:?}");
        let first = last.replacen('\n', "\r\n", 1);
        assert_eq!(one(Format::Ply, &[first.as_bytes(), body].concat()), mesh, "{end:?}");
    }
    let mesh = one(Format::Ply, &[header.replace('\n', "\r").as_bytes(), body].concat());
    assert_eq!(mesh.vertices(), [[f64::from(0x0D0A), 0.0, 0.0]]);
}

#[test]
fn ply_strips_keep_their_orientation() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
        property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 3 2 1\n";
    assert_eq!(one(Format::Ply, text.as_bytes()).triangles(), [[0, 1, 2], [2, 1, 3], [3, 2, 1]]);
}

#[test]
fn off_headers_and_colours() {
    let expected =
        Mesh::with_faces(CORNERS.to_vec(), vec![[0, 1, 2], [0, 2, 3], [0, 1, 2]], vec![0, 0, 2]);
    let expected = expected.unwrap();
    let plain = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n2 0 1\n3 0 1 2\n";
    let heads =
        ["OFF\n4 3 0\n", "OFF 4 3 0\n", "# c\n\nOFF # c\n\n# c\n4 3\n", "4 3 0\n", "OFF4 3 0\n"];
    for head in heads {
        assert_eq!(one(Format::Off, format!("{head}{plain}").as_bytes()), expected, "{head}");
    }
    let rich = "0 0 0 0 0 1 255 0 0 255\n\n1 0 0 0 0 1 # c\n1 1 0\n0 1 0 x\n\
        4  0 1 2 3  0.5 0.5 0.5\n2 0 1 7\n# c\n3 0 1 2 red\nmore\n";
    for head in ["COFF", "NOFF", "STOFF", "CNOFF", "STCNOFF", "OFF"] {
        let text = format!("{head}\n4 3 0\n{rich}").replace('\n', "\r\n");
        assert_eq!(one(Format::Off, text.as_bytes()), expected, "{head}");
    }
}

#[test]
fn raw_names_start_bodies() {
    let text = b"0 0 0 1 0 0 1 1 0\n# c\n 0 0 0  1 1 0  0 1 0 rusty steel\nPart 2 # c\nnone\n\
        Part 2\n0 0 0 0 0 0 -0 0 0\r\n";
    let objects = read(Format::Raw, text);
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["part", "Part 2"]);
    assert_eq!(objects[0].mesh.vertices(), CORNERS);
    assert_eq!(objects[0].mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(objects[1].mesh.triangles(), [[0, 0, 0]]);
}

// Round trips.

fn binary_stl(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for i in 0..mesh.triangles().len() as u32 {
        bytes.extend([1; 12]);
        let coordinates = mesh.triangle(i).into_iter().flatten();
        bytes.extend(coordinates.flat_map(|x| (x as f32).to_le_bytes()));
        bytes.extend([1; 2]);
    }
    bytes
}

fn spelled(points: &[Point]) -> Vec<String> {
    points.iter().map(|[x, y, z]| format!("{x:?} {y:?} {z:?}")).collect()
}

fn obj(mesh: &Mesh) -> String {
    let mut text = String::new();
    for point in spelled(mesh.vertices()) {
        writeln!(text, "v {point}").unwrap();
    }
    for (i, [a, b, c]) in mesh.triangles().iter().enumerate() {
        let back = *c as i64 - mesh.vertices().len() as i64;
        writeln!(text, "f {}/{i} {}//7 {back}", a + 1, b + 1).unwrap();
    }
    text
}

fn off(mesh: &Mesh) -> String {
    let counts = format!("{} {} 0", mesh.vertices().len(), mesh.triangles().len());
    let faces = mesh.triangles().iter().map(|[a, b, c]| format!("3 {a} {b} {c}"));
    let lines = ["OFF".to_owned(), counts].into_iter().chain(spelled(mesh.vertices())).chain(faces);
    lines.collect::<Vec<_>>().join("\n")
}

fn ply(mesh: &Mesh, format: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {format} 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.vertices().len(),
        mesh.triangles().len()
    )
    .into_bytes();
    if format == "ascii" {
        let faces = mesh.triangles().iter().map(|[a, b, c]| format!("3 {a} {b} {c}"));
        let lines: Vec<String> = spelled(mesh.vertices()).into_iter().chain(faces).collect();
        bytes.extend(lines.join("\n").as_bytes());
        return bytes;
    }
    let big = format == "binary_big_endian";
    for x in mesh.vertices().iter().flatten() {
        bytes.extend(if big { x.to_be_bytes() } else { x.to_le_bytes() });
    }
    for corners in mesh.triangles() {
        bytes.push(3);
        for i in corners {
            bytes.extend(if big { i.to_be_bytes() } else { i.to_le_bytes() });
        }
    }
    bytes
}

fn stl_text(mesh: &Mesh) -> String {
    let mut text = String::from("solid part\n");
    for i in 0..mesh.triangles().len() as u32 {
        text += "facet normal 0 0 0\nouter loop\n";
        for point in spelled(&mesh.triangle(i)) {
            writeln!(text, "vertex {point}").unwrap();
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid part\n"
}

fn raw(mesh: &Mesh) -> String {
    let triangles =
        (0..mesh.triangles().len() as u32).map(|i| spelled(&mesh.triangle(i)).join(" "));
    triangles.collect::<Vec<_>>().join("\n")
}

/// The same soup with one vertex per position, numbered by first occurrence: a slow twin of the
/// merging readers.
fn merged(mesh: &Mesh, rounded: impl Fn(f64) -> f64) -> Mesh {
    let mut vertices: Vec<Point> = Vec::new();
    let mut number = |corner: Point| {
        let point = corner.map(|x| flush(rounded(x)));
        let known = vertices.iter().position(|p| *p == point);
        known.unwrap_or_else(|| {
            vertices.push(point);
            vertices.len() - 1
        }) as u32
    };
    let triangles: Vec<[u32; 3]> =
        (0..mesh.triangles().len() as u32).map(|i| mesh.triangle(i).map(&mut number)).collect();
    Mesh::new(vertices, triangles).unwrap()
}

fn coordinates() -> impl Strategy<Value = f64> {
    let wild = any::<f64>().prop_filter("in range", |x| x.abs() < 1e90);
    let f32s = any::<f32>().prop_filter("finite", |x| x.is_finite()).prop_map(f64::from);
    prop_oneof![
        (-3i32..4).prop_map(f64::from),
        -1000.0..1000.0,
        f32s,
        wild,
        prop::sample::select(vec![0.0, -0.0, 0.1, 1e-89, 1e-100, -1e89, f64::MIN_POSITIVE]),
    ]
}

fn meshes() -> impl Strategy<Value = Mesh> {
    prop::collection::vec(prop::array::uniform3(coordinates()), 1..40).prop_flat_map(|vertices| {
        let corner = 0..vertices.len() as u32;
        prop::collection::vec(prop::array::uniform3(corner), 1..60)
            .prop_map(move |triangles| Mesh::new(vertices.clone(), triangles).unwrap())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn indexed_formats_give_the_mesh_back(mesh in meshes()) {
        prop_assert_eq!(&one(Format::Obj, obj(&mesh).as_bytes()), &mesh);
        prop_assert_eq!(&one(Format::Off, off(&mesh).as_bytes()), &mesh);
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            prop_assert_eq!(&one(Format::Ply, &ply(&mesh, format)), &mesh, "{}", format);
        }
    }

    #[test]
    fn triangle_formats_give_the_merged_mesh_back(mesh in meshes()) {
        let expected = merged(&mesh, |x| x);
        prop_assert_eq!(&one(Format::Stl, stl_text(&mesh).as_bytes()), &expected);
        prop_assert_eq!(&one(Format::Raw, raw(&mesh).as_bytes()), &expected);
    }

    #[test]
    fn binary_stl_gives_the_mesh_back_in_single_precision(mesh in meshes()) {
        let in_range = |x: f64| x.clamp(f32::MIN.into(), f32::MAX.into());
        let vertices = mesh.vertices().iter().map(|point| point.map(in_range)).collect();
        let mesh = mesh.with_vertices(vertices).unwrap();
        let expected = merged(&mesh, |x| f64::from(x as f32));
        prop_assert_eq!(one(Format::Stl, &binary_stl(&mesh)), expected);
    }
}
