//! Engine `r98-recode`: what it misses and what it promises, against exact engines.

use crate::random::Random;
use impinge::contract::answer::{Answer, Answers};
use impinge::narrow::r98::{R98, Settings};
use impinge::narrow::{self, bvh};
use impinge::prelude::*;
use impinge_geom::inside::{Location, locate};
use std::sync::Arc;

fn mesh(name: &str) -> Arc<Mesh> {
    Arc::new(impinge_samples::build_mesh(name).expect("a sample"))
}

fn pair(engine: &str, a: &str, b: &str) -> PosedPair {
    PosedPair::with(narrow::by_text(engine).expect("known"), mesh(a), mesh(b)).expect("any mesh")
}

/// Where B is: turned at random, at distances about those where the two touch.
fn poses(count: usize, reach: f64, random: &mut Random) -> Vec<Pose> {
    let mut symmetric = || 2.0 * random.unit() - 1.0;
    (0..count)
        .map(|_| {
            let at: Point = [(); 3].map(|()| reach * symmetric());
            Pose::new([(); 4].map(|()| symmetric()), at).expect("not zero")
        })
        .collect()
}

fn is_hit(answer: &Answer) -> bool {
    matches!(answer.verdict, Verdict::Hit(_))
}

/// How many of the true hits were missed; asserts what each answer promises.
fn misses(engine: &str, names: [&str; 2], poses: &[Pose]) -> [usize; 2] {
    let [a, b] = names;
    let mut seen = pair(engine, a, b);
    let seen = seen.check(poses, &Query::TOUCHING).clone();
    let mut truth = pair(bvh::NAME, a, b);
    let truth = truth.check(poses, &Query::CLEARANCE).clone();
    let mut count = [0; 2];
    for (k, (seen, truth)) in seen.all().iter().zip(truth.all()).enumerate() {
        let context = format!("{engine}, {a} and {b}, pose {k}: {seen:?}");
        assert_ne!(seen.verdict, Verdict::Unknown, "{context}");
        let gap = truth.clearance.map_or(0.0, |gap| gap.at_least);
        if is_hit(seen) {
            assert!(seen.guarantee.may_invent && gap <= seen.guarantee.error_max, "{context}");
        }
        if is_hit(truth) {
            count[0] += 1;
            count[1] += usize::from(!is_hit(seen));
            assert!(is_hit(seen) || seen.guarantee.may_miss, "{context}");
        }
    }
    assert!(count[0] > poses.len() / 5, "poses that touch: {}", count[0]);
    count
}

const CONVEX: [[&str; 2]; 4] = [
    ["sphere?faces=320", "sphere?faces=960"],
    ["polytope", "ellipsoid"],
    ["cone", "capped-cone"],
    ["box", "icosahedron"],
];

#[test]
fn convex_bodies_are_missed_less_with_more_pixels_and_never_invented() {
    let mut random = Random(98);
    for names in CONVEX {
        let poses = poses(400, 1.2, &mut random);
        let mut last = usize::MAX;
        for resolution in [2, 8, 64] {
            let engine = format!("r98-recode?resolution={resolution}");
            let [hits, missed] = misses(&engine, names, &poses);
            assert!(missed <= last, "{names:?}: {missed} at {resolution} after {last}");
            if resolution == 64 {
                assert!(missed * 100 <= hits, "{names:?}: {missed} of {hits}");
            }
            last = missed;
        }
        // Other regions and planes are other pixels, and promise the same.
        for more in ["boxes=oriented", "plane=x", "plane=separating", "reuse=no", "pixel=0.02"] {
            let [hits, missed] = misses(&format!("r98-recode?{more}"), names, &poses);
            assert!(missed * 50 <= hits, "{names:?}, {more}: {missed} of {hits}");
        }
    }
}

