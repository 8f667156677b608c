//! Eight triangles against eight: how far apart each pair is, from below and from above.
//!
//! For each triangle of A, all its edges against the edges of eight triangles of B, and the corners
//! of each above the other. That gives two points, so an upper bound whatever rounding did to their
//! places; the gap between the triangles along the line of the two points is the lower bound.

use crate::lanes32::{Lanes8, Scalar8};
use crate::leaf::{Corners, Facing, Leaves, U, around, corners_of};
use crate::vec3::{Vec3, dot, dots, load, splat, sub};

/// Distances of the pairs of two leaves that are not known to be above a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaps {
    /// Triangles of A that have such pairs, as bits.
    pub rows: u8,
    /// For each of them the triangles of B, as bits.
    pub lanes: [u8; 8],
    /// Lower bounds, by row and lane.
    pub lower: [[f32; 8]; 8],
    /// Upper bounds.
    pub upper: [[f32; 8]; 8],
    /// The least upper bound, and the way from A to B that goes with it, in the frame of A.
    pub least: f32,
    /// See `least`.
    pub way: [f32; 3],
    /// How many pairs were measured.
    pub tested: u32,
}

/// What is asked of two leaves.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Pairs that are farther apart do not matter.
    pub most: f32,
    /// A direction, in the frame of A and of any length, in which the gap is thought to be wide.
    pub along: [f32; 3],
}

/// Measures the pairs of two leaves.
#[inline]
pub fn gaps(leaves: &Leaves<'_>, limits: &Limits) -> Gaps {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::gaps(proof, leaves, limits);
    }
    measure::<Scalar8>(leaves, limits)
}

/// How wide the gap between all triangles of two leaves is at least along a direction from A to B, in
/// the frame of A and of any length. Not positive if no plane across it parts them.
#[inline]
pub fn gap_along(leaves: &Leaves<'_>, along: [f32; 3]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(proof) = crate::lanes32::Avx2::detect() {
        return x86::gap_along(proof, leaves, along);
    }
    part::<Scalar8>(leaves, along)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "calls functions compiled for the detected CPU")]

    use super::*;
    use crate::lanes32::{Avx2, Avx8};

    #[inline]
    pub(super) fn gaps(_: Avx2, leaves: &Leaves<'_>, limits: &Limits) -> Gaps {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(leaves: &Leaves<'_>, limits: &Limits) -> Gaps {
            crate::lanes32::align_frame();
            super::measure::<Avx8>(leaves, limits)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(leaves, limits) }
    }

    #[inline]
    pub(super) fn gap_along(_: Avx2, leaves: &Leaves<'_>, along: [f32; 3]) -> f32 {
        #[target_feature(enable = "avx2,fma")]
        fn compiled(leaves: &Leaves<'_>, along: [f32; 3]) -> f32 {
            crate::lanes32::align_frame();
            super::part::<Avx8>(leaves, along)
        }
        // SAFETY: the caller holds the proof that this CPU has AVX2.
        unsafe { compiled(leaves, along) }
    }
}

/// How much a bound may be off.
///
/// A point on a triangle is off by the error of its corners and 8u of their size, the difference of
/// two points by twice that on each axis, and its length by a factor of less than two more.
#[inline(always)]
fn slack<L: Lanes8>(facing: &Facing<L>) -> f32 {
    facing.size.mul_add(L::splat(64.0 * U), facing.error.mul(L::splat(4.0))).store()[0]
}

#[inline(always)]
fn measure<L: Lanes8>(leaves: &Leaves<'_>, limits: &Limits) -> Gaps {
    let facing = Facing::<L>::of(leaves);
    let slack = slack(&facing);
    let a = &leaves.leaves[0].triangles;
    // All is done along the axes of A's box: it is flat, so boxes along them tell most pairs apart.
    let mine = facing.along_a(&[load(&a[0]), load(&a[1]), load(&a[2])]);
    let b = facing.along_a(&facing.b);
    let mut most = limits.most;
    let along = facing.direction_along_a(&unit(&limits.along));
    let bounds = Bounds::of(&mine, &b, along);
    let prepared = Prepared::of(&b);
    let mut out = Gaps::NONE;
    let mut best_way = [0.0; 3];
    let mut open = 0xff_u8;
    let stored = [store(mine[0]), store(mine[1]), store(mine[2])];
    while let Some((row, lanes)) = bounds.next_row::<L>(&mut open, most + slack) {
        let triangle = Row::of(corners_of(&stored, row));
        let (square, way) = closest(&triangle, &prepared);
        out.tested += lanes.count_ones();
        let distance = square.sqrt();
        let upper = distance.add(L::splat(slack));
        let lower = certified(&triangle, &b, way, distance).sub(L::splat(slack));
        let kept = lanes & lower.le(L::splat(most));
        if kept == 0 {
            continue;
        }
        out.rows |= 1 << row;
        out.lanes[row] = kept;
        out.lower[row] = lower.store();
        out.upper[row] = upper.store();
        let least = least_of(&out.upper[row], kept);
        if least.0 < out.least {
            out.least = least.0;
            best_way = [way[0].store()[least.1], way[1].store()[least.1], way[2].store()[least.1]];
        }
        most = if out.least < most { out.least } else { most };
    }
    out.way = facing.direction_in_a(&best_way);
    out
}

