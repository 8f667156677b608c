//! BSP trees as an exact narrow phase: what (H93) measures sphere trees against, after Thibault and
//! Naylor. A closed mesh becomes a tree of planes whose leaves are inside or outside the solid; the
//! faces of the other body are filtered down that tree, cut where a plane cuts them, and the bodies
//! meet as soon as a piece reaches a leaf inside. A body that is wholly inside the other has no such
//! piece: then a corner of each of its shells is looked up in the other body's tree.
//!
//! Distances are f64 and planes have a thickness: what is within [`TOLERANCE`] times the size of the mesh
//! counts as on a plane. Bodies that meet less deeply than about that may be called free. A face that
//! lies flat on one of the other body meets it, since touching counts; one that touches with a corner or
//! an edge only may be called free.

mod build;
#[cfg(test)]
mod tests;

use anyhow::{Result, ensure};
use build::plant;
use glam::DVec3;
use impinge_geom::Point;
use impinge_geom::aabb::Aabb;
use impinge_geom::mesh::Mesh;
use impinge_geom::pose::Pose;
use impinge_geom::shells::Anatomy;
use std::sync::Arc;

/// Half the thickness of a plane, as a part of the diagonal of the mesh's box.
pub const TOLERANCE: f64 = 1e-10;

/// Which planes may divide space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Splitters {
    /// Those of faces alone, as Thibault and Naylor have it. Where a mesh is convex every face has all others
    /// behind it, and the tree is as deep as it has faces.
    Faces,
    /// Also planes across the axes, through the middle of what is to be divided: the tree is about as
    /// deep as the logarithm of its size.
    FacesAndAxes,
}

/// A closed mesh with its tree.
#[derive(Clone, Debug)]
pub struct Solid {
    mesh: Arc<Mesh>,
    nodes: Vec<Node>,
    depth: usize,
    tolerance: f64,
    bounds: Aabb,
    /// A corner of each connected part.
    corners: Vec<Point>,
}

/// Space is divided by the plane of all points with `normal · p = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    plane: Plane,
    back: Below,
    front: Below,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Plane {
    normal: DVec3,
    offset: f64,
}

impl Plane {
    fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// What is on a side of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    Node(u32),
    Inside,
    Outside,
}

/// What was done for a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Faces that went down a tree; all others are outside of the box around the other body.
    pub faces: u64,
    /// Pieces held against planes.
    pub plane_tests: u64,
    /// Pieces cut in two.
    pub cuts: u64,
}

/// Memory that questions share.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    vertices: Vec<DVec3>,
    /// Corners of all pieces that wait; those of the piece at hand are the last.
    points: Vec<DVec3>,
    /// Pieces that wait: where to go on, and where their corners begin.
    waiting: Vec<(Below, usize)>,
    distances: Vec<f64>,
    halves: [Vec<DVec3>; 2],
    /// Of the last question.
    pub work: Work,
}

impl Solid {
    /// Makes the tree. The mesh must be closed.
    pub fn of(mesh: impl Into<Arc<Mesh>>, splitters: Splitters) -> Result<Self> {
        let mesh = mesh.into();
        let anatomy = Anatomy::of(&mesh);
        let closed: usize = anatomy.shells.iter().map(|shell| shell.triangles.len()).sum();
        let count = mesh.triangles().len();
        ensure!(closed == count, "{} of {count} faces are not on closed shells", count - closed);
        let bounds = mesh.bounds();
        let tolerance = TOLERANCE * bounds.diagonal();
        let (nodes, depth) = plant(&mesh, tolerance, splitters);
        let first = |part: usize| {
            let of_part = anatomy.components.iter().position(|&of| of as usize == part);
            of_part.map(|triangle| mesh.triangle(triangle as u32)[0])
        };
        let corners = (0..anatomy.component_count).filter_map(first).collect();
        Ok(Self { nodes, depth, tolerance, bounds: bounds.grown(tolerance), corners, mesh })
    }

    /// How many planes there are.
    pub fn planes(&self) -> usize {
        self.nodes.len()
    }

