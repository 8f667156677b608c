//! Boxes, turned solids and regular bodies.

use crate::error::SampleError;
use crate::parameter::Values;
use crate::surface::{Surface, check_faces};
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::mesh::Mesh;

/// The golden section, (1 + √5) / 2.
const GOLDEN: f64 = 1.618_033_988_749_895;

pub(crate) fn cuboid(values: &Values) -> Result<Mesh, SampleError> {
    let size = ["x", "y", "z"].map(|name| values.real(name));
    // Bit k of a corner's number tells its side along axis k.
    let side = |corner: u32, k: usize| if corner >> k & 1 == 1 { 0.5 } else { -0.5 };
    let vertices = (0..8).map(|i| std::array::from_fn(|k| side(i, k) * size[k])).collect();
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Surface { vertices, triangles }.finish(values.sample, size)
}

/// A solid of revolution whose mantle, from `low` to `high`, is cut into rings.
fn turned(values: &Values, low: f64, high: f64) -> Result<Mesh, SampleError> {
    let (segments, rings) = (values.whole("segments"), values.whole("rings"));
    let height = values.real("height");
    let pointed = high <= 0.0;
    let mut profile = vec![[0.0, -0.5 * height]];
    profile.extend((0..=rings).map(|i| {
        let part = f64::from(i) / f64::from(rings);
        // A point must lie exactly on the axis.
        [if i == rings { high } else { low + (high - low) * part }, height * (part - 0.5)]
    }));
    if !pointed {
        profile.push([0.0, 0.5 * height]);
    }
    check_faces(values.sample, 2 * u64::from(segments) * (profile.len() as u64 - 2))?;
    let size = low.max(high);
    Surface::revolved(&profile, segments).finish(values.sample, [size, size, height])
}

pub(crate) fn cone(values: &Values) -> Result<Mesh, SampleError> {
    turned(values, values.real("radius"), 0.0)
}

pub(crate) fn capped_cone(values: &Values) -> Result<Mesh, SampleError> {
    turned(values, values.real("radius"), values.real("top"))
}

pub(crate) fn cylinder(values: &Values) -> Result<Mesh, SampleError> {
    turned(values, values.real("radius"), values.real("radius"))
}

/// A round pot, open at the top: a body with a hollow that others fit into.
pub(crate) fn cup(values: &Values) -> Result<Mesh, SampleError> {
    let [radius, height, wall] = ["radius", "height", "wall"].map(|name| values.real(name));
    if wall >= radius || wall >= height {
        return Err(values.conflict(format!(
            "the wall {wall} must be thinner than the radius {radius} and the height {height}"
        )));
    }
    let inner = radius - wall;
    let profile =
        [[0.0, 0.0], [radius, 0.0], [radius, height], [inner, height], [inner, wall], [0.0, wall]];
    Surface::revolved(&profile, values.whole("segments"))
        .finish(values.sample, [radius, radius, height])
}

pub(crate) fn icosahedron(values: &Values) -> Result<Mesh, SampleError> {
    let radius = values.real("radius");
    let corners = icosahedron_corners();
    // Edges are 2 long; the next distance between corners is 2 · GOLDEN.
    let joined = |i: usize, j: usize| (corners[i] - corners[j]).length_squared() < 5.0;
    let mut triangles = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if joined(i, j) && joined(j, k) && joined(k, i) {
                    let left = corners[i].dot(corners[j].cross(corners[k])) > 0.0;
                    let turned = if left { [i, j, k] } else { [i, k, j] };
                    triangles.push(turned.map(|v| v as u32));
                }
            }
        }
    }
    let vertices = corners.iter().map(|c| scaled(*c, radius / corners[0].length())).collect();
    Surface { vertices, triangles }.finish(values.sample, [radius; 3])
}

/// The small stellated dodecahedron: a pyramid on each face of a dodecahedron, each side of a
/// pyramid in the plane of a neighbouring face. Here its outer surface, 60 triangles.
pub(crate) fn stellated_dodecahedron(values: &Values) -> Result<Mesh, SampleError> {
    let radius = values.real("radius");
    let inner = dodecahedron_corners();
    let axes = icosahedron_corners().map(|axis| axis / axis.length());
    let distances = inner.map(|corner| corner.dot(axes[0]));
    let face_distance = distances.into_iter().fold(0.0, f64::max);
    // The normals of neighbouring faces have the product 1/√5, so their planes meet the axis here.
    let tip_distance = face_distance * 5f64.sqrt();
    let scale = radius / tip_distance;
    let mut surface = Surface::default();
    surface.vertices.extend(inner.iter().map(|corner| scaled(*corner, scale)));
    for axis in axes {
        let tip = surface.vertices.len() as u32;
        surface.vertices.push(scaled(axis * tip_distance, scale));
        let on_face = |i: &usize| inner[*i].dot(axis) > 0.99 * face_distance;
        for i in (0..20).filter(on_face) {
            for j in (0..20).filter(on_face) {
                // Edges are 2 / GOLDEN long, the diagonals of a face 2.
                let edge = (inner[i] - inner[j]).length_squared() < 2.0;
                if edge && axis.dot(inner[i].cross(inner[j])) > 0.0 {
                    surface.triangles.push([i as u32, j as u32, tip]);
                }
            }
        }
    }
    surface.finish(values.sample, [radius; 3])
}

fn scaled(v: DVec3, by: f64) -> Point {
    (v * by).to_array()
}

fn icosahedron_corners() -> [DVec3; 12] {
    std::array::from_fn(|i| {
        let (a, b) = (if i & 1 == 0 { 1.0 } else { -1.0 }, if i & 2 == 0 { 1.0 } else { -1.0 });
        rotated_axes([0.0, a, b * GOLDEN], i / 4)
    })
}

fn dodecahedron_corners() -> [DVec3; 20] {
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 0 { 1.0 } else { -1.0 };
        if i < 8 {
            return DVec3::new(sign(0), sign(1), sign(2));
        }
        rotated_axes([0.0, sign(0) * GOLDEN, sign(1) / GOLDEN], (i - 8) / 4)
    })
}

fn rotated_axes([x, y, z]: Point, steps: usize) -> DVec3 {
    match steps {
        0 => DVec3::new(x, y, z),
        1 => DVec3::new(z, x, y),
        _ => DVec3::new(y, z, x),
    }
}
