//! Truth: on more than 10⁴ poses of unlike bodies, every engine says what brute force says, down to
//! the pairs of triangles, the contacts and 1e-12 of the bodies' size in clearance.

use crate::duel::{
    self, Couple, ask, assert_alike, assert_witnessed, comb, itself, job, joined, litter, moved,
    nested, plate, sample, soup,
};
use crate::random::Random;
use impinge::contract::answer::Answers;
use impinge::contract::engine::Engine;
use impinge::contract::job::Job;
use impinge::narrow;
use impinge::prelude::*;
use std::time::Duration;

const FIT: Query = Query { gap: Gap::Measure, ..Query::CONTACTS };

/// Bodies of many kinds, A and B never of the same number of faces.
fn couples() -> Vec<Couple> {
    let triangle = soup(&[[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.5, -0.5, 0.25]]]);
    let knot = sample("torus-knot?segments=40&sides=5");
    let ball = sample("sphere?faces=120");
    vec![
        Couple::new("torus, box", sample("torus?segments=12&sides=7"), sample("box")),
        Couple::new("knot, ball", knot.clone(), ball.clone()),
        Couple::new("polytopes", sample("polytope"), sample("polytope?corners=40&seed=2")),
        Couple::new("bumpy, ball", sample("bumpy-sphere?faces=240"), moved(&ball, 0.5, [0.0; 3])),
        Couple::new("cup, icosahedron", sample("cup"), sample("icosahedron?radius=0.4")),
        Couple::new("litter", litter(150, 1), litter(90, 2)),
        Couple::new("combs", comb(8), comb(11)),
        Couple::new("plates", plate(8), plate(5)),
        Couple::new("star, cone", sample("stellated-dodecahedron"), sample("cone?segments=12")),
        Couple::new("triangle, knot", triangle.clone(), knot),
        Couple::new("ellipsoid, plate", sample("ellipsoid?faces=160"), plate(6)),
        Couple::new("nested, polytope", nested(), sample("polytope?radius=0.1&corners=12")),
        Couple::new("box, box", sample("box"), sample("box?x=0.5&y=0.25")),
        Couple::new("triangle, itself", triangle.clone(), triangle),
        Couple::new("litter, cylinder", litter(60, 3), sample("cylinder?segments=8&rings=6")),
        Couple::new("far parts, ball", far_parts(), ball),
    ]
}

/// Two small balls far apart, so that the box around both is nearly empty, with a vertex astray.
fn far_parts() -> Mesh {
    let ball = sample("sphere?faces=40&radius=0.125");
    let both = joined(&[moved(&ball, 1.0, [-2.0, 0.0, 0.0]), moved(&ball, 1.0, [2.0, 1.0, 0.5])]);
    let mut vertices = both.vertices().to_vec();
    vertices.push([1e12, -1e12, 3.0]);
    Mesh::new(vertices, both.triangles().to_vec()).expect("stray vertices are legal")
}

/// The same couple in other sizes: both, or one of them.
fn scaled(couple: &Couple) -> Vec<Couple> {
    let factors = [(1.0, 1.0), (1e-6, 1e-6), (1e6, 1e6), (1.0, 0.0625), (1e-3, 1.0)];
    let of = |(a, b): (f64, f64)| {
        let [x, y] = [&couple.meshes[0], &couple.meshes[1]];
        let name = format!("{} × {a:e}, {b:e}", couple.name);
        Couple::new(&name, moved(x, a, [0.0; 3]), moved(y, b, [0.0; 3]))
    };
    factors.into_iter().map(of).collect()
}

