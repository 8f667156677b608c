//! Searches that go on from frame to frame: what they tell is true in every frame, after every step.

use impinge::prelude::*;
use impinge_geom::coins::search::Refinement;
use impinge_geom::coins::{CoinTree, Couple, Placed};
use impinge_samples::build_mesh;
use std::sync::Arc;

const SAMPLES: [&str; 3] =
    ["torus-knot?segments=60&sides=6", "stellated-dodecahedron", "bumpy-sphere?faces=480"];

/// Random numbers from −1 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn three(&mut self, by: f64) -> [f64; 3] {
        [0; 3].map(|_| by * self.next())
    }
}

/// A walk past a body at the origin and now and then through it, with steps of all sizes.
fn walk(frames: usize, seed: u64) -> Vec<Pose> {
    let mut random = Random(seed);
    let (mut turn, mut place) = ([1.0, 0.0, 0.0, 0.0], [2.6, 0.0, 0.0]);
    (0..frames)
        .map(|frame| {
            let size = [1e-4, 1e-3, 1e-2, 0.3][frame % 17 % 4];
            let (by, about) = (random.three(size), random.three(size));
            let home = place[0] * place[0] + place[1] * place[1] + place[2] * place[2] > 9.0;
            place = [0, 1, 2].map(|k| place[k] * if home { 0.9 } else { 1.0 } + by[k]);
            turn = [turn[0], turn[1] + about[0], turn[2] + about[1], turn[3] + about[2]];
            Pose::new(turn, place).expect("finite, and not all zero")
        })
        .collect()
}

#[test]
fn what_is_known_is_true_in_every_frame() {
    let mut met = 0;
    for (k, name) in SAMPLES.iter().enumerate() {
        let other = SAMPLES[(k + 1) % SAMPLES.len()];
        let [a, b] = [*name, other].map(|name| Arc::new(build_mesh(name).expect("a sample")));
        let trees = [&a, &b].map(|mesh| CoinTree::of(mesh));
        let mut exact = PosedPair::new(Arc::clone(&a), Arc::clone(&b)).expect("any mesh");
        let mut random = Random(7 + k as u64);
        let mut search = Refinement::default();
        for pose in walk(250, 11 + k as u64) {
            let truth = exact.check(&[pose], &Query::CLEARANCE).all()[0].clone();
            let hits = matches!(truth.verdict, Verdict::Hit(HitKind::Surface));
            let inside = matches!(truth.verdict, Verdict::Hit(_)) && !hits;
            let one = Placed { mesh: &a, tree: &trees[0], pose: &Pose::IDENTITY };
            let couple = Couple::new(one, Placed { mesh: &b, tree: &trees[1], pose: &pose });
            search.resume(&couple, f64::INFINITY);
            let mut steps = (60.0 * random.next()).max(0.0) as u32;
            steps = if random.next() > 0.9 { u32::MAX } else { steps };
            let mut before = [0.0, f64::INFINITY];
            loop {
                let [low, high] = search.ends(&couple);
                assert!(low >= before[0] && high <= before[1], "{before:?} {low} {high}");
                before = [low, high];
                match truth.clearance {
                    Some(gap) => assert!(low <= gap.at_most && gap.at_least <= high, "{name}"),
                    None => assert!(inside || low == 0.0, "{name}: {low}"),
                }
                if steps == 0 || search.is_done() {
                    break;
                }
                steps -= 1;
                search.step(&couple, usize::MAX);
            }
            assert!(search.meeting().is_none() || hits, "{name}");
            if search.is_done() {
                assert_eq!(search.meeting().is_some(), hits, "{name}");
                met += usize::from(hits);
            }
        }
    }
    assert!(met > 10, "{met}");
}

#[test]
fn a_front_is_worth_more_than_a_new_search() {
    let mesh = build_mesh("torus-knot?segments=200&sides=16").expect("a sample");
    let tree = CoinTree::of(&mesh);
    let one = Placed { mesh: &mesh, tree: &tree, pose: &Pose::IDENTITY };
    let (mut front, mut anew) = (Refinement::default(), Refinement::default());
    let mut wider = 0;
    for frame in 0..40 {
        let t = f64::from(frame);
        let pose = Pose::new([1.0, 1e-4 * t, 0.0, 0.3], [3.5, 2e-4 * t, 1e-4 * t]).expect("finite");
        let couple = Couple::new(one, Placed { pose: &pose, ..one });
        front.resume(&couple, f64::INFINITY);
        anew.start(&couple, f64::INFINITY);
        for _ in 0..40 {
            front.step(&couple, usize::MAX);
            anew.step(&couple, usize::MAX);
        }
        let width = |search: &Refinement| {
            let [low, high] = search.ends(&couple);
            high - low
        };
        wider += usize::from(frame > 4 && width(&front) > 0.5 * width(&anew));
    }
    assert!(wider <= 5, "{wider} of 35");
}

