//! Eight triangles against eight: which pairs meet, which do not, and which only exact arithmetic
//! can tell.
//!
//! Triangles are kept in f32 relative to the middle of the box around them. The eight of B are
//! brought into the frame of A; then each triangle of A that reaches B's box is held against those of
//! B that reach A's box, eight at a time, by the signs of the fifteen determinants of
//! [`crate::tri_tri`]. A sign counts only if the determinant is larger than all that the rounding of
//! the coordinates and of the arithmetic can have done to it.

use crate::lanes32::{Lanes8, Scalar8};
use crate::obb::{Source, Spread, Way, between};
use crate::vec3::{Vec3, cross, dot, dots, load, norm1, splat, sub};

/// Eight triangles, column by column: x y z of the first corner, of the second, of the third.
/// Vacant lanes are NaN.
pub type Triangles8 = [[[f32; 8]; 3]; 3];

/// Eight points, column by column; vacant ones are NaN.
pub type Points8 = [[f32; 8]; 3];

/// Up to eight triangles.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Leaf {
    /// Seen from the middle of the leaf's box; NaN in vacant lanes.
    pub triangles: Triangles8,
    /// Whatever names them; `u32::MAX` in vacant lanes.
    pub ids: [u32; 8],
}

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

    /// The axes.
    pub fn axes(&self) -> [[f32; 3]; 3] {
        self.axes
    }

    /// The least and the greatest along each axis.
    pub fn low_high(&self) -> ([f32; 3], [f32; 3]) {
        let least = |x: &[f32; 8]| x.iter().fold(f32::INFINITY, |m, &x| m.min(x));
        let most = |x: &[f32; 8]| x.iter().fold(f32::NEG_INFINITY, |m, &x| m.max(x));
        (self.low.each_ref().map(least), self.high.each_ref().map(most))
    }
}

#[expect(clippy::needless_range_loop, reason = "three arrays run side by side")]
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

/// Two leaves, and the way from the frame of B into that of A.
#[derive(Clone, Copy, Debug)]
pub struct Leaves<'a> {
    /// The triangles of each.
    pub leaves: [&'a Leaf; 2],
    /// The boxes around them.
    pub boxes: [Source<'a>; 2],
    /// Into the frame of A.
    pub way: &'a Way,
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
        #[target_feature(enable = "avx2,fma")]
        fn compiled(leaves: &Leaves<'_>) -> Crossings {
            crate::lanes32::align_frame();
            super::cross_all::<Avx8>(leaves)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(leaves) }
    }

    #[inline]
    pub(super) fn extend(_: Avx2, extents: &mut Extents, leaf: &Triangles8, middle: [f32; 3]) {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(extents: &mut Extents, leaf: &Triangles8, middle: [f32; 3]) {
            super::extend::<Avx8>(extents, leaf, middle);
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(extents, leaf, middle) }
    }
}

/// Corners of eight triangles.
pub(crate) type Corners<L> = [Vec3<L>; 3];

/// Two leaves as A sees them, from the middle of A's box, in registers.
pub(crate) struct Facing<L> {
    /// The triangles of B.
    pub(crate) b: Corners<L>,
    /// The axes of the boxes.
    pub(crate) axes: [[Vec3<L>; 3]; 2],
    /// Half their edges.
    pub(crate) half: [Vec3<L>; 2],
    /// From the middle of A's box to that of B's.
    pub(crate) shift: Vec3<L>,
    /// No corner is farther from the middle of A's box than this, by the sum of its coordinates.
    pub(crate) size: L,
    /// How far a coordinate may be from the truth.
    ///
    /// Corners of A are rounded when they are stored; those of B also by a turn in f32.
    pub(crate) error: L,
}