/// Poses of all kinds but those that need a clearance to be found.
fn poses(couple: &Couple, random: &mut Random) -> Vec<Job> {
    let [a, b] = couple.radii();
    let both = a + b;
    let pose = |q: [f64; 4], t: [f64; 3]| Pose::new(q, t).expect("a rotation");
    let mut jobs = vec![job([Pose::IDENTITY; 2])];
    for i in 0..60 {
        // Near contact, A posed too; every fourth far off.
        let away = both * if i % 4 == 0 { 100.0 } else { 0.2 + random.unit() };
        let base = random.vector(both);
        let way = random.vector(away);
        let there = std::array::from_fn(|k| base[k] + way[k]);
        jobs.push(job([pose(random.quaternion(), base), pose(random.quaternion(), there)]));
    }
    for _ in 0..20 {
        // One somewhere in the other.
        let depth = random.unit();
        let offset = random.vector(0.5 * (a - b).abs() * depth);
        jobs.push(job([Pose::IDENTITY, pose(random.quaternion(), offset)]));
    }
    for _ in 0..30 {
        // On a lattice and at right angles: touching exactly, coplanar, edge on edge.
        let step = 0.125 * a.max(b).log2().floor().exp2();
        let count = (2.0 * both / step) as u64;
        let place = |random: &mut Random| {
            let coordinate = |_| (random.next() % (2 * count + 1)) as f64 - count as f64;
            std::array::from_fn(coordinate).map(|x: f64| x * step)
        };
        let there = place(random);
        jobs.push(job([Pose::IDENTITY, Pose::shift(there).expect("finite")]));
        let there = place(random);
        jobs.push(job([pose(random.right_angles(), [0.0; 3]), pose(random.right_angles(), there)]));
    }
    for _ in 0..5 {
        // The same pose for both, and both far from the origin.
        let same = pose(random.quaternion(), random.vector(both));
        jobs.push(job([same, same]));
        let base = random.vector(1e6 * both);
        let away = both * random.unit();
        let way = random.vector(away);
        let there = std::array::from_fn(|k| base[k] + way[k]);
        jobs.push(job([pose(random.quaternion(), base), pose(random.quaternion(), there)]));
    }
    jobs
}

/// Free poses, moved until next to nothing of the clearance is left, or a bit less than nothing.
fn nearer(jobs: &[Job], answers: &Answers) -> Vec<Job> {
    let left = [0.5, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0.0, -1e-12, -1e-6];
    let mut found = Vec::new();
    for (i, (job, answer)) in jobs.iter().zip(answers.all()).enumerate() {
        let Some(clearance) = answer.clearance else { continue };
        let [p, q] = clearance.points;
        let (there, keep) = (job.b.placement.end(), left[i % left.len()]);
        let translation =
            std::array::from_fn(|k| there.translation()[k] - (1.0 - keep) * (q[k] - p[k]));
        let pose = Pose::new(there.rotation(), translation).expect("still finite");
        found.push(duel::job([job.a.placement.end(), pose]));
    }
    found
}

/// How many of each kind there were: a test of nothing but far bodies would be easy to pass.
#[derive(Debug, Default)]
struct Tally {
    poses: usize,
    hits: usize,
    inside: usize,
    clearances: usize,
    close: usize,
    pairs: usize,
}

/// Holds all engines against brute force.
fn compare(couple: &Couple, jobs: &[Job], tally: &mut Tally) -> Answers {
    let brute = couple.engine("brute");
    let (truth, _) = ask(&*brute, jobs, &FIT);
    let [a, b] = couple.radii();
    for name in narrow::exact_names().filter(|&name| name != "brute") {
        let engine = couple.engine(name);
        let (answers, progress) = ask(&*engine, jobs, &FIT);
        assert_eq!(progress, Progress::Complete);
        let (first, _) = ask(&*engine, jobs, &Query::TOUCHING);
        for (i, (job, answer)) in jobs.iter().zip(answers.all()).enumerate() {
            let known = &truth.all()[i];
            let context = format!("{}, {name}, pose {i}: {job:?}", couple.name);
            // A distance cannot be better than the numbers it is made of.
            let size = (a + b).max(known.clearance.map_or(0.0, |found| found.at_most));
            assert_alike(&context, size, [(&answers, answer), (&truth, known)]);
            if let Some(found) = &answer.clearance {
                let triangles = couple.posed(job, found.triangles);
                assert_witnessed(&context, size, triangles, found);
            }
            let quick = &first.all()[i];
            assert_eq!(quick.verdict, known.verdict, "{context}");
            let pairs = first.triangle_pairs(quick);
            assert_eq!(pairs.len(), truth.triangle_pairs(known).len().min(1), "{context}");
            assert!(pairs.iter().all(|pair| truth.triangle_pairs(known).contains(pair)));
        }
        closer_than(couple, &*engine, (jobs, &truth));
    }
    for answer in truth.all() {
        tally.poses += 1;
        tally.hits += usize::from(matches!(answer.verdict, Verdict::Hit(_)));
        tally.inside += usize::from(matches!(answer.verdict, Verdict::Hit(HitKind::Inside { .. })));
        tally.clearances += usize::from(answer.clearance.is_some());
        let close = |found: &Clearance| found.at_most < 1e-5 * (a + b);
        tally.close += usize::from(answer.clearance.as_ref().is_some_and(close));
        tally.pairs += truth.triangle_pairs(answer).len();
    }
    truth
}

