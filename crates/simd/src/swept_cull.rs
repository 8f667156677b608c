//! Features that move linearly and certainly do not meet, eight at a time: the cheap look before each
//! pair is judged by itself.
//!
//! The first feature taken from the second is a flat convex polygon that moves; the features touch
//! when it holds the origin. It never does where the volume of the four corners, a cubic of time, has
//! Bézier coefficients that are all on one side of zero, or where the polygon is on one side of
//! the origin along some direction both at the start and at the end. Rounding is granted for, so
//! that what is culled is certain.

use crate::lanes32::{Lanes8, Scalar8};
use crate::vec3::{Vec3, abs, cross, dot, norm1, splat, sub};

/// The way of a vertex: x y z at the start, a number without meaning, x y z at the end, another one.
/// Coordinates are from −1 to 1.
pub type Row = [f32; 8];

/// Edges of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Edges<'a> {
    /// The ways of its vertices.
    pub rows: &'a [Row],
    /// The two vertices of each.
    pub corners: &'a [[u32; 2]],
}

/// Faces of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    /// The ways of its vertices.
    pub rows: &'a [Row],
    /// The three vertices of each.
    pub corners: &'a [[u32; 3]],
}

/// A feature that others are held against: `N` corners.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<const N: usize> {
    /// The ways of its corners.
    pub rows: [Row; N],
    /// Their numbers: features that name one of them are culled. Where nothing is shared, a number
    /// that no vertex has.
    pub corners: [u32; N],
}

/// Features against which one is held.
pub trait Others: Copy {
    /// The feature that they are held against.
    type Fixed;
    /// What is known of that one beforehand.
    #[doc(hidden)]
    type Known<L: Copy>: Copy;
    #[doc(hidden)]
    fn known<L: Lanes>(fixed: &Self::Fixed) -> Self::Known<L>;
    /// Which of eight are certainly apart from it.
    #[doc(hidden)]
    fn apart<L: Lanes>(self, known: &Self::Known<L>, which: &[u32; 8], error: L) -> u8;
}

/// Lanes, named here so that kernels can be generic over them.
#[doc(hidden)]
#[expect(private_bounds, reason = "nobody else is to implement it")]
pub trait Lanes: Lanes8 {}
impl<L: Lanes8> Lanes for L {}

/// Keeps those of the features `ids` that may meet the fixed one, in order at the front; tells how
/// many they are. No coordinate is farther than `error` from the truth.
#[inline]
pub fn cull<O: Others>(fixed: &O::Fixed, others: O, error: f32, ids: &mut [u32]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::cull(proof, fixed, others, (error, ids));
    }
    run::<Scalar8, O>(fixed, others, (error, ids))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8, align_frame};

    #[inline]
    pub(super) fn cull<O: Others>(
        _: Avx2,
        fixed: &O::Fixed,
        others: O,
        rest: (f32, &mut [u32]),
    ) -> usize {
        #[target_feature(enable = "avx2,fma,popcnt")]
        fn compiled<O: Others>(fixed: &O::Fixed, others: O, rest: (f32, &mut [u32])) -> usize {
            align_frame();
            super::run::<Avx8, O>(fixed, others, rest)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(fixed, others, rest) }
    }
}

#[inline(always)]
fn run<L: Lanes, O: Others>(fixed: &O::Fixed, others: O, (error, ids): (f32, &mut [u32])) -> usize {
    let known = O::known::<L>(fixed);
    let error = L::splat(error);
    let (mut at, mut kept) = (0, 0);
    while at < ids.len() {
        let many = (ids.len() - at).min(8);
        let mut which = [ids[at]; 8];
        if many == 8 {
            which.copy_from_slice(&ids[at..at + 8]);
        } else {
            let mut k = 0;
            while k < many {
                which[k] = ids[at + k];
                k += 1;
            }
        }
        let wanted = (0xff_u32 >> (8 - many)) as u8;
        let mut left = !others.apart::<L>(&known, &which, error) & wanted;
        while left != 0 {
            ids[kept] = which[left.trailing_zeros() as usize];
            kept += 1;
            left &= left - 1;
        }
        at += 8;
    }
    kept
}

/// A point at the start and at the end.
type Way<L> = [Vec3<L>; 2];