/// One block in the other's surface: how deep it may be unseen is promised, too.
#[test]
fn what_is_missed_is_no_deeper_than_is_promised() {
    let [a, b] = ["box?x=2&y=2&z=2", "sphere?faces=320&radius=0.5"];
    for resolution in [1, 2, 4, 16] {
        let mut seen = pair(&format!("r98-recode?resolution={resolution}"), a, b);
        let (mut free, mut last) = (0, f64::INFINITY);
        for k in 0..200 {
            // The ball comes through the upper side, somewhere between pixel centres.
            let depth = 0.4 * f64::from(k) / 200.0;
            let at = [0.013 * f64::from(k % 29), -0.017 * f64::from(k % 31), 1.5 - depth];
            let answers = seen.check(&[Pose::shift(at).expect("finite")], &Query::TOUCHING);
            let answer = &answers.all()[0];
            if !is_hit(answer) {
                free += 1;
                let unseen = answer.guarantee.unseen_max;
                assert!(unseen >= depth - 0.03 && unseen.is_finite(), "{k}: {unseen} {depth}");
                last = last.min(unseen);
            }
        }
        assert!(resolution > 4 || free > 0);
    }
}

const KNOT: &str = "torus-knot?segments=120&sides=8";

#[test]
fn concave_bodies_are_found_by_their_blocks() {
    let mut random = Random(4);
    let poses = poses(150, 0.8, &mut random);
    for names in [[KNOT, KNOT], ["cup", "torus?segments=48&sides=10"]] {
        let engine = "r98-recode?blocks=32&resolution=64";
        let [hits, missed] = misses(engine, names, &poses);
        assert!(missed * 50 <= hits, "{names:?}: {missed} of {hits}");
    }
    // The ball is in the cup: in its hull, but not in what it is made of.
    let ball = "sphere?faces=320&radius=0.2";
    let shell = verdict_of("r98-recode?blocks=64&concavity=0.005", "cup", ball);
    assert_eq!(shell, verdict_of(bvh::NAME, "cup", ball));
    assert!(matches!(verdict_of("r98-recode?blocks=shells", "cup", ball), Verdict::Hit(_)));
}

fn verdict_of(engine: &str, a: &str, b: &str) -> Verdict {
    let centre = mesh(a).bounds().center();
    let pose = Pose::shift(centre).expect("finite");
    pair(engine, a, b).check(&[pose], &Query::TOUCHING).all()[0].verdict
}

/// All pairs of a frame with shared maps say what each says alone, whatever the number of threads.
#[test]
fn frames_and_threads_change_nothing() {
    let text = |reuse: &str| format!("r98-recode?pixel=0.03&reuse={reuse}");
    let run = |engine: &str| -> Vec<String> {
        let pruner = impinge::broad::by_name("auto").expect("there is always one");
        let mut world = World::with(pruner, narrow::by_text(engine).expect("known"));
        let shapes: Vec<_> = ["sphere?faces=320", "cone", "torus?segments=24&sides=10"]
            .iter()
            .map(|name| world.add_shape((*mesh(name)).clone()).expect("any mesh"))
            .collect();
        for (k, pose) in poses(24, 1.6, &mut Random(7)).into_iter().enumerate() {
            world.insert(Body::new(shapes[k % 3]).at(pose)).expect("a known shape");
        }
        let report = world.step(&Query::CONTACTS);
        report.pairs().map(|pair| format!("{:?} {:?}", pair.answer.verdict, pair.touches)).collect()
    };
    let shared = run(&text("yes"));
    assert!(shared.len() > 30 && shared.iter().any(|line| line.starts_with("Hit")));
    assert_eq!(shared, run(&text("no")));
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        assert_eq!(shared, pool.install(|| run(&text("yes"))), "{threads} threads");
    }
}

fn touches_of(answers: &Answers) -> Vec<Touch> {
    answers.touches(&answers.all()[0]).to_vec()
}

