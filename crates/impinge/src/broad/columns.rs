//! Columns and a sweep along each: exactly the overlapping boxes, from scratch every step.
//!
//! Boxes are put into columns across the axis along which they are spread most, each box into every
//! column it touches. A column is sorted by counting (one to two bins per box), and each box is
//! tested against those after it that begin before it ends, eight at a time. A pair that meets in
//! several columns is reported by the one that owns its common lower corner. Columns are as wide as
//! makes those windows about [`WINDOW`] long, so that one vector test nearly always suffices: what
//! costs time here is mispredicted branches, not tests. A column that is too crowded, as happens
//! where positions cluster, becomes a problem of its own and is split once more, along whichever
//! axis suits it.
//!
//! This is sort and sweep [V00 §6, fast AABB] cut into pieces that fit the cache. O(n) time for
//! boxes of similar size and bounded density, O(n + pairs) memory. Nothing is remembered.

use crate::broad::gather::{self, Part, Quota, gather};
use crate::contract::answer::Progress;
use crate::contract::bounds::Bounds;
use crate::contract::ids::Pair;
use crate::contract::pruner::Pruner;
use crate::contract::sink::Sink;
use impinge_simd::columns::{
    Boxes, EVERYWHERE, Entry, Grid, Region, Scratch, Source, Sweep, count, scatter,
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
/// How often columns are split within columns.
const DEPTH_MAX: usize = 3;
/// All copies of boxes together, per box; wider columns are taken until that holds.
const COPIES_MAX: usize = 3;
/// How many pairs are looked for between two looks at the limit.
const PAIRS_AT_ONCE: usize = 1 << 14;

/// The pruner `columns`.
#[derive(Debug, Default)]
pub struct Columns {
    ids: Vec<u32>,
    split: Split,
    parts: Vec<Part<Work>>,
}

/// Entries sorted into columns.
#[derive(Debug, Default)]
struct Split {
    entries: Vec<Entry>,
    /// Where each column ends.
    ends: Vec<u32>,
    /// The edges of the columns on the two axes across.
    edges: [Vec<f32>; 2],
}

/// What a thread needs.
#[derive(Debug, Default)]
struct Work {
    sweep: Scratch,
    splits: [Split; DEPTH_MAX],
}

impl Pruner for Columns {
    fn name(&self) -> &'static str {
        NAME
    }

    fn prune(&mut self, bounds: &Bounds, out: &mut Sink<'_, Pair>) -> Progress {
        let Self { ids, split, parts } = self;
        ids.clear();
        ids.extend(bounds.live.iter().map(|slot| slot.0));
        let boxes = Boxes { table: &bounds.aabb, ids };
        let mut spread = Spread::EMPTY;
        for i in ids.iter() {
            let [a, b, c, d, e, f] = bounds.aabb[*i as usize];
            spread.add([a, b, c], [d, e, f]);
        }
        let grid = split.fill(spread.grid(ids.len()), boxes);
        let columns = split.ends.len();
        // Tasks are entries, so that each part gets as many; a column goes to the part that has its
        // first one.
        gather(split.entries.len(), parts, out, |tasks, part, quota| {
            let first = split.ends.partition_point(|&end| (end as usize) <= tasks.start);
            for column in first..columns {
                let entries = split.column(column);
                if entries.start >= tasks.end {
                    return;
                }
                if entries.start < tasks.start {
                    continue;
                }
                let region = split.region(&grid, column, &EVERYWHERE);
                if !work(&split.entries[entries], (grid.axis, region), part, quota) {
                    return;
                }
            }
        })
    }

    fn bytes(&self) -> usize {
        let work = self.parts.iter().map(|part| {
            let splits: usize = part.scratch.splits.iter().map(Split::bytes).sum();
            splits + part.scratch.sweep.bytes()
        });
        4 * self.ids.capacity()
            + self.split.bytes()
            + gather::bytes(&self.parts)
            + work.sum::<usize>()
    }
}

impl Split {
    /// Sorts `source` into the columns of `grid`, or of a coarser one if boxes would be copied too
    /// often.
    fn fill(&mut self, mut grid: Grid, source: impl Source) -> Grid {
        let total = loop {
            self.ends.clear();
            self.ends.resize(grid.columns(), 0);
            count(&grid, source, &mut self.ends);
            let total: usize = self.ends.iter().map(|&n| n as usize).sum();
            if total <= COPIES_MAX * source.len() || grid.columns() == 1 {
                break total;
            }
            grid.scale = grid.scale.map(|scale| 0.5 * scale);
            grid.count = grid.count.map(|count| count.div_ceil(2));
        };
        let mut sum = 0;
        for end in &mut self.ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        // Nothing need be cleared: every place is written.
        self.entries.resize(total, [0; 8]);
        scatter(&grid, source, &mut self.ends, &mut self.entries);
        for k in 0..2 {
            grid.edges(k, &mut self.edges[k]);
        }
        grid
    }

    fn column(&self, column: usize) -> std::ops::Range<usize> {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        start as usize..self.ends[column] as usize
    }

    /// The part of `within` that a column owns.
    fn region(&self, grid: &Grid, column: usize, within: &Region) -> Region {
        let mut region = *within;
        let cells = [column / grid.count[1] as usize, column % grid.count[1] as usize];
        for k in 0..2 {
            let axis = (grid.axis + 1 + k) % 3;
            region[axis] = region[axis].max(self.edges[k][cells[k]]);
            region[axis + 3] = region[axis + 3].min(self.edges[k][cells[k] + 1]);
        }
        region
    }

