//! The world as its users see it: groups, rules, events, sharing, budgets, threads.

use super::*;
use crate::contract::answer::{HitKind, Progress, Side, Verdict};
use crate::contract::query::{Budget, Gap, Mode, Want};
use impinge_samples::build_mesh;
use std::time::Duration;

fn cube() -> Mesh {
    build_mesh("box").expect("a sample")
}

fn worlds_of_cubes(shifts: &[[f64; 3]]) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    let shape = world.add_shape(cube()).unwrap();
    let bodies = shifts
        .iter()
        .map(|&shift| world.insert(Body::new(shape).at(Pose::shift(shift).unwrap())).unwrap())
        .collect();
    (world, bodies)
}

fn touching(world: &mut World, query: &Query) -> Vec<[BodyId; 2]> {
    world.step(query).hits().map(|hit| [hit.a, hit.b]).collect()
}

#[test]
fn equal_meshes_share_a_shape() {
    let mut world = World::new();
    let first = world.add_shape(cube()).unwrap();
    assert_eq!(world.add_shape(cube()).unwrap(), first);
    let other = build_mesh("box?x=3").unwrap();
    assert_ne!(world.add_shape(other).unwrap(), first);
}

#[test]
fn groups_and_rules_decide_who_is_tested() {
    let (mut world, b) = worlds_of_cubes(&[[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]);
    assert_eq!(touching(&mut world, &Query::TOUCHING).len(), 3);
    world.deny(b[1], b[0]);
    assert_eq!(touching(&mut world, &Query::TOUCHING), [[b[0], b[2]], [b[1], b[2]]]);
    world.reset_rule(b[0], b[1]);
    assert_eq!(touching(&mut world, &Query::TOUCHING).len(), 3);

    let mut world = World::new();
    let shape = world.add_shape(cube()).unwrap();
    let a = world.insert(Body::new(shape).in_groups(0b01, 0b10)).unwrap();
    let b = world.insert(Body::new(shape).in_groups(0b01, 0b10)).unwrap();
    let c = world.insert(Body::new(shape).in_groups(0b10, 0b01).with_user_data(7)).unwrap();
    assert_eq!(touching(&mut world, &Query::TOUCHING), [[a, c], [b, c]]);
    world.allow(a, b);
    assert_eq!(touching(&mut world, &Query::TOUCHING).len(), 3);
    assert_eq!(world.body(c).map(|body| body.user_data), Some(7));
}

#[test]
fn events_begin_stay_and_end() {
    let (mut world, b) = worlds_of_cubes(&[[0.0; 3], [5.0, 0.0, 0.0]]);
    assert_eq!(world.step(&Query::TOUCHING).events(), []);
    world.set_pose(b[1], Pose::shift([0.5, 0.0, 0.0]).unwrap());
    assert_eq!(world.step(&Query::TOUCHING).events(), [Event::Begin(b[0], b[1])]);
    assert_eq!(world.step(&Query::TOUCHING).events(), [Event::Stay(b[0], b[1])]);
    assert!(world.remove(b[1]) && !world.remove(b[1]));
    assert_eq!(world.step(&Query::TOUCHING).events(), [Event::End(b[0], b[1])]);
    assert_eq!(world.step(&Query::TOUCHING).events(), []);
    assert!(!world.set_pose(b[1], Pose::IDENTITY) && world.body(b[1]).is_none());
}

#[test]
fn a_slot_that_is_used_again_is_another_body() {
    let (mut world, b) = worlds_of_cubes(&[[0.0; 3], [0.5, 0.0, 0.0]]);
    world.step(&Query::TOUCHING);
    world.remove(b[1]);
    let shape = world.add_shape(cube()).unwrap();
    let again = world.insert(Body::new(shape)).unwrap();
    assert_ne!(again, b[1]);
    let report = world.step(&Query::TOUCHING);
    assert_eq!(report.events(), [Event::Begin(b[0], again), Event::End(b[0], b[1])]);
}

#[test]
fn an_unknown_verdict_neither_begins_nor_ends_a_contact() {
    let (mut world, b) = worlds_of_cubes(&[[0.0; 3], [0.5, 0.0, 0.0]]);
    world.step(&Query::TOUCHING);
    let broke = Query { budget: Budget::Work(0), ..Query::TOUCHING };
    let report = world.step(&broke);
    assert_eq!((report.progress(), report.events()), (Progress::Limit, &[][..]));
    assert_eq!(report.pairs().next().map(|pair| pair.answer.verdict), Some(Verdict::Unknown));
    assert_eq!(world.step(&Query::TOUCHING).events(), [Event::Stay(b[0], b[1])]);
}

#[test]
fn a_work_budget_does_the_same_work_each_time() {
    for engine in narrow::exact_names() {
        let known = |work: u64| {
            let mut world = world_with(engine);
            let shape = world.add_shape(cube()).unwrap();
            for shift in [[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]] {
                world.insert(Body::new(shape).at(Pose::shift(shift).unwrap())).unwrap();
            }
            let query = Query { budget: Budget::Work(work), ..Query::TOUCHING };
            let report = world.step(&query);
            let known = report.pairs().filter(|pair| pair.answer.verdict != Verdict::Unknown);
            (known.count(), report.counters())
        };
        // Engines differ in what it takes them: small steps first, then ones that grow.
        let budgets = (0..40).map(|k| 16 * k).chain((7..40).map(|k| 16 * k * k));
        let counts: Vec<_> = budgets.clone().map(known).collect();
        let [least, most] = [0, counts.len() - 1].map(|k| counts[k].0);
        assert_eq!((least, most), (0, 3), "{engine}");
        assert!(counts.is_sorted_by_key(|(known, _)| *known), "{engine}");
        assert!(counts.iter().any(|(known, _)| (1..3).contains(known)), "{engine}");
        for (work, count) in budgets.zip(&counts) {
            assert_eq!(known(work), *count, "{engine}");
        }
    }
}

#[test]
fn a_body_inside_a_closed_one_is_a_hit() {
    let mut world = World::new();
    let big = world.add_shape(build_mesh("box?x=4&y=4&z=4").unwrap()).unwrap();
    let small = world.add_shape(cube()).unwrap();
    world.insert(Body::new(big)).unwrap();
    world.insert(Body::new(small)).unwrap();
    let report = world.step(&Query::CONTACTS);
    let verdicts: Vec<Verdict> = report.pairs().map(|pair| pair.answer.verdict).collect();
    assert_eq!(verdicts, [Verdict::Hit(HitKind::Inside { inner: Side::B })]);
    assert_eq!(report.pairs().next().map(|pair| pair.triangle_pairs.len()), Some(0));
}

#[test]
fn an_open_box_holds_nothing() {
    let open = build_mesh("box?x=4&y=4&z=4").unwrap();
    let lidless = Mesh::new(open.vertices().to_vec(), open.triangles()[2..].to_vec()).unwrap();
    let mut world = World::new();
    let big = world.add_shape(lidless).unwrap();
    let small = world.add_shape(cube()).unwrap();
    world.insert(Body::new(big)).unwrap();
    world.insert(Body::new(small)).unwrap();
    assert_eq!(touching(&mut world, &Query::CONTACTS), [] as [[BodyId; 2]; 0]);
}

#[test]
fn touching_faces_count_and_have_no_depth() {
    let (mut world, _) = worlds_of_cubes(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    let report = world.step(&Query::CONTACTS);
    let hit = report.hits().next().expect("they share a face");
    assert_eq!(hit.answer.verdict, Verdict::Hit(HitKind::Surface));
    assert_eq!(hit.contacts.len(), hit.triangle_pairs.len());
    assert!(hit.contacts.iter().all(|contact| contact.depth < 1e-12), "{:?}", hit.contacts);
}

#[test]
fn clearance_brackets_the_true_gap_and_far_pairs_are_left_out_on_request() {
    let (mut world, _) = worlds_of_cubes(&[[0.0; 3], [3.0, 0.0, 0.0], [0.0, 9.0, 0.0]]);
    let gaps: Vec<[f64; 2]> = world
        .step(&Query::CLEARANCE)
        .pairs()
        .filter_map(|pair| pair.answer.clearance.map(|c| [c.at_least, c.at_most]))
        .collect();
    let expected = [2.0, 8.0, (64.0f64 + 4.0).sqrt()];
    assert_eq!(gaps.len(), 3);
    for ([low, high], gap) in gaps.into_iter().zip(expected) {
        assert!(low <= gap && gap <= high && high - low < 1e-12, "{low} {gap} {high}");
    }
    let near = Query { gap: Gap::Below(2.5), ..Query::CONTACTS };
    let near: Vec<_> = world.step(&near).pairs().filter_map(|pair| pair.answer.clearance).collect();
    assert_eq!(near.len(), 1);
}

#[test]
fn a_closed_mesh_does_not_touch_itself_and_a_folded_one_does() {
    let mut world = World::new();
    let sphere = world.add_shape(build_mesh("sphere?faces=168").unwrap()).unwrap();
    let body = world.insert(Body::new(sphere)).unwrap();
    let query = Query { itself: true, ..Query::PAIRS };
    assert_eq!(touching(&mut world, &query), [] as [[BodyId; 2]; 0]);
    world.remove(body);
    let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 0.0]];
    let fold = world.add_shape(Mesh::new(corners, vec![[0, 1, 2], [1, 0, 3]]).unwrap()).unwrap();
    let body = world.insert(Body::new(fold)).unwrap();
    assert_eq!(touching(&mut world, &query), [[body, body]]);
}