/// Bodies whose vertices all move keep their blocks, and each answer is as good as it says.
#[test]
fn bodies_that_bend_are_followed() {
    let names = ["hand?faces=800", "sphere?faces=320&radius=2"];
    let mut worlds = ["r98-recode?blocks=32", bvh::NAME].map(|engine| {
        let pruner = impinge::broad::by_name("brute").expect("there is always one");
        World::with(pruner, narrow::by_text(engine).expect("known"))
    });
    let bodies = worlds.each_mut().map(|world| {
        names.map(|name| {
            let shape = world.add_shape((*mesh(name)).clone()).expect("any mesh");
            world.insert(Body::new(shape)).expect("a known shape")
        })
    });
    let centre = mesh(names[0]).bounds().center();
    let (mut hits, mut free, mut missed) = (0, 0, 0);
    for frame in 0..40 {
        let t = f64::from(frame) / 40.0;
        let bend = |&[x, y, z]: &Point| [x, y, z + t * (0.5 * y).sin()];
        let come =
            |&[x, y, z]: &Point| [x + centre[0], y + centre[1], z + centre[2] + 8.0 * (1.0 - t)];
        let told = [0, 1].map(|k| {
            let moved = |name: &str, f: &dyn Fn(&Point) -> Point| -> Vec<Point> {
                mesh(name).vertices().iter().map(f).collect()
            };
            let world = &mut worlds[k];
            world.deform(bodies[k][0], &moved(names[0], &bend)).expect("finite");
            world.deform(bodies[k][1], &moved(names[1], &come)).expect("finite");
            let query = if k == 0 { Query::TOUCHING } else { Query::CLEARANCE };
            let report = world.step(&query);
            report.pairs().next().map(|pair| pair.answer.clone())
        });
        let [Some(seen), Some(truth)] = told else { continue };
        let gap = truth.clearance.map_or(0.0, |gap| gap.at_least);
        if is_hit(&seen) {
            hits += 1;
            assert!(gap <= seen.guarantee.error_max, "{frame}: {gap}, {:?}", seen.guarantee);
        } else {
            free += 1;
            missed += u32::from(is_hit(&truth));
            assert!(seen.guarantee.may_miss || !is_hit(&truth), "{frame}");
        }
    }
    assert!(hits > 5 && free > 3 && missed <= 3, "{hits} {free} {missed}");
}

/// Points of the region are in both bodies to within a pixel.
#[test]
fn regions_lie_in_both_bodies() {
    let [a, b] = ["box?x=2&y=2&z=2", "sphere?faces=960&radius=0.5"];
    let at = Pose::shift([0.3, 0.1, 1.3]).expect("finite");
    for engine in ["r98-recode", "r98-recode?plane=separating", "r98-recode?plane=x"] {
        let mut asked = pair(engine, a, b);
        let touches = touches_of(asked.check(&[at], &Query::CONTACTS));
        // The ball reaches 0.2 into the upper side; the cap is 0.8 wide, with 50 pixels along that.
        assert!(touches.len() > 300, "{engine}: {}", touches.len());
        let ball = mesh(b);
        for touch in &touches {
            for point in [touch.point, touch.voxel] {
                assert!(point.iter().all(|x| x.abs() <= 1.0 + 1e-5), "{point:?}");
                let place: Point = std::array::from_fn(|k| point[k] - at.translation()[k]);
                let shrunk: Point = place.map(|x| x * (1.0 - 1e-4));
                let triangles = (0..ball.triangles().len() as u32).map(|i| ball.triangle(i));
                assert_eq!(locate(&shrunk, triangles), Location::Inside, "{point:?}");
            }
            assert!(touch.depth > 0.0 && touch.depth <= 2.0 + 1e-5);
        }
        let deepest = touches.iter().map(|touch| touch.depth).fold(0.0, f64::max);
        if engine != "r98-recode?plane=x" {
            assert!((0.19..0.21).contains(&deepest), "{engine}: {deepest}");
        }
    }
    // Who does not want them does not get them.
    let mut asked = pair("r98-recode", a, b);
    assert!(touches_of(asked.check(&[at], &Query::TOUCHING)).is_empty());
}

#[test]
fn pictures_show_what_was_counted() {
    let [a, b] = [mesh("box?x=2&y=2&z=2"), mesh("sphere?faces=320&radius=0.5")];
    let at = |z: f64| Pose::shift([0.0, 0.0, z]).expect("finite");
    let engine = R98::new(Settings::default());
    // Into the back, within, into the front: one pass, two, two.
    for (z, passes) in [(1.0, 1), (0.0, 2), (-1.0, 2)] {
        let shown = engine.pictures([(&a, &Pose::IDENTITY), (&b, &at(z))]);
        assert_eq!(shown.iter().map(|picture| picture.pass).max(), Some(passes), "{z}");
        let image = &shown[0].image;
        assert_eq!(image.counter.len(), (image.width * image.height) as usize);
        assert!(image.counter.contains(if z > 0.5 { &1 } else { &2 }));
    }
    assert!(engine.pictures([(&a, &Pose::IDENTITY), (&b, &at(3.0))]).is_empty());
}

