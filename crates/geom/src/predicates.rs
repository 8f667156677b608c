//! Signs of determinants, exact for all coordinates within the range of this crate (see the crate's head).

use crate::{Point, Triangle};
use robust::{Coord, Coord3D};

/// The sign of a number that is known exactly: −1, 0 or 1.
pub type Sign = i8;

#[inline]
fn sign(x: f64) -> Sign {
    (x > 0.0) as Sign - (x < 0.0) as Sign
}

/// On which side of the plane through `a`, `b`, `c` the point `d` is; 0 on it, or if the three are collinear.
#[inline]
pub fn orient3d(a: &Point, b: &Point, c: &Point, d: &Point) -> Sign {
    let coord = |p: &Point| Coord3D { x: p[0], y: p[1], z: p[2] };
    sign(robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
}

/// The plane of two coordinate axes that points are projected on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projection {
    u: usize,
    v: usize,
}

impl Projection {
    /// The three of them: along z, x and y.
    pub const ALL: [Self; 3] = [Self { u: 0, v: 1 }, Self { u: 1, v: 2 }, Self { u: 2, v: 0 }];

    /// Whether `a`, `b`, `c` turn left (1) or right (−1), or are collinear (0), in this projection.
    #[inline]
    pub fn orient(self, a: &Point, b: &Point, c: &Point) -> Sign {
        let coord = |p: &Point| Coord { x: p[self.u], y: p[self.v] };
        sign(robust::orient2d(coord(a), coord(b), coord(c)))
    }

    /// A projection in which the three points are not collinear; none if they are collinear in space.
    pub fn spreading(a: &Point, b: &Point, c: &Point) -> Option<Self> {
        Self::ALL.into_iter().find(|projection| projection.orient(a, b, c) != 0)
    }

    /// Whether the closed boxes around two projected segments share a point.
    #[inline]
    pub fn boxes_overlap(self, s: &[Point; 2], t: &[Point; 2]) -> bool {
        [self.u, self.v].into_iter().all(|k| ranges_overlap([s[0][k], s[1][k]], [t[0][k], t[1][k]]))
    }
}

/// Whether the closed boxes around two segments in space share a point.
pub fn segment_boxes_overlap(s: &[Point; 2], t: &[Point; 2]) -> bool {
    (0..3).all(|k| ranges_overlap([s[0][k], s[1][k]], [t[0][k], t[1][k]]))
}

#[inline]
fn ranges_overlap([a, b]: [f64; 2], [c, d]: [f64; 2]) -> bool {
    a.min(b) <= c.max(d) && c.min(d) <= a.max(b)
}

/// Whether the triangle is a segment or a point: exactly zero area.
pub fn is_degenerate(triangle: &Triangle) -> bool {
    let [a, b, c] = triangle;
    Projection::spreading(a, b, c).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilt_of_one_ulp_is_seen() {
        let (a, b, c) = ([0.0, 0.0, 0.1], [1e3, 0.0, 0.1], [0.0, 1e3, 0.1]);
        assert_eq!(orient3d(&a, &b, &c, &[7.0, 3.0, 0.1]), 0);
        let above = orient3d(&a, &b, &c, &[7.0, 3.0, 0.1f64.next_up()]);
        let below = orient3d(&a, &b, &c, &[7.0, 3.0, 0.1f64.next_down()]);
        assert_eq!((above, below), (-1, 1));
    }

    #[test]
    fn needles_are_told_from_segments() {
        assert!(is_degenerate(&[[0.0; 3], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]]));
        assert!(is_degenerate(&[[0.5; 3]; 3]));
        assert!(!is_degenerate(&[[0.0; 3], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0f64.next_up()]]));
    }
}
