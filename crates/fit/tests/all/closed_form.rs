//! Scenes of boxes whose answers are known in closed form.

use crate::parts::{allow, answer, ask, assembly, assert_holds, at, body, boxes, cube, path, tube};
use impinge_fit::answer::{Answer, Feature, Kind, Side, State, Verdict};
use impinge_fit::assembly::FitError;
use impinge_fit::prelude::*;
use impinge_geom::aabb::Aabb;
use impinge_geom::motion::path::Path;
use impinge_geom::motion::{Motion, Screw};
use impinge_geom::pose::Pose;
use impinge_scene::scene::fit::Until;
use std::f64::consts::TAU;

/// A peg of half width 1 along a hole that is wider by `gap` on each side.
fn peg(gap: f64, path: Path) -> Assembly {
    let plate = body("plate", tube(1.0 + gap, [-1.0, 1.0]), Pose::IDENTITY);
    assembly(vec![body("peg", cube(1.0), at(0.0, 0.0, 5.0)), plate], path)
}

fn through() -> Path {
    path(&[at(0.0, 0.0, 5.0), at(0.0, 0.0, -5.0)])
}

#[track_caller]
fn assert_clearance(answer: &Answer, truth: f64) {
    assert_eq!(answer.verdict, Verdict::Free);
    let found = answer.clearance.expect("something counts");
    let (least, most) = (found.at_least, found.nearest.at_most);
    assert!(least <= truth * (1.0 + 1e-12) && truth * (1.0 - 1e-9) <= most, "{least} {most}");
    assert!(least >= truth * 0.997, "{least} is far from {truth}");
}

#[test]
fn a_peg_passes_a_hole_that_is_wider() {
    for gap in [0.5, 1e-2, 1e-4, 1e-6] {
        let found = answer(peg(gap, through()));
        assert_clearance(&found, gap);
        assert!(found.contact.is_none() && found.intervals.is_empty() && !found.partial);
        let nearest = found.clearance.unwrap().nearest;
        let [a, b] = nearest.points;
        let length = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        assert!((length - gap).abs() < 1e-12);
    }
}

#[test]
fn a_peg_does_not_pass_a_hole_that_is_narrower() {
    for gap in [-0.5, -1e-2, -1e-6, 0.0] {
        let found = answer(peg(gap, through()));
        assert_eq!(found.verdict, Verdict::Contact, "{gap}");
        let contact = found.contact.unwrap();
        // The lower end of the peg meets the upper side of the plate at z = 1: after 3 of 10.
        assert_holds(contact.time, 0.3, 2e-6);
        assert_eq!((contact.kind, contact.at_start), (Kind::Surface, false));
        assert!(!contact.triangles.is_empty());
        let normal = contact.normal.unwrap();
        assert!(gap == 0.0 || normal[2] < -0.99, "{normal:?}");
        let [interval] = found.intervals.as_slice() else { panic!("{:?}", found.intervals) };
        assert_holds(interval.enter, 0.3, 2e-6);
        assert_holds(interval.leave, 0.7, 2e-6);
        assert!(interval.certain && found.pairs[0].intervals == 1);
    }
}

#[test]
fn a_graze_is_never_called_free() {
    // Beside the wall, at a distance of zero: exactly, and up to rounding after a turn.
    let turned = Pose::new([0.9, 0.1, -0.3, 0.2], [0.4, -7.0, 0.3]).unwrap();
    for place in [Pose::IDENTITY, turned] {
        let wall = body("wall", cube(1.0), place);
        let poses = [at(2.0, 0.0, 5.0), at(2.0, 0.0, -5.0)].map(|pose| place.after(&pose));
        let found = answer(assembly(vec![body("part", cube(1.0), poses[0]), wall], path(&poses)));
        assert_ne!(found.verdict, Verdict::Free);
        let [from, to] = match found.verdict {
            Verdict::Contact => found.contact.unwrap().time,
            _ => found.undecided.unwrap(),
        };
        assert!((from - 0.3).abs() < 1e-5 && to < 0.71, "{from} {to}");
    }
}

