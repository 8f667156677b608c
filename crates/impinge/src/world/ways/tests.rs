//! What a step sees of the motion since the last one.

use crate::broad;
use crate::contract::job::Placement;
use crate::narrow;
use crate::prelude::*;
use impinge_samples::build_mesh;

const DYNAMIC: Query = Query::FIRST_CONTACT;
const SAMPLED: Query = Query { mode: Mode::PseudoDynamic(10), ..Query::TOUCHING };

fn at(x: f64) -> Pose {
    Pose::shift([x, 0.0, 0.0]).unwrap()
}

fn line(from: f64, to: f64) -> Motion {
    Motion::lerp_slerp(at(from), at(to))
}

/// A unit cube at the origin and another one at −5 on the x axis, after a step.
fn cubes() -> (World, [BodyId; 2]) {
    let mut world = World::new();
    let cube = world.add_shape(build_mesh("box").unwrap()).unwrap();
    let a = world.insert(Body::new(cube)).unwrap();
    let b = world.insert(Body::new(cube).at(at(-5.0))).unwrap();
    assert_eq!(world.step(&DYNAMIC).events(), []);
    (world, [a, b])
}

/// When the only two bodies touch.
fn time(world: &mut World, query: &Query) -> Option<[f64; 2]> {
    let report = world.step(query);
    report.hits().next().map(|hit| hit.answer.time.expect("modes with time tell one"))
}

/// They touch first when the moving one has gone 4 of 10.
fn is_contact(time: Option<[f64; 2]>) -> bool {
    time.is_some_and(|[from, to]| from <= 0.4 && 0.4 <= to)
}

#[test]
fn a_pose_is_reached_from_where_the_body_was() {
    let (mut world, [a, b]) = cubes();
    world.set_pose(b, at(5.0));
    let report = world.step(&DYNAMIC);
    assert_eq!(report.events(), [Event::Begin(a, b)]);
    assert!(is_contact(report.hits().next().and_then(|hit| hit.answer.time)));
    // From here on it rests behind the other one.
    assert_eq!(world.step(&DYNAMIC).events(), [Event::End(a, b)]);
    assert_eq!(world.step(&DYNAMIC).events(), []);
    world.set_pose(b, at(-5.0));
    assert_eq!(time(&mut world, &SAMPLED), Some([0.3, 0.4]));
}

#[test]
fn the_last_of_several_poses_counts() {
    let (mut world, [_, b]) = cubes();
    world.set_pose(b, Pose::shift([0.0, 9.0, 0.0]).unwrap());
    world.set_motion(b, line(100.0, 200.0));
    world.set_pose(b, at(5.0));
    assert!(is_contact(time(&mut world, &DYNAMIC)));
    // There and back again is no way.
    world.set_pose(b, at(-5.0));
    world.set_pose(b, at(5.0));
    assert_eq!(time(&mut world, &DYNAMIC), None);
}

#[test]
fn every_step_uses_motions_up() {
    let (mut world, [a, b]) = cubes();
    // Whatever its mode.
    for first in [Query::TOUCHING, SAMPLED, DYNAMIC] {
        world.teleport(b, at(-5.0));
        world.set_pose(b, at(5.0));
        world.step(&first);
        assert_eq!(time(&mut world, &DYNAMIC), None, "{first:?}");
        world.set_motion(b, line(-5.0, 5.0));
        world.step(&first);
        assert_eq!(world.body(b).unwrap().placement, Placement::Fixed(at(5.0)));
        assert_eq!(time(&mut world, &DYNAMIC), None, "{first:?}");
    }
    // Looking at candidates does not.
    world.set_motion(b, line(-5.0, 5.0));
    for _ in 0..2 {
        assert_eq!(world.candidates(&DYNAMIC).0, [[a, b]]);
    }
    assert!(is_contact(time(&mut world, &DYNAMIC)));
    assert_eq!(world.candidates(&DYNAMIC).0, [] as [[BodyId; 2]; 0]);
}