/// "Closer than d?" for d on both sides of the truth, as near as the interval allows.
fn closer_than(couple: &Couple, engine: &dyn Engine, (jobs, truth): (&[Job], &Answers)) {
    for (i, (job, known)) in jobs.iter().zip(truth.all()).enumerate() {
        let Some(known) = known.clearance else { continue };
        let [mut below, mut above] = [known.at_least * (1.0 - 1e-3), known.at_most * (1.0 + 1e-3)];
        if i % 2 == 0 {
            let width = known.at_most - known.at_least;
            (below, above) = (known.at_least - 4.0 * width, known.at_most);
        }
        for (limit, expected) in [(below, false), (above, true), (-1.0, false)] {
            if limit <= 0.0 && known.at_least <= 0.0 {
                continue;
            }
            let query = Query { gap: Gap::Below(limit), ..Query::TOUCHING };
            let (answers, _) = ask(engine, std::slice::from_ref(job), &query);
            let [answer] = answers.all() else { panic!("one job, one answer") };
            let context = format!("{}, below {limit}: {known:?}, {answer:?}", couple.name);
            assert_eq!(answer.verdict, Verdict::Free, "{context}");
            assert_eq!(answer.clearance.is_some(), expected, "{context}");
            if let Some(found) = answer.clearance {
                assert!(found.at_least <= known.at_most, "{context}");
                assert!(known.at_least <= found.at_most, "{context}");
            }
        }
    }
}

#[test]
fn all_engines_say_what_brute_force_says() {
    let mut random = Random(4);
    let mut tally = Tally::default();
    for couple in couples().iter().flat_map(scaled) {
        let jobs = poses(&couple, &mut random);
        let truth = compare(&couple, &jobs, &mut tally);
        let jobs = nearer(&jobs, &truth);
        if !jobs.is_empty() {
            compare(&couple, &jobs, &mut tally);
        }
    }
    println!("{tally:?}");
    assert!(tally.poses >= 10_000 && tally.clearances >= 5_000, "{tally:?}");
    assert!(tally.hits >= 2_000 && tally.inside >= 200 && tally.close >= 1_000, "{tally:?}");
}

#[test]
fn bodies_meet_themselves_as_brute_force_says() {
    let mut random = Random(7);
    let mut shapes: Vec<Couple> = couples();
    shapes.push(Couple::new("ball twice", joined(&[nested(), nested()]), plate(1)));
    shapes.push(Couple::new("coplanar", joined(&[plate(4), plate(3), plate(4)]), plate(1)));
    let mut pairs = 0;
    for couple in &shapes {
        let poses = [Pose::IDENTITY]
            .into_iter()
            .chain((0..4).map(|_| Pose::new(random.quaternion(), random.vector(3.0)).unwrap()));
        let jobs: Vec<Job> = poses.map(itself).collect();
        let query = Query { itself: true, ..Query::CONTACTS };
        let (truth, _) = ask(&*couple.engine("brute"), &jobs, &query);
        for name in narrow::exact_names().filter(|&name| name != "brute") {
            let (answers, _) = ask(&*couple.engine(name), &jobs, &query);
            for (answer, known) in answers.all().iter().zip(truth.all()) {
                let context = format!("{}, {name}", couple.name);
                assert_alike(&context, 1.0, [(&answers, answer), (&truth, known)]);
                pairs += truth.triangle_pairs(known).len();
            }
            let quick = Query { itself: true, ..Query::TOUCHING };
            let (first, _) = ask(&*couple.engine(name), &jobs, &quick);
            let verdicts = |of: &Answers| of.all().iter().map(|x| x.verdict).collect::<Vec<_>>();
            assert_eq!(verdicts(&first), verdicts(&truth), "{}, {name}", couple.name);
        }
    }
    assert!(pairs > 4_000, "{pairs}");
}