#[inline(always)]
fn part<L: Lanes8>(leaves: &Leaves<'_>, along: [f32; 3]) -> f32 {
    let facing = Facing::<L>::of(leaves);
    let a = &leaves.leaves[0].triangles;
    let along = splat::<L>(&unit(&along));
    let of_a = dots(along, &[load(&a[0]), load(&a[1]), load(&a[2])]);
    let of_b = dots(along, &facing.b);
    // Vacant lanes are NaN: `min` gives its second operand then.
    let far = L::splat(f32::INFINITY);
    let behind = L::splat(0.0).sub(of_a[0].max(of_a[1]).max(of_a[2])).min(far).least();
    let ahead = of_b[0].min(of_b[1]).min(of_b[2]).min(far).least();
    ahead.add(behind).store()[0] - slack(&facing)
}

/// The least of some lanes, and which it is.
#[inline(always)]
fn least_of(values: &[f32; 8], mut lanes: u8) -> (f32, usize) {
    let mut least = (f32::INFINITY, 0);
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        least = if values[lane] < least.0 { (values[lane], lane) } else { least };
    }
    least
}

/// A unit vector, or one that is a little shorter, so that a gap along it is not too wide.
#[inline(always)]
fn unit(v: &[f32; 3]) -> [f32; 3] {
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if square > 1e-30 && square < 1e30 {
        let scale = (1.0 - 32.0 * U) / square.sqrt();
        [v[0] * scale, v[1] * scale, v[2] * scale]
    } else {
        [0.0; 3]
    }
}

#[inline(always)]
fn store<L: Lanes8>(v: Vec3<L>) -> [[f32; 8]; 3] {
    [v[0].store(), v[1].store(), v[2].store()]
}

/// For each triangle of A the squared gaps to those of B, by their boxes and along a direction.
struct Bounds {
    squares: [[f32; 8]; 8],
    /// The least of each row.
    least: [f32; 8],
}

impl Bounds {
    #[inline(always)]
    fn of<L: Lanes8>(a: &Corners<L>, b: &Corners<L>, along: Vec3<L>) -> Self {
        let (mine, theirs) = (around(a), around(b));
        let (of_a, of_b) = (dots(along, a), dots(along, b));
        let farthest = of_a[0].max(of_a[1]).max(of_a[2]).store();
        let nearest = of_b[0].min(of_b[1]).min(of_b[2]);
        let (low, high) = (store(mine.low), store(mine.high));
        let zero = L::splat(0.0);
        let mut bounds = Self { squares: [[0.0; 8]; 8], least: [0.0; 8] };
        for row in 0..8 {
            let mut square = zero;
            for k in 0..3 {
                let above = theirs.low[k].sub(L::splat(high[k][row]));
                let below = L::splat(low[k][row]).sub(theirs.high[k]);
                let gap = above.max(below).max(zero);
                square = gap.mul_add(gap, square);
            }
            let ahead = nearest.sub(L::splat(farthest[row])).max(zero);
            square = ahead.mul(ahead).max(square);
            // A vacant row or lane is NaN in every sum, so that it never is within a limit.
            let vacant = theirs.low[0].add(L::splat(low[0][row]));
            square = square.add(vacant.sub(vacant));
            bounds.squares[row] = square.store();
            // The least of what is not NaN: `min` gives its second operand then.
            bounds.least[row] = square.min(L::splat(f32::INFINITY)).least().store()[0];
        }
        bounds
    }

    /// The nearest row that is open and may hold pairs within the limit, and the lanes of those pairs.
    #[inline(always)]
    fn next_row<L: Lanes8>(&self, open: &mut u8, limit: f32) -> Option<(usize, u8)> {
        let least = L::load(&self.least);
        let square = limit * limit * (1.0 + 16.0 * U);
        *open &= least.le(L::splat(square));
        if *open == 0 {
            return None;
        }
        let row = self.nearest(*open);
        *open &= !(1 << row);
        Some((row, L::load(&self.squares[row]).le(L::splat(square))))
    }

