//! What an engine remembers of a pair saves time and changes no answer: long sequences of small
//! steps and jumps, asked with and without memory.

use crate::duel::{
    Couple, ask, assert_alike, comb, job, litter, moved, nested, plate, sample, soup,
};
use crate::random::Random;
use impinge::contract::answer::Answers;
use impinge::contract::engine::{Engine, Scratch};
use impinge::contract::job::{Batch, Job};
use impinge::narrow;
use impinge::prelude::*;
use std::sync::Arc;

const STEPS: usize = 300;

fn couples() -> Vec<Couple> {
    let knot = sample("torus-knot?segments=60&sides=6");
    vec![
        Couple::new("knots", knot.clone(), knot),
        Couple::new("ball, torus", sample("sphere?faces=400"), sample("torus")),
        Couple::new("combs", comb(9), comb(9)),
        Couple::new("plate, polytope", plate(7), sample("polytope")),
        Couple::new("nested, box", nested(), sample("box?x=0.1&y=0.1&z=0.1")),
        Couple::new("litter", litter(100, 5), litter(300, 6)),
    ]
}

/// Answers to the same jobs, with what the engine remembers of earlier steps.
struct Walk<'a> {
    engine: &'a dyn Engine,
    scratch: Scratch,
    answers: Answers,
}

impl Walk<'_> {
    fn ask(&mut self, jobs: &[Job], query: &Query) -> &Answers {
        let batch = Batch { jobs, query };
        self.engine.collide(&batch, &mut self.scratch, &mut self.answers.refill());
        &self.answers
    }
}

/// A walk of B about A: mostly small steps in and out of contact, now and then a jump.
fn walk(couple: &Couple, random: &mut Random) -> Vec<[Pose; 2]> {
    let [a, b] = couple.radii();
    let mut quaternion = random.quaternion();
    let mut way = random.vector(a + b);
    let base = random.vector(a);
    let mut poses = Vec::new();
    for step in 0..STEPS {
        if random.next().is_multiple_of(40) {
            (quaternion, way) = (random.quaternion(), random.vector(a + b));
        }
        let mut small = |x: &mut f64| *x += 4e-3 * random.symmetric();
        quaternion.iter_mut().for_each(&mut small);
        way.iter_mut().for_each(|x| *x += 4e-3 * (a + b) * random.symmetric());
        // From apart to well within each other and back, four times.
        let depth = 0.65 + 0.45 * (step as f64 * (8.0 * std::f64::consts::PI / 300.0)).cos();
        let there = std::array::from_fn(|k| base[k] + depth * way[k]);
        let poses_of_step = [Pose::shift(base), Pose::new(quaternion, there)];
        poses.push(poses_of_step.map(|pose| pose.expect("a rotation and finite numbers")));
    }
    poses
}

fn with_key(poses: [Pose; 2], key: u64) -> Job {
    Job { memory: Some(key), ..job(poses) }
}

/// Whether two answers to one job are the same to whoever asks.
fn assert_same(context: &str, query: &Query, [with, without]: [&Answers; 2]) {
    for (one, other) in with.all().iter().zip(without.all()) {
        let context = format!("{context}, job {}, {query:?}", one.job);
        if query.want == Want::Touching {
            // Which pair stands for a hit may change, and how it was found; nothing else.
            assert_eq!(one.verdict, other.verdict, "{context}");
            let counts = [with.triangle_pairs(one).len(), without.triangle_pairs(other).len()];
            assert_eq!(counts[0], counts[1], "{context}");
            let apart = [one, other].map(|answer| answer.clearance);
            assert_eq!(apart[0].is_some(), apart[1].is_some(), "{context}");
            if let [Some(p), Some(q)] = apart {
                assert!((p.at_most - q.at_most).abs() <= 1e-12, "{context}: {p:?} {q:?}");
                assert!(p.at_least <= q.at_most && q.at_least <= p.at_most, "{context}");
            }
        } else {
            assert_alike(&context, 1.0, [(with, one), (without, other)]);
        }
    }
}

#[test]
fn memory_changes_no_answer() {
    let mut random = Random(31);
    let near = Query { gap: Gap::Below(0.05), ..Query::CONTACTS };
    let fit = Query { gap: Gap::Measure, ..Query::PAIRS };
    let queries = [Query::TOUCHING, Query::PAIRS, Query::CONTACTS, Query::CLEARANCE, near, fit];
    let (mut hits, mut free) = (0, 0);
    for couple in couples() {
        for name in narrow::exact_names() {
            let engine = couple.engine(name);
            if name == "brute" {
                continue;
            }
            for query in queries {
                // Two walks in one batch, so that one memory is not taken for the other.
                let walks = [walk(&couple, &mut random), walk(&couple, &mut random)];
                let mut kept = Walk {
                    engine: &*engine,
                    scratch: Scratch::default(),
                    answers: Answers::default(),
                };
                for (step, (&one, &other)) in walks[0].iter().zip(&walks[1]).enumerate() {
                    let keyed = [with_key(one, 7), with_key(other, u64::MAX)];
                    let plain = keyed.clone().map(|job| Job { memory: None, ..job });
                    let (without, _) = ask(&*engine, &plain, &query);
                    let with = kept.ask(&keyed, &query);
                    let context = format!("{}, {name}, step {step}", couple.name);
                    assert_same(&context, &query, [with, &without]);
                    hits += without.all().iter().filter(|x| x.verdict != Verdict::Free).count();
                    free += without.all().iter().filter(|x| x.verdict == Verdict::Free).count();
                }
            }
        }
    }
    assert!(hits > 3000 && free > 3000, "{hits} hits, {free} free");
}

