//! The first contact of two triangles on their ways, by steps along separating directions.
//!
//! If a direction separates two triangles now, it does so for as long as the gap along it is proven
//! to last: corners move with known velocities and bounded accelerations, so the gap is at least the
//! least of nine parabolas, and the first of their roots is a free step. The direction itself needs no
//! accuracy. One direction covers all six vertex–face and nine edge–edge pairs at once; near
//! a contact the steps converge as Newton's method does. Cost: some steps of about half a microsecond.

mod stage;

use crate::distance::{self, triangle_triangle};
use crate::motion::moment::{Clock, Phase, Spoke, Travel};
use crate::tri_tri::intersect;
use crate::{Point, Triangle};
use glam::DVec3;
use stage::{Best, Stage};

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
    /// The unit direction along which none is, if there is one; else zero.
    pub axis: DVec3,
    /// How far a coordinate may be from the truth.
    pub slack: f64,
    /// How far a velocity may be from the truth.
    pub creep: f64,
}

impl Limits {
    /// No corner is accelerated by more along a direction of unit length.
    #[inline]
    fn bend_along(&self, direction: DVec3) -> f64 {
        if self.axis == DVec3::ZERO {
            return self.bend;
        }
        let across = self.axis.cross(direction).length() + 16.0 * f64::EPSILON;
        self.bend * across
    }
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
            axis: travel.axis(),
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
        if best.span < 0.25 * ask.tolerance && best.span > 0.0 {
            // Most often this is the contact.
            let halt = Halt { time, direction: best.direction, stuck: false, steps };
            if let Some(meeting) = meeting((a, b), ask, &halt) {
                return (Outcome::Contact(meeting), steps);
            }
        }
        if stage.is_short(best.span) {
            stage.along_others(&mut best);
        }
        stage.look_ahead(&mut best);
        if stage.is_short(best.span) && steps > STEPS_FEW {
            stage.along_turning(&mut best);
        }
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
    // What is proven early leaves room for the interval to begin earlier, where others that meet at
    // almost the same time are told to be apart.
    let end = if meets(probe(0.5)) {
        Some(probe(0.5))
    } else if meets(probe(1.0)) {
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
    let open_end = if gives_up { ask.until } else { probe(0.5) };
    Some(Meeting {
        time: [start, end.unwrap_or(open_end).max(start)],
        features: closest.features,
        points: closest.points,
        normal: normal.into(),
        within: if end.is_some() { ask.distance } else { closest.hi },
    })
}
