//! Distances of points, segments and triangles, each as an interval that holds the true value.
//!
//! The upper end is the distance of two points on the two triangles, the lower end the width of a
//! gap between two parallel planes that separate them. Both are rounded outward by a bound that
//! counts every operation, so the interval is a proof and not an estimate. There are no absolute
//! tolerances: all work is done in a frame whose unit is the size of the two triangles together.
//!
//! Degenerate triangles are segments or points here, and nothing special. Whether two triangles
//! touch is not decided here: for those that do, the interval starts at zero.

mod solve;

use glam::DVec3;

use crate::aabb::Aabb;
use crate::{Point, Triangle};
use solve::{Candidate, Side};

/// The part of a triangle (or segment, or point) that holds a closest point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The corner with this number.
    Vertex(u8),
    /// The edge from the corner with this number to the next one, without its ends.
    Edge(u8),
    /// The face without its edges.
    Face,
}

/// Two closest points, and what is known of their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// A point of the first and a point of the second, rounded to f64. (The interval does not
    /// suffer from that rounding, which counts for small things far from the origin.)
    pub points: [Point; 2],
    /// What the two points lie on.
    pub features: [Feature; 2],
    /// The true distance is at least this.
    pub lo: f64,
    /// The true distance is at most this.
    pub hi: f64,
}

/// All rounding of a lower or an upper end, in units of the [`Frame`].
///
/// With u = 2⁻⁵³, coordinates below 2 and hence vectors shorter than 3.5 and differences shorter
/// than 7, an upper end collects at most 7u from making the frame, 18u from a point on an edge, 91u
/// from a point on a face (14u its edges, 28u the altitude, 28u the sum, 21u the weights), and 28u
/// from their difference and its length. A lower end collects 7u from the frame, 28u from the
/// scalar products and their difference, and 25u from the division by the length.
/// Both are below 192u.
const ROUNDING: f64 = 96.0 * f64::EPSILON;

/// An interval wider than this, in units of the [`Frame`], is worth more directions.
const WIDE: f64 = 4.0 * ROUNDING;

/// Both triangles seen from the first corner, in a power of two as unit, so that the largest
/// coordinate is between 1 and 2: no later product over- or underflows to any effect.
struct Frame {
    a: [DVec3; 3],
    b: [DVec3; 3],
    origin: DVec3,
    unit: f64,
}

impl Frame {
    #[inline]
    fn new(a: &Triangle, b: &Triangle) -> Self {
        let origin = DVec3::from(a[0]);
        let (a, b) = (a.map(|p| DVec3::from(p) - origin), b.map(|p| DVec3::from(p) - origin));
        let reach = a[1].abs().max(a[2].abs()).max(b[0].abs()).max(b[1].abs()).max(b[2].abs());
        let exponent = reach.max_element().to_bits() & f64::INFINITY.to_bits();
        let unit = f64::from_bits(exponent).max(f64::MIN_POSITIVE);
        let inverse = 1.0 / unit;
        Self { a: a.map(|p| p * inverse), b: b.map(|p| p * inverse), origin, unit }
    }

    /// A lower bound of the distance: the gap between the triangles along `direction`, which may be
    /// any vector.
    #[inline]
    fn gap_along(&self, direction: DVec3) -> f64 {
        let direction = direction * (1.0 / direction.abs().max_element());
        let [a, b] = [self.a.map(|p| p.dot(direction)), self.b.map(|p| p.dot(direction))];
        let low = |h: [f64; 3]| h[0].min(h[1]).min(h[2]);
        let high = |h: [f64; 3]| h[0].max(h[1]).max(h[2]);
        let gap = (low(b) - high(a)).max(low(a) - high(b));
        let bound = gap / direction.length() - ROUNDING;
        // A zero direction makes a NaN, which proves nothing.
        if bound > 0.0 { bound } else { 0.0 }
    }
}

/// The closest points of a point and a triangle.
pub fn point_triangle(point: &Point, triangle: &Triangle) -> Closest {
    let a = [*point; 3];
    let frame = Frame::new(&a, triangle);
    closest::<1, 3>(&frame, &a, triangle)
}

