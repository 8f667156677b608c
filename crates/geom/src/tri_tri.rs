//! Whether two closed triangles share a point, decided exactly [K98 §3.6].
//!
//! Two closed triangles meet exactly if an edge of one meets the other: that holds for crossing,
//! touching and coplanar triangles alike, also when one contains the other, and for degenerate ones,
//! which their edges cover. So everything comes down to a closed segment against a closed triangle.

use crate::predicates::{Projection, Sign, orient3d, segment_boxes_overlap};
use crate::{Point, Triangle};

/// A closed segment; its ends may coincide.
pub type Segment = [Point; 2];

/// The edge of a triangle from corner `i` to the next.
#[inline]
pub fn edge(triangle: &Triangle, i: usize) -> Segment {
    [triangle[i], triangle[(i + 1) % 3]]
}

/// Whether two closed triangles share a point. Exact; degenerate triangles are segments or points.
pub fn intersect(a: &Triangle, b: &Triangle) -> bool {
    if !boxes_overlap(a, b) {
        return false;
    }
    let b_sides = sides(a, b);
    if same_side(b_sides) {
        return false;
    }
    let a_sides = sides(b, a);
    if same_side(a_sides) {
        return false;
    }
    (0..3).any(|i| {
        let j = (i + 1) % 3;
        edge_meets(&edge(a, i), [a_sides[i], a_sides[j]], b)
            || edge_meets(&edge(b, i), [b_sides[i], b_sides[j]], a)
    })
}

/// Whether a closed segment and a closed triangle share a point. Exact.
pub fn segment_meets_triangle(segment: &Segment, triangle: &Triangle) -> bool {
    let [a, b, c] = triangle;
    edge_meets(segment, segment.map(|end| orient3d(a, b, c, &end)), triangle)
}

/// Whether a point lies on a closed triangle. Exact.
pub fn point_on_triangle(point: &Point, triangle: &Triangle) -> bool {
    // Exact comparisons first: most points are beside the triangle's box.
    boxes_overlap(&[*point; 3], triangle) && segment_meets_triangle(&[*point, *point], triangle)
}

/// Exact comparisons only, so this never hides a touching pair.
#[inline]
fn boxes_overlap(a: &Triangle, b: &Triangle) -> bool {
    let low = |t: &Triangle, k: usize| t[0][k].min(t[1][k]).min(t[2][k]);
    let high = |t: &Triangle, k: usize| t[0][k].max(t[1][k]).max(t[2][k]);
    (0..3).all(|k| low(a, k) <= high(b, k) && low(b, k) <= high(a, k))
}

/// The sides of the corners of `of` to the plane of `plane`.
fn sides(plane: &Triangle, of: &Triangle) -> [Sign; 3] {
    let [a, b, c] = plane;
    [0, 1, 2].map(|i| orient3d(a, b, c, &of[i]))
}

fn same_side(signs: [Sign; 3]) -> bool {
    signs[0] != 0 && signs[0] == signs[1] && signs[1] == signs[2]
}

/// A segment whose ends are on the given sides of the triangle's plane.
fn edge_meets(segment: &Segment, ends: [Sign; 2], triangle: &Triangle) -> bool {
    if ends[0] * ends[1] > 0 {
        return false;
    }
    if ends == [0, 0] {
        return flat_edge_meets(segment, triangle);
    }
    // The line crosses the plane in one point of the segment; it is in the triangle exactly if
    // the line does not pass two edges on opposite sides.
    let [p, q] = segment;
    let [a, b, c] = triangle;
    let passes = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    passes.iter().all(|&s| s >= 0) || passes.iter().all(|&s| s <= 0)
}

/// A segment in the plane of the triangle, or a degenerate triangle, which has no plane.
fn flat_edge_meets(segment: &Segment, triangle: &Triangle) -> bool {
    let [a, b, c] = triangle;
    match Projection::spreading(a, b, c) {
        // The projection is one to one on the plane that holds both.
        Some(flat) => {
            point_in_projection(flat, &segment[0], triangle)
                || (0..3).any(|i| segments_cross(flat, segment, &edge(triangle, i)))
        }
        None => (0..3).any(|i| segments_meet(segment, &edge(triangle, i))),
    }
}

