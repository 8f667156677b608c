//! Bodies that deform, in modes with time: against the exact static test at many instants, and cases
//! whose answers are known.

use impinge::broad;
use impinge::narrow;
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::sync::Arc;

const DYNAMIC: Query = Query::FIRST_CONTACT;
const LISTED: Query = Query { want: Want::Pairs, ..Query::FIRST_CONTACT };
const ITSELF: Query = Query { itself: true, ..Query::FIRST_CONTACT };

fn world_with(name: &str) -> World {
    let engine = narrow::by_name(name).expect("it is registered");
    World::with(broad::by_name("auto").expect("it is registered"), engine)
}

fn insert(world: &mut World, mesh: &Mesh) -> BodyId {
    let shape = world.add_shape(mesh.clone()).expect("any mesh");
    world.insert(Body::new(shape)).expect("a known shape")
}

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::shift([x, y, z]).expect("finite")
}

/// Triangles of their own vertices.
fn soup(triangles: &[[Point; 3]]) -> Mesh {
    let faces = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::new(triangles.as_flattened().to_vec(), faces).expect("a mesh")
}

/// A triangle parallel to the plane z = 0.
fn flat(x: f64, z: f64, size: f64) -> [Point; 3] {
    [[x - size, -size, z], [x + size, -size, z], [x, size, z]]
}

fn lifted(mesh: &Mesh, by: f64) -> Vec<Point> {
    mesh.vertices().iter().map(|[x, y, z]| [*x, *y, z + by]).collect()
}

/// The verdict and the time of the only pair.
fn ask(world: &mut World, query: &Query) -> Option<(Verdict, Option<[f64; 2]>)> {
    let report = world.step(query);
    report.pairs().next().map(|pair| (pair.answer.verdict, pair.answer.time))
}

fn meets_at(found: Option<(Verdict, Option<[f64; 2]>)>, time: f64) -> bool {
    let surface = Verdict::Hit(HitKind::Surface);
    found.is_some_and(|(verdict, interval)| {
        verdict == surface && interval.is_some_and(|[from, to]| from <= time && time <= to + 1e-12)
    })
}

/// A large triangle that rests, and a small one of its own vertices one above it, after a step.
fn sheets(name: &str) -> (World, [BodyId; 2], Mesh) {
    let (large, small) = (soup(&[flat(0.0, 0.0, 5.0)]), soup(&[flat(0.0, 1.0, 0.5)]));
    let mut world = world_with(name);
    let bodies = [insert(&mut world, &large), insert(&mut world, &small)];
    assert_eq!(world.step(&DYNAMIC).hits().count(), 0);
    (world, bodies, small)
}

#[test]
fn what_passes_between_two_frames_is_seen_by_every_engine() {
    for name in narrow::exact_names() {
        let (mut world, [a, b], small) = sheets(name);
        world.deform(b, &lifted(&small, -2.0)).expect("legal vertices");
        let report = world.step(&LISTED);
        let hit = report.hits().next().expect("it goes through");
        let [from, to] = hit.answer.time.expect("modes with time tell one");
        assert!(from <= 0.5 && 0.5 <= to && to - from < 1e-5, "{name}: {from} {to}");
        let first = hit.answer.first.expect("it is after the start");
        assert!((first.normal[2].abs() - 1.0).abs() < 1e-9 && first.within < 1e-9);
        // All corners go through the face at once.
        let corners = [0, 1, 2].map(|v| [Feature::Face(0), Feature::Vertex(v)]);
        assert!(hit.meetings.iter().map(|meeting| meeting.features).eq(corners), "{name}");
        assert!(hit.meetings.iter().all(|m| m.time[0] <= 0.5 && 0.5 <= m.time[1]));
        assert_eq!(report.events(), [Event::Begin(a, b)]);
        // The way is used up.
        assert_eq!(world.step(&DYNAMIC).events(), [Event::End(a, b)]);
        assert_eq!(world.step(&DYNAMIC).events(), []);
        // A frozen body comes back up; samples see it where they look.
        world.freeze(b);
        world.deform(b, small.vertices()).expect("legal vertices");
        let sampled = Query { mode: Mode::PseudoDynamic(4), ..Query::TOUCHING };
        let surface = Verdict::Hit(HitKind::Surface);
        assert_eq!(ask(&mut world, &sampled), Some((surface, Some([0.25, 0.5]))), "{name}");
    }
}

