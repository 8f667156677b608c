//! Eight triangles against eight: which pairs meet, which do not, and which only exact arithmetic
//! can tell.
//!
//! Triangles are kept in f32 relative to the middle of the box around them. The eight of B are
//! brought into the frame of A; then each triangle of A that reaches B's box is held against those of
//! B that reach A's box, eight at a time, by the signs of the fifteen determinants of
//! [`crate::tri_tri`]. A sign counts only if the determinant is larger than all that the rounding of
//! the coordinates and of the arithmetic can have done to it.

use crate::lanes32::{Lanes8, Scalar8};
use crate::obb::Box1;
use crate::vec3::{Vec3, cross, dot, dots, load, splat, sub};

/// Eight triangles, column by column: x y z of the first corner, of the second, of the third.
/// Vacant lanes are NaN.
pub type Triangles8 = [[[f32; 8]; 3]; 3];

/// How far triangles reach along three axes, eight at a time.
#[derive(Clone, Copy, Debug)]
pub struct Extents {
    axes: [[f32; 3]; 3],
    low: [[f32; 8]; 3],
    high: [[f32; 8]; 3],
}

impl Extents {
    /// Of nothing, along these axes.
    pub fn new(axes: [[f32; 3]; 3]) -> Self {
        Self { axes, low: [[f32::INFINITY; 8]; 3], high: [[f32::NEG_INFINITY; 8]; 3] }
    }

    /// Adds a leaf whose middle is at `middle` along the axes.
    #[inline]
    pub fn add(&mut self, triangles: &Triangles8, middle: [f32; 3]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = crate::lanes32::Avx2::detect() {
            return x86::extend(proof, self, triangles, middle);
        }
        extend::<Scalar8>(self, triangles, middle);
    }

    /// The least and the greatest along each axis.
    pub fn low_high(&self) -> ([f32; 3], [f32; 3]) {
        let least = |x: &[f32; 8]| x.iter().fold(f32::INFINITY, |m, &x| m.min(x));
        let most = |x: &[f32; 8]| x.iter().fold(f32::NEG_INFINITY, |m, &x| m.max(x));
        (self.low.each_ref().map(least), self.high.each_ref().map(most))
    }
}

#[inline(always)]
fn extend<L: Lanes8>(extents: &mut Extents, triangles: &Triangles8, middle: [f32; 3]) {
    let c = [load::<L>(&triangles[0]), load(&triangles[1]), load(&triangles[2])];
    for k in 0..3 {
        let axis = splat::<L>(&extents.axes[k]);
        let at = L::splat(middle[k]);
        let [p, q, r] = [dot(c[0], axis).add(at), dot(c[1], axis).add(at), dot(c[2], axis).add(at)];
        // The known extent goes last: where a vacant lane brings a NaN, it stays.
        let low = p.min(q).min(r).min(L::load(&extents.low[k]));
        let high = p.max(q).max(r).max(L::load(&extents.high[k]));
        extents.low[k] = low.store();
        extents.high[k] = high.store();
    }
}

/// Two leaves, and how B lies to A.
#[derive(Clone, Copy, Debug)]
pub struct Leaves<'a> {
    /// The triangles of each, seen from the middle of its box.
    pub triangles: [&'a Triangles8; 2],
    /// The boxes, both as A sees them; their centres are not looked at.
    pub boxes: [&'a Box1; 2],
    /// Takes vectors of B into the frame (and the unit) of A, row by row.
    pub turn: [[f32; 3]; 3],
    /// From the middle of A's box to that of B's, in the frame of A.
    pub shift: [f32; 3],
    /// How far a coordinate, seen from the middle of A's box, may be from the truth.
    pub error: f32,
}

/// For each triangle of A the triangles of B, lane `k` as bit `k`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossings {
    /// Those that certainly share a point with it.
    pub hit: [u8; 8],
    /// Those that are left open.
    pub open: [u8; 8],
    /// How many pairs were looked at more closely than by their boxes.
    pub tested: u32,
}

/// Holds the leaves against each other.
#[inline]
pub fn crossings(leaves: &Leaves<'_>) -> Crossings {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::crossings(proof, leaves);
    }
    cross_all::<Scalar8>(leaves)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn crossings(_: Avx2, leaves: &Leaves<'_>) -> Crossings {
        #[target_feature(enable = "avx2")]
        fn compiled(leaves: &Leaves<'_>) -> Crossings {
            super::cross_all::<Avx8>(leaves)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(leaves) }
    }

    #[inline]
    pub(super) fn extend(_: Avx2, extents: &mut Extents, leaf: &Triangles8, middle: [f32; 3]) {
        #[target_feature(enable = "avx2")]
        fn compiled(extents: &mut Extents, leaf: &Triangles8, middle: [f32; 3]) {
            super::extend::<Avx8>(extents, leaf, middle);
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(extents, leaf, middle) }
    }
}