    /// The most planes on the way to a leaf.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// What the tree takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.nodes)
    }

    /// Whether a point is inside; one on the surface may be either.
    pub fn holds(&self, point: Point) -> bool {
        let point = DVec3::from(point);
        let mut at = Below::Node(0);
        while let Below::Node(node) = at {
            let Node { plane, back, front } = self.nodes[node as usize];
            at = if plane.distance(point) < 0.0 { back } else { front };
        }
        at == Below::Inside
    }

    /// Whether any of a piece, the last points of the scratch, is inside.
    fn cuts(&self, scratch: &mut Scratch) -> bool {
        scratch.waiting.clear();
        scratch.waiting.push((Below::Node(0), 0));
        while let Some((mut at, mut start)) = scratch.waiting.pop() {
            while let Below::Node(node) = at {
                let Node { plane, back, front } = self.nodes[node as usize];
                scratch.work.plane_tests += 1;
                let (lowest, highest) = scratch.measure(&plane, start);
                at = if highest <= self.tolerance && lowest >= -self.tolerance {
                    // Flat on the plane: what is there may be part of either side.
                    let (from, to) = (start, scratch.points.len());
                    scratch.waiting.push((front, start));
                    scratch.points.extend_from_within(from..to);
                    start = to;
                    back
                } else if highest <= self.tolerance {
                    back
                } else if lowest >= -self.tolerance {
                    front
                } else {
                    let middle = scratch.cut(start);
                    scratch.waiting.push((front, start));
                    start = middle;
                    back
                };
            }
            if at == Below::Inside {
                return true;
            }
            scratch.points.truncate(start);
        }
        false
    }
}

impl Scratch {
    /// The least and the largest distance of the piece at hand from a plane.
    fn measure(&mut self, plane: &Plane, start: usize) -> (f64, f64) {
        self.distances.clear();
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for &point in &self.points[start..] {
            let distance = plane.distance(point);
            (lowest, highest) = (lowest.min(distance), highest.max(distance));
            self.distances.push(distance);
        }
        (lowest, highest)
    }

    /// Cuts the piece at hand; the front part takes its place, and the back part comes after it. Where
    /// that begins.
    fn cut(&mut self, start: usize) -> usize {
        self.work.cuts += 1;
        let [back, front] = &mut self.halves;
        divide(&self.points[start..], &self.distances, back, front);
        self.points.truncate(start);
        self.points.extend_from_slice(front);
        self.points.extend_from_slice(back);
        start + front.len()
    }
}

/// The parts of a polygon on both sides of a plane, from the distances of its corners.
fn divide(points: &[DVec3], distances: &[f64], back: &mut Vec<DVec3>, front: &mut Vec<DVec3>) {
    back.clear();
    front.clear();
    for (k, (&p, &d)) in points.iter().zip(distances).enumerate() {
        let next = (k + 1) % points.len();
        if d <= 0.0 {
            back.push(p);
        }
        if d >= 0.0 {
            front.push(p);
        }
        let (q, e) = (points[next], distances[next]);
        if d < 0.0 && e > 0.0 || d > 0.0 && e < 0.0 {
            // From the back to the front whichever way round, so that faces that share an edge are
            // cut at the same point.
            let ((p, d), (q, e)) = if d < 0.0 { ((p, d), (q, e)) } else { ((q, e), (p, d)) };
            let at = p + (q - p) * (d / (d - e));
            back.push(at);
            front.push(at);
        }
    }
}

/// Whether two solids meet. The faces of the second go down the tree of the first.
pub fn meet(solids: [&Solid; 2], poses: [&Pose; 2], scratch: &mut Scratch) -> bool {
    let [a, b] = solids;
    scratch.work = Work::default();
    let into_a = poses[0].inverse().after(poses[1]);
    scratch.vertices.clear();
    scratch.vertices.extend(b.mesh.vertices().iter().map(|v| DVec3::from(into_a.apply(v))));
    let (min, max) = (DVec3::from(a.bounds.min), DVec3::from(a.bounds.max));
    for triangle in b.mesh.triangles() {
        let corners = triangle.map(|v| scratch.vertices[v as usize]);
        let low = corners[0].min(corners[1]).min(corners[2]);
        let high = corners[0].max(corners[1]).max(corners[2]);
        if low.cmpgt(max).any() || high.cmplt(min).any() {
            continue;
        }
        scratch.work.faces += 1;
        scratch.points.clear();
        scratch.points.extend(corners);
        if a.cuts(scratch) {
            return true;
        }
    }
    let into_b = into_a.inverse();
    a.corners.iter().any(|corner| b.holds(into_b.apply(corner)))
}
