//! The engine `image` on a graphics processor says what it says on the processor, and what brute force
//! says: at every resolution, on unlike bodies, in each other, and where every vertex moves.

use crate::duel::{
    Couple, ask, assert_alike, comb, job, litter, moved, nested, plate, sample, soup,
};
use crate::gpu;
use crate::random::Random;
use impinge::broad;
use impinge::contract::engine::Engine;
use impinge::contract::job::Job;
use impinge::narrow::{brute::Brute, image::Image};
use impinge::prelude::*;
use impinge_gpu::device::Gpu;
use impinge_gpu::sieve::Sieve;
use impinge_gpu::{by_text, image_engine};
use std::sync::Arc;

fn prepared(mut engine: Box<dyn Engine>, couple: &Couple) -> Box<dyn Engine> {
    for (id, mesh) in (0..).zip(&couple.meshes) {
        engine.prepare(ShapeId(id), mesh).expect("any mesh will do");
    }
    engine
}

fn sifted(sieve: &Arc<Sieve>, settings: &str, couple: &Couple) -> Box<dyn Engine> {
    let image = Image::read(settings).expect("it can be set");
    prepared(Box::new(image.sifted_by(sieve.clone())), couple)
}

fn couples() -> Vec<Couple> {
    let knot = sample("torus-knot?segments=50&sides=8");
    let ball = sample("sphere?faces=320");
    let huge = soup(&[[[90.0, 0.0, 0.0], [-50.0, 80.0, 0.1], [-50.0, -80.0, 0.0]]]);
    vec![
        Couple::new("knots", knot.clone(), sample("torus-knot?segments=40&sides=7")),
        Couple::new("knot far off", moved(&knot, 1.0, [1e6; 3]), moved(&ball, 0.6, [1e6; 3])),
        Couple::new("tiny", moved(&knot, 1e-80, [0.0; 3]), moved(&ball, 1e-80, [0.0; 3])),
        Couple::new("vast", moved(&knot, 1e80, [0.0; 3]), moved(&ball, 1e80, [0.0; 3])),
        Couple::new("litter", litter(200, 1), litter(150, 2)),
        Couple::new("plates", plate(9), plate(7)),
        Couple::new("combs", comb(8), comb(11)),
        Couple::new("one huge face", huge, knot.clone()),
        Couple::new("nested", nested(), moved(&ball, 0.1, [0.0; 3])),
        Couple::new("unlike", moved(&ball, 1e-4, [0.0; 3]), knot),
    ]
}

/// Near contact, in each other, apart, at right angles and on a lattice.
fn poses(couple: &Couple, random: &mut Random) -> Vec<Job> {
    let (radii, place) = (couple.radii(), couple.meshes[0].bounds().center());
    let pose = |q: [f64; 4], t: [f64; 3]| Pose::new(q, t).expect("a rotation");
    // Turned about where they are, which may be far from the origin.
    let about = |q: [f64; 4], way: [f64; 3]| {
        let turned = pose(q, [0.0; 3]).apply(&place);
        pose(q, std::array::from_fn(|k| place[k] + way[k] - turned[k]))
    };
    let mut jobs = vec![job([Pose::IDENTITY; 2])];
    for i in 0..30 {
        let away = (radii[0] + radii[1]) * [0.05, 0.3, 0.6, 0.8, 1.0][i % 5] * random.unit();
        let way = random.vector(away);
        jobs.push(job([about(random.quaternion(), [0.0; 3]), about(random.quaternion(), way)]));
        let step = 0.125 * radii[0].max(radii[1]).log2().floor().exp2();
        let there = [(); 3].map(|()| (random.next() % 17) as f64 * step - 8.0 * step);
        jobs.push(job([
            about(random.right_angles(), [0.0; 3]),
            about(random.right_angles(), there),
        ]));
    }
    jobs
}