#[test]
fn a_motion_is_sampled_or_left_unknown() {
    let (mut world, b) = worlds_of_cubes(&[[0.0; 3], [-5.0, 0.0, 0.0]]);
    let through = Motion::lerp_slerp(
        Pose::shift([-5.0, 0.0, 0.0]).unwrap(),
        Pose::shift([5.0, 0.0, 0.0]).unwrap(),
    );
    world.set_motion(b[1], through);
    assert_eq!(touching(&mut world, &Query::TOUCHING), [] as [[BodyId; 2]; 0]);
    let query = Query { mode: Mode::PseudoDynamic(10), ..Query::TOUCHING };
    world.set_motion(b[1], through);
    let report = world.step(&query);
    let time = report.hits().next().and_then(|hit| hit.answer.time).expect("it passes through");
    assert_eq!(time, [0.3, 0.4]);
    let coarse = Query { mode: Mode::PseudoDynamic(1), ..Query::TOUCHING };
    world.set_motion(b[1], through);
    let report = world.step(&coarse);
    let pair = report.pairs().next().expect("the boxes overlap on the way");
    assert_eq!((pair.answer.verdict, pair.answer.guarantee.may_miss), (Verdict::Free, true));

    let past = Motion::lerp_slerp(
        Pose::shift([-5.0, 0.0, 1.1]).unwrap(),
        Pose::shift([5.0, 1e-3, 1.1]).unwrap(),
    );
    world.set_motion(b[1], past);
    let dynamic = Query { mode: Mode::Dynamic, ..Query::TOUCHING };
    assert_eq!(world.step(&dynamic).pairs().count(), 0);
}

