//! A tree of fattened boxes, and a kept list of the pairs whose fat boxes overlap.
//!
//! A body costs a comparison as long as its box lies within its fat box, and nothing if it did not
//! change; the pairs of the step are those of the kept list whose true boxes overlap. Bodies that
//! leave their fat boxes get new ones and are looked up in the tree. When many leave at once, or when
//! look-ups have become dear, the tree is refitted or built anew and descended against itself.
//! Departs from the dynamic trees of game engines in that fat boxes reach where a body is going, as
//! measured, instead of the same way in all directions.
//!
//! Cost per step: O(changed + kept pairs + left · log n); a rebuild O(n log n + pairs).
//! Memory: about 170 bytes per body and 8 per kept pair, and what is found at once.
//!
//! **The margin.** When a body gets a new fat box after some steps, each side of its box has a speed:
//! how far it went, per step. Each side is extended outward by what it will go in so many steps as
//! the body takes to go `stretch` times its own size, a quarter of a step more on every side. Who
//! would leave again at once is not fattened at all. If the last fat box held for less than half as
//! long as it was made for, the body does not move straight, and every side gets a margin that a
//! random walk of that speed is likely to stay in. `stretch` balances the work for pairs against that
//! for bodies that leave, both measured. Only comparisons of boxes decide what is found, so no
//! rounding in all this matters.

mod state;

use super::gather::{self, Part, gather};
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::{Pair, Slot};
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_geom::aabb::Aabb32;
use impinge_geom::box_tree::{BoxTree, Descent, PairTasks};
use rayon::prelude::*;
use state::{Fat, Stretch, Wear};

/// Its name.
pub const NAME: &str = "tree";

/// If more than one in so many bodies leave at once, all are looked at anew.
const MANY: usize = 6;
/// Pieces of work for one thread: changed bodies, kept pairs, bodies that left.
const BODIES_AT_ONCE: usize = 1 << 13;
const PAIRS_AT_ONCE: usize = 1 << 12;
const QUERIES_AT_ONCE: usize = 1 << 7;
/// Kept pairs are not worth their memory beyond this many times the pairs that are allowed, but a few
/// are always allowed.
const KEPT_TIMES: usize = 2;
const KEPT_MIN: usize = 1 << 16;
/// So many steps go by before pairs are kept again after there were too many; doubled each time.
const BARE_STEPS: u32 = 4;

/// A dynamic tree with fattened leaves.
#[derive(Debug, Default)]
pub struct Tree {
    tree: BoxTree,
    /// By slot.
    fat: Vec<Fat>,
    /// By slot: the fat box, apart, since all of them are read in every step.
    boxes: Vec<Aabb32>,
    /// By slot: left its fat box or went in this step.
    dirty: Vec<bool>,
    /// Pairs of slots whose fat boxes overlap.
    kept: Vec<[u32; 2]>,
    /// The last step seen, if what is kept belongs to it.
    seen: Option<u64>,
    stretch: Stretch,
    wear: Wear,
    bare: Bare,
    // Buffers of a step.
    left: Vec<u32>,
    gone: Vec<u32>,
    all: Vec<u32>,
    order: Vec<u64>,
    fresh: Vec<Pair>,
    tasks: PairTasks,
    parts: Vec<Part<Scratch>>,
}

/// What one thread needs.
#[derive(Debug, Default)]
struct Scratch {
    descent: Descent,
    stack: Vec<u32>,
    found: Vec<u32>,
    looks: u64,
}

/// How long to go without kept pairs.
#[derive(Debug, Default)]
struct Bare {
    steps: u32,
    last: u32,
}

impl Pruner for Tree {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        if self.bare.steps > 0 {
            self.bare.steps -= 1;
            return self.prune_bare(bounds, out);
        }
        let room = out.room().saturating_mul(KEPT_TIMES).max(KEPT_MIN);
        if self.keep(bounds, room) == Progress::Limit {
            self.bare.last = (2 * self.bare.last).clamp(BARE_STEPS, 16 * BARE_STEPS);
            self.bare.steps = self.bare.last;
            return self.prune_bare(bounds, out);
        }
        self.bare.last = 0;
        self.seen = Some(bounds.step);
        let kept = &self.kept;
        gather(kept.len().div_ceil(PAIRS_AT_ONCE), &mut self.parts, out, |tasks, part, quota| {
            for task in tasks {
                if quota.full(part.pairs.len()) {
                    return;
                }
                let from = task * PAIRS_AT_ONCE;
                retest(&bounds.aabb, &kept[from..kept.len().min(from + PAIRS_AT_ONCE)], part);
            }
        })
    }

    fn bytes(&self) -> usize {
        let scratch = |part: &Part<Scratch>| {
            let Scratch { descent, stack, found, .. } = &part.scratch;
            descent.bytes() + 4 * (stack.capacity() + found.capacity())
        };
        self.tree.bytes()
            + self.fat.capacity() * size_of::<Fat>()
            + self.boxes.capacity() * size_of::<Aabb32>()
            + self.dirty.capacity()
            + 8 * (self.kept.capacity() + self.fresh.capacity() + self.order.capacity())
            + 4 * (self.left.capacity() + self.gone.capacity() + self.all.capacity())
            + self.tasks.bytes()
            + gather::bytes(&self.parts)
            + self.parts.iter().map(scratch).sum::<usize>()
    }
}