#[inline(always)]
fn of_row<L: Lanes8>(row: &Row) -> Way<L> {
    [splat(&[row[0], row[1], row[2]]), splat(&[row[4], row[5], row[6]])]
}

#[inline(always)]
fn gathered<L: Lanes8>(rows: &[Row], which: &[u32; 8]) -> Way<L> {
    let row = |k: usize| &rows[which[k] as usize];
    let [a, b, c, _, d, e, f, _] =
        L::transposed([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)]);
    [[a, b, c], [d, e, f]]
}

#[inline(always)]
fn minus<L: Lanes8>(a: Way<L>, b: Way<L>) -> Way<L> {
    [sub(a[0], b[0]), sub(a[1], b[1])]
}

/// The largest part of a vector at any time.
#[inline(always)]
fn size<L: Lanes8>(way: Way<L>) -> L {
    let ([a, b, c], [d, e, f]) = (abs(way[0]), abs(way[1]));
    a.max(b).max(c.max(d)).max(e.max(f))
}

impl Others for Edges<'_> {
    /// An edge.
    type Fixed = Fixed<2>;
    type Known<L: Copy> = ([[L; 3]; 2], Side<L>, [u32; 2]);

    #[inline(always)]
    fn known<L: Lanes>(fixed: &Fixed<2>) -> Self::Known<L> {
        let (a, b) = (of_row::<L>(&fixed.rows[0]), of_row(&fixed.rows[1]));
        (a, Side::new(minus(b, a)), fixed.corners)
    }

    #[inline(always)]
    fn apart<L: Lanes>(self, (a, p, own): &Self::Known<L>, which: &[u32; 8], error: L) -> u8 {
        let (mut first, mut last) = ([0; 8], [0; 8]);
        let mut shared = 0;
        let mut k = 0;
        while k < 8 {
            let [c, d] = self.corners[which[k] as usize];
            [first[k], last[k]] = [c, d];
            shared |= u8::from((c == own[0]) | (c == own[1]) | (d == own[0]) | (d == own[1])) << k;
            k += 1;
        }
        let c = gathered::<L>(self.rows, &first);
        let d = gathered(self.rows, &last);
        let polygon = Polygon { p: *p, q: Side::new(minus(d, c)), r: Side::new(minus(c, *a)) };
        shared | polygon.misses_origin::<true>(error)
    }
}

impl Others for Faces<'_> {
    /// A vertex.
    type Fixed = Fixed<1>;
    type Known<L: Copy> = ([[L; 3]; 2], u32);

    #[inline(always)]
    fn known<L: Lanes>(fixed: &Fixed<1>) -> Self::Known<L> {
        (of_row(&fixed.rows[0]), fixed.corners[0])
    }

    #[inline(always)]
    fn apart<L: Lanes>(self, (v, own): &Self::Known<L>, which: &[u32; 8], error: L) -> u8 {
        let mut corners = [[0; 8]; 3];
        let mut shared = 0;
        let mut k = 0;
        while k < 8 {
            let [a, b, c] = self.corners[which[k] as usize];
            [corners[0][k], corners[1][k], corners[2][k]] = [a, b, c];
            shared |= u8::from((a == *own) | (b == *own) | (c == *own)) << k;
            k += 1;
        }
        let a = gathered::<L>(self.rows, &corners[0]);
        let b = gathered(self.rows, &corners[1]);
        let c = gathered(self.rows, &corners[2]);
        let polygon = Polygon {
            p: Side::new(minus(b, a)),
            q: Side::new(minus(c, a)),
            r: Side::new(minus(a, *v)),
        };
        shared | polygon.misses_origin::<false>(error)
    }
}

/// The ways of vertices, against which a face is held.
impl Others for &[Row] {
    /// A face.
    type Fixed = Fixed<3>;
    type Known<L: Copy> = ([[L; 3]; 2], [Side<L>; 2], [u32; 3]);

    #[inline(always)]
    fn known<L: Lanes>(Fixed { rows: [a, b, c], corners }: &Fixed<3>) -> Self::Known<L> {
        let (a, b, c) = (of_row::<L>(a), of_row(b), of_row(c));
        (a, [Side::new(minus(b, a)), Side::new(minus(c, a))], *corners)
    }

