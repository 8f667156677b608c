//! Two features seen from one corner, at both ends of the motion and at any time between.
//!
//! The first feature taken from the second is a flat convex polygon that moves: a triangle for a
//! vertex and a face, a parallelogram for two edges. The features touch when it holds the origin.

use super::cubic::DOWN;
use crate::Point;
use glam::DVec3;
use std::ops::{Add, Neg, Sub};

/// u, the largest relative error of one operation.
const U: f64 = 0.5 * f64::EPSILON;

/// Which two features there are.
pub(super) trait Kind {
    /// How many corners the polygon has; a fourth of three repeats the first.
    const CORNERS: usize;
    /// The three vectors that span the polygon.
    fn spread<T: Linear>(points: [T; 4]) -> [T; 3];
    /// The corners of the polygon, in turn, or what a linear function makes of them.
    fn corners<T: Linear>(p: T, q: T, r: T) -> [T; 4];
    /// The edges from each corner to the next.
    fn edges(p: DVec3, q: DVec3) -> [DVec3; 4];
    /// How far the origin is inside of each edge, from the turns `r × q`, `r × p` and `p × q`.
    fn insides<T: Linear>(rq: T, rp: T, pq: T) -> [T; 4];
    /// The weights of the four corners that were given, from the same.
    fn weights(rq: f64, rp: f64, pq: f64) -> [f64; 4];
    /// The point of the polygon that weights name.
    fn point(weights: [f64; 4], spread: &Spread) -> DVec3;
    /// The weights that make the corner `i` of the polygon.
    fn corner_weights(i: usize) -> [f64; 4];
    /// Whether, on one axis, all of one feature is below all of the other.
    fn apart(x: [f64; 4]) -> [bool; 2];
}

/// What can be added: points, or what a linear function makes of them.
pub(super) trait Linear:
    Copy + Add<Output = Self> + Sub<Output = Self> + Neg<Output = Self>
{
}
impl<T: Copy + Add<Output = T> + Sub<Output = T> + Neg<Output = T>> Linear for T {}

/// A vertex and a face.
pub(super) struct Face;
/// Two edges.
pub(super) struct Edges;

impl Kind for Face {
    const CORNERS: usize = 3;

    #[inline(always)]
    fn spread<T: Linear>([v, a, b, c]: [T; 4]) -> [T; 3] {
        [b - a, c - a, a - v]
    }
    #[inline(always)]
    fn corners<T: Linear>(p: T, q: T, r: T) -> [T; 4] {
        [r, r + p, r + q, r]
    }
    #[inline(always)]
    fn edges(p: DVec3, q: DVec3) -> [DVec3; 4] {
        [p, q - p, -q, p]
    }
    #[inline(always)]
    fn insides<T: Linear>(rq: T, rp: T, pq: T) -> [T; 4] {
        [rp, pq + rq - rp, -rq, rp]
    }
    #[inline(always)]
    fn weights(rq: f64, rp: f64, pq: f64) -> [f64; 4] {
        let (b, c) = (unit_interval(-rq / pq), unit_interval(rp / pq));
        let sum = (b + c).max(1.0);
        [1.0, 1.0 - (b + c) / sum, b / sum, c / sum]
    }
    fn point([_, _, b, c]: [f64; 4], &Spread { p, q, r }: &Spread) -> DVec3 {
        r + p * b + q * c
    }
    fn corner_weights(i: usize) -> [f64; 4] {
        let one = |k: usize| f64::from(u8::from(k == i % 3));
        [1.0, one(0), one(1), one(2)]
    }
    #[inline(always)]
    fn apart([v, a, b, c]: [f64; 4]) -> [bool; 2] {
        [v < a.min(b).min(c), v > a.max(b).max(c)]
    }
}

impl Kind for Edges {
    const CORNERS: usize = 4;

