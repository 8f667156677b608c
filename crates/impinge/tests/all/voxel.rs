//! Engine `voxel`: what it finds where the truth is known, over motions, within budgets. What it promises
//! near contact is held against exact distances by experiment `voxel-promise`.

use crate::random::Random;
use impinge::contract::answer::{Answer, Answers};
use impinge::narrow::voxel::{Settings, Spring, Voxel, Wrench};
use impinge::narrow::{self, bvh};
use impinge::prelude::*;
use std::sync::Arc;

fn mesh(name: &str) -> Arc<Mesh> {
    Arc::new(impinge_samples::build_mesh(name).expect("a sample"))
}

fn pair(engine: &str, a: &str, b: &str) -> PosedPair {
    PosedPair::with(narrow::by_text(engine).expect("known"), mesh(a), mesh(b)).expect("closed")
}

fn verdict(answers: &Answers) -> Verdict {
    answers.all()[0].verdict
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::shift([x, y, z]).expect("finite")
}

fn turned(random: &mut Random, translation: Point) -> Pose {
    let quaternion: [f64; 4] = std::array::from_fn(|_| random.unit() - 0.5);
    Pose::new(quaternion, translation).expect("not zero")
}

#[test]
fn bodies_within_others_are_found() {
    let small = "sphere?faces=320&radius=0.3";
    let mut within = pair("voxel?size=0.05", small, "sphere?faces=960");
    let inner = within.check(&[at(0.2, 0.0, 0.0)], &Query::TOUCHING);
    assert_eq!(verdict(inner), Verdict::Hit(HitKind::Inside { inner: Side::A }));
    let mut around = pair("voxel?size=0.05", "sphere?faces=960", small);
    let inner = around.check(&[at(0.2, 0.0, 0.0)], &Query::CONTACTS);
    assert_eq!(verdict(inner), Verdict::Hit(HitKind::Inside { inner: Side::B }));
    // Surfaces that are nearer to each other than a voxel.
    let mut alike = pair("voxel?size=0.1", "sphere?faces=960", "sphere?faces=960&radius=1.02");
    assert!(matches!(
        verdict(alike.check(&[at(0.0, 0.0, 0.0)], &Query::TOUCHING)),
        Verdict::Hit(_)
    ));
}

#[test]
fn points_and_voxels_are_told_where_they_are() {
    let mut pair = pair("voxel?size=0.05", "box?x=2&y=2&z=2", "sphere?faces=960&radius=0.5");
    // The ball reaches 0.2 into the upper side of the box.
    let answers = pair.check(&[at(0.3, 0.1, 1.3)], &Query::CONTACTS);
    let answer = &answers.all()[0];
    assert_eq!(answer.verdict, Verdict::Hit(HitKind::Surface));
    let touches = answers.touches(answer);
    assert!(touches.len() > 20, "{}", touches.len());
    for touch in touches {
        assert_eq!(touch.of, Side::B, "the ball has fewer points");
        let from_ball: f64 =
            [0.3, 0.1, 1.3].iter().zip(touch.point).map(|(c, x)| (x - c) * (x - c)).sum();
        assert!(from_ball.sqrt() <= 0.5 + 1e-3, "{touch:?}");
        let gap = |k: usize| (touch.voxel[k] - touch.point[k]).abs();
        assert!((0..3).all(|k| gap(k) <= 0.025 + 1e-4), "{touch:?}");
        assert!(touch.point[2] < 1.0 + 0.05, "{touch:?}");
        // The box's surface is in voxels that reach up to one edge beyond it.
        assert!((touch.depth - (1.0 - touch.point[2])).abs() < 0.1, "{touch:?}");
        assert!(touch.normal[2] > 0.8, "B leaves upwards: {touch:?}");
    }
    let spring = Spring { stiffness: 100.0, force_max: f64::INFINITY };
    let wrench = Wrench::of(touches, &spring, &[0.3, 0.1, 1.3]);
    assert!(wrench.force[2] > 0.0 && wrench.force[2].abs() > 10.0 * wrench.force[0].abs());
    let arm: f64 = wrench.torque.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(arm < 0.1 * wrench.force[2], "a ball that is pushed upwards hardly turns: {wrench:?}");
}