    #[inline(always)]
    fn apart<L: Lanes>(self, (a, [p, q], own): &Self::Known<L>, which: &[u32; 8], error: L) -> u8 {
        let mut shared = 0;
        let mut k = 0;
        while k < 8 {
            let v = which[k];
            shared |= u8::from((v == own[0]) | (v == own[1]) | (v == own[2])) << k;
            k += 1;
        }
        let v = gathered::<L>(self, which);
        let polygon = Polygon { p: *p, q: *q, r: Side::new(minus(*a, v)) };
        shared | polygon.misses_origin::<false>(error)
    }
}

/// A vector that moves.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Side<L> {
    way: [[L; 3]; 2],
    /// The largest part of it at any time.
    size: L,
}

impl<L: Lanes> Side<L> {
    #[inline(always)]
    fn new(way: Way<L>) -> Self {
        Self { way, size: size(way) }
    }
}

/// The polygon: with corners `r`, `r + p`, `r + q` for a vertex and a face, with corners `r`, `r + q`,
/// `r + q − p`, `r − p` for two edges.
struct Polygon<L> {
    p: Side<L>,
    q: Side<L>,
    r: Side<L>,
}

/// u, the largest relative error of one operation.
const U: f32 = 0.5 * f32::EPSILON;

impl<L: Lanes> Polygon<L> {
    #[inline(always)]
    fn misses_origin<const EDGES: bool>(&self, error: L) -> u8 {
        // A part of p, q or r is a difference of two coordinates, itself rounded: off by twice the
        // error, and u of at most 2.
        let delta = error.mul_add(L::splat(2.0), L::splat(4.0 * U));
        let sizes = self.p.size.add(self.q.size).add(self.r.size);
        // A height is a sum of up to three scalar products, each off by 3 δ and 4 u of its size in the
        // largest part, and two sums more.
        let unit = delta.mul_add(L::splat(4.0), sizes.mul(L::splat(16.0 * U)));
        let mut apart = L::bits(self.is_never_flat(delta)) | self.is_beside::<EDGES>(unit);
        if apart != 0xff {
            apart |= self.is_across::<EDGES>(unit);
        }
        apart
    }

    /// Where the corners are never in one plane.
    ///
    /// With P, Q and R the sizes, grown by δ: a part of a cross product is off by
    /// 2 δ (P + Q) + 6 u P Q, a volume by 6 δ (PQ + PR + QR) + 42 u PQR; the inner coefficients,
    /// taken three times, are sums of three volumes and five roundings more: less than
    /// 20 δ (PQ + PR + QR) + 300 u PQR. As no size is above 3, PQR is at most PQ + PR + QR.
    #[inline(always)]
    fn is_never_flat(&self, delta: L) -> L::Mask {
        let ([p0, p1], [q0, q1], [r0, r1]) = (self.p.way, self.q.way, self.r.way);
        let (first, last) = (cross(p0, q0), cross(p1, q1));
        let (one, other) = (cross(p0, q1), cross(p1, q0));
        let middle = [one[0].add(other[0]), one[1].add(other[1]), one[2].add(other[2])];
        let a = dot(r0, first);
        let b = dot(r1, first).add(dot(r0, middle));
        let c = dot(r0, last).add(dot(r1, middle));
        let d = dot(r1, last);
        let [p, q, r] = [self.p.size.add(delta), self.q.size.add(delta), self.r.size.add(delta)];
        let areas = p.mul_add(q, r.mul(p.add(q)));
        let slack = areas.mul(delta.mul_add(L::splat(24.0), L::splat(320.0 * U)));
        let least = a.min(b).min(c.min(d));
        let most = a.max(b).max(c.max(d));
        L::or(least.gt_mask(slack), L::splat(0.0).sub(slack).gt_mask(most))
    }

    /// Where an axis parts the polygon from the origin at both ends, or the direction toward its
    /// middle. `unit` is what is granted for rounding along a direction of unit length.
    #[inline(always)]
    fn is_beside<const EDGES: bool>(&self, unit: L) -> u8 {
        let ([p0, p1], [q0, q1], [r0, r1]) = (self.p.way, self.q.way, self.r.way);
        let mut apart = 0;
        let mut k = 0;
        while k < 3 {
            let (low0, high0) = reach::<L, EDGES>(p0[k], q0[k], r0[k]);
            let (low1, high1) = reach::<L, EDGES>(p1[k], q1[k], r1[k]);
            apart |= L::bits(low0.min(low1).gt_mask(unit));
            apart |= L::bits(L::splat(0.0).sub(unit).gt_mask(high0.max(high1)));
            k += 1;
        }
        apart | self.is_toward::<EDGES>(self.between::<EDGES>(), unit)
    }