    #[inline(always)]
    fn spread<T: Linear>([a, b, c, d]: [T; 4]) -> [T; 3] {
        [b - a, d - c, c - a]
    }
    #[inline(always)]
    fn corners<T: Linear>(p: T, q: T, r: T) -> [T; 4] {
        [r, r + q, r + q - p, r - p]
    }
    #[inline(always)]
    fn edges(p: DVec3, q: DVec3) -> [DVec3; 4] {
        [q, -p, -q, p]
    }
    #[inline(always)]
    fn insides<T: Linear>(rq: T, rp: T, pq: T) -> [T; 4] {
        [rq, pq - rp, pq - rq, rp]
    }
    #[inline(always)]
    fn weights(rq: f64, rp: f64, pq: f64) -> [f64; 4] {
        let (s, t) = (unit_interval(rq / pq), unit_interval(rp / pq));
        [1.0 - s, s, 1.0 - t, t]
    }
    fn point([_, b, _, d]: [f64; 4], &Spread { p, q, r }: &Spread) -> DVec3 {
        r - p * b + q * d
    }
    fn corner_weights(i: usize) -> [f64; 4] {
        let turn = [[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];
        turn.get(i % 4).copied().unwrap_or([0.0, 1.0, 1.0, 0.0])
    }
    #[inline(always)]
    fn apart([a, b, c, d]: [f64; 4]) -> [bool; 2] {
        [a.max(b) < c.min(d), a.min(b) > c.max(d)]
    }
}

/// The nearest number from 0 to 1; 0 for NaN.
fn unit_interval(x: f64) -> f64 {
    let x = if x > 0.0 { x } else { 0.0 };
    if x < 1.0 { x } else { 1.0 }
}

/// Whether one axis parts the features at both ends of the motion, and so all the time. Nothing is
/// rounded here.
#[inline(always)]
pub(super) fn apart_on_an_axis<K: Kind>(start: &[Point; 4], end: &[Point; 4]) -> bool {
    let mut apart = false;
    for k in 0..3 {
        let at_start = K::apart([start[0][k], start[1][k], start[2][k], start[3][k]]);
        let at_end = K::apart([end[0][k], end[1][k], end[2][k], end[3][k]]);
        apart |= (at_start[0] & at_end[0]) | (at_start[1] & at_end[1]);
    }
    apart
}

/// Three vectors that span the polygon: two sides, and the way to a corner.
#[derive(Clone, Copy)]
pub(super) struct Spread {
    pub(super) p: DVec3,
    pub(super) q: DVec3,
    pub(super) r: DVec3,
}

impl Spread {
    #[inline(always)]
    fn new<K: Kind>(&[a, b, c, d]: &[Point; 4]) -> Self {
        let [p, q, r] = K::spread([a.into(), b.into(), c.into(), d.into()]);
        Self { p, q, r }
    }
}

/// Two features that move. Each number is a difference of two coordinates, rounded once.
pub(super) struct Frame<K> {
    pub(super) start: Spread,
    pub(super) end: Spread,
    /// The largest parts of `p`, `q` and `r` at any time.
    sizes: [f64; 3],
    kind: std::marker::PhantomData<K>,
}

/// Two features at an instant.
pub(super) struct View<K> {
    pub(super) time: f64,
    spread: Spread,
    /// Across the polygon, its largest part one; NaN if the polygon has no area.
    across: DVec3,
    /// The turns `r × q`, `r × p` and `p × q` about `across`.
    turns: [f64; 3],
    /// How large an error of the turns may be: this, times u, and times the time since.
    square: f64,
    kind: std::marker::PhantomData<K>,
}

impl<K: Kind> Frame<K> {
    #[inline(always)]
    pub(super) fn new(start: &[Point; 4], end: &[Point; 4]) -> Self {
        let (start, end) = (Spread::new::<K>(start), Spread::new::<K>(end));
        let size = |a: DVec3, b: DVec3| a.abs().max(b.abs()).max_element();
        let sizes = [size(start.p, end.p), size(start.q, end.q), size(start.r, end.r)];
        Self { start, end, sizes, kind: std::marker::PhantomData }
    }

    /// The product of the largest parts of the three vectors.
    #[inline(always)]
    pub(super) fn volume(&self) -> f64 {
        self.sizes[0] * self.sizes[1] * self.sizes[2]
    }

    /// The features at a time.
    #[inline]
    pub(super) fn at(&self, time: f64) -> View<K> {
        let mix = |a: DVec3, b: DVec3| a * (1.0 - time) + b * time;
        let (s, e) = (&self.start, &self.end);
        let spread = Spread { p: mix(s.p, e.p), q: mix(s.q, e.q), r: mix(s.r, e.r) };
        let Spread { p, q, r } = spread;
        let normal = p.cross(q);
        let across = normal * (1.0 / normal.abs().max_element());
        let turns = [r.cross(q).dot(across), r.cross(p).dot(across), normal.dot(across)];
        let size = self.sizes[0] + self.sizes[1] + self.sizes[2];
        let kind = std::marker::PhantomData;
        View { time, spread, across, turns, square: size * size, kind }
    }

    /// Until when a direction keeps the features apart that are apart at the time of the view; that
    /// time if no direction is found. Infinite if they never meet again.
    pub(super) fn apart_until(&self, view: &View<K>) -> f64 {
        let insides = K::insides(view.turns[0], view.turns[1], view.turns[2]);
        let edges = K::edges(view.spread.p, view.spread.q);
        let mut outermost = 0;
        for i in 1..K::CORNERS {
            if insides[i] < insides[outermost] {
                outermost = i;
            }
        }
        if insides[outermost] < 0.0 {
            let until = self.along(view.across.cross(edges[outermost]), view.time);
            if until > view.time {
                return until;
            }
        }
        self.along(view.nearest(&edges).point, view.time)
    }