    #[inline(always)]
    fn nearest(&self, open: u8) -> usize {
        let mut nearest = open.trailing_zeros() as usize;
        let mut rest = open & (open - 1);
        while rest != 0 {
            let row = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            nearest = if self.least[row] < self.least[nearest] { row } else { nearest };
        }
        nearest
    }
}

impl Gaps {
    const NONE: Self = Self {
        rows: 0,
        lanes: [0; 8],
        lower: [[0.0; 8]; 8],
        upper: [[0.0; 8]; 8],
        least: f32::INFINITY,
        way: [0.0; 3],
        tested: 0,
    };
}

/// The gap along `way`, whose length is `distance`.
#[inline(always)]
fn certified<L: Lanes8>(a: &Row, b: &Corners<L>, way: Vec3<L>, distance: L) -> L {
    let of_a = [dot(splat(&a.corners[0]), way), dot(splat(&a.corners[1]), way)];
    let of_a = of_a[0].max(of_a[1]).max(dot(splat(&a.corners[2]), way));
    let of_b = dots(way, b);
    let gap = of_b[0].min(of_b[1]).min(of_b[2]).sub(of_a);
    // Without a distance there is no direction and no gap; `max` turns the NaN into zero.
    gap.div(distance).mul(L::splat(1.0 - 16.0 * U)).max(L::splat(0.0))
}

/// A triangle of A with what all pairs need of it.
struct Row {
    corners: [[f32; 3]; 3],
    edges: [[f32; 3]; 3],
    /// One over the squared lengths of the edges.
    inverse: [f32; 3],
    squares: [f32; 3],
    /// Scalar products of the edges from the first corner: 11, 12, 22, and one over the determinant.
    gram: [f32; 4],
}

