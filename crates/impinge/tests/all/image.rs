//! The image engine says what brute force says, at every resolution: on unlike bodies near contact, in
//! each other, far from the origin, tiny and huge, with slivers and faces seen edge on, and on frames in
//! which every vertex moves. Its settings and its limits.

use crate::duel::{
    Couple, ask, assert_alike, comb, job, litter, moved, nested, plate, sample, soup,
};
use crate::random::Random;
use impinge::broad;
use impinge::contract::answer::{Answer, Answers};
use impinge::contract::engine::Engine;
use impinge::contract::job::Job;
use impinge::narrow::{self, brute::Brute, image::Image};
use impinge::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RESOLUTIONS: [&str; 9] = [
    "image",
    "image?resolution=8",
    "image?resolution=16",
    "image?resolution=32",
    "image?resolution=64",
    "image?resolution=128",
    "image?resolution=256",
    "image?resolution=512",
    "image?resolution=1024",
];

fn engine(text: &str, couple: &Couple) -> Box<dyn Engine> {
    let mut engine = narrow::by_text(text).expect("it is known");
    for (id, mesh) in (0..).zip(&couple.meshes) {
        engine.prepare(ShapeId(id), mesh).expect("any mesh will do");
    }
    engine
}

/// Long thin triangles that cross a ball, with no two alike.
fn slivers(count: usize) -> Mesh {
    let mut random = Random(11);
    let sliver = |_| {
        let (from, way) = (random.vector(1.0), random.vector(1e-6));
        let to = random.vector(1.0);
        [from, to, std::array::from_fn(|k| to[k] + way[k])]
    };
    soup(&(0..count).map(sliver).collect::<Vec<_>>())
}

fn couples() -> Vec<Couple> {
    let knot = sample("torus-knot?segments=50&sides=8");
    let ball = sample("sphere?faces=320");
    let huge = soup(&[[[90.0, 0.0, 0.0], [-50.0, 80.0, 0.1], [-50.0, -80.0, 0.0]]]);
    vec![
        Couple::new("knots", knot.clone(), sample("torus-knot?segments=40&sides=7")),
        Couple::new("balls", ball.clone(), sample("sphere?faces=240")),
        Couple::new("knot far off", moved(&knot, 1.0, [1e6; 3]), moved(&ball, 0.6, [1e6; 3])),
        Couple::new("tiny", moved(&knot, 1e-80, [0.0; 3]), moved(&ball, 1e-80, [0.0; 3])),
        Couple::new("vast", moved(&knot, 1e80, [0.0; 3]), moved(&ball, 1e80, [0.0; 3])),
        Couple::new("slivers", slivers(150), slivers(130)),
        Couple::new("litter", litter(200, 1), litter(150, 2)),
        Couple::new("plates", plate(9), plate(7)),
        Couple::new("combs", comb(8), comb(11)),
        Couple::new("one huge face", huge, knot.clone()),
        Couple::new("nested", nested(), moved(&ball, 0.1, [0.0; 3])),
        Couple::new("unlike", moved(&ball, 1e-4, [0.0; 3]), knot),
    ]
}

/// Near contact, in each other, at right angles and on a lattice.
fn poses(couple: &Couple, random: &mut Random) -> Vec<Job> {
    let (radii, place) = (couple.radii(), couple.meshes[0].bounds().center());
    let pose = |q: [f64; 4], t: [f64; 3]| Pose::new(q, t).expect("a rotation");
    let both = radii[0] + radii[1];
    let mut jobs = vec![job([Pose::IDENTITY; 2])];
    // Turned about where they are, which may be far from the origin.
    let about = |q: [f64; 4], way: [f64; 3]| {
        let turned = pose(q, [0.0; 3]).apply(&place);
        pose(q, std::array::from_fn(|k| place[k] + way[k] - turned[k]))
    };
    for i in 0..60 {
        let away = both * [0.05, 0.3, 0.6, 0.8, 1.0][i % 5] * random.unit();
        let way = random.vector(away);
        jobs.push(job([about(random.quaternion(), [0.0; 3]), about(random.quaternion(), way)]));
    }
    for _ in 0..30 {
        let step = 0.125 * radii[0].max(radii[1]).log2().floor().exp2();
        let there = [(); 3].map(|()| (random.next() % 17) as f64 * step - 8.0 * step);
        jobs.push(job([Pose::IDENTITY, Pose::shift(there).expect("finite")]));
        jobs.push(job([
            about(random.right_angles(), [0.0; 3]),
            about(random.right_angles(), there),
        ]));
    }
    jobs
}