/// Corners of eight triangles.
pub(crate) type Corners<L> = [Vec3<L>; 3];

/// The triangles of B as A sees them.
#[inline(always)]
pub(crate) fn moved<L: Lanes8>(leaves: &Leaves<'_>) -> Corners<L> {
    let b = leaves.triangles[1];
    [place(leaves, load(&b[0])), place(leaves, load(&b[1])), place(leaves, load(&b[2]))]
}

#[inline(always)]
fn place<L: Lanes8>(leaves: &Leaves<'_>, point: Vec3<L>) -> Vec3<L> {
    let rows = &leaves.turn;
    let turned = dots(point, &[splat(&rows[0]), splat(&rows[1]), splat(&rows[2])]);
    let shift = splat::<L>(&leaves.shift);
    [turned[0].add(shift[0]), turned[1].add(shift[1]), turned[2].add(shift[2])]
}

/// A bit more than what a projection of a corner can be off, in units of what goes into it.
const ROUNDING: f32 = 32.0 * U;
/// Half a unit in the last place of 1.
pub(crate) const U: f32 = 5.960_464_5e-8;

/// The triangles that reach the slabs of a box whose middle is at `middle`.
#[inline(always)]
fn reaching<L: Lanes8>(corners: &Corners<L>, slabs: &Slabs) -> L::Mask {
    let mut all = slab::<L>(corners, slabs, 0);
    all = L::and(all, slab::<L>(corners, slabs, 1));
    L::and(all, slab::<L>(corners, slabs, 2))
}

/// A box as A sees it, ready for projections.
struct Slabs {
    axes: [[f32; 3]; 3],
    /// The middle along the axes.
    middle: [f32; 3],
    /// Half the width, with all rounding.
    half: [f32; 3],
}

#[inline(always)]
fn slab<L: Lanes8>(corners: &Corners<L>, slabs: &Slabs, k: usize) -> L::Mask {
    let axis = splat::<L>(&slabs.axes[k]);
    let [p, q, r] = [dot(corners[0], axis), dot(corners[1], axis), dot(corners[2], axis)];
    let (low, high) = (p.min(q).min(r), p.max(q).max(r));
    let (from, to) = (slabs.middle[k] - slabs.half[k], slabs.middle[k] + slabs.half[k]);
    L::and(low.le_mask(L::splat(to)), L::splat(from).le_mask(high))
}

/// The sum of half the edges: no corner is farther from the middle.
#[inline(always)]
pub(crate) fn reach(of: &Box1) -> f32 {
    of.half[0] + of.half[1] + of.half[2]
}

#[inline(always)]
fn slabs_of_a(leaves: &Leaves<'_>) -> Slabs {
    let [a, b] = leaves.boxes;
    let slack = slack(leaves, a, b);
    let half = [a.half[0] + slack, a.half[1] + slack, a.half[2] + slack];
    Slabs { axes: a.axes, middle: [0.0; 3], half }
}

#[inline(always)]
fn slack(leaves: &Leaves<'_>, a: &Box1, b: &Box1) -> f32 {
    let [x, y, z] = leaves.shift;
    ROUNDING * (reach(a) + reach(b) + x.abs() + y.abs() + z.abs()) + 2.0 * leaves.error
}

#[inline(always)]
fn slabs_of_b(leaves: &Leaves<'_>) -> Slabs {
    let [a, b] = leaves.boxes;
    let slack = slack(leaves, a, b);
    let axes = b.axes;
    let [x, y, z] = leaves.shift;
    let middle = [
        axes[0][0] * x + axes[0][1] * y + axes[0][2] * z,
        axes[1][0] * x + axes[1][1] * y + axes[1][2] * z,
        axes[2][0] * x + axes[2][1] * y + axes[2][2] * z,
    ];
    Slabs { axes, middle, half: [b.half[0] + slack, b.half[1] + slack, b.half[2] + slack] }
}

/// Boxes along A's axes around eight triangles.
struct Around<L> {
    low: Vec3<L>,
    high: Vec3<L>,
}

