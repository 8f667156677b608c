//! The first contact of two triangles on their ways, by steps along separating directions.
//!
//! If a direction separates two triangles now, it does so for as long as the gap along it is proven
//! to last: corners move with known velocities and bounded accelerations, so the gap is at least the
//! least of nine parabolas, and the first of their roots is a free step. The direction itself needs no
//! accuracy. One direction covers all six vertex–face and nine edge–edge pairs at once; near
//! a contact the steps converge as Newton's method does. Cost: some steps of about half a microsecond.

use crate::distance::{self, triangle_triangle};
use crate::motion::moment::{Clock, Phase, Spoke, Travel};
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

impl Trio {
    /// An edge and how it changes.
    #[inline]
    fn edge(&self, k: usize) -> (DVec3, DVec3) {
        let next = if k == 2 { 0 } else { k + 1 };
        (self.place[next] - self.place[k], self.velocity[next] - self.velocity[k])
    }
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
    clock: Clock,
    spokes: [Spoke; 3],
    limits: Limits,
    /// The body at a time that is asked about often.
    known: Option<&'a Phase>,
}

impl<'a> Rigid<'a> {
    /// The triangle is given in the body's frame.
    pub fn new(travel: &'a Travel<'a>, triangle: Triangle) -> Self {
        let angle = travel.angle();
        let [p, q, r] = &triangle;
        let spokes = [travel.spoke(p), travel.spoke(q), travel.spoke(r)];
        let radius = spokes[0].radius().max(spokes[1].radius()).max(spokes[2].radius());
        let local = triangle.iter().fold(0.0f64, |most, corner| {
            most.max(corner[0].abs() + corner[1].abs() + corner[2].abs())
        });
        let limits = Limits {
            bend: angle * angle * radius * (1.0 + 8.0 * f64::EPSILON),
            slack: travel.slack(local),
            creep: travel.velocity_slack(local),
        };
        Self { travel, triangle, clock: travel.clock(), spokes, limits, known: None }
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
    pub(crate) fn knowing(mut self, phase: &'a Phase) -> Self {
        self.known = Some(phase);
        self
    }

    fn seen_at(&self, phase: &Phase) -> Trio {
        let [p, q, r] = &self.spokes;
        let velocity = |spoke: &Spoke| self.clock.velocity(spoke, phase);
        Trio {
            place: [p.place(phase), q.place(phase), r.place(phase)],
            velocity: [velocity(p), velocity(q), velocity(r)],
        }
    }
}

impl Path for Rigid<'_> {
    fn at(&self, time: f64) -> Trio {
        match self.known {
            Some(phase) if phase.time == time => self.seen_at(phase),
            _ => self.seen_at(&self.clock.at(time)),
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
        if best.span < 0.25 * ask.tolerance && best.span > 0.0 {
            // Most often this is the contact.
            let halt = Halt { time, direction: best.direction, stuck: false, steps };
            if let Some(meeting) = meeting((a, b), ask, &halt) {
                return (Outcome::Contact(meeting), steps);
            }
        }
        if best.span < 0.1 * stage.span {
            stage.along_others(&mut best);
        }
        stage.look_ahead(&mut best);
        let Best { span, direction, .. } = best;
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
    let best = stage.along_normals(hint);
    (ask.until - best.span).next_up().max(ask.from)
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
        (0..8).map(|k| probe(f64::from(1 << k) / 256.0)).chain([start]).find(|&time| meets(time))
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
        let seen = |trio: &Trio| {
            let [p, q, r] = trio.place;
            Trio { place: [p - origin, q - origin, r - origin], velocity: trio.velocity }
        };
        Self {
            trios: [seen(&trios[0]), seen(&trios[1])],
            span: ask.until - time,
            bend: a.bend + b.bend,
            slack: a.slack + b.slack + 16.0 * f64::EPSILON * (place_a + place_b),
            creep: a.creep + b.creep + 16.0 * f64::EPSILON * (fast_a + fast_b),
            distance: ask.distance,
        }
    }

    /// The longest time for which the last direction or a normal proves that they are apart, and
    /// that direction; infinite if it is all the time that is left.
    fn along_normals(&self, last: DVec3) -> Best {
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

    /// Tries more directions: the product of two edges that parts the triangles most, and if that
    /// does not help either, the way between their nearest points.
    fn along_others(&self, best: &mut Best) {
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
        if best.span < 0.1 * self.span {
            let [p, q] = [a, b].map(|t| t.place.map(<Point>::from));
            let closest = triangle_triangle(&p, &q).points.map(DVec3::from);
            self.improve(best, Axis::fixed(closest[1] - closest[0]));
        }
    }

    /// Tries the direction that the best one turns to until the gap closes: the one that parts the
    /// triangles then does so for longest.
    fn look_ahead(&self, best: &mut Best) {
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
struct Best {
    span: f64,
    /// Of unit length, from A to B.
    direction: DVec3,
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
            bend: 0.5 * stage.bend * length,
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
                let now = pb[j] - pa[i] - self.still;
                let closing = va[i] - vb[j] + self.creep;
                let under = (closing * closing + 4.0 * self.bend * now).sqrt();
                // Either form of the root, so that nothing cancels; corners that part for good divide
                // by zero and have none.
                let root = if closing > 0.0 {
                    2.0 * now / (under + closing)
                } else {
                    (under - closing) / (2.0 * self.bend)
                };
                first = if root < first { root } else { first };
            }
        }
        let first = first * (1.0 - 8.0 * f64::EPSILON);
        if first > span { f64::INFINITY } else { first }
    }
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
