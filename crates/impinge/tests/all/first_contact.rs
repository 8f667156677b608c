//! The first contact of rigid motions, against the exact static test at many instants: nothing meets
//! before the interval begins, something does when it ends, and what is called free never meets.

use crate::duel::{self, Couple, ask, litter, moved, plate, sample};
use crate::random::Random;
use crate::ways::{moving, random_motion, random_pose, still, travel};
use impinge::contract::answer::Answer;
use impinge::contract::job::{Job, Placed, Placement};
use impinge::prelude::*;
use std::f64::consts::PI;

/// Whether the two touch at a time, decided exactly by the static query.
fn touch(couple: &Couple, job: &Job, times: &[f64]) -> Vec<bool> {
    let engine = couple.engine("bvh");
    let at = |time: &f64| {
        let fixed = |placed: &Placed| Placed {
            shape: placed.shape,
            placement: Placement::Fixed(placed.placement.at(*time)),
        };
        Job { a: fixed(&job.a), b: fixed(&job.b), itself: false, memory: None, priority: 1.0 }
    };
    let jobs: Vec<Job> = times.iter().map(at).collect();
    let (answers, _) = ask(&*engine, &jobs, &Query::TOUCHING);
    answers.all().iter().map(|answer| matches!(answer.verdict, Verdict::Hit(_))).collect()
}

/// The answer, held against the static query at many instants.
fn checked(couple: &Couple, job: &Job, samples: u32) -> Answer {
    let engine = couple.engine("bvh");
    let (answers, _) = ask(&*engine, std::slice::from_ref(job), &Query::FIRST_CONTACT);
    let answer = answers.all()[0].clone();
    let context = format!("{}: {answer:?}", couple.name);
    let [from, to] = match answer.verdict {
        Verdict::Hit(_) => answer.time.expect("a contact has its time"),
        Verdict::Free => [1.0, 1.0],
        Verdict::Unknown => panic!("{context}"),
    };
    let even = (0..samples).map(|k| from * f64::from(k) / f64::from(samples));
    let near = (4..50).map(|k| from - from * 0.5f64.powi(k));
    let times: Vec<f64> = even.chain(near).collect();
    for (time, touches) in times.iter().zip(touch(couple, job, &times)) {
        assert!(!touches || *time >= from, "late: touches at {time}, {context}");
    }
    if let Verdict::Hit(_) = answer.verdict {
        assert!(to - from <= 1.01e-6, "{context}");
        if answer.guarantee.error_max == 0.0 {
            assert!(touch(couple, job, &[to])[0], "no contact at the end, {context}");
        }
    } else {
        assert!(!touch(couple, job, &[1.0])[0], "{context}");
    }
    answer
}

fn kinds() -> Vec<Couple> {
    vec![
        Couple::new(
            "knots",
            sample("torus-knot?segments=30&sides=5"),
            sample("torus-knot?segments=25&sides=4"),
        ),
        Couple::new("boxes", sample("box"), sample("box")),
        Couple::new("ball and soup", sample("sphere?faces=200"), litter(60, 11)),
        Couple::new("plates", plate(4), plate(3)),
        Couple::new("small and large", moved(&sample("sphere?faces=80"), 0.01, [0.0; 3]), plate(8)),
    ]
}

#[test]
fn random_motions_are_never_late_and_never_missed() {
    let mut random = Random(5);
    let (mut hits, mut free) = (0, 0);
    for couple in kinds() {
        let reach = 1.2 * (couple.radii()[0] + couple.radii()[1]);
        for k in 0..60 {
            let turns = [0.1, 0.5, 2.0][k % 3];
            let b = moving(random_motion(&mut random, reach, turns));
            let a = match k % 4 {
                0 => moving(random_motion(&mut random, reach, turns)),
                _ => still(),
            };
            let ways = if k % 8 == 5 { [b, a] } else { [a, b] };
            match checked(&couple, &travel(ways), 150).verdict {
                Verdict::Free => free += 1,
                _ => hits += 1,
            }
        }
    }
    println!("{hits} hits, {free} free");
    assert!(hits > 60 && free > 60, "{hits} hits, {free} free");
}

