//! Columns and a sweep along each: exactly the overlapping boxes, from scratch every step.
//!
//! Boxes are put into columns across the axis along which they are spread most, each box into every
//! column it touches. A column is sorted by counting (one bin per box), and each box is
//! tested against those after it that begin before it ends, eight at a time. A pair that meets in
//! several columns is reported by the one that owns its common lower corner. Columns are as wide as
//! makes those windows about `WINDOW` long, so that one vector test nearly always suffices: what
//! costs time here is mispredicted branches, not tests. A column that is too crowded, as happens
//! where positions cluster, becomes a problem of its own and is split once more, along whichever
//! axis suits it.
//!
//! This is sort and sweep [V00 §6, fast AABB] cut into pieces that fit the cache. O(n) time for
//! boxes of similar size and bounded density, O(n + pairs) memory. Columns are kept for some steps with room to grow, which saves
//! counting; nothing else is remembered.

use crate::broad::gather::{self, Part, Quota, gather_in};
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::{Pair, Slot};
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_simd::columns::{Boxes, Entry, Grid, Run, Scratch, Source, Sweep, count, scatter};

use rayon::prelude::*;

/// Where the boxes of a column matter: min x y z, max x y z.
type Region = [f32; 6];

/// The whole space.
const EVERYWHERE: Region = {
    let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
    [low, low, low, high, high, high]
};

/// Its name.
pub const NAME: &str = "columns";

/// How many boxes a box should find in its window.
const WINDOW: f64 = 3.6;
/// Columns narrower than this many boxes copy too much.
const WIDTH_MIN: f64 = 2.0;
/// Columns of more boxes than this leave the cache.
const LENGTH_MAX: f64 = 2048.0;
/// A column is split again where windows would be longer than this.
const WINDOW_MAX: f64 = 16.0;
/// Shorter columns are not worth splitting.
const SPLIT_FROM: usize = 256;
/// How many boxes are looked at to choose columns.
const SAMPLE: usize = 512;
/// How often columns are split within columns.
const DEPTH_MAX: usize = 3;
/// All copies of boxes together, per box; wider columns are taken until that holds.
const COPIES_MAX: usize = 3;
/// Below this many bodies a second thread costs more than it saves.
const PARALLEL_FROM: usize = 8192;
/// A part of the sweep has about so many columns: it uses memory of its own, which is to stay in the
/// cache for a while. So many parts per thread at least and at most.
const COLUMNS_PER_PART: usize = 48;
const PARTS: [usize; 2] = [3, 8];
/// How many pairs may be found between two looks at the limit.
const PAIRS_AT_ONCE: usize = 1 << 20;
/// After so many steps columns are chosen anew even if they still hold.
const KEPT_STEPS: u32 = 32;

/// The pruner `columns`.
#[derive(Debug, Default)]
pub struct Columns {
    ids: Vec<u32>,
    kept: Option<Kept>,
    cut: Cut,
    /// One per thread, each of a run of bodies.
    splits: Vec<Split>,
    /// How many entries stand in the columns before each.
    before: Vec<usize>,
    parts: Vec<Part<Work>>,
}

/// Columns that were chosen in an earlier step.
#[derive(Clone, Copy, Debug)]
struct Kept {
    plan: Plan,
    /// For how many more steps.
    steps: u32,
    /// As long as no column has more entries than this.
    longest: usize,
}

/// Columns and who owns what.
#[derive(Debug, Default)]
struct Cut {
    grid: Option<Grid>,
    /// The edges of the cells on each axis.
    edges: [Vec<f32>; 3],
}

/// Entries sorted into columns.
#[derive(Debug, Default)]
struct Split {
    entries: Vec<Entry>,
    /// Where each column begins, and one more.
    starts: Vec<u32>,
    /// Where each column ends.
    ends: Vec<u32>,
}

/// What a thread needs.
#[derive(Debug, Default)]
struct Work {
    sweep: Scratch,
    /// A column whose entries come from several splits.
    joined: Vec<Entry>,
    deeper: [(Cut, Split); DEPTH_MAX],
}

