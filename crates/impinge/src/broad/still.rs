//! Frozen bodies: a tree of their boxes, kept as long as they stay, that every live body is held
//! against. Two frozen bodies are never held against each other.
//!
//! Beside the pruner, not one of them: pruners see live bodies only. Cost per step: nothing if
//! nothing is frozen, else O(changed) to see whether a frozen body is among them and
//! O(live · log frozen) for the pairs, a comparison for each live body that is not near any frozen
//! one. Memory: about 50 bytes per frozen body.

use super::gather::{Part, gather};
use super::tree::skip_to;
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::{Pair, Slot};
use crate::contract::sink::Sink;
use impinge_geom::aabb::overlap;
use impinge_geom::box_tree::BoxTree;

/// Live bodies for one thread at a time.
const BODIES_AT_ONCE: usize = 1 << 10;
/// The tree is built anew when one in so many of its leaves changes at once, or when so many times
/// all leaves have changed one by one.
const MANY: usize = 4;
const WORN: usize = 2;

/// The boxes of frozen bodies.
#[derive(Debug, Default)]
pub(crate) struct Still {
    tree: BoxTree,
    /// The last step seen.
    seen: Option<u64>,
    /// Leaves changed since the tree was built.
    changes: usize,
    touched: Vec<u32>,
    parts: Vec<Part<Scratch>>,
}

/// What one thread needs.
#[derive(Debug, Default)]
struct Scratch {
    stack: Vec<u32>,
    found: Vec<u32>,
}

impl Still {
    /// Adds all pairs of a live and a frozen body whose boxes overlap, in an order that does not
    /// depend on the number of threads.
    pub(crate) fn add_pairs(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        self.follow(bounds);
        let Some(whole) = self.tree.whole() else { return Progress::Complete };
        let (tree, live) = (&self.tree, &bounds.live);
        gather(live.len().div_ceil(BODIES_AT_ONCE), &mut self.parts, out, |tasks, part, quota| {
            let slots = tasks.start * BODIES_AT_ONCE..live.len().min(tasks.end * BODIES_AT_ONCE);
            let Scratch { stack, found } = &mut part.scratch;
            for slot in &live[slots] {
                let aabb = &bounds.aabb[slot.index()];
                if !overlap(aabb, &whole) {
                    continue;
                }
                if quota.full(part.pairs.len()) {
                    return;
                }
                found.clear();
                tree.overlapping(aabb, stack, found);
                part.pairs.extend(found.iter().map(|&other| [slot.0, other]));
            }
        })
    }

    /// Brings the tree up to date.
    fn follow(&mut self, bounds: &Bounds) {
        let last = self.seen.replace(bounds.step);
        if bounds.frozen.is_empty() {
            return self.tree.clear();
        }
        let in_order = last.is_some_and(|last| last.wrapping_add(1) == bounds.step);
        if !in_order || self.tree.is_empty() {
            return self.build(bounds);
        }
        // A slot that is or was frozen; which of them it is, the tree tells next.
        self.touched.clear();
        let mut frozen = &bounds.frozen[..];
        for &slot in &bounds.changed {
            frozen = skip_to(frozen, slot);
            if frozen.first() == Some(&slot) || self.tree.contains(slot.0) {
                self.touched.push(slot.0);
            }
        }
        self.changes += self.touched.len();
        let all = bounds.frozen.len();
        if MANY * self.touched.len() > all || self.changes > WORN * all {
            return self.build(bounds);
        }
        for &slot in &self.touched {
            if bounds.frozen.binary_search(&Slot(slot)).is_ok() {
                self.tree.set(slot, &bounds.aabb[slot as usize]);
            } else {
                self.tree.remove(slot);
            }
        }
    }