    /// Until when `direction`, which may be any vector, keeps the features apart that it parts at
    /// `time`.
    fn along(&self, direction: DVec3, time: f64) -> f64 {
        let heights =
            |s: &Spread| K::corners(direction.dot(s.p), direction.dot(s.q), direction.dot(s.r));
        let (start, end) = (heights(&self.start), heights(&self.end));
        // A height is a sum of up to three scalar products, whose terms pass at most 6 roundings
        // (the difference, the product, two and two sums); the height between that of the two ends
        // another 3. Their sizes, taken together, are at most that of `reach`.
        let reach = direction.abs().element_sum() * (self.sizes[0] + self.sizes[1] + self.sizes[2]);
        let slack = 16.0 * U * reach + f64::MIN_POSITIVE;
        let mut until = f64::INFINITY;
        for i in 0..K::CORNERS {
            let (from, to) = (start[i] - slack, end[i] - slack);
            let height = (1.0 - time) * from + time * to;
            if height.is_nan() || height <= 0.0 {
                return time;
            }
            // So `from` is above zero in what follows.
            if to <= 0.0 {
                until = f64::min(until, from / (from - to));
            }
        }
        f64::max(until * DOWN, time)
    }
}

impl<K: Kind> View<K> {
    /// Whether the origin, when it is next in the plane of the polygon, is certainly within it, if
    /// that is no later than `delay` from the time of the view.
    #[inline]
    pub(super) fn is_inside(&self, delay: f64) -> bool {
        // With S the sum of the sizes: a part of a vector at the time is off by 4 u S (difference,
        // 1 − t, product, sum), that of a cross product by at most (2·4·2 + 3) u S², a turn by three
        // times that and 3·3·2 u S²: 75 u S². The sums of up to three turns make 240 u S².
        // After a time τ no vector has moved by more than 2 τ S in a part, a part of a cross product
        // by 2·(2·2 τ + (2 τ)²) S² ≤ 16 τ S² for τ ≤ 1, and three turns by 9·16 τ S².
        // At that time all three cross products point along a common normal, so the turns about any
        // direction that is not in the plane tell on which side of each edge the origin is.
        let slack = (256.0 * U + 144.0 * delay) * self.square + f64::MIN_POSITIVE;
        let insides = K::insides(self.turns[0], self.turns[1], self.turns[2]);
        insides[0].min(insides[1]).min(insides[2].min(insides[3])) > slack
    }

    /// The weights of the four corners at the common point.
    pub(super) fn weights(&self) -> [f64; 4] {
        K::weights(self.turns[0], self.turns[1], self.turns[2])
    }

    /// The unit normal, with the polygon on the given side of the origin.
    pub(super) fn normal(&self, side: f64) -> Point {
        (self.across * (side / self.across.length())).into()
    }

    /// The axis from which the polygon is seen best.
    pub(super) fn axis(&self) -> usize {
        let [x, y, z] = self.across.abs().to_array();
        if x >= y && x >= z { 0 } else { 2 - usize::from(y >= z) }
    }

    /// What a contact looks like of which only the time is certain: weights, normal, and how near
    /// the features certainly are.
    pub(super) fn meeting(&self) -> ([f64; 4], Point, f64) {
        let rim = self.nearest(&K::edges(self.spread.p, self.spread.q));
        let height = self.spread.r.dot(self.across);
        // Vectors at the time are off by 4 u S in a part, points on an edge by as much again, and
        // lengths and scalar products by three roundings more; S being the sum of their sizes.
        let slack = 64.0 * U * self.square.sqrt() + f64::MIN_POSITIVE;
        // Whether the origin is above the inside of the polygon may be lost to rounding, but which
        // point is nearer tells as well.
        let inner = K::point(self.weights(), &self.spread).length();
        if inner < rim.point.length() {
            let side = if height < 0.0 { -1.0 } else { 1.0 };
            return (self.weights(), self.normal(side), inner + slack);
        }
        let clear = if rim.point.length() > slack { rim.point } else { self.across };
        // Where all is on one line, or in one point, any direction across it will do.
        let long = [self.spread.p, self.spread.q].into_iter().find(|side| side.length() > slack);
        let any = long.unwrap_or(DVec3::X);
        let normal = clear
            .try_normalize()
            .unwrap_or_else(|| any.try_normalize().unwrap_or(DVec3::X).any_orthonormal_vector());
        let [from, to] = [rim.edge, rim.edge + 1].map(|i| K::corner_weights(i % K::CORNERS));
        let weights = std::array::from_fn(|k| (1.0 - rim.place) * from[k] + rim.place * to[k]);
        (weights, normal.into(), rim.point.length() + slack)
    }

    /// The point next to the origin on the border of the polygon, up to rounding.
    fn nearest(&self, edges: &[DVec3; 4]) -> Rim {
        let Spread { p, q, r } = self.spread;
        let corners = K::corners(p, q, r);
        let mut nearest = Rim { point: r, edge: 0, place: 0.0 };
        for i in 0..K::CORNERS {
            let place = unit_interval(-corners[i].dot(edges[i]) / edges[i].length_squared());
            let point = corners[i] + edges[i] * place;
            if point.length_squared() < nearest.point.length_squared() {
                nearest = Rim { point, edge: i, place };
            }
        }
        nearest
    }
}

/// A point of the border of the polygon.
struct Rim {
    point: DVec3,
    edge: usize,
    /// Where on the edge it is, from 0 to 1.
    place: f64,
}