#[test]
fn later_contacts_are_all_told() {
    let plate = |z: f64| [[-2.0, -2.0, z], [2.0, 2.0, z + 1.0]];
    let plates = boxes(&[plate(-10.0), plate(-20.0), plate(-30.0)]);
    let down = path(&[at(0.0, 0.0, 0.0), at(0.0, 0.0, -16.0), at(0.0, 0.0, -48.0)]);
    let bodies = vec![
        body("part", cube(1.0), at(0.0, 0.0, 0.0)),
        body("plates", plates, Pose::IDENTITY),
        body("floor", boxes(&[[[-9.0, -9.0, -60.0], [9.0, 9.0, -48.0]]]), Pose::IDENTITY),
    ];
    let found = answer(assembly(bodies, down));
    let when = |depth: f64| if depth < 16.0 { depth / 16.0 } else { 1.0 + (depth - 16.0) / 32.0 };
    let expected = [[8.0, 11.0], [18.0, 21.0], [28.0, 31.0], [47.0, 48.0]];
    assert_eq!(found.intervals.len(), 4, "{:?}", found.intervals);
    for (interval, [enter, leave]) in found.intervals.iter().zip(expected) {
        assert_holds(interval.enter, when(enter), 3e-6);
        assert_holds(interval.leave, when(leave), 3e-6);
    }
    assert_eq!(found.intervals.iter().map(|i| i.pair).collect::<Vec<_>>(), [0, 0, 0, 1]);
    assert_holds(found.contact.unwrap().time, 0.5, 3e-6);
}

#[test]
fn what_lies_between_samples_is_not_missed() {
    // A sheet of a millionth of the way, and two looks only: at the start and at the end.
    let sheet = boxes(&[[[-2.0, -2.0, 0.0], [2.0, 2.0, 1e-5]]]);
    let bodies =
        vec![body("part", cube(1e-3), at(0.0, 0.0, 3.0)), body("sheet", sheet, Pose::IDENTITY)];
    let down = path(&[at(0.0, 0.0, 3.0), at(0.0, 0.0, -7.0)]);
    let question = Question { samples: 2, ..Question::default() };
    let (_, found) = ask(assembly(bodies, down), &question);
    assert_holds(found.contact.unwrap().time, 0.3 - 1e-4 - 1e-6, 2e-6);
    assert_eq!(found.intervals.len(), 1);
}

#[test]
fn a_wanted_clearance_is_kept_or_not() {
    let ask = |wanted: f64| {
        let question = Question { clearance: Some(wanted), ..Question::default() };
        ask(peg(0.25, through()), &question).1
    };
    let kept = ask(0.2499);
    assert!(kept.too_close.is_none());
    assert!(kept.clearance.unwrap().at_least >= 0.2499);
    // Just as wide as it has to be is wide enough.
    let just = ask(0.25);
    assert!(just.too_close.is_none());
    assert!(just.clearance.unwrap().at_least >= 0.25 * (1.0 - 2e-9));
    let missed = ask(0.2501);
    assert_eq!(missed.verdict, Verdict::Free);
    // The corners of the peg come that near to those of the hole a little before they pass them.
    let below = (0.2501f64.powi(2) - 0.25f64.powi(2)).sqrt();
    assert_holds(missed.too_close.unwrap().time, 0.3 - 0.1 * below, 1e-5);
}

#[test]
fn what_touches_at_the_start_is_told_so() {
    let up = path(&[at(0.0, 0.0, 2.0), at(0.0, 0.0, 6.0)]);
    let bodies = || {
        vec![body("lid", cube(1.0), at(0.0, 0.0, 2.0)), body("box", cube(1.0), at(0.0, 0.0, 0.0))]
    };
    let found = answer(assembly(bodies(), up.clone()));
    let contact = found.contact.unwrap();
    assert_eq!((contact.time, contact.at_start), ([0.0; 2], true));
    assert!(found.pairs[0].at_start && contact.features.is_none() && contact.point.is_some());
    assert_holds(found.intervals[0].leave, 0.0, 1e-6);

    // A seat: allowed until it is left.
    let mut seat = assembly(bodies(), up.clone());
    seat.fit.allowed = vec![allow("box", "lid", Until::Release)];
    let (prepared, found) = ask(seat, &Question::default());
    assert_eq!(found.verdict, Verdict::Free);
    let released = prepared.pairs[0].excuses[0].ends.unwrap().time(&prepared.path);
    assert!(released > 0.0 && released < 1e-6, "{released}");
    // From there on the distance only grows, and is told where it is largest.
    assert_clearance(&found, 4.0);

    let mut for_ever = assembly(bodies(), up);
    for_ever.fit.allowed = vec![allow("lid", "box", Until::End)];
    let (prepared, found) = ask(for_ever, &Question::default());
    assert_eq!((found.verdict, found.clearance), (Verdict::Free, None));
    assert!(prepared.pairs[0].duties.is_empty() && found.pairs[0].at_start);
    assert!(found.curve.iter().all(|sample| sample.state == State::Allowed));
}

