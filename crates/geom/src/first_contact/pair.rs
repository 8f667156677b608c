//! The first contact of two triangles on their ways, by steps along separating directions.
//!
//! If a direction separates two triangles now, it does so for as long as the gap along it is proven
//! to last: corners move with known velocities and bounded accelerations, so the gap is at least the
//! least of nine parabolas, and the first of their roots is a free step. The direction itself needs no
//! accuracy. One direction covers all six vertex–face and nine edge–edge pairs at once; near
//! a contact the steps converge as Newton's method does. Cost: some steps of about half a microsecond.

use crate::distance::{self, triangle_triangle};
use crate::motion::moment::{Moment, Travel};
use crate::tri_tri::intersect;
use crate::{Point, Triangle};
use glam::DVec3;

/// A triangle at one instant, to the first order.
#[derive(Clone, Copy, Debug)]
pub struct Trio {
    /// Where its corners are.
    pub place: [DVec3; 3],
    /// How they move.
    pub velocity: [DVec3; 3],
}

/// What bounds the way of a triangle at all times.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// No corner is accelerated by more.
    pub bend: f64,
    /// How far a coordinate may be from the truth.
    pub slack: f64,
    /// How far a velocity may be from the truth.
    pub creep: f64,
}

/// A triangle on its way.
pub trait Path {
    /// At a time.
    fn at(&self, time: f64) -> Trio;
    /// The corners as they are given out at a time: what contact is decided on.
    fn corners(&self, time: f64) -> Triangle;
    /// At all times.
    fn limits(&self) -> Limits;
}

/// A triangle of a rigid body.
#[derive(Clone, Copy, Debug)]
pub struct Rigid<'a> {
    travel: &'a Travel<'a>,
    triangle: Triangle,
    limits: Limits,
    /// The body at a time that is asked about often.
    known: Option<(f64, &'a Moment)>,
}

impl<'a> Rigid<'a> {
    /// The triangle is given in the body's frame.
    pub fn new(travel: &'a Travel<'a>, triangle: Triangle) -> Self {
        let angle = travel.angle();
        let (mut radius, mut local) = (0.0f64, 0.0f64);
        for corner in &triangle {
            radius = radius.max(travel.radius_of(corner));
            local = local.max(corner[0].abs() + corner[1].abs() + corner[2].abs());
        }
        let limits = Limits {
            bend: angle * angle * radius * (1.0 + 8.0 * f64::EPSILON),
            slack: travel.slack(local),
            creep: travel.velocity_slack(local),
        };
        Self { travel, triangle, limits, known: None }
    }

    /// A vertex of the body: a triangle that is a point.
    pub fn vertex(travel: &'a Travel<'a>, vertex: Point) -> Self {
        Self::new(travel, [vertex; 3])
    }

    /// An edge of the body: a triangle that is a segment.
    pub fn edge(travel: &'a Travel<'a>, [from, to]: [Point; 2]) -> Self {
        Self::new(travel, [from, to, to])
    }

    /// The body at a time, for those who know it.
    pub(crate) fn with_moment(self, time: f64, moment: &'a Moment) -> Self {
        Self { known: Some((time, moment)), ..self }
    }

    fn seen_by(&self, moment: &Moment) -> Trio {
        let place = self.triangle.map(|corner| DVec3::from(moment.pose.apply(&corner)));
        Trio { place, velocity: place.map(|place| moment.velocity(place)) }
    }
}

impl Path for Rigid<'_> {
    fn at(&self, time: f64) -> Trio {
        match self.known {
            Some((known, moment)) if known == time => self.seen_by(moment),
            _ => self.seen_by(&self.travel.moment(time)),
        }
    }

    fn corners(&self, time: f64) -> Triangle {
        let pose = self.travel.pose_at(time);
        self.triangle.map(|corner| pose.apply(&corner))
    }

    fn limits(&self) -> Limits {
        self.limits
    }
}

