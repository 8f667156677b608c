//! The filter of the batched triangle–triangle test: one triangle against many, four at a time.
//!
//! Everything follows from fifteen determinants, all taken relative to the corner `a0`:
//! the sides of the corners of each triangle to the plane of the other (`d`, `p`), and for each
//! edge of A and edge of B on which side the one passes the other (`s`). An edge pierces a triangle
//! when its ends are on both sides of the plane and it passes the three edges on the same side.
//! A lane is decided when the signs it needs are certain, that is larger than the rounding error
//! that can have gone into them; the rest is left to exact arithmetic.

use crate::lanes::{Lanes4, Scalar4};

/// Four triangles, column by column: x y z of the first corner, of the second, of the third, and
/// the extent: see [`extent`].
pub type Triangles4 = [[f64; 4]; 10];

/// The smallest extent that is told apart: products of three of them, times an error constant, are
/// still normal numbers, so that error bounds do not vanish by underflow.
const EXTENT_MIN: f64 = f64::from_bits((1023 - 320) << 52);

/// The longest edge of the box around a triangle, as the filter wants it beside the corners.
pub fn extent(corners: &[f64; 9]) -> f64 {
    let mut longest = EXTENT_MIN;
    for k in 0..3 {
        let (x, y, z) = (corners[k], corners[k + 3], corners[k + 6]);
        longest = longest.max(x.max(y).max(z) - x.min(y).min(z));
    }
    longest
}

/// What the filter found of four pairs. Lane `k` is bit `k`; in neither mask means undecided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Certainly sharing a point.
    pub hit: u8,
    /// Certainly disjoint.
    pub miss: u8,
}

/// Decides `a` (corner by corner) against the lanes of the blocks whose bit in `wanted` is set.
///
/// The boxes around `a` and around a wanted triangle must overlap: the error bounds build on it.
/// `out` is cleared and gets one entry per block; a lane that is not wanted comes back in neither mask.
pub fn filter(a: &[f64; 9], blocks: &[Triangles4], wanted: &[u8], out: &mut Vec<Decided>) {
    dispatch::<true>(a, blocks, wanted, out);
}

/// The same arithmetic and no error bounds, as a measure of what certainty costs. Rounding can make it lie.
pub fn filter_bare(a: &[f64; 9], blocks: &[Triangles4], wanted: &[u8], out: &mut Vec<Decided>) {
    dispatch::<false>(a, blocks, wanted, out);
}