#[test]
fn after_a_release_contacts_count_again() {
    // Up from its seat, and back into it.
    let poses = [at(0.0, 0.0, 2.0), at(0.0, 0.0, 4.0), at(0.0, 0.0, 2.0), at(0.0, 0.0, 2.0)];
    let bodies = vec![body("lid", cube(1.0), poses[0]), body("box", cube(1.0), at(0.0, 0.0, 0.0))];
    let mut back = assembly(bodies, path(&poses));
    back.fit.allowed = vec![allow("lid", "box", Until::Release)];
    let found = answer(back.clone());
    assert_holds(found.contact.unwrap().time, 2.0, 4e-6);
    // A time ends an allowance too, and what touches then is a contact.
    back.fit.allowed = vec![allow("lid", "box", Until::Time(2.5))];
    let found = answer(back.clone());
    let contact = found.contact.unwrap();
    assert_eq!((contact.time, contact.at_start), ([2.5; 2], true));
    back.fit.allowed = vec![allow("lid", "box", Until::Time(1.0))];
    assert_holds(answer(back.clone()).contact.unwrap().time, 2.0, 4e-6);
    back.fit.allowed = vec![allow("lid", "box", Until::Time(3.0))];
    // At the very end it counts again.
    let (prepared, found) = ask(back, &Question::default());
    assert!(prepared.pairs[0].duties.is_empty(), "{:?}", prepared.pairs[0].duties);
    assert_eq!(found.verdict, Verdict::Free);
}

#[test]
fn the_clearance_after_a_seat_counts_once_it_no_longer_grows() {
    // Off the seat, then between two walls that are 0.25 away, then out.
    let walls =
        boxes(&[[[1.25, -2.0, 4.0], [2.0, 2.0, 5.0]], [[-2.0, -2.0, 4.0], [-1.25, 2.0, 5.0]]]);
    let bodies = vec![
        body("lid", cube(1.0), at(0.0, 0.0, 2.0)),
        body("box", boxes(&[[[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]]]), Pose::IDENTITY),
        body("walls", walls, Pose::IDENTITY),
    ];
    let mut scene = assembly(bodies, path(&[at(0.0, 0.0, 2.0), at(0.0, 0.0, 10.0)]));
    scene.fit.allowed = vec![allow("lid", "box", Until::Release)];
    assert_clearance(&answer(scene), 0.25);
}

/// A lid on a box that goes through heights above its seat, one unit of time each.
fn lifted(heights: &[f64]) -> Assembly {
    let poses: Vec<Pose> = heights.iter().map(|z| at(0.0, 0.0, 2.0 + z)).collect();
    let bodies = vec![body("lid", cube(1.0), poses[0]), body("box", cube(1.0), Pose::IDENTITY)];
    let mut scene = assembly(bodies, path(&poses));
    scene.fit.allowed = vec![allow("lid", "box", Until::Release)];
    scene
}

#[test]
fn a_short_release_is_seen_on_a_long_path() {
    // Off its seat for a moment, then in the box for almost all of the time.
    let mut heights = vec![-0.8; 1000];
    heights[..2].copy_from_slice(&[0.0, 0.5]);
    heights.push(3.0);
    let found = answer(lifted(&heights));
    assert_eq!(found.verdict, Verdict::Contact);
    assert_holds(found.contact.unwrap().time, 1.0 + 0.5 / 1.3, 2e-3);
}

#[test]
fn a_gap_that_shrinks_for_a_moment_counts_on_a_long_path() {
    // It grows evenly, but for one keyframe.
    let mut heights: Vec<f64> = (0..=2000).map(|k| 0.002 * f64::from(k)).collect();
    heights[1001] = 0.05;
    let scene = lifted(&heights);
    let question = Question { clearance: Some(0.2), ..Question::default() };
    let (_, found) = ask(scene, &question);
    assert!(found.too_close.is_some(), "{:?}", found.clearance);
    assert!((found.clearance.unwrap().nearest.at_most - 0.05).abs() < 1e-12);
}