/// What is asked of two triangles.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// They are known to be farther apart than `distance` before this time.
    pub from: f64,
    /// Only contacts before this time matter.
    pub until: f64,
    /// How wide the interval of the first contact may be.
    pub tolerance: f64,
    /// Being at most so far apart counts as contact; zero for touching.
    pub distance: f64,
    /// A direction that may part them; zero if none is known.
    pub hint: Point,
}

/// The first contact of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// As in [`super::FirstContact`].
    pub time: [f64; 2],
    /// Which parts of the triangles are nearest at the first time.
    pub features: [distance::Feature; 2],
    /// The nearest points at the first time.
    pub points: [Point; 2],
    /// The unit direction from A to B.
    pub normal: Point,
    /// As in [`super::FirstContact`].
    pub within: f64,
}

/// What became of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// They do not meet in the time that was asked about.
    Free,
    /// They do.
    Contact(Meeting),
}

/// So many steps are made at most; a pair that is not decided then counts as a contact whose
/// interval is as wide as what was left.
const STEPS_MAX: u32 = 2000;

/// Most contacts take no more steps than this. What takes more is a pass at a small distance.
const STEPS_FEW: u32 = 8;

/// How many steps two triangles took.
pub type Steps = u32;

/// When the two meet first.
pub fn first_contact(a: &impl Path, b: &impl Path, ask: &Ask) -> (Outcome, Steps) {
    let limits = [a.limits(), b.limits()];
    let mut time = ask.from;
    let ask = &Ask { until: apart_before(a, b, ask), ..*ask };
    let mut last = DVec3::from(ask.hint);
    let mut steps = 0;
    while time < ask.until {
        steps += 1;
        let stage = Stage::new([a.at(time), b.at(time)], &limits, ask, time);
        let mut best = stage.along_normals(last);
        if best.0 < 0.25 * ask.tolerance && best.0 > 0.0 {
            // Most often this is the contact.
            let halt = Halt { time, direction: best.1, stuck: false, steps };
            if let Some(meeting) = meeting((a, b), ask, &halt) {
                return (Outcome::Contact(meeting), steps);
            }
        }
        // Near the end of what matters even a good part of it may be less than times can tell.
        let is_short = |span: f64| span < 0.1 * stage.span || time + span <= time.next_up();
        if is_short(best.0) {
            stage.along_others(&mut best);
        }
        if is_short(best.0) && steps > STEPS_FEW {
            stage.along_turning(&mut best);
        }
        let (span, direction) = best;
        if span == f64::INFINITY {
            return (Outcome::Free, steps);
        }
        last = direction;
        let next = (time + span).next_down();
        let stuck = next <= time;
        // A step that is a good part of the tolerance is not worth a look at the contact.
        if (stuck || span < 0.25 * ask.tolerance || steps >= STEPS_MAX)
            && let Some(meeting) = meeting((a, b), ask, &Halt { time, direction, stuck, steps })
        {
            return (Outcome::Contact(meeting), steps);
        }
        time = next;
    }
    (Outcome::Free, steps)
}

/// The time from which on the two are apart to the end, as far as the hint tells: seen from the end
/// backward, a gap that closes then is one that opens, so that one look may do for all the time.
fn apart_before(a: &impl Path, b: &impl Path, ask: &Ask) -> f64 {
    let hint = DVec3::from(ask.hint);
    if hint == DVec3::ZERO {
        return ask.until;
    }
    let back = |trio: Trio| Trio { velocity: trio.velocity.map(|v| -v), ..trio };
    let trios = [back(a.at(ask.until)), back(b.at(ask.until))];
    let stage = Stage::new(trios, &[a.limits(), b.limits()], ask, ask.from);
    // The end itself is a time like others; what is not parted then is for steps forward.
    let (span, _) = stage.along_normals(hint);
    (ask.until - span).next_up().max(ask.from)
}

/// Where steps have become small.
struct Halt {
    time: f64,
    direction: DVec3,
    /// No direction leads on.
    stuck: bool,
    steps: Steps,
}

