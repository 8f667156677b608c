//! A ray against a triangle: whether they share a point is decided exactly, where is told to 10⁻¹².
//!
//! The ray is `origin + t · direction` without rounding, the triangle is closed: what touches an edge
//! or a corner meets it. Triangles that share an edge therefore leave no gap between them. Degenerate
//! triangles are segments or points, and rays in the plane of a triangle meet it where they enter it.
//!
//! With a, b, c seen from the origin, the line passes the edge ab on the side that the sign of
//! det(d, a, b) tells. Signs are taken from rounded determinants where these are larger than their
//! error, as in [`crate::predicates`], else from exact ones.

mod exact;
mod flat;

use crate::ask::Ray;
use crate::predicates::{Sign, orient3d};
use crate::{Point, Triangle};
use exact::{det3, given, way};
use glam::{DVec3, Vec3Swizzles};

/// From which side a ray comes to a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// From the side from which the corners run counterclockwise: against the normal.
    Front,
    /// From the other side.
    Back,
    /// In its plane; also where a degenerate triangle has no sides.
    Edge,
}

/// A common point of a ray and a triangle, the first if there are many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// How far it is from the origin of the ray; off by no more than 10⁻¹² of itself.
    pub distance: f64,
    /// The side that the ray comes from. Exact.
    pub facing: Facing,
    /// The line passes the edges ab, bc, ca through a point of theirs. Exact, but all are false where
    /// the side is [`Facing::Edge`].
    pub through: [bool; 3],
}

/// The greatest relative error of a distance along a ray.
pub const DISTANCE_ERROR: f64 = 1e-12;

/// A rounded determinant of three vectors, of which at most all nine parts are rounded differences, is
/// off by at most this part of the sum of the magnitudes of its products; see `orient3d`.
const DETERMINANT_ERROR: f64 = 5.0 * f64::EPSILON;

/// The point in which the ray first meets the closed triangle, if it does. How far the ray goes is
/// compared with the rounded distance.
pub fn meet(ray: &Ray, triangle: &Triangle) -> Option<Met> {
    let origin = DVec3::from(ray.origin());
    let direction = DVec3::from(ray.direction());
    let corners = triangle.map(|corner| DVec3::from(corner) - origin);
    let passes = [0, 1, 2].map(|i| {
        let j = (i + 1) % 3;
        let (value, size) = det(direction, corners[i], corners[j]);
        if value.abs() > DETERMINANT_ERROR * size {
            return sign(value);
        }
        pass(ray, [&triangle[i], &triangle[j]])
    });
    if passes.contains(&1) && passes.contains(&-1) {
        return None;
    }
    let ahead = passes.iter().sum::<Sign>().signum();
    let (t, facing) = match ahead {
        0 => (flat::first(ray, triangle)?, Facing::Edge),
        1 => (along(ray, triangle, ahead)?, Facing::Back),
        _ => (along(ray, triangle, ahead)?, Facing::Front),
    };
    let distance = t * ray.unit();
    let through = if ahead == 0 { [false; 3] } else { passes.map(|side| side == 0) };
    (distance <= ray.length()).then_some(Met { distance, facing, through })
}

#[inline]
fn sign(x: f64) -> Sign {
    (x > 0.0) as Sign - (x < 0.0) as Sign
}

/// a · (b × c), and the sum of the magnitudes of its six products.
#[inline]
fn det(a: DVec3, b: DVec3, c: DVec3) -> (f64, f64) {
    let (p, q) = (b.yzx() * c.zxy(), b.zxy() * c.yzx());
    ((p - q).dot(a), (p.abs() + q.abs()).dot(a.abs()))
}

/// On which side the line passes an edge, exactly.
#[cold]
fn pass(ray: &Ray, [a, b]: [&Point; 2]) -> Sign {
    let origin = &ray.origin();
    det3(&given(&ray.direction()), &way(origin, a), &way(origin, b)).sign()
}

/// The `t` at which the line crosses the plane of the triangle from the side that `ahead` tells, if
/// that is not behind the origin.
fn along(ray: &Ray, triangle: &Triangle, ahead: Sign) -> Option<f64> {
    let [a, b, c] = triangle.map(DVec3::from);
    let (e1, e2) = (b - a, c - a);
    let (above, above_size) = det(a - DVec3::from(ray.origin()), e1, e2);
    let (below, below_size) = det(DVec3::from(ray.direction()), e1, e2);
    let clear = above.abs() > DETERMINANT_ERROR * above_size;
    let [p, q, r] = triangle;
    let start = if clear { sign(above) } else { orient3d(p, q, r, &ray.origin()) };
    if start == 0 {
        return Some(0.0);
    }
    if start != ahead {
        return None;
    }
    let error = DETERMINANT_ERROR * (above_size / above.abs() + below_size / below.abs());
    // Twice the error, for a quotient that is off in both; a NaN is not small.
    if 2.0 * error < 0.5 * DISTANCE_ERROR {
        return Some(above / below);
    }
    Some(along_exactly(ray, triangle))
}

#[cold]
fn along_exactly(ray: &Ray, [a, b, c]: &Triangle) -> f64 {
    let edges = [way(a, b), way(a, c)];
    let above = det3(&way(&ray.origin(), a), &edges[0], &edges[1]);
    let below = det3(&given(&ray.direction()), &edges[0], &edges[1]);
    above.value() / below.value()
}