#[test]
fn parts_far_from_the_origin_are_answered_in_time() {
    // Coordinates are exact to 1e-7 there, and the gap is a thousandth.
    let far = 1e9;
    let bodies = vec![
        body("part", cube(1.0), at(far, 0.0, 5.0)),
        body("floor", boxes(&[[[-9.0, -9.0, -1.0], [9.0, 9.0, 0.0]]]), at(far, 0.0, 0.0)),
    ];
    let found = answer(assembly(bodies, path(&[at(far, 0.0, 5.0), at(far, 0.0, 1.001)])));
    assert_ne!(found.verdict, Verdict::Contact);
    assert!(found.seconds < 20.0);
}

#[test]
fn faces_within_a_box_may_touch_and_others_may_not() {
    // A part slides in a groove: it rests on the floor, and meets a stop at x = 5.
    let floor =
        boxes(&[[[-9.0, -9.0, -1.0], [9.0, 9.0, 0.0]], [[6.0, -1.0, 0.0], [7.0, 1.0, 3.0]]]);
    let slide = path(&[at(0.0, 0.0, 1.0), at(8.0, 0.0, 1.0)]);
    let bodies =
        vec![body("part", cube(1.0), at(0.0, 0.0, 1.0)), body("floor", floor, Pose::IDENTITY)];
    let mut scene = assembly(bodies, slide);
    let found = answer(scene.clone());
    assert!(found.contact.unwrap().at_start);
    let mut rule = allow("part", "floor", Until::End);
    rule.within = Some(Aabb { min: [-9.0, -9.0, -1.0], max: [9.0, 9.0, 0.0] });
    scene.fit.allowed = vec![rule];
    let (prepared, found) = ask(scene.clone(), &Question::default());
    // The floor itself, and the underside of the stop.
    assert_eq!(prepared.pairs[0].duties[0].exempt.len(), 14);
    let contact = found.contact.unwrap();
    assert_holds(contact.time, 5.0 / 8.0, 2e-6);
    // Triangles are told as the body has them.
    assert!(contact.triangles.iter().all(|pair| pair[1] >= 14), "{:?}", contact.triangles);
    let touching = prepared.touching(contact.at[1]);
    assert!(touching.iter().any(|t| t.counts) && touching.iter().any(|t| !t.counts));
    // Until a time: then the floor counts as well.
    scene.fit.allowed[0].until = Until::Time(0.25);
    let found = answer(scene);
    assert_eq!(found.contact.unwrap().time, [0.25; 2]);
}

#[test]
fn a_part_inside_another_is_a_contact() {
    let inside = |mover: f64, rest: f64| {
        let bodies = vec![
            body("part", cube(mover), at(0.1, 0.0, 0.0)),
            body("block", cube(rest), Pose::IDENTITY),
        ];
        answer(assembly(bodies, path(&[at(0.1, 0.0, 0.0), at(10.1, 0.0, 0.0)])))
    };
    let found = inside(0.5, 3.0);
    let contact = found.contact.unwrap();
    assert_eq!((contact.kind, contact.time), (Kind::Inside(Side::Mover), [0.0; 2]));
    // It is blocked until it is out: from 0.1 to where its left side passes x = 3.
    let [interval] = found.intervals.as_slice() else { panic!("{:?}", found.intervals) };
    assert_holds(interval.leave, 0.34, 2e-6);
    assert_eq!(inside(3.0, 0.5).contact.unwrap().kind, Kind::Inside(Side::Rest));
}

#[test]
fn parts_that_are_carried_turn_with_the_leading_one() {
    // An arm of two parts turns about z by a quarter; the far part meets a post at y = 5.
    let poses =
        [Pose::IDENTITY, Pose::new([0.5f64.sqrt(), 0.0, 0.0, 0.5f64.sqrt()], [0.0; 3]).unwrap()];
    let bodies = vec![
        body("hub", cube(1.0), Pose::IDENTITY),
        body("tip", cube(0.5), at(5.0, 0.0, 0.0)),
        body("post", cube(0.5), at(0.0, 5.0, 0.0)),
    ];
    let mut scene = assembly(bodies, path(&poses));
    scene.fit.moving = vec![0, 1];
    let (prepared, found) = ask(scene, &Question::default());
    let contact = found.contact.unwrap();
    assert_eq!(prepared.names(contact.pair), ["tip", "post"]);
    // The near corner of the tip's leading side, (4.5, 0.5), comes to that of the post, (0.5, 4.5).
    let meets = TAU / 4.0 - 2.0 * (0.5f64 / 4.5).atan();
    assert_holds(contact.time, meets / (TAU / 4.0), 2e-6);
}