#[test]
fn the_same_answers_for_any_number_of_threads() {
    let mut world = World::new();
    let knot = world.add_shape(build_mesh("torus-knot?segments=64&sides=8").unwrap()).unwrap();
    for i in 0..4 {
        let turn = Pose::new([1.0, 0.3 * f64::from(i), 0.1, 0.2], [0.4 * f64::from(i), 0.0, 0.1]);
        world.insert(Body::new(knot).at(turn.unwrap())).unwrap();
    }
    let query = Query { want: Want::Contacts, gap: Gap::Measure, itself: true, ..Query::TOUCHING };
    let mut run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            world.step(&query);
            world.answers.clone()
        })
    };
    let one = run(1);
    assert!(!one.all().is_empty());
    assert!(run(2) == one && run(7) == one);
}

#[test]
fn a_limit_that_is_no_distance_hides_no_contact() {
    let (mut world, _) = worlds_of_cubes(&[[0.0; 3], [0.5, 0.0, 0.0]]);
    for limit in [-2.0, f64::NAN, f64::NEG_INFINITY, 0.0] {
        let query = Query { gap: Gap::Below(limit), ..Query::TOUCHING };
        assert_eq!(touching(&mut world, &query).len(), 1, "{limit}");
    }
}

#[test]
fn shapes_are_checked_at_the_door_and_can_be_dropped() {
    let (mut world, bodies) = worlds_of_cubes(&[[0.0; 3]]);
    let unknown = ShapeId(7);
    assert_eq!(world.insert(Body::new(unknown)), Err(InsertError::UnknownShape(unknown)));
    let shape = world.body(bodies[0]).unwrap().shape;
    assert!(!world.remove_shape(shape), "it is in use");
    world.remove(bodies[0]);
    assert!(world.remove_shape(shape) && !world.remove_shape(shape));
    assert!(world.mesh(shape).is_none() && world.insert(Body::new(shape)).is_err());
    let again = world.add_shape(cube()).unwrap();
    assert_ne!(again, shape);
    world.insert(Body::new(again)).unwrap();
    assert_eq!(world.step(&Query::TOUCHING).pairs().count(), 0);
}

