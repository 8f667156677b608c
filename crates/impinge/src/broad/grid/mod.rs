//! A uniform grid in Turk's sense \[H93\]: boxes are entered in all cells that they touch, and only
//! boxes of one cell are held against each other.
//!
//! Cell size: about 48 boxes per cell, and never less than two mean boxes wide. Cells of a box's
//! own size, as grids are often taught, are wrong here: at a density of 2.5 % they are empty 39
//! times of 40, and looking into neighbours costs a misprediction each. With half neighbourhoods
//! instead of entries, four boxes per cell are best, and a cell must be as wide as the widest box.
//! In wide cells few boxes are cut (1.26 entries per box), no cell looks at another, and testing
//! all of a cell against itself is a straight run of eight-by-eight tests. Boxes may be larger than
//! cells, because they are entered wherever they are.
//!
//! Each pair is found once: in the cell of the lowest corner of what the two boxes share (see
//! `impinge_simd::cells`). Where positions cluster, a full cell is divided by a grid of its own.
//! Where sizes vary so much that large boxes would be entered too often, they get a grid of their
//! own size, in which the smaller ones are looked up (see `split`).
//!
//! Everything is made from scratch each step. Cost: O(n) for boxes that overlap few others; about
//! 25 bytes per body besides the pairs. Boxes that nothing separates are tested all against all, eight at a time.

mod cells;
mod sort;
mod split;
#[cfg(test)]
mod tests;

use super::gather::{self, Part, Quota, gather};
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::Pair;
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_geom::aabb::Aabb32;
use impinge_simd::cells::{Cell, prefetch};
use sort::Ids;
use split::{Job, Split};
use std::ops::Range;

/// Its name.
pub const NAME: &str = "grid";

/// See the head of the file.
#[derive(Debug, Default)]
pub struct Grid {
    split: Split,
    tasks: Vec<Task>,
    /// Where pieces of work end among the tasks.
    ends: Vec<usize>,
    parts: Vec<Part<Scratch>>,
}

/// A job, or some rows of one.
#[derive(Debug)]
struct Task {
    job: Job,
    /// If given, the job is not split: these of its boxes, hosts first, against its hosts.
    rows: Option<Range<usize>>,
}

/// What one thread needs.
#[derive(Debug, Default)]
struct Scratch {
    split: Split,
    cell: Cell,
    ids: Vec<u32>,
}

/// Jobs with more boxes are split by all threads together; smaller ones by one thread each.
const JOB_LARGE: usize = 8192;
/// As many hosts are held against others at a time, and as many boxes make a task, where there is
/// nothing to split: more would not stay in a near cache.
const TILE: usize = 2048;
/// As many tests are made between two looks at whether there is room for more pairs.
const TESTS: usize = 1 << 16;
/// The least and the most pieces of work are made of this many boxes, and this many pieces.
const PIECE_MIN: usize = 1024;
const PIECES_MAX: usize = 1024;

impl Pruner for Grid {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        let table = &bounds.aabb[..];
        self.plan(bounds);
        let Self { split, tasks, ends, parts } = self;
        let (split, tasks, ends) = (&*split, &*tasks, &*ends);
        gather(ends.len(), parts, out, |pieces, part, quota| {
            let first = pieces.start.checked_sub(1).map_or(0, |piece| ends[piece]);
            let last = pieces.end.checked_sub(1).map_or(0, |piece| ends[piece]);
            let mut finder = Finder { table, part, quota };
            let tasks = &tasks[first..last];
            for (i, task) in tasks.iter().enumerate() {
                if let Some(next) = tasks.get(i + 1).filter(|next| next.job.is_small()) {
                    prefetch(table, split.ids(&next.job.hosts).iter());
                }
                if !finder.run(split, task) {
                    return;
                }
            }
        })
    }

    fn bytes(&self) -> usize {
        let of = |part: &Part<Scratch>| {
            let Scratch { split, cell, ids } = &part.scratch;
            split.bytes() + cell.bytes() + 4 * ids.capacity()
        };
        self.split.bytes()
            + size_of::<Task>() * self.tasks.capacity()
            + size_of::<usize>() * self.ends.capacity()
            + gather::bytes(&self.parts)
            + self.parts.iter().map(of).sum::<usize>()
    }
}

