//! Engine `sphere-tree` with budgets: what it tells is true, whenever it is stopped.

use impinge::contract::query::Budget;
use impinge::narrow;
use impinge::prelude::*;
use impinge_samples::build_mesh;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SAMPLES: [&str; 4] = [
    "torus-knot?segments=100&sides=8",
    "stellated-dodecahedron",
    "bumpy-sphere?faces=960",
    "cup?segments=24",
];

fn poses() -> Vec<Pose> {
    let pose = |k: u32| {
        let t = f64::from(k) / 40.0;
        let way = [3.2 * t - 0.4, 0.7 * (5.0 * t).sin(), 0.5 * (9.0 * t).cos()];
        Pose::new([1.0, t, -2.0 * t, 0.3], way).expect("finite")
    };
    (0..40).map(pose).collect()
}

fn pair(engine: &str, [a, b]: [&str; 2]) -> PosedPair {
    let [a, b] = [a, b].map(|name| Arc::new(build_mesh(name).expect("a sample")));
    PosedPair::with(narrow::by_name(engine).expect("known"), a, b).expect("any mesh")
}

#[test]
fn every_budget_tells_the_truth_and_more_tells_more() {
    let poses = poses();
    for (k, a) in SAMPLES.iter().enumerate() {
        for b in &SAMPLES[k..] {
            let (mut exact, mut tree) = (pair("bvh", [a, b]), pair("sphere-tree", [a, b]));
            let truth = exact.check(&poses, &Query::CLEARANCE).clone();
            for (i, pose) in poses.iter().enumerate() {
                let truth = &truth.all()[i];
                let mut before = [0.0, f64::INFINITY];
                for work in [8, 40, 200, 800, 3000, 20_000, u64::MAX] {
                    let query = Query { budget: Budget::Work(work), ..Query::CLEARANCE };
                    let told = tree.check(std::slice::from_ref(pose), &query).all()[0].clone();
                    match (told.verdict, truth.verdict) {
                        (Verdict::Unknown, _) => assert!(!told.complete && work < u64::MAX),
                        (told, truth) => assert_eq!(told, truth, "{a} {b} {i}"),
                    }
                    let Some(told) = told.clearance else { continue };
                    let now = [told.at_least, told.at_most];
                    assert!(now[0] >= before[0] && now[1] <= before[1], "{before:?} {now:?}");
                    let distance =
                        truth.clearance.map_or([0.0; 2], |gap| [gap.at_least, gap.at_most]);
                    assert!(now[0] <= distance[1], "{a} {b} {i}: {now:?} {distance:?}");
                    // What is inside has surfaces that are apart.
                    if matches!(truth.verdict, Verdict::Free) {
                        assert!(now[1] >= distance[0], "{a} {b} {i}: {now:?} {distance:?}");
                    }
                    before = now;
                }
            }
        }
    }
}

#[test]
fn the_same_budget_gives_the_same_answers() {
    let poses = poses();
    let query = Query { budget: Budget::Work(4000), ..Query::CLEARANCE };
    let run = || {
        let mut tree = pair("sphere-tree", [SAMPLES[0], SAMPLES[2]]);
        let answers = tree.check(&poses, &query);
        answers.all().iter().map(|answer| (answer.verdict, answer.clearance)).collect::<Vec<_>>()
    };
    let first = run();
    assert_eq!(first, run());
    assert!(first.iter().any(|(verdict, _)| *verdict == Verdict::Unknown));
}

#[test]
fn a_deadline_is_kept_and_something_is_known() {
    let mesh = "torus-knot?segments=400&sides=30";
    let mut tree = pair("sphere-tree", [mesh, mesh]);
    let poses = poses();
    let time = Duration::from_millis(2);
    let query = Query { budget: Budget::Time(time), ..Query::CLEARANCE };
    tree.check(&poses, &query);
    // Other programs may take the CPU away, but not always.
    let mut least = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        let answers = tree.check(&poses, &query);
        assert!(answers.all().iter().any(|answer| answer.clearance.is_some()));
        least = least.min(start.elapsed());
    }
    assert!(least < 2 * time, "{least:?}");
}