impl Tree {
    /// Brings the tree and the list of kept pairs up to date; `Limit` if that list became too long.
    fn keep(&mut self, bounds: &Bounds, room: usize) -> Progress {
        let slots = bounds.aabb.len();
        let last = self.seen.take();
        self.fat.resize(slots, Fat::default());
        self.boxes.resize(slots, [0.0; 6]);
        self.dirty.resize(slots, false);
        if last.is_none_or(|last| last.wrapping_add(1) != bounds.step) {
            self.fat.fill(Fat::default());
            self.tree.clear();
            self.left.clear();
            self.left.extend(bounds.live.iter().map(|slot| slot.0));
            return self.renew(bounds, room);
        }
        self.find_leavers(bounds);
        let all = bounds.live.len();
        if MANY * self.left.len() > all.max(MANY * 8) {
            return self.renew(bounds, room);
        }
        if self.wear.is_out(all) {
            self.rebuild(bounds);
        }
        self.update(bounds, room)
    }

    /// Who left its fat box, and who is live no more.
    fn find_leavers(&mut self, bounds: &Bounds) {
        let Self { tree, boxes, left, gone, .. } = self;
        left.clear();
        gone.clear();
        let changed = &bounds.changed;
        if changed.len() < 2 * BODIES_AT_ONCE || rayon::current_num_threads() == 1 {
            return find_leavers(bounds, changed, (tree, boxes), (left, gone));
        }
        let chunks = changed.par_chunks(BODIES_AT_ONCE).map(|changed| {
            let mut lists = (Vec::new(), Vec::new());
            find_leavers(bounds, changed, (tree, boxes), (&mut lists.0, &mut lists.1));
            lists
        });
        for lists in chunks.collect::<Vec<_>>() {
            left.extend(lists.0);
            gone.extend(lists.1);
        }
    }

    /// Looks up the few that left, and forgets the pairs that they and those that went were in.
    fn update(&mut self, bounds: &Bounds, room: usize) -> Progress {
        let Self { tree, fat, boxes, dirty, kept, stretch, wear, .. } = self;
        stretch.balance(kept.len(), self.left.len());
        for &slot in &self.gone {
            tree.remove(slot);
            fat[slot as usize] = Fat::default();
        }
        // In the order of the tree, so that one look-up finds in the cache what the last one read.
        self.order.clear();
        let place = |&slot: &u32| u64::from(tree.place(slot)) << 32 | u64::from(slot);
        self.order.extend(self.left.iter().map(place));
        self.order.sort_unstable();
        self.left.clear();
        self.left.extend(self.order.iter().map(|&key| key as u32));
        for &slot in &self.left {
            let i = slot as usize;
            boxes[i] = fat[i].renew(&bounds.aabb[i], (slot, bounds.step), stretch.get());
            tree.set(slot, &boxes[i]);
        }
        self.left.iter().chain(&self.gone).for_each(|&slot| dirty[slot as usize] = true);
        if !(self.left.is_empty() && self.gone.is_empty()) {
            kept.retain(|[a, b]| !(dirty[*a as usize] | dirty[*b as usize]));
        }
        let left = &self.left;
        let mut fresh = Sink::over(&mut self.fresh, room.saturating_sub(kept.len()));
        let tasks = left.len().div_ceil(QUERIES_AT_ONCE);
        let progress = gather(tasks, &mut self.parts, &mut fresh, |tasks, part, quota| {
            let slots = tasks.start * QUERIES_AT_ONCE..left.len().min(tasks.end * QUERIES_AT_ONCE);
            let Scratch { stack, found, looks, .. } = &mut part.scratch;
            for &slot in &left[slots] {
                if quota.full(part.pairs.len()) {
                    return;
                }
                found.clear();
                *looks += tree.overlapping(&boxes[slot as usize], stack, found);
                for &other in &*found {
                    // If both were looked up, one of the two finds is enough.
                    if slot < other || !dirty[other as usize] {
                        part.pairs.push([slot, other]);
                    }
                }
            }
        });
        self.left.iter().chain(&self.gone).for_each(|&slot| dirty[slot as usize] = false);
        kept.extend(self.fresh.iter().map(|pair| [pair.a().0, pair.b().0]));
        let looks = self.parts.iter_mut().map(|part| std::mem::take(&mut part.scratch.looks)).sum();
        wear.queried(looks, self.left.len());
        progress
    }

    /// A new tree of the same fat boxes: the kept pairs stay what they are.
    fn rebuild(&mut self, bounds: &Bounds) {
        self.all.clear();
        self.all.extend(bounds.live.iter().map(|slot| slot.0));
        let boxes = &self.boxes;
        self.tree.build(&self.all, &|slot| boxes[slot as usize]);
        self.wear.built();
    }

