//! Inputs that could cost the square of their size, or more memory than they are worth: equal bodies
//! at one place, thousands of coincident faces, sizes and distances at the ends of what is legal.
//!
//! Times are bounded generously: tests run on busy machines and without full optimisation.

#[path = "all/duel.rs"]
mod duel;
#[path = "all/random.rs"]
mod random;

use duel::{Couple, ask, assert_alike, inverted, job, joined, litter, moved, plate, sample, soup};
use impinge::contract::job::Job;
use impinge::narrow;
use impinge::prelude::*;
use impinge_geom::Triangle;
use random::Random;
use std::time::{Duration, Instant};

const FIT: Query = Query { gap: Gap::Measure, ..Query::CONTACTS };

/// Answers of the default engine to one job, and how long they took.
fn timed(couple: &Couple, one: Job, query: &Query) -> (usize, Verdict, Option<f64>, Duration) {
    let engine = couple.engine("bvh");
    let start = Instant::now();
    let (answers, _) = ask(&*engine, &[one], query);
    let took = start.elapsed();
    let answer = &answers.all()[0];
    let apart = answer.clearance.map(|found| found.at_most);
    println!("{}, {:?}, {:?}: {took:?}", couple.name, query.want, query.gap);
    (answers.triangle_pairs(answer).len(), answer.verdict, apart, took)
}

fn shifted(z: f64) -> Job {
    job([Pose::IDENTITY, Pose::shift([0.0, 0.0, z]).expect("finite")])
}

