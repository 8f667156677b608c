//! The face octrees of [K98] say what brute force says: for every level, variant and number of
//! threads, on samples, on soup that touches in every degenerate way, and on many bodies at once.

use crate::random::Random;
use crate::{data, engines};
use impinge::contract::answer::Answers;
use impinge::contract::engine::{Engine, Scratch};
use impinge::contract::job::{Batch, Job, Placed, Placement};
use impinge::narrow;
use impinge::prelude::*;
use impinge_geom::Triangle;
use impinge_samples::build_mesh;
use std::sync::Arc;
use std::time::Duration;

/// Every variant at one level.
fn variants(level: &str) -> Vec<String> {
    let mut all = Vec::new();
    for name in ["k98-octree", "k98-bintree"] {
        for boxes in ["yes", "no"] {
            for cell in ["exact", "clip", "box"] {
                for world in ["fit", "25"] {
                    all.push(format!(
                        "{name}?level={level}&boxes={boxes}&cell={cell}&world={world}"
                    ));
                }
            }
        }
    }
    all
}

/// Octrees and bintrees at some levels, with what else there is to set in turns.
fn levels(levels: std::ops::RangeInclusive<usize>) -> Vec<String> {
    let cell = |k: usize| ["exact", "clip", "box"][k % 3];
    let boxes = |k: usize| ["yes", "no"][k / 3 % 2];
    let text = |k: usize| {
        let (name, level) = (["k98-octree", "k98-bintree"][k % 2], k / 2);
        format!("{name}?level={level}&cell={}&boxes={}", cell(k), boxes(k))
    };
    levels.flat_map(|level| [text(2 * level), text(2 * level + 1)]).collect()
}

fn engine(text: &str, meshes: &[Arc<Mesh>]) -> Box<dyn Engine> {
    let mut engine = narrow::by_text(text).unwrap_or_else(|error| panic!("{error}"));
    for (shape, mesh) in (0..).zip(meshes) {
        engine.prepare(ShapeId(shape), mesh).expect("every engine takes it");
    }
    engine
}

fn ask(engine: &dyn Engine, jobs: &[Job], query: &Query) -> (Answers, Progress) {
    let mut answers = Answers::default();
    let batch = Batch { jobs, query };
    let progress = engine.collide(&batch, &mut Scratch::default(), &mut answers.refill());
    (answers, progress)
}

fn placed(shape: usize, pose: Pose) -> Placed {
    Placed { shape: ShapeId(shape as u32), placement: Placement::Fixed(pose) }
}

/// All pairs of bodies, each its own shape, and each body against itself.
fn all_pairs(poses: &[Pose]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for i in 0..poses.len() {
        for j in i..poses.len() {
            let [a, b] = [i, j].map(|k| placed(k, poses[k]));
            jobs.push(Job { a, b, itself: i == j, memory: None, priority: 1.0 });
        }
    }
    jobs
}

/// Verdicts, pairs and contacts, and the pair that stands for a hit being one of them.
fn assert_alike(text: &str, meshes: &[Arc<Mesh>], jobs: &[Job]) -> usize {
    let brute = engine("brute", meshes);
    let (truth, _) = ask(&*brute, jobs, &Query::CONTACTS);
    assert_as(text, meshes, (jobs, &truth))
}

fn assert_as(text: &str, meshes: &[Arc<Mesh>], (jobs, truth): (&[Job], &Answers)) -> usize {
    let engine = engine(text, meshes);
    let (found, progress) = ask(&*engine, jobs, &Query::CONTACTS);
    let (touching, _) = ask(&*engine, jobs, &Query::TOUCHING);
    assert_eq!(progress, Progress::Complete);
    let mut pairs = 0;
    for (k, known) in truth.all().iter().enumerate() {
        let (answer, quick) = (&found.all()[k], &touching.all()[k]);
        assert_eq!(answer.verdict, known.verdict, "{text}, job {k}");
        assert_eq!(quick.verdict, known.verdict, "{text}, job {k}");
        let all = truth.triangle_pairs(known);
        assert_eq!(found.triangle_pairs(answer), all, "{text}, job {k}");
        assert_eq!(found.contacts(answer), truth.contacts(known), "{text}, job {k}");
        let one = touching.triangle_pairs(quick);
        assert_eq!(one.len(), all.len().min(1), "{text}, job {k}");
        assert!(one.iter().all(|pair| all.binary_search(pair).is_ok()), "{text}, job {k}");
        pairs += all.len();
    }
    pairs
}