#[test]
fn vertices_go_straight_in_the_world_however_often_they_were_moved() {
    for name in narrow::exact_names() {
        let (mut world, [_, b], small) = sheets(name);
        // There and back again, and to another place: what counts is the start and the end.
        world.deform(b, &lifted(&small, 7.0)).expect("legal vertices");
        world.set_pose(b, shift(0.0, 0.0, 2.0));
        world.deform(b, &lifted(&small, -4.0)).expect("legal vertices");
        world.deform(b, &lifted(&small, -2.0)).expect("legal vertices");
        world.set_pose(b, shift(0.0, 0.0, -2.0));
        assert!(meets_at(ask(&mut world, &DYNAMIC), 0.25), "{name}");
        // From where it is, at −3, along a motion of its own with other vertices at its end.
        let motion = Motion::lerp_slerp(shift(0.0, 0.0, 5.0), shift(0.0, 0.0, -4.0));
        world.set_motion(b, motion);
        world.deform(b, small.vertices()).expect("legal vertices");
        assert!(meets_at(ask(&mut world, &DYNAMIC), 4.0 / 7.0), "{name}");
        // Without new vertices it moves as a rigid body does.
        world.set_pose(b, shift(0.0, 0.0, 0.0));
        assert!(meets_at(ask(&mut world, &DYNAMIC), 0.75), "{name}");
    }
}

#[test]
fn what_is_new_or_was_put_there_has_no_way() {
    for name in narrow::exact_names() {
        let (mut world, [_, b], small) = sheets(name);
        let free = |world: &mut World| world.step(&DYNAMIC).hits().count() == 0;
        world.reset_vertices(b, &lifted(&small, -2.0)).expect("legal vertices");
        assert!(free(&mut world), "{name}");
        world.deform(b, small.vertices()).expect("legal vertices");
        world.teleport(b, shift(0.0, 0.0, 0.0));
        assert!(free(&mut world), "{name}");
        // Another shape is no way, and neither is what was there before.
        world.deform(b, &lifted(&small, -2.0)).expect("legal vertices");
        let shape = world.add_shape(soup(&[flat(0.0, -3.0, 0.5)])).expect("any mesh");
        world.set_shape(b, shape).expect("a known shape");
        assert!(free(&mut world), "{name}");
        let new = insert(&mut world, &small);
        world.deform(new, &lifted(&small, -2.0)).expect("legal vertices");
        assert!(free(&mut world), "{name}");
        assert!(world.remove(new));
        assert!(free(&mut world), "{name}");
    }
}

