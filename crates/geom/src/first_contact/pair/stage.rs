//! What separates two triangles that move, and for how long.
//!
//! A direction that separates them now does so for as long as the least of nine parabolas, one for each
//! corner of one and each of the other, is positive. The direction itself needs no accuracy.

use super::{Ask, Limits, Trio};
use crate::Point;
use crate::distance::{self, triangle_triangle};
use glam::DVec3;

/// Two triangles at one instant.
pub(super) struct Stage {
    trios: [Trio; 2],
    time: f64,
    /// How long is left.
    pub(super) span: f64,
    limits: [Limits; 2],
    slack: f64,
    creep: f64,
    distance: f64,
}

impl Stage {
    pub(super) fn new(trios: [Trio; 2], limits: &[Limits; 2], ask: &Ask, time: f64) -> Self {
        let [a, b] = limits;
        let origin = trios[0].place[0];
        let far = |trio: &Trio| {
            trio.place.iter().map(|p| (*p - origin).abs().element_sum()).fold(0.0, f64::max)
        };
        let fast =
            |trio: &Trio| trio.velocity.iter().map(|v| v.abs().element_sum()).fold(0.0, f64::max);
        let [place_a, place_b] = [far(&trios[0]), far(&trios[1])];
        let [fast_a, fast_b] = [fast(&trios[0]), fast(&trios[1])];
        // Seen from one of the corners, products are small where the triangles are.
        let seen = |trio: &Trio| {
            let [p, q, r] = trio.place;
            Trio { place: [p - origin, q - origin, r - origin], velocity: trio.velocity }
        };
        Self {
            trios: [seen(&trios[0]), seen(&trios[1])],
            time,
            span: ask.until - time,
            limits: *limits,
            slack: a.slack + b.slack + 16.0 * f64::EPSILON * (place_a + place_b),
            creep: a.creep + b.creep + 16.0 * f64::EPSILON * (fast_a + fast_b),
            distance: ask.distance,
        }
    }

    /// The longest time for which the last direction or a normal proves that they are apart, and
    /// that direction; infinite if it is all the time that is left.
    pub(super) fn along_normals(&self, last: DVec3) -> Best {
        let mut best = Best { span: 0.0, direction: last, axis: Axis::fixed(last) };
        self.improve(&mut best, Axis::fixed(last));
        if best.span == f64::INFINITY {
            return best;
        }
        for trio in &self.trios {
            self.improve(&mut best, Axis::product(trio.edge(0), trio.edge(1)));
        }
        best
    }

    /// Whether it is worth while to look for a direction that lasts for longer.
    pub(super) fn is_short(&self, span: f64) -> bool {
        self.is_shorter(span, 0.1)
    }

    /// Whether a span is less than a part of what is left. Near the end of what matters even a good
    /// part of it may be less than times can tell.
    fn is_shorter(&self, span: f64, part: f64) -> bool {
        span < part * self.span || self.time + span <= self.time.next_up()
    }

    /// Tries more directions: the product of two edges that parts the triangles most; if that does not
    /// help, the way between their nearest points; and if nothing does, all products.
    pub(super) fn along_others(&self, best: &mut Best) {
        let [a, b] = &self.trios;
        let mut most = (f64::NEG_INFINITY, [0, 0]);
        for i in 0..3 {
            for j in 0..3 {
                let product = a.edge(i).0.cross(b.edge(j).0);
                let apart = self.apart_along(product);
                // A gap of the same sign with a smaller product is wider.
                let gap = apart * apart.abs() / product.length_squared();
                most = if gap > most.0 { (gap, [i, j]) } else { most };
            }
        }
        self.improve(best, Axis::product(a.edge(most.1[0]), b.edge(most.1[1])));
        if self.is_short(best.span) {
            self.along_nearest(best);
        }
        if self.is_shorter(best.span, 1e-3) {
            for i in 0..9 {
                self.improve(best, Axis::product(a.edge(i / 3), b.edge(i % 3)));
            }
        }
    }

    /// Tries the way between the nearest points.
    fn along_nearest(&self, best: &mut Best) {
        let [p, q] = [0, 1].map(|k| self.trios[k].place.map(<Point>::from));
        let closest = triangle_triangle(&p, &q);
        let [from, to] = closest.points.map(DVec3::from);
        self.improve(best, Axis::fixed(to - from));
        for (trio, feature) in self.trios.iter().zip(closest.features) {
            // The way between points that are very near has an error that a long edge sees.
            if let distance::Feature::Edge(k) = feature {
                let edge = trio.edge(usize::from(k)).0.normalize_or_zero();
                let way = (to - from).normalize_or_zero();
                self.improve(best, Axis::fixed(way - edge * edge.dot(way)));
            }
        }
    }