    fn bytes(&self) -> usize {
        let edges: usize = self.edges.iter().map(Vec::capacity).sum();
        size_of::<Entry>() * self.entries.capacity() + 4 * (self.ends.capacity() + edges)
    }
}

/// Where boxes are and how large they are, as far as that is finite.
#[derive(Clone, Copy, Debug)]
struct Spread {
    low: [f32; 3],
    high: [f32; 3],
    sizes: [f64; 3],
}

impl Spread {
    const EMPTY: Self = Self { low: [f32::MAX; 3], high: [f32::MIN; 3], sizes: [0.0; 3] };

    #[inline]
    fn add(&mut self, low: [f32; 3], high: [f32; 3]) {
        for k in 0..3 {
            self.low[k] = self.low[k].min(low[k].max(f32::MIN));
            self.high[k] = self.high[k].max(high[k].min(f32::MAX));
            let size = f64::from(high[k] - low[k]);
            self.sizes[k] += if size < f64::INFINITY { size } else { 0.0 };
        }
    }

    /// The extent of all and the mean size of one, on each axis.
    fn extents(&self, n: usize) -> [[f64; 2]; 3] {
        std::array::from_fn(|k| {
            let extent = f64::from(self.high[k]) - f64::from(self.low[k]);
            let size = self.sizes[k] / n as f64;
            // Boxes without size are taken as a little less than their distance.
            [extent.max(size).max(f64::MIN_POSITIVE), size.max(1e-3 * extent / n as f64)]
        })
    }

    /// How long windows would be in a single column along the axis that is best for it.
    fn window(&self, n: usize) -> (usize, f64) {
        let share = self.extents(n).map(|[extent, size]| size / extent);
        let best = (0..3).min_by(|&a, &b| share[a].total_cmp(&share[b])).unwrap_or(0);
        (best, n as f64 * share[best])
    }

    /// Columns such that windows become about as long as they should be.
    fn grid(&self, n: usize) -> Grid {
        let (axis, window) = self.window(n.max(1));
        let across = [(axis + 1) % 3, (axis + 2) % 3];
        let [u, v] = across.map(|k| self.extents(n.max(1))[k]);
        // Extents in sizes of a box.
        let lengths = [u, v].map(|[extent, size]| (extent / size.max(f64::MIN_POSITIVE)).max(1.0));
        let wanted = (window / WINDOW).max(n as f64 / LENGTH_MAX).max(1.0);
        let mut width = (lengths[0] * lengths[1] / wanted).sqrt().max(WIDTH_MIN);
        // A world that is flat across can be cut one way only.
        for k in 0..2 {
            if lengths[k] < width {
                width = (lengths[1 - k] / wanted).max(WIDTH_MIN);
            }
        }
        let count = lengths.map(|length| (length / width).round().clamp(1.0, 1024.0) as u32);
        let scale = [0, 1].map(|k| {
            let scale = (f64::from(count[k]) / [u, v][k][0]) as f32;
            if scale.is_finite() { scale } else { 0.0 }
        });
        // Cells are rounded to, so the first reaches half a cell to either side of its middle.
        let origin = [0, 1].map(|k| {
            let half = 0.5 * [u, v][k][0] / f64::from(count[k]);
            (f64::from(self.low[across[k]]) + half) as f32
        });
        Grid { axis, origin, scale, count }
    }
}

/// The pairs of a column; false if no more are needed.
fn work(
    entries: &[Entry],
    place: (usize, Region),
    part: &mut Part<Work>,
    quota: &mut Quota<'_>,
) -> bool {
    let Part { pairs, scratch } = part;
    descend(
        entries,
        place,
        &mut scratch.splits,
        &mut Found { sweep: &mut scratch.sweep, pairs, quota },
    )
}

struct Found<'a, 'b> {
    sweep: &'a mut Scratch,
    pairs: &'a mut Vec<[u32; 2]>,
    quota: &'a mut Quota<'b>,
}

/// Sweeps a column, or splits it if it is too crowded and `splits` has memory left for that. The
/// depth is that of `splits`, whatever the input.
fn descend(
    entries: &[Entry],
    (axis, region): (usize, Region),
    splits: &mut [Split],
    found: &mut Found<'_, '_>,
) -> bool {
    if let Some((split, deeper)) = splits.split_first_mut()
        && entries.len() >= SPLIT_FROM
        && let Some(grid) = crowded(entries, &region)
    {
        let grid = split.fill(grid, entries);
        if grid.columns() > 1 {
            return (0..grid.columns()).all(|column| {
                let place = (grid.axis, split.region(&grid, column, &region));
                descend(&split.entries[split.column(column)], place, deeper, found)
            });
        }
    }
    let sweep = Sweep::new(entries, axis, found.sweep);
    let mut next = 0;
    while next < sweep.len() {
        next = sweep.run(next, &region, found.pairs.len() + PAIRS_AT_ONCE, found.pairs);
        if found.quota.full(found.pairs.len()) {
            return false;
        }
    }
    true
}

/// How to split a column whose windows are too long.
fn crowded(entries: &[Entry], region: &Region) -> Option<Grid> {
    let mut spread = Spread::EMPTY;
    for entry in entries {
        let get = |k: usize| f32::from_bits(entry[k]);
        // Only what lies in the region matters: large boxes reach far beyond.
        let low = std::array::from_fn(|k| get(k).max(region[k]));
        spread.add(low, std::array::from_fn(|k| get(k + 4).min(region[k + 3]).max(low[k])));
    }
    let (_, window) = spread.window(entries.len());
    let grid = (window > WINDOW_MAX).then(|| spread.grid(entries.len()));
    grid.filter(|grid| grid.columns() > 1)
}