    /// Twice the middle of the polygon at half time.
    #[inline(always)]
    fn between<const EDGES: bool>(&self) -> Vec3<L> {
        let ([p0, p1], [q0, q1], [r0, r1]) = (self.p.way, self.q.way, self.r.way);
        sum(middle::<L, EDGES>(p0, q0, r0), middle::<L, EDGES>(p1, q1, r1))
    }

    /// The same for directions that take longer: toward the middle as it is at the start and at the
    /// end, and across each side of the polygon in its plane at half time.
    #[inline(always)]
    fn is_across<const EDGES: bool>(&self, unit: L) -> u8 {
        let ([p0, p1], [q0, q1], [r0, r1]) = (self.p.way, self.q.way, self.r.way);
        let mut apart = self.is_toward::<EDGES>(middle::<L, EDGES>(p0, q0, r0), unit);
        apart |= self.is_toward::<EDGES>(middle::<L, EDGES>(p1, q1, r1), unit);
        let (p, q) = (sum(p0, p1), sum(q0, q1));
        let normal = cross(p, q);
        let toward = self.between::<EDGES>();
        apart |= self.is_toward::<EDGES>(turned(cross(normal, p), toward), unit);
        apart |= self.is_toward::<EDGES>(turned(cross(normal, q), toward), unit);
        if !EDGES {
            let third = cross(normal, sub(q, p));
            apart |= self.is_toward::<EDGES>(turned(third, toward), unit);
        }
        apart
    }

    /// Where all of the polygon is along a direction, at both ends.
    #[inline(always)]
    fn is_toward<const EDGES: bool>(&self, toward: Vec3<L>, unit: L) -> u8 {
        let ([p0, p1], [q0, q1], [r0, r1]) = (self.p.way, self.q.way, self.r.way);
        let slack = norm1(toward).mul_add(unit, L::splat(f32::MIN_POSITIVE));
        let (low0, _) = reach::<L, EDGES>(dot(toward, p0), dot(toward, q0), dot(toward, r0));
        let (low1, _) = reach::<L, EDGES>(dot(toward, p1), dot(toward, q1), dot(toward, r1));
        L::bits(low0.min(low1).gt_mask(slack))
    }
}

#[inline(always)]
fn sum<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}

/// A direction or its opposite, whichever leads the same way as another.
#[inline(always)]
fn turned<L: Lanes>(direction: Vec3<L>, toward: Vec3<L>) -> Vec3<L> {
    let zero = L::splat(0.0);
    let along = dot(direction, toward).gt_mask(zero);
    let mut out = direction;
    let mut k = 0;
    while k < 3 {
        out[k] = direction[k].select(along, zero.sub(direction[k]));
        k += 1;
    }
    out
}

/// About the middle of the polygon.
#[inline(always)]
fn middle<L: Lanes, const EDGES: bool>(p: Vec3<L>, q: Vec3<L>, r: Vec3<L>) -> Vec3<L> {
    let part = L::splat(if EDGES { 0.5 } else { 1.0 / 3.0 });
    let mut out = r;
    let mut k = 0;
    while k < 3 {
        let sides = if EDGES { q[k].sub(p[k]) } else { q[k].add(p[k]) };
        out[k] = sides.mul_add(part, r[k]);
        k += 1;
    }
    out
}

