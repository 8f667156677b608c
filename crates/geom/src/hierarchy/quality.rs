//! How good a volume is for its faces. Smaller is better.

use super::Quality;
use super::bound::Probes;
use super::bound::sealed::Shape;
use crate::{Point, Triangle};
use glam::DVec3;

/// The quality of a volume around `faces`.
pub(super) fn measure<S: Shape>(quality: Quality, bound: &S, faces: &[Triangle]) -> f64 {
    match quality {
        Quality::Volume => bound.volume(),
        Quality::Surface => bound.surface(),
        Quality::Hausdorff => hausdorff(&bound.probes(), faces),
    }
}

/// The largest distance of a probe to the faces: a lower bound of the directed Hausdorff distance,
/// which is exact if the farthest point of the volume is among the probes. Over a convex set of faces
/// it is a corner of the box; over a hollow one it tends to be the middle.
fn hausdorff(probes: &Probes, faces: &[Triangle]) -> f64 {
    let [middle, corner] = [probes[14], probes[0]].map(DVec3::from);
    // Lengths near one, so that fourth powers of coordinates neither over- nor underflow.
    let scale = (corner - middle).abs().max_element();
    if scale == 0.0 {
        return 0.0;
    }
    let local = |point: Point| (DVec3::from(point) - middle) / scale;
    let probes = probes.map(local);
    let mut nearest = [f64::INFINITY; 15];
    for face in faces {
        let corners = face.map(local);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let center = (corners[0] + corners[1] + corners[2]) / 3.0;
        let radius = corners.map(|corner| corner.distance_squared(center));
        let radius = radius.into_iter().fold(0.0, f64::max).sqrt();
        for (best, probe) in nearest.iter_mut().zip(&probes) {
            // Most faces are farther away than the nearest one; a ball around them tells.
            if probe.distance_squared(center) < (*best + radius) * (*best + radius) {
                *best = best.min(distance2(*probe, &corners, normal).sqrt());
            }
        }
    }
    nearest.into_iter().fold(0.0, f64::max) * scale
}

/// The squared distance of a point and a triangle with its normal, up to rounding.
fn distance2(point: DVec3, corners: &[DVec3; 3], normal: DVec3) -> f64 {
    let sides = [0, 1, 2].map(|i| corners[(i + 1) % 3] - corners[i]);
    let ways = corners.map(|corner| point - corner);
    let within = |i: usize| normal.dot(sides[i].cross(ways[i])) >= 0.0;
    let area2 = normal.length_squared();
    if area2 > 0.0 && (0..3).all(within) {
        return normal.dot(ways[0]).powi(2) / area2;
    }
    let to_side = |i: usize| {
        let length2 = sides[i].length_squared();
        let share = if length2 > 0.0 { sides[i].dot(ways[i]) / length2 } else { 0.0 };
        (ways[i] - sides[i] * share.clamp(0.0, 1.0)).length_squared()
    };
    to_side(0).min(to_side(1)).min(to_side(2))
}

/// The quality of a volume that grows face by face, without looking at all faces again.
///
/// Volume and surface need nothing but the volume. The Hausdorff distance is taken to witnesses
/// instead of all faces: for each probe but the middle, the corner that reaches farthest towards it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Witnesses {
    corners: [Point; 14],
}

impl Witnesses {
    /// Of one face.
    pub(super) fn of(face: &Triangle) -> Self {
        Self { corners: std::array::from_fn(|i| face[i % 3]) }
    }

    /// Takes in another face, which `bound` holds already.
    pub(super) fn add<S: Shape>(&mut self, bound: &S, face: &Triangle) {
        let probes = bound.probes();
        let center = DVec3::from(bound.center());
        for (witness, probe) in self.corners.iter_mut().zip(&probes) {
            let towards = DVec3::from(*probe) - center;
            let height = |p: &Point| towards.dot(DVec3::from(*p) - center);
            for corner in face {
                if height(corner) > height(witness) {
                    *witness = *corner;
                }
            }
        }
    }

    /// The quality of `bound`, as far as the witnesses can tell.
    pub(super) fn measure<S: Shape>(&self, quality: Quality, bound: &S) -> f64 {
        match quality {
            Quality::Volume => bound.volume(),
            Quality::Surface => bound.surface(),
            Quality::Hausdorff => {
                let probes = bound.probes();
                let nearest2 = |probe: &Point| {
                    let squares = self
                        .corners
                        .map(|corner| DVec3::from(*probe).distance_squared(DVec3::from(corner)));
                    squares.into_iter().fold(f64::INFINITY, f64::min)
                };
                probes[..14].iter().map(nearest2).fold(0.0, f64::max).sqrt()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aabb::Aabb;
    use crate::distance::point_triangle;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_distance_to_a_face_is_the_certified_one(
            point in prop::array::uniform3(-4i32..5),
            face in prop::array::uniform3(prop::array::uniform3(-4i32..5)),
        ) {
            let (point, face) = (point.map(f64::from), face.map(|p| p.map(f64::from)));
            let corners = face.map(DVec3::from);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let found = distance2(point.into(), &corners, normal).sqrt();
            let known = point_triangle(&point, &face);
            prop_assert!((found - known.hi).abs() < 1e-7, "{} {:?}", found, known);
        }
    }

    #[test]
    fn a_box_around_one_triangle_is_measured_by_its_far_corner() {
        let face = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let bound = Aabb::around(&face);
        let far = measure(Quality::Hausdorff, &bound, &[face]);
        assert!((far - 2f64.sqrt()).abs() < 1e-12, "{far}");
        assert!(measure(Quality::Volume, &bound, &[face]) == 0.0);
        assert!((measure(Quality::Surface, &bound, &[face]) - 8.0).abs() < 1e-12);
    }
}