impl<L: Lanes8> Facing<L> {
    #[inline(always)]
    pub(crate) fn of(leaves: &Leaves<'_>) -> Self {
        let [a, b] = &leaves.boxes;
        let way = leaves.way;
        let theirs = Spread::<L>::after(b, way);
        let shift = between::<L>(a, b, way);
        let mine = Spread::<L>::still(a);
        let reach_a = mine.half[0].add(mine.half[1]).add(mine.half[2]);
        let reach_b = theirs.half[0].add(theirs.half[1]).add(theirs.half[2]);
        let apart = norm1(shift);
        let rounding = reach_b.mul_add(L::splat(8.0), apart.mul_add(L::splat(2.0), reach_a));
        let t = &leaves.leaves[1].triangles;
        let place = Place { rows: &way.rows, shift };
        Self {
            b: [place.of(load(&t[0])), place.of(load(&t[1])), place.of(load(&t[2]))],
            axes: [mine.axes, theirs.axes],
            half: [mine.half, theirs.half],
            shift,
            size: reach_a.add(reach_b).add(apart),
            error: rounding.mul_add(L::splat(U), L::splat(way.error)),
        }
    }

    /// Corners along the axes of A's box.
    #[inline(always)]
    pub(crate) fn along_a(&self, corners: &Corners<L>) -> Corners<L> {
        let axes = &self.axes[0];
        [dots(corners[0], axes), dots(corners[1], axes), dots(corners[2], axes)]
    }

    /// A direction along the axes of A's box.
    #[inline(always)]
    pub(crate) fn direction_along_a(&self, direction: &[f32; 3]) -> Vec3<L> {
        dots(splat(direction), &self.axes[0])
    }

    /// A direction given along the axes of A's box, in the frame of A.
    #[inline(always)]
    pub(crate) fn direction_in_a(&self, along: &[f32; 3]) -> [f32; 3] {
        let [x, y, z] = &self.axes[0];
        let mut direction = [0.0; 3];
        for k in 0..3 {
            let column = [x[k].store()[0], y[k].store()[0], z[k].store()[0]];
            direction[k] = column[0] * along[0] + column[1] * along[1] + column[2] * along[2];
        }
        direction
    }

    /// What is granted to a projection.
    #[inline(always)]
    fn slack(&self) -> L {
        self.size.mul_add(L::splat(ROUNDING), self.error.add(self.error))
    }

    /// The triangles that reach the slabs of a box whose middle is at `middle`.
    #[inline(always)]
    fn reaching(&self, corners: &Corners<L>, of: usize, middle: Vec3<L>) -> u8 {
        let mut all = self.slab(corners, (of, 0), middle);
        all = L::and(all, self.slab(corners, (of, 1), middle));
        L::bits(L::and(all, self.slab(corners, (of, 2), middle)))
    }

    #[inline(always)]
    fn slab(&self, corners: &Corners<L>, (of, k): (usize, usize), middle: Vec3<L>) -> L::Mask {
        let axis = self.axes[of][k];
        let [p, q, r] = dots(axis, corners);
        let at = dot(axis, middle);
        let half = self.half[of][k].add(self.slack());
        let low = p.min(q).min(r).sub(at);
        let high = p.max(q).max(r).sub(at);
        L::and(low.le_mask(half), L::splat(0.0).sub(half).le_mask(high))
    }
}

struct Place<'a, L> {
    rows: &'a [[f32; 3]; 3],
    shift: Vec3<L>,
}

impl<L: Lanes8> Place<'_, L> {
    #[inline(always)]
    fn of(&self, p: Vec3<L>) -> Vec3<L> {
        let [x, y, z] = [splat::<L>(&self.rows[0]), splat(&self.rows[1]), splat(&self.rows[2])];
        let s = self.shift;
        [
            p[2].mul_add(x[2], p[1].mul_add(x[1], p[0].mul_add(x[0], s[0]))),
            p[2].mul_add(y[2], p[1].mul_add(y[1], p[0].mul_add(y[0], s[1]))),
            p[2].mul_add(z[2], p[1].mul_add(z[1], p[0].mul_add(z[0], s[2]))),
        ]
    }
}

