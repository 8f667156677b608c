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
///
/// In the order of cost: the rounded determinant where it is certain; integers where the
/// coordinates fit, as those of most files do; expansions of any length.
#[inline]
pub fn orient3d(a: &Point, b: &Point, c: &Point, d: &Point) -> Sign {
    let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [a, b, c].map(|p| minus(p, d));
    let (ab, ba) = (ax * by, ay * bx);
    let (bc, cb) = (bx * cy, by * cx);
    let (ca, ac) = (cx * ay, cy * ax);
    let determinant = az * (bc - cb) + bz * (ca - ac) + cz * (ab - ba);
    let size = (bc.abs() + cb.abs()) * az.abs()
        + (ca.abs() + ac.abs()) * bz.abs()
        + (ab.abs() + ba.abs()) * cz.abs();
    // No size at all: the four share a coordinate, as they often do in parts with flat sides.
    // (Products of differences within the range of coordinates do not vanish by underflow.)
    if determinant.abs() > ORIENT3D_ERROR * size || size == 0.0 {
        return sign(determinant);
    }
    orient3d_close([a, b, c, d])
}

/// The rounded determinant of `orient3d` is off by at most this part of `size`: two roundings of
/// differences enter each product of two, one of its own and one of their difference, then one
/// each of the third factor's difference, the product and two sums; 7 half ulps and terms of second
/// order [Shewchuk 1997, where the bound is (7 + 56 u) u].
const ORIENT3D_ERROR: f64 = 3.6 * f64::EPSILON;

#[cold]
fn orient3d_close(points: [&Point; 4]) -> Sign {
    integers(points).map_or_else(|| orient3d_expansions(points), orient3d_integers)
}

fn orient3d_expansions([a, b, c, d]: [&Point; 4]) -> Sign {
    let coord = |p: &Point| Coord3D { x: p[0], y: p[1], z: p[2] };
    sign(robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
}

/// The same by integers below 2⁴⁰: differences have 41 bits, six products of three of them 126.
fn orient3d_integers([a, b, c, d]: [[i64; 3]; 4]) -> Sign {
    let minus = |p: [i64; 3]| [p[0] - d[0], p[1] - d[1], p[2] - d[2]];
    let [a, b, c] = [a, b, c].map(minus);
    let product = |x: i64, y: i64| i128::from(x) * i128::from(y);
    let minor = |p: [i64; 3], q: [i64; 3]| product(p[0], q[1]) - product(p[1], q[0]);
    let determinant = minor(b, c) * i128::from(a[2])
        + minor(c, a) * i128::from(b[2])
        + minor(a, b) * i128::from(c[2]);
    determinant.signum() as Sign
}

/// The points times a power of two, if that makes all coordinates whole and below 2⁴⁰.
fn integers(points: [&Point; 4]) -> Option<[[i64; 3]; 4]> {
    let (mut lowest, mut highest) = (i32::MAX, i32::MIN);
    for x in points.iter().copied().flatten() {
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        // Zero has no bits to place; other coordinates are normal numbers by contract.
        if exponent == 0 && bits << 1 != 0 {
            return None;
        }
        let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
        if exponent != 0 {
            lowest = lowest.min(exponent - 1075 + mantissa.trailing_zeros() as i32);
            highest = highest.max(exponent - 1022);
        }
    }
    if lowest == i32::MAX {
        return Some([[0; 3]; 4]);
    }
    // The scale itself must be a normal number too.
    if highest - lowest > 40 || lowest.abs() > 1000 {
        return None;
    }
    let scale = f64::from_bits(((1023 - lowest) as u64) << 52);
    Some(points.map(|point| point.map(|x| (x * scale) as i64)))
}

#[inline]
fn minus(p: &Point, q: &Point) -> Point {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
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
    use proptest::prelude::*;

    #[test]
    fn a_tilt_of_one_ulp_is_seen() {
        let (a, b, c) = ([0.0, 0.0, 0.1], [1e3, 0.0, 0.1], [0.0, 1e3, 0.1]);
        assert_eq!(orient3d(&a, &b, &c, &[7.0, 3.0, 0.1]), 0);
        let above = orient3d(&a, &b, &c, &[7.0, 3.0, 0.1f64.next_up()]);
        let below = orient3d(&a, &b, &c, &[7.0, 3.0, 0.1f64.next_down()]);
        assert_eq!((above, below), (-1, 1));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn all_three_ways_agree(
            mut p in prop::array::uniform4(prop::array::uniform3(-8i32..9)),
            flat in prop::bool::ANY,
            (bits, shift, nudge) in (0..36u32, -300..260i32, 0..24usize),
        ) {
            if flat {
                // In one plane, and not along an axis.
                p.iter_mut().for_each(|q| q[2] = q[0] + 2 * q[1]);
            }
            // Grown to the edge of what integers take, and one of them off by one in that unit.
            let mut whole = p.map(|q| q.map(|x| i64::from(x) << bits));
            if nudge < 12 {
                whole[nudge / 3][nudge % 3] += 1;
            }
            let scale = 2f64.powi(shift);
            let points = whole.map(|q| q.map(|x| x as f64 * scale));
            let [a, b, c, d] = points.each_ref();
            let expected = orient3d_expansions([a, b, c, d]);
            prop_assert_eq!(orient3d(a, b, c, d), expected);
            if let Some(whole) = integers([a, b, c, d]) {
                prop_assert_eq!(orient3d_integers(whole), expected);
            }
            prop_assert!(bits > 34 || integers([a, b, c, d]).is_some());
        }
    }

    #[test]
    fn needles_are_told_from_segments() {
        assert!(is_degenerate(&[[0.0; 3], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]]));
        assert!(is_degenerate(&[[0.5; 3]; 3]));
        assert!(!is_degenerate(&[[0.0; 3], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0f64.next_up()]]));
    }
}