#[inline(always)]
fn minus(a: &[f32; 3], b: &[f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn product(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Row {
    #[inline(always)]
    fn of(corners: [[f32; 3]; 3]) -> Self {
        let [p, q, r] = &corners;
        let edges = [minus(q, p), minus(r, q), minus(p, r)];
        let e2 = minus(r, p);
        let squares = [
            product(&edges[0], &edges[0]),
            product(&edges[1], &edges[1]),
            product(&edges[2], &edges[2]),
        ];
        let (g11, g12, g22) = (squares[0], product(&edges[0], &e2), squares[2]);
        let inverse = [1.0 / squares[0], 1.0 / squares[1], 1.0 / squares[2]];
        Self {
            corners,
            edges,
            inverse,
            squares,
            gram: [g11, g12, g22, 1.0 / (g11 * g22 - g12 * g12)],
        }
    }
}

/// The triangles of B with what all rows need of them.
struct Prepared<L> {
    corners: Corners<L>,
    edges: Corners<L>,
    squares: Vec3<L>,
    inverse: Vec3<L>,
    /// Each edge along its first corner.
    base: Vec3<L>,
    gram: [L; 4],
}

impl<L: Lanes8> Prepared<L> {
    #[inline(always)]
    fn of(b: &Corners<L>) -> Self {
        let one = L::splat(1.0);
        let edges = [sub(b[1], b[0]), sub(b[2], b[1]), sub(b[0], b[2])];
        let squares = [dot(edges[0], edges[0]), dot(edges[1], edges[1]), dot(edges[2], edges[2])];
        let g12 = L::splat(0.0).sub(dot(edges[0], edges[2]));
        let det = squares[0].mul(squares[2]).sub(g12.mul(g12));
        Self {
            corners: *b,
            edges,
            squares,
            inverse: [one.div(squares[0]), one.div(squares[1]), one.div(squares[2])],
            base: [dot(edges[0], b[0]), dot(edges[1], b[1]), dot(edges[2], b[2])],
            gram: [squares[0], g12, squares[2], one.div(det)],
        }
    }
}

/// The nearest two points so far: their squared distance, and the way from A's to B's.
struct Best<L> {
    square: L,
    way: Vec3<L>,
}

impl<L: Lanes8> Best<L> {
    #[inline(always)]
    fn improve(&mut self, way: Vec3<L>) {
        let square = dot(way, way);
        let nearer = self.square.gt_mask(square);
        self.square = square.select(nearer, self.square);
        self.way = [
            way[0].select(nearer, self.way[0]),
            way[1].select(nearer, self.way[1]),
            way[2].select(nearer, self.way[2]),
        ];
    }

    #[inline(always)]
    fn improve_where(&mut self, valid: L::Mask, way: Vec3<L>) {
        let square = dot(way, way);
        let nearer = L::and(valid, self.square.gt_mask(square));
        self.square = square.select(nearer, self.square);
        self.way = [
            way[0].select(nearer, self.way[0]),
            way[1].select(nearer, self.way[1]),
            way[2].select(nearer, self.way[2]),
        ];
    }
}

/// Between 0 and 1; 0 for a NaN.
#[inline(always)]
fn clamp<L: Lanes8>(x: L) -> L {
    x.max(L::splat(0.0)).min(L::splat(1.0))
}

#[inline(always)]
fn closest<L: Lanes8>(a: &Row, b: &Prepared<L>) -> (L, Vec3<L>) {
    let mut best = Best { square: L::splat(f32::INFINITY), way: [L::splat(0.0); 3] };
    for i in 0..3 {
        edges_of::<L>(a, i, b, &mut best);
    }
    for k in 0..3 {
        above_a::<L>(a, b.corners[k], &mut best);
        above_b::<L>(&a.corners[k], b, &mut best);
    }
    (best.square, best.way)
}

/// Edge `i` of A against the edges of B.
#[expect(clippy::needless_range_loop, reason = "many arrays run side by side")]
#[inline(always)]
fn edges_of<L: Lanes8>(a: &Row, i: usize, b: &Prepared<L>, best: &mut Best<L>) {
    let start = splat::<L>(&a.corners[i]);
    let p = splat::<L>(&a.edges[i]);
    let along_p = dots(p, &b.corners);
    let own = dot(p, start);
    let (square_p, inverse_p) = (L::splat(a.squares[i]), L::splat(a.inverse[i]));
    for k in 0..3 {
        let q = b.edges[k];
        let between = dot(p, q);
        // From B's corner to A's: along the edge of A, and along the edge of B.
        let c = own.sub(along_p[k]);
        let f = dot(q, start).sub(b.base[k]);
        let det = square_p.mul(b.squares[k]).sub(between.mul(between));
        let s = clamp(between.mul(f).sub(c.mul(b.squares[k])).div(det));
        let t = clamp(between.mul(s).add(f).mul(b.inverse[k]));
        let s = clamp(between.mul(t).sub(c).mul(inverse_p));
        let from = b.corners[k];
        best.improve([
            from[0].add(q[0].mul(t)).sub(start[0].add(p[0].mul(s))),
            from[1].add(q[1].mul(t)).sub(start[1].add(p[1].mul(s))),
            from[2].add(q[2].mul(t)).sub(start[2].add(p[2].mul(s))),
        ]);
    }
}

/// A corner of B above the face of A.
#[inline(always)]
fn above_a<L: Lanes8>(a: &Row, corner: Vec3<L>, best: &mut Best<L>) {
    let d = sub(corner, splat(&a.corners[0]));
    let (e1, back) = (splat::<L>(&a.edges[0]), splat::<L>(&a.edges[2]));
    let (h1, h2) = (dot(d, e1), L::splat(0.0).sub(dot(d, back)));
    let [g11, g12, g22, inverse] = a.gram;
    let u = h1.mul(L::splat(g22)).sub(h2.mul(L::splat(g12))).mul(L::splat(inverse));
    let v = h2.mul(L::splat(g11)).sub(h1.mul(L::splat(g12))).mul(L::splat(inverse));
    let way = [
        d[0].sub(e1[0].mul(u)).add(back[0].mul(v)),
        d[1].sub(e1[1].mul(u)).add(back[1].mul(v)),
        d[2].sub(e1[2].mul(u)).add(back[2].mul(v)),
    ];
    best.improve_where(within(u, v), way);
}

/// A corner of A above the faces of B.
#[inline(always)]
fn above_b<L: Lanes8>(corner: &[f32; 3], b: &Prepared<L>, best: &mut Best<L>) {
    let d = sub(splat(corner), b.corners[0]);
    let (e1, back) = (b.edges[0], b.edges[2]);
    let (h1, h2) = (dot(d, e1), L::splat(0.0).sub(dot(d, back)));
    let [g11, g12, g22, inverse] = b.gram;
    let u = h1.mul(g22).sub(h2.mul(g12)).mul(inverse);
    let v = h2.mul(g11).sub(h1.mul(g12)).mul(inverse);
    let way = [
        e1[0].mul(u).sub(back[0].mul(v)).sub(d[0]),
        e1[1].mul(u).sub(back[1].mul(v)).sub(d[1]),
        e1[2].mul(u).sub(back[2].mul(v)).sub(d[2]),
    ];
    best.improve_where(within(u, v), way);
}

/// Places on a face.
#[inline(always)]
fn within<L: Lanes8>(u: L, v: L) -> L::Mask {
    let zero = L::splat(0.0);
    let inner = L::and(zero.le_mask(u), zero.le_mask(v));
    L::and(inner, u.add(v).le_mask(L::splat(1.0)))
}

#[cfg(test)]
mod tests;
