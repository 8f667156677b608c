//! When a search has to end, and what all of them took.

use crate::question::{Budget, Watch};
use impinge_geom::obb_tree::cross::Work;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The work that was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Searches for a first contact, of one pair of bodies during one piece of the path or a part of it.
    pub searches: u64,
    /// Looks at one pair of bodies at one instant.
    pub looks: u64,
    /// Pairs of bounding boxes held against each other.
    pub node_tests: u64,
    /// Pairs of triangles looked at, if only by their boxes.
    pub triangle_pairs: u64,
    /// Pairs of triangles whose distance was worked out, or which were followed over time.
    pub distance_tests: u64,
}

/// How many steps of a search pass between two looks at the clock.
const STEPS_PER_LOOK: u64 = 64;
/// The most that one step costs: two leaves.
const STEP_PRICE_MAX: u64 = 64;

/// When to end.
pub(crate) struct Limit<'a> {
    watch: &'a dyn Watch,
    deadline: Option<Instant>,
    /// The work that one search may do.
    work_each: u64,
    searches: AtomicU64,
    looks: AtomicU64,
    nodes: AtomicU64,
    leaves: AtomicU64,
    distances: AtomicU64,
}

impl<'a> Limit<'a> {
    /// From now on, for so many searches.
    pub(crate) fn new(watch: &'a dyn Watch, budget: Budget, searches: usize) -> Self {
        let time = match budget {
            Budget::Time(time) => Some(time),
            Budget::Unlimited | Budget::Work(_) => None,
        };
        let work_each = match budget {
            Budget::Work(all) => all / searches.max(1) as u64,
            Budget::Unlimited | Budget::Time(_) => u64::MAX,
        };
        // A time that no clock can show does not end.
        let deadline = time.and_then(|time: Duration| Instant::now().checked_add(time));
        let [searches, looks, nodes, leaves, distances] = [0; 5].map(AtomicU64::new);
        Self { watch, deadline, work_each, searches, looks, nodes, leaves, distances }
    }

    /// Whether time is over or nobody waits any more.
    pub(crate) fn is_over(&self) -> bool {
        self.watch.is_cancelled() || self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// For a look at an instant: how many steps it may do before it asks again.
    pub(crate) fn for_look(&self) -> impl FnMut(&Work) -> u64 + '_ {
        |_| if self.is_over() { 0 } else { STEPS_PER_LOOK }
    }

    /// The same for a search over time.
    pub(crate) fn for_search(&self) -> impl FnMut(&Work) -> u64 + '_ {
        |work| {
            let left = self.work_each.saturating_sub(8 * work.nodes + 64 * work.leaves);
            if self.is_over() { 0 } else { (left / STEP_PRICE_MAX).min(STEPS_PER_LOOK) }
        }
    }

    pub(crate) fn count_look(&self, work: &Work) {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.count(work);
    }

    pub(crate) fn count_search(&self, work: &Work) {
        self.searches.fetch_add(1, Ordering::Relaxed);
        self.count(work);
    }

    /// Sums do not depend on the order in which threads add to them.
    fn count(&self, work: &Work) {
        self.nodes.fetch_add(work.nodes, Ordering::Relaxed);
        self.leaves.fetch_add(work.leaves, Ordering::Relaxed);
        self.distances.fetch_add(work.distances, Ordering::Relaxed);
    }

    pub(crate) fn counters(&self) -> Counters {
        Counters {
            searches: self.searches.load(Ordering::Relaxed),
            looks: self.looks.load(Ordering::Relaxed),
            node_tests: 8 * self.nodes.load(Ordering::Relaxed),
            triangle_pairs: 64 * self.leaves.load(Ordering::Relaxed),
            distance_tests: self.distances.load(Ordering::Relaxed),
        }
    }
}