#[test]
fn both_bodies_answer_alike_when_they_change_places() {
    let mut random = Random(3);
    let (a, b) = ("stellated-dodecahedron", "torus");
    let mut one = pair("voxel?size=0.06", a, b);
    let mut other = pair("voxel?size=0.06", b, a);
    let mut hits = 0;
    for _ in 0..300 {
        let way: Point = std::array::from_fn(|_| 3.0 * (random.unit() - 0.5));
        let pose = turned(&mut random, way);
        let there = verdict(one.check(&[pose], &Query::CONTACTS));
        let back = verdict(other.check(&[pose.inverse()], &Query::CONTACTS));
        assert_eq!(there == Verdict::Free, back == Verdict::Free, "{pose:?}");
        let touching = verdict(one.check(&[pose], &Query::TOUCHING));
        assert_eq!(touching == Verdict::Free, there == Verdict::Free, "{pose:?}");
        hits += usize::from(there != Verdict::Free);
    }
    assert!((50..250).contains(&hits), "{hits}");
}

#[test]
fn nothing_passes_through_a_thin_plate() {
    // A tenth of a voxel thick, and the middles of voxels miss it.
    let mut pair = pair("voxel?size=0.1", "box?x=4&y=4&z=0.01", "sphere?faces=320&radius=0.2");
    let mut random = Random(11);
    for i in 0..60 {
        let [x, y, z, w] = [(); 4].map(|()| random.unit());
        let start = turned(&mut random, [1.5 * x - 0.7, 0.3, 2.0 + y]);
        let end = turned(&mut random, [z - 0.5, -0.4, -2.0 - w]);
        let motion = Motion::lerp_slerp(start, end);
        for pose in [start, end] {
            assert_eq!(verdict(pair.check(&[pose], &Query::TOUCHING)), Verdict::Free);
        }
        let answers = pair.check(&[motion], &Query::FIRST_CONTACT);
        let answer = &answers.all()[0];
        assert_eq!(answer.verdict, Verdict::Hit(HitKind::Surface), "{i}");
        let [before, after] = answer.time.expect("a first contact has a time");
        // The ball meets the plate when its middle is a radius above it, give or take what is promised.
        let height = |t: f64| motion.pose_at(t).translation()[2];
        let slack = answer.guarantee.error_max + 0.01;
        assert!(height(before) >= 0.205 - slack && height(before) <= 0.205 + slack, "{i}");
        assert!(after >= before && !answers.touches(answer).is_empty());
    }
}

#[test]
fn motions_are_followed_as_instants_say() {
    let mut random = Random(5);
    let engine = "voxel?size=0.08";
    let names = ["torus", "stellated-dodecahedron", "cone", "box?x=3&y=0.2&z=0.2"];
    let (mut hits, mut frees) = (0, 0);
    for i in 0..names.len() {
        let (a, b) = (names[i], names[(i + 1) % names.len()]);
        let mut pair = pair(engine, a, b);
        let mut exact = PosedPair::with(Box::new(bvh::Bvh::default()), mesh(a), mesh(b)).unwrap();
        for _ in 0..25 {
            let ends: [Pose; 2] = std::array::from_fn(|_| {
                let way: Point = std::array::from_fn(|_| 5.0 * (random.unit() - 0.5));
                turned(&mut random, way)
            });
            let motion = Motion::lerp_slerp(ends[0], ends[1]);
            let answer = pair.check(&[motion], &Query::FIRST_CONTACT).all()[0].clone();
            let first = answer.time.map_or(1.0, |time| time[0]);
            let mut last = answer.time.map_or(1.0, |time| time[1]);
            if answer.verdict == Verdict::Free {
                (frees, last) = (frees + 1, 1.0);
            } else {
                hits += 1;
            }
            // Until then every instant is free, and at it the bodies are as near as is promised.
            for k in 0..if first > 0.0 { 40 } else { 0 } {
                let pose = motion.pose_at(first * f64::from(k) / 40.0);
                assert_eq!(
                    verdict(pair.check(&[pose], &Query::TOUCHING)),
                    Verdict::Free,
                    "{a} {b}"
                );
            }
            if answer.verdict != Verdict::Free {
                let pose = motion.pose_at(0.5 * (first + last));
                let near = exact.check(&[pose], &Query::CLEARANCE).all()[0].clone();
                let gap = near.clearance.map_or(0.0, |clearance| clearance.at_least);
                assert!(gap <= answer.guarantee.error_max, "{a} {b}: {gap} {:?}", answer.guarantee);
            }
        }
    }
    assert!(hits > 10 && frees > 10, "{hits} {frees}");
}