#[test]
fn every_mesh_is_taken_and_budgets_are_kept() {
    let corner = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let flat = |t: Vec<[u32; 3]>| Arc::new(Mesh::new(corner.clone(), t).expect("corners"));
    let odd = [
        flat(vec![[0, 1, 2]]),
        flat(vec![[0, 0, 0]]),
        flat(vec![[0, 1, 1]]),
        flat(vec![[0, 1, 2], [0, 2, 3], [1, 2, 3]]),
        flat(vec![[0, 1, 2], [0, 2, 1]]),
    ];
    for a in &odd {
        for b in odd.iter().chain([&mesh("box")]) {
            for engine in ["r98-recode", "r98-recode?boxes=oriented&plane=separating"] {
                let engine = narrow::by_text(engine).expect("known");
                let mut pair =
                    PosedPair::with(engine, Arc::clone(a), Arc::clone(b)).expect("any mesh");
                let query = Query { gap: Gap::Measure, ..Query::CONTACTS };
                let answers = pair.check(&[Pose::IDENTITY], &query);
                // The distance is exact: all of them share a corner or more, but that of the box.
                let is_odd = odd.iter().any(|one| Arc::ptr_eq(one, b));
                assert!(!is_odd || is_hit(&answers.all()[0]));
            }
        }
    }
    let mut asked = pair("r98-recode", "box", "box");
    let query = Query { budget: Budget::Work(3), ..Query::TOUCHING };
    let answers = asked.check(&[Pose::IDENTITY], &query);
    assert_eq!((answers.all()[0].verdict, answers.all()[0].complete), (Verdict::Unknown, false));
    let answers = asked.check(&[Pose::IDENTITY], &Query::TOUCHING);
    assert!(is_hit(&answers.all()[0]), "a body at the place of another");
}

/// A body that is far larger than what it shares with another is drawn as well as numbers allow, and what that is
/// worth is told.
#[test]
fn bodies_of_very_different_sizes_are_no_farther_apart_than_is_told() {
    let far = 1e6;
    let triangle = [[-0.01 * far, -1002.0], [0.0, -far], [far, 99_998.0]];
    let corners = [-0.3 * far, 0.3 * far].map(|z| triangle.map(|[x, y]| [x, y, z])).concat();
    let faces =
        [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]];
    let prism = Arc::new(Mesh::new(corners, faces.to_vec()).expect("a prism"));
    // As thin as numbers allow, and a plate that leans.
    let at = |z: f64| [[-0.5, -0.5, z], [0.5, -0.5, z], [0.5, 0.5, z], [-0.5, 0.5, z]];
    let lean = |z: f64| {
        [
            [-100.0, -1.0, z - 50.0],
            [100.0, -1.0, z + 150.0],
            [100.0, 1.0, z + 150.0],
            [-100.0, 1.0, z - 50.0],
        ]
    };
    let boxed = |low: [Point; 4], high: [Point; 4]| {
        let mut faces = vec![[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]];
        for i in 0..4 {
            let j = (i + 1) % 4;
            faces.extend([[i, j, j + 4], [i, j + 4, i + 4]]);
        }
        Arc::new(Mesh::new([low, high].concat(), faces).expect("a box"))
    };
    let pairs = [[mesh("box"), prism], [boxed(at(0.0), at(1e-39)), boxed(lean(0.0), lean(0.1))]];
    for [a, b] in pairs {
        for engine in ["r98-recode?resolution=2048", "r98-recode", "r98-recode?plane=separating"] {
            for two in [[&a, &b], [&b, &a]] {
                let ask = |engine: &str, query: &Query| {
                    let engine = narrow::by_text(engine).expect("known");
                    let [a, b] = two.map(Arc::clone);
                    let mut pair = PosedPair::with(engine, a, b).expect("any mesh");
                    pair.check(&[Pose::IDENTITY], query).all()[0].clone()
                };
                let seen = ask(engine, &Query::TOUCHING);
                let truth = ask(bvh::NAME, &Query::CLEARANCE);
                let gap = truth.clearance.map_or(0.0, |gap| gap.at_least);
                assert!(gap > 1.0);
                let told = seen.guarantee.error_max;
                assert!(!is_hit(&seen) || (gap <= told && told.is_finite()), "{gap} {told}");
            }
        }
    }
}
