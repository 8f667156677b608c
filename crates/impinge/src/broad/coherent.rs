//! Sort and sweep that remembers: the "coherent AABB" pruning of [V00 §6]. Exactly the overlapping
//! boxes.
//!
//! The ends of all boxes are kept in order on each of the three axes. Bodies move little from step
//! to step, so an insertion sort mends the order with few swaps; whenever a lower and an upper end
//! swap, two boxes begin or cease to overlap on that axis, and only then is a pair put into or taken
//! out of the set that is kept. Lower ends come before upper ones of the same value, since boxes
//! that touch overlap. A slot that is used again is a body that jumped.
//!
//! Where coherence breaks (a step was missed, many bodies are new, or the sort takes more than about
//! n·log n swaps) the step is done by [`Sweep`], and what is kept is made from scratch. If sorting
//! was in vain, the next attempt comes one step later, then two, up to [`PAUSE_MAX`].
//!
//! Cost: O(n + swaps + k) per step with k pairs. On an axis of a room of even density an end passes
//! about n · speed / side others in a step, near or far on the other two axes: at one speed the swaps
//! grow with n², although few of them begin or end a pair. [`Coherent::counters`] tells how many. One
//! thread only, but for the sweeps. 117 bytes per body and up to 24 per pair.

use super::pair_set::PairSet;
use super::radix;
use super::sweep::Sweep;
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::{Pair, Slot};
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_geom::aabb::overlap;

/// Its name.
pub const NAME: &str = "coherent";

/// How many swaps a step may take before it is given up, as a multiple of n·log₂ n.
const PATIENCE: f64 = 1.0;
/// The most steps without an attempt to use what is kept.
pub const PAUSE_MAX: u32 = 64;
/// Marks an upper end; lower ends of the same value come first. Slots stay below it: a table of so
/// many bounds would take more than 100 GB.
const UPPER: u32 = 1 << 31;

/// What was done, since the pruner was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoherentCounters {
    /// Neighbouring ends that the insertion sorts swapped.
    pub swaps: u64,
    /// Swaps of a lower with an upper end: boxes that began or ceased to overlap on one axis.
    pub crossings: u64,
    /// Pairs that were put into the set.
    pub begun: u64,
    /// Pairs that were taken out of the set because their boxes parted.
    pub ended: u64,
    /// Steps in which everything that is kept was made from scratch.
    pub rebuilds: u64,
    /// Steps that were left to a sweep, and after which nothing was kept.
    pub sweeps: u64,
}

/// Keeps the order of all ends, and the pairs.
#[derive(Debug)]
pub struct Coherent {
    sweep: Sweep,
    kept: Kept,
    /// The last step that `kept` is of, if it is worth anything.
    step: Option<u64>,
    patience: f64,
    /// Steps to be left to the sweep before the next attempt, now and after the next failure.
    rest: u32,
    pause: u32,
    counters: CoherentCounters,
}

/// What goes from step to step.
#[derive(Debug, Default)]
struct Kept {
    /// Per axis the ends of all boxes in order: the key of a coordinate above, a slot below, with
    /// [`UPPER`] if it is an upper end.
    axes: [Vec<u64>; 3],
    pairs: PairSet,
    /// The slots that have ends, rising.
    members: Vec<Slot>,
    /// Whether a slot has just gone; room to work in, as is `spare`.
    gone: Vec<bool>,
    spare: Vec<u64>,
}

/// What came of an attempt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The pairs are up to date.
    Followed,
    /// Too much is new, or there are too many pairs.
    Strange,
    /// The sort took too long.
    Restless,
}

impl Default for Coherent {
    fn default() -> Self {
        Self::with_patience(PATIENCE)
    }
}

impl Coherent {
    /// One that gives a step up after `patience` · n · log₂ n swaps; never, if that is infinite.
    pub fn with_patience(patience: f64) -> Self {
        Self {
            sweep: Sweep::default(),
            kept: Kept::default(),
            step: None,
            patience,
            rest: 0,
            pause: 0,
            counters: CoherentCounters::default(),
        }
    }