/// A bit more than what a projection of a corner can be off, in units of what goes into it.
const ROUNDING: f32 = 32.0 * U;
/// Half a unit in the last place of 1.
pub(crate) const U: f32 = 5.960_464_5e-8;

/// Boxes around eight triangles.
pub(crate) struct Around<L> {
    pub(crate) low: Vec3<L>,
    pub(crate) high: Vec3<L>,
}

#[inline(always)]
pub(crate) fn around<L: Lanes8>(c: &Corners<L>) -> Around<L> {
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
pub(crate) fn cross_all<L: Lanes8>(leaves: &Leaves<'_>) -> Crossings {
    let mut out = Crossings::default();
    let facing = Facing::<L>::of(leaves);
    let zero = L::splat(0.0);
    let columns = facing.reaching(&facing.b, 0, [zero; 3]);
    if columns == 0 {
        return out;
    }
    let a = &leaves.leaves[0].triangles;
    let mine = [load::<L>(&a[0]), load(&a[1]), load(&a[2])];
    let mut rows = facing.reaching(&mine, 1, facing.shift);
    let around = around(&facing.b);
    let error = facing.error.store()[0];
    while rows != 0 {
        let row = rows.trailing_zeros() as usize;
        rows &= rows - 1;
        let triangle = corners_of(a, row);
        let wanted = columns & beside(&triangle, &around, 2.0 * error);
        if wanted == 0 {
            continue;
        }
        out.tested += wanted.count_ones();
        let (hit, miss) = decide::<L>(&triangle, &facing.b, error);
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
    judge_corners([splat(&e1), splat(&e2)], splat(&normal), &b, bound)
}

/// The same once everything is seen from A's first corner: its edges and normal, the corners of B, and
/// the bound below which the sign of a determinant is not certain.
#[inline(always)]
pub(crate) fn judge_corners<L: Lanes8>(
    [e1, e2]: [Vec3<L>; 2],
    normal: Vec3<L>,
    b: &Corners<L>,
    bound: L,
) -> (u8, u8) {
    let d = dots(normal, b);
    let d_signs = signs(d, bound);
    let beside_a = same_side::<L>(d_signs);
    if L::bits(beside_a) == 0xff {
        return (0, 0xff);
    }
    let m = [cross(b[0], b[1]), cross(b[1], b[2]), cross(b[2], b[0])];
    let q1 = dots(e1, &m);
    let q2 = dots(e2, &m);
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
    bound_of(largest_of(b, L::splat(size)), error)
}

/// The largest magnitude of the coordinates of corners, and `largest`.
#[inline(always)]
pub(crate) fn largest_of<L: Lanes8>(corners: &[Vec3<L>], mut largest: L) -> L {
    for corner in corners {
        for x in corner {
            // A NaN of a vacant lane goes first, so that it is passed over; the lane is not wanted.
            largest = x.abs().max(largest);
        }
    }
    largest
}

/// Sums of products of three coordinates up to this are finite in f32.
const LARGEST: f32 = 1e12;

/// The bound of the signs; see [`decide`].
#[inline(always)]
pub(crate) fn bound_of<L: Lanes8>(largest: L, error: f32) -> L {
    let eta = largest.mul(L::splat(U)).add(L::splat(2.0 * error));
    let sum = eta.mul(L::splat(4.5 * 18.0)).add(largest.mul(L::splat(4.5 * 60.0 * U)));
    // Products of three tiny numbers vanish; the least bound that does not is granted.
    let bound = largest.mul(largest).mul(sum).add(L::splat(f32::MIN_POSITIVE));
    // Beyond this, determinants may be infinite where the bound is not yet: then nothing is certain.
    L::splat(f32::INFINITY).select(largest.gt_mask(L::splat(LARGEST)), bound)
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

#[cfg(test)]
pub(crate) mod tests;