/// Triangles with corners on a coarse grid: coplanar, touching, doubled and degenerate ones abound.
fn soup(random: &mut Random, faces: usize, grid: u64) -> Arc<Mesh> {
    let mut corner = || std::array::from_fn(|_| (random.next() % grid) as f64);
    let triangles: Vec<Triangle> = (0..faces).map(|_| [corner(), corner(), corner()]).collect();
    Arc::new(engines::soup(&triangles))
}

fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let rotation: [f64; 4] = std::array::from_fn(|_| random.unit() - 0.5);
    let place: [f64; 3] = std::array::from_fn(|_| reach * (2.0 * random.unit() - 1.0));
    Pose::new(rotation, place).expect("finite")
}

#[test]
fn degenerate_soup_is_judged_as_by_brute_force() {
    let mut random = Random(1);
    let mut pairs = 0;
    for round in 0..8 {
        let grid = [2, 3, 5, 9][round % 4];
        let meshes: Vec<_> = (0..3).map(|k| soup(&mut random, 4 + 9 * k, grid)).collect();
        let jobs = all_pairs(&[Pose::IDENTITY; 3]);
        let (truth, _) = ask(&*engine("brute", &meshes), &jobs, &Query::CONTACTS);
        for text in levels(0..=3).iter().chain(&variants(["2", "auto"][round % 2])) {
            pairs += assert_as(text, &meshes, (&jobs, &truth));
        }
    }
    assert!(pairs > 10_000, "{pairs}");
}

#[test]
fn samples_are_judged_as_by_brute_force() {
    let mut random = Random(2);
    let mut pairs = 0;
    for names in [
        ["sphere?faces=168", "torus?segments=16&sides=8"],
        ["torus-knot?segments=60&sides=5", "sphere?faces=528"],
        ["box?x=1&y=2&z=3", "box?x=3&y=1&z=1"],
    ] {
        let meshes = names.map(|name| Arc::new(build_mesh(name).expect("a sample")));
        for round in 0..3 {
            let poses = match round {
                // Axis-aligned first, where faces lie in planes of cells.
                0 => [Pose::IDENTITY; 2],
                _ => [random_pose(&mut random, 0.5), random_pose(&mut random, 1.0)],
            };
            let jobs = all_pairs(&poses);
            let (truth, _) = ask(&*engine("brute", &meshes), &jobs, &Query::CONTACTS);
            for text in levels(0..=3).iter().chain(&variants(["4", "auto", "3"][round])) {
                pairs += assert_as(text, &meshes, (&jobs, &truth));
            }
        }
    }
    assert!(pairs > 20_000, "{pairs}");
}

/// Fine levels are for bodies that meet in little: elsewhere they take long.
#[test]
fn every_level_finds_the_same() {
    let spheres = ["sphere?faces=168", "sphere?faces=80"];
    let spheres = spheres.map(|name| Arc::new(build_mesh(name).expect("a sample")));
    let beside = [Pose::IDENTITY, Pose::shift([1.1, 1.2, 1.0]).expect("finite")];
    let mut random = Random(6);
    let soups = [(); 2].map(|()| soup(&mut random, 2, 9));
    let mut pairs = [0; 2];
    for text in levels(0..=8) {
        let text = text.replace("boxes=no", "world=9");
        for (k, (meshes, poses)) in
            [(&spheres, beside), (&soups, [Pose::IDENTITY; 2])].into_iter().enumerate()
        {
            let jobs: Vec<Job> = all_pairs(&poses).into_iter().filter(|job| !job.itself).collect();
            pairs[k] += assert_alike(&text, meshes, &jobs);
        }
    }
    assert!(pairs.iter().all(|count| *count > 0 && count % 18 == 0), "{pairs:?}");
}