#[test]
fn every_resolution_says_what_brute_force_says() {
    let Some(gpu) = gpu() else { return };
    let sieve = Arc::new(Sieve::new(&gpu).expect("it takes the shaders"));
    let mut random = Random(3);
    let (mut hits, mut inside, mut free) = (0, 0, 0);
    for couple in couples() {
        let jobs = poses(&couple, &mut random);
        let size = couple.radii()[0].max(couple.radii()[1]);
        let (truth, _) = ask(&*couple.engine("brute"), &jobs, &Query::CONTACTS);
        for settings in ["", "resolution=8", "resolution=64", "resolution=256", "resolution=1024"] {
            let before = sieve.images();
            let engine = sifted(&sieve, settings, &couple);
            let (answers, progress) = ask(&*engine, &jobs, &Query::CONTACTS);
            assert_eq!(progress, Progress::Complete);
            let image = prepared(Box::new(Image::read(settings).expect("as before")), &couple);
            let (unsifted, _) = ask(&*image, &jobs, &Query::CONTACTS);
            for (i, answer) in answers.all().iter().enumerate() {
                let context = format!("{}, {settings}, pose {i}", couple.name);
                let told = (&answers, answer);
                assert_alike(&context, size, [(&truth, &truth.all()[i]), told]);
                assert_alike(&context, size, [(&unsifted, &unsifted.all()[i]), told]);
            }
            // A resolution that is asked for is used however few faces there are.
            assert!(settings.is_empty() || sieve.images() > before, "{}", couple.name);
        }
        for answer in truth.all() {
            hits += usize::from(answer.verdict == Verdict::Hit(HitKind::Surface));
            inside += usize::from(matches!(answer.verdict, Verdict::Hit(HitKind::Inside { .. })));
            free += usize::from(answer.verdict == Verdict::Free);
        }
    }
    assert!(hits > 150 && inside > 10 && free > 100, "{hits} {inside} {free}");
    assert!(gpu.is_sound());
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
    let Some(gpu) = gpu() else { return };
    let sieve = Arc::new(Sieve::new(&gpu).expect("it takes the shaders"));
    let meshes = ["torus-knot?segments=40&sides=8", "sphere?faces=240", "shuttle"]
        .map(|name| Arc::new(sample(name)));
    let image = Image::default().sifted_by(sieve.clone());
    let mut worlds = [world(Box::new(image)), world(Box::new(Brute::default()))];
    let bodies: Vec<Vec<BodyId>> = worlds
        .iter_mut()
        .map(|world| {
            let shapes = world.add_shapes(&meshes).expect("any mesh will do");
            let insert = |&shape| world.insert(Body::new(shape)).expect("it is there");
            shapes.iter().map(insert).collect()
        })
        .collect();
    let mut random = Random(7);
    let mut hits = 0;
    for frame in 0..60 {
        let size = [0.0, 0.02, 0.1, 0.4][frame / 4 % 4];
        for (k, mesh) in meshes.iter().enumerate() {
            let shift = random.vector(0.6);
            let place = |p: &Point| -> Point {
                let wave = |i: usize| (3.0 * p[(i + 1) % 3] + frame as f64).sin();
                std::array::from_fn(|i| p[i] + shift[i] + size * wave(i))
            };
            let vertices: Vec<Point> = mesh.vertices().iter().map(place).collect();
            for (world, bodies) in worlds.iter_mut().zip(&bodies) {
                world.deform(bodies[k], &vertices).expect("finite");
            }
        }
        let [image, brute] = worlds.each_mut().map(|world| told(world, &Query::PAIRS));
        assert_eq!(image, brute, "frame {frame}");
        hits += image.iter().filter(|pair| !pair.3.is_empty()).count();
    }
    assert!(hits > 60 && sieve.images() > 60, "{hits} {}", sieve.images());
}

/// More faces than a buffer holds, here and on the processor, on all threads.
#[test]
fn large_meshes_are_split() {
    let Some(gpu) = gpu() else { return };
    let sieve = Arc::new(Sieve::new(&gpu).expect("it takes the shaders").in_chunks_of(10_000));
    let knot = sample("torus-knot?segments=3125&sides=16");
    let couple = Couple::new("large", knot.clone(), knot);
    let mut random = Random(8);
    let jobs: Vec<Job> = (0..20)
        .map(|_| {
            let pose = Pose::new(random.quaternion(), random.vector(0.2)).expect("a rotation");
            job([Pose::IDENTITY, pose])
        })
        .collect();
    let (answers, _) = ask(&*sifted(&sieve, "", &couple), &jobs, &Query::PAIRS);
    let (truth, _) = ask(&*couple.engine("bvh"), &jobs, &Query::PAIRS);
    let mut pairs = 0;
    for (one, other) in truth.all().iter().zip(answers.all()) {
        assert_alike("large", 1.0, [(&truth, one), (&answers, other)]);
        pairs += answers.triangle_pairs(other).len();
    }
    assert!(pairs > 1000 && sieve.images() > 20, "{pairs} {}", sieve.images());
}

#[test]
fn a_graphics_processor_that_fails_is_done_without() {
    if gpu().is_none() {
        return;
    }
    let own = Gpu::open().expect("there is one");
    let sieve = Arc::new(Sieve::new(&own).expect("it takes the shaders"));
    let couple = Couple::new("knots", sample("torus-knot"), sample("sphere?faces=960"));
    let jobs = poses(&couple, &mut Random(9));
    let engine = sifted(&sieve, "", &couple);
    let (before, _) = ask(&*engine, &jobs, &Query::PAIRS);
    let images = sieve.images();
    assert!(images > 0);
    own.give_up("a test");
    let (after, progress) = ask(&*engine, &jobs, &Query::PAIRS);
    assert_eq!((progress, sieve.images()), (Progress::Complete, images));
    for (one, other) in before.all().iter().zip(after.all()) {
        assert_alike("given up", 1.0, [(&before, one), (&after, other)]);
    }
    let refused = Sieve::new(&own).expect_err("it was given up").to_string();
    assert!(refused.ends_with("cannot be used: a test"), "{refused}");
}

#[test]
fn engines_are_named_as_elsewhere() {
    let Some(gpu) = gpu() else { return };
    let error = |text: &str| by_text(text, &gpu).err().expect("it is none").to_string();
    assert_eq!(
        error("bvh"),
        "the engine bvh does not use a graphics processor; image and r98-recode do"
    );
    assert_eq!(
        error("image?resolution=0"),
        "engine image: `resolution=0`: a whole number from 1 to 1024 is needed"
    );
    assert!(error("r98-recode?no=1").starts_with("engine r98-recode: "));
    for engine in [image_engine().expect("there is one"), by_text("r98-recode", &gpu).expect("too")]
    {
        assert_eq!(world(engine).step(&Query::PAIRS).pairs().count(), 0);
    }
}