fn world() -> World {
    let engine = impinge::narrow::by_name("sphere-tree").expect("known");
    World::with(impinge::broad::by_name("brute").expect("known"), engine)
}

/// Two pairs of equal knots, far from each other, and the widths of what is known of both gaps.
fn widths(priority: f32, work: u64) -> [f64; 2] {
    let mut world = world();
    let shape = world.add_shape(build_mesh("torus-knot?segments=80&sides=8").expect("a sample"));
    let shape = shape.expect("any mesh");
    let at = |x: f64| Pose::shift([x, 0.0, 0.0]).expect("finite");
    let bodies = [0.0, 3.6, 100.0, 103.6].map(|x| Body::new(shape).at(at(x)));
    let [a, b, c, d] = bodies.map(|body| world.insert(body).expect("a shape of this world"));
    world.remove(c);
    let dear = Body::new(shape).at(at(100.0)).with_priority(priority);
    let c = world.insert(dear).expect("a shape of this world");
    for (one, other) in [(a, c), (a, d), (b, c), (b, d)] {
        world.deny(one, other);
    }
    let query = Query { budget: Budget::Work(work), ..Query::CLEARANCE };
    let report = world.step(&query);
    let Some(Spent::Work { spent, left }) = report.spent() else { panic!("work was asked for") };
    assert_eq!(spent + left, work);
    let mut widths = [f64::NAN; 2];
    for pair in report.pairs() {
        let gap = pair.answer.clearance.expect("some steps were done");
        widths[usize::from(pair.a != a)] = gap.at_most - gap.at_least;
    }
    widths
}

#[test]
fn what_matters_more_is_known_better() {
    let [one, other] = widths(1.0, 2000);
    assert!((one - other).abs() <= 0.5 * one.max(other), "{one} {other}");
    let [one, other] = widths(20.0, 2000);
    assert!(other < 0.5 * one, "{one} {other}");
    let [one, other] = widths(0.0, 2000);
    assert!(one < 0.5 * other, "{one} {other}");
}

#[test]
fn a_step_tells_what_it_took() {
    let mut world = world();
    let shape = world.add_shape(build_mesh("torus-knot").expect("a sample")).expect("any mesh");
    for x in [0.0, 3.5] {
        world
            .insert(Body::new(shape).at(Pose::shift([x, 0.0, 0.0]).expect("finite")))
            .expect("known");
    }
    assert_eq!(world.step(&Query::CLEARANCE).spent(), Some(Spent::Unlimited));
    let time = std::time::Duration::from_secs(3600);
    let report = world.step(&Query { budget: Budget::Time(time), ..Query::CLEARANCE });
    let Some(Spent::Time { spent, left }) = report.spent() else { panic!("time was asked for") };
    assert_eq!(spent + left, time);
    assert_eq!(spent, report.took());
    assert_eq!(report.progress(), Progress::Complete);
}

