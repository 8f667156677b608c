//! A coin around triangles.

use crate::obb::principal_axes;
use glam::{DMat3, DVec3, Vec3};
use impinge_simd::coins::Coin;

/// How often the centre is moved towards the farthest point.
const MOVES: u32 = 24;

/// A coin that holds all of these triangles, and which of their corners (three to a triangle) it tells.
pub(super) fn coin(triangles: &[[DVec3; 3]]) -> (Coin, usize) {
    let corners = triangles.as_flattened();
    let axes = principal_axes(covariance(triangles));
    let normal = axes.z_axis.as_vec3();
    let [low, high] = ends(corners, axes.z_axis);
    let middle = in_plane(corners, axes.x_axis, axes.y_axis);
    let centre =
        axes.x_axis * middle[0] + axes.y_axis * middle[1] + axes.z_axis * (0.5 * (low + high));
    measured(corners, (centre.as_vec3(), normal), 0.0)
}

/// A ball about this centre that holds all of these triangles, with a radius of at least `least`; and which of their
/// corners it tells. A coin whose slab is as thick as the ball.
pub(super) fn ball(triangles: &[[DVec3; 3]], centre: DVec3, least: f64) -> (Coin, usize) {
    let (mut coin, witness) =
        measured(triangles.as_flattened(), (centre.as_vec3(), Vec3::Z), least);
    coin.half = coin.radius;
    (coin, witness)
}

/// About the middle of the smallest ball around points, as [`in_plane`].
pub(super) fn middle(points: &[DVec3]) -> DVec3 {
    let ends = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = points.iter().fold(ends, |(low, high), &p| (low.min(p), high.max(p)));
    let mut centre = 0.5 * (low + high);
    let (mut best, mut least) = (centre, f64::INFINITY);
    for step in 0..=MOVES {
        let (mut far, mut farthest) = (centre, 0.0);
        for &point in points {
            let square = point.distance_squared(centre);
            if square > farthest {
                (far, farthest) = (point, square);
            }
        }
        if farthest < least {
            (best, least) = (centre, farthest);
        }
        centre += (far - centre) * (0.5 / f64::from(step + 2));
    }
    best
}

/// What is measured about the rounded centre and normal is true of these.
fn measured(corners: &[DVec3], (centre, normal): (Vec3, Vec3), least: f64) -> (Coin, usize) {
    let (about, along) = (centre.as_dvec3(), normal.as_dvec3());
    let (mut square, mut half, mut nearest, mut witness) = (0.0f64, 0.0f64, f64::INFINITY, 0);
    for (i, &corner) in corners.iter().enumerate() {
        let way = corner - about;
        let length = way.length_squared();
        (square, half) = (square.max(length), half.max(way.dot(along).abs()));
        if length < nearest {
            (nearest, witness) = (length, i);
        }
    }
    let radius = up(square.sqrt().max(least));
    // The normal is of length one but for rounding, which is less than what is added here.
    let half = up(half * (1.0 + 1e-6)).min(radius);
    let point = corners[witness].as_vec3();
    let coin =
        Coin { centre: centre.into(), radius, normal: normal.into(), half, witness: point.into() };
    (coin, witness)
}

/// As f32, not less.
fn up(x: f64) -> f32 {
    let rounded = (x * (1.0 + 1e-12)) as f32;
    if f64::from(rounded) < x { rounded.next_up() } else { rounded }
}

/// That of the surface, or of the corners where there is no surface, about its middle.
fn covariance(triangles: &[[DVec3; 3]]) -> DMat3 {
    let (mut weight, mut mean, mut spread) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let origin = triangles.first().map_or(DVec3::ZERO, |corners| corners[0]);
    let doubled = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a).length();
    let all: f64 = triangles.iter().map(doubled).sum();
    for corners in triangles {
        let area = if all > 0.0 { doubled(corners) / all } else { 1.0 / triangles.len() as f64 };
        let [a, b, c] = corners.map(|corner| corner - origin);
        let sum = a + b + c;
        weight += area;
        mean += sum * (area / 3.0);
        // The integral over a triangle is the mean over corners and three times the middle.
        spread += (outer(sum) + outer(a) + outer(b) + outer(c)) * (area / 12.0);
    }
    if weight > 0.0 {
        spread -= outer(mean) * (1.0 / weight);
    }
    spread
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// How far points reach along a direction, both ways.
fn ends(points: &[DVec3], direction: DVec3) -> [f64; 2] {
    points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], point| {
        let at = point.dot(direction);
        [low.min(at), high.max(at)]
    })
}

/// About the middle of the smallest circle around points that are seen along the normal: the farthest is
/// approached in ever smaller steps (Bădoiu and Clarkson 2003).
fn in_plane(points: &[DVec3], x: DVec3, y: DVec3) -> [f64; 2] {
    let ([left, right], [low, high]) = (ends(points, x), ends(points, y));
    let mut centre = [0.5 * (left + right), 0.5 * (low + high)];
    let (mut best, mut least) = (centre, f64::INFINITY);
    for step in 0..=MOVES {
        let (mut far, mut farthest) = (centre, 0.0);
        for point in points {
            let at = [point.dot(x), point.dot(y)];
            let square = (at[0] - centre[0]).powi(2) + (at[1] - centre[1]).powi(2);
            if square > farthest {
                (far, farthest) = (at, square);
            }
        }
        if farthest < least {
            (best, least) = (centre, farthest);
        }
        let part = 0.5 / f64::from(step + 2);
        for k in 0..2 {
            centre[k] += part * (far[k] - centre[k]);
        }
    }
    best
}