    /// What was done so far.
    pub fn counters(&self) -> CoherentCounters {
        self.counters
    }

    /// Brings what is kept up to date, if it is of the step before.
    fn follow(&mut self, bounds: &Bounds, most: usize) -> Outcome {
        let Some(step) = self.step.take() else { return Outcome::Strange };
        if step.checked_add(1) != Some(bounds.step) {
            return Outcome::Strange;
        }
        let n = bounds.live.len() as f64;
        let budget = (self.patience * n * n.log2().max(1.0)) as u64;
        let (kept, counters) = (&mut self.kept, &mut self.counters);
        let same = kept.members == bounds.live;
        if same && bounds.changed.is_empty() {
            return Outcome::Followed;
        }
        if !same && !kept.change_members(bounds, budget) {
            return Outcome::Strange;
        }
        let mut mending = Mending { bounds, pairs: &mut kept.pairs, counters, budget, most };
        for (axis, ends) in kept.axes.iter_mut().enumerate() {
            let outcome = mending.mend(ends, axis);
            if outcome != Outcome::Followed {
                return outcome;
            }
        }
        Outcome::Followed
    }

    /// Makes everything from scratch. If there are more pairs than fit, nothing is kept.
    fn start_over(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        let most = out.room().min(PairSet::MOST);
        let sweep = &mut self.sweep;
        let filled =
            self.kept.pairs.refill(|list| sweep.prune(bounds, &mut Sink::over(list, most)));
        if filled == Progress::Limit {
            return self.leave_to_sweep(bounds, out);
        }
        self.kept.sort(bounds);
        self.step = Some(bounds.step);
        self.counters.rebuilds += 1;
        self.hand_over(out)
    }

    fn leave_to_sweep(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        self.counters.sweeps += 1;
        self.sweep.prune(bounds, out)
    }

    fn hand_over(&self, out: &mut Sink<'_, Pair>) -> Progress {
        for &pair in self.kept.pairs.list() {
            if !out.push(pair) {
                return Progress::Limit;
            }
        }
        out.progress()
    }
}

impl Pruner for Coherent {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        if self.rest > 0 {
            self.rest -= 1;
            return self.leave_to_sweep(bounds, out);
        }
        match self.follow(bounds, out.room().min(PairSet::MOST)) {
            Outcome::Followed => {
                self.pause = 0;
                self.step = Some(bounds.step);
                self.hand_over(out)
            }
            Outcome::Strange => self.start_over(bounds, out),
            Outcome::Restless => {
                self.rest = self.pause;
                self.pause = (2 * self.pause).clamp(1, PAUSE_MAX);
                if self.rest > 0 {
                    self.leave_to_sweep(bounds, out)
                } else {
                    self.start_over(bounds, out)
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        self.sweep.bytes() + self.kept.bytes()
    }
}

impl Kept {
    fn bytes(&self) -> usize {
        let ends: usize = self.axes.iter().map(Vec::capacity).sum();
        8 * (ends + self.spare.capacity())
            + self.pairs.bytes()
            + size_of::<Slot>() * self.members.capacity()
            + self.gone.capacity()
    }

    /// All ends in order, from scratch.
    fn sort(&mut self, bounds: &Bounds) {
        self.members.clone_from(&bounds.live);
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            ends.clear();
            // In this order ends of the same value are in theirs, as the sort wants it.
            for upper in [0, UPPER] {
                ends.extend(bounds.live.iter().map(|slot| end(bounds, axis, slot.0 | upper)));
            }
            radix::sort(ends, &mut self.spare);
        }
    }

    /// Lets ends and pairs of slots go that are no longer alive, and puts the ends of new ones
    /// behind all others, where they overlap nothing. False, with nothing worth keeping, if that
    /// would be more than `budget` swaps away from their places.
    fn change_members(&mut self, bounds: &Bounds, budget: u64) -> bool {
        let slots = self.members.last().map_or(0, |slot| slot.index() + 1);
        self.gone.clear();
        self.gone.resize(slots, false);
        let mut new = Vec::new();
        let mut members = self.members.iter().peekable();
        for slot in &bounds.live {
            while let Some(gone) = members.next_if(|member| *member < slot) {
                self.gone[gone.index()] = true;
            }
            if members.next_if_eq(&slot).is_none() {
                new.push(*slot);
            }
        }
        for gone in members {
            self.gone[gone.index()] = true;
        }
        if (6 * new.len() as u64).saturating_mul(bounds.live.len() as u64) > budget {
            return false;
        }
        let stays = |slot: Slot| !self.gone[slot.index()];
        if self.gone.contains(&true) {
            self.pairs.retain(|pair| stays(pair.a()) && stays(pair.b()));
            for ends in &mut self.axes {
                ends.retain(|&end| stays(slot_of(end)));
            }
        }
        for ends in &mut self.axes {
            for slot in &new {
                ends.extend([slot.0, slot.0 | UPPER].map(u64::from));
            }
        }
        self.members.clone_from(&bounds.live);
        true
    }
}

/// An insertion sort that sees to the pairs.
struct Mending<'a> {
    bounds: &'a Bounds,
    pairs: &'a mut PairSet,
    counters: &'a mut CoherentCounters,
    /// The swaps that are left.
    budget: u64,
    /// The pairs that may be kept.
    most: usize,
}

