//! Bodies that deform: every engine on deformed frames against a world that was made of them, and what
//! the world must not mix up.

use impinge::broad;
use impinge::contract::engine::Engine;
use impinge::narrow;
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::sync::Arc;

fn sample(name: &str) -> Arc<Mesh> {
    Arc::new(build_mesh(name).expect("a sample"))
}

fn pose(turn: f64, shift: [f64; 3]) -> Pose {
    Pose::new([1.0, turn, -0.5 * turn, 0.3 * turn], shift).expect("finite")
}

fn engine(name: &str) -> Box<dyn Engine> {
    narrow::by_name(name).expect("it is registered")
}

fn world_with(name: &str) -> World {
    World::with(broad::by_name("auto").expect("it is registered"), engine(name))
}

/// A number below one that depends on the seed alone.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}

/// The mesh with waves of a random phase and size through it.
fn wobble(mesh: &Mesh, seed: &mut u64) -> Vec<Point> {
    let phase: [f64; 3] = std::array::from_fn(|_| 6.0 * random(seed));
    let size = 0.9 * random(seed) * random(seed);
    let wave = |p: &Point| {
        let at = |k: usize| p[k] + size * (3.0 * p[(k + 1) % 3] + phase[k]).sin();
        [at(0), at(1), at(2)]
    };
    mesh.vertices().iter().map(wave).collect()
}

/// A sheet of `n × n` squares over the unit square in the plane z = 0.
fn cloth(n: u32) -> Arc<Mesh> {
    let at = |i: u32| f64::from(i) / f64::from(n) - 0.5;
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| [at(i), at(j), 0.0])).collect();
    let corner = |i: u32, j: u32| i * (n + 1) + j;
    let squares = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let faces = squares.flat_map(|(i, j)| {
        let [p, q, r, s] =
            [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| corner(i, j));
        [[p, q, r], [p, r, s]]
    });
    Arc::new(Mesh::new(vertices, faces.collect()).expect("a mesh"))
}

/// What a step told of each pair: verdict and triangles.
fn told(report: &Report<'_>) -> Vec<(BodyId, BodyId, Verdict, Vec<[u32; 2]>)> {
    report
        .hits()
        .map(|hit| (hit.a, hit.b, hit.answer.verdict, hit.triangle_pairs.to_vec()))
        .collect()
}

/// Three bodies, the last of which does not deform.
struct Frames {
    meshes: [Arc<Mesh>; 3],
    seed: u64,
}

struct Frame {
    vertices: [Vec<Point>; 3],
    poses: [Pose; 3],
}

impl Frames {
    fn new(seed: u64) -> Self {
        let meshes = [sample("sphere?faces=80"), cloth(6), sample("torus?segments=8&sides=5")];
        Self { meshes, seed }
    }

    fn next(&mut self) -> Frame {
        let Self { meshes, seed } = self;
        let [a, b, c] = &*meshes;
        let vertices = [wobble(a, seed), wobble(b, seed), c.vertices().to_vec()];
        let poses = std::array::from_fn(|_| {
            let shift = std::array::from_fn(|_| 1.2 * random(seed) - 0.6);
            pose(random(seed), shift)
        });
        Frame { vertices, poses }
    }
}

fn insert(world: &mut World, mesh: &Arc<Mesh>) -> BodyId {
    let shape = world.add_shape(Arc::clone(mesh)).expect("any mesh");
    world.insert(Body::new(shape)).expect("a known shape")
}

#[test]
fn every_engine_sees_deformed_frames_as_a_new_world_does() {
    for name in narrow::exact_names() {
        let mut frames = Frames::new(7);
        let mut world = world_with(name);
        let bodies = [0, 1, 2].map(|k| insert(&mut world, &frames.meshes[k]));
        let mut kinds = [0; 3];
        for _ in 0..60 {
            let frame = frames.next();
            for (&body, vertices) in bodies.iter().zip(&frame.vertices[..2]) {
                world.deform(body, vertices).expect("legal vertices");
            }
            let mut fresh = world_with("brute");
            for (k, &body) in bodies.iter().enumerate() {
                world.set_pose(body, frame.poses[k]);
                let mesh =
                    frames.meshes[k].with_vertices(frame.vertices[k].clone()).expect("legal");
                let body = insert(&mut fresh, &Arc::new(mesh));
                fresh.set_pose(body, frame.poses[k]);
            }
            let query = Query { itself: true, ..Query::PAIRS };
            let (expected, found) = (told(&fresh.step(&query)), told(&world.step(&query)));
            assert_eq!(expected, found, "{name}");
            kinds[0] += found.len();
            kinds[1] += found
                .iter()
                .filter(|hit| matches!(hit.2, Verdict::Hit(HitKind::Inside { .. })))
                .count();
            kinds[2] += found.iter().filter(|hit| hit.0 == hit.1).count();
        }
        assert!(kinds[0] > 60 && kinds[2] > 0, "{kinds:?}");
    }
}