    /// Tries the direction that the best one turns to until the gap closes: the one that parts the
    /// triangles then does so for longest.
    pub(super) fn look_ahead(&self, best: &mut Best) {
        for _ in 0..LOOKS_MAX {
            if best.span == f64::INFINITY || best.axis.rate == DVec3::ZERO {
                return;
            }
            let (before, axis) = (best.span, best.axis);
            self.improve(best, Axis::fixed(axis.now + axis.rate * before));
            best.axis = axis;
            if best.span < 1.1 * before {
                return;
            }
        }
    }

    /// Tries directions that turn as the normals of faces and of pairs of edges do now.
    ///
    /// A face that turns comes nearer along any fixed direction at a speed, but does not along its
    /// normal: at a small gap g the first lasts for a time of the order of g, the other of √g.
    pub(super) fn along_turning(&self, best: &mut Best) {
        let [a, b] = &self.trios;
        for trio in [a, b] {
            self.improve_turning(best, Axis::product(trio.edge(0), trio.edge(1)));
        }
        for i in 0..9 {
            self.improve_turning(best, Axis::product(a.edge(i / 3), b.edge(i % 3)));
        }
    }

    /// Tries a direction as it turns now.
    fn improve_turning(&self, best: &mut Best, axis: Axis) {
        let length = axis.now.length();
        let direction = axis.now / length;
        if !direction.is_finite() {
            return;
        }
        let change = axis.rate / length;
        // Twice, so that rounding leaves it normal to the direction, which stays of unit length.
        let turn = change - direction * change.dot(direction);
        let turn = turn - direction * turn.dot(direction);
        let [a, b] = &self.trios;
        let between = b.place[0] + b.place[1] + b.place[2] - a.place[1] - a.place[2];
        let sign = if direction.dot(between) < 0.0 { -1.0 } else { 1.0 };
        let span = self.lasts_turning(direction * sign, turn * sign);
        if span > best.span {
            *best = Best { span, direction: direction * sign, axis };
        }
    }

    /// For how long the direction `n(t) = cos(ωt) n + sin(ωt) n'/ω`, with `ω = |n'|`, is proven to
    /// separate the two; infinite if to the end.
    ///
    /// For corners that are `d` apart, `n·d` changes by `n'·d + n·d'` now, and its second derivative is
    /// never above `ω²|d| + 2ω|d'| + |d''|`.
    fn lasts_turning(&self, direction: DVec3, turn: DVec3) -> f64 {
        let [a, b] = &self.trios;
        let length = 1.0 + 8.0 * f64::EPSILON;
        let rate = turn.length() * length;
        let (mut far, mut fast) = (0.0f64, 0.0f64);
        let mut gaps = [(0.0, 0.0); 9];
        for (k, gap) in gaps.iter_mut().enumerate() {
            let (i, j) = (k / 3, k % 3);
            let (d, change) = (b.place[j] - a.place[i], b.velocity[j] - a.velocity[i]);
            far = far.max(d.length());
            fast = fast.max(change.length());
            *gap = (d.dot(direction), d.dot(turn) + change.dot(direction));
        }
        let [far, fast] = [far + 2.0 * self.slack, fast + 2.0 * self.creep].map(|x| x * length);
        let still = (2.0 * self.slack + self.distance) * length;
        let all = self.limits[0].bend + self.limits[1].bend;
        // What is off by the slack turns, too; and both products are rounded.
        let creep =
            2.0 * (self.creep + rate * self.slack) + 16.0 * f64::EPSILON * (rate * far + fast);
        let first_root = |bend: f64| {
            let roots = gaps.iter().map(|&(now, opening)| root(now - still, creep - opening, bend));
            roots.fold(f64::INFINITY, f64::min)
        };
        let bend = |window: f64| {
            let fast_then = fast + all * window;
            let far_then = far + fast_then * window;
            0.5 * (rate * rate * far_then + 2.0 * rate * fast_then + all) * length
        };
        // The bounds hold in a window, which is chosen by what they are now.
        let window = (2.0 * first_root(bend(0.0))).min(self.span);
        let span = first_root(bend(window)) * (1.0 - 8.0 * f64::EPSILON);
        match span > window {
            true if window == self.span => f64::INFINITY,
            true => window,
            false => span,
        }
    }

    /// The gap along a direction or its opposite, times the direction's length.
    fn apart_along(&self, direction: DVec3) -> f64 {
        let along = |trio: &Trio| {
            let [p, q, r] = trio.place;
            [p.dot(direction), q.dot(direction), r.dot(direction)]
        };
        let (a, b) = (along(&self.trios[0]), along(&self.trios[1]));
        let (one, other) = (least(b) - greatest(a), least(a) - greatest(b));
        if one > other { one } else { other }
    }

    fn bend_along(&self, direction: DVec3) -> f64 {
        self.limits[0].bend_along(direction) + self.limits[1].bend_along(direction)
    }

