//! Sort and sweep: the "fast AABB" pruning of [V00 §6], after Wagner and Fusco. Exactly the
//! overlapping boxes.
//!
//! Boxes are sorted by their lower ends on the axis on which a sample of them is most spread out, and
//! each is held against those that start before it ends; only that one list of ends is sorted, since
//! a box that starts within another's extent is all that an overlap on the axis can be. The other two
//! axes are compared 32 boxes at a time in bytes and, where those overlap, eight at a time as they
//! are. Everything is made anew in each step, in buffers that are kept.
//!
//! Cost: O(n) for the sort and O(n · w) for the sweep, w being the boxes that share a place on the
//! axis with one: in a cubic room of even density, about n^(2/3) of them. 48 bytes per body, and
//! eight per pair found.

use super::gather::{self, Part, gather_bodies};
use super::radix;
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::{Pair, Slot};
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_simd::sweep::{Boxes8, Coarse32, Sorted, pairs};

/// Its name.
pub const NAME: &str = "sweep";

/// The most bodies that are looked at to choose an axis: the choice affects only the speed.
const SAMPLES: usize = 128;
/// The pairs after which a part asks whether more are needed.
const PAIRS_BETWEEN_LOOKS: usize = 1 << 12;

/// Sorts and sweeps from scratch.
#[derive(Debug, Default)]
pub struct Sweep {
    order: Vec<u64>,
    spare: Vec<u64>,
    blocks: Vec<Boxes8>,
    coarse: Vec<Coarse32>,
    names: Vec<u32>,
    parts: Vec<Part<()>>,
}

impl Pruner for Sweep {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        let spreads = [0, 1, 2].map(|axis| Spread::of(bounds, axis));
        self.arrange(bounds, &spreads, widest(&spreads));
        let sorted = Sorted { blocks: &self.blocks, coarse: &self.coarse, names: &self.names };
        gather_bodies(bounds.live.len(), &mut self.parts, out, |rows, part, quota| {
            let (mut row, found) = (rows.start, &mut part.pairs);
            while row < rows.end && !quota.full(found.len()) {
                row = pairs(&sorted, row..rows.end, found.len() + PAIRS_BETWEEN_LOOKS, found);
            }
        })
    }

    fn bytes(&self) -> usize {
        8 * (self.order.capacity() + self.spare.capacity())
            + size_of::<Boxes8>() * self.blocks.capacity()
            + size_of::<Coarse32>() * self.coarse.capacity()
            + 4 * self.names.capacity()
            + gather::bytes(&self.parts)
    }
}

impl Sweep {
    /// The boxes in order of their lower ends on `axis`, in blocks.
    fn arrange(&mut self, bounds: &Bounds, spreads: &[Spread; 3], axis: usize) {
        let start = |slot: &Slot| radix::item(bounds.aabb[slot.index()][axis], slot.0);
        self.order.clear();
        self.order.extend(bounds.live.iter().map(start));
        radix::sort(&mut self.order, &mut self.spare);
        self.names.clear();
        self.names.extend(self.order.iter().map(|&item| item as u32));
        let count = self.names.len().div_ceil(32);
        self.blocks.clear();
        self.blocks.resize(4 * count, Boxes8::NONE);
        let axes = [axis, (axis + 1) % 3, (axis + 2) % 3];
        for (block, names) in self.blocks.iter_mut().zip(self.names.chunks(8)) {
            for (lane, &name) in names.iter().enumerate() {
                let aabb = &bounds.aabb[name as usize];
                for (k, axis) in axes.into_iter().enumerate() {
                    block.low[k][lane] = aabb[axis];
                    block.high[k][lane] = aabb[axis + 3];
                }
            }
        }
        let across = [spreads[axes[1]].bytes(), spreads[axes[2]].bytes()];
        self.coarse.clear();
        self.coarse.resize(count, Coarse32::NONE);
        for (coarse, blocks) in self.coarse.iter_mut().zip(self.blocks.chunks_exact(4)) {
            for (k, bytes) in across.iter().enumerate() {
                for (lane, low) in coarse.low[k].iter_mut().enumerate() {
                    *low = bytes.of(blocks[lane / 8].low[k + 1][lane % 8]);
                }
                for (lane, high) in coarse.high[k].iter_mut().enumerate() {
                    *high = bytes.of(blocks[lane / 8].high[k + 1][lane % 8]);
                }
            }
        }
    }
}