/// A bar that turns about its end, up to three times, hits the peg on its first pass.
#[test]
fn a_turning_bar_hits_the_peg_the_first_time() {
    let bar = sample("box?x=1&y=0.02&z=0.2");
    let peg = sample("box?x=0.01&y=0.01&z=0.5");
    let bounds = bar.bounds();
    let couple = Couple::new("bar and peg", peg, bar);
    let place = Pose::shift([0.9 * 2.0f64.cos(), 0.9 * 2.0f64.sin(), 0.0]).expect("finite");
    let start = Pose::shift([-bounds.min[0], 0.0, 0.0]).expect("finite");
    for angle in [5.0, 6.2, 10.0, 20.0] {
        let screw = Screw { point: [0.0; 3], direction: [0.0, 0.0, 1.0], angle, advance: 0.0 };
        let motion = Motion::screw(start, screw).expect("a screw");
        let job = travel([Placement::Fixed(place), moving(motion)]);
        let answer = checked(&couple, &job, 2000);
        let [from, _] = answer.time.expect("it hits");
        // The peg's near corner and half the thickness of the bar come before two radians.
        assert!(from * angle > 1.97 && from * angle < 2.0, "{}", from * angle);
        assert!(answer.first.is_some_and(|first| first.within == 0.0));
    }
}

/// Flat against flat, everywhere at once.
#[test]
fn plates_that_meet_flat_meet_in_time() {
    let couple = Couple::new("plates", plate(16), plate(16));
    let (high, low) = ([0.01, 0.02, 1.0], [0.01, 0.02, -1.0]);
    let [from, to] = [high, low].map(|place| Pose::shift(place).expect("finite"));
    let job = travel([still(), moving(Motion::lerp_slerp(from, to))]);
    let [from, to] = checked(&couple, &job, 100).time.expect("they meet");
    assert!(from <= 0.5 && 0.5 <= to, "{from} {to}");
}

/// Sliding beside each other at any gap is free.
#[test]
fn plates_that_slide_past_each_other_are_free() {
    let couple = Couple::new("plates", plate(8), plate(8));
    for gap in [1e-2, 1e-4, 1e-6, 1e-9, 1e-12] {
        let [from, to] = [-0.7, 0.9].map(|x| Pose::shift([x, 0.1, gap]).expect("finite"));
        let job = travel([still(), moving(Motion::lerp_slerp(from, to))]);
        assert_eq!(checked(&couple, &job, 50).verdict, Verdict::Free, "{gap}");
        let query = Query { gap: Gap::Measure, ..Query::FIRST_CONTACT };
        let engine = couple.engine("bvh");
        let (answers, _) = ask(&*engine, &[job], &query);
        let clearance = answers.all()[0].clearance.expect("it was asked for");
        assert!(clearance.at_least <= gap * 1.001 && clearance.at_most >= gap * 0.999);
        assert!(clearance.at_least >= 0.99 * gap || gap < 1e-11, "{clearance:?}");
    }
}

#[test]
fn what_touches_at_the_start_is_told_and_new_contacts_can_be_asked_for() {
    let couple = Couple::new("boxes", sample("box"), sample("box"));
    let size = couple.meshes[0].bounds().size();
    // On top of each other, then down beside the first again.
    let on_top = Pose::shift([0.5 * size[0], 0.0, size[2]]).expect("finite");
    let away = Pose::shift([3.0 * size[0], 0.0, size[2]]).expect("finite");
    let job = travel([still(), moving(Motion::lerp_slerp(on_top, away))]);
    let engine = couple.engine("bvh");
    let query = Query { mode: Mode::Dynamic, ..Query::PAIRS };
    let (answers, _) = ask(&*engine, std::slice::from_ref(&job), &query);
    let answer = &answers.all()[0];
    assert_eq!((answer.verdict, answer.time), (Verdict::Hit(HitKind::Surface), Some([0.0; 2])));
    assert!(!answers.triangle_pairs(answer).is_empty());
    let lifted = Pose::shift([0.5 * size[0], 0.0, 2.0 * size[2]]).expect("finite");
    let job = travel([still(), moving(Motion::lerp_slerp(on_top, lifted))]);
    let query = Query { onset: Onset::New, ..Query::FIRST_CONTACT };
    let (answers, _) = ask(&*engine, &[job], &query);
    assert_eq!(answers.all()[0].verdict, Verdict::Free);
}