fn point_in_projection(flat: Projection, point: &Point, [a, b, c]: &Triangle) -> bool {
    let turns = [flat.orient(a, b, point), flat.orient(b, c, point), flat.orient(c, a, point)];
    turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0)
}

/// Two closed segments in a common plane, seen in a projection that is one to one on it.
fn segments_cross(flat: Projection, s: &Segment, t: &Segment) -> bool {
    let of_t = t.map(|end| flat.orient(&s[0], &s[1], &end));
    let of_s = s.map(|end| flat.orient(&t[0], &t[1], &end));
    if of_t == [0, 0] && of_s == [0, 0] {
        return flat.boxes_overlap(s, t);
    }
    of_t[0] * of_t[1] <= 0 && of_s[0] * of_s[1] <= 0
}

/// Two closed segments in space. Exact.
fn segments_meet(s: &Segment, t: &Segment) -> bool {
    let [p, q] = s;
    let [r, w] = t;
    if !segment_boxes_overlap(s, t) || orient3d(p, q, r, w) != 0 {
        return false;
    }
    let triples = [[p, q, r], [p, q, w], [r, w, p], [r, w, q]];
    match triples.into_iter().find_map(|[a, b, c]| Projection::spreading(a, b, c)) {
        Some(flat) => segments_cross(flat, s, t),
        // All four on one line: their boxes overlap exactly if they do.
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: Triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn both(a: &Triangle, b: &Triangle) -> bool {
        let forward = intersect(a, b);
        assert_eq!(forward, intersect(b, a), "{a:?} {b:?}");
        forward
    }

    #[test]
    fn crossing_and_touching_triangles_meet() {
        assert!(both(&FLAT, &[[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]]));
        assert!(both(&FLAT, &[[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]]));
        assert!(both(&FLAT, &[[4.0, 0.0, 0.0], [5.0, 0.0, 1.0], [5.0, 0.0, -1.0]]));
        assert!(!both(
            &FLAT,
            &[[1.0, 1.0, 0.0f64.next_up() + 1e-80], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]]
        ));
    }

    #[test]
    fn coplanar_triangles_meet_when_they_overlap_touch_or_contain() {
        assert!(both(&FLAT, &[[1.0, 1.0, 0.0], [5.0, 5.0, 0.0], [1.0, 5.0, 0.0]]));
        assert!(both(&FLAT, &[[0.5, 0.5, 0.0], [1.0, 0.5, 0.0], [0.5, 1.0, 0.0]]));
        assert!(both(&FLAT, &[[2.0, 2.0, 0.0], [5.0, 5.0, 0.0], [1.0, 9.0, 0.0]]));
        assert!(!both(&FLAT, &[[2.1, 2.1, 0.0], [5.0, 5.0, 0.0], [4.0, 9.0, 0.0]]));
    }

    #[test]
    fn degenerate_triangles_are_segments_and_points() {
        let segment = [[1.0, 1.0, -1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]];
        assert!(both(&FLAT, &segment));
        assert!(both(&FLAT, &[[1.0, 1.0, 0.0]; 3]));
        assert!(!both(&FLAT, &[[3.0, 3.0, 0.0]; 3]));
        assert!(both(&segment, &[[0.0, 1.0, 0.5], [2.0, 1.0, 0.5], [1.0, 1.0, 0.5]]));
        assert!(!both(&segment, &[[0.0, 1.0, 2.0], [2.0, 1.0, 2.0], [1.0, 1.0, 2.0]]));
        assert!(both(&[[1.0; 3]; 3], &[[1.0; 3]; 3]));
        assert!(!both(&[[1.0; 3]; 3], &[[1.0, 1.0, 2.0]; 3]));
        let collinear = [[1.0, 1.0, 1.0], [1.0, 1.0, 5.0], [1.0, 1.0, 2.0]];
        assert!(both(&segment, &collinear));
    }
}
