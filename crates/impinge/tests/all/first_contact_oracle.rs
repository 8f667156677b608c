//! The first contact of rigid motions against an oracle that proves what it says, on more than a
//! thousand motions: never late, never missed, never invented, as narrow as asked for.
//!
//! `IMPINGE_SOAK=n` makes the families of random motions n times as large.

use crate::duel::{self, Couple, ask, comb, joined, litter, moved, nested, plate, sample};
use crate::random::Random;
use crate::rigid_oracle::search::{self, Body, Limits, Truth};
use crate::ways::{moving, random_motion, still, travel};
use impinge::contract::engine::Engine;
use impinge::contract::job::{Job, Placed, Placement};
use impinge::prelude::*;
use impinge_geom::motion::MotionKind;
use impinge_geom::motion::moment::Travel;
use std::f64::consts::{PI, TAU};

/// Spans down to 2⁻³⁴, below the finest tolerance asked for here.
const LIMITS: Limits = Limits { width: 1.0 / (1u64 << 34) as f64, open_max: 64, spans_max: 4000 };

/// What a family of motions came to.
#[derive(Debug, Default)]
struct Tally {
    motions: u32,
    hits: u32,
    free: u32,
    /// Touching when they start.
    started: u32,
    /// One within the other when they start: not a matter of surfaces.
    inside: u32,
    /// The oracle proves neither contact nor freedom.
    open: u32,
    /// The engine does not tell either, or its interval is wider than asked for and says so.
    wide: u32,
    /// Grazes that the engine tells from no contact by a few roundings only.
    within: u32,
    /// Those of them that are free for certain, or meet for certain later only.
    invented: u32,
    /// The most steps that pairs of triangles took in one motion.
    steps: u64,
    spans: u64,
}

impl Tally {
    /// Prints it. No motion may take steps without end, and few may be left open.
    fn told(&self, family: &str, open_max: u32) {
        println!("{family}: {self:?}");
        assert!(self.steps < 5000, "{self:?}");
        assert!(self.open + self.wide + self.invented <= open_max, "{self:?}");
    }
}

fn truth(couple: &Couple, job: &Job) -> Truth {
    let body = |k: usize, placed: &Placed| {
        let travel = match &placed.placement {
            Placement::Fixed(pose) => Travel::Still(pose),
            Placement::Moving(motion) => Travel::Moving(motion),
            Placement::Deforming(_) => unreachable!("these bodies are rigid"),
        };
        Body::new(&couple.meshes[k], &travel)
    };
    let [a, b] = [body(0, &job.a), body(1, &job.b)];
    search::first_contact([&a, &b], &LIMITS)
}

/// How far apart the two are at a time.
fn gap(couple: &Couple, job: &Job, time: f64) -> f64 {
    let poses = [&job.a, &job.b].map(|placed| placed.placement.at(time));
    let (answers, _) = ask(&*couple.engine("brute"), &[duel::job(poses)], &Query::CLEARANCE);
    answers.all()[0].clearance.map_or(0.0, |clearance| clearance.at_most)
}

/// Couples with their engines, asked one motion after the other.
struct Judge<'a> {
    couple: &'a Couple,
    engine: Box<dyn Engine>,
    tally: &'a mut Tally,
}

impl<'a> Judge<'a> {
    fn new(couple: &'a Couple, tally: &'a mut Tally) -> Self {
        Self { couple, engine: couple.engine("bvh"), tally }
    }

    fn is_hit(&self, job: &Job) -> bool {
        let (answers, _) = ask(&*self.engine, std::slice::from_ref(job), &Query::FIRST_CONTACT);
        answers.all()[0].verdict != Verdict::Free
    }

