//! Exports are read back: by our own glTF reader, and byte by byte for PLY.

use impinge_geom::Point;
use impinge_scene::export::{Color, ExportBody, highlight, write};
use impinge_scene::gltf;
use impinge_scene::units::Unit;
use proptest::prelude::*;
use std::path::Path;

const POINTS: [Point; 4] =
    [[0.0, 0.0, 0.0], [1000.0, 0.0, 0.0], [0.0, 2000.0, 0.1], [0.0, 0.0, -500.0]];
const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
const GREY: Color = [200, 200, 200];
const RED: Color = [255, 0, 0];

fn body<'a>(name: &'a str, colors: &'a [Color]) -> ExportBody<'a> {
    ExportBody { name, vertices: &POINTS, triangles: &TRIANGLES, colors }
}

fn message(path: &Path, bodies: &[ExportBody<'_>]) -> String {
    write(path, bodies, Unit::Mm).unwrap_err().message
}

#[test]
fn a_glb_has_a_node_per_body_in_metres() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.GLB");
    let colors = highlight(4, GREY, RED, [1]);
    write(&path, &[body("left", &colors), body("right \"2\"", &[GREY; 4])], Unit::Mm).unwrap();
    let objects = gltf::read(&std::fs::read(&path).unwrap(), &path).unwrap();
    assert_eq!(
        objects.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(),
        ["left", "right \"2\""]
    );
    for object in &objects {
        for (found, needed) in object.mesh.triangles().iter().zip(TRIANGLES) {
            let found = found.map(|v| object.mesh.vertices()[v as usize]);
            let needed = needed.map(|v| POINTS[v as usize].map(|x| f64::from((x / 1000.0) as f32)));
            assert_eq!(found, needed);
        }
    }
    // The red face shares no vertex; three grey faces share four.
    assert_eq!([7, 4], [0, 1].map(|i: usize| objects[i].mesh.vertices().len()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn glb_colours_are_linear_light() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.glb");
    let colors = [[255, 0, 188]; 1];
    let body = ExportBody { triangles: &TRIANGLES[..1], ..body("a", &colors) };
    write(&path, &[body], Unit::M).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let json_length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + json_length]).unwrap();
    assert_eq!(json["accessors"][0]["max"], serde_json::json!([1000.0, 2000.0, 0.1f32]));
    assert_eq!(json["accessors"][0]["min"], serde_json::json!([0.0, 0.0, 0.0]));
    assert_eq!(json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"], 1);
    let start =
        20 + json_length + 8 + json["bufferViews"][1]["byteOffset"].as_u64().unwrap() as usize;
    let color: Vec<u16> = bytes[start..start + 8]
        .chunks(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    // 188 of 255 on a screen is 0.50289 of the light, by the definition of sRGB.
    assert_eq!(color, [65535, 0, 32957, 65535]);
}

/// The header lines, vertices and faces of a PLY of ours.
type Ply = (Vec<String>, Vec<(Point, Color)>, Vec<[u32; 3]>);

fn read_ply(bytes: &[u8]) -> Ply {
    let end = bytes.windows(12).position(|w| w == b"\nend_header\n").unwrap() + 12;
    let header: Vec<String> =
        String::from_utf8(bytes[..end].to_vec()).unwrap().lines().map(str::to_owned).collect();
    let count = |kind: &str| -> usize {
        let line = header.iter().find_map(|line| line.strip_prefix(&format!("element {kind} ")));
        line.unwrap().parse().unwrap()
    };
    let (vertices, faces) = bytes[end..].split_at(27 * count("vertex"));
    assert_eq!(faces.len(), 13 * count("face"));
    let number = |b: &[u8], k: usize| f64::from_le_bytes(b[8 * k..8 * k + 8].try_into().unwrap());
    let corner =
        |b: &[u8], k: usize| u32::from_le_bytes(b[1 + 4 * k..5 + 4 * k].try_into().unwrap());
    let vertices = vertices.chunks(27);
    let vertices = vertices.map(|b| ([0, 1, 2].map(|k| number(b, k)), [b[24], b[25], b[26]]));
    assert!(faces.chunks(13).all(|face| face[0] == 3));
    let faces = faces.chunks(13).map(|b| [0, 1, 2].map(|k| corner(b, k)));
    (header.clone(), vertices.collect(), faces.collect())
}

#[test]
fn a_ply_names_its_bodies_in_comments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.ply");
    let colors = highlight(4, GREY, RED, [0, 2]);
    write(&path, &[body("left\nend_header", &colors), body("right", &[GREY; 4])], Unit::In)
        .unwrap();
    let (header, vertices, faces) = read_ply(&std::fs::read(&path).unwrap());
    assert_eq!(
        header,
        [
            "ply",
            "format binary_little_endian 1.0",
            "comment unit in",
            "comment faces 0 to 4 (exclusive): leftend_header",
            "comment faces 4 to 8 (exclusive): right",
            "element vertex 12",
            "property double x",
            "property double y",
            "property double z",
            "property uchar red",
            "property uchar green",
            "property uchar blue",
            "element face 8",
            "property list uchar uint vertex_indices",
            "end_header",
        ]
    );
    assert_eq!((vertices.len(), faces.len()), (12, 8));
}

proptest! {
    /// Whatever the colours, each face keeps its corners to the last bit and has one colour.
    #[test]
    fn ply_faces_keep_corners_and_colours(
        points in prop::collection::vec(prop::array::uniform3(-1e3..1e3f64), 3..20),
        faces in prop::collection::vec(
            (prop::array::uniform3(any::<prop::sample::Index>()), 0..3u8),
            1..40,
        ),
    ) {
        let triangles: Vec<[u32; 3]> =
            faces.iter().map(|(c, _)| c.map(|i| i.index(points.len()) as u32)).collect();
        let colors: Vec<Color> = faces.iter().map(|(_, c)| [*c, 9, 7 * c]).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.ply");
        let (half, rest) = triangles.split_at(triangles.len() / 2);
        let (half_colors, rest_colors) = colors.split_at(half.len());
        let bodies = [
            ExportBody { name: "a", vertices: &points, triangles: half, colors: half_colors },
            ExportBody { name: "b", vertices: &points, triangles: rest, colors: rest_colors },
        ];
        write(&path, &bodies, Unit::Mm).unwrap();
        let (_, vertices, found) = read_ply(&std::fs::read(&path).unwrap());
        prop_assert_eq!(found.len(), triangles.len());
        for (i, corners) in found.iter().enumerate() {
            for k in 0..3 {
                let needed = (points[triangles[i][k] as usize], colors[i]);
                prop_assert_eq!(vertices[corners[k] as usize], needed);
            }
        }
    }
}

#[test]
fn what_cannot_be_exported_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let good = [body("a", &[GREY; 4])];
    let unknown = "cannot export to this format; .ply or .glb is needed";
    assert_eq!(message(&at("out.obj"), &good), unknown);
    assert_eq!(message(&at("out"), &good), unknown);
    let colors = "body `a` has 3 colours for 4 triangles; one each is needed";
    assert_eq!(message(&at("out.ply"), &[body("a", &[GREY; 3])]), colors);
    let short = ExportBody { vertices: &POINTS[..3], ..good[0] };
    assert_eq!(message(&at("out.ply"), &[short]), "body `a` names vertex 3, but has only 3");
    let far = [[1e60, 0.0, 0.0]; 4];
    let far = ExportBody { vertices: &far, ..good[0] };
    let needed =
        "body `a` has the coordinate 1e60 mm; GLB needs single precision, at most 3.4e38 m";
    assert_eq!(message(&at("out.glb"), &[far]), needed);
    assert_eq!(message(&at("out.glb"), &[]), "there are no triangles to export");
    assert!(message(&at("no/such/out.ply"), &good).starts_with("cannot be written: "));
    std::fs::create_dir(at("dir.ply")).unwrap();
    assert!(message(&at("dir.ply"), &good).starts_with("cannot be written: "));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn an_older_export_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.ply");
    std::fs::write(&path, vec![b'x'; 100_000]).unwrap();
    write(&path, &[body("a", &[GREY; 4])], Unit::Mm).unwrap();
    let (_, vertices, _) = read_ply(&std::fs::read(&path).unwrap());
    assert_eq!(vertices.len(), 4);
}