impl Mending<'_> {
    /// Gives the ends their new values and moves one after the other down to its place among those
    /// before it. What is given up is worth nothing.
    fn mend(&mut self, ends: &mut [u64], axis: usize) -> Outcome {
        // Apart from the sort, so that reading here and there waits for no comparison.
        for value in ends.iter_mut() {
            *value = end(self.bounds, axis, *value as u32);
        }
        for first in 1..ends.len() {
            let moved = ends[first];
            if ends[first - 1] < moved {
                continue;
            }
            let mut place = first;
            while place > 0 && ends[place - 1] > moved {
                let passed = ends[place - 1];
                ends[place] = passed;
                place -= 1;
                if (moved ^ passed) as u32 & UPPER != 0 {
                    self.cross(moved, passed);
                }
            }
            ends[place] = moved;
            let swaps = (first - place) as u64;
            self.counters.swaps += swaps;
            if swaps > self.budget {
                return Outcome::Restless;
            }
            self.budget -= swaps;
            // Some may be about to end; the sweep will tell.
            if self.pairs.list().len() > self.most {
                return Outcome::Strange;
            }
        }
        Outcome::Followed
    }

    /// An end moved down past one of the other sort.
    ///
    /// Pairs that overlap now and did not before have parted ends on some axis that are no longer
    /// so; those that overlapped and no longer do have such that are so now. Each inversion is one
    /// swap, hence none is missed, whatever the order.
    #[inline]
    fn cross(&mut self, moved: u64, passed: u64) {
        self.counters.crossings += 1;
        let (a, b) = (slot_of(moved), slot_of(passed));
        if moved as u32 & UPPER == 0 {
            if overlap(&self.bounds.aabb[a.index()], &self.bounds.aabb[b.index()]) {
                self.counters.begun += u64::from(self.pairs.insert(Pair::new(a, b)));
            }
        } else {
            self.counters.ended += u64::from(self.pairs.remove(Pair::new(a, b)));
        }
    }
}

/// The end of a box on an axis, given by its slot and [`UPPER`] or not.
#[inline]
fn end(bounds: &Bounds, axis: usize, name: u32) -> u64 {
    let corner = 3 * (name >> 31) as usize;
    radix::item(bounds.aabb[(name & !UPPER) as usize][corner + axis], name)
}

#[inline]
fn slot_of(end: u64) -> Slot {
    Slot(end as u32 & !UPPER)
}

#[cfg(test)]
mod tests {
    use super::super::brute::Brute;
    use super::super::scenes::{boxes, found, table};
    use super::*;
    use impinge_geom::aabb::Aabb32;
    use proptest::prelude::*;