/// The least gap over a motion, against the static clearance at many instants.
#[test]
fn the_least_gap_is_below_all_that_is_seen() {
    let couple = Couple::new(
        "knots",
        sample("torus-knot?segments=30&sides=5"),
        sample("torus-knot?segments=25&sides=4"),
    );
    let engine = couple.engine("bvh");
    let mut random = Random(77);
    let query = Query { gap: Gap::Measure, ..Query::FIRST_CONTACT };
    let mut measured = 0;
    for _ in 0..40 {
        let motion = random_motion(&mut random, 3.0, 0.3);
        let job = travel([still(), moving(motion)]);
        let (answers, _) = ask(&*engine, &[job], &query);
        let answer = &answers.all()[0];
        let Some(gap) = answer.clearance else { continue };
        measured += 1;
        assert!(gap.at_least >= 0.998 * gap.at_most, "{gap:?}");
        let jobs: Vec<Job> = (0..=200)
            .map(|k| duel::job([Pose::IDENTITY, motion.pose_at(f64::from(k) / 200.0)]))
            .collect();
        let (samples, _) = ask(&*engine, &jobs, &Query::CLEARANCE);
        for sample in samples.all() {
            let seen = sample.clearance.expect("free at all times");
            assert!(gap.at_least <= seen.at_most, "{gap:?} {seen:?}");
        }
        let [time, _] = answer.time.expect("when it is least");
        let there = duel::job([Pose::IDENTITY, motion.pose_at(time)]);
        let (there, _) = ask(&*engine, &[there], &Query::CLEARANCE);
        let there = there.all()[0].clearance.expect("free");
        assert!((there.at_most - gap.at_most).abs() <= 1e-9, "{there:?} {gap:?}");
    }
    assert!(measured > 5, "{measured}");
}

/// Only the earliest of all pairs is told; the others are open from there on.
#[test]
fn the_first_of_all_ends_the_search_in_the_others() {
    let couple = Couple::new("boxes", sample("box"), sample("box"));
    let size = couple.meshes[0].bounds().size()[0];
    let towards = |far: f64| {
        let [from, to] = [far, 0.0].map(|x| Pose::shift([x * size, 0.0, 0.0]).expect("finite"));
        travel([still(), moving(Motion::lerp_slerp(from, to))])
    };
    let jobs = [towards(4.0), towards(2.0), towards(8.0)];
    let query = Query { onset: Onset::FirstOfAll, ..Query::FIRST_CONTACT };
    let (answers, _) = ask(&*couple.engine("bvh"), &jobs, &query);
    let verdicts: Vec<Verdict> = answers.all().iter().map(|answer| answer.verdict).collect();
    let hit = Verdict::Hit(HitKind::Surface);
    assert_eq!(verdicts, [Verdict::Unknown, hit, Verdict::Unknown]);
    let [from, to] = answers.all()[1].time.expect("it hits");
    assert!(from <= 0.5 && 0.5 <= to, "{from} {to}");
    assert!(answers.all()[2].time.is_some_and(|[since, _]| (since - from).abs() < 1e-9));
}

/// Half a turn of a large body about an axis that is far away.
#[test]
fn far_axes_and_large_coordinates_do_not_hurt() {
    let couple = Couple::new(
        "knots",
        sample("torus-knot?segments=30&sides=5"),
        sample("torus-knot?segments=25&sides=4"),
    );
    let mut random = Random(3);
    for k in 0..12 {
        let far = [10.0, 1e3, 1e6][k % 3];
        let start = random_pose(&mut random, 1.0);
        let screw = Screw {
            point: [far, 0.0, 0.0],
            direction: [0.0, 0.3, 1.0],
            angle: PI / far * random.symmetric(),
            advance: random.symmetric(),
        };
        let motion = Motion::screw(start, screw).expect("finite");
        checked(&couple, &travel([still(), moving(motion)]), 100);
    }
}

/// A body that folds into itself does so at all times, which is not the first contact of anything.
#[test]
fn a_body_that_folds_into_itself_does_not_end_the_search() {
    let folded = duel::joined(&[sample("box"), moved(&sample("box"), 0.7, [0.4, 0.3, 0.2])]);
    let couple = Couple::new("folded and box", folded, sample("box"));
    let engine = couple.engine("bvh");
    let towards = |far: f64| {
        let [from, to] = [far, 0.0].map(|x| Pose::shift([x, 0.0, 0.0]).expect("finite"));
        moving(Motion::lerp_slerp(from, to))
    };
    let alone = |shape: u32| {
        let a = Placed { shape: ShapeId(shape), placement: towards(8.0) };
        Job { a: a.clone(), b: a, itself: true, memory: None, priority: 1.0 }
    };
    let jobs =
        [alone(0), travel([still(), towards(4.0)]), alone(1), travel([still(), towards(8.0)])];
    let query = Query { onset: Onset::FirstOfAll, ..Query::FIRST_CONTACT };
    let (answers, _) = ask(&*engine, &jobs, &query);
    let verdicts: Vec<Verdict> = answers.all().iter().map(|answer| answer.verdict).collect();
    let hit = Verdict::Hit(HitKind::Surface);
    // The farther one comes faster, and meets the first later all the same.
    assert_eq!(verdicts, [hit, hit, Verdict::Free, Verdict::Unknown]);
    assert_eq!(answers.all()[0].time, Some([0.0; 2]));
    let [from, _] = answers.all()[1].time.expect("it hits");
    assert!(from > 0.5, "{from}");
    let query = Query { onset: Onset::New, ..Query::FIRST_CONTACT };
    let (answers, _) = ask(&*engine, &jobs[..1], &query);
    assert_eq!(answers.all()[0].verdict, Verdict::Free);
}