/// The queries take turns, so that what one leaves behind is what the next one finds.
#[test]
fn memory_of_one_question_serves_another() {
    let mut random = Random(32);
    let cut = Query { budget: Budget::Work(500), ..Query::CLEARANCE };
    let queries = [Query::TOUCHING, Query::CLEARANCE, cut, Query::PAIRS, Query::CONTACTS];
    for couple in couples() {
        let engine = couple.engine("bvh");
        let mut kept =
            Walk { engine: &*engine, scratch: Scratch::default(), answers: Answers::default() };
        for (step, poses) in walk(&couple, &mut random).into_iter().enumerate() {
            let query = queries[step % queries.len()];
            let with = kept.ask(&[with_key(poses, 1)], &query);
            if query == cut {
                continue;
            }
            let (without, _) = ask(&*engine, &[job(poses)], &query);
            let context = format!("{}, step {step}", couple.name);
            assert_same(&context, &query, [with, &without]);
        }
    }
}

/// A shape that changes under its number, as a body that is bent does: what was remembered of the
/// old one may name triangles and boxes that are gone.
#[test]
fn memory_survives_another_mesh() {
    let mut random = Random(33);
    let triangle = soup(&[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.5, -0.5, 0.25]]]);
    let couple = Couple::new("knots", sample("torus-knot?segments=60&sides=6"), sample("torus"));
    let [knot, torus] = couple.meshes.clone();
    let meshes = [knot, Arc::new(triangle), torus, Arc::new(plate(2))];
    let mut scratch = Scratch::default();
    let mut answers = Answers::default();
    let mut engine = couple.engine("bvh");
    for (step, poses) in walk(&couple, &mut random).into_iter().enumerate() {
        if step % 5 == 4 {
            let shape = ShapeId((step / 5 % 2) as u32);
            let mesh = &meshes[(random.next() % 4) as usize];
            engine.prepare(shape, mesh).expect("any mesh will do");
        }
        for query in [Query::TOUCHING, Query::CLEARANCE, Query::CONTACTS] {
            let (without, _) = ask(&*engine, &[job(poses)], &query);
            let jobs = [with_key(poses, 3)];
            let batch = Batch { jobs: &jobs, query: &query };
            engine.collide(&batch, &mut scratch, &mut answers.refill());
            assert_same(&format!("step {step}"), &query, [&answers, &without]);
        }
    }
}

/// Both bodies move, in steps that are small beside the gap between them, to and fro across the place
/// where they begin to touch; far from the origin or not, and of like size or not.
#[test]
fn memory_changes_no_answer_near_contact() {
    let mut random = Random(34);
    let knot = sample("torus-knot?segments=60&sides=6");
    let small = moved(&knot, 1e-3, [5.0, 0.0, 0.0]);
    let mut couples = couples();
    couples.push(Couple::new("knot, small knot", knot.clone(), small));
    couples.push(Couple::new("large knot, knot", moved(&knot, 1e4, [0.0; 3]), knot));
    let (mut hits, mut free) = (0, 0);
    for couple in couples {
        let engine = couple.engine("bvh");
        for (part, far) in [(1e-2, 0.0), (1e-3, 1e3), (1e-4, 0.0), (1e-4, 1e8)] {
            let mut kept =
                Walk { engine: &*engine, scratch: Scratch::default(), answers: Answers::default() };
            let [a, b] = couple.radii();
            let spin = random.vector(1.0);
            let (base, way) = (random.vector(far), random.vector(1.0));
            let poses = |at: f64, step: usize| {
                let [x, y, z] = spin.map(|x| x * part * step as f64);
                let drift = base.map(|x| x + part * a.min(b) * step as f64);
                let there = std::array::from_fn(|k| drift[k] + at * way[k]);
                [Pose::new([1.0, y, -x, 0.5 * z], drift), Pose::new([1.0, x, y, z], there)]
                    .map(|pose| pose.expect("a rotation and finite numbers"))
            };
            let touches = |at: f64| {
                let (found, _) = ask(&*engine, &[job(poses(at, 0))], &Query::TOUCHING);
                found.all()[0].verdict != Verdict::Free
            };
            // Between free and touching along the way, if anything touches there.
            let [mut near, mut away] = [0.0, 12.0 * (a + b)];
            for _ in 0..60 {
                let middle = 0.5 * (near + away);
                *if touches(middle) { &mut near } else { &mut away } = middle;
            }
            for step in 0..200 {
                let wave = (step as f64 * 0.1).sin() + 0.7;
                let poses = poses(away + 10.0 * part * a.min(b) * wave, step);
                let (without, _) = ask(&*engine, &[job(poses)], &Query::TOUCHING);
                let with = kept.ask(&[with_key(poses, 9)], &Query::TOUCHING);
                let context = format!("{}, {part}, {far}, step {step}", couple.name);
                assert_same(&context, &Query::TOUCHING, [with, &without]);
                let is_free = without.all()[0].verdict == Verdict::Free;
                *if is_free { &mut free } else { &mut hits } += 1;
            }
        }
    }
    assert!(hits > 1000 && free > 1000, "{hits} hits, {free} free");
}
