//! Where two intersecting triangles touch, and how far they must be moved apart.
//!
//! Which edges meet which triangle is decided exactly; only the coordinates of the answer are rounded.

use crate::predicates::{is_degenerate, orient3d};
use crate::tri_tri::{Segment, edge, point_on_triangle, segment_meets_triangle};
use crate::{Point, Triangle};
use glam::DVec3;

/// What two intersecting triangles share: a point (both ends equal), a segment, or, of coplanar
/// triangles, the two corners of their common polygon that are furthest apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The ends.
    pub ends: Segment,
    /// The middle of all corners found.
    pub center: Point,
}

/// The shortest way to move two triangles apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Escape {
    /// The unit direction to move the second one in.
    pub normal: Point,
    /// How far, up to rounding; 0 when they only touch.
    pub depth: f64,
}

/// Where two triangles that intersect touch; `None` when they do not.
pub fn touch(a: &Triangle, b: &Triangle) -> Option<Touch> {
    let mut corners = Corners::default();
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
    corners.summary()
}

/// Corner candidates: six corners, six piercing points, and nine crossings of edges from each side.
#[derive(Default)]
struct Corners {
    points: [DVec3; 32],
    len: usize,
}

impl Corners {
    fn push(&mut self, point: DVec3) {
        if self.len < self.points.len() {
            self.points[self.len] = point;
            self.len += 1;
        }
    }

    fn summary(&self) -> Option<Touch> {
        let points = &self.points[..self.len];
        let first = *points.first()?;
        let mut ends = [first; 2];
        let mut longest = 0.0;
        for (i, &p) in points.iter().enumerate() {
            for &q in &points[..i] {
                let length = p.distance_squared(q);
                if length > longest {
                    (longest, ends) = (length, [q, p]);
                }
            }
        }
        let center = points.iter().fold(DVec3::ZERO, |sum, &p| sum + (p - first)) / self.len as f64;
        Some(Touch { ends: ends.map(Into::into), center: (first + center).into() })
    }
}

/// Adds the points in which a segment that meets a triangle enters or leaves it.
fn crossing(segment: &Segment, triangle: &Triangle, corners: &mut Corners) {
    if !is_degenerate(triangle) && !in_plane(segment, triangle) {
        corners.push(piercing_point(segment, triangle));
        return;
    }
    for i in 0..3 {
        let other = edge(triangle, i);
        if segment_meets_triangle(segment, &[other[0], other[1], other[1]]) {
            corners.push(nearest_on(segment, &other));
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
                best = Escape { normal: normal.into(), depth: depth.max(0.0) };
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
    if best.depth.is_finite() { best } else { Escape { depth: 0.0, ..best } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tri_tri::intersect;
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
                        prop_assert!(distance_to_plane_hull(&end, t) < 1e-9, "{:?}", touch);
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

    /// Distance of a point to a triangle by a dense search that converges: good enough as a judge.
    fn distance_to_plane_hull(point: &Point, triangle: &Triangle) -> f64 {
        let [a, b, c] = triangle.map(DVec3::from);
        let p = DVec3::from(*point);
        let on_segment = |u: DVec3, v: DVec3| {
            let w = v - u;
            let t = if w == DVec3::ZERO {
                0.0
            } else {
                ((p - u).dot(w) / w.length_squared()).clamp(0.0, 1.0)
            };
            p.distance(u + w * t)
        };
        let edges = on_segment(a, b).min(on_segment(b, c)).min(on_segment(c, a));
        let normal = (b - a).cross(c - a);
        let Some(unit) = normal.try_normalize() else { return edges };
        let inside =
            [(a, b), (b, c), (c, a)].iter().all(|&(u, v)| (v - u).cross(p - u).dot(unit) >= 0.0);
        if inside { unit.dot(p - a).abs().min(edges) } else { edges }
    }
}