/// The contact at which the steps ended, if it is one.
fn meeting((a, b): (&impl Path, &impl Path), ask: &Ask, halt: &Halt) -> Option<Meeting> {
    let start = halt.time;
    let meets = |time: f64| match ask.distance {
        0.0 => intersect(&a.corners(time), &b.corners(time)),
        most => triangle_triangle(&a.corners(time), &b.corners(time)).hi <= most,
    };
    let probe = |part: f64| (start + part * ask.tolerance).min(1.0);
    let end = if meets(probe(1.0)) {
        Some(probe(1.0))
    } else if halt.stuck {
        // A contact that lasts for less than the tolerance.
        (1..40).map(|k| probe(0.5f64.powi(k))).chain([start]).find(|&time| meets(time))
    } else {
        None
    };
    let gives_up = halt.steps >= STEPS_MAX;
    if end.is_none() && !halt.stuck && !gives_up {
        return None;
    }
    let closest = triangle_triangle(&a.corners(start), &b.corners(start));
    let between = DVec3::from(closest.points[1]) - DVec3::from(closest.points[0]);
    let normal = halt.direction.try_normalize().or(between.try_normalize()).unwrap_or(DVec3::Z);
    let open_end = if gives_up { ask.until } else { probe(1.0) };
    Some(Meeting {
        time: [start, end.unwrap_or(open_end).max(start)],
        features: closest.features,
        points: closest.points,
        normal: normal.into(),
        within: if end.is_some() { ask.distance } else { closest.hi },
    })
}

/// Two triangles at one instant.
struct Stage {
    trios: [Trio; 2],
    /// How long is left.
    span: f64,
    bend: f64,
    slack: f64,
    creep: f64,
    distance: f64,
}

impl Stage {
    fn new(trios: [Trio; 2], limits: &[Limits; 2], ask: &Ask, time: f64) -> Self {
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
        let seen = |trio: Trio| Trio { place: trio.place.map(|p| p - origin), ..trio };
        Self {
            trios: trios.map(seen),
            span: ask.until - time,
            bend: a.bend + b.bend,
            slack: a.slack + b.slack + 8.0 * f64::EPSILON * (place_a + place_b),
            creep: a.creep + b.creep + 8.0 * f64::EPSILON * (fast_a + fast_b),
            distance: ask.distance,
        }
    }

    /// The longest time for which the last direction or a normal proves that they are apart, and
    /// that direction; infinite if it is all the time that is left.
    fn along_normals(&self, last: DVec3) -> (f64, DVec3) {
        let mut best = (0.0, last);
        self.improve(&mut best, last);
        if best.0 == f64::INFINITY {
            return best;
        }
        for trio in &self.trios {
            let [p, q, r] = trio.place;
            self.improve(&mut best, (q - p).cross(r - p));
        }
        best
    }

    /// Tries more directions.
    fn along_others(&self, best: &mut (f64, DVec3)) {
        let [a, b] = &self.trios;
        let [p, q] = [a, b].map(|t| t.place.map(<Point>::from));
        let closest = triangle_triangle(&p, &q);
        let [from, to] = closest.points.map(DVec3::from);
        self.improve(best, to - from);
        for (trio, feature) in self.trios.iter().zip(closest.features) {
            // The way between points that are very near has an error that a long edge sees.
            if let distance::Feature::Edge(k) = feature {
                let k = usize::from(k);
                let edge = (trio.place[(k + 1) % 3] - trio.place[k]).normalize_or_zero();
                let way = (to - from).normalize_or_zero();
                self.improve(best, way - edge * edge.dot(way));
            }
        }
        if best.0 < 1e-3 * self.span {
            for i in 0..9 {
                let edge = |t: &Trio, k: usize| t.place[(k + 1) % 3] - t.place[k];
                self.improve(best, edge(a, i / 3).cross(edge(b, i % 3)));
            }
        }
    }