#[test]
fn budgets_end_with_what_is_known_and_replay() {
    let mut pair = pair("voxel?resolution=64", "torus-knot", "torus-knot");
    let pose = at(1.9, 0.2, 0.1);
    let ask = |pair: &mut PosedPair, budget| {
        let query = Query { budget, want: Want::Contacts, ..Query::TOUCHING };
        let answers = pair.check(&[pose], &query);
        let answer = answers.all()[0].clone();
        (answers.touches(&answer).to_vec(), answer)
    };
    let (all, whole) = ask(&mut pair, Budget::Unlimited);
    assert!(!all.is_empty() && whole.complete, "{whole:?}");
    let (none, nothing) = ask(&mut pair, Budget::Work(0));
    assert_eq!((nothing.verdict, none.len()), (Verdict::Unknown, 0));
    assert!(!nothing.complete);
    let mut most = 0;
    for work in [100, 400, 1000, 3000, 10_000, 1_000_000] {
        let (some, answer) = ask(&mut pair, Budget::Work(work));
        assert_eq!(ask(&mut pair, Budget::Work(work)), (some.clone(), answer.clone()));
        assert!(some.iter().all(|touch| all.contains(touch)), "{work}");
        assert!(some.len() >= most, "more work finds more: {work}");
        assert!(!answer.complete || some.len() == all.len(), "{work}");
        most = some.len();
    }
    assert_eq!(most, all.len());
    let late = ask(&mut pair, Budget::Time(std::time::Duration::ZERO)).1;
    assert_eq!((late.verdict, late.complete), (Verdict::Unknown, false));
}

#[test]
fn a_motion_cut_short_tells_all_of_the_time_that_is_open() {
    let way = Motion::lerp_slerp(at(0.0, 0.0, 5.0), at(0.0, 0.0, -5.0));
    let mut pair = pair("voxel?size=0.1", "box?x=4&y=4&z=0.01", "sphere?faces=320&radius=0.2");
    let mut ask = |budget| {
        let query = Query { budget, ..Query::FIRST_CONTACT };
        pair.check(std::slice::from_ref(&way), &query).all()[0].clone()
    };
    let whole = ask(Budget::Unlimited);
    let [first, last] = whole.time.expect("they meet");
    assert!(whole.complete && first > 0.4 && last < 0.5, "{whole:?}");
    let mut verdicts = [0; 2];
    for work in [0, 50, 200, 500, 1000, 2000, 3000, 5000, 10_000, 20_000, 50_000] {
        let answer = ask(Budget::Work(work));
        let [from, to] = answer.time.expect("something is open");
        assert!(from <= first && to >= last, "{work}: {answer:?}");
        match answer.verdict {
            Verdict::Unknown => assert!(to == 1.0 && !answer.complete, "{work}: {answer:?}"),
            Verdict::Hit(_) => assert!(to < 0.5, "{work}: {answer:?}"),
            Verdict::Free => panic!("{work}: {answer:?}"),
        }
        verdicts[usize::from(answer.verdict == Verdict::Unknown)] += 1;
    }
    assert!(verdicts[0] > 1 && verdicts[1] > 1, "{verdicts:?}");
}