/// Ten bodies, all pairs at once; also with a pair twice, and two bodies of one shape in one place.
fn crowd() -> (Vec<Arc<Mesh>>, Vec<Job>) {
    let mut random = Random(3);
    let names = ["sphere?faces=80", "torus?segments=12&sides=6", "torus-knot?segments=30&sides=4"];
    let meshes: Vec<_> =
        (0..10).map(|k| Arc::new(build_mesh(names[k % 3]).expect("a sample"))).collect();
    let poses: Vec<Pose> = (0..10).map(|_| random_pose(&mut random, 2.5)).collect();
    let mut jobs = all_pairs(&poses);
    jobs.push(jobs[1].clone());
    let [a, b] = [placed(4, poses[4]), placed(4, poses[4])];
    jobs.push(Job { a, b, itself: false, memory: None, priority: 1.0 });
    let [a, b] = [placed(5, poses[5]), placed(2, poses[2])];
    jobs.push(Job { a, b, itself: false, memory: None, priority: 1.0 });
    (meshes, jobs)
}

#[test]
fn many_bodies_at_once_are_judged_as_pair_by_pair() {
    let (meshes, jobs) = crowd();
    let (truth, _) = ask(&*engine("brute", &meshes), &jobs, &Query::CONTACTS);
    let mut pairs = 0;
    for text in levels(0..=4).iter().chain(&variants("auto")) {
        pairs += assert_as(text, &meshes, (&jobs, &truth));
    }
    assert!(pairs > 20_000, "{pairs}");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (meshes, jobs) = crowd();
    for text in levels(1..=4).iter().chain(&variants("3")[..5]) {
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("made");
            let engine = engine(text, &meshes);
            let queries = [Query::CONTACTS, Query::TOUCHING];
            pool.install(|| queries.map(|query| ask(&*engine, &jobs, &query)))
        };
        let one = with_threads(1);
        assert!(one == with_threads(2) && one == with_threads(7), "{text}");
    }
}

#[test]
fn finer_cells_leave_fewer_pairs_of_faces() {
    let meshes = ["sphere?faces=960"; 2].map(|name| Arc::new(build_mesh(name).expect("a sample")));
    let pose = Pose::shift([1.2, 0.3, 0.1]).expect("finite");
    let jobs = [Job {
        a: placed(0, Pose::IDENTITY),
        b: placed(1, pose),
        itself: false,
        memory: None,
        priority: 1.0,
    }];
    let work = |text: &str| {
        let (found, _) = ask(&*engine(text, &meshes), &jobs, &Query::PAIRS);
        let counters = found.all()[0].counters;
        [counters.node_tests, counters.triangle_pairs, counters.triangle_tests]
    };
    let by_level = [0, 2, 4].map(|level| work(&format!("k98-octree?level={level}")));
    assert!(by_level.is_sorted_by(|a, b| a[0] < b[0] && a[1] > b[1]), "{by_level:?}");
    // The overlap region holds fewer faces than the body, the exact test fewer than the box.
    let [all, boxes] = [work("k98-octree?boxes=no&level=0"), work("k98-octree?level=0&cell=box")];
    assert_eq!(all[1], 960 * 960);
    assert!(by_level[0][1] < boxes[1] && boxes[1] < all[1] / 4, "{boxes:?}");
    // Boxes of faces that overlap are in one region, and each pair is tested once.
    assert!(boxes[2] <= all[2]);
    assert!(work("k98-octree?cell=box")[1] > work("k98-octree?cell=exact")[1]);
}

