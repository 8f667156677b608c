//! Where two intersecting triangles touch, and how far they must be moved apart.
//!
//! Whether and with which edges they meet is decided exactly. The coordinates of the answer are
//! rounded, and of nearly coplanar triangles or nearly parallel edges rounding can take a crossing
//! anywhere: so each point is held against the other triangle and kept only if it lies on it up to
//! rounding. Where none is left, the closest points of the two stand for what they share.

use crate::distance::{point_triangle, triangle_triangle};
use crate::predicates::{is_degenerate, orient3d};
use crate::tri_tri::{Segment, edge, intersect, point_on_triangle, segment_meets_triangle};
use crate::{Point, Triangle};
use glam::DVec3;

/// What two intersecting triangles share: a point (both ends equal), a segment, or, of coplanar
/// triangles, the two corners of their common polygon that are furthest apart. All of it lies on
/// both triangles up to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The ends.
    pub ends: Segment,
    /// The mean of the corners of what they share: the middle of a segment.
    pub center: Point,
}

/// The shortest way to move two triangles apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Escape {
    /// The unit direction to move the second one in.
    pub normal: Point,
    /// How far, up to rounding; 0 when they only touch, and for depths that rounding could have made.
    pub depth: f64,
}

/// Where two triangles that intersect touch; `None` when they do not.
pub fn touch(a: &Triangle, b: &Triangle) -> Option<Touch> {
    if !intersect(a, b) {
        return None;
    }
    let mut corners = Corners { points: Vec::with_capacity(8), tolerance: tolerance(a, b) };
    for (own, other) in [(a, b), (b, a)] {
        for i in 0..3 {
            if point_on_triangle(&own[i], other) {
                corners.push(DVec3::from(own[i]));
            }
            if segment_meets_triangle(&edge(own, i), other) {
                crossing(&edge(own, i), other, &mut corners);
            }
        }
    }
    Some(corners.summary().unwrap_or_else(|| {
        let [p, q] = triangle_triangle(a, b).points.map(DVec3::from);
        let middle: Point = p.midpoint(q).into();
        Touch { ends: [middle; 2], center: middle }
    }))
}

/// How far a rounded point may be from the triangles it belongs to: some ulps of the coordinates.
fn tolerance(a: &Triangle, b: &Triangle) -> f64 {
    let size = a.iter().chain(b).flatten().fold(0.0f64, |most, x| most.max(x.abs()));
    64.0 * f64::EPSILON * size
}

/// The corners found of what two triangles share, each of them once.
struct Corners {
    points: Vec<DVec3>,
    tolerance: f64,
}

impl Corners {
    fn push(&mut self, point: DVec3) {
        let near = |p: &DVec3| p.distance(point) <= self.tolerance;
        if !self.points.iter().any(near) {
            self.points.push(point);
        }
    }

    /// A point of one triangle that was computed, if it is on the other one too.
    fn push_if_on(&mut self, point: DVec3, other: &Triangle) {
        if point_triangle(&point.into(), other).lo <= self.tolerance {
            self.push(point);
        }
    }

    fn summary(&self) -> Option<Touch> {
        let first = *self.points.first()?;
        let mut ends = [first; 2];
        let mut longest = 0.0;
        for (i, &p) in self.points.iter().enumerate() {
            for &q in &self.points[..i] {
                let length = p.distance_squared(q);
                if length > longest {
                    (longest, ends) = (length, [q, p]);
                }
            }
        }
        let sum = self.points.iter().fold(DVec3::ZERO, |sum, &p| sum + (p - first));
        let center = first + sum / self.points.len() as f64;
        Some(Touch { ends: ends.map(Into::into), center: center.into() })
    }
}

/// Adds the points in which a segment that meets a triangle enters or leaves it.
fn crossing(segment: &Segment, triangle: &Triangle, corners: &mut Corners) {
    if !is_degenerate(triangle) && !in_plane(segment, triangle) {
        corners.push_if_on(piercing_point(segment, triangle), triangle);
        return;
    }
    for i in 0..3 {
        let other = edge(triangle, i);
        if segment_meets_triangle(segment, &[other[0], other[1], other[1]]) {
            corners.push_if_on(nearest_on(segment, &other), triangle);
        }
    }
}