    /// Holds the engine's answer against what is proven.
    fn check(&mut self, job: &Job, tolerance: f64) {
        let query = Query { tolerance, ..Query::FIRST_CONTACT };
        let (answers, _) = ask(&*self.engine, std::slice::from_ref(job), &query);
        let answer = answers.all()[0].clone();
        let truth = truth(self.couple, job);
        let context = || format!("{}: {job:?} {answer:?} {truth:?}", self.couple.name);
        let tally = &mut *self.tally;
        tally.motions += 1;
        tally.steps = tally.steps.max(answer.counters.distance_tests);
        tally.spans += u64::from(truth.spans);
        tally.open += u32::from(!truth.is_free() && truth.contact_by.is_none());
        match answer.verdict {
            Verdict::Free => {
                assert_eq!(truth.contact_by, None, "missed, {}", context());
                tally.free += 1;
                return;
            }
            Verdict::Hit(HitKind::Inside { .. }) => {
                tally.inside += 1;
                return;
            }
            Verdict::Hit(HitKind::Surface) => tally.hits += 1,
            Verdict::Unknown => tally.wide += 1,
        }
        let [from, to] = answer.time.unwrap_or_else(|| panic!("no time, {}", context()));
        assert!(truth.contact_by.is_none_or(|by| from <= by), "late, {}", context());
        if answer.verdict == Verdict::Unknown {
            return;
        }
        assert!(to - from <= 1.01 * tolerance, "wide, {}", context());
        let error = answer.guarantee.error_max;
        if error > 0.0 {
            // So near that rounding may be a contact: that near they are.
            tally.within += 1;
            tally.invented += u32::from(to < truth.free_until);
            let size = 1.0 + self.couple.radii()[0] + self.couple.radii()[1];
            assert!(error < 1e-11 * size, "far from rounding, {}", context());
            // At the end of a motion the interval is as wide as it may be, and begins earlier.
            let more = if to == 1.0 { 100.0 * size * tolerance } else { 0.01 * error };
            // The interval is made as wide as it may be around where they are that near.
            let times = [from, 0.5 * (from + to), to];
            let near = times.iter().any(|time| gap(self.couple, job, *time) <= error + more);
            assert!(near, "apart, {}", context());
            return;
        }
        assert!(!truth.is_free(), "invented, {}", context());
        assert!(to >= truth.free_until, "early, {}", context());
        if truth.contact_by == Some(0.0) {
            assert_eq!(to, 0.0, "it touches at the start, {}", context());
            tally.started += 1;
        }
    }
}