#[test]
fn what_is_new_or_teleported_has_no_way() {
    let (mut world, [_, b]) = cubes();
    world.teleport(b, at(5.0));
    assert_eq!(time(&mut world, &DYNAMIC), None);
    // Also if it was on its way there.
    world.set_pose(b, at(-5.0));
    assert!(world.teleport(b, at(-5.0)));
    assert_eq!(time(&mut world, &DYNAMIC), None);
    world.set_motion(b, line(-5.0, 5.0));
    world.teleport(b, at(5.0));
    world.set_pose(b, at(-5.0));
    assert_eq!(time(&mut world, &DYNAMIC), None);

    world.set_pose(b, at(5.0));
    let cube = world.body(b).unwrap().shape;
    assert!(world.remove(b) && !world.teleport(b, at(0.0)) && !world.set_motion(b, line(0.0, 1.0)));
    // In the slot of one that was on its way.
    let new = world.insert(Body::new(cube).at(at(-5.0))).unwrap();
    world.set_pose(new, at(5.0));
    assert_eq!(time(&mut world, &DYNAMIC), None);
    world.set_pose(new, at(-5.0));
    assert!(is_contact(time(&mut world, &DYNAMIC)));
    // A body may come in moving.
    world.remove(new);
    let moving = world.insert(Body::new(cube).moving(line(-5.0, 5.0))).unwrap();
    assert!(is_contact(time(&mut world, &DYNAMIC)));
    assert_eq!(world.body(moving).unwrap().placement, Placement::Fixed(at(5.0)));
}

#[test]
fn a_static_step_looks_at_the_end_alone() {
    let (mut world, [a, b]) = cubes();
    world.set_motion(b, line(-5.0, 5.0));
    assert_eq!(world.step(&Query::TOUCHING).pairs().count(), 0);
    world.set_motion(b, line(9.0, 0.5));
    assert_eq!(world.step(&Query::TOUCHING).events(), [Event::Begin(a, b)]);
}

#[test]
fn bodies_that_touch_in_passing_begin_and_end_a_step_later() {
    let (mut world, [a, b]) = cubes();
    let mut events = |x: f64| {
        world.set_pose(b, at(x));
        world.step(&DYNAMIC).events().to_vec()
    };
    assert_eq!(events(5.0), [Event::Begin(a, b)]);
    // They meet again before a step found them free.
    assert_eq!(events(-5.0), [Event::Stay(a, b)]);
    assert_eq!(events(-6.0), [Event::End(a, b)]);
    // A stop on the way is a contact of both steps.
    assert_eq!(events(0.0), [Event::Begin(a, b)]);
    assert_eq!(events(5.0), [Event::Stay(a, b)]);
    assert_eq!(events(5.0), [Event::End(a, b)]);
}

#[test]
fn both_may_move_and_frozen_ones_too() {
    let (mut world, [a, b]) = cubes();
    world.freeze(b);
    world.set_pose(a, at(-9.0));
    world.set_pose(b, at(5.0));
    // Towards each other at 9 and 10: 4 of 19 are left when they touch.
    let [from, to] = time(&mut world, &DYNAMIC).unwrap();
    assert!(from <= 4.0 / 19.0 && 4.0 / 19.0 <= to, "{from} {to}");
    // Side by side nothing changes between them.
    world.teleport(b, at(-7.0));
    world.step(&DYNAMIC);
    world.set_pose(a, at(1.0));
    world.set_pose(b, at(3.0));
    let verdicts: Vec<Verdict> =
        world.step(&DYNAMIC).pairs().map(|pair| pair.answer.verdict).collect();
    assert!(verdicts.iter().all(|verdict| !matches!(verdict, Verdict::Hit(_))), "{verdicts:?}");
}

/// Every pruner sees the whole way, and rest after it.
#[test]
fn pruners_keep_pairs_that_meet_on_their_ways() {
    for pruner in broad::names() {
        let engine = narrow::by_name("brute").unwrap();
        let mut world = World::with(broad::by_name(pruner).unwrap(), engine);
        let cube = world.add_shape(build_mesh("box").unwrap()).unwrap();
        let row = |y: usize| [-5.0, 3.0 * y as f64, 0.0];
        let post = |y: usize| Body::new(cube).at(Pose::shift([0.0, row(y)[1], 0.0]).unwrap());
        let posts: Vec<BodyId> = (0..40).map(|y| world.insert(post(y)).unwrap()).collect();
        let mover = |y: usize| Body::new(cube).at(Pose::shift(row(y)).unwrap());
        let movers: Vec<BodyId> = (0..40).map(|y| world.insert(mover(y)).unwrap()).collect();
        assert_eq!(world.step(&DYNAMIC).pairs().count(), 0);
        for step in 0..12 {
            let mut expected = Vec::new();
            for (y, &id) in movers.iter().enumerate() {
                if (y + step) % 3 == 0 {
                    let x = world.body(id).unwrap().placement.end().translation()[0];
                    world.set_pose(id, Pose::shift([-x, row(y)[1], 0.0]).unwrap());
                    expected.push([posts[y], id]);
                }
            }
            assert_eq!(world.candidates(&DYNAMIC).0, expected, "{pruner} {step}");
            let hits: Vec<_> = world.step(&SAMPLED).hits().map(|hit| [hit.a, hit.b]).collect();
            assert_eq!(hits, expected, "{pruner} {step}");
        }
    }
}