fn in_plane(segment: &Segment, [a, b, c]: &Triangle) -> bool {
    segment.iter().all(|end| orient3d(a, b, c, end) == 0)
}

/// Where a segment crosses the plane of a triangle, given that it does.
fn piercing_point(segment: &Segment, triangle: &Triangle) -> DVec3 {
    let [p, q] = segment.map(DVec3::from);
    let [a, b, c] = triangle.map(DVec3::from);
    let normal = (b - a).cross(c - a);
    let (from, to) = (normal.dot(p - a).abs(), normal.dot(q - a).abs());
    let t = from / (from + to);
    // Both heights can round to zero; then every point of the segment is as good.
    if t.is_finite() { p + (q - p) * t } else { p }
}

/// The point of `s` nearest to the line of `t`, for two segments that meet.
fn nearest_on(s: &Segment, t: &Segment) -> DVec3 {
    let ([p, q], [r, w]) = (s.map(DVec3::from), t.map(DVec3::from));
    let (u, v) = (q - p, w - r);
    let across = u.cross(v);
    let size = across.length_squared();
    if size > 0.0 {
        let along = ((r - p).cross(v).dot(across) / size).clamp(0.0, 1.0);
        return p + u * along;
    }
    // Parallel and meeting: they overlap on a line, and an end of one lies on the other.
    let along = |x: DVec3| if u == DVec3::ZERO { 0.0 } else { (x - p).dot(u) / u.length_squared() };
    p + u * along(r).clamp(0.0, 1.0)
}