#[test]
fn a_screw_of_many_turns_goes_through_a_hole() {
    // A bar of half diagonal √2 turns 50 times on its way through a hole of half width 1.5.
    let turning = |hole: f64| {
        let start = at(0.0, 0.0, 5.0);
        let screw = Screw {
            point: [0.0; 3],
            direction: [0.0, 0.0, 1.0],
            angle: 50.0 * TAU,
            advance: -10.0,
        };
        let motion = Motion::screw(start, screw).unwrap();
        let path = Path::new(vec![0.0, 1.0], vec![motion]).unwrap();
        let plate = body("plate", tube(hole, [-1.0, 1.0]), Pose::IDENTITY);
        answer(assembly(vec![body("bar", cube(1.0), start), plate], path))
    };
    let found = turning(1.5);
    assert_eq!(found.verdict, Verdict::Free);
    let (least, truth) = (found.clearance.unwrap().at_least, 1.5 - 2f64.sqrt());
    assert!(least <= truth && least > 0.99 * truth, "{least} {truth}");
    let found = turning(1.4);
    assert_eq!(found.verdict, Verdict::Contact);
    assert!(found.intervals.len() > 1);
}

#[test]
fn many_pieces_are_answered_like_one() {
    let poses: Vec<Pose> =
        (0..=300).map(|k| at(0.0, 0.0, 5.0 - 10.0 * f64::from(k) / 300.0)).collect();
    assert_clearance(&answer(peg(0.1, path(&poses))), 0.1);
    let found = answer(peg(-0.1, path(&poses)));
    assert_holds(found.contact.unwrap().time, 90.0, 3e-4);
    assert_holds(found.intervals[0].leave, 210.0, 1e-3);
    // More pieces than samples.
    let question = Question { samples: 10, ..Question::default() };
    let found = ask(peg(-0.1, path(&poses)), &question).1;
    assert_holds(found.contact.unwrap().time, 90.0, 3e-4);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scene = || peg(0.1, through());
    let refused = |change: &dyn Fn(&mut Assembly)| {
        let mut scene = scene();
        change(&mut scene);
        Prepared::new(scene).map(drop).unwrap_err()
    };
    let told = |error: FitError| error.to_string();
    let moving = |moving: &[usize]| refused(&|scene| scene.fit.moving = moving.to_vec());
    assert!(told(moving(&[])).contains("are to move"));
    assert!(told(moving(&[7])).contains("each of the 2 bodies"));
    assert!(told(moving(&[0, 0])).contains("once"));
    assert_eq!(told(moving(&[0, 1])), "all 2 bodies move together; at least one at rest is needed");
    let late = refused(&|scene| scene.fit.allowed = vec![allow("peg", "plate", Until::Time(2.0))]);
    assert_eq!(told(late), "a contact is allowed until 2, but the path lasts from 0 to 1");
    // Questions that make no sense are answered like the nearest that do.
    let odd = Question {
        clearance: Some(f64::NAN),
        tolerance: f64::NAN,
        samples: 0,
        ..Question::default()
    };
    assert_eq!(ask(scene(), &odd).1.verdict, Verdict::Free);
}

#[test]
fn ignored_pairs_are_not_tested() {
    let mut scene = peg(-0.5, through());
    scene.ignored.insert([0, 1]);
    let (prepared, found) = ask(scene, &Question::default());
    assert!(prepared.pairs.is_empty() && found.verdict == Verdict::Free);
}

#[test]
fn features_are_those_of_the_meshes() {
    // A corner comes down onto the middle of a face.
    let tip = boxes(&[[[-1.0; 3], [1.0; 3]]]);
    let on_edge = Pose::new([0.88, 0.325, 0.28, 0.18], [0.0, 0.0, 9.0]).unwrap();
    let down = Pose::new(on_edge.rotation(), [0.0; 3]).unwrap();
    let floor = boxes(&[[[-9.0, -9.0, -9.0], [9.0, 9.0, 0.0]]]);
    let bodies = vec![body("tip", tip, on_edge), body("floor", floor, Pose::IDENTITY)];
    let contact = answer(assembly(bodies, path(&[on_edge, down]))).contact.unwrap();
    let [Feature::Vertex(_), Feature::Face(_)] = contact.features.unwrap() else {
        panic!("{:?}", contact.features)
    };
}
