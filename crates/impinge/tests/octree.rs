//! The engine for deforming bodies against brute force, on frames that nothing connects; its limits;
//! that steady frames allocate nothing.

#[path = "all/random.rs"]
mod random;

use impinge::broad;
use impinge::narrow::{brute::Brute, octree::Octree};
use impinge::prelude::*;
use random::Random;
use std::sync::Arc;
use std::time::Instant;

fn world(engine: Box<dyn impinge::contract::engine::Engine>) -> World {
    World::with(Box::new(broad::auto::Auto::default()), engine)
}

/// Pairs of bodies with their verdicts and triangle pairs.
fn told(world: &mut World, query: &Query) -> Vec<(BodyId, BodyId, Verdict, Vec<[u32; 2]>)> {
    let report = world.step(query);
    assert_eq!(report.progress(), Progress::Complete);
    let tell =
        |pair: PairReport<'_>| (pair.a, pair.b, pair.answer.verdict, pair.triangle_pairs.to_vec());
    report.pairs().map(tell).collect()
}

/// Vertices of a mesh, each moved, and all of them somewhere.
fn shaken(mesh: &Mesh, random: &mut Random, size: f64) -> Vec<Point> {
    let within = |random: &mut Random, low: f64, high: f64| low + (high - low) * random.unit();
    let shift: Point = std::array::from_fn(|_| within(random, -0.8, 0.8));
    let wave: Point = std::array::from_fn(|_| within(random, 1.0, 6.0));
    let place = |p: &Point| -> Point {
        std::array::from_fn(|k| {
            let along = p[(k + 1) % 3];
            p[k] + shift[k]
                + size * (wave[k] * along).sin()
                + 0.1 * size * within(random, -1.0, 1.0)
        })
    };
    mesh.vertices().iter().map(place).collect()
}

