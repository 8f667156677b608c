//! Chooses a pruner by how many bodies there are and how they move, step by step.
//!
//! | bodies | how they move | pruner | because (experiment `nbody` in docs/RESULTS.md) |
//! |---|---|---|---|
//! | up to [`FEW`] | – | `brute` | nothing pays for itself |
//! | up to [`SOME`] | – | `grid` | one cell, eight against eight |
//! | more | calm, not crowded | `tree` | costs what moves, not what is there |
//! | more | calmer still, crowded | `coherent`, from [`MANY`] on `tree` | keeps its pairs as they are |
//! | up to [`MORE`] | not calm, crowded | `grid` | as above |
//! | more | else | `columns` | fastest from scratch in the worlds of that experiment |
//!
//! How calm it is, is measured: the way that the boxes of a sample went since the last step, in
//! sizes of the box, on average and smoothed. A room in which all bodies go a twentieth of their
//! size per step is at 0.05, where `columns` wins; one in which a fifth of them do so, at 0.01,
//! where `tree` does. Crowded means that pairs are many: to keep a list of them costs more than to find
//! them anew, unless next to nothing moves. The spread of sizes decides nothing, since none of
//! these minds it. Clusters a million sizes apart (`grid`) and long sticks along all axes (`tree`)
//! are known to be served better by others. What is found never depends on the choice. Cost: that
//! of the chosen one, and a look at up to 64 boxes.

use crate::broad::brute::Brute;
use crate::broad::coherent::Coherent;
use crate::broad::columns::Columns;
use crate::broad::grid::Grid;
use crate::broad::tree::Tree;
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::{Pair, Slot};
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_geom::aabb::Aabb32;

/// Its name.
pub const NAME: &str = "auto";

/// Up to so many bodies all pairs are tested.
pub const FEW: usize = 12;
/// Up to so many bodies one cell holds them all.
pub const SOME: usize = 96;
/// The same for a crowd.
pub const MORE: usize = 256;
/// From so many bodies on one sorted axis is too long to be kept in order.
pub const MANY: usize = 5_000;
/// Below this activity it is calm; above the second it is not any more.
const CALM: [f32; 2] = [0.018, 0.024];
/// The same for a crowd.
const STILL: [f32; 2] = [0.008, 0.011];
/// More pairs per body than this are a crowd; fewer than the second are none any more.
const CROWD: [f32; 2] = [2.0, 1.5];
/// How many bodies are watched: one in so many, but not fewer or more than these.
const ONE_IN: usize = 16;
const SAMPLE: [usize; 2] = [4, 64];
/// How much of a new measurement goes into the smoothed one.
const SMOOTHING: f32 = 0.25;

/// The pruner `auto`.
#[derive(Debug, Default)]
pub struct Auto {
    brute: Brute,
    grid: Grid,
    columns: Columns,
    /// There only while they are in use: one that was left alone is of no use later, and its memory
    /// may be wanted elsewhere.
    tree: Option<Box<Tree>>,
    coherent: Option<Box<Coherent>>,
    /// The watched boxes as they were, and when.
    sample: Vec<(Slot, Aabb32)>,
    seen: u64,
    activity: Option<f32>,
    crowded: bool,
}

impl Pruner for Auto {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        let (n, room) = (bounds.live.len(), out.room());
        if n > SOME {
            self.watch(bounds);
        }
        let progress = self.choose(n).prune(bounds, out);
        let found = (room - out.room()) as f32;
        self.crowded = found > CROWD[usize::from(self.crowded)] * n as f32;
        progress
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.sample[..])
            + self.columns.bytes()
            + self.grid.bytes()
            + self.tree.as_ref().map_or(0, |tree| tree.bytes())
            + self.coherent.as_ref().map_or(0, |coherent| coherent.bytes())
    }
}

impl Auto {
    fn choose(&mut self, n: usize) -> &mut dyn Pruner {
        if n <= FEW {
            return &mut self.brute;
        }
        if n <= SOME {
            return &mut self.grid;
        }
        let keeps = self.tree.is_some() || self.coherent.is_some();
        let limit = if self.crowded { STILL } else { CALM }[usize::from(keeps)];
        let calm = self.activity.is_some_and(|activity| activity < limit);
        let orders = self.crowded && n < MANY;
        if !calm || orders {
            self.tree = None;
        }
        if !calm || !orders {
            self.coherent = None;
        }
        match (calm, orders) {
            (true, true) => self.coherent.get_or_insert_default().as_mut(),
            (true, false) => self.tree.get_or_insert_default().as_mut(),
            (false, _) if self.crowded && n <= MORE => &mut self.grid,
            (false, _) => &mut self.columns,
        }
    }