/// The least and the greatest height of the corners, from those of the three vectors.
#[inline(always)]
fn reach<L: Lanes, const EDGES: bool>(p: L, q: L, r: L) -> (L, L) {
    let zero = L::splat(0.0);
    if EDGES {
        (r.add(q.min(zero)).sub(p.max(zero)), r.add(q.max(zero)).sub(p.min(zero)))
    } else {
        (r.add(p.min(q).min(zero)), r.add(p.max(q).max(zero)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The way of a point, from whole numbers.
    fn row(way: &[[i8; 3]; 2]) -> Row {
        let [[a, b, c], [d, e, f]] = way.map(|end| end.map(|x| f32::from(x) / 128.0));
        [a, b, c, 0.0, d, e, f, 0.0]
    }

    /// Whether features meet at one of many instants, by the weights of their corners on a grid.
    fn meet(rows: &[Row; 4], vertex: bool) -> bool {
        let at = |row: &Row, t: f64| -> [f64; 3] {
            std::array::from_fn(|k| (1.0 - t) * f64::from(row[k]) + t * f64::from(row[k + 4]))
        };
        let parts: Vec<f64> = (0..=8).map(|i| f64::from(i) / 8.0).collect();
        parts.iter().any(|&t| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| at(&rows[i], t));
            parts.iter().any(|&s| {
                parts.iter().any(|&u| {
                    let gap = |k: usize| {
                        if vertex {
                            b[k] + s * (c[k] - b[k]) + (1.0 - s) * u * (d[k] - b[k]) - a[k]
                        } else {
                            c[k] + u * (d[k] - c[k]) - a[k] - s * (b[k] - a[k])
                        }
                    };
                    (0..3).all(|k| gap(k) == 0.0)
                })
            })
        })
    }

    fn ways(range: i8) -> impl Strategy<Value = Vec<[[i8; 3]; 2]>> {
        let end = move || prop::array::uniform3(-range..=range);
        prop::collection::vec((end(), end()).prop_map(|(a, b)| [a, b]), 16)
    }

    fn both<O: Others>(fixed: &O::Fixed, others: O, count: u32) -> Vec<u32> {
        let error = f32::EPSILON;
        let (mut ids, mut plain): (Vec<u32>, Vec<u32>) =
            ((0..count).collect(), (0..count).collect());
        let kept = cull(fixed, others, error, &mut ids);
        let again = run::<Scalar8, O>(fixed, others, (error, &mut plain));
        assert_eq!(ids[..kept], plain[..again]);
        ids.truncate(kept);
        ids
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn what_meets_is_kept(ways in ways(3), wide in ways(127)) {
            for ways in [&ways, &wide] {
                let rows: Vec<Row> = ways.iter().map(row).collect();
                let none = u32::MAX;
                let edges: Vec<[u32; 2]> = (2..15).map(|i| [i, i + 1]).collect();
                let fixed = Fixed { rows: [rows[0], rows[1]], corners: [none; 2] };
                let kept = both(&fixed, Edges { rows: &rows, corners: &edges }, 13);
                for (&[c, d], i) in edges.iter().zip(0..) {
                    let four = [rows[0], rows[1], rows[c as usize], rows[d as usize]];
                    prop_assert!(kept.contains(&i) || !meet(&four, false), "{four:?}");
                }
                let faces: Vec<[u32; 3]> = (1..14).map(|i| [i, i + 1, i + 2]).collect();
                let fixed = Fixed { rows: [rows[0]], corners: [none] };
                let kept = both(&fixed, Faces { rows: &rows, corners: &faces }, 13);
                for (f, i) in faces.iter().zip(0..) {
                    let [b, c, d] = f.map(|corner| rows[corner as usize]);
                    prop_assert!(kept.contains(&i) || !meet(&[rows[0], b, c, d], true));
                }
                let fixed = Fixed { rows: [rows[0], rows[1], rows[2]], corners: [none; 3] };
                let kept = both(&fixed, &rows[3..], 13);
                for (v, i) in rows[3..].iter().zip(0..) {
                    let four = [*v, rows[0], rows[1], rows[2]];
                    prop_assert!(kept.contains(&i) || !meet(&four, true), "{four:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_apart_and_what_is_shared_is_culled() {
        let still = |p: [i8; 3]| row(&[p, p]);
        let rows = [
            still([0, 0, 0]),
            still([9, 0, 0]),
            still([0, 9, 0]),
            still([3, 3, 5]),
            still([3, 3, -5]),
            row(&[[3, 3, 5], [3, 3, -5]]),
        ];
        let face = Fixed { rows: [rows[0], rows[1], rows[2]], corners: [0, 1, 2] };
        assert_eq!(both(&face, &rows[..], 6), [5]);
        let edge = Fixed { rows: [rows[3], rows[4]], corners: [3, 4] };
        let corners = [[0, 1], [1, 2], [0, 5], [3, 5], [4, 0]];
        // Only the third may meet it: the first two pass by, the others share a vertex.
        assert_eq!(both(&edge, Edges { rows: &rows, corners: &corners }, 5), [2]);
    }
}