/// The closest points of two segments.
pub fn segment_segment(a: &[Point; 2], b: &[Point; 2]) -> Closest {
    let (a, b) = ([a[0], a[1], a[1]], [b[0], b[1], b[1]]);
    closest::<1, 1>(&Frame::new(&a, &b), &a, &b)
}

/// The closest points of two triangles.
pub fn triangle_triangle(a: &Triangle, b: &Triangle) -> Closest {
    closest::<3, 3>(&Frame::new(a, b), a, b)
}

/// [`triangle_triangle`], or `None` if the distance is proven to be greater than `bound`, which
/// takes much less time where it is clear.
pub fn triangle_triangle_below(a: &Triangle, b: &Triangle, bound: f64) -> Option<Closest> {
    if aabb_gap(&Aabb::around(a), &Aabb::around(b)) > bound {
        return None;
    }
    let frame = Frame::new(a, b);
    let between = (frame.b[0] + frame.b[1] + frame.b[2]) - (frame.a[1] + frame.a[2]);
    if frame.gap_along(between) * frame.unit > bound {
        return None;
    }
    let found = closest::<3, 3>(&frame, a, b);
    if found.lo > bound { None } else { Some(found) }
}

/// A lower bound of the distance: the gap between two triangles along the line through two points,
/// from the first triangle to the second.
pub fn gap_along(a: &Triangle, b: &Triangle, points: &[Point; 2]) -> f64 {
    let frame = Frame::new(a, b);
    let along = DVec3::from(points[1]) - DVec3::from(points[0]);
    frame.gap_along(along) * frame.unit
}

/// A lower bound of the distance of two boxes, at most a few units in the last place too small.
#[inline]
pub fn aabb_gap(a: &Aabb, b: &Aabb) -> f64 {
    let [x, y, z]: Point =
        std::array::from_fn(|k| (b.min[k] - a.max[k]).max(a.min[k] - b.max[k]).max(0.0));
    // Differences, squares, sums and root are each off by half an epsilon at most.
    (x * x + y * y + z * z).sqrt() * (1.0 - 4.0 * f64::EPSILON)
}

/// `EA` and `EB` are the numbers of edges: three for a triangle, one for a segment or a point.
fn closest<const EA: usize, const EB: usize>(frame: &Frame, a: &Triangle, b: &Triangle) -> Closest {
    let (side_a, side_b) = (Side::<EA>::new(frame.a), Side::<EB>::new(frame.b));
    let mut best = solve::nearest(&side_a, &side_b);
    let mut lo = frame.gap_along(solve::direction(&side_a, &side_b, &best));
    if upper(&best) - lo > WIDE {
        solve::each_on_edges(&side_a, &side_b, |candidate| best.improve(candidate));
        solve::each_on_face(&side_a, &side_b, |candidate| best.improve(candidate));
        solve::each_direction(&side_a, &side_b, |direction| {
            lo = lo.max(frame.gap_along(direction));
        });
    }
    let world = |local: DVec3| <Point>::from(frame.origin + local * frame.unit);
    let point = |feature, corners: &Triangle, local| match feature {
        Feature::Vertex(corner) => corners[usize::from(corner)],
        _ => world(local),
    };
    let points =
        [point(best.features[0], a, best.points[0]), point(best.features[1], b, best.points[1])];
    // Corners that are equal as given, and not only in the rounded frame, are at no distance at all.
    let corners = matches!(best.features, [Feature::Vertex(_), Feature::Vertex(_)]);
    let hi = if corners && points[0] == points[1] { 0.0 } else { upper(&best) };
    Closest { points, features: best.features, lo: lo.min(hi) * frame.unit, hi: hi * frame.unit }
}

/// The distance of the candidate's points, rounded up.
fn upper(candidate: &Candidate) -> f64 {
    (candidate.points[0] - candidate.points[1]).length() + ROUNDING
}
