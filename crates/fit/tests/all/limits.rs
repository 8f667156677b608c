//! Budgets, interruptions, and the same answer whatever the threads.

use crate::parts::{assembly, at, body, cube, path, tube};
use impinge_fit::answer::{Answer, Verdict};
use impinge_fit::prelude::*;
use impinge_geom::pose::Pose;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A peg that tilts on its way through some tubes.
fn scene(gap: f64) -> Assembly {
    let pose = |k: u32| {
        let turn = 0.002 * f64::from(k % 7);
        Pose::new([1.0, turn, -turn, 0.1 * turn], [0.0, 0.0, 9.0 - 0.5 * f64::from(k)]).unwrap()
    };
    let poses: Vec<Pose> = (0..40).map(pose).collect();
    let tubes = [[-8.0, -4.0], [-2.0, 1.0], [3.0, 5.0]];
    let mut bodies = vec![body("peg", cube(1.0), poses[0])];
    for (k, span) in tubes.into_iter().enumerate() {
        bodies.push(body(&format!("tube-{k}"), tube(1.0 + gap, span), at(0.0, 0.0, 0.0)));
    }
    assembly(bodies, path(&poses))
}

fn told(answer: &Answer) -> String {
    let Answer { verdict, clearance, contact, intervals, pairs, curve, counters, .. } = answer;
    format!("{verdict:?} {clearance:?} {contact:?} {intervals:?} {pairs:?} {curve:?} {counters:?}")
}

#[test]
fn the_answer_does_not_depend_on_the_threads() {
    for gap in [0.1, -0.001] {
        let question = Question { clearance: Some(0.2), ..Question::default() };
        let prepared = Prepared::new(scene(gap)).unwrap();
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            told(&pool.install(|| fit(&prepared, &question, &())))
        };
        let one = of(1);
        assert!(one == of(2) && one == of(7) && one == of(1), "{one}");
    }
}

#[test]
fn a_budget_that_is_too_small_leaves_it_open() {
    let prepared = Prepared::new(scene(0.1)).unwrap();
    let ask = |budget| fit(&prepared, &Question { budget, ..Question::default() }, &());
    for budget in [Budget::Work(0), Budget::Work(20_000), Budget::Time(Duration::ZERO)] {
        let found = ask(budget);
        assert_eq!(found.verdict, Verdict::Unknown, "{budget:?}");
        assert!(found.partial);
        let [from, to] = found.undecided.unwrap();
        assert!(0.0 <= from && from < to && to <= 39.0);
    }
    for budget in [Budget::Work(u64::MAX), Budget::Time(Duration::from_secs(u64::MAX))] {
        let found = ask(budget);
        assert_eq!((found.verdict, found.partial), (Verdict::Free, false));
    }
    // The same work, the same answer.
    assert_eq!(told(&ask(Budget::Work(20_000))), told(&ask(Budget::Work(20_000))));
}

/// Who loses patience after so many reports.
struct Impatient {
    reports: AtomicU64,
    most: u64,
}

impl Watch for Impatient {
    fn progress(&self, done: u64, total: u64) {
        assert!(done <= total);
        self.reports.fetch_add(1, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.reports.load(Ordering::Relaxed) >= self.most
    }
}

#[test]
fn who_loses_patience_gets_what_is_known() {
    let prepared = Prepared::new(scene(0.1)).unwrap();
    for most in [0, 3, 20, 26] {
        let watch = Impatient { reports: AtomicU64::new(0), most };
        let found = fit(&prepared, &Question::default(), &watch);
        assert!(found.partial && found.verdict == Verdict::Unknown, "{most}");
        assert!(!found.curve.is_empty());
    }
    let patient = Impatient { reports: AtomicU64::new(0), most: u64::MAX };
    assert_eq!(fit(&prepared, &Question::default(), &patient).verdict, Verdict::Free);
}

#[test]
fn a_contact_that_is_certain_stays_one_when_nobody_waits() {
    // Every tube is too narrow, and the first look at the curve sees it.
    let prepared = Prepared::new(scene(-0.2)).unwrap();
    let watch = Impatient { reports: AtomicU64::new(0), most: 26 };
    let found = fit(&prepared, &Question::default(), &watch);
    assert_eq!((found.verdict, found.partial), (Verdict::Contact, true));
}