#[test]
fn a_body_meets_itself_on_the_way() {
    for name in narrow::exact_names() {
        let mesh = soup(&[flat(0.0, 0.0, 5.0), flat(0.0, 1.0, 0.5), flat(20.0, 0.0, 1.0)]);
        let mut world = world_with(name);
        let body = insert(&mut world, &mesh);
        assert_eq!(world.step(&ITSELF).hits().count(), 0);
        let mut moved = mesh.vertices().to_vec();
        moved[3..6].iter_mut().for_each(|v| v[2] -= 4.0);
        world.deform(body, &moved).expect("legal vertices");
        let report = world.step(&Query { want: Want::Contacts, ..ITSELF });
        let hit = report.hits().next().expect("one part goes through another");
        assert!(hit.answer.time.is_some_and(|[from, to]| from <= 0.25 && 0.25 <= to), "{name}");
        assert_eq!((hit.a, hit.b, hit.meetings.len()), (body, body, 3));
        assert_eq!(hit.contacts.len(), 1);
        // It stays on the other side, then stands in the way at the start.
        assert_eq!(world.step(&ITSELF).hits().count(), 0);
        moved[3][2] = 2.0;
        world.deform(body, &moved).expect("legal vertices");
        world.step(&ITSELF);
        assert_eq!(ask(&mut world, &ITSELF).and_then(|(_, time)| time), Some([0.0; 2]));
        // Only the third triangle is new to it.
        moved[6..9].copy_from_slice(&flat(0.0, -8.0, 0.5));
        world.reset_vertices(body, &moved).expect("legal vertices");
        world.step(&ITSELF);
        moved[6..9].copy_from_slice(&flat(0.0, 8.0, 0.5));
        world.deform(body, &moved).expect("legal vertices");
        let found = ask(&mut world, &Query { onset: Onset::New, ..ITSELF });
        let (verdict, time) = found.expect("one pair");
        assert_eq!(verdict, Verdict::Hit(HitKind::Surface));
        assert!(time.is_some_and(|[from, _]| 0.2 < from && from < 0.5), "{name} {time:?}");
    }
}

#[test]
fn only_new_contacts_count_if_so_asked() {
    for name in narrow::exact_names() {
        let still = soup(&[flat(0.0, 0.0, 1.0), flat(10.0, 0.0, 1.0)]);
        let cloth = soup(&[flat(0.0, 0.0, 0.5), flat(10.0, 1.0, 0.5)]);
        let mut world = world_with(name);
        insert(&mut world, &still);
        let b = insert(&mut world, &cloth);
        world.step(&DYNAMIC);
        let mut moved = cloth.vertices().to_vec();
        moved[3..].iter_mut().for_each(|v| v[2] = -1.0);
        world.deform(b, &moved).expect("legal vertices");
        let report = world.step(&Query { onset: Onset::New, ..LISTED });
        let hit = report.hits().next().expect("the second triangles meet");
        assert_eq!(hit.triangle_pairs, [[1, 1]]);
        assert!(hit.answer.time.is_some_and(|[from, to]| from <= 0.5 && 0.5 <= to), "{name}");
        world.deform(b, cloth.vertices()).expect("legal vertices");
        let time = ask(&mut world, &DYNAMIC).and_then(|(_, time)| time);
        assert_eq!(time, Some([0.0; 2]), "{name}");
    }
}

#[test]
fn the_first_of_all_may_be_rigid_or_not() {
    for name in ["auto", "bvh"] {
        for rigid_first in [false, true] {
            let large = soup(&[flat(0.0, 0.0, 5.0)]);
            let small = soup(&[flat(0.0, 1.0, 0.5)]);
            let mut world = world_with(name);
            let [a, b, c] = [&large, &small, &small].map(|mesh| insert(&mut world, mesh));
            world.teleport(c, shift(1.5, 0.0, 0.0));
            world.step(&DYNAMIC);
            world.deform(b, &lifted(&small, -2.0)).expect("legal vertices");
            world.set_pose(c, shift(1.5, 0.0, if rigid_first { -4.0 } else { -1.25 }));
            let report = world.step(&Query { onset: Onset::FirstOfAll, ..DYNAMIC });
            let hits: Vec<[BodyId; 2]> = report.hits().map(|hit| [hit.a, hit.b]).collect();
            assert_eq!(hits, [[a, if rigid_first { c } else { b }]], "{name}");
            let from = if rigid_first { 0.25 } else { 0.5 };
            let later = report.pairs().find(|pair| pair.answer.verdict == Verdict::Unknown);
            let [since, to] = later.and_then(|pair| pair.answer.time).expect("one is later");
            assert!((since - from).abs() < 1e-5 && to == 1.0, "{name} {since}");
        }
    }
}