impl Pruner for Columns {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        let n = bounds.live.len();
        let threads = if n < PARALLEL_FROM { 1 } else { rayon::current_num_threads() };
        let length = n.div_ceil(threads).max(1);
        let plan = match (bounds.live.first(), bounds.live.last()) {
            // Mostly no slot is left out, and the table can be read as it is.
            (Some(&Slot(first)), Some(&Slot(last))) if (last - first) as usize + 1 == n => {
                let boxes = &bounds.aabb[first as usize..=last as usize];
                let runs: Vec<Run<'_>> = (boxes.chunks(length).zip(0..))
                    .map(|(boxes, i)| Run { boxes, first: first + i * length as u32 })
                    .collect();
                self.arrange(Run { boxes, first }, &runs)
            }
            _ => {
                let mut ids = std::mem::take(&mut self.ids);
                ids.clear();
                ids.extend(bounds.live.iter().map(|slot| slot.0));
                let table = &bounds.aabb[..];
                let runs: Vec<_> = ids.chunks(length).map(|ids| Boxes { table, ids }).collect();
                let plan = self.arrange(Boxes { table, ids: &ids }, &runs);
                self.ids = ids;
                plan
            }
        };
        let Self { cut, splits, before, parts, .. } = self;
        let sum = before.last().copied().unwrap_or(0);
        // Tasks are entries, so that each part gets as many; a column goes to the part that has its
        // first one.
        let each = (cut.columns() / COLUMNS_PER_PART).clamp(PARTS[0], PARTS[1]);
        let pieces = if threads == 1 { 1 } else { each * threads };
        gather_in((sum, pieces), parts, out, |tasks, part, quota| {
            let first = before.partition_point(|&before| before < tasks.start);
            for column in first..before.partition_point(|&before| before < tasks.end) {
                let Part { pairs, scratch: Work { sweep, joined, deeper } } = &mut *part;
                let entries = join(splits, column, joined);
                let column =
                    Column { entries, region: cut.region(column, &EVERYWHERE), plan: &plan };
                if !column.descend(deeper, &mut Found { sweep, pairs, quota }) {
                    return;
                }
            }
        })
    }

    fn bytes(&self) -> usize {
        let work = self.parts.iter().map(|Part { scratch, .. }| {
            let deeper: usize =
                scratch.deeper.iter().map(|(cut, split)| cut.bytes() + split.bytes()).sum();
            deeper + scratch.sweep.bytes() + size_of::<Entry>() * scratch.joined.capacity()
        });
        4 * self.ids.capacity()
            + 8 * self.before.capacity()
            + self.cut.bytes()
            + self.splits.iter().map(Split::bytes).sum::<usize>()
            + gather::bytes(&self.parts)
            + work.sum::<usize>()
    }
}

impl Columns {
    /// Sorts all boxes into columns, each run of them into a split, and says what for.
    fn arrange<S: Source + Sync>(&mut self, all: S, runs: &[S]) -> Plan {
        let Self { kept, cut, splits, before, .. } = self;
        let same = splits.len() == runs.len();
        splits.resize_with(runs.len(), Split::default);
        // Whether columns are kept depends on the boxes alone and not on the splits, so that the
        // order of the pairs does not depend on the number of threads.
        let mut good = None;
        if let Some(old) = kept.take().filter(|kept| kept.steps > 0) {
            let filled = same && cut.refill(runs, splits) || cut.recount(runs, splits);
            let fits = filled && measure(cut, splits, before) <= old.longest;
            let copies = before.last().copied().unwrap_or(0);
            good = (fits && copies <= COPIES_MAX * all.len()).then_some(old);
        }
        let new = good.unwrap_or_else(|| {
            let plan = Plan::new(all, &EVERYWHERE);
            cut.fill(plan.grid, runs, splits);
            let longest = 2 * measure(cut, splits, before) + 64;
            Kept { plan, steps: KEPT_STEPS, longest }
        });
        *kept = Some(Kept { steps: new.steps - 1, ..new });
        new.plan
    }
}

/// Fills in how many entries stand before each column, and before the end; returns how many the
/// longest column has.
fn measure(cut: &Cut, splits: &[Split], before: &mut Vec<usize>) -> usize {
    before.clear();
    before.push(0);
    let (mut sum, mut longest) = (0, 0);
    for column in 0..cut.columns() {
        let length = splits.iter().map(|split| split.column(column).len()).sum();
        sum += length;
        longest = longest.max(length);
        before.push(sum);
    }
    longest
}

/// A column as one slice, in the order of the bodies whatever the number of splits.
fn join<'a>(splits: &'a [Split], column: usize, joined: &'a mut Vec<Entry>) -> &'a [Entry] {
    if let [split] = splits {
        return split.column(column);
    }
    joined.clear();
    splits.iter().for_each(|split| joined.extend_from_slice(split.column(column)));
    joined
}

impl Cut {
    /// Sorts each source into its split: into the columns of `grid`, or of a coarser one if boxes
    /// would be copied too often. Columns get room to grow.
    fn fill<S: Source + Sync>(&mut self, mut grid: Grid, sources: &[S], splits: &mut [Split]) {
        let boxes: usize = sources.iter().map(Source::len).sum();
        loop {
            let copies: usize = each(splits, sources, |split, source| split.count(&grid, *source))
                .into_iter()
                .sum();
            if copies <= COPIES_MAX * boxes || grid.columns() == 1 {
                break;
            }
            grid.scale = grid.scale.map(|scale| 0.5 * scale);
            grid.count = grid.count.map(|count| count.div_ceil(2));
        }
        self.grid = Some(grid);
        for k in 0..3 {
            grid.edges(k, &mut self.edges[k]);
        }
        splits.iter_mut().for_each(Split::make_room);
        let fits = self.refill(sources, splits);
        debug_assert!(fits, "it was counted");
    }

