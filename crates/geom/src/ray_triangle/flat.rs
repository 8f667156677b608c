//! A ray in the plane of a triangle, or against a triangle that is a segment or a point. Rare, so all
//! of it is exact arithmetic.

use super::exact::{det2, given, way};
use crate::ask::Ray;
use crate::predicates::Sign;
use crate::tri_tri::point_on_triangle;
use crate::{Point, Triangle};

/// The first `t` at which the ray is on the triangle; none if it never is. To be asked only when the
/// line is coplanar with each edge of the triangle.
pub(super) fn first(ray: &Ray, triangle: &Triangle) -> Option<f64> {
    if point_on_triangle(&ray.origin(), triangle) {
        return Some(0.0);
    }
    let seen = (0..3).find_map(|axis| {
        let sides = triangle.each_ref().map(|corner| side(ray, axis, corner));
        (sides != [0; 3]).then_some((axis, sides))
    });
    let Some((axis, sides)) = seen else {
        // All on the line, and the ray does not start among them: the nearest corner ahead.
        return triangle.iter().filter_map(|corner| at(ray, corner)).reduce(f64::min);
    };
    // Seen along this axis the plane of line and triangle is one to one.
    let mut first: Option<f64> = None;
    for i in 0..3 {
        let j = (i + 1) % 3;
        let met = match sides[i] * sides[j] {
            0 if sides[i] == 0 => at(ray, &triangle[i]),
            -1 => crossed(ray, axis, [&triangle[i], &triangle[j]]),
            _ => None,
        };
        if let Some(t) = met {
            first = Some(first.map_or(t, |least| least.min(t)));
        }
    }
    first
}

/// On which side of the line a point is, seen along an axis.
fn side(ray: &Ray, axis: usize, point: &Point) -> Sign {
    det2(axis, &given(&ray.direction()), &way(&ray.origin(), point)).sign()
}

/// The `t` of a point of the line, if it is not behind the origin.
fn at(ray: &Ray, point: &Point) -> Option<f64> {
    let k = ray.axis();
    let t = (point[k] - ray.origin()[k]) / ray.direction()[k];
    (t >= 0.0).then_some(t)
}

/// The `t` at which the line crosses a segment whose ends are on either side of it.
fn crossed(ray: &Ray, axis: usize, [a, b]: [&Point; 2]) -> Option<f64> {
    let edge = way(a, b);
    let above = det2(axis, &way(&ray.origin(), a), &edge);
    let below = det2(axis, &given(&ray.direction()), &edge);
    (above.sign() * below.sign() >= 0).then(|| above.value() / below.value())
}