#[test]
fn a_thousand_random_frames_are_as_brute_force_says() {
    let mesh = |name: &str| Arc::new(impinge_samples::build_mesh(name).expect("a sample"));
    let meshes =
        [mesh("torus-knot?segments=25&sides=8"), mesh("sphere?faces=120"), mesh("shuttle")];
    let mut random = Random(7);
    let mut worlds = [world(Box::new(Octree::default())), world(Box::new(Brute::default()))];
    let bodies: Vec<Vec<BodyId>> = worlds
        .iter_mut()
        .map(|world| {
            let shapes = world.add_shapes(&meshes).expect("any mesh will do");
            shapes
                .iter()
                .map(|&shape| world.insert(Body::new(shape)).expect("it is there"))
                .collect()
        })
        .collect();
    let mut hits = 0;
    for frame in 0..340 {
        let size = [0.0, 0.02, 0.1, 0.4][frame % 4];
        let moved: Vec<Vec<Point>> =
            meshes.iter().map(|mesh| shaken(mesh, &mut random, size)).collect();
        for (world, bodies) in worlds.iter_mut().zip(&bodies) {
            for (&body, vertices) in bodies.iter().zip(&moved) {
                world.deform(body, vertices).expect("finite");
            }
        }
        let query = Query { itself: frame % 8 == 1, ..Query::PAIRS };
        let [octree, brute] = worlds.each_mut().map(|world| told(world, &query));
        assert_eq!(octree, brute, "frame {frame}");
        hits += octree.iter().filter(|pair| !pair.3.is_empty()).count();
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn a_million_faces_in_one_cell_end_with_what_was_found() {
    let count = 1_000_000;
    let pile = |z: f64| {
        let corners = vec![[0.0, 0.0, z], [1.0, 0.1, -z], [0.0, 1.0, z]];
        Arc::new(Mesh::new(corners, vec![[0, 1, 2]; count]).expect("legal soup"))
    };
    let mut world = world(Box::new(Octree::default()));
    for mesh in [pile(0.1), pile(0.25)] {
        let shape = world.add_shape(mesh).expect("any mesh will do");
        world.insert(Body::new(shape)).expect("it is there");
    }
    let start = Instant::now();
    let report = world.step(&Query::PAIRS);
    let time = start.elapsed();
    assert_eq!(report.progress(), Progress::Limit);
    let pair = report.pairs().next().expect("their boxes overlap");
    assert_eq!(pair.answer.verdict, Verdict::Hit(HitKind::Surface));
    assert!(!pair.answer.complete && !pair.triangle_pairs.is_empty());
    assert!(time.as_secs_f64() < 60.0, "{time:?}");
    // Touching alone is quick.
    let start = Instant::now();
    assert_eq!(world.step(&Query::TOUCHING).progress(), Progress::Complete);
    assert!(start.elapsed().as_secs_f64() < 10.0, "{:?}", start.elapsed());
}

#[test]
fn budgets_of_work_replay() {
    let mesh = Arc::new(
        impinge_samples::build_mesh("torus-knot?segments=125&sides=16").expect("a sample"),
    );
    let mut world = world(Box::new(Octree::default()));
    let shape = world.add_shape(mesh).expect("any mesh will do");
    for x in [0.0, 0.4] {
        let pose = Pose::shift([x, 0.1, 0.2]).expect("finite");
        world.insert(Body::new(shape).at(pose)).expect("it is there");
    }
    let all = told(&mut world, &Query::PAIRS)[0].3.clone();
    assert!(all.len() > 100);
    let mut before = 0;
    for work in [1_000, 60_000, 150_000, 10_000_000] {
        let query = Query { budget: Budget::Work(work), ..Query::PAIRS };
        let mut run = || {
            let report = world.step(&query);
            let pair = report.pairs().next().expect("their boxes overlap");
            (pair.answer.verdict, pair.answer.complete, pair.triangle_pairs.to_vec())
        };
        let (verdict, complete, pairs) = run();
        assert_eq!((verdict, complete, pairs.clone()), run());
        assert!(pairs.len() >= before && pairs.iter().all(|pair| all.contains(pair)));
        assert_eq!(complete, pairs.len() == all.len());
        assert!(verdict != Verdict::Free);
        before = pairs.len();
    }
    assert_eq!(before, all.len());
}

#[test]
fn what_is_kept_from_frame_to_frame_changes_no_answer() {
    let mesh =
        Arc::new(impinge_samples::build_mesh("torus-knot?segments=50&sides=8").expect("a sample"));
    let mut worlds: Vec<World> = ["octree", "octree?slack=0.5", "octree?slack=0"]
        .iter()
        .map(|text| world(impinge::narrow::by_text(text).expect("it is known")))
        .collect();
    let bodies: Vec<[BodyId; 2]> = worlds
        .iter_mut()
        .map(|world| {
            let shape = world.add_shape(Arc::clone(&mesh)).expect("any mesh will do");
            [(); 2].map(|()| world.insert(Body::new(shape)).expect("it is there"))
        })
        .collect();
    for frame in 0..60 {
        // Slowly, then fast, then with a leap.
        let time = [0.01, 0.3][usize::from(frame > 30)] * f64::from(frame);
        let leap = if frame == 50 { 3.0 } else { 0.0 };
        let wave = |p: &Point, turn: f64| -> Point {
            std::array::from_fn(|k| {
                let y = p[(k + 1) % 3];
                p[k] + turn * 0.4 + leap * turn + 0.05 * (3.0 * y + time + turn).sin()
            })
        };
        let told: Vec<_> = worlds
            .iter_mut()
            .zip(&bodies)
            .map(|(world, bodies)| {
                for (turn, &body) in [0.0, 1.0].into_iter().zip(bodies) {
                    let vertices: Vec<Point> =
                        mesh.vertices().iter().map(|p| wave(p, turn)).collect();
                    world.deform(body, &vertices).expect("finite");
                }
                told(world, &Query::PAIRS)
            })
            .collect();
        assert_eq!(told[0], told[1], "frame {frame}");
        assert_eq!(told[0], told[2], "frame {frame}");
        assert!(frame == 50 || !told[0][0].3.is_empty());
    }
    let bad = impinge::narrow::by_text("octree?slack=-1").err().expect("no part of an edge");
    assert!(bad.to_string().contains("0 to 100"), "{bad}");
}

#[test]
fn many_large_pairs_end_on_many_threads() {
    // Threads that wait for parts of one pair take up another one.
    let mesh = Arc::new(
        impinge_samples::build_mesh("torus-knot?segments=125&sides=12").expect("a sample"),
    );
    let frames: Vec<Vec<Point>> = (0..2)
        .map(|k| {
            mesh.vertices().iter().map(|p| p.map(|x| x * (1.0 + 0.01 * f64::from(k)))).collect()
        })
        .collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut world = world(Box::new(Octree::default()));
            let shape = world.add_shape(Arc::clone(&mesh)).expect("any mesh will do");
            let bodies: Vec<BodyId> = (0..9)
                .map(|k| {
                    let pose = Pose::shift([0.1 * f64::from(k), 0.0, 0.02]).expect("finite");
                    world.insert(Body::new(shape).at(pose)).expect("it is there")
                })
                .collect();
            let mut all = Vec::new();
            for frame in &frames {
                for &body in &bodies {
                    world.deform(body, frame).expect("finite");
                }
                all.push(told(&mut world, &Query::PAIRS));
            }
            all
        })
    };
    assert_eq!(run(1), run(6));
}