    /// Sorts into the same columns as the last time, with other room for each. False if boxes would
    /// be copied too often.
    fn recount<S: Source + Sync>(&self, sources: &[S], splits: &mut [Split]) -> bool {
        let Some(grid) = &self.grid else { return false };
        let boxes: usize = sources.iter().map(Source::len).sum();
        let copies = each(splits, sources, |split, source| split.count(grid, *source));
        let fits = copies.into_iter().sum::<usize>() <= COPIES_MAX * boxes;
        fits && {
            splits.iter_mut().for_each(Split::make_room);
            self.refill(sources, splits)
        }
    }

    /// Sorts into the same columns as the last time, which saves counting. False if that cannot be
    /// done because one of them is too full.
    fn refill<S: Source + Sync>(&self, sources: &[S], splits: &mut [Split]) -> bool {
        let Some(grid) = &self.grid else { return false };
        each(splits, sources, |split, source| split.refill(grid, *source)).into_iter().all(|x| x)
    }

    fn columns(&self) -> usize {
        self.grid.map_or(0, |grid| grid.columns())
    }

    /// The part of `within` that a column owns.
    fn region(&self, column: usize, within: &Region) -> Region {
        let mut region = *within;
        let cells = self.grid.map_or([0; 3], |grid| grid.cells(column));
        for (k, cell) in cells.into_iter().enumerate() {
            region[k] = region[k].max(self.edges[k][cell]);
            region[k + 3] = region[k + 3].min(self.edges[k][cell + 1]);
        }
        region
    }

    fn bytes(&self) -> usize {
        4 * self.edges.iter().map(Vec::capacity).sum::<usize>()
    }
}

/// Something for each split, on as many threads as there are splits.
fn each<S: Sync, T: Send>(
    splits: &mut [Split],
    sources: &[S],
    work: impl Fn(&mut Split, &S) -> T + Sync,
) -> Vec<T> {
    if let ([split], [source]) = (&mut *splits, sources) {
        return vec![work(split, source)];
    }
    let both = splits.par_iter_mut().zip(sources);
    both.map(|(split, source)| work(split, source)).collect()
}

impl Split {
    /// How many entries each column gets, and all together.
    fn count(&mut self, grid: &Grid, source: impl Source) -> usize {
        self.ends.clear();
        self.ends.resize(grid.columns(), 0);
        count(grid, source, &mut self.ends);
        self.ends.iter().map(|&n| n as usize).sum()
    }

    /// Room for as many as were counted and some more.
    fn make_room(&mut self) {
        self.starts.clear();
        let mut sum = 0;
        for &count in &self.ends {
            self.starts.push(sum);
            sum += count + count / 4 + 8;
        }
        self.starts.push(sum);
        // Nothing need be cleared: what is read was written before.
        self.entries.resize(sum as usize, [0; 8]);
    }

    fn refill(&mut self, grid: &Grid, source: impl Source) -> bool {
        self.ends.copy_from_slice(&self.starts[..self.starts.len() - 1]);
        scatter(grid, source, &mut self.ends, &mut self.entries);
        self.ends.iter().zip(&self.starts[1..]).all(|(end, limit)| end <= limit)
    }

    fn column(&self, column: usize) -> &[Entry] {
        &self.entries[self.starts[column] as usize..self.ends[column] as usize]
    }

    fn bytes(&self) -> usize {
        let numbers = self.starts.capacity() + self.ends.capacity();
        size_of::<Entry>() * self.entries.capacity() + 4 * numbers
    }
}

/// How boxes are spread, and the columns that suit them.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// Along which columns run.
    axis: usize,
    /// The size of a box along that axis as a share of the extent: a column of `n` boxes has
    /// windows of `n` times that.
    share: f64,
    grid: Grid,
}