#[test]
fn a_spent_budget_tells_what_was_found_so_far() {
    for engine in narrow::exact_names() {
        spends_its_budget(world_with(engine), engine);
    }
}

fn world_with(engine: &str) -> World {
    let pruner = broad::by_name("auto").expect("there is always one");
    World::with(pruner, narrow::by_name(engine).expect("it is registered"))
}

fn spends_its_budget(mut world: World, engine: &str) {
    let ball = world.add_shape(build_mesh("sphere?faces=528").unwrap()).unwrap();
    world.insert(Body::new(ball)).unwrap();
    world.insert(Body::new(ball).at(Pose::shift([0.5, 0.0, 0.0]).unwrap())).unwrap();
    let all = world.step(&Query::PAIRS).pairs().next().unwrap().triangle_pairs.to_vec();
    let query = |work: u64| Query { budget: Budget::Work(work), ..Query::PAIRS };
    // Engines differ in what they find for their work; some budget cuts the list of each.
    let cuts = |work: &u64| {
        let report = world.step(&query(*work));
        let pair = report.pairs().next().unwrap();
        report.progress() == Progress::Limit && !pair.triangle_pairs.is_empty()
    };
    let work = (0..200).map(|k| 500 + 500 * k).find(cuts).expect(engine);
    let report = world.step(&query(work));
    let pair = report.pairs().next().unwrap();
    assert!(!pair.answer.complete, "{engine}");
    assert!(pair.triangle_pairs.len() < all.len(), "{engine}");
    assert!(pair.triangle_pairs.iter().all(|found| all.binary_search(found).is_ok()));
    // A leaf against a leaf is the least that is done at once.
    assert!(pair.answer.counters.triangle_pairs <= work + 64, "{engine}");
    let none = Query { budget: Budget::Work(0), gap: Gap::Measure, ..Query::PAIRS };
    let report = world.step(&none);
    let pair = report.pairs().next().unwrap();
    assert_eq!((pair.answer.verdict, pair.answer.complete), (Verdict::Unknown, false));
    assert_eq!(report.counters().triangle_pairs, 0);
}

#[test]
fn a_passed_deadline_leaves_the_rest_unknown() {
    let (mut world, _) = worlds_of_cubes(&[[0.0; 3], [0.5, 0.0, 0.0]]);
    for mode in [Mode::Static, Mode::PseudoDynamic(100_000_000)] {
        let query = Query { mode, budget: Budget::Time(Duration::ZERO), ..Query::CONTACTS };
        let report = world.step(&query);
        assert_eq!(report.progress(), Progress::Limit);
        assert_eq!(report.pairs().next().unwrap().answer.verdict, Verdict::Unknown);
    }
}

