//! Two triangles on their way: the six tests of a vertex against a face and the nine of an edge
//! against an edge [E99 §4.2], and where features meet.

use super::{Method, edge_normal, face_normal};
use crate::{Point, Triangle};
use glam::DVec3;

/// A part of a triangle. The edge `k` goes from corner `k` to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A corner.
    Vertex(usize),
    /// A side.
    Edge(usize),
    /// All of it.
    Face,
}

/// Where two features meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// On the first and on the second triangle.
    pub points: [Point; 2],
    /// The unit direction from the first to the second, as they were at the start; zero if they have
    /// none.
    pub normal: Point,
    /// How far the two points are from each other: a root is approximated.
    pub within: f64,
}

/// Hands every contact of two triangles that the tests find to `found`, with its time. `ends` are the
/// triangles at the start and at the end, `at` tells both at a time between.
pub fn faces(
    method: Method,
    ends: [&[Triangle; 2]; 2],
    at: impl Fn(f64) -> [Triangle; 2],
    mut found: impl FnMut(f64, [Part; 2]),
) {
    for i in 0..3 {
        for (parts, vertex_of_a) in
            [([Part::Vertex(i), Part::Face], true), ([Part::Face, Part::Vertex(i)], false)]
        {
            let pick = |both: &[Triangle; 2]| vertex_and_face(both, i, vertex_of_a);
            let [start, end] = ends.map(pick);
            if let Some(time) = method.vertex_face_along([&start, &end], |t| pick(&at(t))) {
                found(time, parts);
            }
        }
        for j in 0..3 {
            let pick = |both: &[Triangle; 2]| two_edges(both, [i, j]);
            let [start, end] = ends.map(pick);
            if let Some(time) = method.edge_edge_along([&start, &end], |t| pick(&at(t))) {
                found(time, [Part::Edge(i), Part::Edge(j)]);
            }
        }
    }
}

/// Where the parts of two triangles meet that are as `now`, having been as `start`.
pub fn meeting(parts: [Part; 2], start: &[Triangle; 2], now: &[Triangle; 2]) -> Meeting {
    match parts {
        [Part::Vertex(i), Part::Face] => vertex_meeting(start, now, i, true),
        [Part::Face, Part::Vertex(i)] => vertex_meeting(start, now, i, false),
        [Part::Edge(i), Part::Edge(j)] => edge_meeting(start, now, [i, j]),
        _ => unreachable!("a contact is of a vertex and a face or of two edges"),
    }
}

fn vertex_and_face([a, b]: &[Triangle; 2], corner: usize, vertex_of_a: bool) -> [Point; 4] {
    let (of, face) = if vertex_of_a { (a, b) } else { (b, a) };
    [of[corner], face[0], face[1], face[2]]
}

fn two_edges([a, b]: &[Triangle; 2], [i, j]: [usize; 2]) -> [Point; 4] {
    [a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]]
}

fn vertex_meeting(
    start: &[Triangle; 2],
    now: &[Triangle; 2],
    corner: usize,
    vertex_of_a: bool,
) -> Meeting {
    let unit = |[_, f0, f1, f2]: &[Point; 4]| face_normal([f0, f1, f2]).normalize_or_zero();
    let above =
        |points: &[Point; 4]| unit(points).dot(DVec3::from(points[0]) - DVec3::from(points[1]));
    let before = vertex_and_face(start, corner, vertex_of_a);
    let points = vertex_and_face(now, corner, vertex_of_a);
    let (normal, height) = (unit(&points), above(&points));
    let vertex = DVec3::from(points[0]);
    let foot = (vertex - normal * height).into();
    // From the vertex to the face: against the normal where the vertex came from above.
    let inward = if above(&before) > 0.0 { -normal } else { normal };
    let (points, normal) =
        if vertex_of_a { ([points[0], foot], inward) } else { ([foot, points[0]], -inward) };
    Meeting { points, normal: normal.into(), within: height.abs() }
}

fn edge_meeting(start: &[Triangle; 2], now: &[Triangle; 2], sides: [usize; 2]) -> Meeting {
    let before = two_edges(start, sides);
    let points = two_edges(now, sides);
    let [v1, v2, w1, w2] = points.map(DVec3::from);
    let n = (v2 - v1).cross(w2 - w1);
    let across = n.cross(w1 - v1);
    let whole = n.length_squared();
    let share = |x: f64| if whole > 0.0 { (x / whole).clamp(0.0, 1.0) } else { 0.0 };
    let on_a = v1 + (v2 - v1) * share((w2 - w1).dot(across));
    let on_b = w1 + (w2 - w1) * share((v2 - v1).dot(across));
    let [b1, b2, b3, b4] = &before;
    let side = edge_normal([b1, b2, b3, b4]).dot(DVec3::from(*b3) - DVec3::from(*b1));
    let normal = n.normalize_or_zero() * if side < 0.0 { -1.0 } else { 1.0 };
    Meeting {
        points: [on_a.into(), on_b.into()],
        normal: normal.into(),
        within: on_a.distance(on_b),
    }
}