impl Grid {
    /// Fills the list of tasks.
    fn plan(&mut self, bounds: &Bounds) {
        let Self { split, tasks, ends, .. } = self;
        let whole = Job { hosts: 0..0, guests: 0..0, from: [f32::NEG_INFINITY; 3], depth: 0 };
        split.begin(bounds.live.iter().map(|slot| slot.0), std::iter::empty(), &whole);
        tasks.clear();
        while let Some(job) = split.jobs.pop() {
            let large = job.boxes() > JOB_LARGE;
            if (large || job.depth == 0) && split.split(&bounds.aabb, &job) {
                continue;
            }
            if !large {
                tasks.push(Task { job, rows: None });
                continue;
            }
            for first in (0..job.boxes()).step_by(TILE) {
                let rows = Some(first..job.boxes().min(first + TILE));
                tasks.push(Task { job: job.clone(), rows });
            }
        }
        let boxes = |task: &Task| task.rows.as_ref().map_or(task.job.boxes(), Range::len);
        let total: usize = tasks.iter().map(boxes).sum();
        let piece = PIECE_MIN.max(total / PIECES_MAX);
        ends.clear();
        let mut sum = 0;
        for (i, task) in tasks.iter().enumerate() {
            sum += boxes(task);
            if sum >= piece || i + 1 == tasks.len() {
                ends.push(i + 1);
                sum = 0;
            }
        }
    }
}

/// Finds the pairs of tasks, one after the other.
struct Finder<'a, 'q> {
    table: &'a [Aabb32],
    part: &'a mut Part<Scratch>,
    quota: &'a mut Quota<'q>,
}

/// Hosts, guests, and which of them are held against the hosts.
struct Rows<'a> {
    hosts: Ids<'a>,
    guests: Ids<'a>,
    from: [f32; 3],
    range: Range<usize>,
}

impl Finder<'_, '_> {
    /// False if no more pairs are wanted.
    fn run(&mut self, lists: &Split, task: &Task) -> bool {
        let Task { job, rows } = task;
        let (hosts, guests) = (lists.ids(&job.hosts), lists.ids(&job.guests));
        if rows.is_some() || job.is_small() {
            let range = rows.clone().unwrap_or(0..job.boxes());
            return self.test(&Rows { hosts, guests, from: job.from, range });
        }
        let mut split = std::mem::take(&mut self.part.scratch.split);
        split.begin(hosts.iter(), guests.iter(), job);
        let mut wanted = true;
        while wanted && let Some(job) = split.jobs.pop() {
            if !split.split(self.table, &job) {
                let (hosts, guests) = (split.ids(&job.hosts), split.ids(&job.guests));
                wanted = self.test(&Rows { hosts, guests, from: job.from, range: 0..job.boxes() });
            }
        }
        self.part.scratch.split = split;
        wanted
    }

    /// All rows against all hosts. False if no more pairs are wanted.
    fn test(&mut self, rows: &Rows<'_>) -> bool {
        let Range { start, end } = rows.range;
        let count = rows.hosts.len();
        let guests = start.saturating_sub(count)..end.saturating_sub(count);
        for first in (0..count).step_by(TILE) {
            let tile = first..count.min(first + TILE);
            let before = start.min(first)..end.min(first);
            let within = start.clamp(first, tile.end)..end.clamp(first, tile.end);
            if before.is_empty() && within.is_empty() && guests.is_empty() {
                continue;
            }
            let step = (TESTS / tile.len()).next_multiple_of(8);
            let ids = Ids(&rows.hosts.0[tile]);
            self.part.scratch.cell.fill(self.table, ids.iter(), rows.from);
            for row in within.clone().step_by(step) {
                if self.quota.full(self.part.pairs.len()) {
                    return false;
                }
                let Part { pairs, scratch } = &mut *self.part;
                // Tasks begin where a tile begins, so blocks of eight are whole but for the last.
                let [begin, end] = [row - first, within.end.min(row + step) - first];
                scratch.cell.pairs(begin / 8..end.div_ceil(8), pairs);
            }
            let others = [&rows.hosts.0[before], &rows.guests.0[guests.clone()]];
            for ids in others.iter().flat_map(|ids| ids.chunks(step)) {
                if self.quota.full(self.part.pairs.len()) {
                    return false;
                }
                let Part { pairs, scratch } = &mut *self.part;
                scratch.ids.clear();
                scratch.ids.extend(Ids(ids).iter());
                scratch.cell.pairs_with(self.table, &scratch.ids, pairs);
            }
        }
        true
    }
}