/// The outer mesh as given, a small cube in the middle: is it a hit of kind inside?
fn holds(outer: Mesh, shift: f64) -> bool {
    let mut world = World::new();
    let outer = world.add_shape(outer).unwrap();
    let inner = world.add_shape(build_mesh("box?x=0.2&y=0.2&z=0.2").unwrap()).unwrap();
    world.insert(Body::new(outer)).unwrap();
    world.insert(Body::new(inner).at(Pose::shift([shift; 3]).unwrap())).unwrap();
    let report = world.step(&Query::TOUCHING);
    let verdict = report.pairs().next().map(|pair| pair.answer.verdict);
    verdict == Some(Verdict::Hit(HitKind::Inside { inner: Side::B }))
}

#[test]
fn flawed_containers_hold_what_is_inside_them() {
    let solid = build_mesh("box?x=4&y=4&z=4").unwrap();
    let vertices = solid.vertices().to_vec();
    let twice = [solid.triangles(), solid.triangles()].concat();
    assert!(holds(Mesh::new(vertices.clone(), twice).unwrap(), 0.3));
    let one_twice = [solid.triangles(), &solid.triangles()[..1]].concat();
    assert!(holds(Mesh::new(vertices.clone(), one_twice).unwrap(), 0.3));
    let mut with_stray = vertices;
    with_stray.extend([[9.0; 3], [9.0, 8.0, 9.0], [8.0, 9.0, 9.0]]);
    let stray = [solid.triangles(), &[[8, 9, 10]]].concat();
    assert!(holds(Mesh::new(with_stray, stray).unwrap(), 0.3));
}

/// A flat face whose corners are collinear becomes a sliver when it is turned; it must not count.
#[test]
fn flat_faces_do_not_change_what_is_inside() {
    let solid = build_mesh("box?x=20&y=20&z=20").unwrap();
    let mut vertices = solid.vertices().to_vec();
    let base = vertices.len() as u32;
    vertices.extend([[-1.0, -1.0, 9.0], [1.0, 1.0, 9.0], [3.0, 3.0, 9.0]]);
    let faces = [solid.triangles(), &[[base, base + 1, base + 2]]].concat();
    let mut world = World::new();
    let outer = world.add_shape(Mesh::new(vertices, faces).unwrap()).unwrap();
    let inner = world.add_shape(build_mesh("box?x=0.2&y=0.2&z=0.2").unwrap()).unwrap();
    let outer = world.insert(Body::new(outer)).unwrap();
    let inner = world.insert(Body::new(inner)).unwrap();
    for step in 0..200 {
        let angle = f64::from(step) * 0.0157;
        let turn = Pose::new([angle.cos(), 0.0, 0.0, angle.sin()], [0.0; 3]).unwrap();
        // A corner of the inner cube goes right under the middle corner of the flat face.
        let [x, y, _] = turn.apply(&[1.0, 1.0, 9.0]);
        world.set_pose(outer, turn);
        world.set_pose(inner, Pose::shift([x + 0.1, y + 0.1, 0.0]).unwrap());
        assert_eq!(touching(&mut world, &Query::TOUCHING).len(), 1, "{angle}");
    }
}

#[test]
fn frozen_bodies_meet_the_others_but_not_each_other() {
    let (mut world, b) = worlds_of_cubes(&[[0.0; 3], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]]);
    assert_eq!(touching(&mut world, &Query::TOUCHING).len(), 3);
    assert!(world.freeze(b[0]) && world.freeze(b[1]));
    let report = world.step(&Query::TOUCHING);
    // What is not looked at stays as it was and is no event.
    assert_eq!(report.events(), [Event::Stay(b[0], b[2]), Event::Stay(b[1], b[2])]);
    // A frozen body may be moved, and is found where it is.
    world.set_pose(b[0], Pose::shift([9.0, 0.0, 0.0]).unwrap());
    assert_eq!(touching(&mut world, &Query::TOUCHING), [[b[1], b[2]]]);
    assert!(world.thaw(b[0]) && world.thaw(b[1]));
    let report = world.step(&Query::TOUCHING);
    assert_eq!(report.events(), [Event::Stay(b[1], b[2])]);
    world.remove(b[1]);
    assert!(!world.freeze(b[1]) && !world.thaw(b[1]));
}