#[test]
fn inside_at_the_start_counts_and_nothing_gets_in_unseen() {
    for name in narrow::exact_names() {
        let ball = build_mesh("sphere?faces=80").expect("a sample");
        let scaled = |by: f64, x: f64| -> Vec<Point> {
            ball.vertices().iter().map(|p| [by * p[0] + x, by * p[1], by * p[2]]).collect()
        };
        let mut world = world_with(name);
        let [_, b] = [insert(&mut world, &ball), insert(&mut world, &ball)];
        world.reset_vertices(b, &scaled(0.1, 0.0)).expect("legal vertices");
        world.step(&DYNAMIC);
        world.deform(b, &scaled(0.2, 0.1)).expect("legal vertices");
        let inside = Verdict::Hit(HitKind::Inside { inner: Side::B });
        assert_eq!(ask(&mut world, &DYNAMIC), Some((inside, Some([0.0; 2]))), "{name}");
        // Out into the open, and past it.
        world.reset_vertices(b, &scaled(0.1, 5.0)).expect("legal vertices");
        assert_eq!(world.step(&DYNAMIC).hits().count(), 0);
        world.deform(b, &scaled(0.2, 3.0)).expect("legal vertices");
        assert_eq!(world.step(&DYNAMIC).hits().count(), 0);
        world.deform(b, &scaled(0.1, 0.0)).expect("legal vertices");
        let (verdict, time) = ask(&mut world, &DYNAMIC).expect("they are near");
        assert_eq!(verdict, Verdict::Hit(HitKind::Surface));
        assert!(time.is_some_and(|[from, to]| 0.5 < from && to < 0.7), "{time:?}");
    }
}

#[test]
fn the_least_gap_of_a_step_is_enclosed() {
    for name in narrow::exact_names() {
        let (mut world, [_, b], small) = sheets(name);
        world.deform(b, &lifted(&small, -0.75)).expect("legal vertices");
        let measured = Query { gap: Gap::Measure, ..DYNAMIC };
        let gap = world.step(&measured).pairs().next().and_then(|pair| pair.answer.clearance);
        let gap = gap.expect("they do not meet");
        assert!(
            gap.at_least <= 0.25 && 0.25 <= gap.at_most && gap.at_least > 0.2,
            "{name} {gap:?}"
        );
        world.deform(b, small.vertices()).expect("legal vertices");
        let below = Query { gap: Gap::Below(0.125), ..DYNAMIC };
        let near = world.step(&below).pairs().next().map(|pair| pair.answer.clearance);
        assert_eq!(near.flatten(), None, "{name}");
    }
}

/// A frame of two bodies: vertices in their own frames, and poses.
struct Frame {
    vertices: [Vec<Point>; 2],
    poses: [Pose; 2],
}

fn frame(meshes: &[Mesh; 2], seed: &mut u64) -> Frame {
    let vertices = std::array::from_fn(|k| {
        let phase: [f64; 3] = std::array::from_fn(|_| 6.0 * random(seed));
        let size = 0.4 * random(seed);
        let wave = |p: &Point| {
            let at = |k: usize| p[k] + size * (2.0 * p[(k + 1) % 3] + phase[k]).sin();
            [at(0), at(1), at(2)]
        };
        meshes[k].vertices().iter().map(wave).collect()
    });
    let poses = std::array::from_fn(|_| {
        let at = std::array::from_fn(|_| 6.0 * random(seed) - 3.0);
        let turn = std::array::from_fn(|k| if k == 0 { 1.0 } else { random(seed) - 0.5 });
        Pose::new(turn, at).expect("finite")
    });
    Frame { vertices, poses }
}

/// The distance at a time, zero if they touch, as the exact static test sees it.
fn distance_at(meshes: &[Mesh; 2], places: [&dyn Fn(f64) -> Vec<Point>; 2], time: f64) -> f64 {
    let mut world = world_with("brute");
    for k in 0..2 {
        let mesh = meshes[k].with_vertices(places[k](time)).expect("legal vertices");
        insert(&mut world, &mesh);
    }
    let report = world.step(&Query { gap: Gap::Measure, ..Query::TOUCHING });
    let pair = report.pairs().next().expect("measured pairs are listed");
    pair.answer.clearance.map_or(0.0, |gap| gap.at_most)
}