    /// New fat boxes for the many that left, the tree refitted while that serves, else built anew,
    /// and all pairs found again.
    fn renew(&mut self, bounds: &Bounds, room: usize) -> Progress {
        let stretch = self.stretch.get();
        for &slot in &self.left {
            let (i, aabb) = (slot as usize, &bounds.aabb[slot as usize]);
            self.boxes[i] = self.fat[i].renew(aabb, (slot, bounds.step), stretch);
        }
        let known = self.left.iter().all(|&slot| self.tree.contains(slot));
        let same = known && self.gone.is_empty() && self.tree.len() == bounds.live.len();
        if same && self.wear.is_like_new() {
            let boxes = &self.boxes;
            self.tree.refit(|slot| boxes[slot as usize]);
        } else {
            self.rebuild(bounds);
        }
        let mut fresh = Sink::over(&mut self.fresh, room);
        let progress = descend(&self.tree, &mut self.tasks, &mut self.parts, &mut fresh);
        let parts = self.parts.iter_mut();
        self.wear.descended(parts.map(|part| part.scratch.descent.take_looks()).sum());
        self.kept.clear();
        self.kept.extend(self.fresh.iter().map(|pair| [pair.a().0, pair.b().0]));
        progress
    }

    /// Without keeping anything: the tree of the true boxes against itself.
    fn prune_bare(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        self.seen = None;
        self.kept = Vec::new();
        self.fresh = Vec::new();
        self.all.clear();
        self.all.extend(bounds.live.iter().map(|slot| slot.0));
        self.tree.build(&self.all, &|slot| bounds.aabb[slot as usize]);
        let progress = descend(&self.tree, &mut self.tasks, &mut self.parts, out);
        // These looks tell nothing of the tree of fat boxes.
        for part in &mut self.parts {
            part.scratch.descent.take_looks();
        }
        progress
    }
}

/// Appends those pairs whose boxes overlap.
fn retest(boxes: &[Aabb32], kept: &[[u32; 2]], part: &mut Part<Scratch>) {
    // Each pair is written, and counted if it is one. Boxes are far apart in memory; without a branch
    // on what is in them, many are on their way at once.
    let mut len = part.pairs.len();
    part.pairs.resize(len + kept.len(), [0; 2]);
    for &[a, b] in kept {
        let (x, y) = (&boxes[a as usize], &boxes[b as usize]);
        let apart = (x[0] > y[3]) | (x[1] > y[4]) | (x[2] > y[5]);
        let apart = apart | (y[0] > x[3]) | (y[1] > x[4]) | (y[2] > x[5]);
        part.pairs[len] = [a, b];
        len += usize::from(!apart);
    }
    part.pairs.truncate(len);
}

fn find_leavers(
    bounds: &Bounds,
    changed: &[Slot],
    (tree, boxes): (&BoxTree, &[Aabb32]),
    (left, gone): (&mut Vec<u32>, &mut Vec<u32>),
) {
    let first = changed.first().map_or(0, |&slot| bounds.live.partition_point(|&live| live < slot));
    let mut live = &bounds.live[first..];
    for &slot in changed {
        live = skip_to(live, slot);
        let is_live = live.first() == Some(&slot);
        let known = tree.contains(slot.0);
        let i = slot.index();
        if is_live && !(known && holds(&boxes[i], &bounds.aabb[i])) {
            left.push(slot.0);
        } else if known && !is_live {
            gone.push(slot.0);
        }
    }
}

/// Without those before `slot`: a search in steps that double, since most often it is the next one.
#[inline]
pub(super) fn skip_to(slots: &[Slot], slot: Slot) -> &[Slot] {
    match slots {
        [first, ..] if *first >= slot => slots,
        [_, second, ..] if *second >= slot => &slots[1..],
        _ => search(slots, slot),
    }
}

fn search(mut slots: &[Slot], slot: Slot) -> &[Slot] {
    let mut step = 1;
    while slots.get(step - 1).is_some_and(|&first| first < slot) {
        slots = &slots[step..];
        step = (2 * step).min(slots.len().max(1));
    }
    let end = step.min(slots.len());
    &slots[slots[..end].partition_point(|&first| first < slot)..]
}

#[inline]
fn holds(outer: &Aabb32, inner: &Aabb32) -> bool {
    // No early end: nearly always all hold.
    (outer[0] <= inner[0])
        & (outer[1] <= inner[1])
        & (outer[2] <= inner[2])
        & (inner[3] <= outer[3])
        & (inner[4] <= outer[4])
        & (inner[5] <= outer[5])
}

/// All overlapping pairs of leaves.
fn descend(
    tree: &BoxTree,
    tasks: &mut PairTasks,
    parts: &mut Vec<Part<Scratch>>,
    out: &mut Sink<'_, Pair>,
) -> Progress {
    tree.pair_tasks(tasks);
    let tasks = &*tasks;
    gather(tasks.len(), parts, out, |range, part, quota| {
        for task in range {
            part.scratch.descent.start(tasks, task);
            let mut more = true;
            while more {
                if quota.full(part.pairs.len()) {
                    return;
                }
                more = part.scratch.descent.go_on(tree, &mut part.pairs);
            }
        }
    })
}