#[test]
fn a_body_with_another_shape_has_other_bounds() {
    let (mut world, b) = worlds_of_cubes(&[[0.0; 3], [3.0, 0.0, 0.0]]);
    assert_eq!(touching(&mut world, &Query::TOUCHING), [] as [[BodyId; 2]; 0]);
    let long = world.add_shape(build_mesh("box?x=6").unwrap()).unwrap();
    assert_eq!(world.set_shape(b[0], long), Ok(()));
    assert_eq!(touching(&mut world, &Query::TOUCHING), [[b[0], b[1]]]);
    let unknown = ShapeId(99);
    assert_eq!(world.set_shape(b[0], unknown), Err(InsertError::UnknownShape(unknown)));
    world.remove(b[0]);
    assert_eq!(world.set_shape(b[0], long), Err(InsertError::UnknownBody(b[0])));
}

#[test]
fn frozen_bodies_that_are_moved_apart_do_not_touch_any_more() {
    let (mut world, b) = worlds_of_cubes(&[[0.0; 3], [0.5, 0.0, 0.0]]);
    assert!(world.freeze(b[0]) && world.freeze(b[1]));
    world.step(&Query::TOUCHING);
    assert!(world.thaw(b[0]));
    assert_eq!(world.step(&Query::TOUCHING).events(), [Event::Begin(b[0], b[1])]);
    assert!(world.freeze(b[0]));
    assert_eq!(world.step(&Query::TOUCHING).events(), []);
    world.set_pose(b[1], Pose::shift([100.0, 0.0, 0.0]).unwrap());
    assert_eq!(world.step(&Query::TOUCHING).events(), [Event::End(b[0], b[1])]);
}

#[test]
fn forbidden_pairs_do_not_count_against_the_limit() {
    let mut world = World::new();
    let shape = world.add_shape(cube()).unwrap();
    for _ in 0..100 {
        world.insert(Body::new(shape).in_groups(0b10, 0b01)).unwrap();
    }
    let a = world.insert(Body::new(shape).at(Pose::shift([9.0, 0.0, 0.0]).unwrap())).unwrap();
    let b = world.insert(Body::new(shape).at(Pose::shift([9.5, 0.0, 0.0]).unwrap())).unwrap();
    world.set_pair_limit(400);
    assert_eq!(world.candidates(&Query::TOUCHING), (vec![[a, b]], Progress::Complete));
    assert_eq!(touching(&mut world, &Query::TOUCHING), [[a, b]]);
    assert_eq!(world.pruner().name(), "auto");
}

#[test]
fn fixed_boxes_hold_their_bodies_however_these_turn() {
    let mut world = World::new();
    let rod = world.add_shape(build_mesh("box?x=4&y=0.2&z=0.2").unwrap()).unwrap();
    let a = world.insert(Body::new(rod)).unwrap();
    let b = world.insert(Body::new(rod).at(Pose::shift([0.0, 1.5, 0.0]).unwrap())).unwrap();
    assert_eq!(world.step(&Query::TOUCHING).pairs().count(), 0);
    world.set_boxes(BoxKind::Fixed);
    assert_eq!(world.step(&Query::TOUCHING).pairs().count(), 1, "cubes overlap");
    let mut hits = 0;
    for step in 0..40 {
        let angle = 0.04 * f64::from(step);
        let turn = Pose::new([angle.cos(), 0.0, 0.0, angle.sin()], [0.0; 3]).unwrap();
        world.set_pose(a, turn);
        let mut tight = World::new();
        let rod = tight.add_shape(build_mesh("box?x=4&y=0.2&z=0.2").unwrap()).unwrap();
        tight.insert(Body::new(rod).at(turn)).unwrap();
        tight.insert(Body::new(rod).at(Pose::shift([0.0, 1.5, 0.0]).unwrap())).unwrap();
        let expected = tight.step(&Query::TOUCHING).hits().count();
        assert_eq!(touching(&mut world, &Query::TOUCHING).len(), expected, "{angle}");
        hits += expected;
    }
    assert!(hits > 5 && world.remove(b));
}