/// Thousands of turns about a post are too many steps, and then there is a wall: contact is proven,
/// and the interval says that it is not known when.
#[test]
fn what_is_given_up_does_not_hide_a_contact() {
    let wall = [[-9.0, -9.0, 1.0], [9.0, -9.0, 1.0], [0.0, 9.0, 1.0]];
    let post = [[0.0, 0.1, -1.0], [-0.1, -0.1, -1.0], [0.1, 0.0, 3.0]];
    let flyer = [[1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [1.2, 0.0, 0.1]];
    let thick = duel::joined(&[duel::soup(&[wall]), sample("box?x=0.2&y=0.2&z=4")]);
    let couples = [
        Couple::new("a post", duel::soup(&[post, wall]), duel::soup(&[flyer])),
        Couple::new("a thick post", thick, moved(&sample("box"), 0.1, [1.0, 0.0, 0.0])),
    ];
    for (couple, angle) in couples.into_iter().zip([6e3, 3e4]) {
        let direction = [0.0, 0.0, 1.0];
        let screw = Screw { point: [0.0; 3], direction, angle, advance: 2.0 };
        let job = travel([still(), moving(Motion::screw(Pose::IDENTITY, screw).expect("a screw"))]);
        let (answers, _) = ask(&*couple.engine("bvh"), &[job], &Query::FIRST_CONTACT);
        let answer = &answers.all()[0];
        assert_eq!(answer.verdict, Verdict::Hit(HitKind::Surface), "{}: {answer:?}", couple.name);
        let [from, to] = answer.time.expect("it hits");
        // The upper end of the flyer reaches the wall before the half.
        assert!(from < 0.45 && (0.449..0.6).contains(&to), "{}: {answer:?}", couple.name);
        assert!(!answer.guarantee.may_invent, "{}: {answer:?}", couple.name);
        let without = duel::soup(&[post]);
        let free = Couple::new("a post without a wall", without, (*couple.meshes[1]).clone());
        let motion = Motion::screw(Pose::IDENTITY, screw).expect("a screw");
        let job = travel([still(), moving(motion)]);
        let (answers, _) = ask(&*free.engine("bvh"), &[job], &Query::FIRST_CONTACT);
        let answer = &answers.all()[0];
        assert_eq!(answer.verdict, Verdict::Unknown, "{answer:?}");
        assert!(answer.time.is_some_and(|[from, to]| from > 0.0 && to == 1.0), "{answer:?}");
    }
}

/// Where a free pair is nearest is told with its gap.
#[test]
fn instants_tell_when_the_gap_is_least() {
    let couple = Couple::new("boxes", sample("box"), sample("box"));
    let [from, to] = [-3.0, 5.0].map(|x| Pose::shift([x, 0.0, 1.5]).expect("finite"));
    let job = travel([still(), moving(Motion::lerp_slerp(from, to))]);
    let query = Query { mode: Mode::PseudoDynamic(8), ..Query::CLEARANCE };
    for name in ["bvh", "brute", "e99-obb"] {
        let (answers, _) = ask(&*couple.engine(name), std::slice::from_ref(&job), &query);
        let answer = &answers.all()[0];
        // At the third of eight steps it is above the other; at the second and the fourth, at an edge.
        assert!(answer.clearance.is_some_and(|gap| (gap.at_most - 0.5).abs() < 1e-9), "{answer:?}");
        let [time, same] = answer.time.expect("when it is nearest");
        assert!(time == same && (0.25..=0.5).contains(&time), "{name}: {answer:?}");
        let touching = Query { gap: Gap::Ignore, ..query };
        let (answers, _) = ask(&*couple.engine(name), std::slice::from_ref(&job), &touching);
        assert_eq!((answers.all()[0].verdict, answers.all()[0].time), (Verdict::Free, None));
    }
}