#[test]
fn every_resolution_says_what_brute_force_says() {
    let mut random = Random(3);
    let (mut count, mut hits, mut inside, mut free) = (0, 0, 0, 0);
    for couple in couples() {
        let jobs = poses(&couple, &mut random);
        let size = couple.radii()[0].max(couple.radii()[1]);
        let (truth, _) = ask(&*couple.engine("brute"), &jobs, &Query::CONTACTS);
        for text in RESOLUTIONS {
            let (answers, progress) = ask(&*engine(text, &couple), &jobs, &Query::CONTACTS);
            assert_eq!(progress, Progress::Complete);
            for (i, (one, other)) in truth.all().iter().zip(answers.all()).enumerate() {
                let context = format!("{}, {text}, pose {i}", couple.name);
                assert_alike(&context, size, [(&truth, one), (&answers, other)]);
                count += 1;
            }
        }
        for answer in truth.all() {
            hits += usize::from(answer.verdict == Verdict::Hit(HitKind::Surface));
            inside += usize::from(matches!(answer.verdict, Verdict::Hit(HitKind::Inside { .. })));
            free += usize::from(answer.verdict == Verdict::Free);
        }
    }
    assert!(count >= 10_000, "{count}");
    assert!(hits > 300 && inside > 20 && free > 200, "{hits} {inside} {free}");
}

#[test]
fn touching_and_distances_are_those_of_brute_force() {
    let mut random = Random(4);
    for couple in couples() {
        let jobs = poses(&couple, &mut random);
        let size = couple.radii()[0].max(couple.radii()[1]);
        for query in [Query::CLEARANCE, Query { gap: Gap::Below(0.1 * size), ..Query::PAIRS }] {
            let (truth, _) = ask(&*couple.engine("bvh"), &jobs, &query);
            let (answers, _) = ask(&*couple.engine("image"), &jobs, &query);
            for (i, (one, other)) in truth.all().iter().zip(answers.all()).enumerate() {
                let context = format!("{}, pose {i}", couple.name);
                assert_eq!(one.verdict, other.verdict, "{context}");
                let at_most = |answer: &Answer| answer.clearance.map(|gap| gap.at_most);
                match (at_most(one), at_most(other)) {
                    (None, None) => {}
                    (Some(one), Some(other)) => {
                        assert!((one - other).abs() <= 1e-12 * size, "{context}: {one} {other}");
                    }
                    differ => panic!("{context}: {differ:?}"),
                }
            }
        }
    }
}

fn world(engine: Box<dyn Engine>) -> World {
    World::with(Box::new(broad::auto::Auto::default()), engine)
}

type Told = Vec<(BodyId, BodyId, Verdict, Vec<[u32; 2]>)>;

fn told(world: &mut World, query: &Query) -> Told {
    let report = world.step(query);
    assert_eq!(report.progress(), Progress::Complete);
    let tell =
        |pair: PairReport<'_>| (pair.a, pair.b, pair.answer.verdict, pair.triangle_pairs.to_vec());
    report.pairs().map(tell).collect()
}

#[test]
fn frames_in_which_every_vertex_moves_are_as_brute_force_says() {
    let meshes = ["torus-knot?segments=40&sides=8", "sphere?faces=240", "shuttle"]
        .map(|name| Arc::new(sample(name)));
    let mut random = Random(7);
    let mut worlds = [world(Box::new(Image::default())), world(Box::new(Brute::default()))];
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
    let mut shifts = [[0.0; 3]; 3];
    for frame in 0..300 {
        // Mostly a little farther, so that the last direction is of use; sometimes a leap.
        let size = [0.0, 0.02, 0.1, 0.4][frame / 4 % 4];
        for (shift, mesh) in shifts.iter_mut().zip(&meshes) {
            let way = random.vector(if frame % 10 == 0 { 0.8 } else { 0.05 });
            *shift =
                std::array::from_fn(|k| if frame % 10 == 0 { way[k] } else { shift[k] + way[k] });
            assert!(!mesh.triangles().is_empty());
        }
        for k in 0..3 {
            let mut place = |p: &Point| -> Point {
                std::array::from_fn(|i| {
                    let wave = (3.0 * p[(i + 1) % 3] + frame as f64).sin();
                    p[i] + shifts[k][i] + size * (wave + 0.1 * random.symmetric())
                })
            };
            let vertices: Vec<Point> = meshes[k].vertices().iter().map(&mut place).collect();
            for (world, bodies) in worlds.iter_mut().zip(&bodies) {
                world.deform(bodies[k], &vertices).expect("finite");
            }
        }
        let query = Query { itself: frame % 8 == 1, ..Query::PAIRS };
        let [image, brute] = worlds.each_mut().map(|world| told(world, &query));
        assert_eq!(image, brute, "frame {frame}");
        hits += image.iter().filter(|pair| !pair.3.is_empty()).count();
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn a_pile_of_faces_ends_with_what_was_found() {
    let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [0.0, 1.0, 0.0]];
    let piercing = [[0.2, 0.2, -1.0], [0.3, 0.2, 1.0], [0.2, 0.3, 1.0]];
    let mut world = world(Box::new(Image::default()));
    for corners in [flat, piercing] {
        let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2]; 300_000]).expect("legal soup");
        let shape = world.add_shape(mesh).expect("any mesh will do");
        world.insert(Body::new(shape)).expect("it is there");
    }
    let start = Instant::now();
    let report = world.step(&Query::PAIRS);
    assert_eq!(report.progress(), Progress::Limit);
    let pair = report.pairs().next().expect("their boxes overlap");
    assert_eq!(pair.answer.verdict, Verdict::Hit(HitKind::Surface));
    assert!(!pair.answer.complete && !pair.triangle_pairs.is_empty());
    assert!(start.elapsed().as_secs_f64() < 60.0, "{:?}", start.elapsed());
    let start = Instant::now();
    assert_eq!(world.step(&Query::TOUCHING).progress(), Progress::Complete);
    assert!(start.elapsed().as_secs_f64() < 10.0, "{:?}", start.elapsed());
}