#[test]
fn a_speck_on_a_face_is_seen() {
    // So small beside the face that products of the face's coordinates, seen as large as the speck is,
    // are beyond f32.
    let face = [
        [0.133123150344562, 0.4915635145254025, 0.9420055071735924],
        [-0.11128156588845584, -0.11147059834728379, 0.525788783823522],
        [-0.021841584456106178, -0.3800929161781187, -1.4677942909971144],
    ];
    let speck = [
        [7.546973735283462e-14, 4.613435970196278e-15, -4.289826312060666e-14],
        [5.879932113246112e-14, -1.9171566189954848e-14, 2.108407379506583e-14],
        [-9.012418505942066e-15, 6.015799500317787e-15, -1.2806920035054981e-14],
    ];
    for size in [1e-3, 1e-1, 1.0, 10.0, 100.0, 1e4] {
        let small = speck.map(|p| p.map(|x| x * size));
        let told: Vec<Verdict> =
            [world(Box::new(Octree::default())), world(Box::new(Brute::default()))]
                .into_iter()
                .map(|mut world| {
                    for corners in [face, small] {
                        let mesh =
                            Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("a triangle");
                        let shape = world.add_shape(mesh).expect("any mesh will do");
                        world.insert(Body::new(shape)).expect("it is there");
                    }
                    told(&mut world, &Query::PAIRS)[0].2
                })
                .collect();
        assert_eq!(told[0], told[1], "{size}");
    }
}

#[test]
fn kept_pairs_are_those_of_the_shape() {
    let corners = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [9.0, 0.0, 0.0],
        [9.0, 1.0, 0.0],
        [9.0, 0.0, 1.0],
    ];
    let mesh = |triangles: Vec<[u32; 3]>| Mesh::new(corners.to_vec(), triangles).expect("legal");
    let mut world = world(impinge::narrow::by_text("octree?slack=0.5").expect("it is known"));
    let one = world.add_shape(mesh(vec![[0, 1, 2]])).expect("any mesh will do");
    let two = world.add_shape(mesh(vec![[3, 4, 5], [0, 1, 2]])).expect("any mesh will do");
    let needle = [[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [0.21, 0.2, 1.0]];
    let needle = Mesh::new(needle.to_vec(), vec![[0, 1, 2]]).expect("legal");
    let needle = world.add_shape(needle).expect("any mesh will do");
    let body = world.insert(Body::new(one)).expect("it is there");
    world.insert(Body::new(needle)).expect("it is there");
    for (shape, face) in [(one, 0), (two, 1), (one, 0), (two, 1)] {
        world.set_shape(body, shape).expect("it is there");
        assert_eq!(told(&mut world, &Query::PAIRS)[0].3, [[face, 0]]);
    }
}

#[test]
fn rigid_motions_are_followed_as_bvh_does() {
    let mesh = |name: &str| Arc::new(impinge_samples::build_mesh(name).expect("a sample"));
    let meshes = [mesh("torus-knot?segments=24&sides=5"), mesh("chair")];
    let mut random = Random(11);
    let mut pose = |reach: f64| {
        let turn = std::array::from_fn(|_| random.unit() - 0.5);
        let shift = std::array::from_fn(|_| reach * (2.0 * random.unit() - 1.0));
        Pose::new(turn, shift).expect("a pose")
    };
    let (mut hits, mut free) = (0, 0);
    for round in 0..60 {
        let ways = [[pose(0.3), pose(0.3)], [pose(4.0), pose(4.0)]];
        let told = ["octree", "bvh"].map(|name| {
            let mut world = world(impinge::narrow::by_text(name).expect("it is known"));
            for (mesh, [from, to]) in meshes.iter().zip(ways) {
                let shape = world.add_shape(Arc::clone(mesh)).expect("any mesh will do");
                let motion = Motion::lerp_slerp(from, to);
                world.insert(Body::new(shape).moving(motion)).expect("it is there");
            }
            let report = world.step(&Query::FIRST_CONTACT);
            let first = report.pairs().next().map(|pair| (pair.answer.verdict, pair.answer.time));
            // A pair whose swept boxes are apart is not asked about.
            first.unwrap_or((Verdict::Free, None))
        });
        let [(octree, mine), (bvh, theirs)] = told;
        assert_eq!(octree, bvh, "round {round}");
        if let (Verdict::Hit(_), Some([a, b]), Some([c, d])) = (bvh, mine, theirs) {
            assert!(a <= d && c <= b, "round {round}: {a}…{b} and {c}…{d}");
            hits += 1;
        } else {
            free += 1;
        }
    }
    assert!(hits > 10 && free > 5, "{hits} hits, {free} free");
}