    fn build(&mut self, bounds: &Bounds) {
        self.touched.clear();
        self.touched.extend(bounds.frozen.iter().map(|slot| slot.0));
        self.tree.build(&self.touched, &|slot| bounds.aabb[slot as usize]);
        self.changes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geom::aabb::Aabb32;
    use proptest::prelude::*;

    const EMPTY: Aabb32 = {
        let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
        [low, low, low, high, high, high]
    };

    /// A change of one slot: empty, live or frozen, and where.
    #[derive(Clone, Copy, Debug)]
    enum Change {
        Remove,
        Put {
            frozen: bool,
            at: [f32; 3],
            size: f32,
        },
        /// As if it had moved, but it has not.
        Touch,
    }

    fn change() -> impl Strategy<Value = Change> {
        let at = prop::array::uniform3(prop_oneof![-8.0..8.0f32, (-4i8..4).prop_map(f32::from)]);
        let size = prop_oneof![4 => 0.0..2.0f32, 2 => Just(1.0f32), 1 => (-3.0..3.0f32)
            .prop_map(|x| 10f32.powf(x)), 1 => Just(f32::INFINITY)];
        prop_oneof![
            1 => Just(Change::Remove),
            1 => Just(Change::Touch),
            6 => (any::<bool>(), at, size).prop_map(|(frozen, at, size)| {
                Change::Put { frozen, at, size }
            }),
        ]
    }

    #[derive(Default)]
    struct Table {
        bounds: Bounds,
        frozen: Vec<Option<bool>>,
    }

    impl Table {
        fn apply(&mut self, changes: &[(u8, Change)]) {
            let Self { bounds, frozen } = self;
            bounds.step += 1;
            bounds.changed = changes.iter().map(|(slot, _)| Slot(u32::from(*slot))).collect();
            bounds.changed.sort_unstable();
            bounds.changed.dedup();
            bounds.aabb.resize(256, EMPTY);
            frozen.resize(256, None);
            for &(slot, change) in changes {
                let slot = usize::from(slot);
                match change {
                    Change::Touch => {}
                    Change::Remove => (bounds.aabb[slot], frozen[slot]) = (EMPTY, None),
                    Change::Put { frozen: is, at, size } => {
                        frozen[slot] = Some(is);
                        bounds.aabb[slot] =
                            std::array::from_fn(|k| if k < 3 { at[k] } else { at[k - 3] + size });
                    }
                }
            }
            let of = |is: bool| {
                let slots = (0..256u32).filter(|&slot| frozen[slot as usize] == Some(is));
                slots.map(Slot).collect::<Vec<_>>()
            };
            (bounds.live, bounds.frozen) = (of(false), of(true));
        }

        fn expected(&self) -> Vec<Pair> {
            let Bounds { live, frozen, aabb, .. } = &self.bounds;
            let all = live.iter().flat_map(|a| frozen.iter().map(move |b| (*a, *b)));
            let hits = all.filter(|(a, b)| overlap(&aabb[a.index()], &aabb[b.index()]));
            let mut pairs: Vec<Pair> = hits.map(|(a, b)| Pair::new(a, b)).collect();
            pairs.sort_unstable();
            pairs
        }
    }

    fn found(still: &mut Still, bounds: &Bounds, limit: usize) -> (Vec<Pair>, Progress) {
        let mut pairs = Vec::new();
        let progress = still.add_pairs(bounds, &mut Sink::over(&mut pairs, limit));
        (pairs, progress)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn live_meets_frozen_as_by_brute_force_over_many_steps(
            start in prop::collection::vec((any::<u8>(), change()), 0..300),
            steps in prop::collection::vec(
                prop::collection::vec((any::<u8>(), change()), 0..8), 200),
            skipped in any::<prop::sample::Index>(),
        ) {
            let (mut table, mut still) = (Table::default(), Still::default());
            table.apply(&start);
            for (i, step) in steps.iter().enumerate() {
                if i != skipped.index(steps.len()) {
                    let (mut pairs, progress) = found(&mut still, &table.bounds, usize::MAX);
                    pairs.sort_unstable();
                    let expected = table.expected();
                    prop_assert!(pairs == expected, "step {i}");
                    prop_assert_eq!(progress, Progress::Complete);
                    let limit = expected.len() / 2;
                    let (some, progress) = found(&mut still, &table.bounds, limit);
                    prop_assert_eq!(some.len(), limit);
                    prop_assert_eq!(progress == Progress::Limit, !expected.is_empty());
                    // Asking twice is as good as missing a step; this one must be in order again.
                    still.seen = Some(table.bounds.step);
                }
                table.apply(step);
            }
        }
    }

    #[test]
    fn the_list_does_not_depend_on_threads() {
        let mut table = Table::default();
        let at = |i: usize| [i % 7, i / 7 % 7, i / 49].map(|x| x as f32);
        let put = |i| Change::Put { frozen: i % 3 == 0, at: at(i), size: 1.0 };
        table.apply(&(0..256).map(|i| (i as u8, put(i))).collect::<Vec<_>>());
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| found(&mut Still::default(), &table.bounds, usize::MAX).0)
        };
        let one = run(1);
        assert!(one.len() > 500 && one == run(2) && one == run(7));
    }
}