#[test]
fn budgets_of_work_replay_and_say_nothing_false() {
    let mesh = Arc::new(sample("torus-knot?segments=125&sides=16"));
    let mut world = world(Box::new(Image::default()));
    let shape = world.add_shape(mesh).expect("any mesh will do");
    for x in [0.0, 0.4] {
        let pose = Pose::shift([x, 0.1, 0.2]).expect("finite");
        world.insert(Body::new(shape).at(pose)).expect("it is there");
    }
    let all = told(&mut world, &Query::PAIRS)[0].3.clone();
    assert!(all.len() > 100);
    let mut before = 0;
    for work in [1, 1_000, 40_000, 100_000, 10_000_000] {
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

/// Whether what was told within a budget may stand beside the whole truth.
#[track_caller]
fn assert_no_contradiction(context: &str, told: (&Answers, &Answer), truth: (&Answers, &Answer)) {
    let (told, truth_pairs) = (told, truth.0.triangle_pairs(truth.1));
    if told.1.verdict != Verdict::Unknown {
        assert_eq!(told.1.verdict, truth.1.verdict, "{context}");
    }
    assert!(!told.1.complete || told.1.verdict == truth.1.verdict, "{context}");
    let pairs = told.0.triangle_pairs(told.1);
    assert!(pairs.iter().all(|pair| truth_pairs.contains(pair)), "{context}");
}

#[test]
fn no_budget_makes_it_say_what_is_not_so() {
    let mut random = Random(21);
    let works = [0, 1, 30, 100, 300, 1_000, 2_000, 4_000, 10_000, 30_000, 100_000, 1_000_000];
    let times = [0, 1, 5, 20, 60, 200, 2_000].map(Duration::from_micros);
    let (mut early, mut late, mut inside) = (0, 0, 0);
    for couple in couples() {
        let jobs = poses(&couple, &mut random);
        let (truth, _) = ask(&*couple.engine("brute"), &jobs, &Query::PAIRS);
        let image = couple.engine("image");
        for (i, (job, exact)) in jobs.iter().zip(truth.all()).enumerate() {
            let job = std::slice::from_ref(job);
            let mut decided = false;
            for work in works {
                for want in [Want::Touching, Want::Pairs] {
                    let query = Query { budget: Budget::Work(work), want, ..Query::PAIRS };
                    let (answers, progress) = ask(&*image, job, &query);
                    let context = format!("{}, pose {i}, {query:?}", couple.name);
                    let answer = &answers.all()[0];
                    assert_no_contradiction(&context, (&answers, answer), (&truth, exact));
                    assert_eq!(progress == Progress::Complete, answer.complete, "{context}");
                    assert_eq!(ask(&*image, job, &query).0, answers, "{context}");
                    let known = answer.verdict != Verdict::Unknown;
                    // More work never tells less.
                    assert!(known || !decided || want == Want::Pairs, "{context}");
                    decided |= known && want == Want::Touching;
                    early += usize::from(known && !answer.complete);
                    late += usize::from(!known);
                    inside += usize::from(
                        known
                            && answer.verdict != Verdict::Free
                            && answers.triangle_pairs(answer).is_empty(),
                    );
                }
            }
            assert!(decided, "{}, pose {i}", couple.name);
            for time in times {
                let query = Query { budget: Budget::Time(time), ..Query::PAIRS };
                let (answers, _) = ask(&*image, job, &query);
                let context = format!("{}, pose {i}, {query:?}", couple.name);
                let answer = (&answers, &answers.all()[0]);
                assert_no_contradiction(&context, answer, (&truth, exact));
            }
        }
    }
    assert!(early > 300 && late > 1_000 && inside > 100, "{early} {late} {inside}");
}

#[test]
fn what_cannot_be_set_is_told() {
    let reason = |text: &str| narrow::by_text(text).err().expect("not possible").to_string();
    for value in ["0", "1025", "-1", "x", ""] {
        assert_eq!(
            reason(&format!("image?resolution={value}")),
            format!("engine image: `resolution={value}`: a whole number from 1 to 1024 is needed")
        );
    }
    assert_eq!(
        reason("image?pixels=3"),
        "engine image: `pixels` is not known; resolution=64 can be set"
    );
}