/// A few couples that touch, are inside each other or are free, in one batch each.
fn mixed_batches() -> Vec<(Couple, Vec<Job>)> {
    let mut random = Random(11);
    let with_jobs = |couple: Couple| {
        let jobs = poses(&couple, &mut random);
        (couple, jobs)
    };
    couples().into_iter().take(7).map(with_jobs).collect()
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for (couple, jobs) in mixed_batches() {
        for name in narrow::exact_names() {
            let with_threads = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let engine = couple.engine(name);
                    [FIT, Query::PAIRS, Query::TOUCHING, Query::CLEARANCE]
                        .map(|query| ask(&*engine, &jobs, &query))
                })
            };
            let one = with_threads(1);
            assert!(one == with_threads(2) && one == with_threads(7), "{}, {name}", couple.name);
        }
    }
}

#[test]
fn a_budget_of_work_replays_and_finds_a_part() {
    let (mut cut, mut all) = (0, 0);
    for (couple, jobs) in mixed_batches() {
        for name in narrow::exact_names() {
            let engine = couple.engine(name);
            let (full, _) = ask(&*engine, &jobs, &FIT);
            for work in [0, 1, 63, 64, 1000, 30_000, 1_000_000, u64::MAX] {
                let query = Query { budget: Budget::Work(work), ..FIT };
                let answered = ask(&*engine, &jobs, &query);
                assert_eq!(answered, ask(&*engine, &jobs, &query), "it replays");
                let (answers, progress) = answered;
                let context = format!("{}, {name}, work {work}", couple.name);
                let complete = answers.all().iter().all(|answer| answer.complete);
                assert_eq!(complete, progress == Progress::Complete, "{context}");
                assert!(complete || work < u64::MAX, "{context}");
                assert!(!complete || work > 0, "{context}");
                for (answer, known) in answers.all().iter().zip(full.all()) {
                    all += 1;
                    cut += usize::from(!answer.complete);
                    assert_part(&context, (&answers, answer), (&full, known));
                }
            }
        }
    }
    assert!(cut > 1000 && all - cut > 1000, "{cut} of {all}");
}

/// What was found with a limit is a part of the truth.
fn assert_part(
    context: &str,
    (answers, answer): (&Answers, &impinge::contract::answer::Answer),
    (full, known): (&Answers, &impinge::contract::answer::Answer),
) {
    if answer.complete {
        assert_eq!(answer.verdict, known.verdict, "{context}");
        assert_eq!(answers.triangle_pairs(answer), full.triangle_pairs(known), "{context}");
    }
    let free = answer.verdict == Verdict::Free;
    assert!(!free || known.verdict == Verdict::Free, "{context}: {answer:?}");
    let hit = matches!(answer.verdict, Verdict::Hit(_));
    assert!(!hit || answer.verdict == known.verdict, "{context}: {answer:?}");
    let all = full.triangle_pairs(known);
    let found = answers.triangle_pairs(answer);
    assert!(found.iter().all(|pair| all.binary_search(pair).is_ok()), "{context}");
    assert_eq!(hit, answer.verdict != Verdict::Unknown && !free, "{context}");
    let contacts = full.contacts(known);
    assert!(answers.contacts(answer).iter().all(|one| contacts.contains(one)), "{context}");
    if let (Some(wide), Some(narrow)) = (answer.clearance, known.clearance) {
        assert!(wide.at_least <= narrow.at_most, "{context}: {wide:?} {narrow:?}");
        assert!(narrow.at_least <= wide.at_most, "{context}: {wide:?} {narrow:?}");
    }
    // A pair that is not decided may be told how far apart it is at most.
    let is_open = answer.verdict == Verdict::Unknown
        && answer.clearance.is_some_and(|clearance| clearance.at_least <= 0.0);
    assert!(
        is_open || answer.clearance.is_none() || known.clearance.is_some(),
        "{context}: {answer:?}"
    );
}

#[test]
fn without_time_nothing_is_known_and_nothing_breaks() {
    for (couple, jobs) in mixed_batches() {
        for name in narrow::exact_names() {
            let engine = couple.engine(name);
            let (full, _) = ask(&*engine, &jobs, &FIT);
            let none = Query { budget: Budget::Time(Duration::ZERO), ..FIT };
            let (answers, progress) = ask(&*engine, &jobs, &none);
            assert_eq!(progress, Progress::Limit);
            assert!(answers.all().iter().all(|answer| answer.verdict == Verdict::Unknown));
            let little = Query { budget: Budget::Time(Duration::from_micros(200)), ..FIT };
            let (answers, _) = ask(&*engine, &jobs, &little);
            for (answer, known) in answers.all().iter().zip(full.all()) {
                assert_part(&couple.name, (&answers, answer), (&full, known));
            }
        }
    }
}