fn dispatch<const CERTAIN: bool>(
    a: &[f64; 9],
    blocks: &[Triangles4],
    wanted: &[u8],
    out: &mut Vec<Decided>,
) {
    out.clear();
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: AVX2 was just detected.
        #[expect(unsafe_code, reason = "a call that needs AVX2")]
        unsafe {
            filter_avx2::<CERTAIN>(a, blocks, wanted, out);
        }
        return;
    }
    run::<Scalar4, CERTAIN>(a, blocks, wanted, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn filter_avx2<const CERTAIN: bool>(
    a: &[f64; 9],
    blocks: &[Triangles4],
    wanted: &[u8],
    out: &mut Vec<Decided>,
) {
    run::<crate::lanes::avx::Avx4, CERTAIN>(a, blocks, wanted, out);
}

#[inline(always)]
fn run<L: Lanes4, const CERTAIN: bool>(
    a: &[f64; 9],
    blocks: &[Triangles4],
    wanted: &[u8],
    out: &mut Vec<Decided>,
) {
    // Plain loops and no closures from here on: what goes through an iterator adaptor is compiled
    // outside the function that has AVX2 switched on, and then every operation becomes a call.
    let a = Base::<L>::of(a);
    out.resize(blocks.len().min(wanted.len()), Decided::default());
    for (found, (block, &wanted)) in out.iter_mut().zip(blocks.iter().zip(wanted)) {
        if wanted != 0 {
            let decided = kernel::<L, CERTAIN>(&a, block);
            *found = Decided { hit: decided.hit & wanted, miss: decided.miss & wanted };
        }
    }
}

type Vec3<L> = [L; 3];

/// What is computed once of the triangle that all others are held against.
struct Base<L> {
    origin: Vec3<L>,
    e1: Vec3<L>,
    e2: Vec3<L>,
    normal: Vec3<L>,
    /// The extent of the triangle, and what the error bounds need of it.
    extent: L,
    d_factor: L,
    s_factor: L,
}

impl<L: Lanes4> Base<L> {
    #[inline(always)]
    fn of(a: &[f64; 9]) -> Self {
        let corner =
            |i: usize| [L::splat(a[3 * i]), L::splat(a[3 * i + 1]), L::splat(a[3 * i + 2])];
        let origin = corner(0);
        let (e1, e2) = (sub(corner(1), origin), sub(corner(2), origin));
        let alpha = extent(a);
        Self {
            origin,
            e1,
            e2,
            normal: cross(e1, e2),
            extent: L::splat(alpha),
            d_factor: L::splat(64.0 * U * alpha * alpha),
            s_factor: L::splat(320.0 * U * alpha),
        }
    }
}

/// Half an ulp of one: the relative error of one rounding.
const U: f64 = f64::EPSILON / 2.0;

/// Error bounds of the three kinds of determinants.
///
/// Let α be the extent of A and β the sum of both extents. Relative to a0, no coordinate of A is
/// larger than α and, since the boxes overlap, none of B larger than β; each is rounded once
/// (relative error u). A cross product of two such vectors is off by at most 8u of the product of
/// their sizes, and a dot product with a third adds 4u per term and 2u per sum, 48u in all.
/// `d` is one such product: 48u α²β. `s` is at most two dot products with moments of B (48u αβ²),
/// two `d`, and three sums: 120u αβ(α+β), at most 240u αβ². `p` is three such products, a
/// determinant of B's corners (48u β³) and three sums: 192u β²(α+β), at most 384u β³. The constants
/// leave room for terms of second order and for the rounding of extents and bounds; extents have a
/// floor, so that underflow (absolute errors of 2⁻¹⁰⁷⁵) stays far below the bounds.
struct Bounds<L> {
    d: L,
    s: L,
    p: L,
}

impl<L: Lanes4> Bounds<L> {
    #[inline(always)]
    fn of(a: &Base<L>, block: &Triangles4) -> Self {
        let beta = a.extent.add(L::load(&block[9]));
        let square = beta.mul(beta);
        Self {
            d: a.d_factor.mul(beta),
            s: a.s_factor.mul(square),
            p: L::splat(512.0 * U).mul(beta).mul(square),
        }
    }
}

/// Certain signs of one determinant.
#[derive(Clone, Copy)]
struct Sign<M> {
    positive: M,
    negative: M,
}

#[inline(always)]
fn kernel<L: Lanes4, const CERTAIN: bool>(a: &Base<L>, block: &Triangles4) -> Decided {
    let r = [corner(a, block, 0), corner(a, block, 1), corner(a, block, 2)];
    let bounds = if CERTAIN {
        Bounds::of(a, block)
    } else {
        Bounds { d: L::splat(0.0), s: L::splat(0.0), p: L::splat(0.0) }
    };
    let d = [dot(a.normal, r[0]), dot(a.normal, r[1]), dot(a.normal, r[2])];
    let d_signs = signs(d, bounds.d);
    let beside_a = same_side::<L>(d_signs);
    if L::bits(beside_a) == 0b1111 {
        return Decided { hit: 0, miss: 0b1111 };
    }
    let m = [cross(r[0], r[1]), cross(r[1], r[2]), cross(r[2], r[0])];
    let q1 = [dot(a.e1, m[0]), dot(a.e1, m[1]), dot(a.e1, m[2])];
    let q2 = [dot(a.e2, m[0]), dot(a.e2, m[1]), dot(a.e2, m[2])];
    let det = dot(r[0], m[1]);
    let p1 = q1[0].add(q1[1]).add(q1[2]).sub(det);
    let p2 = q2[0].add(q2[1]).add(q2[2]).sub(det);
    let p_signs = signs([det.neg(), p1, p2], bounds.p);
    // Rows are edges of A (a0a1, a1a2, a2a0), columns edges of B.
    let far = [
        q2[0].sub(q1[0]).add(d[1].sub(d[0])),
        q2[1].sub(q1[1]).add(d[2].sub(d[1])),
        q2[2].sub(q1[2]).add(d[0].sub(d[2])),
    ];
    let back = [q2[0].neg(), q2[1].neg(), q2[2].neg()];
    let s = [signs(q1, bounds.s), signs(far, bounds.s), signs(back, bounds.s)];
    judge::<L>(&d_signs, &p_signs, &s)
}

/// Corner `i` of the four triangles, relative to a0.
#[inline(always)]
fn corner<L: Lanes4>(a: &Base<L>, block: &Triangles4, i: usize) -> Vec3<L> {
    let b = [L::load(&block[3 * i]), L::load(&block[3 * i + 1]), L::load(&block[3 * i + 2])];
    sub(b, a.origin)
}

#[inline(always)]
fn judge<L: Lanes4>(
    d: &[Sign<L::Mask>; 3],
    p: &[Sign<L::Mask>; 3],
    s: &[[Sign<L::Mask>; 3]; 3],
) -> Decided {
    let beside = L::or(same_side::<L>(*d), same_side::<L>(*p));
    let (mut hit, mut miss) = edge::<L>([p[0], p[1]], s[0]);
    for i in 0..3 {
        let j = (i + 1) % 3;
        if i > 0 {
            let (pierces, passes) = edge::<L>([p[i], p[j]], s[i]);
            (hit, miss) = (L::or(hit, pierces), L::and(miss, passes));
        }
        let (pierces, passes) = edge::<L>([d[i], d[j]], [s[0][i], s[1][i], s[2][i]]);
        (hit, miss) = (L::or(hit, pierces), L::and(miss, passes));
    }
    Decided { hit: L::bits(hit), miss: L::bits(L::or(miss, beside)) }
}

/// Whether an edge certainly pierces a triangle, and whether it certainly does not meet it.
#[inline(always)]
fn edge<L: Lanes4>(ends: [Sign<L::Mask>; 2], passes: [Sign<L::Mask>; 3]) -> (L::Mask, L::Mask) {
    let [from, to] = ends;
    let crosses = L::or(L::and(from.positive, to.negative), L::and(from.negative, to.positive));
    let stays = L::or(L::and(from.positive, to.positive), L::and(from.negative, to.negative));
    let [x, y, z] = passes;
    let within = same_side::<L>(passes);
    let left = L::or(L::or(x.positive, y.positive), z.positive);
    let right = L::or(L::or(x.negative, y.negative), z.negative);
    (L::and(crosses, within), L::or(stays, L::and(left, right)))
}

#[inline(always)]
fn same_side<L: Lanes4>([x, y, z]: [Sign<L::Mask>; 3]) -> L::Mask {
    L::or(
        L::and(L::and(x.positive, y.positive), z.positive),
        L::and(L::and(x.negative, y.negative), z.negative),
    )
}

#[inline(always)]
fn signs<L: Lanes4>(x: Vec3<L>, bound: L) -> [Sign<L::Mask>; 3] {
    [sign(x[0], bound), sign(x[1], bound), sign(x[2], bound)]
}

#[inline(always)]
fn sign<L: Lanes4>(x: L, bound: L) -> Sign<L::Mask> {
    Sign { positive: x.gt(bound), negative: bound.neg().gt(x) }
}

#[inline(always)]
fn sub<L: Lanes4>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn cross<L: Lanes4>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [
        a[1].mul(b[2]).sub(a[2].mul(b[1])),
        a[2].mul(b[0]).sub(a[0].mul(b[2])),
        a[0].mul(b[1]).sub(a[1].mul(b[0])),
    ]
}