/// `count` times the same triangle.
fn stack(count: usize) -> Mesh {
    let one: Triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    soup(&vec![one; count])
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn equal_bodies_at_one_place_cost_what_their_contact_does() {
    let ball = sample("sphere?faces=2000");
    let faces = ball.triangles().len();
    let couple = Couple::new("equal balls", ball.clone(), ball);
    let turned = Pose::new([0.3, 0.2, -0.7, 0.4], [0.1, 0.2, 0.3]).expect("a rotation");
    for one in [job([Pose::IDENTITY; 2]), job([turned; 2])] {
        let (pairs, verdict, _, took) = timed(&couple, one.clone(), &Query::PAIRS);
        assert_eq!(verdict, Verdict::Hit(HitKind::Surface));
        assert!(pairs >= 13 * faces - 500 && pairs <= 16 * faces && took < 2 * SECOND);
        let brute = ask(&*couple.engine("brute"), std::slice::from_ref(&one), &Query::PAIRS).0;
        assert_eq!(brute.triangle_pairs(&brute.all()[0]).len(), pairs);
        let (_, _, _, took) = timed(&couple, one, &Query::TOUCHING);
        assert!(took < SECOND / 4);
    }
}

#[test]
fn thousands_of_coincident_faces_meet_at_once() {
    let couple = Couple::new("coincident", stack(3000), stack(3000));
    let (pairs, verdict, _, took) = timed(&couple, shifted(0.0), &Query::TOUCHING);
    assert_eq!((pairs, verdict), (1, Verdict::Hit(HitKind::Surface)));
    assert!(took < SECOND / 4, "{took:?}");
    // All pairs do meet, so all pairs are told; no more than a bounded time for each.
    let (pairs, _, _, took) = timed(&couple, shifted(0.0), &Query::PAIRS);
    assert_eq!(pairs, 9_000_000);
    assert!(took < 30 * SECOND, "{took:?}");
}

/// All pairs are equally near, and each is looked at: the time follows their number, 10⁶ here.
#[test]
fn coincident_faces_at_a_distance_are_measured() {
    for (name, a, b) in [
        ("stacks", stack(3000), stack(3000)),
        ("stack, plate", stack(2000), plate(20)),
        ("points", soup(&[[[0.5; 3]; 3]; 3000]), soup(&[[[0.5; 3]; 3]; 3000])),
    ] {
        let couple = Couple::new(name, a, b);
        for gap in [0.25, 1e-3, 1e-9, 1e-13] {
            let (_, verdict, apart, took) = timed(&couple, shifted(gap), &Query::CLEARANCE);
            assert_eq!(verdict, Verdict::Free);
            let apart = apart.expect("it was asked for");
            assert!((apart - gap).abs() <= 1e-12, "{name}, {gap}: {apart}");
            assert!(took < 6 * SECOND, "{name}, {gap}: {took:?}");
        }
    }
}

#[test]
fn bodies_equally_far_apart_everywhere_cost_no_square() {
    let ball = sample("sphere?faces=8000");
    let around = joined(&[moved(&ball, 2.0, [0.0; 3]), inverted(&moved(&ball, 1.25, [0.0; 3]))]);
    for (couple, one) in [
        (Couple::new("plates", plate(60), plate(60)), shifted(0.125)),
        (Couple::new("unlike plates", plate(60), plate(41)), shifted(1e-7)),
        (Couple::new("ball in hollow", around, ball), job([Pose::IDENTITY; 2])),
    ] {
        let (_, verdict, apart, took) = timed(&couple, one, &Query::CLEARANCE);
        assert_eq!(verdict, Verdict::Free, "{}", couple.name);
        assert!(apart.is_some() && took < 3 * SECOND, "{}: {took:?}", couple.name);
    }
}

#[test]
fn a_large_soup_is_built_and_asked_quickly() {
    let couple = Couple::new("soup", litter(100_000, 8), litter(1000, 9));
    let start = Instant::now();
    drop(couple.engine("bvh"));
    println!("built in {:?}", start.elapsed());
    assert!(start.elapsed() < 5 * SECOND);
    for (distance, query) in [(0.0, Query::TOUCHING), (0.5, Query::PAIRS), (4.5, Query::CLEARANCE)]
    {
        let (_, verdict, apart, took) = timed(&couple, shifted(distance), &query);
        assert_eq!(verdict == Verdict::Free, distance > 2.0);
        assert_eq!(apart.is_some(), distance > 2.0);
        assert!(took < 5 * SECOND, "{took:?}");
    }
}

/// Sizes and distances that do not fit into one f32 frame must not cost an answer.
#[test]
fn extreme_sizes_and_distances_are_answered_as_by_brute_force() {
    let mut random = Random(14);
    let shapes = [sample("polytope?corners=12"), plate(2), litter(20, 4), sample("box")];
    let sizes = [1e-80, 1e-45, 1e-30, 1e-19, 1e-10, 1.0, 1e10, 1e19, 1e30, 1e45, 1e80];
    let (mut hits, mut clearances) = (0, 0);
    for (i, &a) in sizes.iter().enumerate() {
        for &b in &sizes[..=i] {
            let [x, y] = [(); 2].map(|()| &shapes[(random.next() % 4) as usize]);
            let name = format!("size {a:e} and {b:e}");
            let couple = Couple::new(&name, moved(x, a, [0.0; 3]), moved(y, b, [0.0; 3]));
            let flipped = Couple { meshes: [1, 0].map(|k: usize| couple.meshes[k].clone()), name };
            for couple in [couple, flipped] {
                let mut jobs = vec![job([Pose::IDENTITY; 2])];
                for far in [0.3 * b, b, 1.1 * (a + b), 1e8 * b, 1e8 * a, 1e80] {
                    let turn = [random.quaternion(), random.quaternion()];
                    let there = Pose::new(turn[1], random.vector(far)).expect("a rotation");
                    jobs.push(job([Pose::new(turn[0], [0.0; 3]).expect("a rotation"), there]));
                }
                let (truth, _) = ask(&*couple.engine("brute"), &jobs, &FIT);
                for name in narrow::exact_names() {
                    let (answers, _) = ask(&*couple.engine(name), &jobs, &FIT);
                    for (answer, known) in answers.all().iter().zip(truth.all()) {
                        let apart = known.clearance.map_or(0.0, |found| found.at_most);
                        let context = format!("{}, {name}, pose {}", couple.name, answer.job);
                        let size = apart.max(a + b);
                        assert_alike(&context, size, [(&answers, answer), (&truth, known)]);
                        hits += usize::from(known.verdict != Verdict::Free);
                        clearances += usize::from(known.clearance.is_some());
                    }
                }
            }
        }
    }
    assert!(hits > 300 && clearances > 300, "{hits} {clearances}");
}
