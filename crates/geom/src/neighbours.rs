//! Whether two triangles of one mesh touch beyond what they share.
//!
//! Neighbours in a mesh always meet in their common vertex or edge; that alone is no contact. Corners
//! are shared when their coordinates are equal, so meshes with split vertices are judged alike.

use crate::predicates::{Projection, is_degenerate, orient3d};
use crate::tri_tri::{intersect, segment_meets_triangle};
use crate::{Point, Triangle};

/// Whether two closed triangles share a point that does not belong to a common corner or edge. Exact.
///
/// A triangle given twice meets its twin in its whole area, which is a contact.
pub fn intersect_beyond_shared(a: &Triangle, b: &Triangle) -> bool {
    let shared = Few::of(a.iter().filter(|corner| b.contains(corner)));
    let rest = |t: &Triangle| Few::of(t.iter().filter(|corner| !shared.get().contains(corner)));
    match *shared.get() {
        [] => intersect(a, b),
        [v] => beyond_vertex(&v, a, b, (rest(a).get(), rest(b).get())),
        [u, v] => match (rest(a).get(), rest(b).get()) {
            ([p], [r]) => beyond_edge([&u, &v], p, r),
            // One of them is no more than the common edge itself.
            _ => false,
        },
        _ => !is_degenerate(a),
    }
}

/// Up to three different points.
struct Few {
    points: Triangle,
    count: usize,
}

impl Few {
    /// Those of up to three that differ from the ones before.
    fn of<'a>(points: impl Iterator<Item = &'a Point>) -> Self {
        let mut few = Self { points: [[0.0; 3]; 3], count: 0 };
        for point in points.take(3) {
            if !few.get().contains(point) {
                few.points[few.count] = *point;
                few.count += 1;
            }
        }
        few
    }

    fn get(&self) -> &[Point] {
        &self.points[..self.count]
    }
}

/// Two triangles with the corner `v` in common. What they share is convex and holds `v`; if it holds
/// more, then it reaches the far edge of one of them.
fn beyond_vertex(v: &Point, a: &Triangle, b: &Triangle, rest: (&[Point], &[Point])) -> bool {
    match (is_degenerate(a), is_degenerate(b)) {
        (false, false) => match rest {
            (&[p, q], &[r, s]) => {
                segment_meets_triangle(&[p, q], b) || segment_meets_triangle(&[r, s], a)
            }
            _ => false,
        },
        (true, false) => rest.0.iter().any(|p| leaves_along(v, p, rest.1)),
        (false, true) => rest.1.iter().any(|r| leaves_along(v, r, rest.0)),
        (true, true) => rest.0.iter().any(|p| rest.1.iter().any(|r| same_direction(v, p, r))),
    }
}

/// Whether the segment from `v` to `p` runs in the triangle `v r s` for some way.
fn leaves_along(v: &Point, p: &Point, rest: &[Point]) -> bool {
    let [r, s] = rest else { return false };
    let Some(flat) = Projection::spreading(v, r, s) else { return false };
    let turn = flat.orient(v, r, s);
    orient3d(v, r, s, p) == 0
        && flat.orient(v, r, p) * turn >= 0
        && flat.orient(v, p, s) * turn >= 0
}

/// Whether `p` and `r` lie in the same direction as seen from `v`.
fn same_direction(v: &Point, p: &Point, r: &Point) -> bool {
    let sign = |x: f64| (x > 0.0) as i8 - (x < 0.0) as i8;
    let collinear = Projection::spreading(v, p, r).is_none();
    // Comparing coordinates is exact, unlike their difference, but its sign is the same.
    collinear && (0..3).all(|k| sign(p[k] - v[k]) == sign(r[k] - v[k]))
}