impl Plan {
    /// Looks at a sample of the boxes, as far as they lie in `region`. What lies beyond the extent of
    /// the sample goes to the outermost columns, so nothing is lost by not looking at all.
    fn new(source: impl Source, region: &Region) -> Self {
        let n = source.len();
        let sample = n.min(SAMPLE);
        let (mut low, mut high) = ([f32::MAX; 3], [f32::MIN; 3]);
        let mut sizes = [0.0; 3];
        for i in 0..sample {
            // One of each equally long run, not always the first: tables may be regular.
            let (from, to) = (n * i / sample, n * (i + 1) / sample);
            let aabb = source.aabb(from + i.wrapping_mul(0x9E37_79B9) % (to - from));
            for k in 0..3 {
                // Only what lies in the region matters: large boxes reach far beyond.
                let a = aabb[k].max(region[k]).clamp(f32::MIN, f32::MAX);
                let b = aabb[k + 3].min(region[k + 3].min(f32::MAX)).max(a);
                low[k] = low[k].min(a);
                high[k] = high[k].max(b);
                sizes[k] += f64::from(b) - f64::from(a);
            }
        }
        let extents: [f64; 3] = std::array::from_fn(|k| {
            let extent = f64::from(high[k]) - f64::from(low[k]);
            extent.max(f64::MIN_POSITIVE)
        });
        // Boxes without size are taken as a little less than their distance; where all lie at one
        // place, an axis tells none of them apart.
        let shares = std::array::from_fn(|k| {
            let share = sizes[k] / sample.max(1) as f64 / extents[k];
            let flat = high[k] <= low[k];
            if flat { 1.0 } else { share.max(1e-3 / n.max(1) as f64) }
        });
        Self::of(n, low, extents, shares)
    }

    /// Columns such that windows become about as long as they should be.
    fn of(n: usize, low: [f32; 3], extents: [f64; 3], shares: [f64; 3]) -> Self {
        let axis = (0..3).min_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0);
        let across = [(axis + 1) % 3, (axis + 2) % 3];
        // Extents in sizes of a box.
        let lengths = across.map(|k| (1.0 / shares[k]).max(1.0));
        let window = n as f64 * shares[axis];
        let wanted = (window / WINDOW).max(n as f64 / LENGTH_MAX).max(1.0);
        let mut width = (lengths[0] * lengths[1] / wanted).sqrt().max(WIDTH_MIN);
        // A world that is flat across can be cut one way only.
        for k in 0..2 {
            if lengths[k] < width {
                width = (lengths[1 - k] / wanted).max(WIDTH_MIN);
            }
        }
        let mut grid = Grid { origin: low, scale: [0.0; 3], count: [1; 3] };
        for (k, length) in across.into_iter().zip(lengths) {
            let count = (length / width).round().clamp(1.0, 1024.0);
            let scale = (count / extents[k]) as f32;
            if scale.is_finite() && count > 1.0 {
                grid.count[k] = count as u32;
                grid.scale[k] = scale;
                // Cells are rounded to, so the first reaches half a cell around its middle.
                grid.origin[k] = (f64::from(low[k]) + 0.5 * extents[k] / count) as f32;
            }
        }
        Self { axis, share: shares[axis], grid }
    }

    /// How long the windows of a column of `n` boxes are.
    fn window(&self, n: usize) -> f64 {
        n as f64 * self.share
    }
}

/// Entries that are held against each other.
struct Column<'a> {
    entries: &'a [Entry],
    region: Region,
    /// That made the column.
    plan: &'a Plan,
}

struct Found<'a, 'b> {
    sweep: &'a mut Scratch,
    pairs: &'a mut Vec<[u32; 2]>,
    quota: &'a mut Quota<'b>,
}

impl Column<'_> {
    /// Sweeps the column, or splits it if it is too crowded and `deeper` has memory left for that;
    /// the depth is that of `deeper`, whatever the input. False if no more pairs are needed.
    fn descend(&self, deeper: &mut [(Cut, Split)], found: &mut Found<'_, '_>) -> bool {
        let crowded = self.plan.window(self.entries.len()) > WINDOW_MAX;
        if crowded
            && self.entries.len() >= SPLIT_FROM
            && let Some(((cut, split), deeper)) = deeper.split_first_mut()
        {
            let plan = Plan::new(self.entries, &self.region);
            cut.fill(plan.grid, &[self.entries], std::slice::from_mut(split));
            return (0..cut.columns()).all(|column| {
                let region = cut.region(column, &self.region);
                let entries = split.column(column);
                Column { entries, region, plan: &plan }.descend(deeper, found)
            });
        }
        let mut sweep = Sweep::new(self.entries, self.plan.axis, found.sweep);
        // Both boxes of a pair reach into the column, so their common lower corner does not lie
        // behind it; if not before it either, the pair is this column's.
        let corner = [self.region[0], self.region[1], self.region[2]];
        let at_once = (PAIRS_AT_ONCE / sweep.len().max(1)).max(1);
        (0..sweep.len()).step_by(at_once).all(|from| {
            sweep.run(from..sweep.len().min(from + at_once), &corner, found.pairs);
            !found.quota.full(found.pairs.len())
        })
    }
}
