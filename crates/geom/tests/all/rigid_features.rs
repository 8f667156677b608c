//! Vertex–face and edge–edge first contacts of rigid motions, against two other ways to find them: the
//! oracle in intervals, which proves what it says, and signs of the exact volume of the four points at
//! many instants. Touching without crossing has families of its own whose answer is known.

use crate::rigid_oracle::course::Course;
use crate::rigid_oracle::interval::Interval;
use crate::rigid_oracle::search::{self, Body, Limits, Truth};
use impinge_geom::first_contact::pair::{Ask, Outcome, Rigid, first_contact};
use impinge_geom::motion::moment::Travel;
use impinge_geom::motion::{Motion, Screw};
use impinge_geom::pose::Pose;
use impinge_geom::predicates::orient3d;
use impinge_geom::{Point, Triangle};
use std::f64::consts::TAU;

const ASK: Ask = Ask { from: 0.0, until: 1.0, tolerance: 1e-6, distance: 0.0, hint: [0.0; 3] };

/// Two to the power of -30 is far below the tolerance.
const LIMITS: Limits = Limits { width: 1.0 / (1 << 30) as f64, open_max: 64, spans_max: 5000 };

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn signed(&mut self) -> f64 {
        2.0 * (self.next() >> 11) as f64 / (1u64 << 53) as f64 - 1.0
    }

    fn point(&mut self, size: f64) -> Point {
        std::array::from_fn(|_| size * self.signed())
    }

    fn pose(&mut self, size: f64) -> Pose {
        let q: [f64; 4] = std::array::from_fn(|_| self.signed());
        Pose::new(q, self.point(size)).unwrap_or(Pose::IDENTITY)
    }

    /// Any motion: short or long ways, up to two turns, about axes near and far.
    fn motion(&mut self) -> Motion {
        let start = self.pose(1.0);
        match self.next() % 3 {
            0 => Motion::lerp_slerp(start, self.pose(1.0)),
            kind => {
                let far = if kind == 1 { 1.0 } else { 100.0 };
                let screw = Screw {
                    point: self.point(far),
                    direction: [self.signed(), self.signed(), 1.5],
                    angle: 2.0 * TAU * self.signed() / far,
                    advance: self.signed(),
                };
                Motion::screw(start, screw).expect("finite")
            }
        }
    }
}

/// Two features on their ways.
struct Case {
    motions: [Motion; 2],
    /// A vertex and a face, or two edges.
    points: [Point; 4],
    is_edges: bool,
}

impl Case {
    fn at(&self, time: f64) -> [Point; 4] {
        let poses = self.motions.map(|motion| motion.pose_at(time));
        let first = if self.is_edges { 2 } else { 1 };
        std::array::from_fn(|k| poses[usize::from(k >= first)].apply(&self.points[k]))
    }

    fn sign(&self, time: f64) -> i8 {
        let [p, q, r, s] = self.at(time);
        orient3d(&p, &q, &r, &s)
    }

    /// Whether the crossing of a volume that changes its sign is well within both features.
    fn crosses(&self, time: f64) -> bool {
        let [p, q, r, s] = self.at(time).map(glam::DVec3::from);
        let inside = |x: f64| x > 1e-6 && x < 1.0 - 1e-6;
        if self.is_edges {
            let (u, v, w) = (q - p, s - r, p - r);
            let n = u.cross(v);
            let size = n.length_squared();
            // The parameters of the points of both lines that are nearest to each other.
            let along = |other: glam::DVec3| -w.cross(other).dot(n) / size;
            return inside(along(v)) && inside(along(u));
        }
        let n = (r - q).cross(s - q);
        let weight =
            |a: glam::DVec3, b: glam::DVec3| (b - a).cross(p - a).dot(n) / n.length_squared();
        inside(weight(q, r)) && inside(weight(r, s)) && inside(weight(s, q))
    }

    /// An interval in which the two touch for certain, the first that samples find.
    fn crossing(&self, samples: u32) -> Option<[f64; 2]> {
        let mut before = (0.0, self.sign(0.0));
        for k in 1..=samples {
            let now = f64::from(k) / f64::from(samples);
            let sign = self.sign(now);
            if sign * before.1 < 0 {
                let (mut from, mut to) = (before.0, now);
                while to - from > 1e-12 {
                    let middle = 0.5 * (from + to);
                    if self.sign(middle) == before.1 { from = middle } else { to = middle }
                }
                if self.crosses(from) && self.crosses(to) {
                    return Some([from, to]);
                }
            }
            before = (now, sign);
        }
        None
    }

    /// What intervals prove.
    fn truth(&self) -> Truth {
        let travels = [Travel::Moving(&self.motions[0]), Travel::Moving(&self.motions[1])];
        let corners = if self.is_edges { [[0, 1, 1], [2, 3, 3]] } else { [[0; 3], [1, 2, 3]] };
        let [a, b] = [0, 1].map(|k| Body::of(&self.points, &corners[k..=k], &travels[k]));
        search::first_contact([&a, &b], &LIMITS)
    }

    fn kernel(&self) -> Outcome {
        let travels = [Travel::Moving(&self.motions[0]), Travel::Moving(&self.motions[1])];
        let [p, q, r, s] = self.points;
        let (a, b) = if self.is_edges {
            (Rigid::edge(&travels[0], [p, q]), Rigid::edge(&travels[1], [r, s]))
        } else {
            (Rigid::vertex(&travels[0], p), Rigid::new(&travels[1], [q, r, s] as Triangle))
        };
        first_contact(&a, &b, &ASK).0
    }
}