/// How the boxes lie on an axis, from a sample; affects only the speed.
#[derive(Clone, Copy, Debug)]
struct Spread {
    /// What a tenth of the middles does not exceed.
    first: f64,
    /// What a tenth of the middles exceeds.
    last: f64,
    /// The extent of the median box.
    extent: f64,
}

impl Spread {
    fn of(bounds: &Bounds, axis: usize) -> Self {
        let step = bounds.live.len().div_ceil(SAMPLES).max(1);
        let (mut middles, mut extents) = (Vec::new(), Vec::new());
        for slot in bounds.live.iter().step_by(step) {
            let aabb = &bounds.aabb[slot.index()];
            let (low, high) = (f64::from(aabb[axis]), f64::from(aabb[axis + 3]));
            // Boxes without a beginning or an end are the same wherever they are put.
            if low.is_finite() && high.is_finite() {
                middles.push(0.5 * (low + high));
                extents.push(high - low);
            }
        }
        let (first, last) = (quantile(&mut middles, 1), quantile(&mut middles, 9));
        Self { first, last, extent: quantile(&mut extents, 5) }
    }

    /// A function to bytes that never falls, steep where the boxes are.
    fn bytes(&self) -> Bytes {
        // Were the middles spread evenly, they would reach as far as that on either side.
        let beyond = (self.last - self.first) / 8.0;
        let (first, last) = (self.first - beyond, self.last + beyond);
        let scale = 255.0 / (last - first).max(f64::from(f32::MIN_POSITIVE));
        let first = first.max(f64::from(f32::MIN));
        Bytes { first: first as f32, scale: scale.min(1e30) as f32 }
    }
}

/// A function from numbers to bytes.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    first: f32,
    scale: f32,
}

impl Bytes {
    /// Never falls: neither do its two roundings, and the cast stops at the ends. There is no NaN
    /// but where there is no box, since `first` is finite and `scale` is not zero.
    #[inline]
    fn of(&self, x: f32) -> u8 {
        ((x - self.first) * self.scale) as u8
    }
}

/// The axis on which the boxes are farthest apart for their size: the spread of their middles, as the
/// distance from the first to the last tenth of them, over the extent of the median box.
///
/// Unlike the variance it does not follow a few bodies that are far away or huge.
fn widest(spreads: &[Spread; 3]) -> usize {
    let (mut best, mut axis_of_best) = (f64::NEG_INFINITY, 0);
    for (axis, spread) in spreads.iter().enumerate() {
        let apart = (spread.last - spread.first) / spread.extent;
        // Not a number if the world is flat: everything is in one place.
        if apart > best {
            (best, axis_of_best) = (apart, axis);
        }
    }
    axis_of_best
}