    /// Tries directions that turn as the normals of faces and of pairs of edges do now.
    ///
    /// A face that turns comes nearer along any fixed direction at a speed, but does not along its
    /// normal: at a small gap g the first lasts for a time of the order of g, the other of √g.
    fn along_turning(&self, best: &mut (f64, DVec3)) {
        let [a, b] = &self.trios;
        let edge = |v: &[DVec3; 3], k: usize| v[(k + 1) % 3] - v[k];
        let edges = |t: &Trio, k: usize| (edge(&t.place, k), edge(&t.velocity, k));
        for trio in [a, b] {
            self.improve_turning(best, edges(trio, 0), edges(trio, 1));
        }
        for i in 0..9 {
            self.improve_turning(best, edges(a, i / 3), edges(b, i % 3));
        }
    }

    /// Tries the normal of two edges, each given with its change, as it turns now.
    fn improve_turning(
        &self,
        best: &mut (f64, DVec3),
        (u, u_change): (DVec3, DVec3),
        (v, v_change): (DVec3, DVec3),
    ) {
        let normal = u.cross(v);
        let length = normal.length();
        let direction = normal / length;
        if !direction.is_finite() {
            return;
        }
        let change = (u_change.cross(v) + u.cross(v_change)) / length;
        // Twice, so that rounding leaves it normal to the direction, which stays of unit length.
        let turn = change - direction * change.dot(direction);
        let turn = turn - direction * turn.dot(direction);
        let [a, b] = &self.trios;
        let between = b.place[0] + b.place[1] + b.place[2] - a.place[1] - a.place[2];
        let sign = if direction.dot(between) < 0.0 { -1.0 } else { 1.0 };
        let span = self.lasts_turning(direction * sign, turn * sign);
        if span > best.0 {
            *best = (span, direction * sign);
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
        // What is off by the slack turns, too; and both products are rounded.
        let creep =
            2.0 * (self.creep + rate * self.slack) + 16.0 * f64::EPSILON * (rate * far + fast);
        let first_root = |bend: f64| {
            let roots = gaps.iter().map(|&(now, opening)| root(now - still, creep - opening, bend));
            roots.fold(f64::INFINITY, f64::min)
        };
        let bend = |window: f64| {
            let fast_then = fast + self.bend * window;
            let far_then = far + fast_then * window;
            0.5 * (rate * rate * far_then + 2.0 * rate * fast_then + self.bend) * length
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

    fn improve(&self, best: &mut (f64, DVec3), direction: DVec3) {
        let [a, b] = &self.trios;
        // Of unit length, so that squares of projections neither overflow nor vanish.
        let largest = direction.abs().max_element();
        let Some(direction) = (direction / largest).try_normalize() else { return };
        let between = b.place[0] + b.place[1] + b.place[2] - a.place[1] - a.place[2];
        let direction = if direction.dot(between) < 0.0 { -direction } else { direction };
        let span = self.lasts(direction);
        if span > best.0 {
            *best = (span, direction);
        }
    }

    /// For how long the direction, of unit length, is proven to separate the two; infinite if to the
    /// end.
    fn lasts(&self, direction: DVec3) -> f64 {
        let length = 1.0 + 8.0 * f64::EPSILON;
        let [a, b] = &self.trios;
        let along = |v: &[DVec3; 3]| v.map(|v| v.dot(direction));
        let [pa, pb, va, vb] =
            [along(&a.place), along(&b.place), along(&a.velocity), along(&b.velocity)];
        // Coordinates are off by their slack each, √3 < 2.
        let [still, creep, bend] = [
            (2.0 * self.slack + self.distance) * length,
            2.0 * self.creep * length,
            0.5 * self.bend * length,
        ];
        // For each corner of B and each of A the gap is at least now − closing·t − bend·t².
        let mut span = f64::INFINITY;
        for j in 0..3 {
            for i in 0..3 {
                let root = root(pb[j] - pa[i] - still, va[i] - vb[j] + creep, bend);
                if root <= 0.0 {
                    return 0.0;
                }
                span = if root < span { root } else { span };
            }
        }
        let span = span * (1.0 - 8.0 * f64::EPSILON);
        if span > self.span { f64::INFINITY } else { span }
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