#[test]
fn a_crowd_ends_at_the_pair_limit_with_what_was_found() {
    let (mut world, _) = worlds_of_cubes(&[[0.0; 3]; 300]);
    world.set_pair_limit(1000);
    let report = world.step(&Query::TOUCHING);
    assert_eq!((report.progress(), report.hits().count()), (Progress::Limit, 1000));
    world.set_pair_limit(300 * 299 / 2);
    let report = world.step(&Query::TOUCHING);
    assert_eq!((report.progress(), report.hits().count()), (Progress::Complete, 300 * 299 / 2));
}

#[test]
fn many_shapes_are_those_that_one_by_one_would_be() {
    let names = ["box", "sphere?faces=24", "box", "torus", "sphere?faces=24", "cone"];
    let meshes: Vec<Arc<Mesh>> =
        names.iter().map(|name| Arc::new(build_mesh(name).expect("a sample"))).collect();
    let (mut together, mut single) = (World::new(), World::new());
    for world in [&mut together, &mut single] {
        world.add_shape(build_mesh("torus").expect("a sample")).unwrap();
    }
    let alone: Vec<ShapeId> =
        meshes.iter().map(|mesh| single.add_shape(Arc::clone(mesh)).unwrap()).collect();
    assert_eq!(together.add_shapes(&meshes).unwrap(), alone);
    assert_eq!(alone.iter().map(|id| id.0).collect::<Vec<_>>(), [1, 2, 1, 0, 2, 3]);
    for (&id, mesh) in alone.iter().zip(&meshes) {
        assert_eq!(together.mesh(id), Some(mesh));
    }
}

/// Refuses meshes of more than twelve triangles.
#[derive(Default)]
struct Picky {
    prepared: Vec<ShapeId>,
}

impl Engine for Picky {
    fn name(&self) -> &'static str {
        "picky"
    }

    fn guarantee(&self) -> crate::contract::answer::Guarantee {
        crate::contract::answer::Guarantee::EXACT
    }

    fn prepare(&mut self, shape: ShapeId, mesh: &Arc<Mesh>) -> Result<(), PrepareError> {
        if mesh.triangles().len() > 12 {
            return Err(PrepareError { engine: "picky", reason: "too large".to_owned() });
        }
        self.prepared.push(shape);
        Ok(())
    }

    fn release(&mut self, shape: ShapeId) {
        self.prepared.retain(|&other| other != shape);
    }

    fn bytes(&self) -> usize {
        0
    }

    fn collide(
        &self,
        _: &Batch<'_>,
        _: &mut Scratch,
        _: &mut crate::contract::answer::AnswerSink<'_>,
    ) -> Progress {
        // It has no answers; what matters is that refused shapes are not left behind with it.
        assert_eq!(self.prepared, [ShapeId(0)]);
        Progress::Complete
    }
}

#[test]
fn if_one_shape_is_refused_none_is_added() {
    let mesh = |name: &str| Arc::new(build_mesh(name).expect("a sample"));
    let mut world = World::with(Box::new(broad::auto::Auto::default()), Box::new(Picky::default()));
    let known = world.add_shape(mesh("box")).unwrap();
    let many = [mesh("box"), mesh("box?x=2"), mesh("sphere"), mesh("torus")];
    let refused = world.add_shapes(&many).unwrap_err();
    assert_eq!((refused.index, refused.error.engine), (2, "picky"));
    assert!(refused.to_string().starts_with("mesh 2: engine picky cannot use this mesh"));
    world.step(&Query::TOUCHING);
    assert_eq!((known, world.mesh(ShapeId(1))), (ShapeId(0), None));
    // The number of a shape that was refused is given to the next one.
    assert_eq!(world.add_shape(mesh("box?x=2")), Ok(ShapeId(1)));
}