#[test]
fn motions_are_sampled_as_by_brute_force() {
    let meshes = ["sphere?faces=80", "torus?segments=12&sides=6"];
    let meshes = meshes.map(|name| Arc::new(build_mesh(name).expect("a sample")));
    let mut random = Random(5);
    let mut hits = 0;
    let jobs: Vec<Job> = (0..12)
        .map(|_| {
            let [from, to] = [(); 2].map(|()| random_pose(&mut random, 3.0));
            let b = Placed { shape: ShapeId(1), placement: Motion::lerp_slerp(from, to).into() };
            Job { a: placed(0, Pose::IDENTITY), b, itself: false, memory: None, priority: 1.0 }
        })
        .collect();
    for mode in [Mode::PseudoDynamic(9), Mode::Dynamic] {
        let query = Query { mode, ..Query::PAIRS };
        let (truth, _) = ask(&*engine("brute", &meshes), &jobs, &query);
        for text in ["k98-octree", "k98-bintree?level=auto&boxes=no"] {
            let (found, _) = ask(&*engine(text, &meshes), &jobs, &query);
            for (answer, known) in found.all().iter().zip(truth.all()) {
                let told = |a: &impinge::contract::answer::Answer| (a.verdict, a.time, a.guarantee);
                assert_eq!(told(answer), told(known), "{text}");
                assert_eq!(found.triangle_pairs(answer), truth.triangle_pairs(known), "{text}");
                hits += usize::from(matches!(known.verdict, Verdict::Hit(_)));
            }
        }
    }
    assert!(hits > 10, "{hits}");
}

/// All faces of two bodies in one place: the finest cell holds them all.
#[test]
fn a_pile_in_one_cell_stops_in_time_with_what_was_found() {
    let pile = |faces: usize| {
        let triangle = [[0.0, 0.0, 0.0], [1e-9, 0.0, 0.0], [0.0, 1e-9, 1e-9]];
        let far = [[100.0, 100.0, 100.0], [99.0, 100.0, 100.0], [100.0, 99.0, 100.0]];
        let mut triangles = vec![triangle; faces];
        triangles.push(far);
        Arc::new(engines::soup(&triangles))
    };
    let meshes = [pile(20_000), pile(20_000)];
    let [a, b] = [0, 1].map(|shape| placed(shape, Pose::IDENTITY));
    let jobs = [Job { a, b, itself: false, memory: None, priority: 1.0 }];
    let octree = engine("k98-octree", &meshes);
    // Threads of its own: those of all tests may have no time before it is up.
    let pool = rayon::ThreadPoolBuilder::new().build().expect("threads can be had");
    for budget in [Budget::Time(Duration::from_millis(300)), Budget::Work(2_000_000)] {
        let query = Query { budget, ..Query::PAIRS };
        let (found, progress) = pool.install(|| ask(&*octree, &jobs, &query));
        let answer = &found.all()[0];
        assert_eq!((progress, answer.complete), (Progress::Limit, false));
        assert_eq!(answer.verdict, Verdict::Hit(HitKind::Surface), "{budget:?}");
        assert!(found.triangle_pairs(answer).len() > 1000);
        assert!(answer.counters.triangle_pairs < 400_000_000);
    }
}

#[test]
fn published_self_intersections_are_those_of_brute_force() {
    let Some(folder) = data::folder("coref") else { return };
    let list = std::fs::read_to_string(folder.join("test_autorefinement.cmd")).expect("a list");
    let (mut cases, mut pairs) = (0, 0);
    for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
        let mut objects = impinge_scene::load::load(&folder.join(name)).expect("a mesh");
        let meshes = [Arc::new(objects.remove(0).mesh)];
        let jobs = all_pairs(&[Pose::IDENTITY]);
        for text in ["k98-octree?level=4&cell=box", "k98-bintree?level=auto&boxes=no"] {
            pairs += assert_alike(text, &meshes, &jobs);
        }
        cases += 1;
    }
    assert!(cases == 28 && pairs > 100, "{cases} {pairs}");
}

#[test]
fn parameters_are_read_from_the_name() {
    assert!(narrow::by_text("k98-octree?level=auto&boxes=no&cell=clip&world=10").is_ok());
    let error = narrow::by_text("k98-bintree?level=11").err().map(|error| error.to_string());
    let said = "engine k98-bintree: `level=11`: a whole number from 0 to 10, or auto, is needed";
    assert_eq!(error.as_deref(), Some(said));
}