#[inline(always)]
fn dot<L: Lanes4>(a: Vec3<L>, b: Vec3<L>) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = f64> {
        prop_oneof![
            -2.0..2.0f64,
            (-2i8..3).prop_map(f64::from),
            (-2i8..3).prop_map(|x| f64::from(x).next_up()),
            (-1e12..1e12f64),
            Just(1e-80),
        ]
    }

    proptest! {
        #[test]
        fn the_vector_form_agrees_with_its_twin(
            a in prop::collection::vec(numbers(), 9),
            b in prop::collection::vec(numbers(), 40 * 3),
            wanted in prop::array::uniform3(0u8..16),
        ) {
            let a: [f64; 9] = std::array::from_fn(|k| a[k]);
            let blocks: Vec<Triangles4> = (0..3)
                .map(|i| std::array::from_fn(|c| std::array::from_fn(|k| b[40 * i + 4 * c + k])))
                .collect();
            let (mut wide, mut twin) = (Vec::new(), Vec::new());
            filter(&a, &blocks, &wanted, &mut wide);
            run::<Scalar4, true>(&a, &blocks, &wanted, &mut twin);
            prop_assert_eq!(&wide, &twin);
            for (decided, wanted) in wide.iter().zip(wanted) {
                prop_assert_eq!((decided.hit | decided.miss) & !wanted, 0);
            }
        }
    }

    fn block(triangles: [[f64; 9]; 4]) -> Triangles4 {
        std::array::from_fn(|column| {
            let value = |t: &[f64; 9]| t.get(column).copied().unwrap_or_else(|| extent(t));
            triangles.each_ref().map(value)
        })
    }

    #[test]
    fn clear_cases_are_decided_and_touching_ones_are_not() {
        let a = [0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 4.0, 0.0];
        let pierced = [1.0, 1.0, -1.0, 1.0, 1.2, 1.0, 1.3, 1.0, 1.0];
        let above = [1.0, 1.0, 0.5, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0];
        let beside = [3.0, 3.0, -1.0, 3.0, 3.5, 1.0, 3.5, 3.0, 1.0];
        let touching = [1.0, 1.0, 0.0, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0];
        let mut out = Vec::new();
        filter(&a, &[block([pierced, above, beside, touching])], &[0b1111], &mut out);
        assert_eq!(out, [Decided { hit: 0b0001, miss: 0b0110 }]);
    }
}