#[test]
fn a_body_inside_another_one_is_seen_when_it_shrinks_into_it() {
    for name in narrow::exact_names() {
        let mesh = sample("sphere?faces=80");
        let mut world = world_with(name);
        let [outer, inner] = [insert(&mut world, &mesh), insert(&mut world, &mesh)];
        let scaled =
            |by: f64| -> Vec<Point> { mesh.vertices().iter().map(|p| p.map(|x| by * x)).collect() };
        world.deform(inner, &scaled(0.25)).expect("legal vertices");
        let inside = Verdict::Hit(HitKind::Inside { inner: Side::B });
        let verdict = |world: &mut World| {
            world.step(&Query::TOUCHING).hits().next().map(|hit| hit.answer.verdict)
        };
        assert_eq!(verdict(&mut world), Some(inside), "{name}");
        world.deform(outer, &scaled(0.1)).expect("legal vertices");
        let inside = Verdict::Hit(HitKind::Inside { inner: Side::A });
        assert_eq!(verdict(&mut world), Some(inside), "{name}");
    }
}

#[test]
fn shapes_are_shared_until_a_body_deforms() {
    let mesh = sample("sphere?faces=80");
    let mut world = World::new();
    let [a, b] = [insert(&mut world, &mesh), insert(&mut world, &mesh)];
    let shape = |world: &World, body: BodyId| world.body(body).expect("it is there").shape;
    let shared = shape(&world, a);
    assert_eq!(shared, shape(&world, b));
    let moved: Vec<Point> = mesh.vertices().iter().map(|p| p.map(|x| 2.0 * x)).collect();
    world.deform(a, &moved).expect("legal vertices");
    let own = shape(&world, a);
    assert_ne!(own, shared);
    assert_eq!(shape(&world, b), shared);
    assert_eq!(world.mesh(shared).map(|mesh| mesh.vertices()), Some(mesh.vertices()));
    assert_eq!(world.mesh(own).map(|mesh| mesh.vertices()), Some(&*moved));
    // An equal mesh is a shape of its own, and so is the next deformation in place.
    let equal = Arc::clone(world.mesh(own).expect("it is there"));
    assert_ne!(world.add_shape(equal).expect("any mesh"), own);
    world.deform(a, mesh.vertices()).expect("legal vertices");
    assert_eq!(shape(&world, a), own);
    // No other body may have it, in whatever way.
    let copy = world.body(a).expect("it is there").clone();
    assert_eq!(world.insert(copy), Err(InsertError::OwnShape(own)));
    assert_eq!(world.set_shape(b, own), Err(InsertError::OwnShape(own)));
    assert_eq!(world.set_shape(a, own), Ok(()));
    assert!(!world.remove_shape(own));
    // It goes with the body, or when that gets another one.
    world.set_shape(a, shared).expect("a known shape");
    assert!(world.mesh(own).is_none() && !world.remove_shape(own));
    world.deform(b, &moved).expect("legal vertices");
    let own = shape(&world, b);
    assert!(world.remove(b));
    assert!(world.mesh(own).is_none());
    assert_eq!(world.deform(b, &moved), Err(DeformError::UnknownBody(b)));
    assert_eq!(world.step(&Query::PAIRS).pairs().count(), 0);
}

#[test]
fn refused_vertices_change_nothing() {
    let mesh = sample("sphere?faces=80");
    let mut world = World::new();
    let [a, b] = [insert(&mut world, &mesh), insert(&mut world, &mesh)];
    let before = told(&world.step(&Query::PAIRS));
    let mut bad = mesh.vertices().to_vec();
    bad[3][1] = f64::NAN;
    let mut far = mesh.vertices().to_vec();
    far[2][0] = 1e200;
    for round in 0..3 {
        let own = world.body(a).expect("it is there").shape;
        let is = |found: Result<(), DeformError>, error: &str| {
            assert_eq!(found.expect_err("they are bad").to_string(), error);
        };
        is(world.deform(a, &bad), "vertex 3 has the coordinate NaN; a finite number is needed");
        is(world.deform(a, &far), "vertex 2 has the coordinate 1e200; at most 2e90 is possible");
        let few = format!("5 vertices were given for a mesh of {}", mesh.vertices().len());
        is(world.deform(a, &mesh.vertices()[..5]), &few);
        is(world.reset_vertices(a, &mesh.vertices()[..5]), &few);
        let all = world.deform_all(&[(b, mesh.vertices()), (a, &bad)]).expect_err("one is bad");
        assert_eq!(all.index, 1);
        let twice = world.deform_all(&[(a, mesh.vertices()), (b, &bad), (a, &bad)]);
        let twice = twice.expect_err("one is named twice");
        assert_eq!((twice.index, twice.error), (2, DeformError::NamedTwice(a)));
        assert_eq!(world.body(a).expect("it is there").shape, own);
        assert_eq!(world.mesh(own).map(|mesh| mesh.vertices()), Some(mesh.vertices()));
        assert_eq!(told(&world.step(&Query::PAIRS)), before);
        // The same for a body that has deformed before, at once or in a step before.
        if round < 2 {
            world.deform(a, mesh.vertices()).expect("legal vertices");
        }
        if round == 0 {
            world.step(&Query::PAIRS);
        }
    }
}