/// What the kernel says of a case, held against the oracle; whether it is decided.
fn judged(case: &Case, truth: &Truth, name: u32) -> bool {
    match case.kernel() {
        Outcome::Free => assert_eq!(truth.contact_by, None, "missed, case {name}"),
        Outcome::Contact(meeting) => {
            let [from, to] = meeting.time;
            assert!(to - from <= 1.01e-6, "wide, case {name}: {meeting:?}");
            assert!(!truth.is_free(), "invented, case {name}: {meeting:?}");
            assert!(to >= truth.free_until, "early, case {name}: {meeting:?} {truth:?}");
            if let Some(by) = truth.contact_by {
                assert!(from <= by, "late, case {name}: {meeting:?} {truth:?}");
            }
        }
    }
    truth.is_free() || truth.contact_by.is_some()
}

#[test]
fn a_hundred_thousand_feature_pairs_are_never_late_and_never_missed() {
    let mut random = Random(1);
    let (mut contacts, mut open, mut spans) = (0u32, 0u32, 0u64);
    for k in 0..100_000u32 {
        let is_edges = k % 2 == 1;
        let size = [1.0, 0.2, 3.0][(k % 3) as usize];
        let still = Motion::lerp_slerp(Pose::IDENTITY, Pose::IDENTITY);
        let case = Case {
            motions: [random.motion(), if k % 5 == 0 { random.motion() } else { still }],
            points: std::array::from_fn(|_| random.point(size)),
            is_edges,
        };
        let truth = case.truth();
        open += u32::from(!judged(&case, &truth, k));
        contacts += u32::from(truth.contact_by.is_some());
        spans += u64::from(truth.spans);
        if k % 10 == 0
            && let Some([_, at]) = case.crossing(200)
        {
            assert!(truth.free_until <= at, "the oracle is late, case {k}: {truth:?} {at}");
        }
    }
    println!("{contacts} contacts, {open} open, {spans} spans of time");
    assert!(contacts > 5_000 && open < 10, "{contacts} contacts, {open} open");
}

/// A vertex on a circle of radius one meets a wall that it reaches by `depth` only, or not at all. The
/// first contact is where its cosine says.
#[test]
fn a_vertex_that_grazes_a_wall_is_told_from_one_that_does_not() {
    for depth in [1e-3, 1e-6, 1e-9, 1e-12, -1e-3, -1e-6, -1e-9, -1e-12] {
        for turns in [0.9, 1.9] {
            let screw = Screw {
                point: [0.0; 3],
                direction: [0.0, 0.0, 1.0],
                angle: turns * TAU,
                advance: 0.0,
            };
            let start = Pose::new([(-2.0f64).cos(), 0.0, 0.0, (-2.0f64).sin()], [0.0; 3]);
            let motion = Motion::screw(start.expect("a rotation"), screw).expect("a screw");
            let wall = 1.0 - depth;
            let face = [[wall, -5.0, -5.0], [wall, 5.0, -5.0], [wall, 0.0, 9.0]];
            let travels = [Travel::Moving(&motion), Travel::Still(&Pose::IDENTITY)];
            let vertex = Rigid::vertex(&travels[0], [1.0, 0.0, 0.0]);
            let outcome = first_contact(&vertex, &Rigid::new(&travels[1], face), &ASK).0;
            match outcome {
                Outcome::Free => assert!(depth < 0.0, "missed at {depth}"),
                Outcome::Contact(meeting) => {
                    assert!(depth > 0.0, "invented at {depth}: {meeting:?}");
                    // It starts at -4 radians, and the wall begins at the angle of its cosine.
                    let angle = 4.0 - wall.acos();
                    let truth = angle.rem_euclid(TAU) / (turns * TAU);
                    assert!(meeting.time[0] <= truth + 1e-12, "late: {meeting:?} {truth}");
                    assert!(meeting.time[1] >= truth - 2e-6, "early: {meeting:?} {truth}");
                }
            }
        }
    }
}

/// The oracle's own arithmetic and its way of a vertex, against those of f64.
#[test]
fn the_oracle_holds_what_floats_say() {
    let mut random = Random(4);
    for _ in 0..20_000 {
        let x = 30.0 * random.signed();
        let [sine, cosine] = Interval::point(x).sin_cos();
        for (interval, float) in [(sine, x.sin()), (cosine, x.cos())] {
            assert!(interval.lo <= float.next_up() && float.next_down() <= interval.hi, "{x}");
            assert!(interval.hi - interval.lo < 2e-14, "{x}: {interval:?}");
        }
        let motion = random.motion();
        let course = Course::of(&Travel::Moving(&motion));
        let point = random.point(2.0);
        let (time, half) = (random.signed().abs(), 0.02 * random.signed().abs());
        let seen = course.see(&course.vertex(point), &course.span(time, half));
        for part in [-1.0, 0.0, 0.7, 1.0] {
            let now = (time + part * half).clamp((time - half).max(0.0), (time + half).min(1.0));
            let place = motion.pose_at(now).apply(&point);
            for (k, x) in place.into_iter().enumerate() {
                let [all, middle] = [seen.all[k], seen.middle[k]];
                assert!(all.lo - 1e-12 <= x && x <= all.hi + 1e-12, "{motion:?}");
                assert!(middle.hi - middle.lo < 1e-11, "{motion:?} {middle:?}");
            }
        }
    }
}