#[test]
fn plates_of_few_voxels_push_out_the_way_that_bodies_came() {
    for thick in [0.02f64, 0.1, 0.3, 0.5, 0.8, 1.6] {
        let plate = format!("box?x=3&y=3&z={thick}");
        let mut pair = pair("voxel?size=0.1", &plate, "sphere?faces=960&radius=0.3");
        let depth = (0.35 * thick).min(0.12);
        let answers = pair.check(&[at(0.13, 0.21, 0.5 * thick + 0.3 - depth)], &Query::CONTACTS);
        let touches = answers.touches(&answers.all()[0]);
        assert!(!touches.is_empty(), "{thick}");
        let spring = Spring { stiffness: 1.0, force_max: f64::INFINITY };
        let [x, y, z] = Wrench::of(touches, &spring, &[0.0; 3]).force;
        assert!(z > 0.0 && z > 5.0 * x.hypot(y), "{thick}: {x} {y} {z}");
    }
}

#[test]
fn where_a_gap_is_measured_the_meshes_decide() {
    let mut random = Random(77);
    let mut voxels = pair("voxel?size=0.1", "sphere?faces=320", "torus");
    let mut exact = pair("bvh", "sphere?faces=320", "torus");
    let mut near = 0;
    for _ in 0..300 {
        let far = 1.0 + 1.5 * random.unit();
        let way: Point = std::array::from_fn(|_| far * (random.unit() - 0.5) * 2.0);
        let pose = turned(&mut random, way);
        let truth = exact.check(&[pose], &Query::CLEARANCE).all()[0].clone();
        let told = voxels.check(&[pose], &Query::CLEARANCE).all()[0].clone();
        let is_hit = |verdict| matches!(verdict, Verdict::Hit(_));
        assert_eq!(is_hit(told.verdict), is_hit(truth.verdict), "{pose:?}");
        let gap = |answer: &Answer| answer.clearance.map(|gap| gap.at_most);
        assert_eq!(gap(&told).is_some(), gap(&truth).is_some());
        if let (Some(told), Some(truth)) = (gap(&told), gap(&truth)) {
            assert!((told - truth).abs() < 1e-9);
            near += usize::from(truth < 0.2);
        }
    }
    assert!(near > 10, "{near}");
}

#[test]
fn a_pair_looked_at_from_one_side_has_no_bound() {
    let mut pair = pair("voxel?size=0.05&sides=one", "torus", "torus");
    let answer = pair.check(&[at(5.0, 0.0, 0.0)], &Query::TOUCHING).all()[0].clone();
    assert_eq!(answer.verdict, Verdict::Free);
    assert!(answer.guarantee.may_miss && answer.guarantee.unseen_max == f64::INFINITY);
}

#[test]
fn threads_change_nothing() {
    let mut random = Random(9);
    let place = |_| {
        let way: Point = std::array::from_fn(|_| 4.0 * (random.unit() - 0.5));
        turned(&mut random, way)
    };
    let poses: Vec<Pose> = (0..200).map(place).collect();
    let answers = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut pair = pair("voxel?resolution=40", "torus-knot?segments=60&sides=8", "torus");
            let answers = pair.check(&poses, &Query::CONTACTS);
            let tell = |answer| (answers.touches(answer).to_vec(), Clone::clone(answer));
            answers.all().iter().map(tell).collect::<Vec<_>>()
        })
    };
    let one = answers(1);
    assert!(one.iter().any(|(touches, _)| touches.len() > 10));
    assert_eq!(answers(2), one);
    assert_eq!(answers(7), one);
}