#[test]
fn questions_between_steps_see_the_deformed_body() {
    let mesh = cloth(4);
    let mut world = World::new();
    let body = insert(&mut world, &mesh);
    let other = insert(&mut world, &sample("sphere?faces=80"));
    world.set_pose(other, pose(0.0, [0.0, 0.0, 30.0]));
    world.freeze(body);
    let ray =
        Ray::new([0.1, 0.05, 50.0], [0.0, 0.0, -1.0]).expect("a ray").up_to(100.0).expect("ok");
    let only = |id: BodyId, _: &Body| id == body;
    for height in [0.0, 3.0, -2.0, 31.0] {
        let moved: Vec<Point> = mesh.vertices().iter().map(|[x, y, _]| [*x, *y, height]).collect();
        world.deform(body, &moved).expect("legal vertices");
        let met = world.cast(&ray, only).expect("the ray goes through the cloth");
        assert!((met.hit.distance - (50.0 - height)).abs() < 1e-9);
        let spot = Spot::new([0.0, 0.0, 0.0]).expect("finite");
        let near = world.closest(&spot, only).expect("it is there").nearest;
        assert!((near.at_most - height.abs()).abs() < 1e-9);
        let around =
            impinge_geom::aabb::Aabb { min: [-1.0, -1.0, height], max: [1.0, 1.0, height] };
        assert!(world.bodies_in_box(&around).contains(&body));
        // At the last height they meet.
        let hits = world.step(&Query::PAIRS).hits().count();
        assert_eq!(hits, usize::from(height == 31.0));
        assert_eq!(world.separation(body, other).is_some(), height == 31.0);
    }
}

#[test]
fn many_at_once_are_as_one_after_the_other_on_any_number_of_threads() {
    let run = |at_once: bool, query: &Query| {
        let mut frames = Frames::new(3);
        let mut world = World::new();
        let bodies = [0, 1, 2].map(|k| insert(&mut world, &frames.meshes[k]));
        let mut all = Vec::new();
        for _ in 0..12 {
            let frame = frames.next();
            let list: Vec<(BodyId, &[Point])> =
                (0..3).map(|k| (bodies[k], &*frame.vertices[k])).collect();
            if at_once {
                world.deform_all(&list).expect("legal vertices");
            } else {
                list.iter().for_each(|(b, v)| world.deform(*b, v).expect("legal vertices"));
            }
            (0..3).for_each(|k| assert!(world.set_pose(bodies[k], frame.poses[k])));
            let report = world.step(query);
            let answers: Vec<String> =
                report.pairs().map(|p| format!("{:?} {:?}", p.answer, p.triangle_pairs)).collect();
            all.push((answers, report.events().to_vec()));
        }
        all
    };
    let dynamic = Query { mode: Mode::Dynamic, itself: true, ..Query::PAIRS };
    for query in [Query { itself: true, ..Query::CONTACTS }, dynamic] {
        let expected = run(false, &query);
        assert!(run(true, &query) == expected);
        for threads in [1, 2, 5] {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            assert!(pool.install(|| run(true, &query)) == expected, "{threads}");
        }
    }
}

#[test]
fn contacts_begin_and_end_with_deformations() {
    let mesh = cloth(3);
    let mut world = World::new();
    let [a, b] = [insert(&mut world, &mesh), insert(&mut world, &mesh)];
    world.set_pose(b, pose(0.0, [0.0, 0.0, 1.0]));
    world.freeze(a);
    let shifted = |z: f64| -> Vec<Point> {
        mesh.vertices().iter().map(|[x, y, _]| [*x, *y, z * (x + 1.0)]).collect()
    };
    assert_eq!(world.step(&Query::PAIRS).events(), []);
    world.deform(b, &shifted(-1.2)).expect("legal vertices");
    assert_eq!(world.step(&Query::PAIRS).events(), [Event::Begin(a, b)]);
    assert_eq!(world.step(&Query::PAIRS).events(), [Event::Stay(a, b)]);
    world.deform(a, &shifted(-1.0)).expect("frozen bodies may deform");
    world.deform(b, &shifted(-0.1)).expect("legal vertices");
    assert_eq!(world.step(&Query::PAIRS).events(), [Event::End(a, b)]);
}