/// The least translation of `b` that leaves two triangles at most touching.
///
/// Separating-axis candidates: both normals, the nine products of edges, and for flat cases the
/// in-plane normals of all edges. Two convex bodies overlap least along one of these.
pub fn escape(a: &Triangle, b: &Triangle) -> Escape {
    let (a, b) = (a.map(DVec3::from), b.map(DVec3::from));
    let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (of_a, of_b) = (edges(&a), edges(&b));
    let normals = [of_a[0].cross(of_a[1]), of_b[0].cross(of_b[1])];
    let mut best = Escape { normal: [0.0, 0.0, 1.0], depth: f64::INFINITY };
    let mut consider = |axis: DVec3| {
        let Some(axis) = axis.try_normalize() else { return };
        let range = |t: &[DVec3; 3]| {
            let [x, y, z] = t.map(|p| axis.dot(p - a[0]));
            [x.min(y).min(z), x.max(y).max(z)]
        };
        let ([a_low, a_high], [b_low, b_high]) = (range(&a), range(&b));
        for (normal, depth) in [(axis, a_high - b_low), (-axis, b_high - a_low)] {
            if depth < best.depth {
                // Adding zero turns −0 into 0.
                best = Escape { normal: (normal + DVec3::ZERO).into(), depth: depth.max(0.0) };
            }
        }
    };
    normals.into_iter().for_each(&mut consider);
    for u in of_a {
        for v in of_b {
            consider(u.cross(v));
        }
    }
    for (normal, edges) in [(normals[0], of_a), (normals[1], of_b)] {
        edges.into_iter().for_each(|u| consider(normal.cross(u)));
    }
    of_a.into_iter().chain(of_b).for_each(&mut consider);
    if normals == [DVec3::ZERO; 2] {
        // Segments on one line have no axis in common but those across it.
        let along = of_a.into_iter().chain(of_b).filter_map(DVec3::try_normalize);
        along.for_each(|u| consider(u.any_orthonormal_vector()));
    }
    // Projections relative to a corner are off by a few ulps of the size of the pair.
    let size = a.iter().chain(&b).fold(0.0f64, |most, p| most.max((*p - a[0]).abs().max_element()));
    let depth = if best.depth > 16.0 * f64::EPSILON * size { best.depth } else { 0.0 };
    if best.depth.is_finite() { Escape { depth, ..best } } else { Escape { depth: 0.0, ..best } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::Pose;
    use proptest::prelude::*;

    const FLAT: Triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    #[test]
    fn crossing_triangles_touch_in_a_segment() {
        let b = [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 9.0, 1.0]];
        let touch = touch(&FLAT, &b).unwrap();
        let mut ends = touch.ends;
        ends.sort_by(|p, q| p[1].total_cmp(&q[1]));
        assert_eq!(ends, [[1.0, 1.0, 0.0], [1.0, 3.0, 0.0]]);
    }

    #[test]
    fn the_center_of_a_shared_edge_is_its_middle() {
        let a = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let b = [[0.0; 3], [1.0, 0.0, 0.0], [0.3, 0.0, 1.0]];
        assert_eq!(touch(&a, &b).unwrap().center, [0.5, 0.0, 0.0]);
    }

    #[test]
    fn touching_triangles_have_no_depth_and_coplanar_ones_a_polygon() {
        let standing = [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]];
        assert_eq!(touch(&FLAT, &standing).unwrap().ends, [[1.0, 1.0, 0.0]; 2]);
        assert_eq!(escape(&FLAT, &standing), Escape { normal: [0.0, 0.0, 1.0], depth: 0.0 });
        let inner = [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [1.0, 2.0, 0.0]];
        let center = touch(&FLAT, &inner).unwrap().center;
        assert!((center[0] - 4.0 / 3.0).abs() < 1e-15 && center[2] == 0.0);
        assert_eq!(touch(&FLAT, &[[9.0; 3]; 3]), None);
    }

    fn triangles() -> impl Strategy<Value = Triangle> {
        let number = prop_oneof![(0i8..4).prop_map(f64::from), 0.0..3.0f64];
        prop::array::uniform3(prop::array::uniform3(number))
    }

    proptest! {
        #[test]
        fn there_is_a_touch_exactly_if_they_intersect(a in triangles(), b in triangles()) {
            let touch = touch(&a, &b);
            prop_assert_eq!(touch.is_some(), intersect(&a, &b));
            if let Some(touch) = touch {
                // Both triangles lie in the unit of the test; the ends are on both up to rounding.
                for end in touch.ends {
                    for t in [&a, &b] {
                        prop_assert!(point_triangle(&end, t).hi < 1e-12, "{:?}", touch);
                    }
                }
            }
        }

        /// Nearly coplanar and nearly parallel: rounding noise decides where crossings come out.
        #[test]
        fn what_is_shared_lies_on_both_also_when_nearly_coplanar(
            a in triangles(), b in triangles(), tilt in prop::array::uniform3(-1i8..2),
            turn in prop::array::uniform4(-1.0..1.0f64), nudge in prop::array::uniform9(-2i64..3),
        ) {
            let Ok(pose) = Pose::new(turn, [0.0; 3]) else { return Ok(()) };
            let flat = |t: &Triangle| t.map(|[x, y, _]| {
                pose.apply(&[x, y, f64::from(tilt[0]) * x + f64::from(tilt[1]) * y])
            });
            let (a, mut b) = (flat(&a), flat(&b));
            for (x, ulps) in b.as_flattened_mut().iter_mut().zip(nudge) {
                // Zero has no neighbour within the range of coordinates.
                if *x != 0.0 {
                    *x = f64::from_bits(x.to_bits().wrapping_add_signed(ulps));
                }
            }
            if let Some(touch) = touch(&a, &b) {
                for point in [touch.ends[0], touch.ends[1], touch.center] {
                    for t in [&a, &b] {
                        let distance = point_triangle(&point, t).hi;
                        prop_assert!(distance < 1e-12, "{distance} {touch:?}");
                    }
                }
            }
        }

        #[test]
        fn moving_by_the_escape_separates(a in triangles(), b in triangles()) {
            prop_assume!(intersect(&a, &b));
            let Escape { normal, depth } = escape(&a, &b);
            let moved = b.map(|p| std::array::from_fn(|k| p[k] + normal[k] * (depth + 1e-9)));
            prop_assert!(!intersect(&a, &moved), "{normal:?} {depth}");
        }
    }
}