    fn improve(&self, best: &mut Best, axis: Axis) {
        let [a, b] = &self.trios;
        // Of unit length, so that squares of projections neither overflow nor vanish.
        let Some(direction) = unit(axis.now) else { return };
        let between = b.place[0] + b.place[1] + b.place[2] - a.place[1] - a.place[2];
        let direction = if direction.dot(between) < 0.0 { -direction } else { direction };
        let gap = Gap::along(self, direction);
        let span = gap.lasts(best.span, self.span);
        if span > best.span {
            *best = Best { span, direction, axis };
        }
    }
}

/// So often a direction is made better at one instant.
const LOOKS_MAX: u32 = 2;

/// A direction as it is now, and how it changes with the features that make it.
#[derive(Clone, Copy, Debug)]
struct Axis {
    now: DVec3,
    rate: DVec3,
}

impl Axis {
    fn fixed(now: DVec3) -> Self {
        Self { now, rate: DVec3::ZERO }
    }

    /// The vector product of two edges, each with its rate.
    fn product((u, du): (DVec3, DVec3), (v, dv): (DVec3, DVec3)) -> Self {
        Self { now: u.cross(v), rate: du.cross(v) + u.cross(dv) }
    }
}

/// What separates two triangles for longest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) span: f64,
    /// Of unit length, from A to B.
    pub(super) direction: DVec3,
    /// What it was made from.
    axis: Axis,
}

/// Two triangles along a direction of unit length: for each corner of B and each of A the gap is at
/// least now − closing·t − bend·t².
struct Gap {
    places: [[f64; 3]; 2],
    speeds: [[f64; 3]; 2],
    /// What is taken off a gap in any case.
    still: f64,
    creep: f64,
    bend: f64,
}

impl Gap {
    fn along(stage: &Stage, direction: DVec3) -> Self {
        let length = 1.0 + 8.0 * f64::EPSILON;
        let along =
            |v: &[DVec3; 3]| [v[0].dot(direction), v[1].dot(direction), v[2].dot(direction)];
        let [a, b] = &stage.trios;
        Self {
            places: [along(&a.place), along(&b.place)],
            speeds: [along(&a.velocity), along(&b.velocity)],
            // Coordinates are off by their slack each, √3 < 2.
            still: (2.0 * stage.slack + stage.distance) * length,
            creep: 2.0 * stage.creep * length,
            bend: 0.5 * stage.bend_along(direction) * length,
        }
    }

    /// No less than this is left after some time.
    fn after(&self, time: f64) -> f64 {
        let moved = |k: usize| {
            let ([p, q, r], [u, v, w]) = (self.places[k], self.speeds[k]);
            [p + u * time, q + v * time, r + w * time]
        };
        let gap = least(moved(1)) - greatest(moved(0));
        gap - self.still - (self.creep + self.bend * time) * time
    }

    /// For how long the two are proven to be apart; infinite if for the whole span, zero if not for
    /// longer than `least`.
    fn lasts(&self, least: f64, span: f64) -> f64 {
        // What is positive twice is so in between, since nothing of it bends upward.
        let apart = |time: f64| self.after(time) > 0.0;
        if !apart(0.0) || !apart(least) {
            return 0.0;
        }
        if apart(span) {
            return f64::INFINITY;
        }
        let ([pa, pb], [va, vb]) = (self.places, self.speeds);
        let mut first = f64::INFINITY;
        for j in 0..3 {
            for i in 0..3 {
                let closing = va[i] - vb[j] + self.creep;
                let root = root(pb[j] - pa[i] - self.still, closing, self.bend);
                first = if root < first { root } else { first };
            }
        }
        let first = first * (1.0 - 8.0 * f64::EPSILON);
        if first > span { f64::INFINITY } else { first }
    }
}

/// The first time at which `now − closing·t − bend·t²` is zero; what divides by zero has none.
#[inline]
fn root(now: f64, closing: f64, bend: f64) -> f64 {
    // What is not a number separates nothing.
    if now.is_nan() || now <= 0.0 {
        return 0.0;
    }
    let under = (closing * closing + 4.0 * bend * now).sqrt();
    // Either form of the root, so that nothing cancels.
    if closing > 0.0 { 2.0 * now / (under + closing) } else { (under - closing) / (2.0 * bend) }
}

/// The direction of a vector, unless it has none.
fn unit(v: DVec3) -> Option<DVec3> {
    let square = v.length_squared();
    if (1e-200..1e200).contains(&square) {
        return Some(v / square.sqrt());
    }
    // Divided first, so that the square of a huge or tiny vector stays a number.
    (v / v.abs().max_element()).try_normalize()
}

/// The least of three.
fn least([x, y, z]: [f64; 3]) -> f64 {
    let least = if y < x { y } else { x };
    if z < least { z } else { least }
}

/// The greatest of three.
fn greatest([x, y, z]: [f64; 3]) -> f64 {
    let greatest = if y > x { y } else { x };
    if z > greatest { z } else { greatest }
}