    const SLOTS: u32 = 40;

    /// What may happen to a body between two steps.
    #[derive(Clone, Copy, Debug)]
    enum Change {
        /// A little, on whole numbers and so that ends meet.
        Move([i8; 3]),
        /// Elsewhere and of another size, or another body in the same slot.
        Jump(Aabb32),
        /// In or out.
        Toggle,
        /// Frozen or thawed.
        Freeze,
    }

    fn aabb() -> impl Strategy<Value = Aabb32> {
        let lattice = (prop::array::uniform3(-6i8..7), prop::array::uniform3(0i8..4)).prop_map(
            |(low, size)| {
                let [a, b, c] = low.map(f32::from);
                let [x, y, z] = size.map(f32::from);
                [a, b, c, a + x, b + y, c + z]
            },
        );
        let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
        let endless = prop::sample::select(vec![
            [low, low, low, high, high, high],
            [low, 0.0, 0.0, high, 1.0, 1.0],
            [-0.0, -0.0, 0.0, 0.0, -0.0, 0.0],
            [1e6, 1e6, 1e6, 1e6 + 1.0, 1e6 + 1.0, high],
        ]);
        prop_oneof![9 => lattice, 1 => endless]
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            6 => prop::array::uniform3(-1i8..2).prop_map(Change::Move),
            2 => aabb().prop_map(Change::Jump),
            1 => Just(Change::Toggle),
            1 => Just(Change::Freeze),
        ]
    }

    /// The bodies of a small world.
    struct Bodies {
        alive: Vec<bool>,
        frozen: Vec<bool>,
        bounds: Bounds,
    }

    impl Bodies {
        fn new() -> Self {
            let none = vec![false; SLOTS as usize];
            let bounds = table(vec![[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]; SLOTS as usize]);
            Self { alive: none.clone(), frozen: none, bounds }
        }

        fn apply(&mut self, changes: &[(u32, Change)]) {
            let bounds = &mut self.bounds;
            bounds.step += 1;
            for &(slot, change) in changes {
                let slot = slot as usize;
                match change {
                    Change::Move(by) => {
                        (0..6).for_each(|k| bounds.aabb[slot][k] += f32::from(by[k % 3]));
                    }
                    Change::Jump(aabb) => bounds.aabb[slot] = aabb,
                    Change::Toggle => self.alive[slot] = !self.alive[slot],
                    Change::Freeze => self.frozen[slot] = !self.frozen[slot],
                }
            }
            bounds.changed = changes.iter().map(|&(slot, _)| Slot(slot)).collect();
            bounds.changed.sort_unstable();
            bounds.changed.dedup();
            let members = |frozen: bool| {
                let is =
                    |slot: &Slot| self.alive[slot.index()] && self.frozen[slot.index()] == frozen;
                (0..SLOTS).map(Slot).filter(is).collect()
            };
            (bounds.live, bounds.frozen) = (members(false), members(true));
        }
    }

    fn patience() -> impl Strategy<Value = f64> {
        prop_oneof![Just(f64::INFINITY), Just(PATIENCE), Just(0.0), 0.0..3.0]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn exactly_the_overlapping_boxes_over_many_steps(
            patience in patience(),
            steps in prop::collection::vec(
                prop::collection::vec((0..SLOTS, change()), 0..12), 200..240),
            odd in prop::collection::vec((0usize..200, 0usize..30), 0..6),
        ) {
            let (mut bodies, mut coherent) = (Bodies::new(), Coherent::with_patience(patience));
            let all: Vec<_> = (0..SLOTS).map(|slot| (slot, Change::Toggle)).collect();
            bodies.apply(&all);
            for (number, changes) in steps.iter().enumerate() {
                bodies.apply(changes);
                let expected = found(&mut Brute, &bodies.bounds);
                // Now and then a step is missed, or there is little room for pairs.
                match odd.iter().find(|(at, _)| *at == number) {
                    Some((_, 0)) => continue,
                    Some(&(_, limit)) => {
                        let mut pairs = Vec::new();
                        let mut out = Sink::over(&mut pairs, limit);
                        let progress = coherent.prune(&bodies.bounds, &mut out);
                        prop_assert_eq!(progress == Progress::Limit, expected.len() > limit);
                        prop_assert_eq!(progress, out.progress());
                        prop_assert_eq!(pairs.len(), expected.len().min(limit));
                        prop_assert!(pairs.iter().all(|pair| expected.contains(pair)));
                    }
                    None => prop_assert_eq!(found(&mut coherent, &bodies.bounds), expected),
                }
            }
        }

        #[test]
        fn from_any_scene_to_any_other(
            scenes in prop::collection::vec(boxes(100), 2..5), patience in patience(),
        ) {
            let mut coherent = Coherent::with_patience(patience);
            for (step, boxes) in scenes.into_iter().enumerate() {
                let mut bounds = table(boxes);
                bounds.step = step as u64;
                prop_assert_eq!(found(&mut coherent, &bounds), found(&mut Brute, &bounds));
            }
        }
    }

    /// Boxes of edge 1 in a row, each moved by its own amount.
    fn row(n: usize, step: u64, by: impl Fn(usize) -> f32) -> Bounds {
        let place = |i: usize| {
            let x = 1.5 * i as f32 + by(i);
            [x, 0.0, 0.0, x + 1.0, 1.0, 1.0]
        };
        Bounds { step, ..table((0..n).map(place).collect()) }
    }

    #[test]
    fn small_moves_cost_few_swaps_and_no_rebuild() {
        let mut coherent = Coherent::default();
        for step in 1..50 {
            let swing = (step % 4) as f32 * 0.3;
            let bounds = row(300, step, |i| if i % 2 == 0 { swing } else { 0.0 });
            assert_eq!(found(&mut coherent, &bounds), found(&mut Brute, &bounds));
        }
        let counters = coherent.counters();
        assert_eq!((counters.rebuilds, counters.sweeps), (1, 0));
        // Each of 150 boxes meets its neighbour for two steps of four.
        assert_eq!((counters.begun, counters.ended), (12 * 150, 12 * 150));
        assert_eq!(counters.swaps, counters.begun + counters.ended);
    }

    #[test]
    fn restless_scenes_are_left_to_the_sweep() {
        let mut coherent = Coherent::default();
        for step in 1..200 {
            let bounds = row(300, step, |i| ((i as u64 * 7919 + step * 104_729) % 451) as f32);
            assert_eq!(found(&mut coherent, &bounds), found(&mut Brute, &bounds));
        }
        let counters = coherent.counters();
        assert!(counters.rebuilds < 12 && counters.sweeps > 180, "{counters:?}");
        // Quiet again: after the pause it follows.
        for step in 200..300 {
            found(&mut coherent, &row(300, step, |_| 0.0));
        }
        let before = coherent.counters();
        found(&mut coherent, &row(300, 300, |_| 0.1));
        assert_eq!(coherent.counters().rebuilds, before.rebuilds);
        assert_eq!(coherent.counters().sweeps, before.sweeps);
    }

    #[test]
    fn identical_boxes_end_at_the_limit_and_leave_nothing_behind() {
        let n = 100_000;
        let mut coherent = Coherent::default();
        found(&mut coherent, &row(n, 1, |_| 0.0));
        let mut pairs = Vec::new();
        for step in 2..5 {
            let bounds = Bounds { step, ..table(vec![[5.0; 6]; n]) };
            let progress = coherent.prune(&bounds, &mut Sink::over(&mut pairs, 1_000_000));
            assert_eq!((progress, pairs.len()), (Progress::Limit, 1_000_000));
            assert!(coherent.bytes() < 100_000_000, "{}", coherent.bytes());
        }
        let bounds = row(n, 5, |_| 0.25);
        assert!(found(&mut coherent, &bounds).is_empty());
        let kept = coherent.kept.bytes();
        assert!((68 * n..140 * n).contains(&kept), "{} per body", kept / n);
    }
}