#[test]
fn meshes_without_an_inside_are_refused_with_what_would_do() {
    let refused = |engine: &str, mesh: Arc<Mesh>| {
        let engine = narrow::by_text(engine).expect("known");
        PosedPair::with(engine, mesh.clone(), mesh).err().map(|error| error.to_string())
    };
    let cloth = mesh("cloth?faces=400&phase=0.3");
    let open = refused("voxel", cloth).expect("a cloth has a rim");
    assert!(open.starts_with("engine voxel cannot use this mesh: ") && open.contains("closed"));
    assert!(open.contains("inside=winding"), "{open}");
    let winding = "voxel?inside=winding&resolution=30";
    assert_eq!(refused(winding, mesh("cloth?faces=400&phase=0.3")), None);
    let fine = refused("voxel?size=0.00001", mesh("box")).expect("too many voxels");
    assert!(fine.contains("GB") && fine.contains("at least"), "{fine}");
    let flat = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let flat = Mesh::new(flat, vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    // A cloth that has not fallen yet is as flat.
    for flat in [Arc::new(flat), mesh("cloth?faces=400")] {
        for engine in ["voxel", winding] {
            let flat = refused(engine, Arc::clone(&flat)).expect("zero thickness");
            assert!(flat.contains("zero thickness"), "{flat}");
        }
    }
    let unknown = narrow::by_text("voxel?sizes=3").err().expect("not known").to_string();
    assert!(unknown.contains("`sizes` is not known"), "{unknown}");
    assert!(narrow::by_text("voxel?size=-1").is_err());
    assert!(narrow::by_text("voxel?size=1&resolution=3").is_err());
}

#[test]
fn a_body_may_have_voxels_of_its_own_size() {
    let [a, b] = [mesh("torus"), mesh("box")];
    let engine = Voxel::new(Settings::default()).with_size_of(Arc::clone(&b), 0.25);
    let mut pair = PosedPair::with(Box::new(engine), a, b).unwrap();
    let coarse = pair.check(&[at(5.0, 0.0, 0.0)], &Query::TOUCHING).all()[0].guarantee;
    assert!((0.2..0.6).contains(&coarse.unseen_max), "{coarse:?}");
}

#[test]
fn equal_meshes_may_have_voxels_of_different_sizes() {
    let cube = mesh("box");
    let engine = narrow::by_text("voxel?resolution=64").unwrap();
    let mut world = World::with(impinge::broad::by_name("brute").unwrap(), engine);
    let sized = |size: Option<f64>| (Arc::clone(&cube), size);
    let wanted = [sized(Some(0.1)), sized(Some(0.025)), sized(None), sized(Some(0.1))];
    let shapes = world.add_shapes_to(&wanted).unwrap();
    assert_eq!(shapes[0], shapes[3], "the same in all respects");
    assert!(shapes[0] != shapes[1] && shapes[1] != shapes[2] && shapes[0] != shapes[2]);
    assert_eq!(world.add_shapes(&[Arc::clone(&cube)]).unwrap(), [shapes[2]]);
    // A face of the second is turned towards an edge of the first: free, but near.
    let half = std::f64::consts::FRAC_PI_8;
    let turned = Pose::new([half.cos(), 0.0, 0.0, half.sin()], [1.1, 1.1, 0.0]).unwrap();
    let mut unseen = |shape: ShapeId| {
        let poses = [Pose::IDENTITY, turned];
        let ids = poses.map(|pose| world.insert(Body::new(shape).at(pose)).unwrap());
        let report = world.step(&Query::TOUCHING);
        let found = report.pairs().next().unwrap().answer.guarantee.unseen_max;
        // The size stays with the body when it deforms.
        let vertices: Vec<Point> = cube.vertices().iter().map(|v| v.map(|x| 1.01 * x)).collect();
        ids.iter().for_each(|id| world.deform(*id, &vertices).unwrap());
        let report = world.step(&Query::TOUCHING);
        let later = report.pairs().next().unwrap().answer.guarantee.unseen_max;
        ids.iter().for_each(|id| assert!(world.remove(*id)));
        assert!((later / found - 1.0).abs() < 0.3, "{found} {later}");
        found
    };
    let [coarse, fine] = [shapes[0], shapes[1]].map(&mut unseen);
    assert!(coarse > 2.5 * fine, "{coarse} {fine}");
    // A size that is refused leaves nothing behind for the next shape of that number.
    let bad = world.add_shapes_to(&[sized(Some(-1.0))]);
    assert!(bad.is_err());
    assert!(world.add_shape(mesh("box")).is_ok());
}