/// How many times as many motions are asked for.
fn soak() -> usize {
    std::env::var("IMPINGE_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

fn knots() -> Couple {
    let [a, b] = ["torus-knot?segments=24&sides=4", "torus-knot?segments=24&sides=3"];
    Couple::new("knots", sample(a), sample(b))
}

fn kinds() -> Vec<Couple> {
    vec![
        knots(),
        Couple::new("boxes", sample("box"), sample("box")),
        Couple::new("ball and litter", sample("sphere?faces=80"), litter(40, 11)),
        Couple::new("combs", comb(5), comb(4)),
        Couple::new("star and nest", sample("stellated-dodecahedron"), nested()),
        Couple::new("small and large", moved(&sample("sphere?faces=20"), 0.01, [0.0; 3]), plate(6)),
    ]
}

/// From one side of the origin to the other, more or less; as `random_motion` otherwise.
fn passing(random: &mut Random, reach: f64, turns: f64) -> Motion {
    let place = random.vector(0.9 * reach);
    let start = Pose::new(random.quaternion(), place).expect("finite");
    if random.unit() < 0.5 {
        let aside = random.vector(0.3 * reach);
        let end: Point = std::array::from_fn(|k| aside[k] - place[k]);
        return Motion::lerp_slerp(start, Pose::new(random.quaternion(), end).expect("finite"));
    }
    let aside = random.vector(0.3 * reach);
    let screw = Screw {
        point: std::array::from_fn(|k| aside[k] + 0.2 * place[k]),
        direction: std::array::from_fn(|k| aside[k] - place[k]),
        angle: turns * TAU * random.symmetric(),
        advance: 2.0 * reach,
    };
    Motion::screw(start, screw).expect("finite")
}

#[test]
fn random_motions() {
    let mut random = Random(51);
    let mut tally = Tally::default();
    for couple in kinds() {
        let mut judge = Judge::new(&couple, &mut tally);
        let reach = 1.2 * (couple.radii()[0] + couple.radii()[1]);
        for k in 0..75 * soak() {
            let turns = [0.1, 0.5, 2.0][k % 3];
            let b = moving(match k % 3 {
                0 => random_motion(&mut random, reach, turns),
                _ => passing(&mut random, reach, turns),
            });
            let a = match k % 4 {
                0 => moving(random_motion(&mut random, reach, turns)),
                _ => still(),
            };
            let ways = if k % 8 == 5 { [b, a] } else { [a, b] };
            judge.check(&travel(ways), [1e-6, 1e-3, 1e-9][k % 5 % 3]);
        }
    }
    tally.told("random", 0);
    assert!(tally.hits > 100 && tally.free > 60, "{tally:?}");
}

/// Plates with a thickness of almost nothing, against each other and against knots.
#[test]
fn thin_plates() {
    let mut random = Random(52);
    let mut tally = Tally::default();
    for thickness in [1e-3, 1e-4, 1e-5, 1e-6] {
        let thin = sample(&format!("box?x=2&y=1.5&z={thickness}"));
        let ridged = joined(&[thin.clone(), moved(&thin, 0.5, [0.3, 0.2, 0.5])]);
        let knot = sample("torus-knot?segments=24&sides=3");
        let couples = [
            Couple::new("thin plates", thin.clone(), thin.clone()),
            Couple::new("thin plate and ridge", ridged, thin.clone()),
            Couple::new("thin plate and knot", thin, knot),
        ];
        for couple in couples {
            let mut judge = Judge::new(&couple, &mut tally);
            for k in 0..14 * soak() {
                let turns = [0.05, 0.3, 2.0][k % 3];
                let b = moving(random_motion(&mut random, 2.0, turns));
                let a = match k % 4 {
                    0 => moving(random_motion(&mut random, 2.0, turns)),
                    _ => still(),
                };
                judge.check(&travel([a, b]), 1e-6);
            }
        }
    }
    tally.told("thin plates", 0);
    assert!(tally.hits > 40 && tally.free > 20, "{tally:?}");
}

/// A motion whose body is shifted in the world by `offset` in a direction.
fn shifted(motion: &Motion, direction: Point, offset: f64) -> Motion {
    let by = direction.map(|x| offset * x);
    let moved = |pose: &Pose| {
        let place = pose.translation();
        Pose::new(pose.rotation(), std::array::from_fn::<f64, 3, _>(|k| place[k] + by[k]))
            .expect("still a pose")
    };
    match motion.kind() {
        MotionKind::LerpSlerp => Motion::lerp_slerp(moved(motion.pose0()), moved(motion.pose1())),
        MotionKind::Screw(screw) => {
            let point = std::array::from_fn(|k| screw.point[k] + by[k]);
            Motion::screw(moved(motion.pose0()), Screw { point, ..screw }).expect("still a screw")
        }
    }
}

/// Where shifting a motion makes the difference between a hit and none, found by asking.
fn brink(judge: &Judge<'_>, motion: &Motion, direction: Point) -> Option<f64> {
    let asked =
        |offset: f64| judge.is_hit(&travel([still(), moving(shifted(motion, direction, offset))]));
    let (mut hit, mut free) = (0.0, 6.0);
    if !asked(hit) || asked(free) {
        return None;
    }
    for _ in 0..45 {
        let middle = 0.5 * (hit + free);
        if asked(middle) { hit = middle } else { free = middle }
    }
    Some(0.5 * (hit + free))
}

/// Bodies that miss each other by a little, or touch by a little, at the end of a search for where the
/// one becomes the other.
#[test]
fn grazing_passes() {
    let mut random = Random(53);
    let mut tally = Tally::default();
    for couple in kinds() {
        let mut judge = Judge::new(&couple, &mut tally);
        let reach = couple.radii()[0] + couple.radii()[1];
        let mut bases = 0;
        for _ in 0..40 * soak() {
            let turns = [0.05, 0.4, 2.0][bases % 3];
            let motion = random_motion(&mut random, reach, turns);
            let direction = random.vector(1.0);
            let Some(offset) = brink(&judge, &motion, direction) else { continue };
            for exponent in 3..=9 {
                for sign in [-1.0, 1.0] {
                    let offset = offset + sign * 10f64.powi(-exponent);
                    let motion = shifted(&motion, direction, offset);
                    judge.check(&travel([still(), moving(motion)]), 1e-6);
                }
            }
            bases += 1;
            if bases >= 4 * soak() {
                break;
            }
        }
    }
    tally.told("grazing", 0);
    assert!(tally.hits > 80 && tally.free > 80, "{tally:?}");
}

/// Bodies far from their own origins turn about them; others about axes that are far away.
#[test]
fn distant_axes() {
    let mut random = Random(54);
    let mut tally = Tally::default();
    let knot = sample("torus-knot?segments=24&sides=3");
    for far in [3.0, 50.0, 1e3, 1e6] {
        let couple =
            Couple::new("far from its origin", knot.clone(), moved(&knot, 1.0, [far, 0.0, 0.0]));
        let near = Couple::new("far axis", knot.clone(), sample("stellated-dodecahedron"));
        let mut judge = Judge::new(&couple, &mut tally);
        for _ in 0..20 * soak() {
            // From one side of the other body to the opposite one, more or less.
            let turn = PI.min(8.0 / far * random.unit());
            let axis = random.vector(1.0);
            let pose = |half: f64, place: Point| {
                let q =
                    [half.cos(), axis[0] * half.sin(), axis[1] * half.sin(), axis[2] * half.sin()];
                let turned = Pose::new(q, [0.0; 3]).expect("a turn").apply(&[far, 0.0, 0.0]);
                Pose::new(q, std::array::from_fn::<f64, 3, _>(|k| place[k] - turned[k]))
                    .expect("finite")
            };
            let (place, aside) = (random.vector(3.0), random.vector(1.5));
            let across = std::array::from_fn(|k| aside[k] - place[k]);
            let [from, to] = [pose(0.0, place), pose(0.5 * turn, across)];
            judge.check(&travel([still(), moving(Motion::lerp_slerp(from, to))]), 1e-6);
        }
        let mut judge = Judge::new(&near, judge.tally);
        for _ in 0..20 * soak() {
            let screw = Screw {
                point: random.vector(far),
                direction: random.vector(2.0),
                angle: (2.0 * TAU).min(6.0 / far) * random.symmetric(),
                advance: random.symmetric(),
            };
            let start = Pose::new(random.quaternion(), random.vector(2.6)).expect("finite");
            let motion = Motion::screw(start, screw).expect("finite");
            judge.check(&travel([still(), moving(motion)]), 1e-6);
        }
    }
    tally.told("distant axes", 0);
    assert!(tally.hits > 40 && tally.free > 20, "{tally:?}");
}

/// A bar that turns about its end, up to three times, and a peg.
#[test]
fn a_turning_bar_and_a_peg() {
    let mut tally = Tally::default();
    let bar = sample("box?x=1&y=0.02&z=0.2");
    let end = -bar.bounds().min[0];
    let couple = Couple::new("bar and peg", sample("box?x=0.01&y=0.01&z=0.5"), bar);
    let mut judge = Judge::new(&couple, &mut tally);
    for omega in [5.0, 6.2, 10.0, 20.0] {
        for (radius, hits) in [(0.9, true), (0.999, true), (1.0049, true), (1.0071, false)] {
            for angle in [0.3f64, 2.0, 4.5] {
                let place = [radius * angle.cos(), radius * angle.sin(), 0.0];
                let screw = Screw {
                    point: [0.0; 3],
                    direction: [0.0, 0.0, 1.0],
                    angle: omega,
                    advance: 0.0,
                };
                let start = Pose::shift([end, 0.0, 0.0]).expect("finite");
                let motion = Motion::screw(start, screw).expect("a screw");
                let peg = Placement::Fixed(Pose::shift(place).expect("finite"));
                let before = judge.tally.hits;
                judge.check(&travel([peg, moving(motion)]), 1e-6);
                assert!(!hits || radius > 1.0 || judge.tally.hits > before, "{omega} {angle}");
                assert!(hits || judge.tally.hits == before, "{omega} {radius} {angle}");
            }
        }
    }
    tally.told("bar and peg", 0);
}

/// Flat against flat everywhere at once, and sliding beside each other at any gap.
#[test]
fn flat_plates() {
    let mut tally = Tally::default();
    let couple = Couple::new("plates", plate(5), plate(4));
    let mut judge = Judge::new(&couple, &mut tally);
    let straight = |from: Point, to: Point| {
        let [from, to] = [from, to].map(|place| Pose::shift(place).expect("finite"));
        travel([still(), moving(Motion::lerp_slerp(from, to))])
    };
    for k in 0..10 {
        let aside = 0.013 + 0.1 * f64::from(k);
        judge.check(&straight([aside, 0.02, 1.0], [aside, 0.02, -1.0]), 1e-6);
        judge.check(&straight([aside, 0.02, 1.0], [-aside, 0.7, -0.5]), 1e-6);
        let gap = 10f64.powi(-2 - k);
        judge.check(&straight([-0.7, 0.1, gap], [0.9, 0.1, gap]), 1e-6);
        judge.check(&straight([-0.7, 0.1, gap], [0.9, 0.1, -gap]), 1e-6);
    }
    tally.told("flat plates", 10);
    assert_eq!((tally.hits, tally.free), (30, 10), "{tally:?}");
}

/// A motion of which all lengths are multiplied.
fn stretched(motion: &Motion, scale: f64) -> Motion {
    let larger = |pose: &Pose| {
        Pose::new(pose.rotation(), pose.translation().map(|x| x * scale)).expect("within limits")
    };
    let start = larger(motion.pose0());
    match motion.kind() {
        MotionKind::LerpSlerp => Motion::lerp_slerp(start, larger(motion.pose1())),
        MotionKind::Screw(screw) => {
            let point = screw.point.map(|x| x * scale);
            let screw = Screw { point, advance: screw.advance * scale, ..screw };
            Motion::screw(start, screw).expect("within limits")
        }
    }
}

/// The same motions a power of two as large meet at the same time.
#[test]
fn huge_and_tiny_scenes() {
    let mut random = Random(55);
    let mut hits = 0;
    for couple in kinds() {
        let reach = couple.radii()[0] + couple.radii()[1];
        let motions: Vec<Motion> = (0..12).map(|_| passing(&mut random, reach, 0.5)).collect();
        for exponent in [-290, -200, -20, 20, 200, 290] {
            let scale = 2f64.powi(exponent);
            let [a, b] = couple.meshes.each_ref().map(|mesh| moved(mesh, scale, [0.0; 3]));
            let large = Couple::new(&format!("{} by 2^{exponent}", couple.name), a, b);
            let [engine, other] = [couple.engine("bvh"), large.engine("bvh")];
            for motion in &motions {
                let ask = |engine: &dyn Engine, motion: Motion| {
                    let job = travel([still(), moving(motion)]);
                    ask(engine, &[job], &Query::FIRST_CONTACT).0.all()[0].clone()
                };
                let one = ask(&*engine, *motion);
                let same = ask(&*other, stretched(motion, scale));
                let [from, to] = one.time.unwrap_or([1.0; 2]);
                let [start, end] = same.time.unwrap_or([1.0; 2]);
                assert!(start <= to, "late, {}: {one:?} {same:?}", large.name);
                let error = same.guarantee.error_max;
                if exponent == -290 && error > 0.0 {
                    // Coordinates below 2^-300 count as zero, a part of these, and products of them
                    // vanish; the answer says so.
                    assert!(error < 2f64.powi(-292), "{}: {same:?}", large.name);
                    continue;
                }
                assert_eq!(one.verdict, same.verdict, "{}: {motion:?}", large.name);
                assert!(from <= end, "early, {}: {one:?} {same:?}", large.name);
                if one.verdict == Verdict::Free {
                    continue;
                }
                assert!(end - start <= 1.01e-6, "{}: {same:?}", large.name);
                hits += 1;
            }
        }
    }
    assert!(hits > 150, "{hits}");
}