/// Two triangles with the edge `u v` in common and the third corners `p` and `r`.
fn beyond_edge([u, v]: [&Point; 2], p: &Point, r: &Point) -> bool {
    match (Projection::spreading(u, v, p), Projection::spreading(u, v, r)) {
        (Some(flat), Some(_)) => {
            orient3d(u, v, p, r) == 0 && flat.orient(u, v, p) == flat.orient(u, v, r)
        }
        // Two segments on the line of the edge: both must stick out at the same end.
        (None, None) => [(u, v), (v, u)].into_iter().any(|(from, end)| {
            let out =
                |x: &Point| *x != *end && same_direction(from, end, x) && !between(from, end, x);
            out(p) && out(r)
        }),
        // The line of the edge meets the proper triangle in nothing but the edge.
        _ => false,
    }
}

/// Whether `x`, on the line of `u` and `v`, lies on the segment between them.
fn between(u: &Point, v: &Point, x: &Point) -> bool {
    (0..3).all(|k| u[k].min(v[k]) <= x[k] && x[k] <= u[k].max(v[k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: Triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn both(a: &Triangle, b: &Triangle) -> bool {
        let forward = intersect_beyond_shared(a, b);
        assert_eq!(forward, intersect_beyond_shared(b, a));
        forward
    }

    #[test]
    fn a_common_vertex_or_edge_alone_is_no_contact() {
        assert!(!both(&A, &[[0.0; 3], [-1.0, 0.0, 0.0], [0.0, -1.0, 1.0]]));
        assert!(!both(&A, &[A[0], A[1], [0.0, -4.0, 0.0]]));
        assert!(!both(&A, &[A[1], A[0], [0.0, 1.0, 1.0]]));
    }

    #[test]
    fn folded_and_piercing_neighbours_touch() {
        assert!(both(&A, &[A[0], A[1], [1.0, 1.0, 0.0]]));
        assert!(both(&A, &[A[0], [1.0, 1.0, -1.0], [1.0, 1.0, 1.0]]));
        assert!(both(&A, &[A[0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]));
        assert!(both(&A, &[A[2], A[0], A[1]]));
    }

    #[test]
    fn degenerate_neighbours_are_segments() {
        assert!(both(&A, &[A[0], [1.0, 1.0, 0.0], [2.0, 2.0, 0.0]]));
        assert!(!both(&A, &[A[0], [-1.0, -1.0, 0.0], [-2.0, -2.0, 0.0]]));
        assert!(!both(&A, &[A[0], [0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]));
        assert!(!both(&A, &[A[0], A[1], [2.0, 0.0, 0.0]]));
        assert!(!both(&A, &[A[0], A[0], A[1]]));
        let line = |x: f64| [[0.0; 3], [1.0, 0.0, 0.0], [x, 0.0, 0.0]];
        assert!(both(&line(2.0), &line(3.0)) && both(&line(-2.0), &line(-3.0)));
        assert!(!both(&line(2.0), &line(-3.0)) && !both(&line(0.5), &line(3.0)));
    }

    proptest! {
        /// With proper triangles and one common corner, cutting that corner off one of them leaves
        /// a triangle that meets the other exactly if they touch beyond the corner: the part they
        /// share is a segment from the corner, or an area, that is longer than what is cut off.
        #[test]
        fn a_common_corner_agrees_with_cutting_it_off(
            p in prop::array::uniform4(prop::array::uniform3(-4i8..5)),
        ) {
            let [p, q, r, s] = p.map(|point| point.map(f64::from));
            let (a, b) = ([[0.0; 3], p, q], [[0.0; 3], r, s]);
            prop_assume!(!is_degenerate(&a) && !is_degenerate(&b));
            prop_assume!(!b[1..].contains(&p) && !b[1..].contains(&q));
            // Small enough for this grid: the nearest far contact is further than 1/1024 of an edge.
            let cut = |x: Point| x.map(|c| c / 1024.0);
            let quad = [[cut(p), p, q], [cut(p), q, cut(q)]];
            prop_assert_eq!(both(&a, &b), quad.iter().any(|t| intersect(t, &b)));
        }
    }
}