#[test]
fn random_steps_agree_with_many_instants() {
    const SAMPLES: u32 = 48;
    let meshes = [
        build_mesh("sphere?faces=40").expect("a sample"),
        build_mesh("torus?segments=6&sides=4").expect("a sample"),
    ];
    let mut seed = 11;
    let mut counts = [0; 3];
    for (round, rigid) in (0..150).map(|round| (round, round % 3 == 2)) {
        let (from, mut to) = (frame(&meshes, &mut seed), frame(&meshes, &mut seed));
        if rigid {
            // The second one only moves and turns.
            to.vertices[1].clone_from(&from.vertices[1]);
        }
        let straight = |k: usize| {
            let ends = [&from, &to].map(|frame| -> Vec<Point> {
                frame.vertices[k].iter().map(|v| frame.poses[k].apply(v)).collect()
            });
            move |time: f64| -> Vec<Point> {
                let between = |(a, b): (&Point, &Point)| {
                    std::array::from_fn(|i| (1.0 - time) * a[i] + time * b[i])
                };
                ends[0].iter().zip(&ends[1]).map(between).collect()
            }
        };
        let motion = Motion::lerp_slerp(from.poses[1], to.poses[1]);
        let turning = |time: f64| -> Vec<Point> {
            from.vertices[1].iter().map(|v| motion.pose_at(time).apply(v)).collect()
        };
        let (first, second) = (straight(0), straight(1));
        let second: &dyn Fn(f64) -> Vec<Point> = if rigid { &turning } else { &second };
        let distance = |time: f64| distance_at(&meshes, [&first, second], time);
        let mut world = World::new();
        let bodies = [0, 1].map(|k| insert(&mut world, &meshes[k]));
        for (frame, is_last) in [(&from, false), (&to, true)] {
            world.step(&DYNAMIC);
            for (k, &body) in bodies.iter().enumerate() {
                if !(rigid && k == 1 && is_last) {
                    world.deform(body, &frame.vertices[k]).expect("legal vertices");
                }
                world.set_pose(body, frame.poses[k]);
            }
        }
        let report = world.step(&DYNAMIC);
        let pair = report.pairs().next();
        let times = (0..=SAMPLES).map(|k| f64::from(k) / f64::from(SAMPLES));
        match pair.map(|pair| (pair.answer.verdict, pair.answer.time)) {
            None | Some((Verdict::Free, _)) => {
                counts[0] += 1;
                for time in times {
                    assert!(distance(time) > 0.0, "round {round}: missed at {time}");
                }
            }
            Some((Verdict::Hit(_), Some([begin, end]))) => {
                counts[if end == 0.0 { 1 } else { 2 }] += 1;
                for time in times.filter(|&time| time < begin) {
                    assert!(distance(time) > 0.0, "round {round}: at {time} before {begin}");
                }
                assert!(end - begin <= 2e-6, "round {round}: {begin} {end}");
                assert!(distance(end) < 1e-4, "round {round}: nothing at {end}");
            }
            other => panic!("round {round}: {other:?}"),
        }
    }
    assert!(counts.iter().all(|&count| count > 3), "{counts:?}");
}

#[test]
fn a_world_lets_go_of_old_vertices() {
    let (mut world, [_, b], small) = sheets("auto");
    for k in 0..6 {
        world.deform(b, &lifted(&small, -f64::from(k))).expect("legal vertices");
        world.step(&DYNAMIC);
        let shape = world.body(b).expect("it is there").shape;
        let mesh = Arc::clone(world.mesh(shape).expect("it is there"));
        assert_eq!(mesh.vertices(), lifted(&small, -f64::from(k)));
    }
}