/// The number that so many tenths of the others do not exceed, or 0 if there are none.
fn quantile(numbers: &mut [f64], tenths: usize) -> f64 {
    if numbers.is_empty() {
        return 0.0;
    }
    *numbers.select_nth_unstable_by(numbers.len() * tenths / 10, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::super::brute::Brute;
    use super::super::scenes::{boxes, found, on_threads, table};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exactly_the_overlapping_boxes(scenes in prop::collection::vec(boxes(120), 1..4)) {
            let mut sweep = Sweep::default();
            for boxes in scenes {
                let bounds = table(boxes);
                prop_assert_eq!(found(&mut sweep, &bounds), found(&mut Brute, &bounds));
            }
        }

        #[test]
        fn large_scenes_too(boxes in boxes(2000)) {
            let bounds = table(boxes);
            prop_assert_eq!(found(&mut Sweep::default(), &bounds), found(&mut Brute, &bounds));
        }

        #[test]
        fn the_same_list_whatever_the_number_of_threads(
            boxes in boxes(300), limit in prop_oneof![Just(usize::MAX), 0usize..2000],
        ) {
            let bounds = table(boxes);
            let run = |threads| on_threads(threads, || {
                let mut pairs = Vec::new();
                let mut out = Sink::over(&mut pairs, limit);
                let progress = Sweep::default().prune(&bounds, &mut out);
                (pairs, progress)
            });
            let one = run(1);
            prop_assert_eq!(one.1 == Progress::Limit, found(&mut Brute, &bounds).len() > limit);
            prop_assert_eq!(&run(2), &one);
            prop_assert_eq!(&run(7), &one);
        }
    }

    #[test]
    fn identical_boxes_end_at_the_limit() {
        for aabb in [[1.0; 6], [f32::NEG_INFINITY, -1.0, -1.0, f32::INFINITY, 1.0, 1.0]] {
            let bounds = table(vec![aabb; 100_000]);
            for threads in [1, 2] {
                let (mut pairs, mut sweep) = (Vec::new(), Sweep::default());
                let mut out = Sink::over(&mut pairs, 1_000_000);
                assert_eq!(on_threads(threads, || sweep.prune(&bounds, &mut out)), Progress::Limit);
                assert_eq!(pairs.len(), 1_000_000);
                assert!(sweep.bytes() < 100_000_000, "{}", sweep.bytes());
            }
        }
    }

    #[test]
    fn a_hundred_thousand_bodies_take_less_than_200_bytes_each() {
        let n = 100_000;
        let mut sweep = Sweep::default();
        // Growing by and by leaves the buffers as much too large as they can be.
        for count in [n / 3, n / 2, n] {
            let row = (0..count).map(|i| {
                let (x, y) = ((i % 1000) as f32, (i / 1000) as f32);
                [x, y, 0.0, x + 0.5, y + 0.5, 0.5]
            });
            found(&mut sweep, &table(row.collect()));
        }
        let bytes = sweep.bytes();
        assert!(bytes >= 48 * n && bytes <= 200 * n, "{} per body", bytes / n);
    }

    proptest! {
        #[test]
        fn bytes_never_fall(
            ends in (proptest::num::f32::ANY, proptest::num::f32::ANY),
            (a, b) in (proptest::num::f32::ANY, proptest::num::f32::ANY),
        ) {
            prop_assume!(ends.0.is_finite() && ends.1.is_finite() && !a.is_nan() && !b.is_nan());
            let (first, last) = (f64::from(ends.0.min(ends.1)), f64::from(ends.0.max(ends.1)));
            let bytes = Spread { first, last, extent: 1.0 }.bytes();
            prop_assert!(bytes.first.is_finite() && bytes.scale > 0.0);
            prop_assert!(bytes.of(a.min(b)) <= bytes.of(a.max(b)));
            prop_assert_eq!(bytes.of(f32::NEG_INFINITY), 0);
            prop_assert_eq!(bytes.of(f32::INFINITY), 255);
        }
    }

    #[test]
    fn the_axis_is_the_one_that_tells_most_boxes_apart() {
        let of = |bounds: &Bounds| widest(&[0, 1, 2].map(|axis| Spread::of(bounds, axis)));
        // Spread on all axes by these amounts, with these extents, and some that tell nothing.
        let axis_of = |spread: [f32; 3], extent: [f32; 3]| {
            let place = |i: usize| {
                let at = |k: usize| spread[k] * ((i * [1, 7, 11][k]) % 50) as f32;
                let low = [at(0), at(1), at(2)];
                let high: [f32; 3] = std::array::from_fn(|k| low[k] + extent[k]);
                [low[0], low[1], low[2], high[0], high[1], high[2]]
            };
            let mut boxes: Vec<_> = (0..50).map(place).collect();
            boxes.push([f32::NEG_INFINITY, -9.0, 1e30, f32::INFINITY, f32::MAX, f32::MAX]);
            of(&table(boxes))
        };
        assert_eq!(axis_of([2.0, 1.0, 1.0], [1.0; 3]), 0);
        assert_eq!(axis_of([1.0, 2.0, 1.0], [1.0; 3]), 1);
        assert_eq!(axis_of([1.0, 1.0, 2.0], [1.0; 3]), 2);
        // Thin discs, a flat world, and points in a flat world.
        assert_eq!(axis_of([1.0; 3], [5.0, 5.0, 1.0]), 2);
        assert_eq!(axis_of([0.0, 1.0, 2.0], [0.0, 1.0, 1.0]), 2);
        assert_eq!(axis_of([0.0, 1.0, 0.0], [0.0; 3]), 1);
        assert_eq!(of(&table(vec![])), 0);
        assert_eq!(of(&table(vec![[f32::NEG_INFINITY; 6]; 3])), 0);
    }
}