    /// Measures how far the watched boxes went, and watches again.
    fn watch(&mut self, bounds: &Bounds) {
        if self.seen + 1 == bounds.step && !self.sample.is_empty() {
            let ways = self
                .sample
                .iter()
                .map(|(slot, old)| bounds.aabb.get(slot.index()).map_or(1.0, |new| way(old, new)));
            let sampled = ways.sum::<f32>() / self.sample.len() as f32;
            // A sample may be unlucky where few move; no more than those can have.
            let moved = bounds.changed.len() as f32 / bounds.live.len().max(1) as f32;
            let measured = sampled.min(moved);
            let activity = self.activity.get_or_insert(measured);
            *activity += SMOOTHING * (measured - *activity);
        } else {
            self.activity = None;
        }
        self.seen = bounds.step;
        self.sample.clear();
        let n = bounds.live.len();
        let count = (n / ONE_IN).clamp(SAMPLE[0], SAMPLE[1]).min(n);
        self.sample.extend((0..count).map(|i| {
            let slot = bounds.live[n * i / count];
            (slot, bounds.aabb[slot.index()])
        }));
    }
}

/// How far a box went in sizes of its own, at most 1. A box that is gone went far.
fn way(old: &Aabb32, new: &Aabb32) -> f32 {
    if old == new {
        return 0.0;
    }
    let size = (0..3).map(|k| old[k + 3] - old[k]).fold(f32::MIN_POSITIVE, f32::max);
    let far = (0..6).map(|k| (new[k] - old[k]).abs()).fold(0.0, f32::max);
    // Infinite boxes make this no number, which counts as far.
    if far < size { far / size } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::bounds::Reach;

    /// Boxes in a row that do not touch; every `stride`-th moves.
    fn run(n: u32, stride: usize, distance: f32) -> Vec<&'static str> {
        let mut bounds = Bounds {
            live: (0..n).map(Slot).collect(),
            reach: vec![Reach::NONE; n as usize],
            ..Bounds::default()
        };
        bounds.aabb =
            (0..n).map(|i| [i as f32 * 3.0, 0.0, 0.0, i as f32 * 3.0 + 1.0, 1.0, 1.0]).collect();
        let mut auto = Auto::default();
        let mut chosen = Vec::new();
        for step in 1..30 {
            bounds.step = step;
            bounds.changed.clear();
            for i in (0..n as usize).step_by(stride) {
                bounds.aabb[i][1] += distance;
                bounds.aabb[i][4] += distance;
                bounds.changed.push(Slot(i as u32));
            }
            assert_eq!(
                auto.prune(&bounds, &mut Sink::over(&mut Vec::new(), 10)),
                Progress::Complete
            );
            chosen.push(auto.choose(n as usize).name());
        }
        chosen
    }

    #[test]
    fn few_bodies_calm_ones_and_busy_ones_get_what_suits_them() {
        assert!(run(FEW as u32, 1, 0.5).iter().all(|name| *name == "brute"));
        assert!(run(SOME as u32, 1, 0.5).iter().all(|name| *name == "grid"));
        assert!(run(1000, 1, 0.05).iter().all(|name| *name == "columns"));
        let calm = run(1000, 1, 0.001);
        assert_eq!((calm[0], calm[1], calm[28]), ("columns", "tree", "tree"));
        // One in two hundred goes half its size.
        assert_eq!(run(1000, 200, 0.5)[28], "tree");
        assert_eq!(run(1000, 10, 0.5)[28], "columns");
    }

    #[test]
    fn what_comes_to_rest_is_noticed_and_what_sets_out_again_too() {
        let old = [0.0, 0.0, 0.0, 2.0, 1.0, 1.0];
        assert_eq!(way(&old, &old), 0.0);
        assert_eq!(way(&old, &[0.5, 0.0, 0.0, 2.5, 1.0, 1.0]), 0.25);
        assert_eq!(way(&old, &[9.0, 0.0, 0.0, 11.0, 1.0, 1.0]), 1.0);
        let all = [f32::NEG_INFINITY, 0.0, 0.0, f32::INFINITY, 1.0, 1.0];
        assert_eq!((way(&all, &all), way(&all, &old)), (0.0, 1.0));
    }
}
