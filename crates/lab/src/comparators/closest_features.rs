//! The closest features of two convex bodies, followed as the bodies move: the distance-based method
//! that [K98 §5.3] compares with (Lin and Canny).
//!
//! Two features hold the closest points if each of these points lies in the Voronoi region of the
//! other's feature. Where one does not, the violated side of the region leads to a neighbour that is
//! nearer. From cycle to cycle the walk goes on from the last pair, so that it takes few steps.
//! An edge above a face is never a last pair, nor are two faces: such closest points also lie on their
//! borders. Coordinates are rounded; what is nearer than [`TOUCHING`] times the bodies' size touches.
//! A walk of more than [`STEPS_MAX`] steps goes in circles, by rounding or through a body, and is
//! ended by looking at all pairs of features.

mod exhaustive;
mod walk;

use super::polytope::Polytope;
use glam::DVec3;
use impinge_geom::pose::Pose;
use std::sync::Arc;

/// Distances below this part of the bodies' size are none.
pub const TOUCHING: f64 = 1e-11;
/// Of one cycle. A walk around a sphere of a thousand faces takes some fifty.
pub const STEPS_MAX: u32 = 400;

/// A part of a body, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A corner.
    Vertex(u32),
    /// An edge.
    Edge(u32),
    /// A face.
    Face(u32),
}

/// The closest points.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// What they lie on.
    pub features: [Feature; 2],
    /// Where they are in the world.
    pub points: [DVec3; 2],
    /// Zero if the bodies touch or overlap; the points then mean little.
    pub distance: f64,
}

/// What was done, all cycles together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Pairs of features that were looked at on the way.
    pub steps: u64,
    /// Walks that were given up.
    pub searches: u64,
}

/// Two bodies and the pair of features that was closest last.
#[derive(Clone, Debug)]
pub struct ClosestFeatures {
    bodies: [Arc<Polytope>; 2],
    features: [Feature; 2],
    work: Work,
}

impl ClosestFeatures {
    /// Nothing is known yet: the first walk begins anywhere.
    pub fn new(bodies: [Arc<Polytope>; 2]) -> Self {
        Self { bodies, features: [Feature::Vertex(0); 2], work: Work::default() }
    }

    /// The closest points of the bodies at these poses.
    pub fn step(&mut self, poses: &[Pose; 2]) -> Nearest {
        let [a, b] = [0, 1].map(|k| Placed { body: &self.bodies[k], pose: &poses[k] });
        let touching = TOUCHING * (a.body.size + b.body.size);
        let pair = Pair { bodies: [a, b], touching };
        let (found, steps) = walk::walk(&pair, self.features, STEPS_MAX);
        self.work.steps += u64::from(steps);
        self.work.searches += u64::from(found.is_none());
        let found = found.unwrap_or_else(|| exhaustive::search(&pair));
        self.features = found.features;
        found
    }

    /// The work of all cycles so far.
    pub fn work(&self) -> Work {
        self.work
    }
}

/// Two bodies at their places.
#[derive(Clone, Copy, Debug)]
struct Pair<'a> {
    bodies: [Placed<'a>; 2],
    /// Lengths up to this are none.
    touching: f64,
}

/// A body at its place; everything it tells is in the world's frame.
#[derive(Clone, Copy, Debug)]
struct Placed<'a> {
    body: &'a Polytope,
    pose: &'a Pose,
}

impl Placed<'_> {
    fn vertex(&self, vertex: u32) -> DVec3 {
        DVec3::from(self.pose.apply(&self.body.vertices[vertex as usize].to_array()))
    }

    fn ends(&self, edge: u32) -> [DVec3; 2] {
        self.body.edges[edge as usize].ends.map(|v| self.vertex(v))
    }

    fn normal(&self, face: u32) -> DVec3 {
        DVec3::from(self.pose.rotate(&self.body.faces[face as usize].normal.to_array()))
    }

    /// How far a point is above the plane of a face.
    fn height(&self, face: u32, point: DVec3) -> f64 {
        let edge = self.body.faces[face as usize].edges[0];
        (point - self.ends(edge)[0]).dot(self.normal(face))
    }

    /// The direction in a face that leads away from one of its edges, into the face.
    fn inward(&self, edge: u32, face: u32) -> DVec3 {
        let [from, to] = self.ends(edge);
        let along = (to - from).normalize_or_zero();
        let left = self.normal(face).cross(along);
        if self.body.edges[edge as usize].faces[0] == face { left } else { -left }
    }

    /// The face whose plane a point is farthest above, and by how much.
    fn outermost(&self, point: DVec3) -> (u32, f64) {
        let inner = self.pose.inverse().apply(&point.to_array());
        self.body.outermost(DVec3::from(inner))
    }
}

/// Where on two segments, each from 0 to 1, their closest points are.
fn segments(a: [DVec3; 2], b: [DVec3; 2]) -> [f64; 2] {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let (uw, vw) = (u.dot(w), v.dot(w));
    let determinant = uu * vv - uv * uv;
    // Parallel ones may begin anywhere; the second clamp puts things right.
    let is_parallel = determinant <= 1e-14 * uu * vv;
    let s = if is_parallel { 0.0 } else { ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0) };
    let t = (uv * s + vw) / vv;
    if (0.0..=1.0).contains(&t) {
        return [s, t];
    }
    let t = t.clamp(0.0, 1.0);
    [((uv * t - uw) / uu).clamp(0.0, 1.0), t]
}

#[cfg(test)]
mod tests;