#[inline(always)]
fn around<L: Lanes8>(c: &Corners<L>) -> Around<L> {
    Around {
        low: [
            c[0][0].min(c[1][0]).min(c[2][0]),
            c[0][1].min(c[1][1]).min(c[2][1]),
            c[0][2].min(c[1][2]).min(c[2][2]),
        ],
        high: [
            c[0][0].max(c[1][0]).max(c[2][0]),
            c[0][1].max(c[1][1]).max(c[2][1]),
            c[0][2].max(c[1][2]).max(c[2][2]),
        ],
    }
}

#[inline(always)]
fn cross_all<L: Lanes8>(leaves: &Leaves<'_>) -> Crossings {
    let mut out = Crossings::default();
    let b = moved::<L>(leaves);
    let columns = L::bits(reaching(&b, &slabs_of_a(leaves)));
    if columns == 0 {
        return out;
    }
    let a = leaves.triangles[0];
    let mine = [load::<L>(&a[0]), load(&a[1]), load(&a[2])];
    let mut rows = L::bits(reaching(&mine, &slabs_of_b(leaves)));
    let around = around(&b);
    while rows != 0 {
        let row = rows.trailing_zeros() as usize;
        rows &= rows - 1;
        let triangle = corners_of(a, row);
        let wanted = columns & beside(&triangle, &around, 2.0 * leaves.error);
        if wanted == 0 {
            continue;
        }
        out.tested += wanted.count_ones();
        let (hit, miss) = decide::<L>(&triangle, &b, leaves.error);
        out.hit[row] = hit & wanted;
        out.open[row] = wanted & !(hit | miss);
    }
    out
}

#[inline(always)]
pub(crate) fn corners_of(a: &Triangles8, row: usize) -> [[f32; 3]; 3] {
    [
        [a[0][0][row], a[0][1][row], a[0][2][row]],
        [a[1][0][row], a[1][1][row], a[1][2][row]],
        [a[2][0][row], a[2][1][row], a[2][2][row]],
    ]
}

#[inline(always)]
fn low(a: &[[f32; 3]; 3], k: usize) -> f32 {
    a[0][k].min(a[1][k]).min(a[2][k])
}

#[inline(always)]
fn high(a: &[[f32; 3]; 3], k: usize) -> f32 {
    a[0][k].max(a[1][k]).max(a[2][k])
}

/// The lanes whose boxes may meet the box of the triangle.
#[inline(always)]
fn beside<L: Lanes8>(a: &[[f32; 3]; 3], b: &Around<L>, slack: f32) -> u8 {
    let mut all = b.low[0].le_mask(L::splat(high(a, 0) + slack));
    all = L::and(all, L::splat(low(a, 0) - slack).le_mask(b.high[0]));
    for k in 1..3 {
        all = L::and(all, b.low[k].le_mask(L::splat(high(a, k) + slack)));
        all = L::and(all, L::splat(low(a, k) - slack).le_mask(b.high[k]));
    }
    L::bits(all)
}

/// Certain signs of a determinant.
#[derive(Clone, Copy)]
struct Sign<M> {
    positive: M,
    negative: M,
}

#[inline(always)]
fn sign<L: Lanes8>(x: L, bound: L) -> Sign<L::Mask> {
    Sign { positive: x.gt_mask(bound), negative: L::splat(0.0).sub(bound).gt_mask(x) }
}

#[inline(always)]
fn signs<L: Lanes8>(x: Vec3<L>, bound: L) -> [Sign<L::Mask>; 3] {
    [sign(x[0], bound), sign(x[1], bound), sign(x[2], bound)]
}

#[inline(always)]
fn same_side<L: Lanes8>([x, y, z]: [Sign<L::Mask>; 3]) -> L::Mask {
    L::or(
        L::and(L::and(x.positive, y.positive), z.positive),
        L::and(L::and(x.negative, y.negative), z.negative),
    )
}

/// Whether an edge certainly pierces a triangle, and whether it certainly does not meet it.
#[inline(always)]
fn edge<L: Lanes8>(ends: [Sign<L::Mask>; 2], passes: [Sign<L::Mask>; 3]) -> [L::Mask; 2] {
    let [from, to] = ends;
    let crosses = L::or(L::and(from.positive, to.negative), L::and(from.negative, to.positive));
    let stays = L::or(L::and(from.positive, to.positive), L::and(from.negative, to.negative));
    let [x, y, z] = passes;
    let within = same_side::<L>(passes);
    let left = L::or(L::or(x.positive, y.positive), z.positive);
    let right = L::or(L::or(x.negative, y.negative), z.negative);
    [L::and(crosses, within), L::or(stays, L::and(left, right))]
}