#[test]
fn nothing_is_lost_on_a_long_way_of_small_steps() {
    for (k, name) in SAMPLES.iter().enumerate() {
        let mesh = Arc::new(build_mesh(name).expect("a sample"));
        let tree = CoinTree::of(&mesh);
        let mut exact = PosedPair::new(Arc::clone(&mesh), Arc::clone(&mesh)).expect("any mesh");
        let one = Placed { mesh: &mesh, tree: &tree, pose: &Pose::IDENTITY };
        let (mut front, mut anew) = (Refinement::default(), Refinement::default());
        let (mut steps, mut steps_anew) = (0, 0);
        for frame in 0..300 {
            let t = f64::from(frame) / 300.0;
            let (s, c) = (2.0 * t + k as f64).sin_cos();
            let place = [2.6 * c, 2.6 * s, 0.4 * (9.0 * t).sin()];
            let pose = Pose::new([1.0, t, 0.3, -t], place).expect("finite");
            let truth = exact.check(&[pose], &Query::CLEARANCE).all()[0].clone();
            let couple = Couple::new(one, Placed { pose: &pose, ..one });
            front.resume(&couple, f64::INFINITY);
            anew.start(&couple, f64::INFINITY);
            for search in [&mut front, &mut anew] {
                while !search.is_done() {
                    search.step(&couple, usize::MAX);
                }
            }
            (steps, steps_anew) = (steps + front.steps(), steps_anew + anew.steps());
            let hits = matches!(truth.verdict, Verdict::Hit(HitKind::Surface));
            assert_eq!(front.meeting().is_some(), hits, "{name} {frame}");
            let ([low, high], [low_anew, high_anew]) = (front.ends(&couple), anew.ends(&couple));
            if !hits {
                assert!((low - low_anew).abs() < 1e-9 && (high - high_anew).abs() < 1e-9, "{name}");
                assert!(high - low < 1e-9, "{name} {frame}: {low} {high}");
            }
            if let Some(gap) = truth.clearance {
                assert!(low <= gap.at_most + 1e-12 && gap.at_least <= high + 1e-12, "{name}");
            }
        }
        // They were gone on with, not begun anew.
        assert!(steps < steps_anew, "{name}: {steps} {steps_anew}");
    }
}

#[test]
fn many_unlike_bodies_and_hardly_any_time() {
    let meshes = ["box", "torus-knot?segments=120&sides=12", "stellated-dodecahedron"];
    let mut worlds = [world(), World::new()];
    let mut bodies = Vec::new();
    for world in &mut worlds {
        let shapes = meshes
            .map(|name| world.add_shape(build_mesh(name).expect("a sample")).expect("any mesh"));
        let body = |k: usize| Body::new(shapes[k % 3]);
        bodies = (0..12).map(|k| world.insert(body(k)).expect("known")).collect();
    }
    let mut random = Random(5);
    let mut places: Vec<[f64; 3]> = (0..12).map(|_| random.three(4.0)).collect();
    let mut known = 0;
    for frame in 0..300u64 {
        for (id, place) in bodies.iter().zip(&mut places) {
            let by = random.three(0.02);
            *place = [0, 1, 2].map(|k| place[k] + by[k]);
            let pose = Pose::new([1.0, by[0], 0.2, by[1]], *place).expect("finite");
            for world in &mut worlds {
                world.set_pose(*id, pose);
            }
        }
        let [timed, exact] = &mut worlds;
        let time = std::time::Duration::from_micros(1 + 7 * (frame % 40));
        let told = timed.step(&Query { budget: Budget::Time(time), ..Query::CLEARANCE });
        let truth = exact.step(&Query::CLEARANCE);
        for (told, truth) in told.pairs().zip(truth.pairs()) {
            assert_eq!((told.a, told.b), (truth.a, truth.b));
            let (told, truth) = (told.answer, truth.answer);
            known += usize::from(told.verdict != Verdict::Unknown);
            assert!(told.verdict == Verdict::Unknown || told.verdict == truth.verdict);
            if let (Some(told), Some(truth)) = (told.clearance, truth.clearance) {
                assert!(told.at_least <= truth.at_most && truth.at_least <= told.at_most);
            }
        }
    }
    assert!(known > 100, "{known}");
}

#[test]
fn a_hard_pair_does_not_keep_the_others_waiting() {
    let mut world = world();
    let knot = build_mesh("torus-knot?segments=300&sides=24").expect("a sample");
    let knot = world.add_shape(knot).expect("any mesh");
    let small = world.add_shape(build_mesh("box").expect("a sample")).expect("any mesh");
    let at = |x: f64| Pose::shift([x, 0.0, 0.0]).expect("finite");
    // Two knots that are shifted by a hair almost touch everywhere.
    for (shape, x) in [(knot, 0.0), (knot, 0.45), (small, 50.0), (small, 50.9)] {
        world.insert(Body::new(shape).at(at(x))).expect("known");
    }
    let report = world.step(&Query { budget: Budget::Work(2000), ..Query::TOUCHING });
    let boxes = report.pairs().last().expect("two pairs");
    assert!(matches!(boxes.answer.verdict, Verdict::Hit(_)), "{:?}", boxes.answer.verdict);
}
