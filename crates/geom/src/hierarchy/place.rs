//! Two placed bodies, one seen from the other, and the margin that makes up for all rounding.
//!
//! Truth is where [`Pose::apply`] puts the vertices, in f64; volumes are held against each other in
//! the frame of the first body. Both differ from an exact rigid placement by rounding, and `margin`
//! is larger than all of it, so that volumes further apart than that hold no vertices that touch.
//!
//! With ε = 2⁻⁵² and S = reach of both bodies from their origins + both translations:
//! - quaternions are unit to 4 ε, so an entry of a rotation matrix is off by at most 20 ε and the
//!   matrix, as an operator, by 60 ε; a posed vertex is off by that and 8 ε of its own: 68 ε·S.
//! - The product of two matrices is off by 125 ε, and with axes of boxes that are orthonormal to 4 ε
//!   a cosine is off by 140 ε. An offset in the frame of a box is off by 180 ε·S.
//! - Half lengths are at most the reach, so a gap along a face normal is off by 3·140 + 180 ε·S, and
//!   the norm of three such by 1040 ε·S; a gap along a product of edges by 920 ε·S; the distance
//!   of two centres by 240 ε·S.
//!
//! 4096 ε·S is more than twice their sum. What becomes zero in posing is below 2⁻³⁰⁰.

use crate::mesh::Mesh;
use crate::pose::Pose;
use crate::{COORDINATE_MIN, Point};
use glam::{DMat3, DVec3};

/// The second of two bodies as the first one sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Directions of the second body in the frame of the first.
    pub(super) rotation: DMat3,
    shift: DVec3,
    /// What all rounding together cannot exceed.
    pub(super) margin: f64,
}

impl View {
    /// Of bodies at these poses, with all vertices within [`reach`] of their origins.
    pub fn new([a, b]: [&Pose; 2], reaches: [f64; 2]) -> Self {
        let [ta, tb] = [a, b].map(|pose| DVec3::from(pose.translation()));
        let back = matrix(a).transpose();
        let size = reaches[0] + reaches[1] + ta.abs().element_sum() + tb.abs().element_sum();
        Self { rotation: back * matrix(b), shift: back * (tb - ta), margin: margin(size) }
    }

    /// A point of the second body in the frame of the first.
    #[inline]
    pub(super) fn point(&self, point: &Point) -> DVec3 {
        self.rotation * DVec3::from(*point) + self.shift
    }
}

/// A half-line in the world along +z, as a body sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub(super) origin: DVec3,
    /// A unit vector up to rounding.
    pub(super) direction: DVec3,
    pub(super) margin: f64,
}

impl Line {
    /// Upwards from `point`, seen by a body at `pose` with all vertices within `reach`.
    pub fn up(point: &Point, pose: &Pose, reach: f64) -> Self {
        let back = matrix(pose).transpose();
        let (point, shift) = (DVec3::from(*point), DVec3::from(pose.translation()));
        let size = reach + point.abs().element_sum() + shift.abs().element_sum();
        Self { origin: back * (point - shift), direction: back * DVec3::Z, margin: margin(size) }
    }
}

/// How far vertices that are in use can be from the origin, at most.
pub fn reach(mesh: &Mesh) -> f64 {
    let bounds = mesh.bounds();
    let farthest = |k: usize| bounds.min[k].abs().max(bounds.max[k].abs());
    farthest(0) + farthest(1) + farthest(2)
}

fn margin(size: f64) -> f64 {
    4096.0 * f64::EPSILON * size + 1024.0 * COORDINATE_MIN
}

fn matrix(pose: &Pose) -> DMat3 {
    DMat3::from_cols_array_2d(&pose.matrix()).transpose()
}