/// Lanes of B that certainly share a point with the triangle, and lanes that certainly do not.
///
/// Let γ be the largest magnitude of the coordinates that go in (edges of A, corners of B seen from
/// A's first corner) and η the error of each of them, at most twice that of a coordinate and u·γ. A
/// determinant of three such vectors has six products; its value is off by at most 18ηγ² from its
/// input and by 48uγ³ from its own rounding. The determinants below are sums of at most four
/// (`p`: three `q` and one more; `far`: two `q`, two `d`), which adds less than 8uγ³ each.
#[inline(always)]
fn decide<L: Lanes8>(a: &[[f32; 3]; 3], b: &Corners<L>, error: f32) -> (u8, u8) {
    let [p, q, r] = a;
    let e1 = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let e2 = [r[0] - p[0], r[1] - p[1], r[2] - p[2]];
    let normal = [
        e1[1] * e2[2] - e1[2] * e2[1],
        e1[2] * e2[0] - e1[0] * e2[2],
        e1[0] * e2[1] - e1[1] * e2[0],
    ];
    let origin = splat::<L>(p);
    let b = [sub(b[0], origin), sub(b[1], origin), sub(b[2], origin)];
    let bound = bound(&[e1, e2], &b, error);
    let d = dots(splat(&normal), &b);
    let d_signs = signs(d, bound);
    let beside_a = same_side::<L>(d_signs);
    if L::bits(beside_a) == 0xff {
        return (0, 0xff);
    }
    let m = [cross(b[0], b[1]), cross(b[1], b[2]), cross(b[2], b[0])];
    let q1 = dots(splat(&e1), &m);
    let q2 = dots(splat(&e2), &m);
    let det = dot(b[0], m[1]);
    let zero = L::splat(0.0);
    let p1 = q1[0].add(q1[1]).add(q1[2]).sub(det);
    let p2 = q2[0].add(q2[1]).add(q2[2]).sub(det);
    let p_signs = signs([zero.sub(det), p1, p2], bound);
    let far = [
        q2[0].sub(q1[0]).add(d[1].sub(d[0])),
        q2[1].sub(q1[1]).add(d[2].sub(d[1])),
        q2[2].sub(q1[2]).add(d[0].sub(d[2])),
    ];
    let back = [zero.sub(q2[0]), zero.sub(q2[1]), zero.sub(q2[2])];
    let s = [signs(q1, bound), signs(far, bound), signs(back, bound)];
    judge::<L>(&d_signs, &p_signs, &s)
}

#[inline(always)]
fn bound<L: Lanes8>(edges: &[[f32; 3]; 2], b: &Corners<L>, error: f32) -> L {
    let mut size = 0.0f32;
    for edge in edges {
        size = size.max(edge[0].abs()).max(edge[1].abs()).max(edge[2].abs());
    }
    let mut largest = L::splat(size);
    for corner in b {
        for x in corner {
            // A NaN of a vacant lane goes first, so that it is passed over; the lane is not wanted.
            largest = x.abs().max(largest);
        }
    }
    let eta = largest.mul(L::splat(U)).add(L::splat(2.0 * error));
    let sum = eta.mul(L::splat(4.5 * 18.0)).add(largest.mul(L::splat(4.5 * 60.0 * U)));
    // Products of three tiny numbers vanish; the least bound that does not is granted.
    largest.mul(largest).mul(sum).add(L::splat(f32::MIN_POSITIVE))
}

#[inline(always)]
fn judge<L: Lanes8>(
    d: &[Sign<L::Mask>; 3],
    p: &[Sign<L::Mask>; 3],
    s: &[[Sign<L::Mask>; 3]; 3],
) -> (u8, u8) {
    let beside = L::or(same_side::<L>(*d), same_side::<L>(*p));
    let [mut hit, mut miss] = edge::<L>([p[0], p[1]], s[0]);
    for i in 0..3 {
        let j = (i + 1) % 3;
        if i > 0 {
            let [pierces, passes] = edge::<L>([p[i], p[j]], s[i]);
            (hit, miss) = (L::or(hit, pierces), L::and(miss, passes));
        }
        let [pierces, passes] = edge::<L>([d[i], d[j]], [s[0][i], s[1][i], s[2][i]]);
        (hit, miss) = (L::or(hit, pierces), L::and(miss, passes));
    }
    (L::bits(hit), L::bits(L::or(miss, beside)))
}
